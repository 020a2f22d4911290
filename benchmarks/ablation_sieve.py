#!/usr/bin/python3
"""What does each rule and constant of the sieve gain? Every one halved, doubled and switched off, on noisy problems with a known optimum.

Usage: benchmarks/ablation_sieve.py [--tolerance 2e-2] [--seeds 3] [--jobs 1] [--only NAME[=VALUE],...] [--files NAME,...] [--numbers N,...] [--output FILE]
                                    [--program build/release/benchmarks/ablation]

The problems: the noisy ones of random_problems.py with the numbers below, and expectile-*.toml and newsvendor.toml of benchmarks/problems.
Prints the table of docs/benchmarks.md, as Markdown. A run is one problem with one seed; it is compared with the same problem and seed under today's values.
  differ      runs that took another number of gradients, or ended elsewhere
  gradients   geometric mean of the ratio of gradients over the runs that converged under both, with its standard error
  converged   runs that did, of all; within: of these, those whose true error is within the tolerance
  estimate/true   10 and 50 % quantiles over the runs that converged
"""
import argparse
import concurrent.futures
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import random_problems  # noqa: E402

ROOT = random_problems.ROOT
NUMBERS = [1, 3, 4, 6, 7, 10, 11, 15, 17, 19, 20, 21, 26, 28, 29, 33, 39, 52]  # one to five parameters, at most 0.1 s each
FILES = ["expectile-0.8-uniform", "expectile-0.8-normal", "expectile-0.9-uniform", "expectile-0.9-normal", "newsvendor"]
OFF = 1e300
# Each constant and the values to try, the last one the rule switched off where it has a switch.
SCAN = {
    "batch_growth": [0.25, 1], "least_batch": [0.125, 0.5, 1], "batch_margin": [1, 1.5], "last_batch": [OFF],
    "restart_signal": [4.5, 18, OFF], "drift_signal": [1.5, 6, OFF], "path_memory": [0.35, 0.9, 0],
    "damping_signal": [4.5, 18, 0], "damping_turn": [0.15, 0.6, OFF], "damping_cut": [0.25, 0.75], "damping_recovery": [1.2, 3],
    "least_damping": [0.025, 0.1], "runaway": [1e4],
    "least_stages": [3, 12, 1], "most_stages": [50],
    "significance": [4, 18, 0], "reach": [1, 3], "most_candidates": [50],
    "basis_share": [0.25, 1, 0], "negligible_basis": [0.05, 0.2, 0], "growth_signal": [1.5, 6, 0], "bulk": [0.7, 1], "most_growth": [0.25, 1],
    "probe_waves": [32, 128, 0], "probe_axis_waves": [8, 32], "probe_highest": [4, 16],
    "first_metrics": [1, 4], "metric_renewal": [2, 8, OFF], "asymmetry_limit": [0.01, 0.1, OFF], "curvature_slack": [0.001, 0.05, OFF],
    "asymmetry_signal": [3, OFF], "false_alarm": [1e-2, 1e-6], "clear_curvature": [2, 8, 0], "metric_again": [2, 16], "curvature_floor": [1, 4, 0],
    "descent_blocks": [2, 16], "descent_steps": [30, 0], "descent_gain": [0.25, 0.9], "descent_noise": [1.5, 6],
    "drift_reach": [1.5, 6, OFF], "overshoot": [4, 64, OFF], "most_returns": [1, 10, 0], "most_halvings": [5],
    "test_share": [0.03, 0.5], "least_test": [512, 4096], "cheap_test": [2048, 32768], "least_test_blocks": [8, 128], "cheap_operations": [0],
    "test_resolution": [0.0625, 0.25, OFF], "coarse_resolution": [0.25, 1, 0], "weakest_test": [5, 20, OFF], "test_noise": [1, 16], "test_functions": [250, 4000, 1],
    "test_degrees": [2, 8], "test_renewal": [1.2, 3], "vain_tests": [2, 8], "same_error": [0.5, 0.95],
    "confidence": [0.5, 0.99],
}


def runs(arguments, files, name=None, value=None):
    """All files with all seeds, seed by seed."""
    change = [] if name is None else ["--set", f"solve.confidence={value}"] if name == "confidence" else ["--tune", f"sieve.{name}={value}"]
    settings = ["method=sieve", f"relative_tolerance={arguments.tolerance}", f"max_gradients={arguments.max_gradients}", "threads=1"]
    lines = []
    for seed in range(1, arguments.seeds + 1):
        given = [word for setting in [*settings, f"seed={seed}"] for word in ("--set", f"solve.{setting}")]
        done = subprocess.run([arguments.program, *files, *given, *change], capture_output=True, text=True, check=True)
        lines += [json.loads(line) for line in done.stdout.splitlines()]
    return lines


def row(name, value, base, changed):
    both = [math.log(b["gradients"] / a["gradients"]) for a, b in zip(base, changed) if a["status"] == b["status"] == "converged"]
    spread = statistics.stdev(both) / math.sqrt(len(both)) if len(both) > 1 else 0
    ratio = math.exp(statistics.mean(both)) if both else math.nan
    good = [r for r in changed if r["status"] == "converged" and r["true_error"] is not None]
    within = sum(r["true_error"] <= r["target"] for r in good)
    quality = sorted(r["estimate"] / r["true_error"] for r in good)
    quantile = lambda p: quality[min(len(quality) - 1, int(p * len(quality)))] if quality else math.nan  # noqa: E731
    differ = sum((a["gradients"], a["status"], a["true_error"]) != (b["gradients"], b["status"], b["true_error"]) for a, b in zip(base, changed))
    shown = "off" if value == OFF else f"{value:g}" if value is not None else "today"
    return f"| {name} | {shown} | {differ} | {ratio:.2f} ± {ratio * spread:.2f} | {len(good)} | {within} | {quantile(0.1):.2f} | {quantile(0.5):.2f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tolerance", type=float, default=2e-2, help="relative")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--max-gradients", type=int, default=2_000_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="NAME or NAME=VALUE, comma separated")
    parser.add_argument("--files", default=",".join(FILES), help="problems of benchmarks/problems")
    parser.add_argument("--numbers", default=",".join(map(str, NUMBERS)), help="random problems")
    parser.add_argument("--output", help="file for the table")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "benchmarks" / "ablation"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        files = [str(ROOT / "benchmarks" / "problems" / f"{name}.toml") for name in filter(None, arguments.files.split(","))]
        for number in map(int, filter(None, arguments.numbers.split(","))):
            files.append(f"{folder}/random-{number}.toml")
            pathlib.Path(files[-1]).write_text(random_problems.problem(number, True)[0])
        base = runs(arguments, files)
        lines = ["| constant | value | differ | gradients | converged | within | estimate/true 10 % | 50 % |", "|---|---|---|---|---|---|---|---|",
                 row("(all)", None, base, base)]
        print("\n".join(lines), flush=True)
        variants = [(name, value) for name in SCAN for value in SCAN[name]]
        if arguments.only:
            pairs = [choice.partition("=") for choice in arguments.only.split(",")]
            variants = [(name, value) for name, equals, given in pairs for value in ([float(given)] if equals else SCAN[name])]
        for (name, value), changed in zip(variants, pool.map(lambda v: runs(arguments, files, *v), variants)):
            lines.append(row(name, value, base, changed))
            print(lines[-1], flush=True)
    if arguments.output:
        pathlib.Path(arguments.output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
