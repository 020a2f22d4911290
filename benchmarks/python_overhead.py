"""What a Python gradient costs beside itself, for docs/benchmarks.md.

    PYTHONPATH=build/release/python /usr/bin/python3 benchmarks/python_overhead.py

One thread; calls as the solvers make them, on blocks of 128 samples with two parameters and one noise. Overhead: what a
call costs beyond the function itself, which for "nothing" returns an array made beforehand; it has the quantiles of the
noise in it, and the copy of the result. Share: the gradients per second of a numpy gradient in calls from the core, relative to the same
function called from Python on the same blocks of 128 samples. Processor time, the smallest
of several repetitions; OPENBLAS_NUM_THREADS=1 for the matrix products.
"""
import time

import numpy as np

import chaosgrad as cg
from chaosgrad.solving import function_problem

BLOCK = 128


def problem_of(gradient, q, d, r):
    """The problem as the core has it, to be called as solvers call it."""
    laws = {f"t{k}": cg.Uniform(-1, 1) for k in range(d)}
    noise = {f"v{k}": cg.Uniform(-1, 1) for k in range(r)}
    return function_problem(gradient, variables=q, parameters=laws, noise=noise).core()


def best(function, repeats=7):
    return min(function() for _ in range(repeats))


def seconds_from_core(gradient, q, d, r, calls):
    problem = problem_of(gradient, q, d, r)

    def once():
        begin = time.process_time()
        problem.gradient_seconds(calls)
        return time.process_time() - begin
    return best(once) / calls


def seconds_alone(gradient, q, d, r, calls):
    generator = np.random.default_rng(0)
    x, theta, v = (np.asfortranarray(generator.random((BLOCK, k))) for k in (q, d, r))

    def once():
        begin = time.process_time()
        for _ in range(calls):
            gradient(x, theta, v)
        return time.process_time() - begin
    return best(once) / calls


def cubic(x, theta, v):
    return x - np.sin(theta[:, :1]) + 0.1 * x**3 + v[:, :1]


def network(x, theta, v):
    return np.tanh(x @ MATRIX) @ MATRIX.T + np.exp(theta[:, :1]) * x - v[:, :1]


MATRIX = np.random.default_rng(1).normal(size=(20, 20)) / 5


def main():
    print("| gradient | q | numpy alone, µs per call | from the core, µs | overhead, µs | share of numpy alone |")
    print("|---|---|---|---|---|---|")
    for name, gradient, q, calls in [("nothing", None, 2, 20000), ("nothing", None, 20, 20000), ("cubic", cubic, 2, 5000),
                                     ("cubic", cubic, 20, 2000), ("tanh network", network, 20, 1000)]:
        made = np.zeros((BLOCK, q))
        function = gradient or (lambda x, theta, v: made)
        alone, core = seconds_alone(function, q, 2, 1, calls), seconds_from_core(function, q, 2, 1, calls)
        share = "" if gradient is None else f"{100 * alone / core:.0f} %"
        print(f"| {name} | {q} | {1e6 * alone:.2f} | {1e6 * core:.2f} | {1e6 * (core - alone):.2f} | {share} |")


if __name__ == "__main__":
    main()
