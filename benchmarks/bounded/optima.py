"""Optima of the problems that were added last; those of the others are in benchmarks/bounded.py. Found by SciPy or in closed form."""
import itertools

import numpy as np
from scipy import optimize, special, stats

# minimise(f, x0, equal, above, lower, upper) of bounded.py is handed to those that need it.


def priced(x, spent, most):
    """x(price) with the price at which spent(x) = most; 0 if less is spent without one."""
    if spent(x(0)) <= most:
        return x(0)
    return x(optimize.brentq(lambda price: spent(x(price)) - most, 0, 1e6, xtol=1e-15))


def multi_item_stock(theta):
    demand, rate, money = theta
    cost, price = demand * np.array([1, 0.6, 2.5]) * [40, 60, 25], np.array([10, 25, 4])
    return priced(lambda m: np.maximum(1, np.sqrt(cost / (rate / 2 * price + m * price))), lambda Q: price @ Q, money)


def lots(theta):
    first, third, room = theta
    cost, hold, volume = np.array([40 * first, 90 * 2000, 500 * third]), np.array([0.02, 5, 800]), np.array([0.05, 2, 30])
    return priced(lambda m: np.maximum(0.01, np.sqrt(cost / (hold / 2 + m * volume))), lambda q: volume @ q, room)


def consumer(theta):
    return theta[3] * np.array([0.3, 0.5, 0.2]) / theta[:3]


def network_traffic(theta):
    """All routes in use have the same marginal cost, found by bisection."""
    trips, capacity = theta
    free = np.array([10, 12, 15, 20])
    costs = [lambda f: 10 + 1.5 * (f / capacity) ** 4, lambda f: 12 + (f / 4) ** 4, lambda f: 15 + 2.5 * (f / 2) ** 4, lambda f: 20 + 0.2 * f]

    def flows(price):
        return np.array([0 if price <= base else optimize.brentq(lambda f: cost(f) - price, 0, 1e4, xtol=1e-13) for base, cost in zip(free, costs)])
    return flows(optimize.brentq(lambda price: flows(price).sum() - trips, 10, 1e3, xtol=1e-13))


def least_squares(H, c, lower, upper):
    """min x'Hx/2 - c'x between bounds."""
    root = np.linalg.cholesky(H).T
    return optimize.lsq_linear(root, np.linalg.solve(root.T, c), bounds=(lower, upper), method="bvls", tol=1e-15).x


def svm_dual(theta):
    C, width = theta
    p, s = np.array([0, 0.4, 1, 1.3, 1.9, 2.4, 3, 3.3]), np.array([1, 1, 1, -1, 1, -1, -1, -1])
    H = np.outer(s, s) * np.exp(-(p[:, None] - p) ** 2 / (2 * width**2)) + 0.01 * np.eye(8)
    dual = lambda price: least_squares(H, 1 + price * s, 0, C)  # noqa: E731
    return dual(optimize.brentq(lambda price: s @ dual(price), -1.5, 1.5, xtol=1e-13))


def spectral_unmixing(theta):
    shade, dust = theta
    E = np.array([[0.2, 0.5, 0.8, 0.3], [0.3, 0.5, 0.6, 0.1], [0.4, 0.6, 0.3, 0.2], [0.6, 0.4, 0.2, 0.7], [0.8, 0.4, 0.2, 0.5]])
    y = np.array([0.42, 0.36, 0.44, 0.45, 0.52])
    share = lambda price: least_squares(shade**2 * E.T @ E + 1e-3 * np.eye(4), shade * E.T @ (y - dust) + price, 0, np.inf)  # noqa: E731
    return share(optimize.brentq(lambda price: share(price).sum() - 1, -50, 50, xtol=1e-14))


def fisher_market(theta, minimise):
    budget, taste = theta

    def f(z):
        x, y = z[:3], z[3:]
        u = np.array([taste * x[0] + 0.5 * y[0], 0.3 * x[1] + 0.9 * y[1], 0.6 * x[2] + 0.4 * y[2]]) + 0.05
        return -np.array([budget, 1, 0.7]) @ np.log(np.maximum(u, 1e-9)) + 0.01 * z @ z
    return minimise(f, np.full(6, 0.3), above=[lambda z: 1 - z[:3].sum(), lambda z: 1 - z[3:].sum()], lower=0)


def ball_around(theta):
    """The best of the circles through two or three of the points."""
    points = np.array([[2 + theta[0], 0], [-1, 2 + theta[1]], [0, -2], [-2, -0.5], [1, 1.5]])
    centres = [(a + b) / 2 for a, b in itertools.combinations(points, 2)]
    for a, b, c in itertools.combinations(points, 3):
        A = 2 * np.array([b - a, c - a])
        if abs(np.linalg.det(A)) > 1e-12:
            centres.append(np.linalg.solve(A, [b @ b - a @ a, c @ c - a @ a]))
    reach = lambda centre: np.hypot(*(points - centre).T).max()  # noqa: E731
    best = min(centres, key=reach)
    return np.append(best, reach(best))


