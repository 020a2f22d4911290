#!/usr/bin/python3
"""What each constant of collocation and of polishing a point is worth: every one halved, doubled, and switched off where that is possible, over the same problems.

Usage: benchmarks/ablation.py [--only collocation.accuracy,pointwise] [--program build/release/benchmarks/ablation] [--cache FILE] > table.md

The problems: 33 of random_problems.py without noise, small ones that take one process some seconds together, fixed in number and seed, and some of
benchmarks/problems; relative tolerance 1e-4, at most 4000 gradients each. A row is one change of one constant. `median` and `worst` are the ratios of
gradients after to before over the problems that converge in both, `sum` that of their sums; `converged` and `within` count problems (true error within
the tolerance); estimate/true is the median. "none" where every problem takes the same gradients to one per cent, and the counts are the same.
With --cache the runs are kept in a file of JSON and not done again.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

import random_problems

ROOT = pathlib.Path(__file__).resolve().parent.parent
NUMBERS = [2, 6, 10, 19, 21, 31, 43, 55, 62, 87, 95,  # one parameter; 31, 87, 95 with a kink
           4, 8, 13, 39, 60, 73, 78, 90, 111, 119,  # two; 119 with a kink
           7, 16, 17, 35, 41, 48, 64, 71, 75, 81, 83, 88]  # three to five
FILES = ["quadratic-copula", "quadratic-discrete", "quadratic-exponential", "portfolio-full", "ridge-full-log"]
SETTINGS = ["solve.relative_tolerance=1e-4", "solve.max_gradients=4000", "solve.threads=1", "solve.seed=1"]
NEVER = 1e300
# Values that switch a rule off. Without an entry the constant has no such value.
OFF = {
    "collocation.nominal_ratio": NEVER, "collocation.accuracy_floor": 0, "collocation.tightening": 1, "collocation.most_doubts": 0,
    "collocation.largest_prediction": NEVER, "collocation.pilot_points": 0, "collocation.trusted_ratio": 0, "collocation.tiny_ratio": 0,
    "collocation.model_features": 0, "collocation.model_longest": NEVER, "collocation.contradiction": NEVER, "collocation.improbable": 0,
    "collocation.least_spare": 1, "collocation.agreement_points": 1e9,
    "collocation.least_patience": 1e9, 
    "collocation.asymmetry_limit": NEVER,
    "collocation.curvature_slack": NEVER, "collocation.runaway": NEVER, "collocation.axis_share": 1e9, "collocation.least_axis": 0,
    "pointwise.rescale_from": NEVER, "pointwise.overshoot": NEVER, "pointwise.regime_change": NEVER, "pointwise.negligible_step": 0,
    "pointwise.rounding": 0, "pointwise.least_cosine": 0, "pointwise.runaway": NEVER, "pointwise.shortest_step": 0,
}


# Guards against what none of these problems does (no minimum, overflow, endless runs), and thresholds of rounding: factors of two say nothing.
GUARDS = {
    "collocation.asymmetry_limit", "collocation.runaway", "collocation.most_stages", "collocation.improbable",
    "collocation.curvature_slack", "collocation.model_pairs", "pointwise.regime_change", "pointwise.brake",
    "pointwise.runaway", "pointwise.negligible_step", "pointwise.shortest_step", "pointwise.rounding", "pointwise.least_cosine",
}


def variants(name, value, integer):
    """(label, value) of each change."""
    changes = [("off", OFF[name])] if name in OFF else []
    if name in GUARDS:
        return changes or [("a tenth", value / 10), ("ten times", value * 10)]
    for label, changed in [("halved", value // 2 if integer else value / 2), ("doubled", 2 * value)]:
        if changed > 0 and changed != value:
            changes.append((label, changed))
    return changes


class Runs:
    def __init__(self, arguments, folder):
        self.program, self.cache = arguments.program, pathlib.Path(arguments.cache) if arguments.cache else None
        self.known = json.loads(self.cache.read_text()) if self.cache and self.cache.exists() else {}
        self.files = []
        for number in NUMBERS:
            path = folder / f"random-{number}.toml"
            path.write_text(random_problems.problem(number, False)[0])
            self.files.append(str(path))
        self.files += [str(ROOT / "benchmarks" / "problems" / f"{name}.toml") for name in FILES]

    def prepare(self, tunes, at_once=12):
        """Solves all problems with each NAME=VALUE of the list ("" for none) that is not known yet."""
        missing = [tune for tune in tunes if tune not in self.known]
        for first in range(0, len(missing), at_once):
            part = missing[first:first + at_once]
            command = [self.program, *self.files, *(word for setting in SETTINGS for word in ("--set", setting))]
            done = subprocess.run(command + [word for tune in part if tune for word in ("--each", tune)], capture_output=True, text=True)
            for tune in part:
                self.known[tune] = []
            for text in done.stdout.splitlines():
                line = json.loads(text)
                line["file"] = pathlib.Path(line["file"]).stem
                self.known[line["each"]].append(line)
            if done.returncode:
                print(done.stderr, file=sys.stderr)
            if self.cache:
                self.cache.write_text(json.dumps(self.known))

    def __call__(self, tune):
        return self.known[tune]


def compare(before, after):
    if len(after) < len(before):
        return "| | | | | | | failed |"
    good = lambda run: run["status"] == "converged"  # noqa: E731
    within = lambda run: run["true_error"] is not None and run["true_error"] <= run["target"]  # noqa: E731
    pairs = [(a, b) for a, b in zip(before, after) if good(a) and good(b)]
    ratios = [b["gradients"] / a["gradients"] for a, b in pairs]
    total = sum(b["gradients"] for _, b in pairs) / sum(a["gradients"] for a, _ in pairs)
    counts = [(sum(map(good, runs)), sum(map(within, runs))) for runs in (before, after)]
    trust = statistics.median(b["estimate"] / max(b["true_error"], 1e-300) for _, b in pairs)
    every = [b["gradients"] / a["gradients"] for a, b in zip(before, after)]
    same = all(abs(ratio - 1) <= 0.01 for ratio in every) and counts[0] == counts[1]
    return (f"| {statistics.median(ratios):.3f} | {total:.3f} | {max(ratios, key=lambda r: abs(math.log(r))):.2f} | {counts[1][0]} | {counts[1][1]} | {trust:.2f} | "
            f"{'none' if same else ''} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="collocation,pointwise", help="names, or the algorithms before their dots, separated by commas")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "benchmarks" / "ablation"))
    parser.add_argument("--cache")
    arguments = parser.parse_args()
    constants = json.loads(subprocess.run([arguments.program, "--list"], capture_output=True, text=True, check=True).stdout)
    only = [word for word in arguments.only.split(",") if word]
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(arguments, pathlib.Path(folder))
        rows = []
        for name, constant in constants.items():
            if only and name not in only and name.partition(".")[0] not in only:
                continue
            rows += [(name, constant["value"], label, value) for label, value in variants(name, constant["value"], constant["integer"])]
        runs.prepare([""])
        runs.prepare([f"{name}={value!r}" for name, _, label, value in sorted(rows, key=lambda row: row[2] != "off")])
        before = runs("")
        print("| constant | value | change | median | sum | worst | converged | within | estimate/true | difference |")
        print("|---|---|---|---|---|---|---|---|---|---|")
        print("| (none) | | ", compare(before, before))
        for name, given, label, value in rows:
            print(f"| {name} | {given:.4g} | {label if label == 'off' else f'{value:.4g}'} {compare(before, runs(f'{name}={value!r}'))}")


if __name__ == "__main__":
    main()
