"""Optima under constraints, for many theta at once, by a way of its own: a primal-dual interior point method (Boyd and Vandenberghe,
Convex Optimization, 11.7) that knows nothing of chaosgrad. What it returns is proven by the optimality conditions, not by trust.

    minimise  sum_k weight_k s_k(B_k x - a_k) - sum log terms + sum of max(pieces)
    subject to  G x <= h,  E x = e,  (x - c)' S (x - c) <= R,  exp(x_i - o) + (x_j - p)^2 <= R
"""
import numpy as np


class Shape:
    """A convex function of one number: formula, first and second derivative."""

    def __init__(self, formula, first, second):
        self.formula, self.first, self.second = formula, first, second


def sigmoid(t):
    return 0.5 * (1 + np.tanh(t / 2))


SHAPES = {
    "quadratic": Shape("({t})^2/2", lambda t: t, lambda t: np.ones_like(t)),
    "exponential": Shape("exp(0.7*({t})) - 0.7*({t}) + 0.2*({t})^2", lambda t: 0.7 * np.exp(0.7 * t) - 0.7 + 0.4 * t,
                         lambda t: 0.49 * np.exp(0.7 * t) + 0.4),
    "softplus": Shape("softplus(2*({t})) - ({t}) + 0.25*({t})^2", lambda t: 2 * sigmoid(2 * t) - 1 + 0.5 * t,
                      lambda t: 4 * sigmoid(2 * t) * (1 - sigmoid(2 * t)) + 0.5),
    "quartic": Shape("({t})^2/2 + ({t})^4/8", lambda t: t + t**3 / 2, lambda t: 1 + 1.5 * t**2),
    "cosh": Shape("cosh({t})", np.sinh, np.cosh),
}


