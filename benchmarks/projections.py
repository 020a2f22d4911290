#!/usr/bin/python3
"""What one projection on the constraints costs, in microseconds of processor time, beside what `projection_work` in
src/solution/statistics/sampler.cpp takes it for: statistics choose their number of samples by that.

Usage: benchmarks/projections.py [--program build/release/chaosgrad] [FILE…]

Each problem (those of benchmarks/bounded and the constrained examples) is solved, and evaluated at 4,096 and at 64 draws of its parameters: the
difference, less that of a problem without constraints, is the price of the projections. The least of three.
"""
import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ["dispatch", "lasso", "long-only", "nonnegative", "predictive-control"]
FEW, MANY = 64, 4096


def spent(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def price(program, file):
    with tempfile.TemporaryDirectory() as folder:
        run = str(pathlib.Path(folder) / "run")
        subprocess.run([program, "solve", file, "-o", run, "--quiet", "--set", "solve.max_seconds=20"], capture_output=True)
        draws = subprocess.run([program, "sample", run, "-n", str(MANY), "--csv"], capture_output=True, text=True).stdout.splitlines()
        if not draws:
            return None
        count = len(tomllib.loads(pathlib.Path(file).read_text())["parameters"])
        times = []
        for number in (FEW, MANY):
            points = pathlib.Path(folder) / f"{number}.csv"
            points.write_text("\n".join(",".join(line.split(",")[:count]) for line in draws[:number + 1]) + "\n")
            times.append(min(spent([program, "eval", run, "--csv", str(points)]) for _ in range(3)))
    return 1e6 * (times[1] - times[0]) / (MANY - FEW)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = sorted(map(str, (ROOT / "benchmarks" / "bounded").glob("*.toml"))) + [str(ROOT / "examples" / f"{name}.toml") for name in EXAMPLES]
    parser.add_argument("files", nargs="*", default=default, metavar="FILE")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "chaosgrad"))
    arguments = parser.parse_args()
    free = price(arguments.program, str(ROOT / "examples" / "elliptic-control.toml"))
    for file in arguments.files:
        found = price(arguments.program, file)
        print(f"{pathlib.Path(file).stem:20}", "no result" if found is None else f"{found - free:8.1f} µs", flush=True)


if __name__ == "__main__":
    sys.exit(main())
