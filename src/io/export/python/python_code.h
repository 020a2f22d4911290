#pragma once
// The parts of an exported Python file that are the same for all.
namespace chaosgrad::internal {

inline constexpr const char* family_code = R"(

def _polynomial(eta, center, inverse_scale, recurrence, points):
    """p_0, p_1, ... and derivatives: p_(n+1) = (A t + B) p_n - C p_(n-1), t = (eta - center) / scale."""
    t = (eta - center) * inverse_scale
    p, dp = [1.0], [0.0]
    for n, (a, b, c) in enumerate(recurrence):
        factor = a * t + b
        p.append(factor * p[n] - (c * p[n - 1] if n else 0))
        dp.append(factor * dp[n] + a * inverse_scale * p[n] - (c * dp[n - 1] if n else 0))
    return points.get(eta, p), dp  # at some points the recurrence is not accurate


def _product_rest(a, b, p):
    """a * b - p without rounding, p = the rounded product (Dekker)."""
    a_split, b_split = a * 134217729.0, b * 134217729.0
    ah, bh = a_split - (a_split - a), b_split - (b_split - b)
    al, bl = a - ah, b - bh
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl


def _fourier(eta, degree, middle, omega):
    """1, sqrt(2) cos(angle), sqrt(2) sin(angle), sqrt(2) cos(2 angle), ...; angle = omega (eta - middle), in two parts."""
    tau = eta - middle[0]
    part = tau - eta
    tau_rest = (eta - (tau - part)) + (-middle[0] - part) - middle[1]
    angle = tau * omega[0]
    rest = _product_rest(tau, omega[0], angle) + tau * omega[1] + tau_rest * omega[0]
    p, dp = [1.0], [0.0]
    for n in range(1, degree + 1):
        harmonic = (n + 1) // 2
        high = harmonic * angle
        low = _product_rest(harmonic, angle, high) + harmonic * rest
        c, s = math.cos(high), math.sin(high)
        cosine, sine = 1.4142135623730951 * (c - low * s), 1.4142135623730951 * (s + low * c)
        p.append(cosine if n % 2 else sine)
        dp.append(harmonic * omega[0] * (-sine if n % 2 else cosine))
    return p, dp

)";

inline constexpr const char* germ_function = R"(

def _germ(theta):
    """The independent variables behind theta = F^-1(Phi(C eta)), and their derivatives by theta."""
    eta, jacobian = [], []
    for k, t in enumerate(theta):
        z, slope = _SCORES[k](t)
        row = [slope if j == k else 0.0 for j in range(len(theta))]
        for i in range(k):
            z -= _FACTOR[k][i] * eta[i]
            row = [row[j] - _FACTOR[k][i] * jacobian[i][j] for j in range(len(theta))]
        eta.append(z / _FACTOR[k][k])
        jacobian.append([entry / _FACTOR[k][k] for entry in row])
    return eta, jacobian
)";

inline constexpr const char* independent_germ = R"(

def _germ(theta):
    """Without dependence the parameters themselves."""
    return theta, [[1.0 if i == j else 0.0 for j in range(len(theta))] for i in range(len(theta))]
)";

inline constexpr const char* evaluation_function = R"(

def _outside(theta):
    return not all(lower <= t <= upper for t, (lower, upper) in zip(theta, _SUPPORT))


def optimum(theta, extrapolate=False):
    """x at theta, a list with an entry per variable; NaN outside the support of theta."""
    if not extrapolate and _outside(theta):
        return [math.nan] * len(VARIABLES)
    eta, _ = _germ(theta)
    values = [family(t)[0] for family, t in zip(_FAMILIES, eta)]
    x = [0.0] * len(VARIABLES)
    for index, row in zip(_INDICES, _COEFFICIENTS):
        psi = 1.0
        for k in range(len(index) - 1, -1, -1):
            psi *= values[k][index[k]]
        for j, u in enumerate(row):
            x[j] += u * psi
    return x


def sensitivity(theta, extrapolate=False):
    """d x_j / d theta_k, a list of rows; NaN outside the support of theta."""
    if not extrapolate and _outside(theta):
        return [[math.nan] * len(theta) for _ in VARIABLES]
    eta, jacobian = _germ(theta)
    tables = [family(t) for family, t in zip(_FAMILIES, eta)]
    d = len(theta)
    slopes = [[0.0] * d for _ in VARIABLES]
    for index, row in zip(_INDICES, _COEFFICIENTS):
        for k in range(d):
            slope = 1.0
            for l, (p, dp) in enumerate(tables):
                slope *= dp[index[l]] if l == k else p[index[l]]
            for j, u in enumerate(row):
                slopes[j][k] += u * slope
    return [[sum(row[i] * jacobian[i][k] for i in range(d)) for k in range(d)] for row in slopes]
)";

inline constexpr const char* test_function = R"(

def self_test():
    """The largest difference from the values that chaosgrad found, relative to the sums of absolute terms."""
    worst = 0.0
    for theta, x, slopes in zip(_TEST_THETA, _TEST_X, _TEST_SLOPES):
        found = optimum(theta) + [entry for row in sensitivity(theta) for entry in row]
        for value, expected, scale in zip(found, x + slopes, _TEST_X_SCALE + _TEST_SLOPE_SCALE):
            worst = max(worst, abs(value - expected) / (scale or 1.0))
    return worst


if __name__ == "__main__":
    difference = self_test()
    passed = difference <= 1e-14
    print(f"self-test: {len(_TEST_THETA)} points, largest relative difference {difference:.2g}: {'passed' if passed else 'FAILED'}")
    raise SystemExit(0 if passed else 1)
)";

}  // namespace chaosgrad::internal
