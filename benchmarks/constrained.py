#!/usr/bin/python3
"""Constraints and kinks, each problem against a solver of its own: is x within the tolerance, are the multipliers right, is x feasible?

Usage: benchmarks/constrained.py [--seeds 40] [--fresh 200] [--jobs 1] [--program build/release/chaosgrad] [--direct] [NAME…]

  elliptic, elliptic-free   bounded control of a diffusion (d = 8, q = 15, 0.05 <= x <= 0.6; bounded least squares), and without bounds
  oscillator                control of the oscillator with |x| <= 0.4 (bounded least squares)
  predictive-control        the gallery's problem (bounded least squares)
  nonnegative               the gallery's problem (nnls)
  lasso                     the gallery's lasso path (coordinate descent)
  long-only                 the gallery's portfolio (enumeration of active sets)
  dispatch                  the gallery's problem (bisection on the price)
  newsvendor, newsvendor-sieve  the gallery's newsvendor with a capacity of 105 (root of an increasing function); by auto, by the sieve
  cvar, cvar-sieve          the gallery's problem (an interior point method on all rows); by auto, by the sieve
For each: the share of seeds that converge, the share of those with a true error within the tolerance (rms over fresh theta, that are the same
for all seeds), median of estimate over true error, gradients, Hessians (of the metric, counted apart), the largest relative violation at the fresh theta, rms error of all multipliers
over their rms. Prints a table in Markdown. --direct also fits x*(theta) itself (least squares on exact optima, three samples per function,
total degree, at most 700 functions) with about as many functions, and prints its relative error.
"""
import argparse
import concurrent.futures
import csv
import io
import itertools
import json
import math
import pathlib
import statistics
import subprocess
import tempfile
import tomllib

import numpy as np
from scipy import optimize, special, stats

ROOT = pathlib.Path(__file__).resolve().parent.parent


def gallery(name):
    return (ROOT / "examples" / f"{name}.toml").read_text().replace('"data/', f'"{ROOT}/examples/data/')


def bounded_least_squares(J, b, lower, upper):
    """min |J x - b|^2/2, lower <= x <= upper, with multipliers of both bounds."""
    H, c = J.T @ J, J.T @ b
    x = optimize.lsq_linear(J, b, bounds=(lower, upper), method="bvls", tol=1e-15, max_iter=1000).x
    for _ in range(100):  # it stops where the sum of squares stands still: to rounding by changes of the active set
        g = H @ x - c
        low, high = (x <= lower) & (g >= 0), (x >= upper) & (g <= 0)
        free = ~(low | high)
        if np.abs(g[free]).max(initial=0) <= 1e-12 * (1 + np.abs(c).max()):
            break
        goal = np.where(low, lower, np.where(high, upper, x))
        goal[free] = np.linalg.solve(H[np.ix_(free, free)], c[free] - H[np.ix_(free, ~free)] @ goal[~free])
        move = goal - x
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = np.where(move > 0, (upper - x) / move, np.where(move < 0, (lower - x) / move, np.inf))
        step = min(1.0, reach.min())
        hit = (reach <= step) & (step < 1)
        x = np.where(hit, np.where(move > 0, upper, lower), x + step * move)
    assert np.abs(g[free]).max(initial=0) <= 1e-9 * (1 + np.abs(c).max()), "bounded least squares did not converge"
    return x, np.where(x <= lower, np.maximum(g, 0), 0), np.where(x >= upper, np.maximum(-g, 0), 0)


class Case:
    """text: the file; names of the parameters; sample(rng, n); truth(theta) -> x, {multiplier: value}; tolerance, relative."""
    tolerance, settings = 1e-3, ()

    def violation(self, theta, x):
        return 0.0


