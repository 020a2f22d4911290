"""What the log of evaluations saves, and what failures of a model do: calls of a model behind a test server
(tests/support/model_server.py) with and without them. Tables for docs/models.md.

    /usr/bin/python3 benchmarks/expensive_models.py [log] [basis] [failures] [extrapolation] [together] [--seeds N]

log: another tolerance, another seed. basis: another basis. failures: scattered, and in a corner. extrapolation: what x does
where nothing was seen, for seven functions and three regions. together: how often failures of either kind are seen to lie
together, by the level of significance. Needs build/release/chaosgrad, the last two PYTHONPATH=build/release/python. Minutes
on one core.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np
from scipy import stats

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from support.model_server import Behaviour, Server  # noqa: E402

PROGRAM = os.environ.get("CHAOSGRAD", ROOT / "build/release/chaosgrad")
NAMES = "abcde"


def problem(url, parameters, objective="", law='distribution = "uniform", lower = 0, upper = 1'):
    names = NAMES[:parameters]
    laws = "\n".join(f"{name} = {{ {law} }}" for name in names)
    b = f"({'+'.join(names[1:])})/{parameters - 1}" if parameters > 1 else "a"
    return f"""
[parameters]
{laws}
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


def basis_table(_):
    """theta loguniform, expanded in theta and in log theta: one after the other in the same folder, and alone."""
    print("| parameters | the run before | the run | calls alone | calls with the log | for the test |\n|---|---|---|---|---|---|")
    law = 'distribution = "loguniform", lower = 0.5, upper = 1.5, basis = "{}"'
    for parameters in (1, 2, 5):
        for before, after in (("polynomial", "log"), ("log", "polynomial")):
            for first in ("1e-3", "1e-4"):
                with tempfile.TemporaryDirectory() as place, Server(Behaviour(inputs=(2, parameters))) as server:
                    folder = pathlib.Path(place)
                    texts = {name: problem(server.url, parameters, law=law.format(name)) for name in (before, after)}
                    solve(folder, texts[after], "alone", "solve.tolerance=1e-3")
                    alone = calls(server)
                    solve(folder, texts[before], "log", f"solve.tolerance={first}")
                    start = calls(server)
                    summary = solve(folder, texts[after], "log", "solve.tolerance=1e-3")
                    assert summary["status"] == "converged" and summary["true_error"] < 1e-3, summary
                print(f"| {parameters} | {before}, {first} | {after}, 1e-3 | {alone} | {calls(server) - start} | "
                      f"{summary['diagnostic_gradients']} |", flush=True)


FUNCTIONS = {
    "exp(ab)": lambda t: np.exp(t[:, 0] * t[:, 1]),
    "1/(1.3 − ab)": lambda t: 1 / (1.3 - t[:, 0] * t[:, 1]),
    "√(1.05 − ab)": lambda t: np.sqrt(1.05 - t[:, 0] * t[:, 1]),
    "tanh 3(a + b − 1)": lambda t: np.tanh(3 * (t[:, 0] + t[:, 1] - 1)),
    "b sin 4a": lambda t: np.sin(4 * t[:, 0]) * t[:, 1],
    "e^2a + b²": lambda t: np.exp(2 * t[:, 0]) + t[:, 1]**2,
    "a^1.5 b": lambda t: t[:, 0]**1.5 * t[:, 1],
}
REGIONS = {
    "corner": lambda t, share: t[:, :2].min(axis=1) > 1 - share**0.5,
    "side": lambda t, share: t[:, 0] > 1 - share,
    "inside": lambda t, share: np.abs(t[:, :2] - 0.5).max(axis=1) < share**0.5 / 2,
    "scattered": lambda t, share: np.modf(np.abs(np.sin(12.9898 * t[:, 0] + 78.233 * t[:, 1]) * 43758.5453))[0] < share,
}


def solve_failing(function, fails, d, seed, tolerance):
    """½(x − f(θ))² with θ uniform on the cube, and NaN where it fails."""
    import chaosgrad as cg
    return cg.solve(lambda x, t: np.where(fails(t)[:, None], np.nan, x - function(t)[:, None]), variables=["x"],
                    parameters={f"t{k}": cg.Uniform(0, 1) for k in range(d)}, tolerance=tolerance, seed=seed, threads=1,
                    may_fail=True, reference=lambda t: function(t)[:, None])


