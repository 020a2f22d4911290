#!/usr/bin/python3
"""Constrained problems as practitioners of a dozen fields would write them: does `auto` solve them with the options of a new user, and is it right?

Usage: benchmarks/bounded.py [--program build/release/chaosgrad] [--jobs 1] [--seeds 1] [--tolerance 1e-3] [--fresh 100] [NAME…]

benchmarks/bounded/ has the files, written before any of them was run. The optimum of each is coded here and in
bounded/optima.py and bounded/visitor.py (problems of a stranger) apart from its file, and found by SciPy (SLSQP, with one more
variable for each kink; trust-constr where that does not arrive) or in closed form. Prints for each: status, error estimate, true error
(relative, over fresh theta), largest relative violation there, gradients, seconds; for those whose multipliers are known, their error.
"""
import argparse
import csv
import functools
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

import numpy as np
from scipy import optimize, special, stats

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "benchmarks" / "bounded"
sys.path[:0] = [str(ROOT / "benchmarks" / "strangers"), str(FOLDER)]

import optima  # noqa: E402
import visitor  # noqa: E402
from sampling import parameters  # noqa: E402


def rows(name):
    with open(FOLDER / "data" / name) as file:
        table = list(csv.reader(file))[1:]
    return np.array(table, dtype=float)


def minimise(f, x0, equal=(), above=(), lower=None, upper=None):
    """min f subject to equal(x) = 0, above(x) >= 0 and bounds: SLSQP from two starts, again from where it ends."""
    x0 = np.asarray(x0, dtype=float)
    low = np.full(len(x0), -np.inf) if lower is None else np.broadcast_to(lower, x0.shape)
    high = np.full(len(x0), np.inf) if upper is None else np.broadcast_to(upper, x0.shape)
    constraints = [{"type": "eq", "fun": c} for c in equal] + [{"type": "ineq", "fun": c} for c in above]
    best = None
    for start in (x0, x0 * 0.9 + 0.05 * np.clip(x0, low, high)):
        x = start
        for _ in range(4):
            found = optimize.minimize(f, x, method="SLSQP", bounds=list(zip(low, high)), constraints=constraints,
                                      options={"ftol": 1e-15, "maxiter": 1000})
            x = found.x
        worst = max([0.0] + [np.abs(c(x)).max() for c in equal] + [np.max(-np.atleast_1d(c(x))) for c in above])
        if worst < 1e-7 and (best is None or found.fun < best.fun):
            best = found
    assert best is not None, "no feasible optimum was found"
    return best.x


def water_filling(theta):
    noise, power = np.array(theta[:3]), theta[3]
    level = optimize.brentq(lambda v: np.maximum(v - noise, 0).sum() - power, 0, 100, xtol=1e-14)
    return np.maximum(level - noise, 0)


def equilibrium(theta):
    """Damped Newton steps on the two amounts that the balances leave free, H2O and OH."""
    gw, gh, oxygen = theta
    g, N = np.array([gh, 0, gw, -2]), np.array([[-1, -0.5], [-0.5, -0.5], [1, 0], [0, 1]])
    amounts = lambda z: np.array([1, oxygen / 2, 0, 0]) + N @ z  # noqa: E731
    energy = lambda n: n @ (g + np.log(n / n.sum())) if (n > 0).all() else np.inf  # noqa: E731
    z = np.full(2, 0.3 * oxygen)
    for _ in range(200):
        n = amounts(z)
        step = np.linalg.solve(N.T @ (np.diag(1 / n) - 1 / n.sum()) @ N, N.T @ (g + np.log(n / n.sum())))
        length = 1.0
        while energy(amounts(z - length * step)) > energy(n) + 1e-13:
            length /= 2
        z = z - length * step
        if np.abs(step).max() < 1e-12:
            break
    return amounts(z)


def transport(theta):
    """Sinkhorn's iteration."""
    supply, price = theta
    K = np.exp(-np.array([[1, price, 2], [2, 1, 1.5]]) / 0.3)
    a, b, v = np.array([supply, 1 - supply]), np.array([0.3, 0.3, 0.4]), np.ones(3)
    for _ in range(5000):
        u = a / (K @ v)
        v = b / (K.T @ u)
    return (u[:, None] * K * v).ravel()


