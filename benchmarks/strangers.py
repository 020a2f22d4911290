#!/usr/bin/python3
"""Problems as strangers would write them, from textbooks of some twenty fields: does `auto` solve them from any sane start, and is it right?

Usage: benchmarks/strangers.py [--program build/release/chaosgrad] [--jobs 2] [--only NAME,...] [--aside | --all] [--seconds 60] [--markdown FILE]

benchmarks/strangers/ has the files; truths.py there has three starts of each and its optimum, coded apart from the files; check.py there compares
the two without chaosgrad. A dozen problems are kept aside and run with --aside or --all only.

Each problem is solved from each start with the options of its file (and one thread). The expansion is evaluated at 200 fresh draws of the
parameters, the same for every start, and compared with the truth: true = sqrt(mean |x_u - x*|^2)/sqrt(mean |x*|^2), with a standard error
by bootstrap. Verdicts:
  right            converged, and the true error less two standard errors is at most 1.1 times the tolerance
  certified wrong  converged, and it is more
  refused          all else; the message says why
"""
import argparse
import concurrent.futures
import csv
import hashlib
import io
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import warnings

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "benchmarks" / "strangers"
sys.path.insert(0, str(FOLDER))

from sampling import parameters  # noqa: E402
from truths import PROBLEMS  # noqa: E402

DRAWS = 200
SEED = 42       # of the draws


def truths(name, document):
    """Draws of the parameters and the optima there, kept in a temporary file until a file of the problem changes."""
    thetas = parameters(document, FOLDER, DRAWS, SEED)
    sources = [FOLDER / f"{name}.toml", *sorted(FOLDER.glob("*.py")), *sorted((FOLDER / "data").glob("*.csv"))]
    key = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    kept = pathlib.Path(tempfile.gettempdir()) / "chaosgrad-strangers" / f"{name}-{key}.npy"
    if kept.exists():
        return thetas, np.load(kept)
    optima = np.array([PROBLEMS[name].truth(theta) for theta in thetas])
    kept.parent.mkdir(exist_ok=True)
    np.save(kept, optima)
    return thetas, optima


def run(command, seconds):
    """Exit code (None: too slow), standard output, last line of the errors."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, "", f"still running after {seconds:.0f} s"
    errors = [line for line in done.stderr.splitlines() if line.strip()]
    message = next((line for line in errors if line.startswith("error")), errors[-1] if errors else "")
    return done.returncode, done.stdout, message


def solve(name, start, folder, arguments):
    """The summary of a run, or what the program said instead."""
    command = [arguments.program, "solve", str(FOLDER / f"{name}.toml"), "--json", "--quiet", "-o", str(folder),
               "--set", f"solve.max_seconds={arguments.seconds}", "--set", "solve.threads=1"]
    for variable, value in start.items():
        command += ["--set", f"variables.{variable}.start={json.dumps(value)}"]
    code, text, message = run(command, 3 * arguments.seconds + 60)
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return {"status": "no answer" if code is None else f"exit {code}", "stop_reason": message}


def evaluate(folder, names, thetas, count, arguments):
    """x_u at the draws, or None. A failed run and draws at the edge of the support are evaluated where the program has options for it."""
    points = folder / "draws.csv"
    points.write_text(",".join(names) + "\n" + "".join(",".join(f"{value:.17g}" for value in theta) + "\n" for theta in thetas))
    command = [arguments.program, "eval", str(folder), "--csv", str(points)]
    for extra in ([], ["--anyway"], ["--extrapolate"], ["--anyway", "--extrapolate"]):
        code, text, _ = run(command + extra, 300)
        if code == 0:
            rows = list(csv.reader(io.StringIO(text)))[1:]
            return np.array([[float(cell) for cell in row[-count:]] for row in rows])
    return None


def true_error(found, optima):
    """Relative error over the draws, and its standard error by bootstrap."""
    if found is None or not np.isfinite(found).all():
        return math.inf, 0.0
    squares, sizes = ((found - optima) ** 2).sum(1), (optima**2).sum(1)
    rows = np.random.default_rng(1).integers(len(squares), size=(1000, len(squares)))
    again = np.sqrt(squares[rows].mean(1) / sizes[rows].mean(1))
    return math.sqrt(squares.mean() / sizes.mean()), again.std()


def verdict(result, tolerance):
    if result["status"] != "converged":
        return "refused"
    return "right" if result["true"] - 2 * result["bar"] <= 1.1 * tolerance else "certified wrong"


def attempt(name, number, document, thetas, optima, arguments):
    """One problem from one start."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "run"
        summary = solve(name, PROBLEMS[name].starts[number], folder, arguments)
        names = list(document["parameters"])
        found = evaluate(folder, names, thetas, optima.shape[1], arguments) if folder.exists() else None
    error, bar = true_error(found, optima)
    estimate = (summary.get("error") or {}).get("estimate")
    size = math.hypot(*[x or 0 for x in summary.get("mean", [])], *[x or 0 for x in summary.get("sd", [])])
    result = {"name": name, "start": number + 1, "status": summary["status"], "reason": summary["stop_reason"],
              "estimate": math.nan if estimate is None or not size else estimate / size, "true": error, "bar": bar,
              "gradients": summary.get("gradient_evaluations") or 0, "seconds": summary.get("seconds") or 0}
    result["verdict"] = verdict(result, document["solve"]["relative_tolerance"])
    return result


