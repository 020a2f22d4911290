#!/usr/bin/python3
"""Large problems: memory, time and error as q, m q and the number of samples grow.

Usage: benchmarks/large.py [formula] [ridge] [functions] [samples] [--most Q] [--program PATH]
Without names: all parts. Every run is a process of its own; times are processor time, memory is its peak.
- formula: a separable objective of q variables in a problem file, by `auto`
- ridge: ridge regression with a sparse design, n = q/2 rows of 5 entries, gradient in Python by scipy.sparse;
  the error is that against scipy's conjugate gradients at fresh theta
- functions: gd with m functions of 4 parameters and q variables; memory over that of m q numbers
- samples: gd with more and more samples
"""
import json
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "release" / "chaosgrad"


def measured(command, folder, seconds=900):
    """What the command prints as JSON, its processor time and its peak of memory in MB."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(write, 1)
        os.chdir(folder)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        os.execvp(str(command[0]), [str(part) for part in command])
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    _, _, usage = os.wait4(child, 0)
    try:
        found = json.loads(text)
    except ValueError:
        found = {"status": "failed"}
    return found, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def exponent(sizes, values):
    """Of values ~ size^p, from the last step."""
    return math.log(values[-1] / values[-2]) / math.log(sizes[-1] / sizes[-2]) if len(sizes) > 1 else math.nan


def separable(q, folder):
    (folder / "c.csv").write_text("".join(f"{1 + 0.1 * (i % 7)}\n" for i in range(q)))
    (folder / "own.toml").write_text(f"""
[parameters]
t = {{ distribution = "uniform", lower = -1, upper = 1 }}
s = {{ distribution = "normal", mean = 0, sd = 1 }}
[constants]
c = {{ file = "c.csv" }}
[variables]
x = {{ size = {q} }}
[objective]
minimize = "dot(x - exp(t)*c, x - exp(t)*c)/2 + 0.5*dot(c, x^2) + 0.1*s*sum(x)"
""")


def formula_part(most):
    print("| q | status | gradients | processor s | peak MB | exponent | files MB |\n|---|---|---|---|---|---|---|")
    sizes, times = [], []
    for q in [n for n in (1_000, 10_000, 100_000) if n <= most]:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            separable(q, folder)
            found, seconds, memory = measured([PROGRAM, "solve", "own.toml", "--json", "--quiet"], folder)
            shown = sum((folder / "runs" / "own" / f).stat().st_size for f in ("summary.json", "report.html")) / 1e6
        sizes.append(q)
        times.append(seconds)
        gradients = found.get("gradient_evaluations", 0) + found.get("diagnostic_gradients", 0)
        print(f"| {q:,} | {found['status']} | {gradients:,} | {seconds:.1f} | {memory:.0f} "
              f"| {exponent(sizes, times):.2f} | {shown:.1f} |", flush=True)


RIDGE = r'''
import json, sys
import numpy as np, scipy.sparse as sp, scipy.sparse.linalg as sl
import chaosgrad as cg
q = int(sys.argv[1]); n = q // 2
rng = np.random.default_rng(1)
A = sp.csr_matrix((rng.standard_normal(5 * n), (np.repeat(np.arange(n), 5), rng.integers(0, q, 5 * n))), (n, q))
At = A.T.tocsr()
b0, b1 = rng.standard_normal(n), rng.standard_normal(n)

def gradient(x, theta):
    """f = |A x - b(t)|^2/2 + w(s) |x|^2/2, with b = b0 + sin(t) b1 and w = exp(s/4)."""
    right = b0[:, None] + np.sin(theta[:, 0]) * b1[:, None]
    return (At @ (A @ x.T - right)).T + np.exp(theta[:, 1:] / 4) * x

sol = cg.solve(gradient, variables={"x": q},
               parameters={"t": cg.Uniform(-1, 1), "s": cg.Uniform(-1, 1)}, relative_tolerance=1e-3)
errors, sizes = [], []
for t, s in rng.uniform(-1, 1, (8, 2)):
    operator = sl.LinearOperator((q, q), lambda v: At @ (A @ v) + np.exp(s / 4) * v)
    exact, _ = sl.cg(operator, At @ (b0 + np.sin(t) * b1), tol=1e-10)
    errors.append(np.sum((sol([t, s]) - exact)**2)); sizes.append(np.sum(exact**2))
print(json.dumps({"status": str(sol.status), "gradients": int(sol.gradients), "estimate": float(sol.error),
                  "norm": float(np.sqrt(np.mean(sizes))), "true": float(np.sqrt(np.mean(errors)))}))
'''


def ridge_part(most):
    print("| q | status | gradients | processor s | peak MB | exponent | true error/norm |\n|---|---|---|---|---|---|---|")
    os.environ["PYTHONPATH"] = str(ROOT / "build" / "release" / "python")
    sizes, times = [], []
    for q in [n for n in (1_000, 10_000, 100_000) if n <= most]:
        found, seconds, memory = measured(["/usr/bin/python3", "-c", RIDGE, q], ".")
        sizes.append(q)
        times.append(seconds)
        error = found.get("true", math.nan) / found.get("norm", 1)
        print(f"| {q:,} | {found['status']} | {found.get('gradients', 0):,} | {seconds:.1f} | {memory:.0f} "
              f"| {exponent(sizes, times):.2f} | {error:.1e} |", flush=True)


def descent_file(q, m, iterations, samples, folder):
    laws = "\n".join(f'{k} = {{ distribution = "uniform", lower = -1, upper = 1 }}' for k in "abce")
    (folder / "own.toml").write_text(f"""
