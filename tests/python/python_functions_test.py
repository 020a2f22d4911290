"""Gradients that are Python functions: shapes, dtypes, views, exceptions, noise, threads."""
import subprocess
import sys
import threading

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
import scipy.stats

import chaosgrad as cg

ONE = {"theta": cg.Uniform(-1, 1)}
GRID = np.linspace(-1, 1, 41)


def sine(x, theta):
    return x - np.sin(theta)


def solve_sine(gradient=sine, **options):
    return cg.solve(gradient, **{"variables": ["x"], "parameters": ONE, "tolerance": 1e-6, **options})


def test_shapes_are_samples_first_and_read_only():
    seen = set()

    def gradient(x, theta, v):
        assert x.dtype == theta.dtype == v.dtype == np.float64
        assert x.shape[1] == 2 and theta.shape[1] == 3 and v.shape[1] == 1 and len({len(x), len(theta), len(v)}) == 1
        assert not (x.flags.writeable or theta.flags.writeable or v.flags.writeable)
        assert not x.flags.owndata and not theta.flags.owndata  # views
        seen.add(len(x))
        return x - theta[:, :2] + v

    sol = cg.solve(gradient, variables=["x", "y"], parameters={k: cg.Uniform(0, 1) for k in "abc"},
                   noise={"v": cg.Discrete([-1, 1])}, tolerance=1e-6)
    assert sol.ok and max(seen) <= 128
    assert np.allclose(sol([0.1, 0.7, 0.2]), [0.1, 0.7], atol=1e-5)


@pytest.mark.parametrize("as_result", [
    lambda g: np.asfortranarray(g), lambda g: np.ascontiguousarray(g), lambda g: np.repeat(g, 2, axis=1)[:, ::2],
    lambda g: np.flip(np.flip(g, 0).copy(), 0), lambda g: g.tolist(), lambda g: np.broadcast_to(g, g.shape),
    lambda g: g.astype(">f8"), lambda g: g.astype(np.longdouble), lambda g: np.array(memoryview(np.ascontiguousarray(g)))])
def test_every_array_of_numbers_is_a_gradient(as_result):
    plain = cg.solve(lambda x, t: x - np.hstack([np.sin(t), t**2]), variables=2, parameters=ONE, tolerance=1e-5)
    other = cg.solve(lambda x, t: as_result(x - np.hstack([np.sin(t), t**2])), variables=2, parameters=ONE, tolerance=1e-5)
    assert np.array_equal(plain.coefficients, other.coefficients)


def test_single_precision_and_one_dimension():
    """float32 results are taken as they are: the gradient of a rounded problem."""
    sol = solve_sine(lambda x, t: (x - np.sin(t)).astype(np.float32), tolerance=1e-3)
    assert np.allclose(sol(GRID)[:, 0], np.sin(GRID), atol=2e-3)
    flat = solve_sine(lambda x, t: (x - np.sin(t))[:, 0])
    assert np.array_equal(flat.coefficients, solve_sine().coefficients)


@pytest.mark.parametrize("result,error,message", [
    (lambda x: x[:3], ValueError, r"gradient returned an array of shape \(\d+, 1\), expected \(\d+,\)"),
    (lambda x: np.hstack([x, x]), ValueError, "expected"),
    (lambda x: 1.0, ValueError, r"shape \(\), expected"),
    (lambda x: x + 1j, TypeError, "complex128"),
    (lambda x: None, TypeError, "object, not of real numbers"),
    (lambda x: x.astype(str), TypeError, "not of real numbers"),
])
def test_what_is_no_gradient_is_named(result, error, message):
    with pytest.raises(error, match=message):
        solve_sine(lambda x, t: result(x))


def test_writing_to_the_arguments_is_refused():
    def gradient(x, theta):
        x -= np.sin(theta)
        return x
    with pytest.raises(ValueError, match="read-only"):
        solve_sine(gradient)


def test_keeping_a_view_is_refused_and_copies_may_be_kept():
    kept = []
    with pytest.raises(RuntimeError, match="kept argument 0 beyond its call"):
        solve_sine(lambda x, t: (kept.append(x[:, 0]), sine(x, t))[1])
    copies = []
    assert solve_sine(lambda x, t: (copies.append(x.copy()), sine(x, t))[1]).ok and copies


