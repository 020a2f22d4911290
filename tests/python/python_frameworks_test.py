"""Objectives of PyTorch (and JAX, where it is installed): the same solution as with a gradient of numpy."""
import sys
import types

import numpy as np
import pytest

import chaosgrad as cg

LAWS = {"a": cg.Uniform(0, 1), "b": cg.Normal(0, 0.5)}
NOISE = {"v": cg.Discrete([-1.0, 0.0, 2.0])}
S = np.array([[2.0, 0.5], [0.5, 1.0]])


def gradient(x, theta, v):
    return x @ S + 0.1 * x**3 - np.stack([np.sin(theta[:, 0]), theta[:, 1] * theta[:, 0]], axis=1) * (1 + v)


def solve(model, **given):
    return cg.solve(model, **{"variables": ["x", "y"], "parameters": LAWS, "noise": NOISE, "tolerance": 1e-4, **given})


def test_torch_and_numpy_give_the_same_solution():
    torch = pytest.importorskip("torch")
    matrix = torch.from_numpy(S)

    def objective(x, theta, v):
        target = torch.stack([torch.sin(theta[0]), theta[1] * theta[0]]) * (1 + v[0])
        return x @ matrix @ x / 2 + 0.025 * torch.sum(x**4) - target @ x

    model = cg.from_torch(objective)
    generator = np.random.default_rng(0)
    x, theta, v = (generator.normal(size=(7, k)) for k in (2, 2, 1))
    assert np.allclose(model(x, theta, v), gradient(x, theta, v), atol=1e-13)
    exact = x[:, None, :] @ S @ x[:, :, None] / 2
    target = np.stack([np.sin(theta[:, 0]), theta[:, 1] * theta[:, 0]], axis=1) * (1 + v)
    assert np.allclose(model.value(x, theta, v), exact[:, 0, 0] + 0.025 * (x**4).sum(axis=1) - (target * x).sum(axis=1))
    by_torch, by_numpy = solve(model), solve(gradient)
    grid = np.stack(np.meshgrid(np.linspace(0, 1, 7), np.linspace(-1, 1, 7)), axis=-1)
    assert by_torch.ok and np.allclose(by_torch(grid), by_numpy(grid), atol=3e-4)
    batched = cg.from_torch(lambda x, theta, v: (x @ matrix * x).sum(dim=1) / 2 + 0.025 * (x**4).sum(dim=1)
                            - (torch.stack([torch.sin(theta[:, 0]), theta[:, 1] * theta[:, 0]], dim=1) * (1 + v) * x).sum(dim=1),
                            batched=True)
    assert np.allclose(solve(batched)(grid), by_numpy(grid), atol=3e-4)


def test_torch_that_branches_and_raises():
    torch = pytest.importorskip("torch")

    def branching(x, theta):  # vmap cannot: it asks for a number
        return torch.sum((x - theta)**2) / 2 if theta.sum().item() > -100 else torch.sum(x**2)

    sol = solve(cg.from_torch(branching), noise=None)
    assert np.allclose(sol([0.3, 0.4]), [0.3, 0.4], atol=1e-4)

    def wrong(x, theta):
        raise LookupError("in torch")

    with pytest.raises(LookupError, match="in torch"):
        solve(cg.from_torch(wrong), noise=None)


def test_torch_objective_without_x_is_not_strongly_convex():
    torch = pytest.importorskip("torch")
    assert not solve(cg.from_torch(lambda x, theta: torch.sum(theta)), noise=None).ok


def test_jax_and_numpy_give_the_same_solution():
    jnp = pytest.importorskip("jax.numpy", reason="JAX is not part of Debian 12")

    def objective(x, theta, v):
        target = jnp.stack([jnp.sin(theta[0]), theta[1] * theta[0]]) * (1 + v[0])
        return x @ S @ x / 2 + 0.025 * jnp.sum(x**4) - target @ x

    grid = np.stack(np.meshgrid(np.linspace(0, 1, 7), np.linspace(-1, 1, 7)), axis=-1)
    assert np.allclose(solve(cg.from_jax(objective))(grid), solve(gradient)(grid), atol=3e-4)


def fake_jax():
    """A stand-in with the few functions of JAX that from_jax calls, for machines without it: numpy, and complex steps for slopes.
    It shows that our calls fit together (shapes, padding, options), not that JAX works."""
    jax, jnp, used = types.ModuleType("jax"), types.ModuleType("jax.numpy"), {"sizes": set(), "options": {}, "jit": 0}
    for name in ("sin", "stack", "sum", "exp"):
        setattr(jnp, name, getattr(np, name))

    def vmap(function):
        return lambda *columns: np.array([function(*row) for row in zip(*columns)])

    def grad(function):
        def slope(x, *rest):
            used["sizes"].add(x.shape[0])
            found = np.empty(x.shape)
            for place in np.ndindex(*x.shape):
                step = x.astype(complex)
                step[place] += 1e-30j
                found[place] = function(step, *rest).imag / 1e-30
            return found
        return slope

    def jit(function):
        used["jit"] += 1
        return function

    jax.vmap, jax.grad, jax.jit, jax.numpy = vmap, grad, jit, jnp
    jax.config = types.SimpleNamespace(update=lambda key, value: used["options"].update({key: value}))
    return jax, jnp, used


@pytest.mark.parametrize("batched,jit", [(False, True), (True, True), (False, False)])
def test_the_calls_of_from_jax_on_a_stand_in(monkeypatch, batched, jit):
    jax, jnp, used = fake_jax()
    monkeypatch.setitem(sys.modules, "jax", jax)
    monkeypatch.setitem(sys.modules, "jax.numpy", jnp)

    def one(x, theta, v):
        target = jnp.stack([jnp.sin(theta[0]), theta[1] * theta[0]]) * (1 + v[0])
        return x @ S @ x / 2 + 0.025 * jnp.sum(x**4) - target @ x

    model = cg.from_jax(jax.vmap(one) if batched else one, batched=batched, jit=jit)
    generator = np.random.default_rng(0)
    x, theta, v = (generator.normal(size=(5, k)) for k in (2, 2, 1))
    assert np.allclose(model(x, theta, v), gradient(x, theta, v), atol=1e-13) and model(x, theta, v).shape == (5, 2)
    assert model.value(x, theta, v).shape == (5,)
    assert used["sizes"] == {8} and used["options"] == {"jax_enable_x64": True} and used["jit"] == (2 if jit else 0)
    by_jax, by_numpy = solve(model, tolerance=1e-2), solve(gradient, tolerance=1e-2)
    assert by_jax.ok and np.allclose(by_jax([0.4, 0.2]), by_numpy([0.4, 0.2]), atol=2e-2)
    assert all(size & (size - 1) == 0 for size in used["sizes"])
    without_noise = cg.from_jax(lambda x, theta: jnp.sum((x - jnp.sin(theta))**2) / 2)
    assert np.allclose(without_noise(x, theta, v), x - np.sin(theta))


def test_without_the_framework_the_import_says_so(monkeypatch):
    for name, make in (("torch", cg.from_torch), ("jax", cg.from_jax)):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError, match=name):
            make(lambda x, theta: x)
