"""docs/models.md: its model is solved, its server asked, by its own snippets and commands."""
import ast
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/models.md").read_text()


def snippets(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.S)


def test_the_page_does_what_it_says(program, tmp_path):
    model, client = snippets("python")
    problem, server = snippets("toml")
    solve, serve = (line for block in snippets("sh") for line in block.splitlines())
    (tmp_path / "model.py").write_text(model)
    (tmp_path / "program.toml").write_text(problem)
    (tmp_path / "client.py").write_text(client)
    environment = {**os.environ, "PATH": f"{pathlib.Path(program).parent}:{os.environ['PATH']}"}
    done = subprocess.run(shlex.split(solve), cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "[objective]" in server
    words = shlex.split(serve)
    words[words.index("4242")] = "0"
    process = subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        url = re.search(r"http://[\d.:]+", process.stdout.readline())[0]
        done = subprocess.run([sys.executable, "client.py", url], cwd=tmp_path, capture_output=True, text=True)
    finally:
        process.terminate()
        process.wait()
    assert ast.literal_eval(done.stdout) == pytest.approx([math.exp(0.15), 0.3 + math.exp(0.15)], abs=5e-3)
