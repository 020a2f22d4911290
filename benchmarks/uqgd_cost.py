#!/usr/bin/python3
"""What the paper's own methods spend on the paper's problem until the true error is 1e-3, beside auto.

Usage: benchmarks/uqgd_cost.py [--program build/release/chaosgrad] [--error 1e-3]

For gd and agd with the schedule of examples/paper.toml, and with schedules that suit them better (a basis of 200 functions, which is
enough for this error, from the start; few samples), the gradients at the first iteration whose error is below. The error is known
here (the optimum is); a user of these methods would have to guess when to stop.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAPER = ROOT / "examples" / "paper.toml"
SCHEDULES = {
    "the paper's schedule": {"basis_size": '"sqrt(k + 10) + 2"', "samples": 500, "iterations": 60000},
    "200 functions, M = 500": {"basis_size": 200, "samples": 500, "iterations": 3000},
    "200 functions, M = 250": {"basis_size": 200, "samples": 250, "iterations": 6000},
    "growing by 1 in 4, M = 250": {"basis_size": '"min(200, 5 + k/4)"', "samples": 250, "iterations": 6000},
}


def solve(program, settings, folder):
    command = [program, "solve", str(PAPER), "-o", folder, "--json", "--progress", "none"]
    for key, value in settings.items():
        command += ["--set", f"solve.{key}={value}"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)


def first_below(folder, error):
    """(iteration, gradients) of the first row of the history with this error, or None."""
    with open(pathlib.Path(folder) / "history.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if float(row["true_error"]) <= error:
                return int(row["k"]), int(float(row["gradients"]))
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "chaosgrad"))
    parser.add_argument("--error", type=float, default=1e-3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        own = solve(arguments.program, {"method": '"auto"', "tolerance": arguments.error}, folder)
        print(f"{'auto':<6} {'tolerance ' + format(arguments.error, 'g'):<28} {own['gradient_evaluations']:>12,} gradients, true error "
              f"{own['true_error']:.2g}")
        for method in ("gd", "agd"):
            for name, schedule in SCHEDULES.items():
                run = solve(arguments.program, {"method": f'"{method}"', "max_gradients": 10 ** 9, **schedule}, folder)
                found = first_below(folder, arguments.error)
                spent = f"{found[1]:>12,} gradients, iteration {found[0]}" if found else \
                    f"{'> ' + format(run['gradient_evaluations'], ','):>12} gradients: not reached ({run['true_error']:.2g})"
                print(f"{method:<6} {name:<28} {spent}", flush=True)


if __name__ == "__main__":
    main()