class Elliptic(Case):
    tolerance, names = 1e-4, [f"theta{k}" for k in range(1, 9)]

    def __init__(self, bounded=True):
        self.limits = (0.05, 0.6) if bounded else (-np.inf, np.inf)
        self.text = ('[objective]\nbuiltin = "elliptic-control"\noptions = { d = 8, q = 15, beta = 1e-3'
                     + (", lower = 0.05, upper = 0.6" if bounded else "") + " }\n")
        h = 1 / 16
        s, mid = np.arange(1, 16) * h, (np.arange(16) + 0.5) * h
        self.base, self.z = 0.05 / h**2, 2 * s * (1 - s) * np.exp(s)
        self.modes = np.array([self.base * 0.6 / k**2 * np.sin(k * np.pi * mid) for k in range(1, 9)])

    def sample(self, rng, n):
        return rng.uniform(-1, 1, (n, 8))

    def truth(self, theta):
        a = self.base + theta @ self.modes
        A = np.diag(a[:-1] + a[1:]) - np.diag(a[1:-1], 1) - np.diag(a[1:-1], -1)
        J, b = np.vstack([np.linalg.inv(A), math.sqrt(1e-3) * np.eye(15)]), np.r_[self.z, np.zeros(15)]
        if self.limits[0] == -np.inf:
            return np.linalg.solve(J.T @ J, J.T @ b), {}
        x, low, high = bounded_least_squares(J, b, *(np.full(15, v) for v in self.limits))
        return x, {"x.lower": low, "x.upper": high}

    def violation(self, theta, x):
        return max(self.limits[0] - x.min(), x.max() - self.limits[1])


class Oscillator(Case):
    tolerance, names, limit = 1e-4, ["mass", "damping", "stiffness"], 0.4
    text = '[objective]\nbuiltin = "oscillator-control"\noptions = { q = 40, horizon = 10, weight = 0.1, lower = -0.4, upper = 0.4 }\n'

    def sample(self, rng, n):
        return rng.uniform([0.8, 0.1, 0.7], [1.2, 0.5, 1.3], (n, 3))

    def truth(self, theta):
        m, c, k = theta
        h, q = 0.25, 40
        K = np.array([[0, 1], [-k / m, -c / m]])
        left = np.linalg.inv(np.eye(2) - h / 2 * K)
        phi, push = left @ (np.eye(2) + h / 2 * K), left @ np.array([0, h / m])
        state, S, rows, right = np.array([1.0, 0.0]), np.zeros((2, q)), [], []
        for j in range(q):
            state, S = phi @ state, phi @ S
            S[:, j] = push
            rows.append(S.copy())
            right.append(-state)
        J = np.vstack([math.sqrt(h) * np.vstack(rows), math.sqrt(h * 0.1) * np.eye(q)])
        x, low, high = bounded_least_squares(J, np.r_[math.sqrt(h) * np.concatenate(right), np.zeros(q)], np.full(q, -0.4), np.full(q, 0.4))
        return x, {"x.lower": low, "x.upper": high}

    def violation(self, theta, x):
        return np.abs(x).max() - self.limit


class PredictiveControl(Case):
    names, text = ["mass", "friction", "place", "speed"], gallery("predictive-control")

    def sample(self, rng, n):
        return np.c_[rng.uniform(0.8, 1.4, n), 0.5 * rng.beta(2, 5, n), rng.normal(1, 0.5, n), rng.normal(0, 0.4, n)]

    def truth(self, theta):
        mass, friction, place, speed = theta

        def parts(u):
            p, v, out = place, speed, []
            for k in range(8):
                p, v = p + 0.5 * v, (1 - 0.5 * friction / mass) * v + 0.5 / mass * u[k]
                out += [p * math.sqrt(20 if k == 7 else 2), v * math.sqrt(20 if k == 7 else 1)]
            return np.array(out + list(u * math.sqrt(2 / 5)))

        zero = parts(np.zeros(8))
        J = np.array([parts(e) - zero for e in np.eye(8)]).T
        x, low, high = bounded_least_squares(J, -zero, -np.ones(8), np.ones(8))
        return x, {"force.lower": low, "force.upper": high}

    def violation(self, theta, x):
        return np.abs(x).max() - 1


