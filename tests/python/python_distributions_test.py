"""Distributions: names as in the core's table, numbers as in scipy."""
import dataclasses
import pickle

import numpy as np
import pytest
import scipy.stats as st

import chaosgrad as cg
from chaosgrad import _core, distributions

PAIRS = [
    (st.uniform(-1, 3), cg.Uniform(-1, 2)), (st.norm(1, 2), cg.Normal(1, 2)), (st.norm(loc=1, scale=2), cg.Normal(1, 2)),
    (st.lognorm(0.5, scale=np.exp(0.3)), cg.LogNormal(0.3, 0.5)), (st.beta(2, 3), cg.Beta(2, 3)),
    (st.beta(2, 3, loc=-1, scale=4), cg.Beta(2, 3, -1, 3)), (st.gamma(2.5, scale=0.4), cg.Gamma(2.5, 0.4)),
    (st.expon(scale=0.5), cg.Exponential(2)), (st.triang(0.25, 1, 4), cg.Triangular(1, 2, 5)),
    (st.weibull_min(1.5, scale=2), cg.Weibull(1.5, 2)), (st.loguniform(1, 10), cg.LogUniform(1, 10)),
    (st.truncnorm(-1, 2, loc=1, scale=0.5), cg.TruncatedNormal(1, 0.5, 0.5, 2)), (st.chi2(3), cg.Gamma(1.5, 2)),
    (st.randint(0, 3), cg.Discrete([0, 1, 2])), (st.binom(2, 0.5), cg.Discrete([0, 1, 2], [1, 2, 1])),
    (st.rv_discrete(values=([1, 4], [0.25, 0.75])), cg.Discrete([1, 4], [1, 3])),
]


@pytest.mark.parametrize("frozen,own", PAIRS, ids=lambda one: type(one).__name__)
def test_scipy_and_ours_are_the_same(frozen, own):
    made = cg.as_distribution(frozen, "theta")
    assert type(made) is type(own)
    levels = np.linspace(0.05, 0.95, 7) + 0.001
    assert np.allclose(made.quantile(levels), own.quantile(levels), rtol=1e-12)
    assert np.allclose(own.quantile(levels), frozen.ppf(levels), rtol=1e-9, atol=1e-12)
    assert np.isclose(own.expectation, frozen.mean(), rtol=1e-9) and np.isclose(own.standard_deviation, frozen.std(), rtol=1e-9)
    points = frozen.ppf(levels)
    assert np.allclose(own.cdf(points), frozen.cdf(points), rtol=1e-9)
    if not isinstance(own, cg.Discrete):
        assert np.allclose(own.pdf(points), frozen.pdf(points), rtol=1e-9)


def test_classes_have_the_names_and_arguments_of_the_core():
    table = {name: arguments for name, arguments in _core.distribution_arguments().items() if name != "data"}
    assert table.keys() == distributions.CLASSES.keys()
    for name, arguments in table.items():
        fields = [field.name for field in dataclasses.fields(distributions.CLASSES[name])]
        assert [one for one in fields if one not in ("basis", "breakpoints")] == arguments


def test_solving_with_scipy_and_data():
    data = np.array([0.0, 1.0, 1.0, 4.0])
    sol = cg.solve(lambda x, t: x - t, variables=2, parameters={"a": st.norm(1, 2), "b": data}, tolerance=1e-8)
    assert np.allclose(sol.mean, [1, 1.5], atol=1e-7) and np.allclose(sol.sd, [2, data.std()], atol=1e-7)


def test_bases():
    """A lognormal parameter is expanded in its logarithm; an angle in harmonics if that is asked for."""
    sol = cg.solve(lambda x, t: x - np.log(t[:, :1]) - np.sin(t[:, 1:]), variables=["x"],
                   parameters={"s": cg.LogNormal(0, 1), "phi": cg.Uniform(-np.pi, np.pi, basis="fourier")}, tolerance=1e-8)
    assert [one.basis for one in sol.parameters.values()] == ["log", "fourier"] and len(sol.coefficients) <= 8 and sol.ok
    with pytest.raises(ValueError, match="basis: expected polynomial, fourier or log"):
        cg.Uniform(0, 1, basis="wavelet")


def test_values():
    assert repr(cg.Normal(0, 1)) == "Normal(mean=0, sd=1)" and cg.Normal(0, 1) == cg.Normal(0, 1)
    assert pickle.loads(pickle.dumps(cg.Discrete([1, 2]))) == cg.Discrete([1.0, 2.0])
    assert cg.Exponential(2).support == (0, np.inf)
    with pytest.raises(ValueError, match="between 0 and 1"):
        cg.Normal(0, 1).quantile(1.5)


@pytest.mark.parametrize("make,message", [
    (lambda: cg.Uniform(1, 0), "upper"), (lambda: cg.Normal(0, -1), "sd"), (lambda: cg.Normal(float("nan"), 1), "mean: is not a number"),
    (lambda: cg.Discrete([]), "values"), (lambda: cg.Discrete([1, 2], [1]), "weights"),
    (lambda: cg.as_distribution(st.lognorm(1, loc=2), "s"), "s: .*loc = 2"), (lambda: cg.as_distribution(st.cauchy(), "s"), "cauchy is not known"),
    (lambda: cg.as_distribution(st.poisson(3), "s"), "infinitely many"),
])
def test_mistakes_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
