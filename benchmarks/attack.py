#!/usr/bin/python3
"""Can adversarial problems make `auto` claim that it converged while the true error is above the tolerance?

Usage: benchmarks/attack.py [--program build/release/chaosgrad] [--jobs 2] [--seeds 3] [--first-seed 1] [--only REGEX] [--families a,b]
                            [--max-seconds 20] [--max-gradients 2000000] [--markdown FILE] [--keep DIR] [--list] [--check]
                            [--bound] [--log FILE]

About 480 problems with known optima, made to mislead (attack/): rare bumps, jumps and ramps, optima beside the border of a domain, parities,
objectives that are indefinite for few theta, two wells, heavy tails, odd units, many discrete values, high frequencies, rare events in the
noise, few active pairs of many parameters, one bad component of several; and 52 easy mirrors of them, where not to converge is a failure. The
true error comes from 20,000 fresh samples that also hit the rare regions and the tails, with weights. Verdicts of a run:
  right             converged, and the true error is at most 1.1 times the tolerance
  certified wrong   converged, and the true error is more
  no minimum        converged, though x* does not exist or is not unique for some theta (or has an infinite norm)
  excused           one of the last two, but what is wrong has a probability below `unseen` of the summary: for a rare feature its
                    probability; for others the error without the worst theta of that probability is within the tolerance
  refused           ended with any other status
  broken            no answer at all: bad input, a crash, no end
--bound counts instead how often the bound (strong convexity is given) is below the true error, for confidences from 0.5 to 0.999.
--check compares the known optima with the objectives, without the program. Exits with 1 if anything is certified wrong, without
a minimum, or broken, or a bound fails more often than its confidence allows.
"""
import argparse
import collections
import concurrent.futures
import functools
import io
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import zlib

import numpy as np

from attack import border, bounds, easy, heavy, hidden, minima, noisy, rare
from attack.measure import fresh_samples, norm, trimmed_norm
from attack.selftest import complaint

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARGIN = 1.1  # of the tolerance, for the sampling error of the truth
VERDICTS = ("right", "certified wrong", "no minimum", "excused", "refused", "broken")


def all_problems():
    return [problem for family in (rare, border, hidden, minima, heavy, noisy, easy) for problem in family.problems()]


def chosen(problems, arguments):
    families = arguments.families.split(",") if arguments.families else None
    unknown = set(families or ()) - {problem.family for problem in problems}
    if unknown:
        sys.exit(f"no family is called {', '.join(sorted(unknown))}; there are {', '.join(sorted({problem.family for problem in problems}))}")
    return [problem for problem in problems if (not families or problem.family in families) and re.search(arguments.only, problem.title)]


def program_seed(text, number):
    """Different for every text, so that the runs of different problems do not share their samples."""
    return zlib.crc32(text.encode()) % 10_000_000 * 100 + number


