"""Objectives of PyTorch (and JAX, where it is installed): the same solution as with a gradient of numpy."""
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


def test_without_the_framework_the_import_says_so(monkeypatch):
    import sys
    for name, make in (("torch", cg.from_torch), ("jax", cg.from_jax)):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError, match=name):
            make(lambda x, theta: x)
