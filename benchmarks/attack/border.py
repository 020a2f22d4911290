"""Optima beside the border of a domain that rare bumps move far away: a Newton step from there is as short as the border is near."""
import itertools

from attack import laws as law
from attack.laws import number, standard
from attack.problem import Problem, problem_text, truth_of
from attack.rare import product_feature

# All have their minimum at s, and are defined for x > 0 only.
BORDERS = {
    "log": "x - s*log(x)",
    "sqrt": "x - 2*sqrt(s*x)",
    "root": "x + 2*s^1.5/sqrt(x)",
    "pair": "(x[0] - s)^2/2 + x[1] - s*log(x[1])",
}
LAWS = {"uniform": law.uniform(), "normal": law.normal(), "beta": law.beta(2, 3)}


def border_problem(kind, p, name, place, base, *, easy=False):
    """Without the bump x* is about `base`; missing it costs 10 tolerances. An easy one has a bump no larger than the rest."""
    laws = {"t0": LAWS[name]}
    feature, size, box = product_feature("bump", laws, p, place)
    s = f"{number(base)}*(1 + 0.3*sin({standard('t0', laws['t0'])})) + {number(0.3 * base if easy else 1)}*{feature}"
    q = 2 if kind == "pair" else 1
    text = problem_text(laws, BORDERS[kind], definitions={"s": s}, size=q if q > 1 else 0, start=[base] * q if q > 1 else base)
    return Problem("easy" if easy else "border", f"{'border-' if easy else ''}{kind}-p{p:g}-{name}-b{base:g}", text, laws, truth_of(laws, [s] * q),
                   0.01 * base if easy else 0.1 * size, rare=None if easy else p, regions=(box,), easy=easy, size=q)


def problems():
    places, names, bases = itertools.cycle(("middle", "aside", "tail")), itertools.cycle(("uniform", "normal")), itertools.cycle((1e-3, 1e-2, 1e-4))
    found = [border_problem(kind, p, next(names), next(places), next(bases))
             for kind, p in itertools.product(BORDERS, (0.1, 0.03, 0.01, 0.003, 0.001))]
    return found + [border_problem(kind, 0.3, name, "middle", 0.1, easy=True) for kind, name in itertools.product(BORDERS, ("uniform", "beta"))]
