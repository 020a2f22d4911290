"""The problems of this folder: field, starts, whether they have noise or are kept aside, and the true optimum, coded apart from the TOML files.

    from truths import PROBLEMS             # in the order of their names
    PROBLEMS["eoq"].truth([1e4, 50, 0.4])   # x of shape (q,)
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import truths_money  # noqa: E402
import truths_nature  # noqa: E402
import truths_signals  # noqa: E402
import truths_statistics  # noqa: E402
import truths_visitor  # noqa: E402

ASIDE = 12      # how many are kept aside, drawn once with a fixed seed
SEED = 2024


def collect():
    first = [problem for module in (truths_money, truths_nature, truths_signals, truths_statistics) for problem in module.PROBLEMS]
    for problem in random.Random(SEED).sample(sorted(first, key=lambda problem: problem.name), ASIDE):
        problem.aside = True
    found = {}
    for problem in first + truths_visitor.PROBLEMS:     # those came later and were not drawn from
        assert problem.name not in found and len(problem.starts) == 3
        found[problem.name] = problem
    return dict(sorted(found.items()))


PROBLEMS = collect()