class Nonnegative(Case):
    names, text = ["lamp", "base", "haze"], gallery("nonnegative")
    constants = tomllib.loads(text)["constants"]

    def sample(self, rng, n):
        return np.c_[rng.normal(1, 0.1, n), rng.uniform(-0.15, 0.15, n), rng.exponential(1 / 8, n)]

    def truth(self, theta):
        lamp, base, haze = theta
        J, b = lamp * np.array(self.constants["spectra"]), np.array(self.constants["measured"]) - base - haze * np.array(self.constants["slope"])
        x = optimize.nnls(J, b)[0]
        return x, {"amount.lower": np.where(x <= 0, J.T @ (J @ x - b), 0)}

    def violation(self, theta, x):
        return -x.min()


class Lasso(Case):
    names, text = ["weight"], gallery("lasso")

    def __init__(self):
        data = np.genfromtxt(ROOT / "examples/data/diabetes.csv", delimiter=",", skip_header=1)
        centre = [48.5181, 1.468326, 26.37579, 94.64701, 189.1403, 115.4391, 49.78846, 4.070249, 4.641411, 91.26018]
        spread = [13.0942, 0.49896, 4.41312, 13.8157, 34.5689, 30.3786, 12.9196, 1.28899, 0.5218, 11.4833]
        A = (data[:, :10] - centre) / spread
        self.G, self.g = A.T @ A / len(A), A.T @ (data[:, 10] - 152.13348) / len(A)

    def sample(self, rng, n):
        return np.exp(rng.uniform(math.log(0.05), math.log(50), (n, 1)))

    def truth(self, theta):
        x, G, g = np.zeros(10), self.G, self.g
        for _ in range(100_000):
            before = x.copy()
            for j in range(10):
                r = g[j] - G[j] @ x + G[j, j] * x[j]
                x[j] = math.copysign(max(abs(r) - theta[0], 0), r) / G[j, j]
            if np.abs(x - before).max() < 1e-11:
                return x, {}
        raise RuntimeError("coordinate descent did not converge")


