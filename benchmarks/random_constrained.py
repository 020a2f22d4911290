"""Random problems with constraints and kinks: benchmarks/random_problems.py --constraints.

Problem number n draws, with the seed n, one to five parameters with any of the distributions (a third with a copula), two to ten
variables, B and a(theta) as in random_problems.py, and a point z(theta) that is kept strictly inside of all constraints, so that a
feasible point exists for every theta. Around it: bounds (a number, a list, formulas in theta), up to three linear inequalities and up to
two equalities (theta in the right-hand side, a third also in the rows), in a quarter of the problems a convex quadratic (or
exponential) constraint, in a third kinks (abs, norm1, max) in the objective, in a sixth logarithms that end just outside of the bounds.
"""
import csv
import io
import json
import math
import pathlib
import random
import subprocess
import tempfile

import numpy as np
from scipy import special, stats

from convex_truth import SHAPES, Instances

FUNCTIONS = {"exp": np.exp, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "sqrt": np.sqrt, "log": np.log, "logistic": special.expit}


def law_of(rng):
    """Distribution (TOML), a formula of size 1 under it, and scipy's."""
    a, s = round(rng.uniform(-2, 1), 3), round(rng.uniform(0.5, 3), 3)
    kinds = [
        (f'distribution = "uniform", lower = {a}, upper = {a + s}', f"(T - {a + s / 2})/{s / 2}", stats.uniform(a, s)),
        (f'distribution = "normal", mean = {a}, sd = {s}', f"(T - {a})/{s}", stats.norm(a, s)),
        (f'distribution = "lognormal", mu = 0, sigma = {round(s / 6, 3)}', "log(T)", stats.lognorm(round(s / 6, 3))),
        (f'distribution = "beta", alpha = {round(1 + s, 3)}, beta = {round(4 - s, 3)}, lower = {a}, upper = {a + 2}', f"T - {a + 1}",
         stats.beta(round(1 + s, 3), round(4 - s, 3), a, 2)),
        (f'distribution = "gamma", shape = {round(1 + 2 * s, 3)}, scale = 0.3', "T/2", stats.gamma(round(1 + 2 * s, 3), scale=0.3)),
        (f'distribution = "triangular", lower = {a}, mode = {a + 0.7}, upper = {a + 2}', f"T - {a + 1}", stats.triang(0.35, a, 2)),
        (f'distribution = "weibull", shape = {round(1 + s, 3)}, scale = 1.5', "T - 1", stats.weibull_min(round(1 + s, 3), scale=1.5)),
        (f'distribution = "loguniform", lower = 0.2, upper = {round(0.5 + s, 3)}', "log(T)", stats.loguniform(0.2, round(0.5 + s, 3))),
        (f'distribution = "truncated_normal", mean = 0, sd = 1, lower = -1, upper = {s}', "T/2", stats.truncnorm(-1, s)),
        ('distribution = "exponential", rate = 2', "T/2", stats.expon(scale=0.5)),
        ('distribution = "discrete", values = [-1, 0, 0.5, 2], weights = [1, 3, 2, 1]', "T/2", None),
    ]
    return rng.choice(kinds)


def discrete(u):
    return np.array([-1, 0, 0.5, 2])[np.searchsorted(np.array([1, 4, 6]) / 7, u)]