def chebyshev_centre(theta):
    t, u = theta
    rows = [[0, -1, 1], [-1, 0, 1], [1, 0.5, np.sqrt(1.25)], [0.3, 1, np.sqrt(1.09)]]
    return optimize.linprog([0, 0, -1], rows, [0, 0, 1 + u, 1 + t], bounds=[(None, None)] * 3, method="highs").x


def dc_flow(theta, minimise):
    load, wind, limit = theta
    f = lambda z: 0.02 * z[0]**2 + 12 * z[0] + 0.03 * z[1]**2 + 15 * z[1] + 0.05 * z[2]**2 + 18 * z[2] + 1e-3 * z[3:] @ z[3:]  # noqa: E731
    equal = [lambda z: z[0] + 10 * z[3] + 8 * z[4], lambda z: z[1] + wind - 0.4 * load - 18 * z[3] + 8 * z[4],
             lambda z: z[2] - 0.6 * load - 16 * z[4] + 8 * z[3]]
    above = [lambda z: limit + 10 * z[3], lambda z: limit + 8 * z[4]]
    far = np.array([1e3, 1e3])
    return minimise(lambda z: f(z) / 100, [50, 50, 50, 0, 0], equal, above, np.r_[0, 0, 0, -far], np.r_[120, 90, 100, far])


def borrowing(theta, minimise):
    aversion, interest, growth = theta
    weight, income = np.array([1, 0.96, 0.92, 0.88, 0.85]), np.array([1.2, growth, growth**2, 0.8, 0.3])
    back = np.tril((1 + interest) ** np.subtract.outer(np.arange(5.0), np.arange(5)))
    f = lambda c: weight @ np.maximum(c, 1e-3) ** (1 - aversion) / (aversion - 1)  # noqa: E731
    return minimise(f, income * 0.9, above=[lambda c: back @ (income - c)], lower=1e-3)


def cable_net(theta):
    mass, wind = theta

    def f(p):
        stretch = lambda x, y, length: max(np.hypot(p[0] - x, p[1] - y) - length, 0) ** 2  # noqa: E731
        return 20 * stretch(-1, 0, 1.2) + 20 * stretch(1, 0, 1.2) + 5 * stretch(0, 1, 1) + mass * p[1] - wind * p[0] + 0.05 * p @ p
    p = np.array([0, -1.0])
    for _ in range(3):
        p = optimize.minimize(f, p, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-15, "maxiter": 4000}).x
    return p


def entropic_hedge(theta, minimise):
    aversion, cost = theta
    loss, p = np.array([0, 0.2, 0.5, 1, 1.8, 3]), np.array([0.2, 0.25, 0.2, 0.15, 0.15, 0.05])
    A = np.array([[-0.3, 0], [-0.1, -0.1], [0.1, -0.1], [0.3, 0], [0.6, 0.4], [0.9, 1.2]])
    f = lambda h: special.logsumexp(aversion * (loss - A @ h), b=p) / aversion + cost * h.sum() + 0.01 * h @ h  # noqa: E731
    return minimise(f, [0.5, 0.5], lower=0, upper=1.5)


def geometric_box(theta, minimise):
    wall, ground, aspect = theta
    above = [lambda z: np.log(wall) - np.log(2 * np.exp(z[0] + z[1]) + 2 * np.exp(z[0] + z[2])), lambda z: np.log(ground) - z[1] - z[2],
             lambda z: np.log(2) - z[0] + z[1], lambda z: np.log(aspect) - z[2] + z[1], lambda z: np.log(aspect) - z[1] + z[2]]
    return minimise(lambda z: -z.sum(), [1, 1, 1], above=above)


def packing(theta, minimise):
    wall, ground = theta
    above = [lambda z: np.log(wall / 2) - z[0] - np.logaddexp(z[1], z[2]), lambda z: np.log(ground) - z[1] - z[2],
             lambda z: np.log(2) - np.array([z[0] - z[1], z[1] - z[0], z[2] - z[1], z[1] - z[2]])]
    return minimise(lambda z: -z.sum(), [1, 1, 1], above=above)


def volatility(theta, minimise):
    risk, first = theta
    F = np.array([[0.3, 0.04475, 0.03762, 0.02327, -0.00205], [0, 0.2154, -0.01923, 0.01157, -0.04197], [0, 0, 0.16467, -0.01357, -0.00262],
                  [0, 0, 0, 0.11636, -0.00156], [0, 0, 0, 0, 0.06801]])
    gain = np.array([first, 0.105, 0.08, 0.06, 0.035])
    return minimise(lambda w: -10 * gain @ w, [0.1, 0.1, 0.2, 0.2, 0.4], [lambda w: w.sum() - 1],
                    [lambda w: 100 * (risk**2 - (F @ w) @ (F @ w))], 0, 0.7)


