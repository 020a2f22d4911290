"""An objective in symbols as the text of a problem file."""
from __future__ import annotations

import json
import math
from typing import Any, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .distributions import Distribution
from .symbols import Constant, Expression, Named, NoiseSymbol, Parameter, Relation, Variable, as_expression

SHORT = 40  # characters of a formula that is written out again where it appears again


def _number(value: float) -> str:
    return repr(float(value)) if math.isfinite(value) else ("inf" if value > 0 else "-inf")


def _in_order(roots: Sequence[Expression]) -> tuple[list[Expression], dict[int, int]]:
    """All parts, each after its own, and how often each is used."""
    order: list[Expression] = []
    uses: dict[int, int] = {}
    seen: set[int] = set()
    for root in roots:
        stack: list[tuple[Expression, bool]] = [(root, False)]
        uses[id(root)] = uses.get(id(root), 0) + 1
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
                continue
            if id(node) in seen:
                continue
            seen.add(id(node))
            stack.append((node, True))
            for place, part in enumerate(node.parts):
                uses[id(part)] = uses.get(id(part), 0) + node.form.count(f"{{{place}}}")
                stack.append((part, False))
    return order, uses


class _Writer:
    """Texts of expressions; constants and repeated parts get names."""

    def __init__(self, roots: Sequence[Expression]) -> None:
        self.order, uses = _in_order(roots)
        self.symbols: dict[str, Named] = {}
        for node in self.order:
            if isinstance(node, Named) and self.symbols.setdefault(node.name, node) is not node:
                raise _core.InputError(f"two different symbols are called {node.name!r}")
        self.constants: dict[str, Constant] = {}
        self.definitions: dict[str, str] = {}
        self._texts: dict[int, str] = {}
        for node in self.order:
            self._texts[id(node)] = self._write(node, uses[id(node)] > 1)

    def _fresh(self, stem: str, taken: Mapping[str, Any]) -> str:
        number = len(taken) + 1
        while f"{stem}{number}" in self.symbols:
            number += 1
        return f"{stem}{number}"

    def _write(self, node: Expression, repeated: bool) -> str:
        if isinstance(node, Constant):
            if not node.shape:
                return _number(float(node.value)) if node.value >= 0 else f"({_number(float(node.value))})"
            name = self._fresh("constant_", self.constants)
            self.constants[name] = node
            return name
        text = node.form.format(*(self._texts[id(part)] for part in node.parts))
        if not repeated or len(text) <= SHORT or not node.parts:
            return text
        name = self._fresh("part_", self.definitions)
        self.definitions[name] = text
        return name

    def text(self, node: Expression) -> str:
        return self._texts[id(node)]

    def of(self, kind: type) -> list[Any]:
        return [one for one in self.symbols.values() if isinstance(one, kind)]


def _law(one: Distribution) -> str:
    parts = [f'distribution = "{one.name}"']
    for key, value in one.arguments().items():
        if isinstance(value, tuple):
            if value:
                parts.append(f"{key} = [{', '.join(map(_number, value))}]")
        else:
            parts.append(f"{key} = {_number(value)}")
    if one.basis:
        parts.append(f'basis = "{one.basis}"')
    if len(one.breakpoints):
        parts.append(f"breakpoints = [{', '.join(map(_number, one.breakpoints))}]")
    return "{ " + ", ".join(parts) + " }"


def _array(value: Any) -> str:
    if np.ndim(value) == 0:
        return _number(float(value))
    return "[" + ", ".join(_array(one) for one in value) + "]"


FLIPPED = {"<=": ">=", ">=": "<=", "==": "=="}


def _depends_on(node: Expression, kind: type) -> bool:
    return any(isinstance(one, kind) for one in _in_order([node])[0])


def _as_bound(relation: Relation) -> tuple[Variable, str, Expression] | None:
    """w >= bound, where the bound knows no variable; equalities stay constraints."""
    for left, sign, right in ((relation.left, relation.sign, relation.right),
                              (relation.right, FLIPPED[relation.sign], relation.left)):
        if isinstance(left, Variable) and sign != "==" and not _depends_on(right, Variable):
            return left, "lower" if sign == ">=" else "upper", right
    return None


def _relations(given: Any) -> list[Relation]:
    if isinstance(given, Relation):
        given = [given]
    if isinstance(given, Mapping):
        given = [one.named(name) for name, one in given.items()]
    found = list(given)
    for one in found:
        if not isinstance(one, Relation):
            raise TypeError(f"subject_to: expected relations such as w >= 0, found {type(one).__name__}")
        if one.sign not in FLIPPED:
            raise _core.InputError(f"subject_to: expected <=, >= or ==, found {one.sign}")
    return found


