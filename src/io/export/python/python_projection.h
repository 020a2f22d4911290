#pragma once
// P(y) of an exported Python file: that of the C file (c_projection.h).
namespace chaosgrad::internal {

inline constexpr const char* projection_functions = R"(

def _gauss(columns, rest):
    """Solves a system of equations by elimination with pivots."""
    n = len(rest)
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(columns[k][i]))
        for column in columns:
            column[k], column[pivot] = column[pivot], column[k]
        rest[k], rest[pivot] = rest[pivot], rest[k]
        for i in range(k + 1, n):
            factor = columns[k][i] / columns[k][k]
            for j in range(k, n):
                columns[j][i] -= factor * columns[j][k]
            rest[i] -= factor * rest[k]
    for k in range(n - 1, -1, -1):
        rest[k] = (rest[k] - sum(columns[j][k] * rest[j] for j in range(k + 1, n))) / columns[k][k]
    return rest


class _Norms:
    """Terms w |c|: c = t m with t > 0 such that the multipliers m have the length w, or c = 0 and t = 0 where it is less. Newton's
    method on 1/|m| = 1/w, all norms together."""

    def __init__(self, groups, size):
        self.groups, self.size = groups, size
        self.t, self.before, self.refused = [size] * len(groups), [size] * len(groups), [False] * len(groups)
        self.distance, self.slow = math.inf, 0

    def back(self):
        """c = 0 cannot be for all that were taken to be so: True if there were some."""
        taken = [g for g, t in enumerate(self.t) if t == 0]
        for g in taken:
            self.t[g], self.refused[g] = 0.1 * self.before[g], True
        return bool(taken)

    def advance(self, program, weights):
        """True if nothing is left to change."""
        lengths = [math.sqrt(sum(program.multiplier[i] ** 2 for i in group)) for group in self.groups]
        moving = []
        for g, (length, w, t) in enumerate(zip(lengths, weights, self.t)):
            if t == 0 and length > w:
                self.refused[g] = True
            met = abs(length - w) <= 1e-13 * w or (length < w and t <= 1e-14 * self.size)
            if length > 0 and w > 0 and not met:
                moving.append(g)
        if not moving:
            return True
        columns = []
        for h in moving:  # how the multipliers change with t of norm h
            d = []
            for k, i in enumerate(program.working):
                d.append(((program.multiplier[i] if i in self.groups[h] else 0.0) - _dot(program.r[k], d)) / program.r[k][k])
            change = dict(zip(program.working, program.solve_r(d)))
            columns.append([sum(program.multiplier[i] * change.get(i, 0.0) for i in self.groups[g]) / lengths[g]**3 for g in moving])
        distance = sum(abs(lengths[g] / weights[g] - 1) for g in moving)
        self.slow = 4 if not distance < self.distance else self.slow - 1
        self.distance = distance
        steps = _gauss(columns, [1 / lengths[g] - 1 / weights[g] for g in moving]) if self.slow <= 0 else [
            self.t[g] * (1 - lengths[g] / weights[g]) for g in moving]  # minorise and maximise, which always gets on
        for g, step in zip(moving, steps):
            t = self.t[g]
            if t > 0:
                self.before[g] = t
            low, high = (0.1 * t if self.refused[g] else 0.0), (10 * t if t > 0 else math.inf)
            self.t[g] = min(max(t - step, low), high) if t > 0 or (step < 0 and self.slow <= 0) else 1e-3 * self.before[g]
        return False