def work(name, arguments):
    warnings.simplefilter("ignore")
    document = tomllib.loads((FOLDER / f"{name}.toml").read_text())
    thetas, optima = truths(name, document)
    return [attempt(name, number, document, thetas, optima, arguments) for number in range(3)]


def line(result):
    return (f"{result['name']:<22} {result['start']:>5}  {result['verdict']:<15} {result['status']:<20} {result['estimate']:>8.1e} "
            f"{result['true']:>8.1e} {result['bar']:>8.1e} {result['gradients']:>10} {result['seconds']:>7.2f}  {result['reason']}")


def closing(results):
    """Which problems are right from all starts, which runs are wrong or refused."""
    names = list(dict.fromkeys(result["name"] for result in results))
    whole = [name for name in names if all(result["verdict"] == "right" for result in results if result["name"] == name)]
    lines = [f"right from all three starts: {len(whole)} of {len(names)} problems"]
    for kind in ("right", "certified wrong", "refused"):
        chosen = [f"{result['name']} ({result['start']})" for result in results if result["verdict"] == kind]
        lines.append(f"{kind}: {len(chosen)} of {len(results)} runs" + (": " + ", ".join(chosen) if chosen and kind != "right" else ""))
    return lines


def markdown(results):
    rows = ["| problem | field | start | verdict | status | estimate | true error | ± | gradients | seconds | reason |",
            "|---|---|---|---|---|---|---|---|---|---|---|"]
    for result in results:
        reason = result["reason"].replace("|", "\\|").replace("\n", " ")
        rows.append(f"| {result['name']} | {PROBLEMS[result['name']].field} | {result['start']} | {result['verdict']} | {result['status']} "
                    f"| {result['estimate']:.1e} | {result['true']:.1e} | {result['bar']:.1e} | {result['gradients']} "
                    f"| {result['seconds']:.2f} | {reason} |")
    return "\n".join(rows + ["", *(f"- {text}" for text in closing(results))]) + "\n"


def chosen_names(arguments):
    names = [name for name, problem in PROBLEMS.items() if arguments.all or problem.aside == arguments.aside]
    if not arguments.only:
        return names
    asked = arguments.only.split(",")
    for name in asked:
        if name not in PROBLEMS:
            sys.exit(f"no problem is called {name}; there are: {', '.join(PROBLEMS)}")
        if name not in names:
            sys.exit(f"{name} is {'' if PROBLEMS[name].aside else 'not '}kept aside; --all runs both")
    return asked


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "chaosgrad"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", help="names of problems, separated by commas")
    parser.add_argument("--aside", action="store_true", help="those kept aside")
    parser.add_argument("--all", action="store_true", help="those kept aside and the others")
    parser.add_argument("--seconds", type=float, default=60, help="solve.max_seconds of each solve")
    parser.add_argument("--markdown", help="file for a table of the results")
    arguments = parser.parse_args()
    names = chosen_names(arguments)
    print(f"{'problem':<22} start  {'verdict':<15} {'status':<20} {'estimate':>8} {'true':>8} {'bar':>8} {'gradients':>10} seconds  reason")
    results = []
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        tasks = [pool.submit(work, name, arguments) for name in names]
        for task in tasks:
            results += task.result()
            print("\n".join(line(result) for result in results[-3:]), flush=True)
    print("\n".join(closing(results)))
    if arguments.markdown:
        pathlib.Path(arguments.markdown).write_text(markdown(results))


if __name__ == "__main__":
    main()
