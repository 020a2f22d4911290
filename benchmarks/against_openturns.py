#!/usr/bin/python3
"""What people do today, at its best: solve at many theta one by one, then fit a sparse chaos expansion with OpenTURNS.

Usage: benchmarks/against_openturns.py [NAME …] [--auto auto.json] [--seconds 120] [--program build/release/chaosgrad] [-o FILE]
Needs Debian's python3-openturns and python3-scipy:  apt-get install --no-remove --no-install-recommends python3-openturns python3-scipy

For each deterministic problem of benchmarks/auto.py, the gradients that the peer needs to reach the true error that chaosgrad
reached (median over the seeds in auto.json, or one run here). The peer is given every advantage:
  - points from a Sobol' sequence (independent draws under a copula), as many as are best (doubled until they suffice, then bisected);
  - each point by BFGS from the optimum at the mean of theta, in variables in which the Hessian there is the identity (q + 1 gradients),
    to the coarsest of two accuracies (0.3 and 0.03 of the error to be reached) that suffices;
  - least squares with LARS and corrected leave-one-out, or plain, in the index set (total degree or hyperbolic) and degree that have
    the smallest true error, which a user could not know; for one parameter also with polynomials in its distribution function;
  - for more than 12 variables the fit is of their principal components (relative cut 1e-7), which is quicker and as accurate.
A gradient and the value of F with it count as one. "> n" means: not reached with n gradients within --seconds.
"""
import argparse
import json
import math
import pathlib
import sys
import time

import numpy as np
import scipy.optimize

import auto
from numpy_problems import PROBLEMS

try:
    import openturns as ot
except ImportError:
    sys.exit("OpenTURNS is missing: apt-get install --no-remove --no-install-recommends python3-openturns")

ot.Log.Show(ot.Log.NONE)  # LARS warns of every coefficient it leaves out
TEST_POINTS, MOST_POINTS = 4000, 4096


class Nested:
    """Solutions at single theta by BFGS, with the gradients spent so far."""

    def __init__(self, problem, mean):
        self.problem, self.gradients = problem, problem.q + 1
        mean = mean[None]
        centre, q = problem.exact(mean)[0], problem.q  # the optimum at the mean: given for free
        at = lambda x: problem.gradient(x, np.repeat(mean, len(x), 0))  # noqa: E731
        H = at(centre + np.eye(q)) - at(np.repeat(centre[None], q, 0))
        self.to_x = np.linalg.inv(np.linalg.cholesky((H + H.T) / 2)).T  # x = centre + to_x y: Hessian I in y
        self.centre = centre
        self.softest = math.sqrt(np.linalg.eigvalsh((H + H.T) / 2)[0])

    def solve(self, theta, accuracy):
        """x*(theta) up to about `accuracy`. Scaled so that |gradient| < 1: BFGS then begins with the full step."""
        theta, scale = theta[None], 1e3

        def objective(y):
            self.gradients += 1
            x = (self.centre + scale * self.to_x @ y)[None]
            return (self.problem.value(x, theta)[0] / scale ** 2,
                    self.to_x.T @ self.problem.gradient(x, theta)[0] / scale)

        found = scipy.optimize.minimize(objective, np.zeros(len(self.centre)), jac=True, method="BFGS",
                                        options={"gtol": accuracy * self.softest / scale, "norm": 2})
        return self.centre + scale * self.to_x @ found.x


def chaos_bases(name, distribution):
    """Product bases to try: (description, basis). OpenTURNS maps theta to the basis's own variables where they differ."""
    d, own = distribution.getDimension(), distribution.hasIndependentCopula()
    marginals = [distribution.getMarginal(k) for k in range(d)]
    enumerations = {"total": ot.LinearEnumerateFunction(d)}
    if d > 1:
        enumerations["hyperbolic"] = ot.HyperbolicAnisotropicEnumerateFunction(d, 0.5)
    for kind, enumeration in enumerations.items():
        if name == "paper":
            yield "trigonometric", ot.OrthogonalProductFunctionFactory([ot.FourierSeriesFactory()], enumeration)
            continue
        families = {"": [ot.StandardDistributionPolynomialFactory(m) for m in marginals] if own else [ot.HermiteFactory()] * d}
        if d == 1 and marginals[0].getImplementation().getClassName() not in ("Uniform", "Normal"):
            families[" in F(theta)"] = [ot.LegendreFactory()]
        for suffix, family in families.items():
            yield kind + suffix, ot.OrthogonalProductPolynomialFactory(family, enumeration)


def sizes(basis, points):
    """Numbers of functions up to each degree that could suit this number of points: (size, whether to select by LARS)."""
    cumulated = basis.getEnumerateFunction().getStrataCumulatedCardinal
    found = []
    while len(found) < 400 and (not found or found[-1] <= 3 * points) and cumulated(len(found) + 1) <= 3000:
        found.append(cumulated(len(found) + 1))
    plain = [size for size in found if 1.3 * size <= points][-6:]
    return [(size, False) for size in plain] + [(size, True) for size in found if size >= points / 4][:4]


def fits(name, distribution, theta, x, kind):
    """Every expansion worth trying: (description, function theta -> x). kind: "plain" least squares, "sparse" ones, or "any"."""
    for family, basis in chaos_bases(name, distribution):
        for size, sparse in sizes(basis, len(theta)):
            if kind != "any" and sparse != (kind == "sparse"):
                continue
            method = ot.LeastSquaresMetaModelSelectionFactory(ot.LARS(), ot.CorrectedLeaveOneOut()) if sparse else \
                ot.PenalizedLeastSquaresAlgorithmFactory()
            algorithm = ot.FunctionalChaosAlgorithm(theta, x, distribution, ot.FixedStrategy(basis, size),
                                                    ot.LeastSquaresStrategy(method))
            try:
                algorithm.run()
            except (RuntimeError, TypeError, ValueError):  # OpenTURNS cannot make or fit this basis
                continue
            yield f"{family}, {size} functions{', LARS' if sparse else ''}", algorithm.getResult().getMetaModel()


