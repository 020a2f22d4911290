#!/usr/bin/python3
"""Do two builds of the program give the same bits where x is free? A change that concerns constraints alone must not change them.

Usage: benchmarks/same_bits.py BEFORE AFTER [--gradients 200000] [FILE…]

Solves every example without constraints (a solution without a metric) and fifteen of random_problems.py
with both programs, and compares coefficients and multi-indices bit by bit, and status and gradients. Examples with constraints are left out
and named.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
import random_problems  # noqa: E402


def datasets(path):
    """Coefficients and indices of a store, as bytes; whether it has a lift."""
    found = {}
    with h5py.File(path) as store:
        def visit(name, item):
            if isinstance(item, h5py.Dataset) and ("coefficients" in name or "indices" in name):
                found[name] = np.asarray(item).tobytes()
        store.visititems(visit)
        lifted = "constraints" in store
    return found, lifted


def solve(program, path, gradients, folder):
    done = subprocess.run([program, "solve", str(path), "--json", "--quiet", "-o", str(folder), "--set", "solve.threads=1", "--set",
                           f"solve.max_gradients={gradients}"], capture_output=True, text=True)
    if not (folder / "solution.h5").exists():
        return {"status": done.stderr.strip() or f"exit {done.returncode}"}, {}, False
    found, lifted = datasets(folder / "solution.h5")
    summary = json.loads(done.stdout)
    return {key: summary[key] for key in ("status", "gradient_evaluations", "basis_size")}, found, lifted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--gradients", type=int, default=200_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        files = [pathlib.Path(name) for name in arguments.files]
        if not files:
            files = sorted((ROOT / "examples").glob("*.toml"))
            for number in range(1, 16):
                files.append(folder / f"random-{number}.toml")
                files[-1].write_text(random_problems.problem(number, False)[0])
        same = different = 0
        for path in files:
            before, a, lifted = solve(arguments.before, path, arguments.gradients, folder / f"{path.stem}-before")
            if lifted:
                print(f"{path.stem}: constrained, left out", flush=True)
                continue
            after, b, _ = solve(arguments.after, path, arguments.gradients, folder / f"{path.stem}-after")
            equal = before == after and a == b
            same, different = same + equal, different + (not equal)
            print(f"{path.stem}: {'the same bits' if equal else f'DIFFERENT: {before} {after}'} ({before})", flush=True)
        print(f"{same} the same, {different} different")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
