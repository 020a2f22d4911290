#!/usr/bin/python3
"""Everything that is measured as a ratio, in one table: `make bench`, and in two minutes `make bench-quick`.

Usage: benchmarks/bench.py [--quick] [--build build/release] [-o build/bench] [SECTION…]

Sections: kernels (against the limit of the machine, Eigen and OpenBLAS), numpy (the paper's trial), peers (gradients and
seconds of auto against SciPy + least squares and SciPy + sparse chaos of OpenTURNS at equal true error), paper (auto
against UQ-GD, UQ-AGD and UQSA at equal true error), constrained (against a loop of SciPy), scaling (time and memory in
samples, m, q and d), threads (and ranks, where build/mpi/chaosgrad is there). Writes bench.md and bench.json into the
folder -o. Rows with a limit are judged: a ratio beyond it ends the program with exit code 1. The limits are generous,
since machines differ and are busy; they notice what has become several times slower. Times are the least of several runs.
"""
import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np  # noqa: E402  (after the thread counts)
import scipy  # noqa: E402

from bench_sections import ROOT, SECTIONS  # noqa: E402


def machine(build):
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name")), "")
    version = subprocess.run([build / "chaosgrad", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    facts = {"processor": model, "cores": os.cpu_count(), "system": platform.platform(), "program": version, "compiler": compiler,
             "python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__, "load": round(os.getloadavg()[0], 2)}
    try:
        import openturns
        facts["openturns"] = openturns.__version__
    except ImportError:
        pass
    return facts


def markdown(facts, rows):
    lines = ["# Benchmarks of one run", "", *(f"- {key}: {value}" for key, value in facts.items()), "",
             "| section | what | value | limit | |", "|---|---|---|---|---|"]
    for one in rows:
        limit = f"≥ {one['least']:g}" if one["least"] is not None else f"≤ {one['most']:g}" if one["most"] is not None else ""
        lines.append(f"| {one['section']} | {one['what']} | {one['value']:.4g} {one['unit']} | {limit} | {'' if one['kept'] else 'broken'} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", help=", ".join(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="two minutes instead of most of an hour")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "build" / "bench")
    arguments = parser.parse_args()
    for name in arguments.sections:
        if name not in SECTIONS:
            parser.error(f"no section {name!r}: {', '.join(SECTIONS)}")
    build = arguments.build.resolve()
    facts, rows = machine(build), []
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name in arguments.sections or SECTIONS:
        start = time.monotonic()
        rows += SECTIONS[name](build, arguments.quick)
        print(f"== {name}: {time.monotonic() - start:.0f} s", flush=True)
        (arguments.output / "bench.json").write_text(json.dumps({"machine": facts, "rows": rows}, indent=1))
        (arguments.output / "bench.md").write_text(markdown(facts, rows))
    print(markdown(facts, rows))
    broken = [one["what"] for one in rows if not one["kept"]]
    if broken:
        sys.exit("beyond their limits: " + "; ".join(broken))


if __name__ == "__main__":
    main()
