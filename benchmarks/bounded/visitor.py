"""Optima of the problems that a stranger wrote later, by SciPy, in closed form, or by an interior point method of benchmarks/convex_truth.py."""
import pathlib

import numpy as np
from convex_truth import Instances
from optima import group_lasso_steps, priced, total_variation
from scipy import optimize, stats

DATA = pathlib.Path(__file__).resolve().parent / "data"


def table(name, header=0):
    return np.loadtxt(DATA / name, delimiter=",", skiprows=header)


def linear(cost, below=None, most=None, equal=None, sums=None, bounds=(0, None)):
    found = optimize.linprog(cost, below, most, equal, sums, bounds, method="highs")
    assert found.status == 0, found.message
    return found.x


def diet(theta):
    calories, protein, fat = theta
    foods = np.array([[90, 120, 106, 97, 130, 180], [4, 8, 7, 1.3, 8, 9.2], [1, 5, 9, 0.1, 7, 1], [-15, -11.7, -0.4, -22.6, 0, -17]])
    return linear([2, 3.5, 8, 1.5, 11, 1], -foods, [-calories, -protein, -fat, 350], bounds=[(0, u) for u in (10, 6, 5, 8, 4, 5)])


def powerco(theta):
    cost = [8.1, 6, 10.3, 9, 9, 12.2, 13, 7.4, 14, 9.1, 16, 5.3, 25.2, 26.7, 28.3, 24.1]
    return linear(cost, np.kron(np.eye(4)[:3], np.ones(4)), [35, 50 * theta[4], 40], np.tile(np.eye(4), 4), theta[:4])


def rebalancing(theta, minimise):
    risk, view, fee = theta
    S = np.array([[400, 180, 120, 20, 100], [180, 625, 200, 10, 150], [120, 200, 900, 0, 240], [20, 10, 0, 36, 5], [100, 150, 240, 5, 324]]) / 1e4
    held, mean = np.array([0.25, 0.15, 0.1, 0.3, 0.2]), np.array([0.07, 0.085, view, 0.03, 0.06])
    w = lambda z: held + z[:5] - z[5:]  # noqa: E731
    f = lambda z: 100 * (risk / 2 * w(z) @ S @ w(z) - mean @ w(z) + fee * z.sum())  # noqa: E731
    return w(minimise(f, np.full(10, 0.01), [lambda z: w(z).sum() - 1], [w, lambda z: 0.4 - w(z), lambda z: 0.5 - w(z)[:2].sum()], 0))


def three_buses(theta, minimise):
    """In the powers and what is shed, per 100 MW; the balances give the angles. All costs less 7.9, as the sum is given."""
    load, wind, limit = theta
    angles = lambda z: np.linalg.solve([[-1000, -1250], [-1800, 800]], [100 * z[0], 0.3 * load - wind - 100 * z[1]])  # noqa: E731

    def free(z):
        phi = angles(z)
        flow = np.array([1250 * phi[1], 800 * (phi[0] - phi[1]), 1000 * phi[0]])
        return np.r_[np.array([limit, 200, 200]) - flow, np.array([limit, 200, 200]) + flow] / 100
    f = lambda z: (np.array([0.02, -0.05, 0.07, 992.1]) @ z + np.array([0.1562, 0.194, 0.482]) @ z[:3] ** 2) / 10  # noqa: E731
    z = minimise(f, [3.5, 2.5, 1, 1], [lambda z: z.sum() - (load - wind) / 100], [free], [1.5, 1, 0.5, 0], [6, 4, 2, 10])
    return np.r_[100 * z[:3], angles(z), 100 * z[3]]


