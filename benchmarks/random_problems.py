#!/usr/bin/python3
"""Does `auto` keep its promise on problems that nobody looked at while it was made? Random ones with a known optimum.

Usage: benchmarks/random_problems.py [--problems 200] [--noise] [--tolerance 1e-4] [--max-gradients 20000] [--jobs 2] [--first 1] [--keep DIR]
                                     [--program build/release/chaosgrad]
       benchmarks/random_problems.py --constraints [--problems 100] [--fresh 200] [--max-seconds 20] [--log FILE]

Problem number n draws, with the seed n, one to five parameters with any of the distributions (a third of the problems with a copula), one to
six variables, a matrix B of condition up to about 5, smooth functions a(theta) made of exponentials, sines, fractions, roots and products
(one in eight with a kink), and one of four convex shapes s for each row (with noise of two, of bounded curvature):  F = sum_k c_k s_k(B_k x - a_k(theta)).  Each s_k has its
minimum at 0, so x* = B^-1 a(theta). With --noise, `sieve` solves F + sum_k c_k v_k tanh(B_k x - a_k(theta)) instead, v_k normal with mean 0.
Prints for each kind of problem the share of true errors within the tolerance, quartiles of estimate over true error, gradients, and every
problem that failed. With --constraints the problems are those of random_constrained.py, to relative 1e-3, and the truth at fresh theta is
that of convex_truth.py.
"""
import argparse
import collections
import concurrent.futures
import json
import math
import pathlib
import random
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHAPES = {"quadratic": "({t})^2/2", "cosh": "cosh({t})", "quartic": "({t})^2/2 + ({t})^4/4", "softened": "sqrt(1 + ({t})^2) + ({t})^2/5"}


def distribution(rng):
    """A distribution and a formula that is of size 1 under it."""
    a, b = rng.uniform(-2, 1), rng.uniform(0.5, 3)
    s = round(b, 3)
    a = round(a, 3)
    kinds = [
        (f'distribution = "uniform", lower = {a}, upper = {a + s}', f"(T - {a + s / 2})/{s / 2}"),
        (f'distribution = "normal", mean = {a}, sd = {s}', f"(T - {a})/{s}"),
        (f'distribution = "lognormal", mu = 0, sigma = {round(s / 6, 3)}', "log(T)"),
        (f'distribution = "beta", alpha = {round(1 + s, 3)}, beta = {round(4 - s, 3)}, lower = {a}, upper = {a + 2}', f"T - {a + 1}"),
        (f'distribution = "gamma", shape = {round(1 + 2 * s, 3)}, scale = 0.3', "T/2"),
        (f'distribution = "triangular", lower = {a}, mode = {a + 0.7}, upper = {a + 2}', f"T - {a + 1}"),
        (f'distribution = "weibull", shape = {round(1 + s, 3)}, scale = 1.5', "T - 1"),
        (f'distribution = "loguniform", lower = 0.2, upper = {round(0.5 + s, 3)}', "log(T)"),
        (f'distribution = "truncated_normal", mean = 0, sd = 1, lower = -1, upper = {round(s, 3)}', "T/2"),
        ('distribution = "exponential", rate = 2', "T/2"),
        ('distribution = "discrete", values = [-1, 0, 0.5, 2], weights = [1, 3, 2, 1]', "T/2"),
    ]
    return rng.choice(kinds)


def smooth(rng, scaled):
    """A function of one or two of the scaled parameters."""
    pick = lambda: rng.choice(scaled)  # noqa: E731
    w = lambda: round(rng.uniform(-1.2, 1.2), 3)  # noqa: E731
    t, s = f"({w()}*({pick()}) + {w()})", f"({w()}*({pick()}))"
    return rng.choice([f"exp({t}/2)", f"sin({t} + {s})", f"1/(1.6 + tanh({t}))", f"sqrt(1 + {t}^2)", f"{t}*cos({s})", f"tanh({t})", f"{t} + {s}^2/2"])