def _project(theta, y, factor):
    """The point of the constraints that is nearest to y in the metric of the factor, with the multipliers of rows and bounds; None
    where there is no point. Rows that are not affine take several quadratic programs."""
    q, extra = len(y), sum(len(group) for group in _GROUPS)
    metric = [[_dot(factor[max(i, j)], factor[min(i, j)]) for j in range(q)] for i in range(q)]
    force = [_dot(row, y) for row in metric]
    at = _constraints(y, theta)
    x, multiplier = [min(max(s, lower), upper) for s, lower, upper in zip(y, at[0], at[1])], [0.0] * len(at[2])
    norms = _Norms(_GROUPS, 1 / max(metric[i][i] for i in range(q)))
    for _ in range(200):
        lower, upper, value, jacobian, least, most = _constraints(x, theta)
        p = len(value)
        rows = [list(jacobian[i * q:(i + 1) * q]) + [0.0] * extra for i in range(p)]
        right = [_dot(row, x) - c for row, c in zip(rows, value)]
        least, most, weights, slot = list(least), list(most), [], q
        for group, t in zip(_GROUPS, norms.t):  # further variables take up c
            weights.append(most[group[0]])
            for i in group:
                if weights[-1] > 0:
                    least[i], most[i], rows[i][slot] = -math.inf, math.inf, math.sqrt(t)
                slot += 1
        model, center = factor, y
        if not _AFFINE:
            bend = _constraints_curvature(x, theta, multiplier)
            model = _cholesky([[metric[i][j] + bend[i * q + j] for j in range(q)] for i in range(q)])
            center = _solve(model, [f + _dot(bend[i * q:(i + 1) * q], x) for i, f in enumerate(force)])
        model = [list(row) for row in model] + [[0.0] * (q + i) + [1.0] for i in range(extra)]
        free = [math.inf] * extra
        program = _Program(model, list(center) + [0.0] * extra, list(lower) + [-s for s in free], list(upper) + free, rows, right,
                           least, most)
        if not program.solve():
            if norms.back():
                continue
            return None
        done = norms.advance(program, weights)
        there, multiplier = program.x[:q], program.multiplier[:p]
        step = max(abs(a - b) for a, b in zip(there, x))
        if done and (_AFFINE or step <= 1e-13 * max(max(map(abs, there)), max(map(abs, x)))):
            break
        x = there if _AFFINE else _shortened(theta, y, factor, x, there, multiplier)
    return (there, multiplier, program.multiplier[p:p + q]) if _is_feasible(theta, there) else None


def _is_feasible(theta, x):
    """Up to 1e-9, relative: sequential programs of what cannot be met do not end."""
    _, _, value, jacobian, least, most = _constraints(x, theta)
    for i, c in enumerate(value):
        size = 1e-9 * (1 + abs(_dot(jacobian[i * len(x):(i + 1) * len(x)], x) - c))
        if (most[i] == math.inf and not c <= size) or (least[i] == -math.inf and not c >= -size):
            return False
    return True


def _solve(factor, b):
    """x with L L' x = b."""
    x = []
    for i, row in enumerate(factor):
        x.append((b[i] - _dot(row, x)) / row[i])
    for i in range(len(b) - 1, -1, -1):
        x[i] /= factor[i][i]
        for j in range(i):
            x[j] -= factor[i][j] * x[i]
    return x


def _merit(theta, y, factor, x, price):
    """What P makes small, with a price on violations."""
    lower, upper, value, jacobian, least, most = _constraints(x, theta)
    away = [s - t for s, t in zip(x, y)]
    scaled = [sum(factor[k][j] * away[k] for k in range(j, len(y))) for j in range(len(y))]
    total = 0.5 * _dot(scaled, scaled)
    for i, c in enumerate(value):
        if not any(i in group for group in _GROUPS):
            total += max(min(most[i], price) * c, max(least[i], -price) * c)
    for group in _GROUPS:
        total += most[group[0]] * math.sqrt(sum(value[i] ** 2 for i in group))
    return total


def _shortened(theta, y, factor, x, there, multiplier):
    """A point between x and there that is better than x: the whole way, as a rule."""
    price, share = 2 * max(map(abs, multiplier), default=0.0) + 1e-300, 1.0
    before = _merit(theta, y, factor, x, price)
    for _ in range(30):
        point = [a + share * (b - a) for a, b in zip(x, there)]
        found = _merit(theta, y, factor, point, price)
        if found <= before + 1e-13 * abs(before) + 1e-300:
            return point
        share *= 0.5
    return there
)";

}  // namespace chaosgrad::internal
