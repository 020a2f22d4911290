"""The uncertainty of an optimum: x*(theta) = argmin over x of E_v F(x, theta, v) as a function of theta, with its error.

>>> import chaosgrad as cg, numpy as np
>>> def gradient(x, theta, v):             # of F in x; arrays (N, q), (N, d), (N, r), samples first
...     return x - np.sin(theta) + v
>>> sol = cg.solve(gradient, variables=["x"], parameters={"theta": cg.Uniform(-1, 1)},
...                noise={"v": cg.Discrete([-1, 0, 1])}, tolerance=1e-4)
>>> sol.ok, sol.error < 1e-4
(True, True)

Front doors: `solve` (a gradient, an expression in symbols, a model of PyTorch or JAX), `solve_file`, `gallery`, `load`.
"""
from ._core import InputError, IoError
from ._core import version as __version__
from .constraints import Convex, Linear
from .distributions import (Beta, Discrete, Distribution, Exponential, Gamma, LogNormal, LogUniform, Normal, Triangular,
                            TruncatedNormal, Uniform, Weibull, as_distribution)
from .frameworks import Model, from_jax, from_torch
from .results import ErrorEstimate, FailedRun, Multipliers, Sample, Skipped, Sobol, Verification
from .solution import Solution
from .solving import GalleryProblem, gallery, load, solve, solve_file
from .symbol_files import problem_text
from .symbol_functions import (absolute, arccos, arcsin, arctan, ceil, cos, cosh, dot, erf, exp, floor, huber, log, logistic, maximum,
                               minimum, norm1, norm2, normcdf, outer, sign, sin, sinh, softplus, sqrt, sum, tan, tanh, where)
from .symbols import Expression, Relation, noise, parameter, variable, vector

__all__ = [
    "Beta", "Convex", "Discrete", "Distribution", "ErrorEstimate", "Exponential", "Expression", "FailedRun", "GalleryProblem", "Gamma",
    "InputError", "IoError", "Linear", "LogNormal", "LogUniform", "Model", "Multipliers", "Normal", "Relation", "Sample", "Skipped", "Sobol",
    "Solution", "Triangular", "TruncatedNormal", "Uniform", "Verification", "Weibull", "absolute", "arccos", "arcsin", "arctan",
    "as_distribution", "ceil", "cos", "cosh", "dot", "erf", "exp", "floor", "from_jax", "from_torch", "gallery", "huber", "load", "log",
    "logistic", "maximum", "minimum", "noise", "norm1", "norm2", "normcdf", "outer", "parameter", "problem_text", "sign", "sin", "sinh",
    "softplus", "solve", "solve_file", "sqrt", "sum", "tan", "tanh", "variable", "vector", "where",
]
