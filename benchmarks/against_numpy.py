#!/usr/bin/python3
"""Figure 3 of the paper, one run, one thread: chaosgrad against vectorised numpy, both timed here and now.

Usage: benchmarks/against_numpy.py [build folder]   (default build/release)
"""
import os
import pathlib
import subprocess
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np  # noqa: E402  (after the thread counts)

ROOT = pathlib.Path(__file__).resolve().parent.parent
MU, L, M, ITERATIONS = 1.0, 200.0, 250, 600


def optimum(theta):
    s = np.sin(theta)
    return np.abs(0.8 + 0.25 * np.exp(s) - np.cosh(s * s)) * (1 + np.sin(2 * theta))


def basis_direct(theta, m):
    """(m, M): cos and sin of every multiple, by numpy's vectorised functions."""
    n = np.arange(1, m // 2 + 1)[:, None] * theta
    psi = np.empty((m, len(theta)))
    psi[0] = 1
    psi[1::2] = np.sqrt(2) * np.cos(n)[: len(psi[1::2])]
    psi[2::2] = np.sqrt(2) * np.sin(n)[: len(psi[2::2])]
    return psi


def basis_powers(theta, m):
    """The same by powers of exp(i theta): one complex multiplication per pair of functions."""
    z = np.exp(1j * theta)
    w = np.cumprod(np.broadcast_to(z, (m // 2, len(theta))), axis=0) * np.sqrt(2)
    psi = np.empty((m, len(theta)))
    psi[0] = 1
    psi[1::2] = w.real[: len(psi[1::2])]
    psi[2::2] = w.imag[: len(psi[2::2])]
    return psi


def gradient_descent(basis, reference, seed):
    """Returns the coefficients and, as chaosgrad does, a history: level, step, time, gradient norm, both errors."""
    rng = np.random.default_rng(seed)
    u = np.zeros((91, 2))
    norm_squared = (reference**2).sum()
    history, start = [], time.perf_counter()
    for k in range(1, ITERATIONS + 1):
        m = int(0.15 * k) + 1
        theta = rng.uniform(-np.pi, np.pi, M)
        psi = basis(theta, m)
        gradient = psi.T @ u[:m] - optimum(theta)[:, None]
        gradient *= (MU, L)
        q = m if m % 2 else m + 1
        step = 2 * M / ((MU + L) * (M + 2 * q))
        D = psi @ gradient / M
        u[:m] -= step * D
        known = reference[:m]
        error_squared = ((u[:m] - known) ** 2).sum()
        true_error = np.sqrt(error_squared + max(0, norm_squared - (known**2).sum()))
        history.append((k, m, M, step, k * M, time.perf_counter() - start, np.sqrt((D**2).sum()), error_squared, true_error))
    return u, history


def best_of(repeats, call):
    """Processor time, so that a busy machine, which interrupts a long run more often than a short one, does not flatter us."""
    best = np.inf
    for i in range(repeats):
        start = time.process_time()
        call(i)
        best = min(best, time.process_time() - start)
    return best


def compare(build, rounds):
    """How many times longer numpy takes, with either way to its basis."""
    reference = np.random.default_rng(0).standard_normal((91, 2))  # any numbers: only the time counts here
    direct = powers = ours = np.inf
    for _ in range(rounds):  # in turns, so that a busy moment of the machine hits all alike
        direct = min(direct, best_of(1, lambda i: gradient_descent(basis_direct, reference, i)))
        powers = min(powers, best_of(1, lambda i: gradient_descent(basis_powers, reference, i)))
        out = subprocess.run([build / "benchmarks/paper_run", ROOT / "examples/paper.toml", "10"], check=True,
                             capture_output=True, text=True).stdout
        ours = min(ours, float(out.split()[0]))
    print(f"chaosgrad                     {ours * 1e3:8.2f} ms   1.0")
    print(f"numpy, cos and sin            {direct * 1e3:8.2f} ms   {direct / ours:.1f} times longer")
    print(f"numpy, powers of exp(i theta) {powers * 1e3:8.2f} ms   {powers / ours:.1f} times longer")
    return {"cos_and_sin": direct / ours, "powers": powers / ours}


if __name__ == "__main__":
    compare(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release"), 8)