def isotonic(theta):
    """Pool adjacent violators."""
    a, b, w = theta
    blocks = [[value, weight, 1] for value, weight in zip([0.5, a, b, 1.8, 1.6], [1, w, 2, 1, 0.5])]
    i = 0
    while i + 1 < len(blocks):
        if blocks[i][0] > blocks[i + 1][0]:
            (x, s, k), (y, t, n) = blocks[i], blocks.pop(i + 1)
            blocks[i] = [(x * s + y * t) / (s + t), s + t, k + n]
            i = max(i - 1, 0)
        else:
            i += 1
    return np.concatenate([[value] * count for value, _, count in blocks])


def turnover(theta):
    r, cost = np.append(theta[:3], 0.03), theta[3]
    S = np.array([[0.04, 0.01, 0, 0.01], [0.01, 0.03, 0.01, 0], [0, 0.01, 0.09, 0.02], [0.01, 0, 0.02, 0.02]])

    def f(z):  # w = 1/4 + z[:4] - z[4:]
        w = 0.25 + z[:4] - z[4:]
        return 100 * (1.5 * w @ S @ w - r @ w + cost * z.sum())
    z = minimise(f, np.full(8, 0.01), [lambda z: z[:4].sum() - z[4:].sum()], [lambda z: 0.25 + z[:4] - z[4:]], 0)
    return 0.25 + z[:4] - z[4:]


def truss(theta):
    p, q, volume = theta
    root = 1.4142
    force, length = np.array([2 * p + q, p, q - p, root * q, root * p]), np.array([1, 1, 1, root, root])
    # a = max(0.2, |f| / sqrt(price)), volume decreasing in the price
    areas = lambda price: np.maximum(0.2, np.abs(force) / np.sqrt(price))  # noqa: E731
    return areas(optimize.brentq(lambda price: length @ areas(price) - volume, 1e-8, 1e6, xtol=1e-15))


def weber(theta):
    weight, east = theta
    sites = np.array([[0, 0], [east, 0.5], [1, 2]])

    def f(x):
        return np.hypot(*(x - sites[0])) + np.hypot(*(x - sites[1])) + weight * np.hypot(*(x - sites[2])) + 0.05 * x @ x
    inside = lambda x: x.sum() >= 1.2  # noqa: E731
    pull = sum((sites[2] - s) / np.hypot(*(sites[2] - s)) for s in sites[:2]) + 0.1 * sites[2]
    if np.hypot(*pull) <= weight:
        return sites[2]
    x = optimize.minimize(f, [1.2, 1.0], method="BFGS", options={"gtol": 1e-10}).x
    if inside(x):
        return x
    t = optimize.minimize_scalar(lambda t: f(np.array([t, 1.2 - t])), bounds=(-5, 5), method="bounded", options={"xatol": 1e-12}).x
    return np.array([t, 1.2 - t])


def hinge(theta):
    C, table = theta[0], rows("points.csv")
    signed = table[:, 2:] * np.column_stack([table[:, :2], np.ones(12)])
    # the dual: max sum a - |M'a|^2/2 over 0 <= a <= C, with b's weight 0.01
    scaled = signed / np.sqrt([1, 1, 0.01])
    Q = scaled @ scaled.T
    a = minimise(lambda a: a @ Q @ a / 2 - a.sum(), np.full(12, C / 2), lower=0, upper=C)
    return (a @ signed) / [1, 1, 0.01]


def pinball(theta):
    level, table = theta[0], rows("rows.csv")
    X, y = np.column_stack([np.ones(10), table[:, 0]]), table[:, 1]
    # the dual: the multiplier of each row lies between level - 1 and level (over ten)
    x = lambda a: X.T @ a / 0.1  # noqa: E731
    a = minimise(lambda a: 100 * (0.05 * (x(a) ** 2).sum() - a @ y), np.zeros(10), lower=(level - 1) / 10, upper=level / 10)
    return x(a)


def execution(theta):
    vol, impact = theta
    L = np.tril(np.ones((6, 6)))
    H, c = vol**2 * L.T @ L + impact * np.eye(6), vol**2 * L.T @ np.ones(6)

    def sold(price):  # bounded least squares for a given price of the equality
        root = np.linalg.cholesky(H).T
        return optimize.lsq_linear(root, np.linalg.solve(root.T, c + price), bounds=(0, 0.3), method="bvls", tol=1e-15).x
    price = optimize.brentq(lambda price: sold(price).sum() - 1, -50, 50, xtol=1e-13)
    return sold(price)


def entropy_die(theta):
    k = np.arange(1, 7)
    p = lambda s: special.softmax(s * k)  # noqa: E731
    return p(optimize.brentq(lambda s: p(s) @ k - theta[0], -20, 20, xtol=1e-14))