@pytest.mark.parametrize("threads", [1, 2])
def test_exceptions_arrive_unchanged(threads):
    class Own(Exception):
        pass

    raised = Own("from inside")

    def gradient(x, theta):
        raise raised

    with pytest.raises(Own) as caught:
        solve_sine(gradient, threads=threads)
    assert caught.value is raised
    assert any(entry.name == "gradient" for entry in caught.traceback)
    with pytest.raises(SystemExit):
        solve_sine(lambda x, t: (_ for _ in ()).throw(SystemExit(3)))


def test_exceptions_late_in_a_run_and_in_other_functions():
    calls = [0]

    def late(x, theta):
        calls[0] += 1
        if calls[0] > 5:
            raise KeyError("late")
        return x - np.exp(3 * np.sin(5 * theta))

    with pytest.raises(KeyError, match="late"):
        solve_sine(late)
    with pytest.raises(ZeroDivisionError):
        solve_sine(value=lambda x, t: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        solve_sine(progress=lambda told: 1 / 0)


def test_gradients_that_are_not_numbers_are_a_status():
    sol = solve_sine(lambda x, t: x * np.nan)
    assert sol.status == "bad_gradient" and not sol.ok
    with pytest.raises(cg.FailedRun, match="bad_gradient"):
        sol(0.0)
    with pytest.raises(cg.FailedRun):
        sol.mean


def test_per_sample_is_the_same_problem():
    batched = cg.solve(lambda x, t, v: x - np.sin(t) + v, variables=2, parameters=ONE, noise={"v": cg.Uniform(-1, 1)},
                       tolerance=0.05)
    single = cg.solve(lambda x, t, v: x - np.sin(t) + v, variables=2, parameters=ONE, noise={"v": cg.Uniform(-1, 1)},
                      tolerance=0.05, per_sample=True)
    assert np.array_equal(batched.coefficients, single.coefficients)


@pytest.mark.parametrize("noise,exact", [({"v": cg.Discrete([0, 3], [2, 1])}, True), ({"v": cg.Normal(1, 0.5)}, False),
                                         (np.array([[0.0], [3.0], [0.0]]), True), ({"v": cg.Exponential(1)}, False)])
def test_noise_of_mean_one_shifts_the_optimum_by_one(noise, exact):
    """x* = sin θ − E v; every noise here has the mean 1."""
    sol = cg.solve(lambda x, t, v: x - np.sin(t) + v, variables=["x"], parameters=ONE, noise=noise,
                   tolerance=1e-6 if exact else 1e-2)
    assert sol.status == "converged"
    distance = np.sqrt(np.mean((sol(GRID)[:, 0] - np.sin(GRID) + 1)**2))
    assert distance < (1e-6 if exact else 2e-2)


def test_arguments_with_defaults_are_no_noise_where_there_is_none():
    def scaled(x, theta, scale=2.0, shift=1.0):
        return x - scale * theta - shift

    assert np.allclose(solve_sine(scaled)(0.3), 1.6, atol=1e-5)
    noisy = solve_sine(lambda x, theta, v=None: x - theta - v, noise={"v": cg.Discrete([0.0, 2.0])})
    assert np.allclose(noisy(0.3), 1.3, atol=1e-5)


def test_noise_rows_come_whole():
    rows = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]])

    def gradient(x, t, v):
        assert np.array_equal(v[:, 1], 10 * v[:, 0])
        return x - t * v[:, :1]

    sol = cg.solve(gradient, variables=["x"], parameters=ONE, noise=rows, tolerance=1e-8)
    assert np.allclose(sol(0.5), 0.5 * 7 / 3, atol=1e-7)


@pytest.mark.parametrize("options", [{}, {"noise": {"v": cg.Normal(0, 1)}, "tolerance": 0.03},
                                     {"method": "gd", "iterations": 30, "tolerance": None}])
