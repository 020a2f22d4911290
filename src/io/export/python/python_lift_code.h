#pragma once
// The parts of an exported Python file of a constrained solution that are the same for all.
namespace chaosgrad::internal {

inline constexpr const char* lifted_functions = R"(

def _outside(theta):
    return not all(lower <= t <= upper for t, (lower, upper) in zip(theta, _SUPPORT))


def _expand(theta, with_slopes=False):
    """y and the entries of the factor of the metric, one behind the other, and their derivatives by theta."""
    eta, jacobian = _germ(theta)
    tables = [family(t) for family, t in zip(_FAMILIES, eta)]
    d, q, entries = len(theta), len(VARIABLES), len(_METRIC[0])
    values, slopes = [0.0] * (q + entries), [[0.0] * d for _ in range(q + entries)]
    for index, row, f in zip(_INDICES, _COEFFICIENTS, _METRIC_FUNCTIONS):
        row = list(row) + (_METRIC[f] if f >= 0 else [])
        psi = 1.0
        for k in range(d - 1, -1, -1):
            psi *= tables[k][0][index[k]]
        for j, u in enumerate(row):
            values[j] += u * psi
        for k in range(d if with_slopes else 0):
            slope = 1.0
            for l, (p, dp) in enumerate(tables):
                slope *= dp[index[l]] if l == k else p[index[l]]
            for j, u in enumerate(row):
                slopes[j][k] += u * slope
    return values, [[sum(row[i] * jacobian[i][k] for i in range(d)) for k in range(d)] for row in slopes]


def _metric_factor(entries):
    """L with L L' = M, where M^-1 = R R' and entries are those of R, row by row."""
    q, n, inverse = len(VARIABLES), 0, []
    for i in range(q):
        row = entries[n:n + i + 1]
        inverse.append([((i == j) - sum(row[k] * inverse[k][j] for k in range(j, i))) / row[i] for j in range(i + 1)])
        n += i + 1
    return _cholesky([[sum(inverse[k][i] * inverse[k][j] for k in range(max(i, j), q)) for j in range(q)] for i in range(q)])


def _nearest(theta, values):
    """x and the multipliers of rows and bounds where theta, y and the metric are; None where no x satisfies the constraints."""
    q = len(VARIABLES)
    try:
        factor = _metric_factor(values[q:])
    except (ArithmeticError, ValueError):  # singular: the mean metric in its place
        factor = _metric_factor(_METRIC[0])
    return _project(theta, values[:q], factor)


def optimum(theta, extrapolate=False):
    """x at theta, a list with an entry per variable; NaN outside the support of theta, and where no x satisfies the constraints."""
    found = None if not extrapolate and _outside(theta) else _nearest(theta, _expand(theta)[0])
    return found[0] if found else [math.nan] * len(VARIABLES)


def multipliers(theta, extrapolate=False):
    """The multipliers of the constraints at theta, a list in the order of MULTIPLIERS; NaN where optimum(theta) is."""
    found = None if not extrapolate and _outside(theta) else _nearest(theta, _expand(theta)[0])
    if not found:
        return [math.nan] * len(MULTIPLIERS)
    _, rows, bounds = found
    return [rows[i] if kind == 0 else max(0.0, -bounds[i] if kind == 1 else bounds[i]) for kind, i in _COLUMNS]


def _slope(theta, k, step, x, values, slopes):
    """dx/dtheta_k to one side, to second order in the step; NaN where there is no x on that side."""
    points = []
    for n in (1, 2):
        there = [t + (n * step if i == k else 0.0) for i, t in enumerate(theta)]
        found = _nearest(there, [v + n * step * row[k] for v, row in zip(values, slopes)])
        if not found:
            return [math.nan] * len(x)
        points.append(found[0])
    return [(-3 * a + 4 * b - c) / (2 * step) for a, b, c in zip(x, *points)]


def sensitivity_sides(theta, extrapolate=False):
    """d x_j / d theta_k for growing and for falling theta_k, which differ where a constraint begins or ceases to be active; and how
    far apart they are by rounding, for each k."""
    nothing = [[math.nan] * len(theta) for _ in VARIABLES]
    nothing = nothing, nothing, [0.0] * len(theta)
    if not extrapolate and _outside(theta):
        return nothing
    values, slopes = _expand(theta, True)
    found = _nearest(theta, values)
    if not found:
        return nothing
    size = max(map(abs, found[0])) + max(map(abs, values[:len(VARIABLES)]))
    columns, rounding = [], []
    for k, length in enumerate(_LENGTHS):
        for step in (length, 0.01 * length):  # where they differ a constraint may change within the steps
            pair = [_slope(theta, k, side * step, found[0], values, slopes) for side in (1, -1)]
            if _agree(*pair, 1e-13 * size / step):
                break
        columns.append(pair)
        rounding.append(1e-13 * size / step)
    growing, falling = ([[columns[k][side][j] for k in range(len(theta))] for j in range(len(VARIABLES))] for side in (0, 1))
    return growing, falling, rounding


def _agree(growing, falling, rounding):
    size = max(max(map(abs, growing)), max(map(abs, falling)))
    return all(abs(a - b) <= 1e-5 * size + rounding for a, b in zip(growing, falling))


def sensitivity(theta, extrapolate=False):
    """d x_j / d theta_k, a list of rows; for growing theta_k where the sides differ."""
    growing, falling, rounding = sensitivity_sides(theta, extrapolate)
    result = [list(row) for row in growing]
    for k in range(len(theta)):
        sides = [row[k] for row in growing], [row[k] for row in falling]
        if _agree(*sides, rounding[k]):
            sides = [0.5 * (a + b) for a, b in zip(*sides)],
        elif any(map(math.isnan, sides[0])):
            sides = sides[1],
        for row, value in zip(result, sides[0]):
            row[k] = value
    return result
)";

inline constexpr const char* lifted_test_function = R"(

def self_test():
    """The largest differences from the values that chaosgrad found: of x and multipliers, and of slopes, relative to the largest."""
    worst, slope = 0.0, 0.0
    for theta, x, slopes, prices in zip(_TEST_THETA, _TEST_X, _TEST_SLOPES, _TEST_MULTIPLIERS):
        found = optimum(theta) + multipliers(theta)
        for value, expected, scale in zip(found, x + prices, _TEST_X_SCALE + _TEST_MULTIPLIER_SCALE):
            worst = max(worst, abs(value - expected) / (scale or 1.0))
        for value, expected, scale in zip([entry for row in sensitivity(theta) for entry in row], slopes, _TEST_SLOPE_SCALE):
            slope = max(slope, abs(value - expected) / (scale or 1.0))
    return worst, slope


if __name__ == "__main__":
    difference, slope = self_test()
    passed = difference <= 1e-9 and slope <= 1e-5
    print(f"self-test: {len(_TEST_THETA)} points, largest relative difference {difference:.2g}, of slopes {slope:.2g}: "
          f"{'passed' if passed else 'FAILED'}")
    raise SystemExit(0 if passed else 1)
)";

}  // namespace chaosgrad::internal