def problem(number, noise):
    rng = random.Random(number)
    d, q = rng.choice([1, 1, 1, 2, 2, 3, 4, 5]), rng.randint(1, 6)
    names = [f"p{k}" for k in range(d)]
    laws = [distribution(rng) for _ in names]
    scaled = [formula.replace("T", name) for name, (_, formula) in zip(names, laws)]
    kink = not noise and d <= 2 and rng.random() < 1 / 8
    copula = d > 1 and rng.random() < 1 / 3
    targets = []
    for _ in range(q):
        terms = [f"{round(rng.uniform(0.3, 1.5), 3)}*{smooth(rng, scaled)}" for _ in range(rng.randint(1, 3))]
        targets.append(" + ".join(terms))
    if kink:
        targets[0] += f" + max({rng.choice(scaled)} - 0.2, 0)"
    # Rows of sizes 1 to sqrt(30), rotated.
    B = [[math.sqrt(math.exp(rng.uniform(0, math.log(30)))) * (i == j) for j in range(q)] for i in range(q)]
    for _ in range(2 * q if q > 1 else 0):
        i, j = rng.sample(range(q), 2)
        c, s = math.cos(angle := rng.uniform(0, math.pi)), math.sin(angle)
        B[i], B[j] = [c * x + s * y for x, y in zip(B[i], B[j])], [-s * x + c * y for x, y in zip(B[i], B[j])]
    rows = ", ".join("[" + ", ".join(f"{x:.17g}" for x in row) + "]" for row in B)
    weights = [round(rng.uniform(0.5, 3), 3) for _ in range(q)]
    # Where the noise is sampled the expansion meets every theta, and polynomials of theta grow: only shapes with bounded curvature.
    shapes = [rng.choice(["quadratic", "softened"] if noise else list(SHAPES)) for _ in range(q)]
    gap = [f"(image[{k}] - a{k})" for k in range(q)]
    objective = " + ".join(f"{weights[k]}*({SHAPES[shapes[k]].format(t=gap[k])})" for k in range(q))
    if noise:
        objective += " + " + " + ".join(f"{weights[k]}*v{k}*tanh({gap[k]})" for k in range(q))
    lines = ["[parameters]", *(f"{name} = {{ {law} }}" for name, (law, _) in zip(names, laws))]
    if copula:
        r = round(rng.uniform(-0.8, 0.8), 3)
        lines += ["[dependence]", "correlation = ["
                  + ", ".join(str([1.0 if i == j else r if {i, j} == {0, 1} else 0.0 for j in range(d)]) for i in range(d)) + "]"]
    if noise:
        lines += ["[noise]", *(f'v{k} = {{ distribution = "normal", mean = 0, sd = 0.5 }}' for k in range(q))]
    lines += ["[constants]", f"B = [{rows}]"]
    lines += ["[definitions]", *(f'a{k} = "{target}"' for k, target in enumerate(targets)), 'image = "B*x"']
    lines += ["[variables]", f"x = {{ size = {q} }}", "[objective]", f'minimize = "{objective}"']
    lines += ["[reference]", 'x = "solve(B, [' + ", ".join(f"a{k}" for k in range(q)) + '])"']
    kinds = ["all", f"d = {d}" if d < 3 else "d = 3 to 5"] + (["kink"] if kink else []) + (["copula"] if copula else [])
    return "\n".join(lines) + "\n", kinds


def solve(number, arguments):
    text, kinds = problem(number, arguments.noise)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(arguments.keep or folder) / f"random-{number}.toml"
        path.write_text(text)
        command = [arguments.program, "solve", str(path), "--json", "-o", folder + "/run", "--set", f"solve.relative_tolerance={arguments.tolerance}",
                   "--set", f"solve.max_gradients={arguments.max_gradients}", "--set", "solve.threads=1", "--set", f"solve.seed={number}"] + (["--set", "solve.method=sieve"] if arguments.noise else [])
        done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout.strip():
        return kinds, {"number": number, "status": "failed", "message": done.stderr.strip()}
    summary = json.loads(done.stdout)
    if summary["true_error"] is None:
        return kinds, {"number": number, "status": summary["status"], "message": summary["stop_reason"]}
    goal = arguments.tolerance * math.hypot(*summary["mean"], *summary["sd"])
    return kinds, {"number": number, "status": summary["status"], "message": summary["stop_reason"], "within": summary["true_error"] <= goal,
                   "ratio": (summary["error"]["estimate"] or math.nan) / max(summary["true_error"], 1e-300), "gradients": summary["gradient_evaluations"],
                   "true": summary["true_error"], "goal": goal, "seconds": summary["seconds"]}


