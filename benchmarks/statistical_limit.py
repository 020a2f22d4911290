#!/usr/bin/python3
"""How near the noisy problems of benchmarks/auto.py come to the statistical limit.

Usage: benchmarks/auto.py noisy paper-noise -o auto.json;  benchmarks/statistical_limit.py auto.json

Whoever learns m coefficients from N independent gradients has E error^2 of about m sigma^2/N at best, where sigma^2 = E|H^-1 grad F|^2
at the optimum. For each problem: sigma^2 (here, from formulas), and the mean over the seeds of error^2 / (m sigma^2/N), N being all
gradients that the run spent. Where auto integrates the noise out (rows, polynomials) the limit does not hold, and is undercut.
"""
import csv
import json
import pathlib
import statistics
import sys

import numpy as np
import scipy.integrate
import scipy.optimize
import scipy.stats

ROOT = pathlib.Path(__file__).resolve().parent.parent
Z, W = np.polynomial.hermite_e.hermegauss(200)
W = W / W.sum()


def expectile(tau, mean_variance):
    """v ~ N(., s^2): grad = -2 w (v - x), H = 2 E w; sigma^2 = s^2 E[w^2 (z - e)^2]/(E w)^2."""
    def slope(e):
        return scipy.integrate.quad(lambda z: (tau if z > e else 1 - tau) * (z - e) * scipy.stats.norm.pdf(z), -12, 12, points=[e])[0]
    e = scipy.optimize.brentq(slope, -3, 3)
    below = scipy.stats.norm.cdf(e)
    weight = tau * (1 - below) + (1 - tau) * below
    square = scipy.integrate.quad(lambda z: ((tau if z > e else 1 - tau) * (z - e)) ** 2 * scipy.stats.norm.pdf(z), -12, 12, points=[e])[0]
    return mean_variance * square / weight ** 2


def newsvendor():
    level = scipy.stats.triang.ppf((np.arange(2000) + 0.5) / 2000, (100 - 80) / 50, 80, 50)
    z = np.full_like(level, 0.6)
    for _ in range(30):
        z -= (4 * scipy.stats.norm.cdf(z) - 3 + 0.04 * (level + 10 * z - 100)) / (4 * scipy.stats.norm.pdf(z) + 0.4)
    below, pull = scipy.stats.norm.cdf(z), 0.04 * (level + 10 * z - 100)
    square = below * (1 + pull) ** 2 + (1 - below) * (pull - 3) ** 2
    return np.mean(square / (4 * scipy.stats.norm.pdf(z) / 10 + 0.04) ** 2)


def table(path):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return rows[0], np.array(rows[1:], float)


def ridge():
    names, rows = table(ROOT / "benchmarks/problems/data/diabetes_standard.csv")
    features, target = rows[:, [names.index(n) for n in "age sex bmi bp s1 s2 s3 s4 s5 s6".split()]], rows[:, names.index("progression")]
    total, weights = 0, np.exp(np.linspace(np.log(1e-3), np.log(10), 400))
    for weight in weights:
        H = features.T @ features / len(rows) + weight * np.eye(10)
        x = np.linalg.solve(H, features.T @ target / len(rows))
        g = features * (features @ x - target)[:, None] + weight * x
        total += (np.linalg.solve(H, g.T) ** 2).sum() / len(rows)
    return total / len(weights)


def portfolio():
    names, rows = table(ROOT / "examples/data/eu_returns.csv")
    returns = rows[:, [names.index(n) for n in ("DAX", "SMI", "CAC", "FTSE")]]
    mean, covariance = returns.mean(0), np.cov(returns.T, bias=True)
    B, last = np.vstack([np.eye(3), -np.ones(3)]), np.array([0, 0, 0, 1.0])
    total, count = 0, 0
    for aversion in np.linspace(0.1, 0.5, 81):
        for outlook, weight in zip(0.024 * Z[60:140], W[60:140]):
            better = np.array([outlook, 0, 0, 0])
            H = aversion * B.T @ covariance @ B
            x = np.linalg.solve(H, B.T @ (mean + better - aversion * covariance @ last))
            g = (aversion * ((returns - mean) @ (last + B @ x)))[:, None] * (returns - mean) @ B - (returns + better) @ B
            total += weight * (np.linalg.solve(H, g.T) ** 2).sum() / len(returns)
            count += weight
    return total / count


SIGMA_SQUARED = {
    "paper-noise": lambda: (1 + 1 / 200 ** 2) / 3,
    "expectile-0.8-uniform": lambda: expectile(0.8, np.sinh(1.0)),
    "expectile-0.9-uniform": lambda: expectile(0.9, np.sinh(1.0)),
    "expectile-0.8-normal": lambda: expectile(0.8, np.exp(0.5)),
    "expectile-0.9-normal": lambda: expectile(0.9, np.exp(0.5)),
    "newsvendor": newsvendor,
    "ridge-rows": ridge,
    "portfolio-rows": portfolio,
}


def main():
    rows = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))["problems"]
    print(f"{'problem':<24} {'seeds':>5} {'sigma^2':>9} {'gradients':>10} {'error^2/(m sigma^2/N): mean':>28} {'median':>7}")
    for row in rows:
        if row["problem"] not in SIGMA_SQUARED:
            continue
        sigma_squared = SIGMA_SQUARED[row["problem"]]()
        excess = [run["true_error"] ** 2 * run["gradient_evaluations"] / (run["basis_size"] * sigma_squared) for run in row["runs"]]
        print(f"{row['problem']:<24} {len(excess):>5} {sigma_squared:>9.3g} {row['gradients']:>10.0f} {statistics.mean(excess):>28.3g} {statistics.median(excess):>7.3g}")


if __name__ == "__main__":
    main()