def antenna(theta):
    limit, goal = theta
    A = np.array([[1, 0.8, 0.3], [1, 0.2, -0.7], [1, -0.5, -0.4], [1, -0.9, 0.6]])
    b = np.array([goal, 0.5 * goal, 0, 0.2])
    w = lambda s: np.linalg.solve(A.T @ A + s * np.eye(3), A.T @ b)  # noqa: E731
    if np.linalg.norm(w(0)) <= limit:
        return w(0)
    return w(optimize.brentq(lambda s: np.linalg.norm(w(s)) - limit, 0, 1e6, xtol=1e-13))


def blending(theta):
    hard, price = theta
    h = np.array([8.8, hard, 2, 4.2])

    def f(x):
        return ((np.array([110, 120, price, 115]) - 150) @ x + np.array([0.08, 0.05, 0.06, 0.07]) @ x**2 + 0.02 * (x[2] + x[3]) ** 2) / 1000
    above = [lambda x: 6 * x.sum() - h @ x, lambda x: h @ x - 3 * x.sum(), lambda x: 200 - x[0] - x[1]]
    return minimise(f, [50.0] * 4, above=above, lower=0, upper=[200, 200, 250, 250])


def cournot(theta):
    demand, limit = theta

    def f(q):
        return -2 * demand * q.sum() + q.sum() ** 2 / 2 + np.exp(q[0] / 2) + 0.3 * q[1] ** 2 + 0.4 * q[1]
    return minimise(f, [0.2, 0.2], above=[lambda q: 1.2 + limit - 0.5 * q[0] ** 2 - 1.2 * np.exp(0.5 * q[1])], lower=0)


def two_products(theta):
    scale, shelf = theta
    d1, d2 = stats.norm(100 * scale, 20), stats.gamma(4, scale=20 * scale)
    x = lambda price: np.array([d1.ppf(np.clip((3 - price) / 4, 1e-12, 1)), d2.ppf(np.clip((2 - price) / 3, 0, 1))])  # noqa: E731
    if x(0).sum() <= shelf:
        return x(0)
    return x(optimize.brentq(lambda price: x(price).sum() - shelf, 0, 2, xtol=1e-14))


def with_prices(f, x0, equal={}, above={}, lower=None, upper=None, names=None):
    """As minimise(), and the multipliers at the optimum: gradient of f = sum of prices times gradients of what binds, by nonnegative least squares.
    equal and above are dictionaries of functions; bounds are those of `names`, a list of (variable, size)."""
    x = minimise(f, x0, list(equal.values()), list(above.values()), lower, upper)

    def central(c):
        h = 1e-5
        return np.array([(np.atleast_1d(c(x + h * e)) - np.atleast_1d(c(x - h * e))) / (2 * h) for e in np.eye(len(x))]).T
    columns, owners = [], []
    for name, c in equal.items():
        for k, row in enumerate(central(c)):
            columns += [row, -row]
            owners += [(name, k, -1), (name, k, 1)]
    for name, c in above.items():
        for k, (row, value) in enumerate(zip(central(c), np.atleast_1d(c(x)))):
            if value < 1e-6:
                columns.append(row)
                owners.append((name, k, 1))
    place = [(name, k) for name, size in names for k in range(size)]
    for j, (name, k) in enumerate(place):
        if lower is not None and x[j] - np.broadcast_to(lower, x.shape)[j] < 1e-7:
            columns.append(np.eye(len(x))[j])
            owners.append((name + ".lower", k, 1))
        if upper is not None and np.broadcast_to(upper, x.shape)[j] - x[j] < 1e-7:
            columns.append(-np.eye(len(x))[j])
            owners.append((name + ".upper", k, 1))
    prices = {}
    if columns:
        values, rest = optimize.nnls(np.array(columns).T, central(f)[0])
        assert rest < 1e-3 * (1 + np.linalg.norm(central(f)[0])), f"not an optimum: {rest}"
        for (name, k, sign), value in zip(owners, values):
            prices[f"{name}[{k}]"] = prices.get(f"{name}[{k}]", 0.0) + sign * value
    return x, prices


