"""What `make bench` measures, section by section: each function gives rows of the table of bench.py."""
import csv
import functools
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent

VECTOR_FILE = """
[parameters]
{parameters}
[variables]
x = {{ size = {q} }}
[objective]
minimize = "dot(x, x)/2 - {target}*sum(x)"
strong_convexity = "1"
smoothness = "1"
[solve]
method = "{method}"
iterations = {iterations}
basis_size = {m}
samples = {samples}
guard = false
"""


def row(section, what, value, unit="", least=None, most=None):
    """One line of the table; `least` or `most` is the limit that it is judged by."""
    kept = (least is None or value >= least) and (most is None or value <= most)
    return {"section": section, "what": what, "value": float(value), "unit": unit, "least": least, "most": most, "kept": bool(kept)}


class Run:
    """A run of the program: its summary, processor seconds, seconds of the wall, peak memory in bytes, and its history."""

    def __init__(self, program, path, settings, launcher=()):
        command = [*launcher, str(program), "solve", str(path), "--json", "--quiet"]
        for key, value in settings.items():
            command += ["--set", f"{key}={value}"]
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as output:
            start = time.monotonic()
            process = subprocess.Popen([*command, "-o", folder], stdout=output, stderr=subprocess.PIPE)
            message = process.stderr.read().decode()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.wall = time.monotonic() - start
            self.processor = usage.ru_utime + usage.ru_stime
            self.memory = usage.ru_maxrss * 1024
            output.seek(0)
            text = output.read().decode()
            if not text.strip():
                raise RuntimeError(f"{path}: {message.strip() or process.returncode}")
            self.summary = json.loads(text)
            with open(pathlib.Path(folder) / "history.csv", encoding="utf-8") as file:
                self.history = list(csv.DictReader(file))

    def first_below(self, error):
        """Gradients and seconds at the first iteration with this true error, or infinities."""
        for one in self.history:
            if one["true_error"] and float(one["true_error"]) <= error:
                return float(one["gradients"]), float(one["seconds"])
        return math.inf, math.inf


def least_processor_time(repeats, call):
    best = math.inf
    for _ in range(repeats):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def kernels(build, quick):
    """x = Psi u and D = Psi^T G together: the share of the machine's multiply-adds; the same by Eigen and by OpenBLAS."""
    measured = json.loads(subprocess.run([build / "benchmarks/kernels", "--json"], check=True, capture_output=True, text=True).stdout)
    limit = measured["fused_per_second"]
    rows = [row("kernels", "fused multiply-adds of one core", limit * 1e-9, "G/s")]
    own = {}
    for entry in measured["ns_per_value"]:
        own[entry["basis"], entry["m"], entry["q"]] = entry["pair"]
        rows.append(row("kernels", f"{entry['basis']}, m = {entry['m']}, q = {entry['q']}: share of the limit", entry["pair_share"],
                        least=0.05))
    eigen = json.loads(subprocess.run([build / "benchmarks/dense_products"], check=True, capture_output=True, text=True).stdout)
    for entry in eigen:
        ours = own.get(("legendre 5", entry["m"], entry["q"]))
        if ours is None:
            continue
        rows.append(row("kernels", f"Eigen with a table of the functions, m = {entry['m']}, q = {entry['q']}: its time over ours, which "
                        "makes the functions", entry["given"] / ours, "times"))
        rows.append(row("kernels", f"Eigen, the table made block by block, m = {entry['m']}, q = {entry['q']}: its time over ours",
                        entry["made"] / ours, "times", least=0.7))
    generator = np.random.default_rng(0)
    for m, q in ((1000, 2), (1000, 10)):
        psi, u = generator.random((4096, m)), generator.random((m, q))
        g = generator.random((4096, q))
        best = least_processor_time(3 if quick else 10, lambda: (psi @ u, psi.T @ g))
        ours = own.get(("legendre 5", m, q))
        if ours is not None:
            rows.append(row("kernels", f"OpenBLAS with a table of the functions, m = {m}, q = {q}: its time over ours",
                            1e9 * best / psi.size / ours, "times"))
    return rows


def numpy_trial(build, quick):
    import against_numpy
    found = against_numpy.compare(build, 3 if quick else 8)
    return [row("numpy", "the paper's trial, numpy with cos and sin over chaosgrad, one core each", found["cos_and_sin"], "times", least=15),
            row("numpy", "the same, numpy with powers of exp(i theta)", found["powers"], "times", least=5)]