def test_same_seed_same_bits_for_any_threads(options):
    gradient = lambda x, t, v: x - np.exp(t) + v.sum(axis=1, keepdims=True)  # noqa: E731
    found = [solve_sine(gradient, threads=threads, seed=7, **options) for threads in (1, 2)]
    assert np.array_equal(found[0].coefficients, found[1].coefficients)
    assert found[0].gradients == found[1].gradients
    if options:
        other = solve_sine(gradient, seed=8, **options)
        assert not np.array_equal(found[0].coefficients, other.coefficients)


def test_a_generator_of_numpy_is_a_seed():
    noisy = {"noise": {"v": cg.Normal(0, 1)}, "tolerance": 0.05}
    gradient = lambda x, t, v: x - np.sin(t) + v  # noqa: E731
    first, again = (solve_sine(gradient, seed=np.random.default_rng(3), **noisy) for _ in range(2))
    assert np.array_equal(first.coefficients, again.coefficients)
    generator = np.random.default_rng(3)
    solve_sine(gradient, seed=generator, **noisy)
    assert not np.array_equal(first.coefficients, solve_sine(gradient, seed=generator, **noisy).coefficients)


def test_values_make_a_domain_safe():
    """F = x − θ log x from x = 0.01: Newton's step leaves the domain x > 0, which F tells. x* = θ."""
    laws = {"t": cg.Uniform(1, 2)}

    def gradient(x, t):
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(x > 0, 1 - t / x, np.nan)

    def value(x, t):
        with np.errstate(invalid="ignore", divide="ignore"):
            return (x - t * np.log(x))[:, 0]

    sol = cg.solve(gradient, value=value, variables=["x"], parameters=laws, start=0.01, tolerance=1e-6)
    t = np.linspace(1, 2, 21)
    assert sol.ok and np.allclose(sol(t)[:, 0], t, atol=1e-5)
    found = sol.statistics()["quantities"]["objective"]["mean"]
    exact = scipy.integrate.quad(lambda t: t - t * np.log(t), 1, 2)[0]
    assert abs(found["value"] - exact) <= found["error"] + 1e-6


def test_hessians_are_taken():
    calls = [0]

    def hessian(x, theta):
        calls[0] += 1
        return np.broadcast_to(np.eye(2), (len(x), 2, 2))

    sol = cg.solve(lambda x, t: x - t, variables=2, parameters=ONE, hessian=hessian, tolerance=1e-6)
    assert sol.ok and calls[0] > 0


def test_solves_in_several_threads_at_once():
    exact = solve_sine().coefficients
    found, problems = [], []

    def work():
        try:
            for _ in range(3):
                found.append(solve_sine().coefficients)
        except Exception as error:  # noqa: BLE001: told by the assertion
            problems.append(error)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not problems and len(found) == 12 and all(np.array_equal(exact, one) for one in found)


