"""The front doors: solve, solve_file, load, gallery."""
from __future__ import annotations

import difflib
import json
import os
import pathlib
from typing import Any, Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import _core, symbols
from .constraints import Array, Bound, Convex, Linear, Variables, make_constraints
from .distributions import named
from .evaluation import as_seed
from .frameworks import Model
from .problem import Function, FunctionProblem, MayFail, checked_may_fail, correlation_of, noise_of
from .progress import as_callback
from .solution import Solution
from .symbol_files import problem_text

OPTIONS = frozenset(_core.option_names())


def _options(given: dict[str, Any]) -> dict[str, Any]:
    """The options of a solve as files have them; `gradient_rule` is the option gradient."""
    found: dict[str, Any] = {}
    for key, value in given.items():
        name = "gradient" if key == "gradient_rule" else key
        if name not in OPTIONS or key == "gradient":
            near = difflib.get_close_matches(key, [*OPTIONS, "variables", "parameters", "noise", "value", "constraints"], 1)
            raise TypeError(f"there is no option {key!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        if value is None:
            continue
        if name == "seed":
            value = as_seed(value)
        found[name] = value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
    return found


def function_problem(gradient: Function, *, value: Function | None = None, hessian: Function | None = None,
                     variables: int | str | Sequence[str] | Mapping[str, int] | Variables, parameters: Mapping[str, Any],
                     correlation: ArrayLike | None = None, noise: Mapping[str, Any] | ArrayLike | None = None,
                     lower: Bound = None, upper: Bound = None, constraints: Sequence[Linear | Convex] = (),
                     start: Any = None, per_sample: bool = False, strong_convexity: float | None = None,
                     smoothness: float | None = None, noise_variance: float | None = None, noise_growth: float | None = None,
                     reference: Callable[[Array], ArrayLike] | None = None, may_fail: MayFail = False,
                     title: str = "") -> FunctionProblem:
    if not callable(gradient):
        raise TypeError(f"gradient: expected a function or an expression, found {type(gradient).__name__}")
    if isinstance(gradient, Model):
        value = gradient.value if value is None else value
        hessian = gradient.hessian if hessian is None else hessian
    names = Variables.of(variables)
    laws = named(parameters, "parameters")
    if not laws:
        raise _core.InputError("parameters: at least one uncertain parameter is needed, found none")
    return FunctionProblem(
        gradient=gradient, value=value, hessian=hessian, variables=names, parameters=laws,
        correlation=correlation_of(correlation, len(laws)), noise=noise_of(noise), lower=lower, upper=upper,
        constraints=[constraints] if isinstance(constraints, (Linear, Convex)) else list(constraints),
        start=names.spread(start, "start", 0.0), per_sample=per_sample,
        facts={"strong_convexity": strong_convexity, "smoothness": smoothness, "noise_variance": noise_variance,
               "noise_growth": noise_growth},
        reference=reference, may_fail=checked_may_fail(may_fail), title=title)


def solve(gradient: Function | symbols.Expression, *, variables: int | str | Sequence[str] | Mapping[str, int] | None = None,
          parameters: Mapping[str, Any] | None = None, noise: Mapping[str, Any] | ArrayLike | None = None,
          value: Function | None = None, hessian: Function | None = None, correlation: ArrayLike | None = None,
          lower: Bound = None, upper: Bound = None, constraints: Sequence[Linear | Convex] = (),
          subject_to: Sequence[symbols.Relation] | symbols.Relation = (), quantities: Mapping[str, symbols.Expression] | None = None,
          start: Any = None, per_sample: bool = False, strong_convexity: float | None = None, smoothness: float | None = None,
          noise_variance: float | None = None, noise_growth: float | None = None,
          reference: Any = None, may_fail: MayFail = False, title: str = "", progress: Any = None,
          tolerance: float | None = None, relative_tolerance: float | None = None, seed: int | np.random.Generator = 1,
          threads: int = 0, method: str = "auto", max_gradients: int | None = None, max_seconds: float | None = None,
          **options: Any) -> Solution:
    """x*(theta) = argmin over x of E_v F(x, theta, v), as a function of theta with an error bar.

    gradient: the gradient of F in x, `gradient(x, theta, v)` of arrays (N, q), (N, d), (N, r), samples first -> (N, q).
    The arrays are read-only views, valid during the call; v may be left out of the arguments where there is no noise.
    With per_sample=True it gets (q,), (d,), (r,) and returns (q,). Or a model of `from_torch` or `from_jax`; or an
    expression in symbols, which is F itself: then variables, parameters and noise are those that appear in it.

    variables: names of x, a dict {"w": 4} of vectors, or how many.  parameters, noise: dicts of distributions; noise may
    also be rows of data (n, r), each as likely.  value: F itself, (N,): it makes starts and domains safe, and the
    optimal value a result.  lower, upper: bounds, numbers or functions of theta.  constraints: `Linear` and `Convex`.
    subject_to: relations of symbols.  reference: the known optimum, a function of theta.

    may_fail: True if the gradient may be NaN at some theta: they are skipped and counted (`Solution.skipped`), while they are
    few. An exception class, or several: these count as failures too, instead of arriving here.

    tolerance is absolute, on the error in the norm of L2; further options are those of [solve] in problem files, where
    `gradient` is called gradient_rule here.  progress: True, or a function of a dict that stops the run by returning
    False.  Ctrl-C stops within a block and returns what there is.

    >>> import chaosgrad as cg, numpy as np
    >>> def gradient(x, theta, v):
    ...     return x - np.exp(theta) + v
    >>> sol = cg.solve(gradient, variables=["x"], parameters={"theta": cg.Uniform(-1, 1)},
    ...                noise={"v": cg.Discrete([-1, 1])}, tolerance=1e-6)
    >>> bool(abs(sol.mean[0] - np.sinh(1)) < 1e-6)
    True
    """
    chosen = _options({"tolerance": tolerance, "relative_tolerance": relative_tolerance, "seed": seed, "threads": threads,
                       "method": method, "max_gradients": max_gradients, "max_seconds": max_seconds, **options})
    if isinstance(gradient, symbols.Expression):
        given = {"value": value, "hessian": hessian, "variables": variables, "parameters": parameters, "noise": noise,
                 "lower": lower, "upper": upper, "constraints": constraints or None, "may_fail": may_fail or None}
        wrong = [key for key, one in given.items() if one is not None]
        if wrong:
            raise TypeError(f"{wrong[0]}: an expression has its own; bounds and constraints go to subject_to")
        facts = {"strong_convexity": strong_convexity, "smoothness": smoothness, "noise_variance": noise_variance,
                 "noise_growth": noise_growth}
        text = problem_text(gradient, subject_to=subject_to, quantities=quantities or {}, start=start,
                                    correlation=correlation, facts=facts, reference=reference, title=title, options=chosen)
        return _solve_text("expression", "", text, [], {}, progress)
    if variables is None or parameters is None:
        raise TypeError("solve() needs variables= and parameters= beside a gradient")
    if subject_to or quantities:
        raise TypeError("subject_to and quantities are for expressions; beside a gradient there are lower, upper and constraints")
    problem = function_problem(gradient, value=value, hessian=hessian, variables=variables, parameters=parameters,
                               correlation=correlation, noise=noise, lower=lower, upper=upper, constraints=constraints,
                               start=start, per_sample=per_sample, strong_convexity=strong_convexity, smoothness=smoothness,
                               noise_variance=noise_variance, noise_growth=noise_growth, reference=reference, may_fail=may_fail, title=title)
    with as_callback(progress) as told:
        return Solution(problem.solve(json.dumps(chosen), None, told), problem)


def _solve_text(name: str, directory: str, text: str, overrides: list[str], files: dict[str, str], progress: Any,
                log: str = "") -> Solution:
    file = _core.ProblemFile(name, directory, text, overrides, files)
    with as_callback(progress) as told:
        return Solution(_core.solve_file(file, None, told, log))


def _toml(value: Any) -> str:
    return value if isinstance(value, str) and value.lstrip()[:1] in ("{", "[", '"') else json.dumps(value)


def solve_file(path: str | os.PathLike[str], output: str | os.PathLike[str] | None = None, *,
               override: Mapping[str, Any] | None = None, progress: Any = None, **options: Any) -> Solution:
    """Solve a problem file; options are those of [solve], `override` any key: {"constants.mu": 2}.

    output: a folder to save to. Of a model that runs elsewhere it also has the log of evaluations: none is paid twice.
    """
    path = pathlib.Path(path)
    changes = dict(override or {}) | {f"solve.{key}": one for key, one in _options(options).items()}
    overrides = [f"{key}={_toml(one)}" for key, one in changes.items()]
    solution = _solve_text(str(path), str(path.parent), path.read_text(encoding="utf-8"), overrides, {}, progress,
                           "" if output is None else os.fspath(output))
    if output is not None:
        solution.save(output)
    return solution


def load(directory: str | os.PathLike[str], constraints: Sequence[Linear | Convex] = (), *, lower: Bound = None,
         upper: Bound = None) -> Solution:
    """The solution in the folder of a run, whoever wrote it: this module, a C++ program or the command line.

    A folder holds linear constraints and those of problem files; where some were functions, give all of them again, as
    to `solve`. To resume a run of Python functions, see `Solution.with_functions`.
    """
    given = None
    if constraints or callable(lower) or callable(upper):
        given = _constraints_for(directory, constraints, lower, upper)
    run = _core.load(os.fspath(directory), given)
    if run.warning:
        import warnings
        warnings.warn(run.warning, stacklevel=2)
    return Solution(run)


def _constraints_for(directory: str | os.PathLike[str], constraints: Sequence[Linear | Convex], lower: Bound,
                     upper: Bound) -> _core.Constraints | None:
    summary = json.loads((pathlib.Path(directory) / "summary.json").read_text(encoding="utf-8"))
    names = Variables.from_names(summary["variables"])
    with np.errstate(all="ignore"):  # only the shape of what comes out matters
        return make_constraints(names, lower, upper, constraints, np.zeros(names.size), np.zeros(len(summary["parameters"])))


class GalleryProblem:
    """A ready problem: its name, title and text, to solve or to write out."""

    def __init__(self, name: str, text: str, files: dict[str, str]) -> None:
        self.name, self.text, self.files = name, text, files
        self.title = next((line.split('"')[1] for line in text.splitlines() if line.startswith('title = "')), "")

    def solve(self, *, override: Mapping[str, Any] | None = None, progress: Any = None, **options: Any) -> Solution:
        changes = dict(override or {}) | {f"solve.{key}": one for key, one in _options(options).items()}
        return _solve_text(self.name + ".toml", "", self.text, [f"{key}={_toml(one)}" for key, one in changes.items()], self.files,
                           progress)

    def write(self, folder: str | os.PathLike[str]) -> pathlib.Path:
        """Write the problem file and its data, and return its path."""
        path = pathlib.Path(folder) / f"{self.name}.toml"
        for place, content in [(path, self.text), *((pathlib.Path(folder) / name, one) for name, one in self.files.items())]:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content, encoding="utf-8")
        return path

    def __repr__(self) -> str:
        return f"GalleryProblem({self.name!r}: {self.title})"


def gallery(name: str | None = None) -> Any:
    """The built-in example problems: all of them by name, or the one of this name.

    >>> import chaosgrad as cg
    >>> cg.gallery("quickstart").solve(tolerance=1e-2).status
    'converged'
    """
    problems = {one: GalleryProblem(one, text, files) for one, text, files in _core.gallery()}
    if name is None:
        return problems
    if name not in problems:
        near = difflib.get_close_matches(name, problems, 1)
        raise KeyError(f"no problem is called {name!r}; " + (f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(problems)}"))
    return problems[name]