def reservoir(theta):
    spring, summer, value, pool = theta
    inflow, w = np.array([2, spring, 1.5, summer, 0.6, 1.2]), np.array([1, 1, 1.2, value, value, 1])
    storage = lambda r: 4 + np.cumsum(inflow - r)  # noqa: E731
    f = lambda r: -w @ np.log(np.maximum(r + 0.01, 1e-12)) + 0.05 * ((storage(r) - 5) ** 2).sum()  # noqa: E731
    above = {"dead": lambda r: storage(r) - 2, "flood": lambda r: pool - storage(r), "cycle": lambda r: storage(r)[5] - 4}
    start = np.minimum(inflow, [2.4, 2.4, 2.4, 2.9, 2.9, 2.4])
    return with_prices(f, start, above=above, lower=0, upper=np.array([2.5, 2.5, 2.5, 3, 3, 2.5]), names=[("release", 6)])


def grasp(theta):
    weight, side, friction = theta
    half = 0.8660254
    equal = {"lift": lambda z: z[1] + z[4] + z[7] - weight,
             "across": lambda z: z[2] - 0.5 * z[5] - 0.5 * z[8] + half * (z[3] - z[6]) - side,
             "along": lambda z: half * (z[5] - z[8]) + z[0] - 0.5 * (z[3] + z[6])}
    cone = lambda i: lambda z: friction * z[i + 2] - np.hypot(z[i], z[i + 1])  # noqa: E731
    above = {"cone_a": cone(0), "cone_b": cone(3), "cone_c": cone(6), "crush": lambda z: 14 - z[2] - z[5] - z[8]}
    tall = weight / 3
    start = [0.0, tall, 1.5 * tall / friction + side / 2] * 3
    return with_prices(lambda z: z @ z, start, equal, above, names=[("a", 3), ("b", 3), ("c", 3)])


def farm(theta):
    wheat, maize, water, nitrogen = theta
    p, r = np.array([wheat, 1.4 * maize, 0.9, 0.7]), np.array([0.8 * wheat, maize, 0.5, 0.4])

    def f(z):
        a, n = np.maximum(z[:4], -0.09), np.maximum(z[4:], -0.04)
        return -p @ np.sqrt(a + 0.1) - r @ np.sqrt(n + 0.05) + nitrogen * z[4:].sum() + 0.02 * z[:4] @ z[:4] + 0.01 * z[4:] @ z[4:]
    above = {"land": lambda z: 10 - z[:4].sum(), "irrigation": lambda z: water - np.array([0.3, 0.8, 0.5, 0.2]) @ z[:4],
             "clean": lambda z: 3 - z[4:].sum()}
    return with_prices(f, [1.0] * 4 + [0.5] * 4, {}, above, 0, np.array([6.0] * 4 + [1e6] * 4), names=[("area", 4), ("rate", 4)])


def leverage(theta):
    """w = 1/4-ish as a difference of what is long and what is short, so that the sum of absolute values is linear."""
    v1, v2, v3, limit = theta
    S = np.array([[0.04, 0.012, 0.006, 0.01], [0.012, 0.03, 0.009, 0.004], [0.006, 0.009, 0.06, 0.015], [0.01, 0.004, 0.015, 0.05]])
    bench, view = np.array([0.3, 0.3, 0.2, 0.2]), np.array([v1, v2, v3, 0.1]) / 2
    w = lambda z: z[:4] - z[4:]  # noqa: E731
    f = lambda z: 10 * w(z) @ S @ w(z) - view @ w(z) + 1e-9 * z @ z  # noqa: E731
    above = [lambda z: limit - z.sum(), lambda z: 50 * (0.02 - (w(z) - bench) @ S @ (w(z) - bench)), lambda z: w(z) + 0.5]
    return w(minimise(f, np.r_[bench, np.zeros(4)], [lambda z: w(z).sum() - 1], above, 0))


def dose(theta):
    shift, density, prescribed = theta
    tilt = np.exp(np.array([0.2, 0.1, 0, -0.1, -0.2]) * shift) / density
    T = np.array([[1, 0.6, 0.3, 0.2, 0.5], [0.7, 1, 0.5, 0.4, 0.2], [0.4, 0.7, 1, 0.5, 0.3], [0.3, 0.4, 0.8, 1, 0.6]]) * tilt
    O = np.array([[0.3, 0.5, 0.2, 0.1, 0.6], [0.1, 0.2, 0.6, 0.7, 0.3], [0.5, 0.1, 0.3, 0.3, 0.2]]) * tilt  # noqa: E741

    def f(z):  # z = (fluence, what is above the kink)
        x = z[:5]
        return 10 * ((T @ x - prescribed) ** 2).sum() + (np.maximum(O @ x - 0.8, 0) ** 2).sum() + 0.05 * x @ x + 0.1 * z[5]
    above = {"cold": lambda z: T @ z[:5] - 0.97 * prescribed, "mean": lambda z: 0.75 * prescribed / density - (O @ z[:5]).sum() / 3,
             "kink": lambda z: z[5] - (O[0] - O[1]) @ z[:5]}
    x, prices = with_prices(f, [0.8] * 5 + [0.5], {}, above, 0, np.array([3.0] * 5 + [1e6]), names=[("fluence", 5), ("kink", 1)])
    return x[:5], {name: price for name, price in prices.items() if not name.startswith("kink")}


