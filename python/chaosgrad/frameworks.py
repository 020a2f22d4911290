"""Objectives of PyTorch and JAX: the framework differentiates, samples are batched."""
from __future__ import annotations

import threading
from typing import Any, Callable

import numpy as np

from .constraints import Array
from .problem import takes_noise


class Model:
    """A batched gradient, with the value that it belongs to: `model(x, theta, v)` is the gradient (N, q)."""

    def __init__(self, gradient: Callable[..., Array], value: Callable[..., Array],
                 hessian: Callable[..., Array] | None = None, name: str = "model") -> None:
        self.gradient, self.value, self.hessian, self.name = gradient, value, hessian, name

    def __call__(self, x: Array, theta: Array, v: Array) -> Array:
        return self.gradient(x, theta, v)

    def __repr__(self) -> str:
        return f"Model({self.name})"


def _name_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _torch_vmap() -> Callable[..., Any]:
    """vmap, wherever this version of PyTorch has it; without it samples are taken one by one."""
    import torch
    if hasattr(torch, "vmap"):
        return torch.vmap  # type: ignore[no-any-return]
    try:
        from functorch import vmap
    except ImportError:
        return _loop
    return vmap  # type: ignore[no-any-return]


def _loop(function: Callable[..., Any]) -> Callable[..., Any]:
    import torch

    def every(*columns: Any) -> Any:
        return torch.stack([function(*row) for row in zip(*columns)])
    return every


def from_torch(f: Callable[..., Any], *, batched: bool = False) -> Model:
    """A model from f(x, theta, v) of tensors (q,), (d,), (r,) -> a number, differentiated by PyTorch.

    v may be left out of the arguments. With batched=True f takes (N, q), (N, d), (N, r) -> (N,). Numbers are doubles.

    >>> import chaosgrad as cg, torch
    >>> model = cg.from_torch(lambda x, theta: 0.5 * torch.sum((x - torch.sin(theta)) ** 2))
    >>> sol = cg.solve(model, variables=["x"], parameters={"theta": cg.Uniform(-1, 1)}, tolerance=1e-6)
    >>> sol.status
    'converged'
    """
    import torch
    wants_noise = takes_noise(f)
    mapped = f if batched else _mapped_or_loop(f, _torch_vmap())

    def values_of(x: Any, theta: Any, v: Any) -> Any:
        return mapped(x, theta, v) if wants_noise else mapped(x, theta)

    one_at_a_time = threading.Lock()  # PyTorch lets go of the interpreter in the middle of vmap, which is not made for that

    def tensors(*arrays: Array) -> list[Any]:
        return [torch.from_numpy(np.array(array)) for array in arrays]

    def gradient(x: Array, theta: Array, v: Array) -> Array:
        at, *rest = tensors(x, theta, v)
        at.requires_grad_(True)
        with one_at_a_time:
            total = values_of(at, *rest).sum()
            if not total.requires_grad:
                return np.zeros(x.shape)
            slope, = torch.autograd.grad(total, at, allow_unused=True)
        return np.zeros(x.shape) if slope is None else slope.detach().numpy()  # type: ignore[no-any-return]

    def value(x: Array, theta: Array, v: Array) -> Array:
        with one_at_a_time, torch.no_grad():
            return values_of(*tensors(x, theta, v)).detach().numpy()  # type: ignore[no-any-return]

    return Model(gradient, value, name=f"torch: {_name_of(f)}")


def _mapped_or_loop(f: Callable[..., Any], vmap: Callable[..., Any]) -> Callable[..., Any]:
    """f over samples by vmap, or one by one if it cannot take that (it branches on a number, say): found out once."""
    chosen: list[Callable[..., Any]] = []

    def call(*columns: Any) -> Any:
        if not chosen:
            try:
                found = vmap(f)(*columns)
            except Exception:  # whatever vmap says, the loop below shows whether f itself is at fault
                found = _loop(f)(*columns)
                chosen.append(_loop(f))
                return found
            chosen.append(vmap(f))
            return found
        return chosen[0](*columns)
    return call


def from_jax(f: Callable[..., Any], *, batched: bool = False, jit: bool = True) -> Model:
    """A model from f(x, theta, v) of arrays (q,), (d,), (r,) -> a number, differentiated, batched and compiled by JAX.

    v may be left out of the arguments. With batched=True f takes (N, q), (N, d), (N, r) -> (N,). Doubles are switched on.
    Blocks have few different sizes, each of which is compiled once; they are filled up to whole powers of two.
    """
    import jax
    import jax.numpy as jnp
    jax.config.update("jax_enable_x64", True)
    wants_noise = takes_noise(f)

    def one(x: Any, theta: Any, v: Any) -> Any:
        return f(x, theta, v) if wants_noise else f(x, theta)

    values: Any = one if batched else jax.vmap(one)
    slopes: Any = jax.grad(lambda x, theta, v: jnp.sum(values(x, theta, v)))
    if jit:
        values, slopes = jax.jit(values), jax.jit(slopes)

    def call(function: Any, arrays: tuple[Array, ...]) -> Array:
        n = arrays[0].shape[0]
        size = 1 << (n - 1).bit_length()
        filled = [np.concatenate([array, np.repeat(array[-1:], size - n, axis=0)]) for array in arrays]
        return np.asarray(function(*filled))[:n]

    return Model(lambda x, theta, v: call(slopes, (x, theta, v)), lambda x, theta, v: call(values, (x, theta, v)),
                 name=f"jax: {_name_of(f)}")