def extrapolation_table(seeds):
    print("| x* | region | failing | stalled, converged, else | true error / estimate, median and largest |\n|---|---|---|---|---|")
    for name, function in FUNCTIONS.items():
        for region in ("corner", "side", "inside"):
            for share in (0.02, 0.05, 0.1):
                ended, ratios = [], []
                for seed in range(1, 1 + seeds):
                    sol = solve_failing(function, lambda t: REGIONS[region](t, share), 2, seed, 1e-3)
                    ended.append(sol.status)
                    if sol.ok:
                        ratios.append(sol.true_error / sol.error)
                counts = ended.count("stalled"), ended.count("converged")
                shown = f"{statistics.median(ratios):.2f}, {max(ratios):.2f}" if ratios else ""
                print(f"| {name} | {region} | {100 * share:.0f} % | {counts[0]}, {counts[1]}, {seeds - sum(counts)} | {shown} |", flush=True)


def together_table(seeds):
    """Runs in which failures are said to lie together, by the level; the skipped θ are those that the gradient saw."""
    print("| failing | where | parameters | runs | skipped | lie together at 0.001 | 0.01 | 0.05 |\n|---|---|---|---|---|---|---|---|")
    function = FUNCTIONS["exp(ab)"]
    for region in ("scattered", "corner", "side"):
        for d in (2, 5):
            for share in (0.01, 0.02, 0.05):
                chances, counts = [], []
                for seed in range(1, 1 + seeds):
                    seen = []

                    def fails(t):
                        failed = REGIONS[region](t, share)
                        seen.append(np.column_stack([t, failed]))
                        return failed
                    solve_failing(function, fails, d, seed, 1e-3)
                    rows = np.unique(np.concatenate(seen), axis=0)
                    failed, others = rows[rows[:, -1] == 1, :-1], rows[rows[:, -1] == 0, :-1]
                    counts.append(len(failed))
                    if len(failed):
                        distance = max(stats.ks_2samp(failed[:, k], others[:, k]).statistic for k in range(d))
                        n = len(failed) * len(others) / (len(failed) + len(others))
                        chances.append(2 * d * np.exp(-2 * distance**2 * n))
                cells = " | ".join(str(sum(chance < level for chance in chances)) for level in (0.001, 0.01, 0.05))
                print(f"| {100 * share:.0f} % | {region} | {d} | {seeds} | {min(counts)} to {max(counts)} | {cells} |", flush=True)


def failure_table(seeds):
    print("| failing | where | converged | not: lie together | skipped | true error / without failures | true error / estimate |\n"
          "|---|---|---|---|---|---|---|")
    for corner in (False, True):
        for failing in (0.0, 0.02, 0.05, 0.1, 0.2):
            ended, shares, ratios, honest = [], [], [], []
            for seed in range(1, 1 + seeds):
                runs = []
                for share in (0.0, failing):
                    behaviour = Behaviour(failing=share, corner=corner and share > 0, evaluate=False)
                    with tempfile.TemporaryDirectory() as place, Server(behaviour) as server:
                        runs.append(solve(pathlib.Path(place), problem(server.url, 2, "retries = 0"), "run",
                                          "solve.tolerance=1e-3", f"solve.seed={seed}"))
                without, run = runs
                ended.append(run["status"])
                if run["status"] not in ("converged", "stalled"):
                    continue
                shares.append(run["skipped"]["share"])
                ratios.append(run["true_error"] / without["true_error"])
                honest.append(run["true_error"] / run["error"]["estimate"])
            share = f"{100 * statistics.mean(shares):.1f} %" if shares else ""
            ratio = f"{statistics.median(ratios):.2f}" if ratios else ""
            worst = f"{max(honest):.2f}" if honest else ""
            print(f"| {100 * failing:.0f} % | {'a corner' if corner else 'scattered'} | {ended.count('converged')} of {seeds} | "
                  f"{ended.count('stalled')} of {seeds} | {share} | {ratio} | {worst} |", flush=True)


if __name__ == "__main__":
    tables = {"log": log_table, "basis": basis_table, "failures": failure_table, "extrapolation": extrapolation_table,
              "together": together_table}
    chosen = [word for word in sys.argv[1:] if word in tables] or list(tables)
    count = int(sys.argv[sys.argv.index("--seeds") + 1]) if "--seeds" in sys.argv else 5
    for table in chosen:
        tables[table](count)