def parking(theta, minimise):
    p0, v0, mass = theta
    ahead = np.subtract.outer(np.arange(12), np.arange(12))
    faster, further, coasting = np.tril(np.ones((12, 12))) / (2 * mass), np.tril(ahead + 0.5) / (4 * mass), p0 + v0 * np.arange(1, 13) / 2
    speed = lambda u: v0 + faster @ u  # noqa: E731
    place = lambda u: coasting + further @ u  # noqa: E731
    f = lambda u: place(u) @ place(u) + 0.2 * speed(u) @ speed(u) + 0.1 * u @ u  # noqa: E731
    return minimise(f, np.zeros(12), [lambda u: place(u)[-1], lambda u: speed(u)[-1]], [lambda u: 1.2 - speed(u), lambda u: speed(u) + 0.7], -1, 1)


def ten_bar_truss(theta):
    """Areas and forces; directions of the bars from the places of the nodes."""
    nodes = np.array([[720, 270], [720, 0], [360, 270], [360, 0], [0, 270], [0, 0]])
    bars = np.array([[5, 3], [3, 1], [6, 4], [4, 2], [3, 4], [1, 2], [5, 4], [6, 3], [3, 2], [4, 1]]) - 1
    way = nodes[bars[:, 1]] - nodes[bars[:, 0]]
    length = np.hypot(*way.T)
    pull = np.zeros((6, 2, 10))
    for k, (i, j) in enumerate(bars):
        pull[i, :, k] += way[k] / length[k]
        pull[j, :, k] -= way[k] / length[k]
    one, load = np.eye(10), np.zeros((4, 2))
    load[0, 0], load[1, 1], load[3, 1] = theta[2], -theta[0], -theta[1]
    cost = np.repeat([0.1, 0.11, 0.106, 0.103], [4, 2, 2, 2]) * length
    return linear(np.r_[cost, np.zeros(10)], np.block([[-25 * one, one], [-20 * one, -one]]), np.zeros(20),
                  np.hstack([np.zeros((8, 10)), pull[:4].reshape(8, 10)]), -load.ravel(), [(0.1, None)] * 10 + [(None, None)] * 10)


