"""The true error of an expansion from fresh samples that hit the rare regions and the tails, with weights."""
import dataclasses

import numpy as np
import scipy.stats

from attack.problem import columns

SAMPLES = 20_000


@dataclasses.dataclass
class Box:
    """A product of intervals of some parameters."""
    sides: dict  # name → (low, high)

    def probability(self, laws):
        return float(np.prod([laws[name].probability(*side) for name, side in self.sides.items()]))

    def contains(self, laws, theta):
        names = columns(laws, theta)
        return np.all([(names[name] >= low) & (names[name] <= high) for name, (low, high) in self.sides.items()], axis=0)

    def move(self, laws, theta, rng):
        """Samples of pi, moved into the box."""
        for k, (name, law) in enumerate(laws.items()):
            if name in self.sides:
                theta[:, k] = law.between(*self.sides[name], stratified(len(theta), rng))
        return theta


@dataclasses.dataclass
class HalfSpace:
    """Where the scaled sum of independent standard normal parameters exceeds a threshold."""
    threshold: float

    def probability(self, laws):
        return float(scipy.stats.norm.sf(self.threshold))

    def contains(self, laws, theta):
        return theta.sum(axis=1) / np.sqrt(theta.shape[1]) > self.threshold

    def move(self, laws, theta, rng):
        d = theta.shape[1]
        wanted = scipy.stats.norm.isf(stratified(len(theta), rng) * scipy.stats.norm.sf(self.threshold))
        return theta + ((wanted - theta.sum(axis=1) / np.sqrt(d)) / np.sqrt(d))[:, None]


def stratified(n, rng):
    return rng.permutation((np.arange(n) + rng.random(n)) / max(n, 1))


@dataclasses.dataclass
class Samples:
    """E f(theta) is the mean of weight · f(theta)."""
    theta: np.ndarray
    weight: np.ndarray


def fresh_samples(problem, n=SAMPLES, seed=0):
    """From a mixture of pi, of pi inside each region, and of pi with one parameter drawn from its tails; weights are at most 2.5."""
    rng = np.random.default_rng([seed, 271828])
    laws, regions = problem.laws, problem.regions
    shares = [0.4] + [0.3 / len(regions) for _ in regions]
    shares += [(1 - sum(shares)) / len(laws)] * len(laws)
    parts = []
    for part, share in enumerate(shares):
        count = max(int(round(n * share)), 1)
        theta = np.stack([law.quantile(stratified(count, rng)) for law in laws.values()], axis=1)
        if 1 <= part <= len(regions):
            theta = regions[part - 1].move(laws, theta, rng)
        elif part > len(regions):
            k = part - 1 - len(regions)
            theta[:, k] = list(laws.values())[k].tail(stratified(count, rng), rng)
        parts.append(theta)
    counts = np.array([len(part) for part in parts])
    theta = np.concatenate(parts)
    density = np.full(len(theta), counts[0] / counts.sum())
    for region, count in zip(regions, counts[1:]):
        density += count / counts.sum() * region.contains(laws, theta) / region.probability(laws)
    for k, law in enumerate(laws.values()):
        density += counts[1 + len(regions) + k] / counts.sum() * law.tail_ratio(theta[:, k])
    return Samples(theta, 1 / density)


def norm(samples, values):
    """The root of E |values|², and its standard error."""
    with np.errstate(all="ignore"):
        squares = np.nan_to_num(samples.weight * np.sum(values ** 2, axis=1), nan=np.inf, posinf=np.inf)
        mean = float(squares.mean())
        if not np.isfinite(mean):
            return np.inf, 0.0
        spread = float(squares.std() / np.sqrt(len(squares)))
        return np.sqrt(mean), spread / (2 * np.sqrt(mean)) if mean > 0 else 0.0


def trimmed_norm(samples, values, probability):
    """The same without the worst theta, of this probability together."""
    with np.errstate(all="ignore"):
        squares = np.nan_to_num(np.sum(values ** 2, axis=1), nan=np.inf, posinf=np.inf)
    order = np.argsort(-squares)
    kept = order[np.cumsum(samples.weight[order]) / len(order) > probability]
    return float(np.sqrt(np.sum((samples.weight * squares)[kept]) / len(order)))
