#!/usr/bin/python3
"""Does the solver keep its promise? Problems with a known optimum, solved to a tolerance with many seeds.

Usage: benchmarks/auto.py [NAME …] [--seeds 40] [--jobs 1] [--set KEY=VALUE …] [--program build/release/chaosgrad] [-o auto.json]

For each problem: the share of seeds whose true error is within the tolerance; quartiles of estimate/true error; how often the
bound (where there is one) holds; medians of the gradients (of the method, and of its diagnostics) and of the time. NAME may be
a group (deterministic, noisy, paper) or the beginning of a name. --jobs runs several seeds side by side, one thread each.
"""
import argparse
import collections
import concurrent.futures
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "benchmarks" / "problems"
EXAMPLES = ROOT / "examples"
DISTRIBUTIONS = ["uniform", "normal", "lognormal", "beta", "gamma", "exponential", "triangular", "weibull", "loguniform",
                 "truncated-normal", "discrete", "data", "copula"]

ABSOLUTE = {"solve.method": "auto", "solve.tolerance": 1e-3}
DETERMINISTIC = {"solve.method": "auto", "solve.relative_tolerance": 1e-4}
NOISY = {"solve.method": "auto", "solve.relative_tolerance": 1e-2}

# name: (group, file, settings)
PROBLEMS = {
    "paper": ("paper", EXAMPLES / "paper.toml", ABSOLUTE),
    "paper-noise": ("paper", EXAMPLES / "paper-noise.toml", ABSOLUTE),
    **{f"quadratic-{name}": ("deterministic", HERE / f"quadratic-{name}.toml", DETERMINISTIC) for name in DISTRIBUTIONS},
    "ridge-full": ("deterministic", HERE / "ridge-full.toml", DETERMINISTIC),
    "ridge-full-log": ("deterministic", HERE / "ridge-full-log.toml", DETERMINISTIC),
    "portfolio-full": ("deterministic", HERE / "portfolio-full.toml", DETERMINISTIC),
    "elliptic-8": ("deterministic", EXAMPLES / "elliptic-control.toml", DETERMINISTIC),
    "elliptic-30": ("deterministic", EXAMPLES / "elliptic-control.toml",
                    {**DETERMINISTIC, "objective.options.d": 30, "objective.options.q": 100}),
    "oscillator": ("deterministic", EXAMPLES / "oscillator-control.toml", DETERMINISTIC),
    "active-5-of-50": ("deterministic", EXAMPLES / "active-parameters.toml", DETERMINISTIC),
    "ridge-rows": ("noisy", HERE / "ridge-rows.toml", NOISY),
    "portfolio-rows": ("noisy", EXAMPLES / "portfolio.toml", NOISY),
    **{f"expectile-{case}": ("noisy", HERE / f"expectile-{case}.toml", NOISY)
       for case in ("0.8-uniform", "0.8-normal", "0.9-uniform", "0.9-normal")},
    "newsvendor": ("noisy", HERE / "newsvendor.toml", NOISY),
}


def chosen(names):
    if not names:
        return list(PROBLEMS)
    found = [name for name, (group, _, _) in PROBLEMS.items() if any(group == word or name.startswith(word) for word in names)]
    if not found:
        sys.exit(f"no problem fits {' '.join(names)}; there are: {', '.join(PROBLEMS)}")
    return found


def solve(program, name, seed, settings, threads):
    """The summary of one run; status "failed" with what the program said if there is none."""
    _, path, own = PROBLEMS[name]
    command = [program, "solve", str(path), "--json"]
    for key, value in {**own, **settings, "solve.seed": seed, "solve.threads": threads}.items():
        command += ["--set", f"{key}={value}"]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*command, "-o", folder], capture_output=True, text=True)
    if not done.stdout.strip():
        return {"status": "failed", "message": done.stderr.strip() or f"exit code {done.returncode}"}
    summary = json.loads(done.stdout)
    summary["exit_code"] = done.returncode
    return summary


def goal(summary, settings):
    if "solve.tolerance" in settings:
        return float(settings["solve.tolerance"])
    return float(settings["solve.relative_tolerance"]) * math.hypot(*summary["mean"], *summary["sd"])