def quantile_rows(theta):
    """The least at the rows and at the minima of the parabolas between them."""
    level, t = theta[0], np.array([1.2, 0.4, 2.2, 3.1, 0.9, 1.4, 5.2, 0.7, 2.0])
    f = lambda m: np.maximum(level * (t - m), (level - 1) * (t - m)).sum() + 0.5 * (m - 1.5) ** 2  # noqa: E731
    return np.array([min([*t, *(1.5 + level * 9 - np.arange(10))], key=f)])


def beer_game(theta):
    price, mean = theta
    return np.clip([stats.norm(mean, 0.3 * mean).ppf((price - 3) / (price - 0.5))], 0, 70)


def poisson_rate(theta):
    """Newton's method, halved steps."""
    exposure, ridge = theta
    X, k = np.column_stack([np.ones(7), [-1.5, -1, -0.3, 0.1, 0.7, 1.2, 1.9]]), np.array([0, 1, 1, 3, 4, 9, 17])
    f = lambda b: exposure * np.exp(X @ b).sum() - k @ X @ b + ridge / 2 * b @ b  # noqa: E731
    b = np.zeros(2)
    for _ in range(100):
        rate = exposure * np.exp(X @ b)
        step = np.linalg.solve(X.T * rate @ X + ridge * np.eye(2), X.T @ (rate - k) + ridge * b)
        while f(b - step) > f(b) and np.abs(step).max() > 1e-12:
            step = step / 2
        b = b - step
    return b


def robust_line(theta):
    threshold, outlier = theta
    X, y = np.column_stack([np.ones(6), np.arange(6)]), np.array([0.1, 1.3, 1.8, 3.2, 3.9, outlier])
    f = lambda b: special.huber(threshold, X @ b - y).sum() + 1e-3 * b @ b  # noqa: E731
    slope = lambda b: X.T @ np.clip(X @ b - y, -threshold, threshold) + 2e-3 * b  # noqa: E731
    b = np.array([0, 1.0])
    for _ in range(2):
        b = optimize.minimize(f, b, jac=slope, method="BFGS", options={"gtol": 1e-11}).x
    return b


def pendulum_mpc(theta, minimise):
    x0, v0, thrust = theta
    L = np.tril(np.ones((8, 8)))
    v = lambda u: v0 + 0.5 * L @ u  # noqa: E731
    x = lambda u: x0 + 0.5 * v0 * np.arange(1, 9) + 0.25 * L @ L @ u  # noqa: E731
    f = lambda u: (x(u) @ x(u) + 0.5 * v(u) @ v(u) + 0.2 * u @ u) / 10  # noqa: E731
    return minimise(f, np.zeros(8), above=[lambda u: v(u) + 1.2], lower=-thrust, upper=thrust)


def total_variation(y, weight):
    """The dual: x = y - D's, |s| <= weight."""
    D = np.diff(np.eye(len(y)), axis=0)
    return y - D.T @ optimize.lsq_linear(D.T, y, bounds=(-weight, weight), method="bvls", tol=1e-15).x


def tv_steps(theta):
    weight, jump = theta
    return total_variation(np.array([0.1, -0.2, 0.15, jump, jump + 0.3, jump - 0.2, 0.4]), weight)


def group_lasso_steps(X, y, weight, size):
    """min |Xz - y|^2/2 + weight sum of |groups of z|, by proximal gradient steps."""
    z, L = np.zeros(X.shape[1]), np.linalg.norm(X, 2) ** 2
    for _ in range(4000):
        z = (z - X.T @ (X @ z - y) / L).reshape(-1, size)
        z = (z * np.maximum(0, 1 - weight / L / np.maximum(np.linalg.norm(z, axis=1, keepdims=True), 1e-300))).ravel()
    return z


def sparse_group(theta):
    weight, shift = theta
    X = np.array([[1, 0.2, 0.5, -0.3], [0.4, 1, -0.2, 0.1], [-0.5, 0.3, 1, 0.6], [0.1, -0.7, 0.4, 1], [0.9, 0.5, -0.1, 0.2], [0.3, 0.3, 0.8, -0.9]])
    return group_lasso_steps(X, np.array([1.5, 0.8, 0.4, -0.2, 1.7, 0.6]) + shift, weight, 2)


TRUTHS = {truth.__name__.replace("_", "-"): truth
          for truth in (multi_item_stock, lots, consumer, network_traffic, svm_dual, spectral_unmixing, ball_around, chebyshev_centre, cable_net,
                        quantile_rows, beer_game, poisson_rate, robust_line, tv_steps, sparse_group)}
BY_SLSQP = {truth.__name__.replace("_", "-"): truth
            for truth in (fisher_market, dc_flow, borrowing, entropic_hedge, geometric_box, packing, volatility, pendulum_mpc)}