def test_the_interpreter_is_free_while_c_works():
    """Another thread counts during a solve of formulas, which never calls Python."""
    counts, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counts[0] += 1
            done.wait(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    sol = cg.gallery("paper-noise").solve(method="gd", iterations=400, threads=1)
    done.set()
    counter.join()
    assert counts[0] > 20 * sol.seconds  # of about 1000 a second


def test_a_solve_inside_of_a_gradient():
    inner = []

    def gradient(x, theta):
        if not inner:
            inner.append(solve_sine())
        return x - inner[0](theta)

    assert np.allclose(solve_sine(gradient)(GRID)[:, 0], np.sin(GRID), atol=1e-5)


MANY = """
import chaosgrad as cg, gc, numpy as np, os

class Owner:  # which knows its solution, whose gradient knows it: a cycle for Python's collector
    def __init__(self):
        self.sol = cg.solve(self.gradient, variables=["x"], parameters={"theta": cg.Uniform(-1, 1)}, tolerance=1e-6)

    def gradient(self, x, theta):
        return x - np.sin(theta)

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

def work(count):
    for i in range(count):
        sol = Owner().sol
        sol.mean, sol(0.5), sol.error, repr(sol)
        if i % 10 == 0:
            try:
                cg.solve(lambda x, t: 1 / 0, variables=["x"], parameters={"theta": cg.Uniform(-1, 1)})
            except ZeroDivisionError:
                pass
            gc.collect()

work(200)
before = resident()
work(1000)
print(resident() - before)
"""


def test_a_thousand_solves_do_not_grow():
    """After 200 solves to warm up, 1,000 more. A kilobyte lost by each would show."""
    done = subprocess.run([sys.executable, "-c", MANY], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 1e6


@pytest.mark.parametrize("given,error,message", [
    ({"parameters": {}}, ValueError, "parameters: at least one"),
    ({"parameters": {"t": 3}}, TypeError, "parameters.t: expected a distribution"),
    ({"parameters": None}, TypeError, "variables= and parameters="),
    ({"variables": []}, ValueError, "variables: at least one"),
    ({"variables": ["x", "x"]}, ValueError, "twice"),
    ({"tolerance": -1}, ValueError, "tolerance"),
    ({"tolerence": 1}, TypeError, "did you mean 'tolerance'"),
    ({"seed": -1}, ValueError, "seed"),
    ({"method": "newton"}, ValueError, "newton"),
    ({"start": [1, 2, 3]}, ValueError, "start: expected a number or 1 numbers"),
    ({"correlation": [[1, 0.5], [0.5, 1]]}, ValueError, "correlation: expected 1 rows"),
    ({"noise": [1, 2]}, ValueError, "noise"),
    ({"progress": 3}, TypeError, "progress"),
    ({"subject_to": [1]}, TypeError, "subject_to"),
])
def test_bad_arguments_are_named(given, error, message):
    with pytest.raises(error, match=message):
        solve_sine(**given)
    with pytest.raises(TypeError, match="expected a function or an expression"):
        solve_sine(gradient=3)


def test_correlated_parameters():
    """Cov(x) of x* = θ is that of the two normal parameters."""
    sol = cg.solve(lambda x, t: x - t, variables=2, parameters={"a": cg.Normal(0, 1), "b": cg.Normal(0, 2)},
                   correlation=[[1, 0.5], [0.5, 1]], tolerance=1e-6)
    assert np.allclose(sol.covariance, [[1, 1], [1, 4]], atol=1e-5)


def test_reference_and_strong_convexity():
    sol = solve_sine(reference=lambda theta: np.sin(theta), strong_convexity=1.0)
    assert sol.true_error <= 1e-6 and sol.error.bound >= sol.true_error
    assert abs(sol.true_error) <= 2 * sol.error + 1e-9


def test_portfolio_in_ten_lines(tmp_path):
    """The ten lines of docs/python.md, against scipy's optimiser and the closed form."""
    S = np.array([[0.10, 0.02, 0.01], [0.02, 0.08, 0.03], [0.01, 0.03, 0.12]])
    m = np.array([0.06, 0.05, 0.08])
    sol = cg.solve(lambda w, g: g * (w @ S) - m, variables={"w": 3}, parameters={"gamma": cg.LogUniform(1, 10)},
                   constraints=[cg.Linear(np.ones((1, 3)), 1, 1, name="budget")], tolerance=1e-5)
    sol.plot().savefig(tmp_path / "portfolio.png")
    gamma = np.linspace(1, 10, 25)
    inverse = np.linalg.inv(S)
    ones = np.ones(3)
    multiplier = ((inverse @ m).sum() - gamma) / (inverse @ ones).sum()  # of sum w = 1, in γ S w = m − λ 1
    exact = (inverse @ (m[:, None] - multiplier * ones[:, None]) / gamma).T
    assert np.allclose(sol(gamma), exact, atol=1e-4)
    assert np.allclose(sol.multipliers(gamma)["budget"], multiplier, atol=1e-4)
    one = scipy.optimize.minimize(lambda w: 1.5 * w @ S @ w - m @ w, ones / 3, tol=1e-12,
                                  constraints={"type": "eq", "fun": lambda w: w.sum() - 1})
    assert np.allclose(sol(3.0), one.x, atol=1e-4)
    assert (tmp_path / "portfolio.png").stat().st_size > 5000