[parameters]
{laws}
[variables]
x = {{ size = {q} }}
[objective]
minimize = "0.5*dot(x, x) - (sin(a) + b*c + 0.3*exp(e))*sum(x)"
strong_convexity = 1
smoothness = 1
[solve]
method = "gd"
iterations = {iterations}
basis_size = "{m}"
samples = "{samples}"
checkpoint_seconds = 3600
""")


def descent(q, m, iterations, samples):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        descent_file(q, m, iterations, samples, folder)
        return measured([PROGRAM, "solve", "own.toml", "--json", "--quiet"], folder)


def functions_part(most):
    print("| q | m | m q | status | processor s | peak MB | over 64 MB, in m q doubles |\n|---|---|---|---|---|---|---|")
    shapes = [(1_000, 100), (1_000, 1_000), (1_000, 10_000), (10, 100_000), (100_000, 100), (10, 1_000_000),
              (10_000, 10_000)]
    for q, m in [shape for shape in shapes if shape[0] * shape[1] <= most * 1000]:
        found, seconds, memory = descent(q, m, 2, 128)
        copies = (memory - 64) * 2**20 / (8 * q * m)
        print(f"| {q:,} | {m:,} | {q * m:.0e} | {found['status']} | {seconds:.1f} | {memory:.0f} | {copies:.1f} |",
              flush=True)


def samples_part(_):
    print("| samples | processor s of the solve | exponent |\n|---|---|---|")
    sizes, times = [], []
    for samples in (100_000, 400_000, 1_600_000):
        found, _, _ = descent(10, 100, 5, samples)
        sizes.append(samples)
        times.append(found["seconds"])
        print(f"| {5 * samples:,} | {times[-1]:.2f} | {exponent(sizes, times):.2f} |", flush=True)


def main():
    parts = {"formula": formula_part, "ridge": ridge_part, "functions": functions_part, "samples": samples_part}
    arguments = sys.argv[1:]
    most = 100_000
    if "--most" in arguments:
        at = arguments.index("--most")
        most = int(arguments[at + 1])
        del arguments[at:at + 2]
    if "--program" in arguments:
        global PROGRAM
        at = arguments.index("--program")
        PROGRAM = pathlib.Path(arguments[at + 1]).resolve()
        del arguments[at:at + 2]
    for name in arguments or parts:
        print(f"\n{name}\n")
        parts[name](most)


if __name__ == "__main__":
    main()
