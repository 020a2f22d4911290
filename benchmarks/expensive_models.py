"""What the log of evaluations saves, and what failures of a model do: calls of a model behind a test server
(tests/support/model_server.py) with and without them. Tables for docs/models.md.

    /usr/bin/python3 benchmarks/expensive_models.py [log] [failures] [--seeds N]

Needs build/release/chaosgrad. Minutes on one core.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from support.model_server import Behaviour, Server  # noqa: E402

PROGRAM = os.environ.get("CHAOSGRAD", ROOT / "build/release/chaosgrad")
NAMES = "abcde"


def problem(url, parameters, objective=""):
    names = NAMES[:parameters]
    uniform = "\n".join(f'{name} = {{ distribution = "uniform", lower = 0, upper = 1 }}' for name in names)
    b = f"({'+'.join(names[1:])})/{parameters - 1}"
    return f"""
[parameters]
{uniform}
[variables]
x = {{}}
y = {{}}
[objective]
server = "{url}"
parallel = 8
{objective}
[reference]
x = "exp(a*{b})"
y = "a + exp(a*{b})"
"""


def solve(folder, text, name, *settings):
    (folder / "own.toml").write_text(text)
    arguments = [word for setting in settings for word in ("--set", setting)]
    done = subprocess.run([PROGRAM, "solve", "own.toml", "-o", name, "--json", "--set", "solve.threads=1", *arguments],
                          cwd=folder, capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout else {"status": done.stderr}


def calls(server):
    return sum(server.counts.values())


def log_table(seeds):
    print("| parameters | the run before | the run | calls alone | calls with the log | for the test |\n|---|---|---|---|---|---|")
    rows = [("1e-3, seed 1", ["solve.tolerance=1e-3"], [
                ("the same", ["solve.tolerance=1e-3"]), ("tolerance 1e-4", ["solve.tolerance=1e-4"]),
                ("seed 2, …", ["solve.tolerance=1e-3"])]),
            ("1e-4, seed 1", ["solve.tolerance=1e-4"], [("tolerance 1e-3", ["solve.tolerance=1e-3"]),
                                                        ("seed 2, …; 1e-3", ["solve.tolerance=1e-3"]),
                                                        ("seed 2, …; 1e-4", ["solve.tolerance=1e-4"])])]
    for parameters in (2, 5):
        for before_name, before, runs in rows:
            for name, settings in runs:
                alone, logged, tests = [], [], []
                for seed in range(2, 2 + seeds) if "seed" in name else [1]:
                    with tempfile.TemporaryDirectory() as place, Server(Behaviour(inputs=(2, parameters))) as server:
                        folder, text = pathlib.Path(place), problem(server.url, parameters)
                        own = [*settings, f"solve.seed={seed}"]
                        solve(folder, text, "alone", *own)
                        alone.append(calls(server))
                        solve(folder, text, "log", *before, "solve.seed=1")
                        start = calls(server)
                        summary = solve(folder, text, "log", *own)
                        assert summary["status"] == "converged" and summary["true_error"] < 1e-3, summary
                        logged.append(calls(server) - start)
                        tests.append(summary["diagnostic_gradients"])
                print(f"| {parameters} | {before_name} | {name} | {statistics.mean(alone):.0f} | {statistics.mean(logged):.0f} | "
                      f"{statistics.mean(tests):.0f} |", flush=True)


def failure_table(seeds):
    print("| failing | where | ended | skipped | true error / without failures | true error / estimate |\n|---|---|---|---|---|---|")
    for corner in (False, True):
        for failing in (0.0, 0.02, 0.05, 0.1, 0.2):
            ended, shares, ratios, honest = [], [], [], []
            for seed in range(1, 1 + seeds):
                errors = []
                for share in (0.0, failing):
                    behaviour = Behaviour(failing=share, corner=corner and share > 0, evaluate=False)
                    with tempfile.TemporaryDirectory() as place, Server(behaviour) as server:
                        summary = solve(pathlib.Path(place), problem(server.url, 2, "retries = 0"), "run",
                                        "solve.tolerance=1e-3", f"solve.seed={seed}")
                    errors.append(summary)
                ended.append(errors[1]["status"] == "converged")
                if not ended[-1]:
                    continue
                shares.append(errors[1]["skipped"]["share"])
                ratios.append(errors[1]["true_error"] / errors[0]["true_error"])
                honest.append(errors[1]["true_error"] / errors[1]["error"]["estimate"])
            share = f"{100 * statistics.mean(shares):.1f} %" if shares else ""
            ratio = f"{statistics.median(ratios):.2f}" if ratios else ""
            worst = f"{max(honest):.2f}" if honest else ""
            print(f"| {100 * failing:.0f} % | {'a corner' if corner else 'scattered'} | {sum(ended)} of {seeds} | {share} | "
                  f"{ratio} | {worst} |", flush=True)


if __name__ == "__main__":
    chosen = [word for word in sys.argv[1:] if word in ("log", "failures")] or ["log", "failures"]
    count = int(sys.argv[sys.argv.index("--seeds") + 1]) if "--seeds" in sys.argv else 5
    for table in chosen:
        {"log": log_table, "failures": failure_table}[table](count)
