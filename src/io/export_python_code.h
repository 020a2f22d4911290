#pragma once
// The parts of an exported Python file that are the same for all.
namespace chaosgrad {

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

inline constexpr const char* copula_code = R"(

_CENTRAL = ([3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
             4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3],
            [1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4,
             3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3])
_TAIL = ([1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
          1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4],
         [1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
          1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9])
_FAR_TAIL = ([6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
              2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7],
             [1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2, 7.86869131145613259100e-4,
              1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15])


def _ratio(c, x):
    above = below = 0.0
    for k in range(7, -1, -1):
        above, below = above * x + c[0][k], below * x + c[1][k]
    return above / below


def _normal_quantile(p):
    """The standard normal quantile for 0 < p <= 1/2: Wichura, Algorithm AS 241 (1988)."""
    q = p - 0.5
    if q >= -0.425:
        return q * _ratio(_CENTRAL, 0.180625 - q * q)
    r = math.sqrt(-math.log(p))
    return -_ratio(_TAIL, r - 1.6) if r <= 5 else -_ratio(_FAR_TAIL, r - 5)


def _score(below, above, density):
    """The standard normal score of a value with these probabilities below and above it, and its derivative."""
    least = 2.2250738585072014e-308
    z = _normal_quantile(max(below, least)) if below < above else -_normal_quantile(max(above, least))
    return z, density / (0.39894228040143267794 * math.exp(-z * z / 2))


def _log_ratio(x, y):
    return math.log1p((x - y) / y) if x < 2 * y and y < 2 * x else math.log(x) - math.log(y)


def _uniform(t, a, b):
    return _score((t - a) / (b - a), (b - t) / (b - a), 1 / (b - a))


def _loguniform(t, a, b):
    length = _log_ratio(b, a)
    return _score(_log_ratio(t, a) / length, _log_ratio(b, t) / length, 1 / t / length)


def _exponential(t, rate):
    return _score(-math.expm1(-rate * t), math.exp(-rate * t), rate * math.exp(-rate * t))


def _weibull(t, shape, scale):
    h = math.pow(t / scale, shape)
    return _score(-math.expm1(-h), math.exp(-h), shape / scale * math.pow(t / scale, shape - 1) * math.exp(-h))


def _triangular(t, a, c, b):
    w = b - a
    if t < c:
        below = (t - a) / w * ((t - a) / (c - a))
        return _score(below, 1 - below, 2 / w * ((t - a) / (c - a)))
    if t > c:
        above = (b - t) / w * ((b - t) / (b - c))
        return _score(1 - above, above, 2 / w * ((b - t) / (b - c)))
    return _score((c - a) / w, (b - c) / w, 2 / w)


def _discrete_score(t, values, at, between):
    """The middle of the interval that belongs to the value."""
    i = sum(value < t for value in values)
    return at[i] if i < len(values) and values[i] == t else between[i]

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

def optimum(theta):
    """x at theta, a list with an entry per variable."""
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


def sensitivity(theta):
    """d x_j / d theta_k, a list of rows."""
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

}  // namespace chaosgrad
