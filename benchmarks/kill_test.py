#!/usr/bin/python3
"""kill -9 at random moments of runs of every method, then resume: solution.h5, summary.json, history.csv and report.html must be
the same but for time stamps. Usage: kill_test.py [NUMBER [METHOD…]]"""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from runs_test import LONG, METHODS, PROBLEM, content, differences  # noqa: E402

PROGRAM = os.environ.get("CHAOSGRAD", ROOT / "build" / "release" / "chaosgrad")


def main(number, methods):
    moments = random.Random(7)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def call(*arguments):
            subprocess.run([PROGRAM, *map(str, arguments), "--quiet"], cwd=folder, check=True)

        for method in methods:
            began = time.monotonic()
            call("solve", PROBLEM[method], "-o", "whole", *LONG[method])
            length, whole = time.monotonic() - began, content(folder / "whole")
            killed = wrong = 0
            for _ in range(number):
                shutil.rmtree(folder / "run", ignore_errors=True)
                process = subprocess.Popen([PROGRAM, "solve", PROBLEM[method], "-o", "run", "--quiet", *LONG[method]], cwd=folder)
                time.sleep(moments.uniform(0, length))
                process.kill()
                killed += process.wait() != 0
                if any((folder / "run" / file).exists() for file in ("solution.h5", "solution.h5.previous")):
                    call("resume", "run")
                else:
                    call("solve", PROBLEM[method], "-o", "run", *LONG[method])
                wrong += differences(content(folder / "run"), whole) != []
            print(f"{method}: {number} runs of {length:.2f} s, {killed} killed before their end, {wrong} differ in their final files", flush=True)
            if wrong:
                raise SystemExit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50, sys.argv[2:] or METHODS)
