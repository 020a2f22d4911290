#!/usr/bin/python3
"""The processor time of two builds of the program on examples, side by side: what a change of the compiler's options costs.

Usage: benchmarks/compare_programs.py BEFORE AFTER [--runs 4] [--seconds 300] [EXAMPLE…]

The programs take turns, one thread each; a time is the least of all runs, start-up and files included. A busy machine still makes ten per cent.
"""
import argparse
import pathlib
import resource
import subprocess
import tempfile

EXAMPLES = ["active-parameters", "correlated", "dispatch", "expectile", "lasso", "long-only", "nonnegative", "oscillator-control",
            "predictive-control", "ridge"]
ROOT = pathlib.Path(__file__).resolve().parent.parent


def user_seconds(program, example, limit):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "solve", ROOT / "examples" / f"{example}.toml", "-o", pathlib.Path(folder) / "run", "--set", "solve.threads=1"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=limit, check=False)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("examples", nargs="*", default=EXAMPLES)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=300)
    options = parser.parse_intermixed_args()
    programs = [options.before, options.after]
    totals = [0.0, 0.0]
    print("| example | before | after | ratio |\n|---|---|---|---|")
    for example in options.examples:
        times = [[], []]
        for _ in range(options.runs):
            for own, program in zip(times, programs):
                own.append(user_seconds(program, example, options.seconds))
        least = [min(own) for own in times]
        totals = [total + own for total, own in zip(totals, least)]
        print(f"| {example} | {least[0]:.3f} | {least[1]:.3f} | {least[1] / least[0]:.2f} |", flush=True)
    print(f"| all | {totals[0]:.2f} | {totals[1]:.2f} | {totals[1] / totals[0]:.2f} |")


if __name__ == "__main__":
    main()