def solve(problem, seed, folder, arguments, settings=()):
    """The summary of a run in folder/run, or {"broken": why}."""
    for name, text in {"problem.toml": problem.text, **problem.files}.items():
        (folder / name).write_text(text)
    assignments = [f"seed={seed}", f"max_seconds={arguments.max_seconds}", f"max_gradients={arguments.max_gradients}", "threads=1", *settings]
    command = [arguments.program, "solve", str(folder / "problem.toml"), "-o", str(folder / "run"), "--json", "--quiet"]
    for assignment in assignments:
        command += ["--set", f"solve.{assignment}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5 * arguments.max_seconds + 60)
    except subprocess.TimeoutExpired:
        return {"broken": "it does not end"}
    if done.returncode not in (0, 1, 3) or not done.stdout.strip():
        return {"broken": f"exit code {done.returncode}: {done.stderr.strip()}"}
    return json.loads(done.stdout)


class Truths:
    """x* of each problem at its fresh samples, computed once."""

    def __init__(self, problems):
        self.problems = {problem.title: problem for problem in problems}
        self.of = functools.lru_cache(maxsize=16)(self._of)

    def _of(self, title):
        problem = self.problems[title]
        samples = fresh_samples(problem)
        truth = problem.truth(samples.theta)
        text = io.StringIO()
        np.savetxt(text, samples.theta, "%.17g", ",", header=",".join(problem.laws), comments="")
        return samples, truth, norm(samples, truth)[0], text.getvalue()


def expansion_at(folder, text, size, arguments):
    """The expansion of a run at the rows of a CSV text, n×q."""
    (folder / "theta.csv").write_text(text)
    done = subprocess.run([arguments.program, "eval", str(folder / "run"), "--csv", str(folder / "theta.csv")], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"eval: exit code {done.returncode}: {done.stderr.strip()}")
    return np.loadtxt(io.StringIO(done.stdout), delimiter=",", skiprows=1, ndmin=2)[:, -size:]


def judge_converged(problem, unseen, error, spread, tolerance, trimmed):
    """The verdict on a run that claims to have converged; error is None where there is no x*."""
    invisible = unseen is not None and (problem.rare is None or problem.rare < unseen)
    if error is None:
        return "excused" if invisible and problem.rare is not None else "no minimum"
    if error <= MARGIN * tolerance or error - 2 * spread <= tolerance:
        return "right"
    return "excused" if invisible and trimmed <= MARGIN * tolerance else "certified wrong"


def attack(problem, seed, truths, arguments):
    """One run and its verdict."""
    run = {"title": problem.title, "family": problem.family, "seed": seed}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        if arguments.keep:
            folder = pathlib.Path(arguments.keep) / problem.title / str(seed)
            folder.mkdir(parents=True, exist_ok=True)
        summary = solve(problem, seed, folder, arguments, [f"{'relative_' if problem.relative else ''}tolerance={problem.tolerance:.17g}"])
        if "broken" in summary:
            return run | {"verdict": "broken", "reason": summary["broken"]}
        run |= {"status": summary["status"], "reason": summary["stop_reason"], "gradients": summary["gradient_evaluations"],
                "seconds": summary["seconds"], "unseen": summary.get("unseen"), "estimate": summary["error"]["estimate"]}
        if summary["status"] != "converged":
            return run | {"verdict": "refused"}
        if problem.truth is None:
            return run | {"verdict": judge_converged(problem, run["unseen"], None, 0, 0, 0)}
        samples, truth, size, text = truths.of(problem.title)
        try:
            gap = expansion_at(folder, text, problem.size, arguments) - truth
        except (RuntimeError, ValueError) as reason:
            return run | {"verdict": "broken", "reason": str(reason)}
    error, spread = norm(samples, gap)
    tolerance = problem.tolerance * (size if problem.relative else 1)
    trimmed = trimmed_norm(samples, gap, run["unseen"] or 0)
    return run | {"verdict": judge_converged(problem, run["unseen"], error, spread, tolerance, trimmed), "error": error, "spread": spread,
                  "tolerance": tolerance, "trimmed": trimmed}


def bound_run(problem, seed, tolerance, confidence, truths, arguments):
    """(name, confidence, bound or None, whether the true error is above it); None for a run that is broken."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        summary = solve(problem, seed, folder, arguments, [f"relative_tolerance={tolerance}", f"confidence={confidence}"])
        if "broken" in summary:
            print(f"{problem.title}: broken: {summary['broken']}", flush=True)
            return None
        bound = summary["error"]["bound"]
        if bound is None:
            return problem.name, confidence, None, False
        samples, truth, _, text = truths.of(problem.title)
        error, spread = norm(samples, expansion_at(folder, text, problem.size, arguments) - truth)
    if violated := bool(error - 2 * spread > bound):
        print(f"{problem.name}, seed {seed}, tolerance {tolerance}, confidence {confidence}: {summary['status']}, bound {bound:.3g}, "
              f"true error {error:.3g} ± {spread:.1g}", flush=True)
    return problem.name, confidence, bound, violated


def noteworthy(run, problem):
    return run["verdict"] not in ("right", "refused") or (problem.easy and run["verdict"] != "right")


def describe(run):
    text = f"{run['title']}, seed {run['seed']}: {run['verdict']}"
    if "error" in run:
        text += f": true error {run['error']:.3g} ± {run['spread']:.1g}, estimate {run['estimate']:.3g}, tolerance {run['tolerance']:.3g}"
        text += f", without the unseen {run['trimmed']:.3g}" if run["unseen"] else ""
    else:
        text += f": {run.get('status', '')} {run['reason']}"
    return text + (f", {run['gradients']} gradients" if "gradients" in run else "") + (f", unseen {run['unseen']:.2g}" if run.get("unseen") else "")


def family_rows(runs):
    families = collections.defaultdict(list)
    for run in runs:
        families[run["family"]].append(run)
        families["all attacks" if run["family"] != "easy" else "all easy"].append(run)
    table = [["family", "problems", "runs", *VERDICTS, "worst error/tolerance", "median gradients"]]
    for family in sorted(families, key=lambda name: (name in ("easy", "all easy"), name == "all attacks", name)):
        if family == "all easy":
            continue
        mine = families[family]
        counts = collections.Counter(run["verdict"] for run in mine)
        worst = max((run["error"] / run["tolerance"] for run in mine if run["verdict"] == "certified wrong"), default=None)
        gradients = [run["gradients"] for run in mine if "gradients" in run]
        table.append([family, len({run["title"] for run in mine}), len(mine), *(counts[verdict] for verdict in VERDICTS),
                      f"{worst:.3g}" if worst else "", f"{statistics.median(gradients):.0f}" if gradients else ""])
    return table


def status_rows(runs):
    counts = collections.Counter((run["family"], run["status"]) for run in runs if run["verdict"] == "refused")
    statuses = sorted({status for _, status in counts})
    return [["refused", *statuses]] + [[family, *(counts[family, status] for status in statuses)] for family in sorted({f for f, _ in counts})]


def closing_lines(runs):
    attacks, mirrors = ([run for run in runs if (run["family"] == "easy") == easy_ones] for easy_ones in (False, True))
    claimed = [run for run in attacks if run.get("status") == "converged" and run["verdict"] != "broken"]
    wrong = [run for run in claimed if run["verdict"] in ("certified wrong", "no minimum")]
    lines = [f"attacks: {len(wrong)} of {len(claimed)} runs that claimed to have converged were wrong, of {len(attacks)} runs"] if attacks else []
    right = sum(run["verdict"] == "right" for run in mirrors)
    return lines + ([f"easy: {right} of {len(mirrors)} right ({right / len(mirrors):.1%})"] if mirrors else [])


def aligned(table):
    widths = [max(len(str(row[k])) for row in table) for k in range(len(table[0]))]
    return "\n".join("  ".join(str(cell).ljust(w) if k == 0 else str(cell).rjust(w) for k, (cell, w) in enumerate(zip(row, widths))) for row in table)


def markdown(table):
    head, *body = ["| " + " | ".join(str(cell) for cell in row) + " |" for row in table]
    return "\n".join([head, "|---" + "|---:" * (len(table[0]) - 1) + "|", *body])


def deliver(tables, lines, arguments):
    print("\n" + "\n\n".join([*(aligned(table) for table in tables if len(table) > 1), *lines]))
    if arguments.markdown:
        pathlib.Path(arguments.markdown).write_text("\n\n".join([*(markdown(table) for table in tables if len(table) > 1), *lines]) + "\n")


def numbers(arguments):
    return range(arguments.first_seed, arguments.first_seed + arguments.seeds)


def attacks(problems, arguments):
    truths = Truths(problems)
    tasks = [(problem, program_seed(problem.title, number)) for problem in problems for number in numbers(arguments)]
    runs, notes = [], []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (problem, _), run in zip(tasks, pool.map(lambda task: attack(*task, truths, arguments), tasks)):
            runs.append(run)
            if noteworthy(run, problem):
                notes.append(f"- {describe(run)}")
            if noteworthy(run, problem) or arguments.verbose:
                print(describe(run), flush=True)
    closing = closing_lines(runs)
    deliver([family_rows(runs), status_rows(runs)], [*closing, "\n".join(notes)] if arguments.markdown else closing, arguments)
    return any(run["verdict"] in ("certified wrong", "no minimum", "broken") for run in runs)


def bound_runs(problems, arguments):
    truths = Truths(problems)
    tasks = [(problem, program_seed(f"{problem.title} {setting}", number), *setting)
             for number in numbers(arguments) for problem in problems for setting in bounds.settings()]
    log = pathlib.Path(arguments.log) if arguments.log else None
    results = [json.loads(line) for line in log.read_text().splitlines()] if log and log.exists() else []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for result in pool.map(lambda task: bound_run(*task, truths, arguments), tasks):
            results.append(result)
            if log:
                with log.open("a") as file:
                    print(json.dumps(result), file=file)
    table = bounds.rows([result for result in results if result])
    deliver([table], ["violations/bounds per confidence (as many as are believable, exceeded with probability 1/1000; ! where more)"], arguments)
    return None in results or any("!" in cell for row in table for cell in row)


def list_problems(problems):
    for problem in problems:
        print(f"{problem.title:<50} {'relative ' if problem.relative else ''}{problem.tolerance:<10.3g} "
              f"{f'p = {problem.rare:g}; ' if problem.rare else ''}{problem.honest}")
    print(aligned([["family", "problems"], *collections.Counter(problem.family for problem in problems).items(), ["all", len(problems)]]))


def check_truths(problems):
    complaints = {problem.title: text for problem in problems if (text := complaint(problem))}
    for title, text in complaints.items():
        print(f"{title}: {text}")
    print(f"{len(problems) - len(complaints)} of {len(problems)} truths hold")
    return bool(complaints)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "chaosgrad"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--log", metavar="FILE", help="of --bound: runs are added to it, and the table has all that are in it")
    parser.add_argument("--only", default="", metavar="REGEX", help="of family/name")
    parser.add_argument("--families", metavar="a,b")
    parser.add_argument("--max-seconds", type=float, default=20.0, help="of a run")
    parser.add_argument("--max-gradients", type=int, default=2_000_000, help="of a run")
    parser.add_argument("--markdown", metavar="FILE", help="write the tables and what is noteworthy")
    parser.add_argument("--keep", metavar="DIR", help="keep problem files and runs")
    parser.add_argument("--list", action="store_true", help="the problems, and what an honest answer is")
    parser.add_argument("--check", action="store_true", help="the known optima against the objectives")
    parser.add_argument("--bound", action="store_true", help="count failures of the bound")
    parser.add_argument("--verbose", action="store_true", help="a line for every run")
    arguments = parser.parse_args()
    problems = chosen(bounds.problems() if arguments.bound else all_problems(), arguments)
    if arguments.list:
        return list_problems(problems)
    if arguments.check:
        return check_truths(problems)
    return int(bound_runs(problems, arguments) if arguments.bound else attacks(problems, arguments))


if __name__ == "__main__":
    sys.exit(main())