def solve_constrained(arguments):
    import random_constrained

    runs, log = [], open(arguments.log, "w") if arguments.log else None

    def say(line):
        print(line, flush=True)
        if log:
            print(line, file=log, flush=True)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        numbers = range(arguments.first, arguments.first + arguments.problems)
        for run in pool.map(lambda n: random_constrained.solve(n, arguments, smooth), numbers):
            runs.append(run)
            bad = run["status"] != "converged" or not run["within"] or run["violation"] > 1e-9 or run["kkt"] > 1e-8 or run["missing"]
            detail = (f"; true {run['true']:.3g}, goal {run['goal']:.3g}, estimate/true {run['ratio']:.2g}, violation {run['violation']:.1e}, "
                      f"multipliers {run['multipliers']:.1e}, {run['gradients']} gradients, {run['seconds']:.1f} s" if "true" in run else "")
            say(f"{'FAIL' if bad else 'ok'} {run['number']} ({', '.join(run['kinds'][1:])}): {run['status']}"
                + (f": {run['message']}" if bad else "") + detail + (f"; truth only to {run['kkt']:.1e}" if run["kkt"] > 1e-8 else ""))
    say(f"{'kind':<18} {'problems':>8} {'converged':>9} {'within':>7} {'estimate/true: 10%':>19} {'50%':>6} {'90%':>6} {'gradients':>10} {'violation':>10} "
        f"{'multipliers: 50%':>17} {'90%':>8}")
    for kind in sorted({kind for run in runs for kind in run["kinds"]}):
        group = [run for run in runs if kind in run["kinds"]]
        good = [run for run in group if run["status"] == "converged" and "true" in run]
        if not good:
            say(f"{kind:<18} {len(group):>8} {0:>9}")
            continue
        share = lambda key, p: sorted(run[key] for run in good)[min(len(good) - 1, int(p * len(good)))]  # noqa: E731
        say(f"{kind:<18} {len(group):>8} {len(good):>9} {sum(run['within'] for run in good) / len(good):>7.0%} {share('ratio', 0.1):>19.2f} {share('ratio', 0.5):>6.2f} "
            f"{share('ratio', 0.9):>6.2f} {statistics.median(run['gradients'] for run in good):>10.0f} "
            f"{max(run['violation'] for run in group if 'true' in run):>10.1e} {share('multipliers', 0.5):>17.1e} {share('multipliers', 0.9):>8.1e}")
    solved = [run for run in runs if run["status"] == "converged" and "true" in run]
    say(f"rms at the fresh theta at most the tolerance, without allowance: {sum(run['plain'] for run in solved)} of {len(solved)}; "
        f"the truth satisfies the optimality conditions to {max(run['kkt'] for run in runs):.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", "--count", type=int, help="default 200, 100 with constraints")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--noise", action="store_true")
    parser.add_argument("--constraints", action="store_true")
    parser.add_argument("--fresh", type=int, default=200, help="with constraints: theta at which x is compared with the truth")
    parser.add_argument("--max-seconds", type=float, default=20, help="with constraints: per problem")
    parser.add_argument("--log", help="with constraints: a file for the lines too")
    parser.add_argument("--tolerance", type=float, help="relative (default 1e-4, 1e-2 with noise, 1e-3 with constraints)")
    parser.add_argument("--max-gradients", type=int, help="per problem (default 20000, 10 million with noise)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="folder for the problem files")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "chaosgrad"))
    arguments = parser.parse_args()
    arguments.problems = arguments.problems or (100 if arguments.constraints else 200)
    arguments.tolerance = arguments.tolerance or (1e-2 if arguments.noise else 1e-3 if arguments.constraints else 1e-4)
    arguments.max_gradients = arguments.max_gradients or (10_000_000 if arguments.noise else 20_000)
    if arguments.constraints:
        solve_constrained(arguments)
        return
    groups = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for kinds, run in pool.map(lambda n: solve(n, arguments), range(arguments.first, arguments.first + arguments.problems)):
            for kind in kinds:
                groups[kind].append(run)
            if run["status"] != "converged" or not run["within"] or run["ratio"] < 0.3:
                print(f"problem {run['number']} ({', '.join(kinds[1:])}): {run['status']}: {run['message']}"
                      + (f"; true error {run['true']:.3g}, estimate/true {run['ratio']:.2g}" if "true" in run else ""), flush=True)
    print(f"{'kind':<12} {'problems':>8} {'converged':>9} {'within':>7} {'estimate/true: 10%':>19} {'50%':>6} {'90%':>6} {'gradients':>10}")
    for kind in sorted(groups):
        runs = groups[kind]
        good = [run for run in runs if run["status"] == "converged"]
        if not good:
            print(f"{kind:<12} {len(runs):>8} {0:>9}")
            continue
        ratios = sorted(run["ratio"] for run in good)
        share = lambda p: ratios[min(len(ratios) - 1, int(p * len(ratios)))]  # noqa: E731
        print(f"{kind:<12} {len(runs):>8} {len(good):>9} {sum(run['within'] for run in good) / len(good):>7.0%} {share(0.1):>19.2f} {share(0.5):>6.2f} "
              f"{share(0.9):>6.2f} {statistics.median(run['gradients'] for run in good):>10.0f}")


if __name__ == "__main__":
    main()
