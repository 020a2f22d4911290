#!/usr/bin/env python3
"""How often the intervals of `chaosgrad stats` contain the truth, over many seeds.

    benchmarks/coverage.py [--program build/release/chaosgrad] [--seeds 200] [--json]

One problem without noise and one with, both with known optima:
  deterministic  x* = exp(a) + a b/2, a and b uniform on [-1, 1]
  noisy          the 0.8-expectile of N(2 + a, exp(b/2)), a uniform on [-1, 1], b normal: x* = 2 + a + e exp(b/2)
Exits with 1 if an interval holds less often than promised (more than three standard errors below).
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

DETERMINISTIC = """
[parameters]
a = { distribution = "uniform", lower = -1, upper = 1 }
b = { distribution = "uniform", lower = -1, upper = 1 }
[variables]
x = {}
[objective]
minimize = "exp(x - exp(a) - a*b/2) - (x - exp(a) - a*b/2) + (x - exp(a) - a*b/2)^2"
[solve]
tolerance = 1e-3
"""
NOISY = """
[parameters]
a = { distribution = "uniform", lower = -1, upper = 1 }
b = { distribution = "normal", mean = 0, sd = 0.5 }
[noise]
v = { distribution = "normal", mean = "2 + a", sd = "exp(b/2)" }
[variables]
x = {}
[objective]
minimize = "if(v < x, 0.2, 0.8) * (v - x)^2"
[solve]
tolerance = 0.03
"""
E = 0.5491558211  # the 0.8-expectile of the standard normal distribution


def deterministic_truth():
    # Var exp(a) = (e² - e⁻²)/4 - sinh(1)²; the product a b/2 has variance 1/36.
    alone, both = (math.e ** 2 - math.e ** -2) / 4 - math.sinh(1) ** 2, 1 / 36
    variance = alone + both
    return {"mean": math.sinh(1), "sd": math.sqrt(variance), "main a": alone / variance, "main b": 0.0,
            "total a": 1.0, "total b": both / variance}


def noisy_truth():
    s2 = 0.25 ** 2  # b/2 has standard deviation 1/4
    spread = E ** 2 * math.exp(s2) * (math.exp(s2) - 1)
    variance = 1 / 3 + spread
    return {"mean": 2 + E * math.exp(s2 / 2), "sd": math.sqrt(variance), "main a": 1 / 3 / variance,
            "main b": spread / variance, "total a": 1 / 3 / variance, "total b": spread / variance}


def intervals(statistics):
    x = statistics["variables"]["x"]
    found = {"mean": x["mean"], "sd": x["sd"]}
    for kind in ("main", "total"):
        for name, estimate in x["sobol"][kind].items():
            found[f"{kind} {name}"] = estimate
    return found


def coverage(program, text, truth, seeds):
    inside, width = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        problem = pathlib.Path(folder) / "problem.toml"
        problem.write_text(text)
        for seed in range(1, seeds + 1):
            subprocess.run([program, "solve", problem, "-o", f"{folder}/run", "--json", "--set", f"solve.seed={seed}"],
                           check=True, capture_output=True)
            done = subprocess.run([program, "stats", f"{folder}/run", "--json"], check=True, capture_output=True)
            for name, estimate in intervals(json.loads(done.stdout)).items():
                inside[name] += abs(estimate["value"] - truth[name]) <= estimate["error"] + 1e-12
                width[name] += estimate["error"] / seeds
    return {name: {"share": inside[name] / seeds, "mean_error_bar": width[name]} for name in truth}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/chaosgrad")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    cases = {"deterministic": (DETERMINISTIC, deterministic_truth()), "noisy": (NOISY, noisy_truth())}
    results = {name: coverage(program, text, truth, arguments.seeds) for name, (text, truth) in cases.items()}
    least = 0.95 - 3 * math.sqrt(0.95 * 0.05 / arguments.seeds)
    if arguments.json:
        print(json.dumps(results, indent=2))
    else:
        for case, found in results.items():
            for name, entry in found.items():
                print(f"{case:<14} {name:<8} {100 * entry['share']:6.1f} %   mean bar {entry['mean_error_bar']:.2g}")
    return 0 if all(entry["share"] >= least for found in results.values() for entry in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