def quartiles(values):
    values = [value for value in values if value is not None and math.isfinite(value)]
    if not values:
        return None
    return values * 3 if len(values) == 1 else statistics.quantiles(values, n=4, method="inclusive")


def row_of(name, runs, settings):
    """What the runs of one problem come to."""
    settings = {**PROBLEMS[name][2], **settings}
    solved = [run for run in runs if run.get("true_error") is not None]
    bounded = [run for run in solved if run["error"]["bound"] is not None]
    within = sum(run["true_error"] <= goal(run, settings) for run in solved)
    middle = lambda key: (quartiles([run.get(key) for run in solved]) or [None] * 3)[1]  # noqa: E731
    return {
        "problem": name,
        "seeds": len(runs),
        "within_tolerance": within / len(runs),
        "tolerance": quartiles([goal(run, settings) for run in solved]),
        "true_error": quartiles([run["true_error"] for run in solved]),
        "estimate_over_truth": quartiles([run["error"]["estimate"] / run["true_error"] for run in solved
                                          if run["true_error"] > 0 and run["error"]["estimate"] is not None]),
        "bound_coverage": sum(run["true_error"] <= run["error"]["bound"] for run in bounded) / len(bounded) if bounded else None,
        "bound_over_truth": quartiles([run["error"]["bound"] / run["true_error"] for run in bounded if run["true_error"] > 0]),
        "gradients": middle("gradient_evaluations"),
        "diagnostic_gradients": middle("diagnostic_gradients"),
        "basis_size": middle("basis_size"),
        "seconds": middle("seconds"),
        "statuses": dict(collections.Counter(run["status"] for run in runs)),
        "message": next((run["message"] for run in runs if "message" in run), None),
        "runs": [{"seed": seed, **{key: run.get(key) for key in ("status", "error", "true_error", "gradient_evaluations",
                                                                  "diagnostic_gradients", "basis_size", "samples", "seconds")}}
                 for seed, run in enumerate(runs, 1)],
    }


def show(value, form):
    return "-" if value is None else format(value, form)


HEADER = (f"{'problem':<26} {'within':>7} {'tolerance':>10} {'true error':>10} {'estimate/true: 25% 50% 75%':>27} {'bound holds':>11} "
          f"{'gradients':>10} {'diagnostic':>10} {'m':>5} {'seconds':>8}  statuses")


def print_row(row):
    ratio = " ".join(f"{value:8.3g}" for value in row["estimate_over_truth"] or []) or "-"
    middle = lambda key: row[key][1] if row[key] else None  # noqa: E731
    print(f"{row['problem']:<26} {row['within_tolerance']:>7.0%} {show(middle('tolerance'), '10.3g'):>10} "
          f"{show(middle('true_error'), '10.3g'):>10} {ratio:>27} {show(row['bound_coverage'], '.0%'):>11} "
          f"{show(row['gradients'], '10.0f'):>10} {show(row['diagnostic_gradients'], '10.0f'):>10} {show(row['basis_size'], '.0f'):>5} "
          f"{show(row['seconds'], '.3f'):>8}  {' '.join(f'{k}:{v}' for k, v in row['statuses'].items())}", flush=True)
    if row["message"]:
        print("    " + row["message"].splitlines()[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], help="override for every problem: KEY=VALUE")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "chaosgrad"))
    parser.add_argument("-o", "--output", default="auto.json")
    arguments = parser.parse_args()
    settings = dict(assignment.split("=", 1) for assignment in arguments.set)
    threads = 1 if arguments.jobs > 1 else 0
    rows = []
    print(HEADER)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name in chosen(arguments.names):
            runs = list(pool.map(lambda seed: solve(arguments.program, name, seed, settings, threads),
                                 range(1, arguments.seeds + 1)))
            rows.append(row_of(name, runs, settings))
            print_row(rows[-1])
            pathlib.Path(arguments.output).write_text(json.dumps({"settings": settings, "problems": rows}, indent=1))


if __name__ == "__main__":
    main()