class Outputs:
    """The variables, or their principal components where they are many."""

    def __init__(self, x):
        self.mean, self.directions = np.zeros(x.shape[1]), np.eye(x.shape[1])
        if x.shape[1] > 12:
            self.mean = x.mean(0)
            _, s, directions = np.linalg.svd(x - self.mean, full_matrices=False)
            self.directions = directions[s > 1e-7 * s[0]]

    def reduce(self, x):
        return (x - self.mean) @ self.directions.T

    def restore(self, y):
        return self.mean + np.asarray(y) @ self.directions


class Peer:
    """Errors of the best fit for a number of points, solved to one accuracy."""

    def __init__(self, name, accuracy, deadline, kind="any"):
        self.name, self.accuracy, self.deadline, self.kind = name, accuracy, deadline, kind
        self.problem, self.distribution = PROBLEMS[name], PROBLEMS[name].distribution()
        ot.RandomGenerator.SetSeed(1)
        self.test = np.array(self.distribution.getSample(TEST_POINTS))
        self.truth = self.problem.exact(self.test)
        if self.distribution.hasIndependentCopula():
            self.design = np.array(ot.LowDiscrepancyExperiment(ot.SobolSequence(), self.distribution, MOST_POINTS).generate())
        else:
            self.design = np.array(self.distribution.getSample(MOST_POINTS))
        self.nested = Nested(self.problem, np.array(self.distribution.getMean()))
        self.solutions, self.spent = [], [self.nested.gradients]  # spent[n]: gradients for n points

    def best_fit(self, points, target):
        """The first fit that reaches the target, or the best one."""
        while len(self.solutions) < points:
            self.solutions.append(self.nested.solve(self.design[len(self.solutions)], self.accuracy))
            self.spent.append(self.nested.gradients)
        x, best = np.array(self.solutions[:points]), {"error": math.inf}
        outputs = Outputs(x)
        for description, model in fits(self.name, self.distribution, self.design[:points], outputs.reduce(x), self.kind):
            error = math.sqrt(((outputs.restore(model(self.test)) - self.truth) ** 2).sum(1).mean())
            if error < best["error"]:
                best = {"error": error, "points": points, "gradients": self.spent[points], "fit": description,
                        "accuracy": self.accuracy}
            if error <= target or time.monotonic() > self.deadline:
                break
        return best


def cheapest(name, target, seconds, kind="any"):
    """The peer's cheapest way to the true error `target` (points doubled, then bisected), or the best error it came to."""
    deadline, best = time.monotonic() + seconds, {"reached": False, "error": math.inf}
    for accuracy in (0.3 * target, 0.03 * target):
        peer, points, step = Peer(name, accuracy, deadline, kind), 8, 2.0
        while points <= MOST_POINTS and step > 1.1 and time.monotonic() < deadline:
            fit = peer.best_fit(points, target)
            reached = fit["error"] <= target
            if reached and (not best["reached"] or fit["gradients"] < best["gradients"]) or \
                    not best["reached"] and fit["error"] < best["error"]:
                best = {"reached": reached, **fit}
            if reached or step < 2:  # between the last failure and the first success
                step = math.sqrt(step)
            points = round(points / step) if reached else round(points * step)
        best["spent"] = max(best.get("spent", 0), peer.spent[-1])
    return best


def own_result(name, arguments):
    """True error and gradients (diagnostics included) of chaosgrad: medians of auto.json, or one run now."""
    if arguments.auto:
        rows = {row["problem"]: row for row in json.loads(pathlib.Path(arguments.auto).read_text())["problems"]}
        if name not in rows or not rows[name]["true_error"]:
            return None
        row = rows[name]
        return row["true_error"][1], row["gradients"] + (row["diagnostic_gradients"] or 0)
    settings = dict(assignment.split("=", 1) for assignment in arguments.set)
    run = auto.solve(arguments.program, name, 1, settings, 0)
    if run.get("true_error") is None:
        return None
    return run["true_error"], run["gradient_evaluations"] + run.get("diagnostic_gradients", 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--auto", help="the JSON file of benchmarks/auto.py")
    parser.add_argument("--seconds", type=float, default=120, help="time for each problem")
    parser.add_argument("--set", action="append", default=[], help="override for chaosgrad's own run: KEY=VALUE")
    parser.add_argument("--program", default=str(auto.ROOT / "build" / "release" / "chaosgrad"))
    parser.add_argument("-o", "--output", default="against_openturns.json")
    arguments = parser.parse_args()
    print(f"{'problem':<26} {'true error':>10} {'chaosgrad':>10} {'peer':>10} {'ratio':>7}  peer's error, points and fit")
    rows = []
    for name in (name for name in auto.chosen(arguments.names) if name in PROBLEMS):
        own = own_result(name, arguments)
        if own is None:
            print(f"{name:<26} no result of chaosgrad")
            continue
        error, gradients = own
        other = cheapest(name, error, arguments.seconds)
        rows.append({"problem": name, "true_error": error, "gradients": gradients, "peer": other})
        needed = other["gradients"] if other["reached"] else other["spent"]
        mark = "" if other["reached"] else ">"
        print(f"{name:<26} {error:>10.3g} {gradients:>10.0f} {mark + format(needed, '.0f'):>10} {mark + format(needed / gradients, '.2f'):>7}  "
              f"{other['error']:.3g}, {other['points']}, {other['fit']}", flush=True)
        pathlib.Path(arguments.output).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
