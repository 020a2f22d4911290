"""Distributions of parameters and noise, with the names and arguments of problem files.

Frozen distributions of `scipy.stats` may stand wherever one of these may, see `as_distribution`.
"""
from __future__ import annotations

import dataclasses
import functools
import json
import math
from typing import Any, ClassVar, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core


@functools.lru_cache(maxsize=1024)
def _made(description: str) -> _core.Distribution:
    return _core.Distribution(description)


@dataclasses.dataclass(frozen=True, repr=False)
class Distribution:
    """What all distributions have: moments, `pdf`, `cdf`, `quantile`, and how x*(theta) is expanded in theta.

    basis: "polynomial" (orthonormal for the distribution), "fourier" (uniform only, periodic) or "log" (polynomials in
    log theta; lognormal and loguniform only, and the default for lognormal ones without correlation). breakpoints: where x*(theta) has kinks, for quadrature.
    """

    name: ClassVar[str] = ""

    basis: str | None = dataclasses.field(default=None, kw_only=True)
    breakpoints: Sequence[float] = dataclasses.field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        if self.basis not in (None, "polynomial", "fourier", "log"):
            raise _core.InputError(f"basis: expected polynomial, fourier or log, found {self.basis!r}")
        self._law  # finds wrong arguments now

    def __repr__(self) -> str:
        shown = self.arguments() | {key: getattr(self, key) for key, default in (("basis", None), ("breakpoints", ()))
                                    if getattr(self, key) != default}
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in shown.items())})"

    def arguments(self) -> dict[str, Any]:
        """The arguments as problem files have them."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)
                if field.name not in ("basis", "breakpoints")}

    def to_json(self) -> str:
        """As the program writes it: `{"distribution": "uniform", "lower": -1, "upper": 1}`, an infinite bound null."""
        described: dict[str, Any] = {"distribution": self.name}
        for key, value in self.arguments().items():
            if isinstance(value, tuple):
                described[key] = [float(one) for one in value]
            else:
                described[key] = float(value) if math.isfinite(value) else None
        return json.dumps(described)

    @property
    def _law(self) -> _core.Distribution:
        for key, value in self.arguments().items():
            numbers = value if isinstance(value, tuple) else (value,)
            if any(math.isnan(number) for number in numbers):
                raise _core.InputError(f"{key}: is not a number")
        return _made(self.to_json())

    @property
    def expectation(self) -> float:
        """Its mean. (`mean` is an argument of some.)

        >>> import chaosgrad as cg
        >>> cg.Uniform(0, 3).expectation
        1.5
        """
        return self._law.mean

    @property
    def standard_deviation(self) -> float:
        return self._law.sd

    @property
    def support(self) -> tuple[float, float]:
        """
        >>> import chaosgrad as cg
        >>> cg.Exponential(2).support
        (0.0, inf)
        """
        return self._law.lower, self._law.upper

    def pdf(self, t: ArrayLike) -> Any:
        return self._law.pdf(t)

    def cdf(self, t: ArrayLike) -> Any:
        return self._law.cdf(t)

    def quantile(self, p: ArrayLike) -> Any:
        """The smallest t with cdf(t) >= p, for p between 0 and 1."""
        levels = np.asarray(p, dtype=float)
        if np.any(~((levels > 0) & (levels < 1))):
            raise _core.InputError("p: must be between 0 and 1")
        return self._law.quantile(levels)


@dataclasses.dataclass(frozen=True, repr=False)
class Uniform(Distribution):
    """
    >>> import chaosgrad as cg
    >>> cg.Uniform(-1, 1)
    Uniform(lower=-1, upper=1)
    """

    lower: float = 0.0
    upper: float = 1.0
    name = "uniform"


@dataclasses.dataclass(frozen=True, repr=False)
class Normal(Distribution):
    mean: float = 0.0
    sd: float = 1.0
    name = "normal"


@dataclasses.dataclass(frozen=True, repr=False)
class LogNormal(Distribution):
    """log theta is normal with mean mu and standard deviation sigma."""

    mu: float = 0.0
    sigma: float = 1.0
    name = "lognormal"


@dataclasses.dataclass(frozen=True, repr=False)
class Beta(Distribution):
    alpha: float
    beta: float
    lower: float = 0.0
    upper: float = 1.0
    name = "beta"


@dataclasses.dataclass(frozen=True, repr=False)
class Gamma(Distribution):
    shape: float
    scale: float = 1.0
    name = "gamma"


@dataclasses.dataclass(frozen=True, repr=False)
class Exponential(Distribution):
    rate: float = 1.0
    name = "exponential"


@dataclasses.dataclass(frozen=True, repr=False)
class Triangular(Distribution):
    lower: float
    mode: float
    upper: float
    name = "triangular"


@dataclasses.dataclass(frozen=True, repr=False)
class Weibull(Distribution):
    """P(theta > t) = exp(-(t/scale)^shape)."""

    shape: float
    scale: float = 1.0
    name = "weibull"


@dataclasses.dataclass(frozen=True, repr=False)
class LogUniform(Distribution):
    lower: float
    upper: float
    name = "loguniform"


@dataclasses.dataclass(frozen=True, repr=False)
class TruncatedNormal(Distribution):
    """A normal distribution given lower <= theta <= upper; either bound may be infinite."""

    mean: float
    sd: float
    lower: float
    upper: float
    name = "truncated_normal"


@dataclasses.dataclass(frozen=True, repr=False)
class Discrete(Distribution):
    """Finitely many values; without weights all are as likely, as for a column of data.

    >>> import chaosgrad as cg
    >>> cg.Discrete([0, 1], weights=[3, 1]).expectation
    0.25
    """

    values: Sequence[float]
    weights: Sequence[float] = ()
    name = "discrete"

    def __post_init__(self) -> None:
        for key in ("values", "weights"):
            given = getattr(self, key)
            object.__setattr__(self, key, tuple(float(value) for value in np.asarray([] if given is None else given).ravel()))
        super().__post_init__()


_ALL: tuple[type[Distribution], ...] = (Uniform, Normal, LogNormal, Beta, Gamma, Exponential, Triangular, Weibull, LogUniform,
                                        TruncatedNormal, Discrete)
CLASSES: dict[str, type[Distribution]] = {one.name: one for one in _ALL}


def from_json(text: str, **how: Any) -> Distribution:
    """The inverse of `Distribution.to_json`."""
    described = json.loads(text)
    made = CLASSES[described.pop("distribution")]
    infinite = {"lower": -math.inf, "upper": math.inf}
    return made(**{key: infinite[key] if value is None else value for key, value in described.items()}, **how)


# What the shape arguments of scipy's distributions mean here: scale and shift are applied afterwards.
def _shifted(name: str, loc: float) -> None:
    if loc != 0:
        raise _core.InputError(f"scipy.stats.{name} with loc = {loc:g} has no counterpart here: shift the parameter inside "
                               "of the gradient instead")


def _from_scipy(frozen: Any) -> Distribution:
    shapes, loc, scale = frozen.dist._parse_args(*frozen.args, **frozen.kwds)
    name, loc, scale = frozen.dist.name, float(loc), float(scale)
    given = [float(shape) for shape in shapes]
    if name == "uniform":
        return Uniform(loc, loc + scale)
    if name == "norm":
        return Normal(loc, scale)
    if name == "beta":
        return Beta(given[0], given[1], loc, loc + scale)
    if name == "triang":
        return Triangular(loc, loc + given[0] * scale, loc + scale)
    if name == "truncnorm":
        return TruncatedNormal(loc, scale, loc + scale * given[0], loc + scale * given[1])
    if name in ("lognorm", "gamma", "erlang", "expon", "weibull_min", "loguniform", "reciprocal"):
        _shifted(name, loc)
        if name == "lognorm":
            return LogNormal(math.log(scale), given[0])
        if name in ("gamma", "erlang"):
            return Gamma(given[0], scale)
        if name == "expon":
            return Exponential(1 / scale)
        if name == "weibull_min":
            return Weibull(given[0], scale)
        return LogUniform(given[0] * scale, given[1] * scale)
    if name == "chi2":
        _shifted(name, loc)
        return Gamma(given[0] / 2, 2 * scale)
    return _finite_from_scipy(frozen, name)


def _finite_from_scipy(frozen: Any, name: str) -> Distribution:
    most = 100_000
    if hasattr(frozen.dist, "pmf"):
        lower, upper = frozen.support()
        if math.isfinite(lower) and math.isfinite(upper) and upper - lower < most:
            values = np.asarray(getattr(frozen.dist, "xk", np.arange(lower, upper + 1)), dtype=float)
            return Discrete(tuple(values), tuple(frozen.pmf(values)))
        raise _core.InputError(f"scipy.stats.{name} has infinitely many values: give the likely ones by cg.Discrete(values, weights)")
    raise _core.InputError(
        f"scipy.stats.{name} is not known here; there are uniform, norm, lognorm, beta, gamma, erlang, chi2, expon, triang, "
        "weibull_min, loguniform, truncnorm and those with finitely many values")


def as_distribution(given: Any, where: str) -> Distribution:
    """A distribution as it is, a frozen one of scipy translated, an array of data as equally likely values.

    >>> import chaosgrad as cg, scipy.stats
    >>> cg.as_distribution(scipy.stats.norm(1, 2), "theta")
    Normal(mean=1.0, sd=2.0)
    """
    if isinstance(given, Distribution):
        return given
    if hasattr(given, "dist") and hasattr(given, "ppf"):
        try:
            return _from_scipy(given)
        except _core.InputError as error:
            raise _core.InputError(f"{where}: {error}") from None
    if hasattr(given, "xk") and hasattr(given, "pk"):  # scipy.stats.rv_discrete(values=…), which is not frozen
        return Discrete(tuple(given.xk), tuple(given.pk))
    if isinstance(given, (np.ndarray, list, tuple)) and np.ndim(given) == 1:
        return Discrete(tuple(np.asarray(given, dtype=float)))
    raise TypeError(f"{where}: expected a distribution such as cg.Uniform(-1, 1) or scipy.stats.norm(0, 1), "
                    f"found {type(given).__name__}")


def quantiles(distributions: Sequence[Distribution], p: ArrayLike) -> NDArray[np.float64]:
    """The quantile of each at the level p."""
    return np.array([float(one.quantile(p)) for one in distributions])


def named(given: Mapping[str, Any] | None, where: str) -> dict[str, Distribution]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"{where}: expected a dict of names and distributions, found {type(given).__name__}")
    return {str(name): as_distribution(one, f"{where}.{name}") for name, one in given.items()}
