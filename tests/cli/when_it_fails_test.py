"""docs/when-it-fails.md: every status of the program has its section, and the file in it ends that way."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "when-it-fails.md").read_text()
SECTIONS = dict(re.findall(r"^## `(\w+)`\n(.*?)(?=^## |\Z)", PAGE, re.S | re.M))
# Its example is a program (tests/documentation_test.py builds and runs it), and a signal.
OTHERWISE = {"bad_gradient", "interrupted"}
EXIT_CODES = {"converged": 0, "completed": 0, "out_of_gradients": 1, "out_of_time": 1, "interrupted": 1, "stalled": 1}


def blocks(status):
    """The problem file and the message of a section, where it has them."""
    problem = re.search(r"```toml\n(.*?)```", SECTIONS[status], re.S)
    message = re.search(r"```\n\n```\n(.*?)\n```", SECTIONS[status], re.S)
    return problem and problem.group(1), message and message.group(1)


def matches(message, reason):
    return re.search(".*".join(re.escape(part.strip()) for part in message.split("…")), reason)


def test_every_status_has_a_section():
    table = (ROOT / "src" / "solve" / "common" / "statuses.cpp").read_text()
    assert set(SECTIONS) == set(re.findall(r'Status::\w+, "(\w+)"', table))


@pytest.mark.parametrize("status", sorted(set(SECTIONS) - OTHERWISE))
def test_the_example_ends_so(run, tmp_path, status):
    problem, message = blocks(status)
    (tmp_path / "own.toml").write_text(problem)
    code, out, err = run("solve", "own.toml", "--json", "--set", "solve.threads=1")
    summary = json.loads(out)
    assert summary["status"] == status, summary["stop_reason"]
    assert code == EXIT_CODES.get(status, 3)
    if message:
        assert matches(message, summary["stop_reason"]), summary["stop_reason"]
    # A failed run gives no answers.
    failed = code == 3
    for command in (["eval", "runs/own", "--at", "t=0.5"], ["sample", "runs/own"], ["stats", "runs/own"],
                    ["export", "runs/own", "--language", "python", "-o", "-"]):
        code, out, err = run(*command)
        assert code == (3 if failed else 0), err
        if failed:
            assert status in err and summary["stop_reason"] in err and "--anyway" in err and out == ""
            assert run(*command, "--anyway")[0] == 0


def test_a_signal_interrupts(program, tmp_path):
    (tmp_path / "own.toml").write_text(blocks("interrupted")[0])
    started = subprocess.Popen([program, "solve", "own.toml", "--json"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    store = tmp_path / "runs" / "own" / "solution.h5"
    while not store.exists():
        time.sleep(0.02)
    started.send_signal(signal.SIGINT)
    out, _ = started.communicate(timeout=60)
    summary = json.loads(out)
    assert started.returncode == 1 and summary["status"] == "interrupted"
    assert matches(blocks("interrupted")[1], summary["stop_reason"])


def slow_to_read(parameters):
    """A problem that takes a while to read."""
    lines = [f'p{k} = {{ distribution = "normal", mean = 0, sd = 1 }}' for k in range(parameters)]
    total = " + ".join(f"p{k}*cos(x + {k})" for k in range(parameters))
    return "[parameters]\n" + "\n".join(lines) + f'\n[variables]\nx = {{}}\n[objective]\nminimize = "x^2 + 1e-9*({total})"\n'


def test_a_signal_ends_reading(program, tmp_path):
    (tmp_path / "own.toml").write_text(slow_to_read(3000))
    started = subprocess.Popen([program, "solve", "own.toml", "--quiet"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    time.sleep(0.15)
    started.send_signal(signal.SIGTERM)
    begun = time.monotonic()
    _, err = started.communicate(timeout=60)
    assert time.monotonic() - begun < 5
    assert started.returncode == 1 and ("stopped" in err or not err), err