def peers(build, quick):
    """At the true error that auto reaches: SciPy at points of a design, then plain least squares or sparse chaos of OpenTURNS."""
    import against_openturns
    import auto
    names = ["quadratic-uniform", "oscillator"] if quick else \
        [name for name in auto.chosen(["deterministic"]) if name in against_openturns.PROBLEMS and name != "elliptic-30"]
    rows, ratios = [], []
    for name in names:
        _, path, settings = auto.PROBLEMS[name]
        runs = [Run(build / "chaosgrad", path, {**settings, "solve.threads": 1, "solve.seed": seed}) for seed in (1, 2, 3)]
        own = min(run.summary["seconds"] for run in runs)
        gradients = np.median([run.summary["gradient_evaluations"] for run in runs])
        error = np.median([run.summary["true_error"] for run in runs])
        for kind, title in (("plain", "least squares"), ("sparse", "sparse chaos")):
            found = against_openturns.cheapest(name, error, 10 if quick else 60, kind)
            if "points" not in found:
                continue
            peer = against_openturns.Peer(name, found["accuracy"], math.inf, kind)  # the way it found, once more: without the search
            alone = least_processor_time(1, lambda: peer.best_fit(found["points"], error))
            spent = found["gradients"] if found["reached"] else found["spent"]
            sign = "" if found["reached"] else " (it did not reach that error)"
            rows.append(row("peers", f"{name}: gradients of SciPy + {title} over auto{sign}", spent / gradients, "times"))
            rows.append(row("peers", f"{name}: seconds of SciPy + {title}, its best design and fit given, over auto{sign}", alone / own,
                            "times"))
            ratios.append(alone / own)
    rows.append(row("peers", "all of these: median of the ratios of seconds", np.median(ratios), "times", least=2))
    return rows


def papers(build, quick):
    """The paper's methods on its problem, at a true error of 3e-2 (quick) or 1e-3, with the best of several schedules."""
    import uqgd_cost
    error, paper = (3e-2 if quick else 1e-3), ROOT / "examples" / "paper.toml"
    own = Run(build / "chaosgrad", paper, {"solve.method": '"auto"', "solve.tolerance": error, "solve.threads": 1})
    schedules = list(uqgd_cost.SCHEDULES.values())[1:2 if quick else None]
    rows = []
    limits = {"solve.max_gradients": 10**9, "solve.max_seconds": 20 if quick else 300}
    for method in ("gd", "agd", "uqsa"):
        tried = [{f"solve.{key}": value for key, value in one.items()} for one in schedules]
        if method == "uqsa":  # its own steps and sizes, which fall and grow by themselves
            tried = [{"solve.iterations": 100_000 if quick else 3_000_000}]
        least = (math.inf, math.inf)
        best = math.inf
        for settings in tried:
            run = Run(build / "chaosgrad", paper, {"solve.method": method, "solve.threads": 1, **limits, **settings})
            least = min(least, run.first_below(error))
            best = min(best, run.summary["true_error"])
        name = {"gd": "UQ-GD", "agd": "UQ-AGD", "uqsa": "UQSA"}[method]
        if math.isfinite(least[0]):
            rows.append(row("paper", f"gradients of {name} over auto at true error {error:g}", least[0] / own.summary["gradient_evaluations"],
                            "times", least=2))
            rows.append(row("paper", f"seconds of {name} over auto at true error {error:g}", least[1] / own.summary["seconds"], "times"))
        else:
            rows.append(row("paper", f"{name} did not reach {error:g}: its true error", best))
    return rows


def constrained(build, quick):
    """What a loop of SciPy over theta costs instead: how many of its solutions auto costs, and how much longer each takes than x*(theta)."""
    import constrained as suite
    names = ["nonnegative"] if quick else ["nonnegative", "long-only", "dispatch", "predictive-control"]
    rows = []
    for name in names:
        case, rng = suite.CASES[name], np.random.default_rng(1)
        thetas = case.sample(rng, 10 if quick else 50)
        loop = least_processor_time(1, lambda: [case.truth(theta) for theta in thetas]) / len(thetas)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "problem.toml"
            path.write_text(case.text)
            run = Run(build / "chaosgrad", path, {"solve.threads": 1, "solve.relative_tolerance": case.tolerance})
            subprocess.run([build / "chaosgrad", "solve", path, "-o", folder + "/run", "--quiet", "--set", f"solve.relative_tolerance={case.tolerance}"],
                           check=False)
            many = np.concatenate([case.sample(rng, 1000)] * (1 if quick else 10))
            start = os.times().children_user
            suite.evaluate(str(build / "chaosgrad"), folder + "/run", case, many, len(run.summary["mean"]))
            each = (os.times().children_user - start) / len(many)
        rows.append(row("constrained", f"{name}: gradients to a relative tolerance of {case.tolerance:g}", run.summary["gradient_evaluations"]))
        rows.append(row("constrained", f"{name}: seconds of auto, in solutions of one theta by SciPy", run.summary["seconds"] / loop))
        rows.append(row("constrained", f"{name}: one more theta, SciPy over x*(theta) by `eval`", loop / each, "times", least=2))
        rows.append(row("constrained", f"{name}: largest violation", run.summary["violation"], most=1e-8))
    return rows