def problem_text(objective: Expression, *, subject_to: Any = (), quantities: Mapping[str, Any] | None = None, start: Any = None,
                 correlation: ArrayLike | None = None, facts: Mapping[str, float | None] | None = None, reference: Any = None,
                 title: str = "", options: Mapping[str, Any] | None = None) -> str:
    """The problem file of an objective in symbols, which `chaosgrad solve` takes as well.

    >>> import chaosgrad as cg
    >>> x, t = cg.variable("x"), cg.parameter("t", cg.Uniform(0, 1))
    >>> print(cg.problem_text((x - t)**2))
    [parameters]
    t = { distribution = "uniform", lower = 0.0, upper = 1.0 }
    <BLANKLINE>
    [variables]
    x = {}
    <BLANKLINE>
    [objective]
    minimize = "((x - t) ^ 2.0)"
    <BLANKLINE>
    """
    if objective.shape:
        raise _core.InputError(f"the objective is a number, found an expression of shape {objective.shape}; sum() adds it up")
    bounds: dict[tuple[str, str], Expression] = {}
    rows: list[Relation] = []
    for relation in _relations(subject_to):
        bound = _as_bound(relation) if relation.name is None else None
        if bound and (bound[0].name, bound[1]) not in bounds:
            bounds[bound[0].name, bound[1]] = bound[2]
        else:
            rows.append(relation)
    further = {name: as_expression(one) for name, one in (quantities or {}).items()}
    known = {name: as_expression(one) for name, one in (reference or {}).items()}
    sides = [side for row in rows for side in (row.left, row.right)]
    writer = _Writer([objective, *sides, *bounds.values(), *further.values(), *known.values()])
    sections: list[str] = [f"title = {json.dumps(title)}\n"] if title else []

    def section(name: str, lines: Sequence[str]) -> None:
        if lines:
            sections.append("\n".join([f"[{name}]", *lines]) + "\n")

    def bound_text(one: Expression) -> str:
        if isinstance(one, Constant):
            return _array(one.value)
        return json.dumps(writer.text(one), ensure_ascii=False)

    variables = writer.of(Variable)
    parameters = writer.of(Parameter)
    if not variables or not parameters:
        raise _core.InputError(f"the objective has no {'parameter' if variables else 'variable'}: see cg.variable and cg.parameter")
    section("parameters", [f"{one.name} = {_law(one.distribution)}" for one in parameters])
    if correlation is not None:
        section("dependence", ['copula = "gaussian"', f"correlation = {_array(np.asarray(correlation, dtype=float))}"])
    section("noise", [f"{one.name} = {_law(one.distribution)}" for one in writer.of(NoiseSymbol)])
    section("constants", [f"{name} = {_array(one.value)}" for name, one in writer.constants.items()])
    section("definitions", [f'{name} = "{text}"' for name, text in writer.definitions.items()])
    starts = dict(start or {})
    lines = []
    for one in variables:
        keys = [] if not one.shape else [f"size = {one.shape[0]}"]
        begin = np.broadcast_to(np.asarray(starts.pop(one.name, one.start), dtype=float), one.shape)
        if np.any(begin != 0):
            keys.append(f"start = {_array(begin)}")
        keys += [f"{side} = {bound_text(bounds[one.name, side])}" for side in ("lower", "upper") if (one.name, side) in bounds]
        lines.append(f"{one.name} = {{ {', '.join(keys)} }}" if keys else f"{one.name} = {{}}")
    if starts:
        raise _core.InputError(f"start: no variable is called {next(iter(starts))!r}")
    section("variables", lines)
    section("constraints", [f'{row.name or f"constraint_{i + 1}"} = "{writer.text(row.left)} {row.sign} {writer.text(row.right)}"'
                            for i, row in enumerate(rows)])
    section("objective", [f'minimize = "{writer.text(objective)}"',
                          *(f"{key} = {_number(one)}" for key, one in (facts or {}).items() if one is not None)])
    section("reference", [f'{name} = "{writer.text(one)}"' for name, one in known.items()])
    section("quantities", [f'{name} = "{writer.text(one)}"' for name, one in further.items()])
    section("solve", [f"{key} = {json.dumps(one)}" for key, one in (options or {}).items()])
    return "\n".join(sections)
