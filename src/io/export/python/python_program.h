#pragma once
// The quadratic program of an exported Python file: that of the C file (c_program.h).
namespace chaosgrad::internal {

inline constexpr const char* program_class = R"(

def _dot(a, b):
    return sum(s * t for s, t in zip(a, b))


def _cholesky(h):
    """L with L L' = h, rows of growing length."""
    rows = []
    for i, row in enumerate(h):
        new = []
        for j in range(i + 1):
            rest = row[j] - _dot(new, rows[j] if j < i else new)
            new.append(math.sqrt(rest) if i == j else rest / rows[j][j])
        rows.append(new)
    return rows


class _Program:
    """min 1/2 (x - y)' L L' (x - y) + sum_i max { m (a_i x - b_i) : least_i <= m <= most_i } over lower <= x <= upper, by a dual
    active-set method (Goldfarb and Idnani 1983). Rows p + j are the bounds of x_j, of which the violated one counts. A row is
    working (a_i x = b_i) or rests with its multiplier where it is."""

    def __init__(self, factor, y, lower, upper, rows, right, least, most):
        self.factor, self.y, self.lower, self.upper, self.rows = factor, y, lower, upper, rows
        self.p, self.q = len(rows), len(y)
        self.side = list(right) + [0.0] * self.q
        self.least, self.most = list(least) + [0.0] * self.q, list(most) + [0.0] * self.q
        self.multiplier = [min(max(0.0, low), high) for low, high in zip(self.least, self.most)]
        self.normals = [self.scaled(i) for i in range(self.p + self.q)]
        self.lengths = [math.sqrt(_dot(n, n)) for n in self.normals]
        self.working, self.basis, self.r = [], [], []  # L^-1 [a_1, a_2, ...] = basis' r, basis orthonormal, r by columns

    def scaled(self, i):
        n = []
        for j, row in enumerate(self.factor):
            entry = self.rows[i][j] if i < self.p else float(i - self.p == j)
            n.append((entry - _dot(row, n)) / row[j])
        return n

    def split(self, i):
        """The normal of row i by its parts along the basis, and what is left; twice, for rounding."""
        z, d = self.normals[i], [0.0] * len(self.basis)
        for _ in range(2):
            for k, e in enumerate(self.basis):
                part = _dot(e, z)
                z = [s - part * t for s, t in zip(z, e)]
                d[k] += part
        rest = math.sqrt(_dot(z, z))
        return d, z, rest if rest > 1e-10 * self.lengths[i] else 0.0

    def solve_r(self, d):
        d = list(d)
        for i in range(len(d) - 1, -1, -1):
            d[i] /= self.r[i][i]
            for k in range(i):
                d[k] -= self.r[i][k] * d[i]
        return d

    def join(self, i):
        d, z, rest = self.split(i)
        if rest > 0 and len(self.working) < self.q:
            self.r.append(d + [rest])
            self.basis.append([s / rest for s in z])
            self.working.append(i)

    def leave(self, position):
        later = self.working[position + 1:]
        del self.working[position:], self.basis[position:], self.r[position:]
        for i in later:
            self.join(i)

    def value(self, i):
        return (_dot(self.rows[i], self.x) if i < self.p else self.x[i - self.p]) - self.side[i]

    def noise(self, i):
        """What rounding may make of a value."""
        if i >= self.p:
            return 1e-12 * (abs(self.side[i]) + abs(self.x[i - self.p])) + 1e-14 * abs(self.y[i - self.p])
        size = sum(abs(a) * (abs(x) + 0.01 * abs(y)) for a, x, y in zip(self.rows[i], self.x, self.y))
        return 1e-12 * (size + abs(self.side[i]))