def exponent(sizes, times):
    """Of the power law through the times."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


@functools.lru_cache(maxsize=4)
def startup(build):
    """Processor seconds of a run that does next to nothing: of the program, its statistics and its files."""
    return min(one_vector_run(build, 5, 1, 1, 10, 1, "gd").processor for _ in range(3))


def vector_run(build, m=50, q=2, d=1, samples=20000, iterations=20, repeats=3, method="gd"):
    """½|x|² − exp(θ_1 + … + θ_d) Σ x_i by gd on a basis of m functions, one thread: processor seconds, peak memory in bytes."""
    runs = [one_vector_run(build, m, q, d, samples, iterations, method) for _ in range(repeats)]
    return max(min(run.processor for run in runs) - startup(build), 1e-3), min(run.memory for run in runs)


def one_vector_run(build, m, q, d, samples, iterations, method):
    parameters = "\n".join(f't{k} = {{ distribution = "uniform", lower = -1, upper = 1 }}' for k in range(d))
    target = "exp(" + " + ".join(f"t{k}" for k in range(d)) + ")"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "vector.toml"
        path.write_text(VECTOR_FILE.format(parameters=parameters, target=target, q=q, m=m, samples=samples, iterations=iterations, method=method))
        return Run(build / "chaosgrad", path, {"solve.threads": 1})


def scaling(build, quick):
    rows, factor = [], 1 if quick else 4
    for what, sizes, make in (
            ("samples", [20000, 40000, 80000], lambda size: vector_run(build, samples=size * factor)),
            ("m", [200, 400, 800], lambda size: vector_run(build, m=size, d=3, samples=4000 * factor)),
            ("q", [50, 100, 200], lambda size: vector_run(build, q=size, samples=4000 * factor)),
            ("d, with m = 100", [2, 4, 8], lambda size: vector_run(build, m=100, d=size, samples=4000 * factor))):
        times, _ = zip(*(make(size) for size in sizes))
        rows.append(row("scaling", f"exponent of gd's time in {what} ({sizes[0]} to {sizes[-1]})", exponent(sizes, times), most=1.4))
    m, q = (2000, 100) if quick else (100000, 100)
    _, memory = vector_run(build, m=m, q=q, d=5, samples=256, iterations=3, repeats=1)
    rows.append(row("scaling", f"peak memory with m = {m}, q = {q}, over 3 m q doubles + 64 MB", memory / (24 * m * q + 64e6), most=4))
    return rows


def threads(build, quick):
    path = ROOT / "examples" / "paper.toml"
    settings = {"solve.method": "gd", "solve.basis_size": 200, "solve.samples": 100000, "solve.iterations": 10 if quick else 200}

    def run(more, launcher=(), program=build / "chaosgrad"):
        return min((Run(program, path, {**settings, **more}, launcher) for _ in range(2)), key=lambda one: one.summary["seconds"])

    one, two = run({"solve.threads": 1}), run({"solve.threads": 2})
    rows = [row("threads", "gd, seconds of the wall of 1 thread over 2", one.summary["seconds"] / two.summary["seconds"], "times"),
            row("threads", "the same bits, 1 = yes", one.summary["mean"] == two.summary["mean"], least=1)]
    with_ranks = build.parent / "mpi" / "chaosgrad"
    if with_ranks.exists():
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        ranks = run({"solve.threads": 1}, ("mpirun", "--oversubscribe", "-n", "2"), with_ranks)
        rows += [row("threads", "gd, seconds of the wall of 1 rank over 2", one.summary["seconds"] / ranks.summary["seconds"], "times"),
                 row("threads", "the same bits on 2 ranks, 1 = yes", one.summary["mean"] == ranks.summary["mean"], least=1)]
    return rows


SECTIONS = {"kernels": kernels, "numpy": numpy_trial, "peers": peers, "paper": papers, "constrained": constrained, "scaling": scaling,
            "threads": threads}
sys.path.insert(0, str(ROOT / "benchmarks"))
