#pragma once
// The parts of an exported Python file that map parameters under a copula to standard normal
// scores.
#include <array>

#include "io/export/export_text.h"

namespace chaosgrad::internal {

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

)";

inline constexpr const char* discrete_function = R"(
def _discrete_score(t, values, at, between):
    """The middle of the interval that belongs to the value."""
    i = sum(value < t for value in values)
    return at[i] if i < len(values) and values[i] == t else between[i]

)";

// def _NAME(t, …) → (z, slope), and what it needs beyond _score.
inline constexpr const char* log_ratio_function = R"(
def _log_ratio(x, y):
    return math.log1p((x - y) / y) if x < 2 * y and y < 2 * x else math.log(x) - math.log(y)

)";

inline constexpr const char* log_rest_function = R"(
def _log_rest(ratio, u):
    """log(1 + u) - u, where 1 + u = ratio. With r = u / (2 + u): log(1 + u) = 2 (r + r^3/3 + r^5/5 + ...)."""
    if abs(u) > 0.5:
        return math.log(ratio) - u
    r = u / (2 + u)
    total = 0.0
    for k in range(17, -1, -1):
        total = total * (r * r) + 1 / (2 * k + 3)
    return 2 * r * r * r * total - r * u

)";

inline constexpr std::array law_functions = {LawCode{"uniform", nullptr, R"(
def _uniform(t, a, b):
    return _score((t - a) / (b - a), (b - t) / (b - a), 1 / (b - a))

)"},
                                             LawCode{"loguniform", log_ratio_function, R"(
def _loguniform(t, a, b):
    length = _log_ratio(b, a)
    return _score(_log_ratio(t, a) / length, _log_ratio(b, t) / length, 1 / t / length)

)"},
                                             LawCode{"exponential", nullptr, R"(
def _exponential(t, rate):
    return _score(-math.expm1(-rate * t), math.exp(-rate * t), rate * math.exp(-rate * t))

)"},
                                             LawCode{"weibull", nullptr, R"(
def _weibull(t, shape, scale):
    h = math.pow(t / scale, shape)
    return _score(-math.expm1(-h), math.exp(-h), shape / scale * math.pow(t / scale, shape - 1) * math.exp(-h))

)"},
                                             LawCode{"triangular", nullptr, R"(
def _triangular(t, a, c, b):
    w = b - a
    if t < c:
        below = (t - a) / w * ((t - a) / (c - a))
        return _score(below, 1 - below, 2 / w * ((t - a) / (c - a)))
    if t > c:
        above = (b - t) / w * ((b - t) / (b - c))
        return _score(1 - above, above, 2 / w * ((b - t) / (b - c)))
    return _score((c - a) / w, (b - c) / w, 2 / w)

)"},
                                             LawCode{"gamma", log_rest_function, R"(
def _gamma(t, a, scale, peak):
    """P(a, x) = front (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...), front = x^a e^-x / Gamma(a+1), or Q(a, x) = front a / K with one of
    two continued fractions, K = x + (1-a)/(1 + 1/(x + (2-a)/(1 + 2/(x + ...)))) or K = x+1-a + 1(a-1)/(x+3-a + 2(a-2)/(x+5-a + ...)):
    whichever has positive terms. peak = a^a e^-a / Gamma(a+1)."""
    x = t / scale
    if not x > 0:
        return _score(0, 1, 0)
    front = peak * math.exp(a * _log_rest(x / a, (x - a) / a))
    density = front * a / x / scale
    if x < (0.5 if a < 1 else a + 1):
        total = term = 1.0
        n = 0
        while term > 1e-17 * total:
            n += 1
            term *= x / (a + n)
            total += term
        return _score(front * total, 1 - front * total, density)
    if a < 1:
        k = x
        for n in range(int(20 + 120 / x), 0, -1):
            k = x + (n - a) / (1 + n / k)
    else:  # forwards, by the ratios c and d of numerators and denominators
        k = b = c = x + 1 - a
        d = change = 0.0
        n = 0
        while abs(change - 1) > 4e-16:
            n += 1
            b += 2
            c = b + n * (a - n) / c
            d = 1 / (b + n * (a - n) * d)
            change = c * d
            k *= change
    above = front * a / k
    return _score(1 - above, above, density)

)"},
                                             LawCode{"beta", log_rest_function, R"(
def _beta_part(x, a, b, front):
    """I_x(a, b) = front / K by the continued fraction K of DiDonato and Morris (1992), front = x^a (1-x)^b / B(a, b)."""
    k = c = a * (a - (a + b) * x + 1) / (a + 1)
    d = change = 0.0
    n = 0
    while abs(change - 1) > 4e-16:
        n += 1
        m = a + 2 * n - 1
        above = (a + n - 1) / m * ((a + b + n - 1) / m) * n * (b - n) * x * x
        below = n + n * (b - n) * x / m + (a + n) * (a - (a + b) * x + 1 + n * (2 - x)) / (m + 2)
        c = below + above / c
        d = 1 / (below + above * d)
        change = c * d
        k *= change
    return front / k


def _beta(t, a, b, lower, upper, peak):
    """peak = p^a q^b / (B(a, b) p q (a + b)), p = a / (a + b), q = b / (a + b)."""
    width = upper - lower
    x, y, p, q = (t - lower) / width, (upper - t) / width, a / (a + b), b / (a + b)
    if not x > 0:
        return _score(0, 1, 0)
    if not y > 0:
        return _score(1, 0, 0)
    front = peak * (a * q) * math.exp(a * _log_rest(x / p, (x - p) / p) + b * _log_rest(y / q, (y - q) / q))
    density = front / (x * y) / width
    if x * (a + b + 2) < a + 1:
        part = _beta_part(x, a, b, front)
        return _score(part, 1 - part, density)
    part = _beta_part(y, b, a, front)
    return _score(1 - part, part, density)

)"},
                                             LawCode{"truncated_normal", nullptr, R"(
_RULE = [(0.12523340851146891547, 0.249147045813402785), (0.36783149899818019375, 0.23349253653835480876),
         (0.5873179542866174473, 0.20316742672306592175), (0.76990267419430468704, 0.16007832854334622633),
         (0.90411725637047485668, 0.10693932599531843096), (0.98156063424671925069, 0.047175336386511827195)]


def _half_mass(a, length):
    """The integral of exp(-s (a + s/2)) from 0 to `length`, a >= 0: Gauss's rule with 12 nodes on 8 panels."""
    h = min(length, 80 / (a + math.sqrt(a * a + 80))) / 16  # beyond 16 h: exp(-40)
    total = 0.0
    for k in range(1, 16, 2):
        for node, weight in _RULE:
            s, r = h * (k - node), h * (k + node)
            total += weight * (math.exp(-s * (a + s / 2)) + math.exp(-r * (a + r / 2)))
    return h * total


def _truncated_normal(t, mean, sd, lower, upper):
    """Probabilities relative to the largest density, at 0 or at the end nearest to it."""
    if not t > lower:
        return _score(0, 1, 0)
    if not t < upper:
        return _score(1, 0, 0)
    z, a, b = (t - mean) / sd, (lower - mean) / sd, (upper - mean) / sd
    from_lower, to_upper = (t - lower) / sd, (upper - t) / sd
    if b < 0:
        score, slope = _truncated_normal(-t, -mean, sd, -upper, -lower)
        return -score, slope
    if a > 0:
        density = math.exp(-from_lower * (a + from_lower / 2))
        below = _half_mass(a, from_lower)
        above = density * _half_mass(z, to_upper)
    else:
        density = math.exp(-z * z / 2)
        below = density * _half_mass(-z, from_lower) if z < 0 else _half_mass(0, z) + _half_mass(0, -a)
        above = density * _half_mass(z, to_upper) if z > 0 else _half_mass(0, -z) + _half_mass(0, b)
    total = below + above
    return _score(below / total, above / total, density / (sd * total))

)"}};

}  // namespace chaosgrad::internal