    def refresh(self):
        """x and the multipliers of the working rows from those at rest; the second and third time what rounding left."""
        q = self.q
        xi = [sum(self.factor[k][j] * self.y[k] for k in range(j, q)) for j in range(q)]
        for i in range(self.p + q):
            if self.multiplier[i] != 0 and i not in self.working:
                xi = [s - self.multiplier[i] * t for s, t in zip(xi, self.normals[i])]
        for i in self.working:
            self.multiplier[i] = 0.0
        for _ in range(3):
            self.x = [0.0] * q
            for j in range(q - 1, -1, -1):
                self.x[j] = (xi[j] - sum(self.factor[k][j] * self.x[k] for k in range(j + 1, q))) / self.factor[j][j]
            t = []
            for k, i in enumerate(self.working):
                t.append((self.value(i) - _dot(self.r[k], t)) / self.r[k][k])
            for i, change in zip(self.working, self.solve_r(t)):
                self.multiplier[i] += change
            for part, e in zip(t, self.basis):
                xi = [s - part * u for s, u in zip(xi, e)]
        for i in self.working:
            if i >= self.p:
                self.x[i - self.p] = self.side[i]

    def most_violated(self, implied):
        """The row farthest from where its multiplier wants it, and the sign of the change."""
        most, largest = (None, 0), 0.0
        for i in range(self.p + self.q):
            if i in self.working or i in implied:
                continue
            if i >= self.p and self.multiplier[i] == 0:
                x, lower, upper = self.x[i - self.p], self.lower[i - self.p], self.upper[i - self.p]
                if lower <= x <= upper:
                    continue
                self.side[i] = upper if x > upper else lower
                self.least[i] = 0.0 if x > upper and lower < upper else -math.inf
                self.most[i] = 0.0 if x < lower and lower < upper else math.inf
            c = self.value(i)
            wanted = self.multiplier[i] < self.most[i] if c > 0 else self.multiplier[i] > self.least[i]
            if wanted and abs(c) > self.noise(i) and abs(c) / self.lengths[i] > largest:
                most, largest = (i, 1 if c > 0 else -1), abs(c) / self.lengths[i]
        return most

    def raise_row(self, i, sign):
        """Changes the multiplier until the row is met or at its limit: 'done', 'infeasible', or 'implied' by the working rows."""
        for _ in range(4 * (self.p + self.q) + 16):
            d, _, rest = self.split(i)
            dual, c = self.solve_r(d), self.value(i)
            sizes = [abs(s) * self.lengths[k] for s, k in zip(dual, self.working)]
            if rest == 0 and abs(c) <= self.noise(i) + sum(abs(s) * self.noise(k) for s, k in zip(dual, self.working)):
                return "implied"
            limit = self.most[i] if sign > 0 else self.least[i]
            to_limit = abs(limit - self.multiplier[i])
            to_met = max(sign * c, 0.0) / rest**2 if rest > 0 else math.inf
            to_block, block = math.inf, None
            for k, (s, size) in enumerate(zip(dual, sizes)):
                j = self.working[k]
                end = self.most[j] if sign * s < 0 else self.least[j]
                if size > 1e-13 * (self.lengths[i] + sum(sizes)) and not math.isinf(end):
                    length = max((end - self.multiplier[j]) / (-sign * s), 0.0)
                    if length < to_block:
                        to_block, block = length, k
            length = min(to_limit, to_met, to_block)
            if math.isinf(length):
                return "infeasible"
            self.multiplier[i] += sign * length
            if length == to_limit:
                self.multiplier[i] = limit
            elif length == to_met:
                self.join(i)
            else:
                j = self.working[block]
                self.multiplier[j] = self.most[j] if sign * dual[block] < 0 else self.least[j]
                self.leave(block)
            self.refresh()
            if length == to_limit or length == to_met:
                break
        return "done"

    def solve(self):
        """Whether there is a solution."""
        if any(lower > upper for lower, upper in zip(self.lower, self.upper)):
            return False
        self.refresh()
        implied = set()
        for _ in range(20 * (self.p + self.q) + 100):
            i, sign = self.most_violated(implied)
            if i is None:
                break
            outcome = self.raise_row(i, sign)
            if outcome == "infeasible":
                return False
            implied = implied | {i} if outcome == "implied" else set()
        for i in self.working:
            self.multiplier[i] = min(max(self.multiplier[i], self.least[i]), self.most[i])
        self.x = [min(max(x, lower), upper) for x, lower, upper in zip(self.x, self.lower, self.upper)]
        return True
)";

}  // namespace chaosgrad::internal