class Instances:
    """N instances of a problem. Everything that depends on theta has N rows."""

    def __init__(self, start, B, a, weights, shapes):
        self.start, self.B, self.a, self.weights, self.shapes = start, B, a, weights, shapes  # start: strictly feasible, N x q
        self.logs = []       # (component, weight, shift N):  - weight log(x_i - shift)
        self.kinks = []      # (weight N, pieces [(row N x q, offset N)]):  weight max(row x - offset)
        self.rows = []       # (name, row N x q, right-hand side N):  row x <= right
        self.equal = []      # (name, row N x q, right-hand side N)
        self.quadratic = []  # (name, S, c N x q, R N)
        self.exponential = []  # (name, i, j, o N, p N, R N)

    def solve(self):
        """x (N x q), multipliers {name: N}, and the largest violation of the optimality conditions, relative, for each instance."""
        x, multipliers, wrong = self.attempt(False)
        for b in np.flatnonzero(~(wrong <= 1e-9)):  # rarely
            again, prices, left = self.only(b).attempt(True)
            if left[0] < wrong[b]:
                x[b], wrong[b] = again[0], left[0]
                for name, price in prices.items():
                    multipliers[name][b] = price[0]
        return x, multipliers, wrong

    def only(self, b):
        """Instance b alone."""
        pick = lambda value: value[b:b + 1]  # noqa: E731
        one = Instances(pick(self.start), self.B, pick(self.a), self.weights, self.shapes)
        one.logs = [(i, w, pick(shift)) for i, w, shift in self.logs]
        one.kinks = [(pick(w), [(pick(row), pick(offset)) for row, offset in pieces]) for w, pieces in self.kinks]
        one.rows = [(name, pick(row), pick(right)) for name, row, right in self.rows]
        one.equal = [(name, pick(row), pick(right)) for name, row, right in self.equal]
        one.quadratic = [(name, S, pick(c), pick(R)) for name, S, c, R in self.quadratic]
        one.exponential = [(name, i, j, pick(o), pick(c), pick(R)) for name, i, j, o, c, R in self.exponential]
        return one

    def attempt(self, careful, accuracy=1e-11, steps=400):
        """The same. Careful: from the central path."""
        N, q = self.start.shape
        s = len(self.kinks)
        n = q + s
        # Linear rows in (x, slack).
        G, h = [], []
        for _, row, right in self.rows:
            G.append(np.hstack([row, np.zeros((N, s))]))
            h.append(right)
        for k, (_, pieces) in enumerate(self.kinks):
            for row, offset in pieces:
                minus = np.zeros((N, s))
                minus[:, k] = -1
                G.append(np.hstack([row, minus]))
                h.append(offset)
        G = np.stack(G, 1) if G else np.zeros((N, 0, n))
        h = np.stack(h, 1) if h else np.zeros((N, 0))
        E = np.stack([np.hstack([row, np.zeros((N, s))]) for _, row, _ in self.equal], 1) if self.equal else np.zeros((N, 0, n))
        e = np.stack([right for _, _, right in self.equal], 1) if self.equal else np.zeros((N, 0))
        p, r = G.shape[1], E.shape[1]
        curved = len(self.quadratic) + len(self.exponential)
        m = p + curved

        def constraints(z, at):
            """Values, Jacobian, and the Hessians of the curved ones."""
            x = z[:, :q]
            value, jacobian, hessians = np.empty((len(z), m)), np.zeros((len(z), m, n)), []
            value[:, :p] = np.einsum("bij,bj->bi", G[at], z) - h[at]
            jacobian[:, :p] = G[at]
            k = p
            for _, S, c, R in self.quadratic:
                d = x - c[at]
                value[:, k] = np.einsum("bi,ij,bj->b", d, S, d) - R[at]
                jacobian[:, k, :q] = 2 * d @ S
                H = np.zeros((len(z), n, n))
                H[:, :q, :q] = 2 * S
                hessians.append(H)
                k += 1
            for _, i, j, o, c, R in self.exponential:
                with np.errstate(over="ignore"):
                    u, d = np.exp(x[:, i] - o[at]), x[:, j] - c[at]
                value[:, k] = u + d**2 - R[at]
                jacobian[:, k, i] += u
                jacobian[:, k, j] += 2 * d
                H = np.zeros((len(z), n, n))
                H[:, i, i] += u
                H[:, j, j] += 2
                hessians.append(H)
                k += 1
            return value, jacobian, hessians

        def objective(z, at):
            """Gradient and Hessian; not finite outside of the domain."""
            x = z[:, :q]
            t = x @ self.B.T - self.a[at]
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                first = np.stack([w * SHAPES[k].first(t[:, i]) for i, (w, k) in enumerate(zip(self.weights, self.shapes))], 1)
                second = np.stack([w * SHAPES[k].second(t[:, i]) for i, (w, k) in enumerate(zip(self.weights, self.shapes))], 1)
                g, H = np.zeros((len(z), n)), np.zeros((len(z), n, n))
                g[:, :q] = first @ self.B
                H[:, :q, :q] = np.einsum("bk,ki,kj->bij", second, self.B, self.B)
                for i, w, shift in self.logs:
                    d = x[:, i] - shift[at]
                    g[:, i] += np.where(d > 0, -w / d, np.nan)
                    H[:, i, i] += w / d**2
            for k, (weight, _) in enumerate(self.kinks):
                g[:, q + k] += weight[at]
            return g, H

        z = np.hstack([self.start, np.zeros((N, s))])
        for k, (_, pieces) in enumerate(self.kinks):
            z[:, q + k] = 1 + np.max([np.einsum("bi,bi->b", row, self.start) - offset for row, offset in pieces], 0)
        everyone = np.arange(N)
        value, _, _ = constraints(z, everyone)
        if m and (value >= 0).any():
            raise ValueError("the start is not strictly feasible")
        dual = -1 / value if m else np.zeros((N, 0))
        price = np.zeros((N, r))
        scale = 1 + np.abs(objective(z, everyone)[0]).max(1)
        if careful:
            # Along the central path first: Newton's method on t f - sum log(-c), the step by the sign of the slope (it is convex).
            for t in 10.0 ** np.arange(-3, 7):
                for _ in range(200):
                    value, jacobian, hessians = constraints(z, everyone)
                    g, H = objective(z, everyone)
                    for k, extra in enumerate(hessians):
                        H = H - extra / (t * value[:, p + k, None, None])
                    g = g - np.einsum("bki,bk->bi", jacobian, 1 / (t * value))
                    K = np.zeros((N, n + r, n + r))
                    K[:, :n, :n] = H + np.einsum("bki,bk,bkj->bij", jacobian, 1 / (t * value**2), jacobian)
                    K[:, :n, n:], K[:, n:, :n] = np.swapaxes(E, 1, 2), E
                    step = np.linalg.solve(K, np.hstack([-g, e - np.einsum("bij,bj->bi", E, z)])[..., None])[..., 0]
                    dz, price = step[:, :n], step[:, n:]
                    slope = np.einsum("bi,bi->b", g, dz)
                    if (-slope <= 1e-10 / t).all():
                        break
                    length = np.ones(N)
                    for _ in range(60):
                        trial = z + length[:, None] * dz
                        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                            value, jacobian, _ = constraints(trial, everyone)
                            after = objective(trial, everyone)[0] - np.einsum("bki,bk->bi", jacobian, 1 / (t * value))
                            good = (value < 0).all(1) & (np.einsum("bi,bi->b", after, dz) <= -0.9 * slope)
                        if good.all():
                            break
                        length[~good] /= 2
                    z = z + length[:, None] * dz
                value, _, _ = constraints(z, everyone)
                dual = -1 / (t * value)
        live = np.ones(N, bool)

        def residual(z, dual, price, t, at):
            value, jacobian, _ = constraints(z, at)
            g, _ = objective(z, at)
            stationary = g + np.einsum("bij,bi->bj", jacobian, dual) + np.einsum("bij,bi->bj", E[at], price)
            return (stationary, -dual * value - 1 / t[:, None] if m else np.zeros((len(z), 0)),
                    np.einsum("bij,bj->bi", E[at], z) - e[at], value)

        for _ in range(steps):
            at = np.flatnonzero(live)
            if not len(at):
                break
            Z, D, P = z[at], dual[at], price[at]
            value, jacobian, hessians = constraints(Z, at)
            gap = -(value * D).sum(1) if m else np.zeros(len(at))
            t = np.maximum(10 * m, 1) / np.maximum(gap, 1e-15 * scale[at])
            g, H = objective(Z, at)
            for k, extra in enumerate(hessians):
                H = H + D[:, p + k, None, None] * extra
            stationary, centred, balance, _ = residual(Z, D, P, t, at)
            done = (np.abs(stationary).max(1) <= accuracy * scale[at]) & (gap <= accuracy * scale[at])
            if r:
                done &= np.abs(balance).max(1) <= accuracy
            live[at[done]] = False
            if done.all():
                continue
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                K = np.zeros((len(at), n + r, n + r))
                K[:, :n, :n] = H + np.einsum("bki,bk,bkj->bij", jacobian, D / -value, jacobian)
                K[:, :n, n:] = np.swapaxes(E[at], 1, 2)
                K[:, n:, :n] = E[at]
                right = np.zeros((len(at), n + r))
                right[:, :n] = -(stationary + np.einsum("bki,bk->bi", jacobian, centred / value) if m else stationary)
                right[:, n:] = -balance
            K[:, range(n), range(n)] += 1e-300
            step = np.linalg.solve(K, right[..., None])[..., 0]
            dz, dp = step[:, :n], step[:, n:]
            dd = (centred - D * np.einsum("bki,bi->bk", jacobian, dz)) / value if m else np.zeros((len(at), 0))
            before = np.sqrt((stationary**2).sum(1) + (centred**2).sum(1) + (balance**2).sum(1))
            length = np.ones(len(at))
            if m:
                with np.errstate(divide="ignore", invalid="ignore"):
                    length = np.minimum(1, 0.99 * np.where(dd < 0, -D / dd, np.inf).min(1))
            waiting = ~done
            for _ in range(60):
                w = np.flatnonzero(waiting)
                if not len(w):
                    break
                trial = Z[w] + length[w, None] * dz[w]
                with np.errstate(over="ignore", invalid="ignore"):
                    a, b, c, v = residual(trial, D[w] + length[w, None] * dd[w], P[w] + length[w, None] * dp[w], t[w], at[w])
                    after = np.sqrt((a**2).sum(1) + (b**2).sum(1) + (c**2).sum(1))
                    good = (v < 0).all(1) & np.isfinite(after) & (after <= (1 - 0.01 * length[w]) * before[w] + 1e-13 * scale[at[w]])
                yes = w[good]
                z[at[yes]] += length[yes, None] * dz[yes]
                dual[at[yes]] += length[yes, None] * dd[yes]
                price[at[yes]] += length[yes, None] * dp[yes]
                waiting[yes] = False
                length[w[~good]] /= 2
            live[at[waiting]] = False  # rounding: nothing more to gain
        value, jacobian, _ = constraints(z, everyone)
        g, _ = objective(z, everyone)
        stationary = g + np.einsum("bij,bi->bj", jacobian, dual) + np.einsum("bij,bi->bj", E, price)
        wrong = np.abs(stationary).max(1) / scale
        if m:
            wrong = np.maximum(wrong, np.maximum(np.maximum(value, 0).max(1), np.maximum(-dual, 0).max(1)))
            wrong = np.maximum(wrong, np.abs(value * dual).max(1) / scale)
        if r:
            wrong = np.maximum(wrong, np.abs(np.einsum("bij,bj->bi", E, z) - e).max(1))
        multipliers = {name: dual[:, k] for k, (name, _, _) in enumerate(self.rows)}
        multipliers |= {name: price[:, k] for k, (name, _, _) in enumerate(self.equal)}
        names = [entry[0] for entry in self.quadratic] + [entry[0] for entry in self.exponential]
        multipliers |= {name: dual[:, p + k] for k, name in enumerate(names)}
        return z[:, :q], multipliers, wrong
