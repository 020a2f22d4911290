#!/usr/bin/python3
"""What a run costs as a formula, fitted to runs on this machine, and what it says about machines that are not here.

    /usr/bin/python3 benchmarks/cost_model.py [--build build/release] [-o build/bench] [--quick]

Two formulas, with one thread and cheap gradients (what the gradient itself costs is added by the user):
  sums over samples (gd, agd, the sieve):  seconds = N (a + b m + c m q + e q)      for N samples of θ in all iterations
  fits of collocation, one stage:          seconds = α n m² + β n m (1 + q)         for n points and m functions
Coefficients by non-negative least squares of relative errors. Written: coefficients, the largest and the root mean square
of the relative errors of the formula on runs that it was not fitted to, and predictions. Where build/mpi/chaosgrad is
there, the first formula is also compared with 1 to 4 ranks. docs/scaling.md has the text.
"""
import argparse
import json
import math
import os
import pathlib
import tempfile

import numpy as np
from scipy import optimize

import bench_sections as bench

# A cluster as they are today, for predictions: seconds of a message, bytes per second between two ranks, multiply-adds per
# second of a rank in dense linear algebra, memory of a rank.
CLUSTER = {"latency": 3e-6, "bandwidth": 5e9, "fused": 2e10, "memory": 4e9}


def fit(features, seconds):
    """Non-negative coefficients with the least squared relative errors."""
    return optimize.nnls(features / seconds[:, None], np.ones(len(seconds)))[0]


def errors(features, seconds, coefficients):
    ratio = features @ coefficients / seconds
    return {"largest": float(np.abs(ratio - 1).max()), "root_mean_square": float(np.sqrt(np.mean((ratio - 1)**2)))}


def sum_features(n, m, q):
    return np.array([n, n * m, n * m * q, n * q], dtype=float)


def measure_sums(build, quick):
    """Runs of gd for the first formula: every second one is kept aside."""
    rows = []
    for m, q, d in [(50, 2, 1), (200, 2, 1), (1000, 2, 3), (100, 10, 3), (400, 10, 3), (50, 50, 1), (200, 50, 3), (800, 20, 5), (30, 200, 2),
                    (2000, 1, 5), (100, 1, 2), (500, 100, 3)]:
        samples = max(1000, int((1e8 if quick else 1e9) / (20 * m * (q + 2))))
        seconds, memory = bench.vector_run(build, m=m, q=q, d=d, samples=samples, iterations=20, repeats=2)
        rows.append({"m": m, "q": q, "d": d, "samples": 20 * samples, "seconds": seconds, "memory": memory})
    return rows


def measure_fits(build, quick):
    """Stages of collocation with cheap gradients: differences of the history."""
    rows = []
    for q, d, tolerance in [(1, 4, 1e-7), (20, 4, 1e-6), (5, 8, 1e-4), (50, 3, 1e-8)][:2 if quick else None]:
        parameters = "\n".join(f't{k} = {{ distribution = "uniform", lower = -1, upper = 1 }}' for k in range(d))
        target = "1/(" + str(d + 1) + " + " + " + ".join(f"t{k}" for k in range(d)) + ")"
        text = (f"[parameters]\n{parameters}\n[variables]\nx = {{ size = {q} }}\n[objective]\n"
                f'minimize = "dot(x, x)/2 - {target}*sum(x)"\n')
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "fit.toml"
            path.write_text(text)
            run = bench.Run(build / "chaosgrad", path, {"solve.threads": 1, "solve.tolerance": tolerance, "solve.max_seconds": 15 if quick else 120})
        before, share = 0.0, min(1.0, run.processor / run.wall)  # of the wall that was ours: a busy machine is not what is meant
        for stage in run.history:
            now = float(stage["seconds"]) * share
            rows.append({"m": int(stage["basis_size"]), "n": int(float(stage["samples"])), "q": q, "seconds": now - before})
            before = now
    return [one for one in rows if one["seconds"] > 5e-3 and one["m"] > 20]