class RandomProblem:
    def __init__(self, number, smooth):
        rng = self.rng = random.Random(1_000_003 * number + 17)
        self.number = number
        d, q = rng.choice([1, 1, 2, 2, 3, 3, 4, 5]), rng.randint(2, 10)
        self.q, self.names = q, [f"p{k}" for k in range(d)]
        laws = [law_of(rng) for _ in self.names]
        self.laws = [law for _, _, law in laws]
        self.correlation = round(rng.uniform(-0.8, 0.8), 3) if d > 1 and rng.random() < 1 / 3 else None
        self.scaled = [formula.replace("T", name) for name, (_, formula, _) in zip(self.names, laws)]
        self.targets = [" + ".join(f"{round(rng.uniform(0.3, 1.2), 3)}*{smooth(rng, self.scaled)}" for _ in range(rng.randint(1, 3))) for _ in range(q)]
        B = [[math.sqrt(math.exp(rng.uniform(0, math.log(10)))) * (i == j) for j in range(q)] for i in range(q)]
        for _ in range(2 * q):
            i, j = rng.sample(range(q), 2)
            c, s = math.cos(angle := rng.uniform(0, math.pi)), math.sin(angle)
            B[i], B[j] = [c * x + s * y for x, y in zip(B[i], B[j])], [-s * x + c * y for x, y in zip(B[i], B[j])]
        self.B = np.array(B)
        self.weights = [round(rng.uniform(0.5, 3), 3) for _ in range(q)]
        all_quadratic = rng.random() < 0.35
        self.shapes = ["quadratic" if all_quadratic else rng.choice(list(SHAPES)) for _ in range(q)]
        # The point inside: near the unconstrained optimum at the median, moving with theta.
        median = {name: np.array([law.median() if law else 0.0]) for name, law in zip(self.names, self.laws)}
        centre = np.linalg.solve(self.B, np.array([self.value(t, median)[0] for t in self.targets]))
        self.z0 = np.round(centre + [rng.uniform(-0.5, 0.5) for _ in range(q)], 3)
        self.z1 = np.round([rng.choice([0, rng.uniform(-0.3, 0.3)]) for _ in range(q)], 3)
        self.wave = rng.choice([f"sin({rng.choice(self.scaled)})", f"tanh({rng.choice(self.scaled)})"])
        self.inside = [f"({a} + {b}*{self.wave})" if b else f"{a}" for a, b in zip(self.z0, self.z1)]
        scalars = q <= 3 and rng.random() < 0.6
        self.variables = [f"x{i}" for i in range(q)] if scalars else ["x"]
        self.kinds = ["all", "quadratic" if all_quadratic else "not quadratic", f"d = {d}" if d < 3 else "d = 3 to 5"]
        self.lines = ["[parameters]", *(f"{name} = {{ {law} }}" for name, (law, _, _) in zip(self.names, laws))]
        if self.correlation is not None:
            r = self.correlation
            self.lines += ["[dependence]", "correlation = [" + ", ".join(
                str([1.0 if i == j else r if {i, j} == {0, 1} else 0.0 for j in range(d)]) for i in range(d)) + "]"]
        self.bounds(scalars)
        self.constraints()
        self.kinks()
        if not (self.lower or self.upper or self.rows or self.equal or self.curved or self.bends):
            self.lower = {i: str(round(self.z0[i] - abs(self.z1[i]) - 0.2, 3)) for i in range(q)}
            self.bound_kind = "list"
        self.kinds += (["bounds"] if self.lower or self.upper else []) + (["inequalities"] if self.rows else [])
        self.kinds += (["equalities"] if self.equal else []) + (["curved constraint"] if self.curved else []) + (["kinks"] if self.bends else [])
        self.write(scalars)

    def value(self, formula, theta):
        count = len(next(iter(theta.values())))
        return np.broadcast_to(eval(str(formula).replace("^", "**"), {"__builtins__": {}}, FUNCTIONS | theta), count).astype(float)

    def positive(self, size=1.0):
        rng, t = self.rng, self.rng.choice(self.scaled)
        a = round(size * math.exp(rng.uniform(math.log(0.1), 0)), 3)
        return rng.choice([f"{a}", f"{a}*(1 + 0.7*tanh({t}))", f"{a}*exp(0.6*sin(2*({t})))", f"{a}*(0.2 + 1/(1 + ({t})^2))", f"{a}*(0.2 + logistic({t}))"])

    def bounds(self, scalars):
        rng, q = self.rng, self.q
        self.lower, self.upper, self.logs = {}, {}, []
        self.bound_kind = rng.choice(["none", "number", "list", "list", "formula", "formula"])
        if self.bound_kind == "none":
            return
        sides = rng.choice([["lower"], ["lower"], ["lower", "upper"], ["lower", "upper"], ["upper"]])
        for side in sides:
            sign = -1 if side == "lower" else 1
            store = self.lower if side == "lower" else self.upper
            which = [i for i in range(q) if not scalars or rng.random() < 0.8]
            if self.bound_kind == "number":
                edge = (min if sign < 0 else max)(z + sign * abs(w) for z, w in zip(self.z0, self.z1)) + sign * rng.uniform(0.05, 0.3)
                store.update({i: str(round(edge, 3)) for i in which})
            elif self.bound_kind == "list":
                store.update({i: str(round(self.z0[i] + sign * (abs(self.z1[i]) + 0.8 * math.exp(rng.uniform(math.log(0.1), 0))), 3)) for i in which})
            else:
                store.update({i: f"{self.inside[i]} {'+' if sign > 0 else '-'} {self.positive(0.8)}" for i in which})
        if self.lower and rng.random() < 1 / 4:
            for i in rng.sample(sorted(self.lower), rng.randint(1, min(3, len(self.lower)))):
                self.logs.append((i, round(rng.uniform(0.2, 1.5), 3), f"{self.lower[i]} - {round(rng.uniform(0.05, 0.3), 3)}"))
            self.kinds += ["logarithm"]

    def row(self, with_theta):
        """Formulas of the entries of a row."""
        rng, q = self.rng, self.q
        kind = rng.choice(["sum", "few", "full"])
        if kind == "sum":
            entries = ["1"] * q
        else:
            chosen = range(q) if kind == "full" else rng.sample(range(q), min(q, rng.randint(2, 3)))
            entries = [str(round(rng.choice([-1, 1]) * rng.uniform(0.3, 1.5), 3)) if i in chosen else "0" for i in range(q)]
        if with_theta:
            t = rng.choice(self.scaled)
            entries = [e if e == "0" or rng.random() < 0.5 else f"{e}*(1 + 0.4*sin({t}))" for e in entries]
        return entries

    def inner(self, row):
        return " + ".join(f"({a})*{z}" for a, z in zip(row, self.inside) if a != "0")

    def constraints(self):
        rng, q = self.rng, self.q
        self.rows, self.equal, self.curved = [], [], []
        for k in range(rng.choice([0, 0, 1, 1, 2, 3])):
            row = self.row(rng.random() < 1 / 3)
            sense = rng.choice(["<=", ">="])
            self.rows.append((f"row{k}", row, sense, f"{self.inner(row)} {'+' if sense == '<=' else '-'} {self.positive(0.7)}"))
        for k in range(rng.choice([0, 0, 0, 1, 1, 2]) if q > 2 else rng.choice([0, 0, 1])):
            row = self.row(rng.random() < 1 / 3)
            if k and row in [other for _, other, _ in self.equal] or (k and all(e == "1" for e in row)):
                continue
            self.equal.append((f"equal{k}", row, self.inner(row)))
        if rng.random() < 1 / 4:
            if rng.random() < 0.75:
                offset = np.round([rng.uniform(-0.4, 0.4) for _ in range(q)], 3)
                root = np.array([[rng.gauss(0, 0.4) for _ in range(q)] for _ in range(q)])
                S = np.round(root @ root.T, 3) + np.diag([0.5] * q) if rng.random() < 0.5 else None
                level = offset @ (S if S is not None else np.eye(q)) @ offset
                centre = [f"{z} + {o}" for z, o in zip(self.inside, offset)]
                self.curved.append(("ball", S, centre, f"{level:.17g} + {self.positive(0.6)}"))
            else:
                i, j = rng.sample(range(q), 2)
                self.curved.append(("sum_of", (i, j), (f"{self.inside[i]}", f"{self.inside[j]} + 0.2"), f"1.04 + {self.positive(0.6)}"))

    def kinks(self):
        rng, q = self.rng, self.q
        self.bends = []  # (weight, text with the formula of max, pieces [(row, offset)])
        if rng.random() > 1 / 3:
            return
        for _ in range(rng.randint(1, 2)):
            weight = self.positive(1.5)
            kind = rng.choice(["norm1", "abs", "positive part", "max"])
            unit = lambda i, s="": ["0"] * i + [s + "1"] + ["0"] * (q - i - 1)  # noqa: E731
            if kind == "norm1":
                if any(text == "norm1(x)" for _, text, _ in self.bends):
                    continue
                self.bends.append((weight, "norm1(x)", [[(unit(i), "0"), (unit(i, "-"), "0")] for i in range(q)]))
            else:
                rows = [self.row(False) for _ in range(2 if kind == "max" else 1)]
                offsets = [f"{self.inner(row)} + {round(rng.uniform(-0.4, 0.4), 3)}" for row in rows]
                texts = [f"dot([{', '.join(row)}], x) - ({offset})" for row, offset in zip(rows, offsets)]
                if kind == "abs":
                    pieces = [(rows[0], offsets[0]), ([f"-({e})" if e != "0" else "0" for e in rows[0]], f"-({offsets[0]})")]
                    self.bends.append((weight, f"abs({texts[0]})", [pieces]))
                elif kind == "positive part":
                    self.bends.append((weight, f"max({texts[0]}, 0)", [[(rows[0], offsets[0]), (["0"] * q, "0")]]))
                else:
                    self.bends.append((weight, f"max({texts[0]}, {texts[1]})", [list(zip(rows, offsets))]))

    def write(self, scalars):
        q, rng = self.q, self.rng
        rows = ", ".join("[" + ", ".join(f"{x:.17g}" for x in row) + "]" for row in self.B)
        lines = self.lines + ["[constants]", f"B = [{rows}]"]
        for k, (name, S, *_) in enumerate(self.curved):
            if name == "ball" and S is not None:
                lines += ["S = [" + ", ".join("[" + ", ".join(f"{x:.17g}" for x in row) + "]" for row in S) + "]"]
        lines += ["[definitions]", *(f'a{k} = "{target}"' for k, target in enumerate(self.targets))]
        if scalars:
            lines += ['x = "[' + ", ".join(self.variables) + ']"']
        lines += ['image = "B*x"', "[variables]"]

        def bound(side, store, chosen):
            values = [store[i] for i in chosen if i in store]
            if not values:
                return []
            if self.bound_kind == "number" or (scalars and self.bound_kind == "list"):
                return [f"{side} = {values[0]}"]
            if self.bound_kind == "list":
                return [f"{side} = [{', '.join(values)}]"]
            return [f'{side} = "{values[0]}"' if scalars else f'{side} = "[{", ".join(values)}]"']

        # A start inside: the point at the median of theta.
        for i, name in enumerate(self.variables):
            chosen = [i] if scalars else range(q)
            options = ([] if scalars else [f"size = {q}"]) + bound("lower", self.lower, chosen) + bound("upper", self.upper, chosen)
            if self.logs:
                options += [f"start = {self.z0[i]}" if scalars else f"start = [{', '.join(map(str, self.z0))}]"]
            lines += [f"{name} = {{ {', '.join(options)} }}"]
        if self.rows or self.equal or self.curved:
            lines += ["[constraints]"]
        def left(row):
            return "sum(x)" if set(row) == {"1"} else f"dot([{', '.join(row)}], x)"

        for name, row, sense, right in self.rows:
            lines += [f'{name} = "{left(row)} {sense} {right}"']
        for name, row, right in self.equal:
            lines += [f'{name} = "{left(row)} == {right}"']
        for name, S, centre, right in self.curved:
            if name == "ball":
                c = f"x - [{', '.join(centre)}]"
                lines += [f'{name} = "' + (f"norm2({c})^2" if S is None else f"dot({c}, S*({c}))") + f' <= {right}"']
            else:
                lines += [f'{name} = "exp(x[{S[0]}] - ({centre[0]})) + (x[{S[1]}] - ({centre[1]}))^2 <= {right}"']
        terms = [f"{w}*({SHAPES[s].formula.format(t=f'image[{k}] - a{k}')})" for k, (w, s) in enumerate(zip(self.weights, self.shapes))]
        terms += [f"({weight})*{text}" for weight, text, _ in self.bends]
        objective = " + ".join(terms) + "".join(f" - {w}*log(x[{i}] - ({shift}))" for i, w, shift in self.logs)
        lines += ["[objective]", f'minimize = "{objective}"']
        self.text = "\n".join(lines) + "\n"

    def sample(self, count):
        """Fresh theta, drawn with numpy."""
        rng = np.random.default_rng(self.number)
        g = rng.standard_normal((count, len(self.names)))
        if self.correlation is not None:
            g[:, 1] = self.correlation * g[:, 0] + math.sqrt(1 - self.correlation**2) * g[:, 1]
        u = np.clip(special.ndtr(g), 1e-12, 1 - 1e-12)
        return np.stack([law.ppf(u[:, k]) if law else discrete(u[:, k]) for k, law in enumerate(self.laws)], 1)

    def instances(self, T):
        theta = {name: T[:, k] for k, name in enumerate(self.names)}
        v = lambda formula: self.value(formula, theta)  # noqa: E731
        stack = lambda row: np.stack([v(e) for e in row], 1)  # noqa: E731
        it = Instances(stack(self.inside), self.B, stack(self.targets), self.weights, self.shapes)
        it.logs = [(i, w, v(shift)) for i, w, shift in self.logs]
        unit = np.eye(self.q)
        each = lambda i, sign: np.tile(sign * unit[i], (len(T), 1))  # noqa: E731
        name = lambda i, side: f"x{i}.{side}" if len(self.variables) > 1 else f"x.{side}[{i}]"  # noqa: E731
        it.rows = [(name(i, "lower"), each(i, -1), -v(b)) for i, b in self.lower.items()]
        it.rows += [(name(i, "upper"), each(i, 1), v(b)) for i, b in self.upper.items()]
        it.rows += [(n, (1 if s == "<=" else -1) * stack(row), (1 if s == "<=" else -1) * v(right)) for n, row, s, right in self.rows]
        it.equal = [(n, stack(row), v(right)) for n, row, right in self.equal]
        for n, S, centre, right in self.curved:
            if n == "ball":
                it.quadratic.append((n, np.eye(self.q) if S is None else S, stack(centre), v(right)))
            else:
                it.exponential.append((n, *S, v(centre[0]), v(centre[1]), v(right)))
        for weight, _, groups in self.bends:
            it.kinks += [(v(weight), [(stack(row), v(offset)) for row, offset in pieces]) for pieces in groups]
        return it