PROBLEMS = {"water-filling": water_filling, "equilibrium": equilibrium, "transport": transport, "isotonic": isotonic, "turnover": turnover,
            "truss": truss, "weber": weber, "hinge": hinge, "pinball": pinball, "execution": execution, "entropy-die": entropy_die,
            "antenna": antenna, "blending": blending, "cournot": cournot, "two-products": two_products,
            "reservoir": reservoir, "grasp": grasp, "farm": farm, "leverage": leverage, "dose": dose, **optima.TRUTHS, **visitor.TRUTHS,
            **{name: functools.partial(truth, minimise=minimise) for name, truth in (optima.BY_SLSQP | visitor.BY_SLSQP).items()}}


def price_error(names, values, prices):
    """Root mean square of the errors of all multipliers, over that of the multipliers unless all are zero. `c` is also called c[0]."""
    columns = {name if name.endswith("]") else name + "[0]": values[:, k] for k, name in enumerate(names)}
    truth = {name: np.array([of.get(name, 0.0) for of in prices]) for name in columns}
    unknown = {name for of in prices for name in of} - set(columns)
    assert not unknown, f"no multipliers of {unknown}"
    size = sum((price**2).mean() for price in truth.values())
    return np.sqrt(sum(((columns[name] - truth[name]) ** 2).mean() for name in columns) / (size or 1))


def run(arguments, name, seed):
    document = tomllib.loads((FOLDER / f"{name}.toml").read_text())
    thetas = parameters(document, FOLDER, arguments.fresh, 42)
    found = [PROBLEMS[name](theta) for theta in thetas]
    priced = isinstance(found[0], tuple)
    truth = np.array([x for x, _ in found] if priced else found)
    prices = [of for _, of in found] if priced else []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        command = [arguments.program, "solve", str(FOLDER / f"{name}.toml"), "--json", "--quiet", "-o", str(folder / "run"),
                   "--set", f"solve.relative_tolerance={arguments.tolerance}", "--set", f"solve.seed={seed}", "--set", "solve.max_seconds=60",
                   "--set", "solve.threads=1"]
        done = subprocess.run(command, capture_output=True, text=True)
        try:
            summary = json.loads(done.stdout)
        except json.JSONDecodeError:
            return f"{name:16} exit {done.returncode}: {done.stderr.strip()}"
        (folder / "theta.csv").write_text("\n".join([",".join(document["parameters"])] + [",".join(f"{t:.17g}" for t in row) for row in thetas]) + "\n")
        found = subprocess.run([arguments.program, "eval", str(folder / "run"), "--csv", str(folder / "theta.csv"), "--anyway", "--extrapolate"]
                               + (["--multipliers"] if priced else []), capture_output=True, text=True)
        if found.returncode:
            return f"{name:16} {summary['status']} {summary['stop_reason']} eval: {found.stderr.strip()}"
        head, *cells = list(csv.reader(io.StringIO(found.stdout)))
        d, q = thetas.shape[1], truth.shape[1]
        values = np.array([[float(cell) for cell in row] for row in cells])
        x = values[:, d:d + q]
    off = price_error(head[d + q:], values[:, d + q:], prices) if priced else None
    size = np.sqrt((truth**2).sum(1).mean())
    error = np.sqrt(((x - truth) ** 2).sum(1).mean()) / size
    estimate = (summary.get("error") or {}).get("estimate")
    return (f"{name:16} {summary['status']:16} estimate {estimate / size if estimate else float('nan'):8.1e} true {error:8.1e} "
            f"violation {summary.get('violation') or 0:7.1e} gradients {summary['gradient_evaluations']:8} m {summary['basis_size']:4} "
            f"{summary['seconds']:6.2f} s  " + (f"multipliers {off:7.1e}  " if priced else "") + f"{summary['stop_reason']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(PROBLEMS), metavar="NAME")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "chaosgrad"))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--fresh", type=int, default=100)
    arguments = parser.parse_args()
    for name in arguments.names:
        for seed in range(1, arguments.seeds + 1):
            print(run(arguments, name, seed), flush=True)


if __name__ == "__main__":
    main()