def predictions(sums, fits):
    """Seconds of the parts of three runs on P ranks."""
    found = []
    for ranks in (100, 1000, 10000):
        depth = math.ceil(math.log2(ranks))
        for name, n, m, q, iterations in (("sum over 1e12 samples", 1e12, 10_000, 10, 300), ("sum over 1e12 samples", 1e12, 100_000, 1000, 300)):
            work = float(sum_features(n, m, q) @ sums) / ranks
            each = depth * (CLUSTER["latency"] + 8 * m * q / CLUSTER["bandwidth"])
            pipelined = depth * CLUSTER["latency"] + 2 * 8 * m * q / CLUSTER["bandwidth"]
            found.append({"run": name, "ranks": ranks, "m": m, "q": q, "seconds": work, "communication": 2 * iterations * each,
                          "pipelined": 2 * iterations * pipelined, "bytes": 3 * 8 * m * q})
        for points in (10_000, 160_000):
            m, q, gradients = points // 3, 10, 3.5
            found.append({"run": "collocation, gradients of 1 s", "ranks": ranks, "m": m, "q": q, "points": points,
                          "seconds": gradients * points / ranks * 1.0, "fit": float(np.array([points * m**2, points * m * (1 + q)]) @ fits),
                          "fit_shared": points * m**2 / CLUSTER["fused"] / ranks + m**3 / 3 / CLUSTER["fused"],
                          "bytes": 8 * points * m})
    return found


def check_ranks(build):
    """Seconds of gd on 1 to 4 ranks (as many as there are cores) beside seconds(1)/P."""
    program, rows = build.parent / "mpi" / "chaosgrad", []
    if not program.exists():
        return rows
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    settings = {"solve.method": "gd", "solve.basis_size": 200, "solve.samples": 100000, "solve.iterations": 60, "solve.threads": 1}
    for ranks in range(1, 1 + min(4, os.cpu_count())):
        run = min((bench.Run(program, bench.ROOT / "examples" / "paper.toml", settings, ("mpirun", "--oversubscribe", "-n", str(ranks)))
                   for _ in range(2)), key=lambda one: one.summary["seconds"])
        rows.append({"ranks": ranks, "seconds": run.summary["seconds"]})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=bench.ROOT / "build" / "release")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=bench.ROOT / "build" / "bench")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    sums = measure_sums(build, arguments.quick)
    table = np.array([sum_features(one["samples"], one["m"], one["q"]) for one in sums])
    seconds = np.array([one["seconds"] for one in sums])
    a_to_e = fit(table[::2], seconds[::2])
    print("seconds = N (a + b m + c m q + e q), ns: " + ", ".join(f"{key} = {1e9 * value:.3g}" for key, value in zip("abce", a_to_e)))
    print(f"  runs it was not fitted to: {errors(table[1::2], seconds[1::2], a_to_e)}", flush=True)
    fits = measure_fits(build, arguments.quick)
    fit_table = np.array([[one["n"] * one["m"]**2, one["n"] * one["m"] * (1 + one["q"])] for one in fits], dtype=float)
    fit_seconds = np.array([one["seconds"] for one in fits])
    alpha_beta = fit(fit_table[::2], fit_seconds[::2])
    print(f"a stage: seconds = alpha n m^2 + beta n m (1 + q), ns: alpha = {1e9 * alpha_beta[0]:.3g}, beta = {1e9 * alpha_beta[1]:.3g}")
    print(f"  stages it was not fitted to: {errors(fit_table[1::2], fit_seconds[1::2], alpha_beta)} ({len(fits)} stages)")
    predicted, ranks = predictions(a_to_e, alpha_beta), check_ranks(build)
    for one in predicted:
        print("  " + ", ".join(f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}" for key, value in one.items()))
    for one in ranks:
        print(f"  {one['ranks']} ranks: {one['seconds']:.3g} s, {ranks[0]['seconds'] / one['seconds']:.2f} times one")
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / "cost_model.json").write_text(json.dumps(
        {"sums": sums, "coefficients": a_to_e.tolist(), "fits": fits, "fit_coefficients": alpha_beta.tolist(), "predictions": predicted,
         "ranks": ranks, "cluster": CLUSTER}, indent=1))


if __name__ == "__main__":
    main()