def violation(it, x):
    """The largest one, relative to the sizes of what is compared."""
    worst = 0.0
    for _, row, right in it.rows:
        worst = max(worst, ((np.einsum("bi,bi->b", row, x) - right) / (np.abs(row * x).sum(1) + np.abs(right) + 1)).max())
    for _, row, right in it.equal:
        worst = max(worst, (np.abs(np.einsum("bi,bi->b", row, x) - right) / (np.abs(row * x).sum(1) + np.abs(right) + 1)).max())
    for _, S, c, R in it.quadratic:
        worst = max(worst, ((np.einsum("bi,ij,bj->b", x - c, S, x - c) - R) / (R + 1)).max())
    for _, i, j, o, c, R in it.exponential:
        worst = max(worst, ((np.exp(x[:, i] - o) + (x[:, j] - c) ** 2 - R) / (R + 1)).max())
    return float(worst)


def evaluate(program, run, names, T, q):
    """x and the multipliers of `eval --csv --multipliers` at the rows of T."""
    table = ",".join(names) + "\n" + "\n".join(",".join(repr(float(t)) for t in row) for row in T) + "\n"
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write(table)
        file.flush()
        done = subprocess.run([program, "eval", run, "--csv", file.name, "--multipliers", "--anyway"], capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    rows = list(csv.reader(io.StringIO(done.stdout)))
    values = np.array([[float(v) for v in row] for row in rows[1:]])[:, len(names):]
    return values[:, :q], dict(zip(rows[0][len(names) + q:], values[:, q:].T))


def solve(number, arguments, smooth):
    problem = RandomProblem(number, smooth)
    run = {"number": number, "kinds": problem.kinds, "within": False, "ratio": math.nan}
    T = problem.sample(arguments.fresh)
    it = problem.instances(T)
    truth, prices, wrong = it.solve()
    run["kkt"] = float(wrong.max())
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(arguments.keep or folder) / f"constrained-{number}.toml"
        path.write_text(problem.text)
        command = [arguments.program, "solve", str(path), "--json", "-o", folder + "/run", "--set", f"solve.relative_tolerance={arguments.tolerance}",
                   "--set", f"solve.max_gradients={arguments.max_gradients}", "--set", f"solve.max_seconds={arguments.max_seconds}",
                   "--set", "solve.threads=1", "--set", f"solve.seed={number}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.max_seconds + 100)
        except subprocess.TimeoutExpired:
            return run | {"status": "hangs", "message": f"killed after {arguments.max_seconds + 100} s"}
        if not done.stdout.strip():
            return run | {"status": "failed", "message": done.stderr.strip() or f"exit code {done.returncode}"}
        summary = json.loads(done.stdout)
        run |= {"status": summary["status"], "message": summary["stop_reason"], "gradients": summary["gradient_evaluations"],
                "seconds": summary["seconds"], "m": summary["basis_size"]}
        try:
            x, multipliers = evaluate(arguments.program, folder + "/run", problem.names, T, problem.q)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            return run | {"message": run["message"] + "; eval: " + str(error)}
    squares = ((x - truth) ** 2).sum(1)
    goal = arguments.tolerance * math.sqrt((truth**2).sum(1).mean())
    true = math.sqrt(squares.mean())
    # Within, or not significantly beyond: two standard errors of the mean square.
    allowance = 2 * squares.std(ddof=1) / math.sqrt(len(squares))
    estimate = summary["error"]["estimate"]
    size = math.sqrt(np.mean([p**2 for p in prices.values()])) if prices else 0.0
    missing = sorted(set(prices) - set(multipliers))
    off = math.sqrt(np.mean([(multipliers[name] - p) ** 2 for name, p in prices.items() if name in multipliers])) if prices and not missing else math.nan
    return run | {"true": true, "goal": goal, "plain": true <= goal, "within": squares.mean() - allowance <= goal**2,
                  "ratio": (estimate if estimate is not None else math.nan) / max(true, 1e-300), "violation": violation(it, x),
                  "largest": math.sqrt(squares.max()), "multipliers": off / size if size > 1e-7 else 0.0, "missing": missing}