class LongOnly(Case):
    names, text = ["aversion", "outlook", "doubt"], gallery("long-only")
    constants = tomllib.loads(text)["constants"]

    def sample(self, rng, n):
        return np.c_[np.exp(rng.uniform(math.log(0.05), math.log(2), n)), rng.normal(0, 0.024, n), rng.normal(0, 0.02, n)]

    def truth(self, theta):
        a, outlook, doubt = theta
        C, mean, best = a * np.array(self.constants["covariance"]), np.array(self.constants["mean"]) + [outlook, doubt, 0, 0], None
        for k in range(1, 5):
            for s in map(list, itertools.combinations(range(4), k)):
                K = np.block([[C[np.ix_(s, s)], np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
                found = np.linalg.solve(K, np.r_[mean[s], 1])
                w = np.zeros(4)
                w[s] = found[:k]
                value = w @ C @ w / 2 - mean @ w
                if (w >= -1e-14).all() and (best is None or value < best[0] - 1e-16):
                    best = value, w, found[k]
        _, w, price = best
        return w, {"budget": price, "share.lower": np.where(w <= 1e-14, C @ w - mean + price, 0)}

    def violation(self, theta, x):
        return max(-x.min(), np.abs(x.sum(1) - 1).max())


class Dispatch(Case):
    names, text = ["demand", "gas", "wind"], gallery("dispatch")
    constants = tomllib.loads(text)["constants"]

    def sample(self, rng, n):
        demand = stats.truncnorm(-350 / 120, 250 / 120, 1350, 120).ppf(rng.random(n))
        return np.c_[demand, rng.triangular(0.7, 1, 1.8, n), 400 * rng.beta(2, 3, n)]

    def truth(self, theta):
        demand, gas, wind = theta
        b = np.array(self.constants["b"]) + (gas - 1) * np.array(self.constants["gas_share"])
        c, cap = np.diag(self.constants["c"]), np.array(self.constants["capacity"], float)
        at = lambda price: np.clip((price - b) / c, 0, cap)  # noqa: E731
        price = optimize.brentq(lambda p: at(p).sum() - (demand - wind), 0, 200, xtol=1e-14, rtol=1e-15, maxiter=500)
        x = at(price)
        slope = b + c * x - price
        return x, {"balance": -price, "power.lower": np.where(x <= 0, slope, 0), "power.upper": np.where(x >= cap, -slope, 0)}

    def violation(self, theta, x):
        cap = np.array(self.constants["capacity"])
        need = theta[:, 0] - theta[:, 2]
        return max((-x / cap).max(), (x / cap - 1).max(), (np.abs(x.sum(1) - need) / need).max())


class Newsvendor(Case):
    names, tolerance, capacity = ["level"], 1e-2, 105
    text = gallery("newsvendor").replace("stock = { start = 100.0 }", "stock = { start = 100.0, upper = 105 }")

    def __init__(self, *settings):
        self.settings = settings

    def sample(self, rng, n):
        return rng.triangular(80, 100, 130, (n, 1))

    def truth(self, theta):
        slope = lambda s: 4 * special.ndtr((s - theta[0]) / 10) - 3 + 0.04 * (s - 100)  # noqa: E731
        stock = min(optimize.brentq(slope, 0, 300, xtol=1e-13), self.capacity)
        return np.array([stock]), {"stock.upper": np.array([-slope(stock) if stock >= self.capacity else 0.0])}

    def violation(self, theta, x):
        return (x.max() - self.capacity) / self.capacity


class Cvar(Case):
    names, text, tolerance = ["aversion", "outlook"], gallery("cvar"), 1e-2

    def __init__(self, *settings):
        self.settings = settings
        self.R = np.genfromtxt(ROOT / "examples/data/eu_returns.csv", delimiter=",", skip_header=1)

    def sample(self, rng, n):
        return np.c_[rng.uniform(0.05, 0.3, n), rng.normal(0, 0.024, n)]

    def truth(self, theta):
        """x = (shares, level): x'Hx/2 + g'x + c sum_i max(a_i x, 0), sum of the shares 1, shares >= 0, by an interior point method with the slacks
        u_i - v_i = a_i x and their multipliers alpha_i + beta_i = c eliminated."""
        aversion, outlook = theta
        R, n = self.R, len(self.R)
        a, c = np.hstack([-R, -np.ones((n, 1))]), aversion / 0.05 / n
        H, g = np.diag([0.1] * 4 + [0.01]), np.r_[-R.mean(0) - [outlook, 0, 0, 0], aversion]
        E = np.array([1, 1, 1, 1, 0.0])
        x, price, low = np.array([0.25] * 4 + [2.0]), 0.0, np.full(4, 0.1)
        beta = np.full(n, c / 2)
        u = np.maximum(a @ x, 0) + 1
        v = u - a @ x
        for _ in range(200):
            alpha = c - beta
            stationary = H @ x + g + a.T @ beta + price * E - np.r_[low, 0]
            gap = (u @ alpha + v @ beta + x[:4] @ low) / (2 * n + 4)
            if gap < 1e-15 and np.abs(stationary).max() < 1e-12:
                break
            goal = 0.1 * gap
            r1, r2, r3 = goal - u * alpha, goal - v * beta, goal - x[:4] * low
            D = 1 / (u / alpha + v / beta)
            K = np.zeros((6, 6))
            K[:5, :5] = H + a.T @ (D[:, None] * a) + np.diag(np.r_[low / x[:4], 0])
            K[:5, 5] = K[5, :5] = E
            shift = D * (r2 / beta - r1 / alpha)
            step = np.linalg.solve(K, np.r_[-stationary - a.T @ shift + np.r_[r3 / x[:4], 0], 1 - E @ x])
            dx = step[:5]
            dbeta = D * (a @ dx) + shift
            du, dv, dlow = (r1 + u * dbeta) / alpha, (r2 - v * dbeta) / beta, (r3 - low * dx[:4]) / x[:4]
            length = 1.0
            for value, change in ((u, du), (v, dv), (alpha, -dbeta), (beta, dbeta), (x[:4], dx[:4]), (low, dlow)):
                if (change < 0).any():
                    length = min(length, 0.995 * (-value[change < 0] / change[change < 0]).min())
            x, price, low, beta = x + length * dx, price + length * step[5], low + length * dlow, beta + length * dbeta
            u = u + length * du
            v = v + length * dv
        else:
            raise RuntimeError("the interior point method did not converge")
        return x, {"budget": price, "share.lower": low}

    def violation(self, theta, x):
        return max(-x[:, :4].min(), np.abs(x[:, :4].sum(1) - 1).max())


CASES = {
    "elliptic": Elliptic(), "elliptic-free": Elliptic(False), "oscillator": Oscillator(), "predictive-control": PredictiveControl(),
    "nonnegative": Nonnegative(), "lasso": Lasso(), "long-only": LongOnly(), "dispatch": Dispatch(),
    "newsvendor": Newsvendor(), "newsvendor-sieve": Newsvendor("solve.method=sieve"), "cvar": Cvar(), "cvar-sieve": Cvar("solve.method=sieve"),
}


def flat(multipliers):
    """Named as the columns of eval: w.lower[0], …, budget."""
    out = {}
    for name, value in multipliers.items():
        if np.ndim(value) == 0:
            out[name] = value
        else:
            out |= {f"{name}[{k}]": v for k, v in enumerate(value)}
    return out


def evaluate(program, run, case, theta, q):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write(",".join(case.names) + "\n" + "\n".join(",".join(repr(float(t)) for t in row) for row in theta) + "\n")
        file.flush()
        done = subprocess.run([program, "eval", run, "--csv", file.name, "--multipliers", "--anyway"], capture_output=True, text=True, timeout=300)
        if done.returncode and "--multipliers" in done.stderr:  # no constraints
            done = subprocess.run([program, "eval", run, "--csv", file.name, "--anyway"], capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    rows = list(csv.reader(io.StringIO(done.stdout)))
    values = np.array([[float(v) for v in row] for row in rows[1:]])[:, len(case.names):]
    return values[:, :q], dict(zip(rows[0][len(case.names) + q:], values[:, q:].T))


def solve(program, case, seed, theta, x, prices, threads):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "problem.toml"
        path.write_text(case.text)
        command = [program, "solve", str(path), "--json", "-o", folder + "/run", "--set", f"solve.seed={seed}", "--set",
                   f"solve.relative_tolerance={case.tolerance}", "--set", f"solve.threads={threads}", "--set", "solve.max_seconds=120"]
        for setting in case.settings:
            command += ["--set", setting]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if not done.stdout.strip():
            return {"status": "failed", "message": done.stderr.strip()}
        summary = json.loads(done.stdout)
        found, multipliers = evaluate(program, folder + "/run", case, theta, x.shape[1])
    squares = ((found - x) ** 2).sum(1)
    true, goal = math.sqrt(squares.mean()), case.tolerance * math.sqrt((x**2).sum(1).mean())
    off = size = 0.0
    for name, price in prices.items():
        if len(price) and name not in multipliers and name.replace("[0]", "") in multipliers:
            name = name.replace("[0]", "")
        off += ((multipliers[name] - price) ** 2).mean()
        size += (price**2).mean()
    return {"status": summary["status"], "message": summary["stop_reason"], "true": true, "goal": goal, "within": true <= goal,
            "ratio": (summary["error"]["estimate"] or math.nan) / max(true, 1e-300), "gradients": summary["gradient_evaluations"], "hessians": summary["hessian_evaluations"],
            "bound": None if summary["error"]["bound"] is None else summary["error"]["bound"] >= true, "m": summary["basis_size"],
            "violation": case.violation(theta, found), "multipliers": math.sqrt(off / size) if size else None, "seconds": summary["seconds"],
            "noise": summary["noise"]}


def direct_error(case, functions, rng):
    """Relative error of the expansion of x* itself: ranks of theta to [-1, 1] would need the distributions, so theta is standardised."""
    d = len(case.names)
    degree = next(k for k in range(100) if math.comb(d + k, d) >= functions or math.comb(d + k + 1, d) > 700)
    indices = [i for i in itertools.product(range(degree + 1), repeat=d) if sum(i) <= degree] if d < 6 else \
              [tuple(np.bincount(c, minlength=d + 1)[:d]) for c in itertools.combinations_with_replacement(range(d + 1), degree)]
    m = len(indices)
    theta = case.sample(rng, 3 * m + 200)
    truth = np.array([case.truth(t)[0] for t in theta])
    low, high = theta.min(0), theta.max(0)
    P = special.eval_legendre(np.arange(degree + 1)[None, None], ((2 * theta - low - high) / (high - low))[..., None])
    psi = np.prod([P[:, k][:, [i[k] for i in indices]] for k in range(d)], 0)
    u = np.linalg.lstsq(psi[:3 * m], truth[:3 * m], rcond=None)[0]
    return m, math.sqrt(((psi[3 * m:] @ u - truth[3 * m:]) ** 2).sum(1).mean() / (truth[3 * m:] ** 2).sum(1).mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *CASES])
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--fresh", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--direct", action="store_true")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "chaosgrad"))
    arguments = parser.parse_args()
    print("| problem | tolerance | seeds | converged | of these within | estimate/true | bound holds | gradients | Hessians | m | seconds | violation | multipliers |"
          + (" x expanded directly |" if arguments.direct else ""))
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|" + ("---|" if arguments.direct else ""))
    notes = []
    for name in arguments.names or CASES:
        case, rng = CASES[name], np.random.default_rng(2024)
        theta = case.sample(rng, arguments.fresh)
        truths = [case.truth(t) for t in theta]
        x = np.array([t[0] for t in truths])
        rows = [flat(t[1]) for t in truths]
        prices = {key: np.array([row[key] for row in rows]) for key in rows[0]}
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            runs = list(pool.map(lambda seed: solve(arguments.program, case, seed, theta, x, prices, 1 if arguments.jobs > 1 else 0),
                                 range(1, arguments.seeds + 1)))
        for seed, run in enumerate(runs, 1):
            if run["status"] != "converged" or not run["within"]:
                notes.append(f"{name}, seed {seed}: {run['status']}: {run['message']}" + (f"; true {run['true']:.3g}, goal {run['goal']:.3g}" if "true" in run else ""))
        done = [run for run in runs if "true" in run]
        good = [run for run in done if run["status"] == "converged"]
        if not done:
            print(f"| {name} | {case.tolerance:g} | {len(runs)} | 0 % | | | | | | | | | |", flush=True)
            continue
        middle = lambda key, runs: statistics.median(run[key] for run in runs) if runs else math.nan  # noqa: E731
        bounds = [run["bound"] for run in good if run["bound"] is not None]
        price = "–" if good == [] or good[0]["multipliers"] is None else f"{max(run['multipliers'] for run in good):.1e}"
        line = (f"| {name} ({done[0]['noise']}) | {case.tolerance:g} | {len(runs)} | {len(good) / len(runs):.0%} | "
                f"{sum(run['within'] for run in good) / max(1, len(good)):.0%} | {middle('ratio', good):.2f} | "
                f"{f'{sum(bounds) / len(bounds):.0%}' if bounds else '–'} | {middle('gradients', done):,.0f} | {middle('hessians', done):,.0f} | {middle('m', done):.0f} | "
                f"{middle('seconds', done):.2f} | {max(0.0, max(run['violation'] for run in done)):.1e} | {price} |")
        if arguments.direct:
            m, error = direct_error(case, middle("m", done), rng)
            line += f" {error:.1e} (m = {m}) |"
        print(line, flush=True)
    for note in notes:
        print(note)


if __name__ == "__main__":
    main()
