#!/usr/bin/python3
"""Noise with a known law: gradients of `auto`, and is it right?

Usage: benchmarks/noise.py [--program build/release/chaosgrad] [--seeds 20] [--only NAME,...] [--tolerances 1e-2,1e-4] [--method auto] [--rows]

Problems with a known optimum: the expectiles and the newsvendor of benchmarks/problems, and those of benchmarks/noisy, whose optima are computed
by quadrature at 100 fresh theta (truths.py there). For each problem and relative tolerance: how the noise was taken, the median of the
gradients over the seeds (draws of the noise, the pilot among them), of the diagnostic gradients, the share of true errors within 1.1 times the
tolerance, the median of estimate over true error, and for kinked-4 and smooth-8 the median of error^2 N/(m sigma^2), N the gradients: 1 is
what independent samples leave at best. --rows instead solves logistic regressions on 20,000 x 20 made-up rows and prints the seconds.
"""
import argparse
import csv
import io
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks" / "noisy"))
from truths import SMOOTH, TRUTHS  # noqa: E402

KNOWN = ["newsvendor", "expectile-0.8-uniform", "expectile-0.9-uniform", "expectile-0.8-normal", "expectile-0.9-normal"]
FRESH = 100


def solve(arguments, file, folder, settings):
    command = [arguments.program, "solve", str(file), "-o", f"{folder}/run", "--json", "--set", "solve.threads=1", "--set",
               f"solve.method={arguments.method}"]
    for key, value in settings.items():
        command += ["--set", f"solve.{key}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if not done.stdout:
        sys.exit(f"{file}: {done.stderr}")
    return json.loads(done.stdout)


def fresh_parameters(document):
    generator = np.random.default_rng(5)
    columns = []
    for law in document["parameters"].values():
        if law["distribution"] == "uniform":
            columns.append(generator.uniform(law["lower"], law["upper"], FRESH))
        else:
            columns.append(generator.normal(law["mean"], law["sd"], FRESH))
    return np.array(columns).T


def expansion_at(arguments, folder, names, thetas):
    path = pathlib.Path(folder) / "theta.csv"
    np.savetxt(path, thetas, delimiter=",", header=",".join(names), comments="", fmt="%.17g")
    out = subprocess.run([arguments.program, "eval", f"{folder}/run", "--csv", str(path), "--anyway"], capture_output=True, text=True, check=True)
    rows = list(csv.reader(io.StringIO(out.stdout)))[1:]
    return np.array([[float(entry) for entry in row[len(names):]] for row in rows])


def noise_variance(name, thetas, optima):
    """sigma^2 = E |H^-1 grad F|^2 at the optimum, by random draws."""
    generator = np.random.default_rng(6)
    total = 0
    for theta, x in zip(thetas[:20], optima[:20, 0]):
        if name == "kinked-4":
            a, b = theta
            n = 20000
            y = (2 + a + generator.standard_normal(n) + (1 + a / 2) * generator.uniform(-1, 1, n) + generator.exponential(1, n) / 2
                 + np.exp(b / 2) * generator.standard_normal(n))
            weight = np.where(y < x, 0.2, 0.8)
            total += np.mean((2 * weight * (x - y)) ** 2) / np.mean(2 * weight) ** 2
        else:
            a, b = theta
            r, w = SMOOTH[0] + b, SMOOTH[1]
            one, two = 1 / (1 + np.exp(r - x)), 1 / (1 + np.exp(2 * x - r))
            hessian = w @ (one * (1 - one) + 2 * two * (1 - two)) + a / 5
            total += w @ (one - two + a * x / 5) ** 2 / hessian ** 2
    return total / 20


def study(arguments, name, tolerance):
    file = ROOT / "benchmarks" / ("problems" if name in KNOWN else "noisy") / f"{name}.toml"
    document = tomllib.loads(file.read_text())
    names = list(document["parameters"])
    thetas = optima = None
    if name not in KNOWN:
        thetas = fresh_parameters(document)
        optima = np.array([TRUTHS[name](theta) for theta in thetas])
    runs = []
    for seed in range(1, arguments.seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            summary = solve(arguments, file, folder, {"relative_tolerance": tolerance, "seed": seed})
            norm = math.sqrt(sum(m * m + s * s for m, s in zip(summary["mean"], summary["sd"])))
            error = summary["true_error"]
            if optima is not None:
                values = expansion_at(arguments, folder, names, thetas)
                error = math.sqrt(np.mean(np.sum((values - optima) ** 2, axis=1)))
            runs.append((summary, error, norm))
    converged = [run for run in runs if run[0]["status"] == "converged"]
    within = sum(error <= 1.1 * tolerance * norm for summary, error, norm in converged)
    ratios = [summary["error"]["estimate"] / error for summary, error, _ in converged]
    limit = ""
    if name in ("kinked-4", "smooth-8"):
        sigma2 = noise_variance(name, thetas, optima)
        limit = "%.3f" % statistics.median(e * e * s["gradient_evaluations"] / (s["basis_size"] * sigma2) for s, e, _ in runs)
    median = lambda key: statistics.median(run[0][key] for run in runs)
    print(f"| {name} | {tolerance:g} | {runs[0][0]['noise']} | {median('gradient_evaluations'):,.0f} | {median('diagnostic_gradients'):,.0f} | "
          f"{len(converged)} of {len(runs)} | {within} of {len(converged)} | {statistics.median(ratios) if ratios else math.nan:.2f} | {limit} |",
          flush=True)


ROWS = """
[parameters]
penalty = {{ distribution = "loguniform", lower = 0.001, upper = 0.1, basis = "log" }}
{shift}
[noise]
data = "rows.csv"
vectors = {{ a = [{columns}] }}
[variables]
x = {{ size = 20 }}
[objective]
minimize = "softplus(-y*({bias}dot(a, x))) + penalty/2*dot(x, x)"
"""


def rows(arguments):
    generator = np.random.default_rng(1)
    features = generator.standard_normal((20000, 20))
    truth = generator.standard_normal(20) / 2
    labels = np.where(generator.random(20000) < 1 / (1 + np.exp(-features @ truth)), 1, -1)
    columns = [f"a{k}" for k in range(20)]
    print("| parameters | status | gradients | diagnostic | seconds |\n|---|---|---|---|---|")
    for parameters in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            np.savetxt(f"{folder}/rows.csv", np.c_[features, labels], delimiter=",", header=",".join(columns + ["y"]), comments="", fmt="%.6g")
            shift = 'shift = { distribution = "normal", mean = 0, sd = 0.3 }' if parameters == 2 else ""
            file = pathlib.Path(folder) / "own.toml"
            file.write_text(ROWS.format(shift=shift, bias="shift + " if shift else "", columns=", ".join(f'"{c}"' for c in columns)))
            start = time.monotonic()
            summary = solve(arguments, file, folder, {})
            print(f"| {parameters} | {summary['status']} | {summary['gradient_evaluations']:,} | {summary['diagnostic_gradients']:,} | "
                  f"{time.monotonic() - start:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "chaosgrad"))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only")
    parser.add_argument("--tolerances", default="1e-2,1e-4")
    parser.add_argument("--method", default="auto")
    parser.add_argument("--rows", action="store_true")
    arguments = parser.parse_args()
    if arguments.rows:
        rows(arguments)
        return
    print("| problem | relative tolerance | noise | gradients | diagnostic | converged | within | estimate/true | error² N/(m σ²) |\n" + 9 * "|---" + "|")
    for name in arguments.only.split(",") if arguments.only else KNOWN + list(TRUTHS):
        for tolerance in arguments.tolerances.split(","):
            study(arguments, name, float(tolerance))


if __name__ == "__main__":
    main()