def tv_signal(theta):
    return total_variation(table("signal40.csv") + (theta[1] - 1) * (np.arange(40) // 10 == 2), theta[0])


def group_lasso(theta):
    weight, shift = theta
    X = np.hstack([table(f"group{k}.csv") for k in (1, 2, 3)])
    y = table("response.csv") + shift * X[:, 3:5].sum(1)
    return group_lasso_steps(X / np.sqrt(24), y / np.sqrt(24), weight * np.sqrt(3), 3)


def chebyshev_cubic(theta):
    s = np.arange(21) / 20
    V, f, one = np.vander(s, 4, increasing=True), np.exp(-theta[0] * s), np.ones((21, 1))
    return linear([0, 0, 0, 0, 1], np.block([[V, -one], [-V, -one]]), np.r_[f, -f], bounds=(None, None))


def hydrazine(theta):
    """n_i = total exp(potentials of its elements - c_i): the balances and sum n_i = total give three potentials and the total."""
    pressure, hydrogen = theta
    A = np.array([[1, 2, 2, 0, 0, 1, 0, 0, 0, 1], [0, 0, 0, 1, 2, 1, 1, 0, 0, 0], [0, 0, 1, 0, 0, 0, 1, 1, 2, 1]])
    c = np.array([-6.089, -17.164, -34.054, -5.914, -24.721, -14.986, -24.1, -10.708, -26.662, -22.179]) + np.log(pressure / 51)
    share = lambda v: np.exp(A.T @ v[:3] - c)  # noqa: E731

    def wrong(v):
        return np.r_[np.exp(v[3]) * A @ share(v) - [hydrogen, 1, 1], share(v).sum() - 1]
    found = optimize.root(wrong, [-9.8, -12.2, -15, 0.5], tol=1e-13)
    assert np.abs(wrong(found.x)).max() < 1e-10, found.message
    return np.exp(found.x[3]) * share(found.x)


def network_utility(theta, minimise):
    second, users, fade = theta
    flows = np.array([[0, 1, 4], [0, 2, 5], [1, 3, 5], [2, 3, 4]])
    f = lambda x: 1 / x[5] - np.array([users, 1, 2, 1, 0.5]) @ np.log(x[:5])  # noqa: E731
    capacity = np.array([8, second, 10, 9 * np.exp(-fade)])
    return minimise(f, np.full(6, min(1, capacity.min() / 4)), above=[lambda x: capacity - x[flows].sum(1)], lower=1e-6, upper=5)


def box_floor(theta, minimise):
    """Logarithms of height, width and depth."""
    walls, floor = np.log(theta)
    above = [lambda z: walls - np.log(2) - z[0] - np.logaddexp(z[1], z[2]), lambda z: floor - z[1] - z[2],
             lambda z: np.log(2) - np.array([z[0] - z[1], z[1] - z[0], z[2] - z[1], z[1] - z[2]])]
    return minimise(lambda z: -z.sum(), [1, 1, 1], above=above)


def cvar_months(theta):
    """One slack for each month; the returns wished for move the target."""
    appetite, view = theta
    rows, one = table("returns.csv", header=1), np.eye(5)
    target = np.array([0.3, 0.2, 0.3, 0.2]) + appetite * np.array([0.9, view, 0.4, 0.25]) / 10
    problem = Instances(np.array([[0.25, 0.25, 0.25, 0.25, 1]]), one[:4], target[None], [10] * 4, ["quadratic"] * 4)
    zero = np.zeros((1, 5)), np.zeros(1)
    problem.kinks = [(np.ones(1), [(one[4:], np.zeros(1))])]
    problem.kinks += [(np.full(1, 1 / 7.8), [(-np.append(row, 1)[None], np.zeros(1)), zero]) for row in rows]
    problem.rows = [(f"short{k}", -one[k:k + 1], np.zeros(1)) for k in range(4)]
    problem.equal = [("budget", np.array([[1, 1, 1, 1, 0]]), np.ones(1))]
    x, _, wrong = problem.solve()
    assert wrong[0] < 1e-8, wrong
    return x[0]


def one_press(theta):
    level, hours = theta
    first, second = stats.norm(level, 20), stats.gamma(4, scale=20)
    amounts = lambda m: np.array([max(first.ppf(np.clip((6 - m) / 9, 1e-300, 1)), 0), second.ppf(np.clip((6 - m) / 8, 0, 1))])  # noqa: E731
    return priced(amounts, lambda q: q[0] + 2 * q[1], hours)


def farmer(theta):
    """For each harvest: bought wheat and corn, sold wheat and corn, beets within the quota and above it."""
    land, feed, quota = theta
    below, most = [np.r_[1, 1, 1, np.zeros(18)]], [land]
    for k, y in enumerate((0.8, 1, 1.2)):
        rows = np.zeros((4, 21))
        rows[[0, 1, 2], [0, 1, 2]] = -y * np.array([2.5, 3, 20])
        rows[:, 3 + 6 * k:9 + 6 * k] = [[-1, 0, 1, 0, 0, 0], [0, -1, 0, 1, 0, 0], [0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 1, 0]]
        below, most = [*below, *rows], [*most, -feed, -240, 0, quota]
    return linear(np.r_[150, 230, 260, np.tile([238, 210, -170, -150, -36, -10], 3) / 3], np.array(below), most)[:3]


def robust_plan(theta, minimise):
    hedge, labour = theta
    use, spread = np.array([[1, 1, 1], [2, 1, 0.5], [1, 3, 1]]), np.array([[3, 4, 2], [5, 2, 3], [2, 2, 1]]) / 10
    free = lambda x: (np.array([labour, 150, 200]) - use @ x - hedge * np.sqrt((spread * x) ** 2 @ np.ones(3) + 1e-18)) / 100  # noqa: E731
    return minimise(lambda x: -np.array([0.4, 0.3, 0.2]) @ x, [20, 20, 20], above=[free], lower=0)


def eisenberg_gale(theta, minimise):
    """By the prices, min sum p - sum money log(least p/worth), convex in log p; then by what each buyer spends on each good."""
    worth, money = np.array([[6, 2, 1], [3, 4, 1.7], [1, 2, 5]]), np.r_[theta, 1]
    f = lambda z: np.exp(z[:3]).sum() - money @ z[3:]  # noqa: E731
    above = lambda z: (z[:3] - np.log(worth) - z[3:, None]).ravel()  # noqa: E731
    prices = np.exp(minimise(f, [0.2, 0.2, 0.2, -2, -2, -2], above=[above])[:3])
    bought = prices / worth < (prices / worth).min(1, keepdims=True) * (1 + 1e-5)
    # Only on what is best for its price, all money, and no good is left.
    equal = np.vstack([np.kron(np.eye(3), np.ones(3)), np.kron(np.ones(3), np.eye(3))])
    spent = optimize.lsq_linear(equal * bought.ravel() + 0.0, np.r_[money, prices], bounds=(0, np.inf), tol=1e-14).x * bought.ravel()
    assert np.abs(equal @ spent - np.r_[money, prices]).max() < 1e-5
    return (spent.reshape(3, 3) / prices).ravel()


def looped_water(theta, minimise):
    """In the flows of the two loops, per 10 l/s."""
    level, C, fire = theta
    size, length = np.array([0.5, 0.3, 0.35, 0.2, 0.25, 0.25, 0.2]), np.array([500, 800, 900, 700, 1000, 800, 600])
    resistance = 10.67 * length / (np.array([130, C, 120, 120, 110, 110, 100]) ** 1.852 * size**4.87)
    last, before, third = 3 * level, 4 * level + 100 * fire, 3 * level
    tree = np.array([15 * level + 100 * fire, before + 3 * level, third + last, 0, before, last, 0])
    flow = lambda z: tree + z @ np.array([[0, 1, -1, 1, 0, 0, 0], [0, 1, -1, 0, 1, -1, 1]])  # noqa: E731
    z = minimise(lambda z: 1e-3 * resistance @ np.abs(flow(z)) ** 2.852, [0.1, 0], above=[lambda z: flow(z)[3], lambda z: 7 - flow(z)[1]])
    return flow(z) / 100


def depot(theta):
    """At a customer if the others pull less than its weight; else by BFGS, inside or along the river."""
    sites, weights = np.array([[1, 2], [8, 1], [7, 7], [2, 8], [4, 4]]), np.array([theta[0], 1.5, 2, 1, theta[1]])
    near = lambda x: x[0] + 0.5 * x[1] <= theta[2]  # noqa: E731
    f = lambda x: weights @ np.hypot(*(x - sites).T)  # noqa: E731
    for k, site in enumerate(sites):
        way = np.delete(site - sites, k, 0)
        if near(site) and np.hypot(*(np.delete(weights, k) @ (way / np.hypot(*way.T)[:, None]))) <= weights[k]:
            return site
    x = optimize.minimize(f, [3, 3.3], method="BFGS", options={"gtol": 1e-9}).x
    if near(x):
        return x
    t = optimize.minimize_scalar(lambda t: f(np.array([theta[2] - t / 2, t])), bounds=(0, 9), method="bounded", options={"xatol": 1e-12}).x
    return np.array([theta[2] - t / 2, t])


TRUTHS = {truth.__name__.replace("_", "-"): truth for truth in (diet, powerco, ten_bar_truss, tv_signal, group_lasso, chebyshev_cubic, hydrazine,
                                                                cvar_months, one_press, farmer, depot)} | {"farmer-sales": farmer}
BY_SLSQP = {truth.__name__.replace("_", "-"): truth
            for truth in (rebalancing, three_buses, parking, network_utility, box_floor, robust_plan, eisenberg_gale, looped_water)}
