"""What can be asked of a solution, each compared with numpy on the exact optimum."""
import copy
import ctypes
import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
import scipy.stats

import chaosgrad as cg


def gradient(x, theta):
    """x* = (exp(a) b, a), a and b uniform on (0, 1)."""
    return x - np.stack([np.exp(theta[:, 0]) * theta[:, 1], theta[:, 0]], axis=1)


LAWS = {"a": cg.Uniform(0, 1), "b": cg.Uniform(0, 1)}


@pytest.fixture(scope="module")
def sol():
    return cg.solve(gradient, variables=["x", "y"], parameters=LAWS, tolerance=1e-7, title="two")


@pytest.fixture(scope="module")
def draws():
    theta = np.random.default_rng(1).random((400_000, 2))
    return theta, np.stack([np.exp(theta[:, 0]) * theta[:, 1], theta[:, 0]], axis=1)


def test_shapes_of_theta(sol):
    point = np.array([0.25, 0.5])
    exact = np.array([np.exp(0.25) * 0.5, 0.25])
    assert sol(point).shape == (2,) and np.allclose(sol(point), exact, atol=1e-6)
    assert sol([point]).shape == (1, 2)
    assert sol(np.zeros((3, 4, 2))).shape == (3, 4, 2)
    assert sol(np.asfortranarray(np.random.default_rng(0).random((5, 2)))).shape == (5, 2)
    assert sol(np.random.default_rng(0).random((10, 4))[::2, ::2].astype(np.float32)).shape == (5, 2)
    assert np.allclose(sol(a=0.25, b=0.5), exact, atol=1e-6)
    assert sol(a=np.linspace(0, 1, 7), b=0.5).shape == (7, 2)
    assert sol(np.zeros((0, 2))).shape == (0, 2)


def test_shapes_of_theta_with_one_parameter():
    one = cg.solve(lambda x, t: x - t, variables=["x", "y"], parameters={"t": cg.Normal(0, 1)})
    assert one(0.5).shape == one([0.5]).shape == (2,)
    assert one([0.1, 0.2, 0.3]).shape == one([[0.1], [0.2], [0.3]]).shape == (3, 2)
    assert one(t=np.zeros(4)).shape == (4, 2)
    assert one.sensitivity(0.5).shape == (2, 1) and one.sensitivity([0.1, 0.2, 0.3]).shape == (3, 2, 1)


@pytest.mark.parametrize("theta,message", [([0.1], r"shape \(2,\) or \(N, 2\), found \(1,\)"), (0.5, "found"),
                                           ([0.5, 1.5], "b = 1.5 is outside the support"), ([np.nan, 0.5], "a = nan is outside")])
def test_bad_theta_is_named(sol, theta, message):
    with pytest.raises(ValueError, match=message):
        sol(theta)


def test_outside_the_support_only_when_asked(sol):
    assert np.allclose(sol([0.5, 1.01], extrapolate=True), [np.exp(0.5) * 1.01, 0.5], atol=1e-4)
    with pytest.raises(TypeError, match="each of a, b by name"):
        sol(a=0.1)
    with pytest.raises(TypeError, match="theta is missing"):
        sol()


def test_moments_and_quantiles(sol, draws):
    """Monte Carlo with n draws: four standard errors."""
    _, x = draws
    n = len(x)
    assert np.all(np.abs(sol.mean - x.mean(axis=0)) < 4 * x.std(axis=0) / np.sqrt(n))
    kurtosis = scipy.stats.kurtosis(x, axis=0, fisher=False)
    assert np.all(np.abs(sol.sd - x.std(axis=0)) < 4 * x.std(axis=0) * np.sqrt((kurtosis - 1) / (4 * n)))
    assert abs(sol.mean[0] - (np.e - 1) / 2) <= sol.mean_error[0] + 1e-7
    level = 0.9
    value = sol.quantile(level)
    share = (x <= value).mean(axis=0)
    assert np.all(np.abs(share - level) < 4 * np.sqrt(level * (1 - level) / n) + 1e-3)
    assert sol.quantile([0.1, 0.5, 0.9]).shape == (3, 2)
    assert np.allclose(sol.covariance, np.cov(x.T), atol=4e-3)
    with pytest.raises(ValueError, match="between 0 and 1"):
        sol.quantile(1.0)


def test_sobol_indices(sol):
    """x = exp(a) b: Var E[x|a] = Var exp(a)/4, Var E[x|b] = (e − 1)² Var b."""
    second = (np.e**2 - 1) / 2
    mean = np.e - 1
    variance = second / 3 - (mean / 2)**2
    main = np.array([(second - mean**2) / 4, mean**2 / 12]) / variance
    assert np.allclose(sol.sobol.main[0], main, atol=1e-5)
    assert np.allclose(sol.sobol.total[0], 1 - main[::-1], atol=1e-5)
    assert np.allclose(sol.sobol.main[1], [1, 0], atol=1e-6)


def test_sensitivity(sol):
    found = sol.sensitivity([0.25, 0.5])
    assert np.allclose(found, [[np.exp(0.25) * 0.5, np.exp(0.25)], [1, 0]], atol=1e-5)
    assert sol.sensitivity(np.full((3, 2), 0.4)).shape == (3, 2, 2)


def test_samples_follow_theta_and_the_map(sol):
    theta, x = sol.sample(2000, seed=5)
    assert np.allclose(x, sol(theta))
    assert scipy.stats.kstest(theta[:, 0], "uniform").pvalue > 1e-4
    assert np.array_equal(theta, sol.sample(2000, seed=5).theta)
    assert not np.array_equal(theta, sol.sample(2000, seed=6).theta)
    assert not np.array_equal(sol.sample(3, np.random.default_rng(1)).x, sol.sample(3, np.random.default_rng(2)).x)


def test_error_is_a_number_with_parts(sol):
    assert isinstance(sol.error, float) and 0 < sol.error < 1e-7
    assert sol.error.components.shape == (2,) and sol.error.confidence == 0.95
    assert sol.error.bound is None and pickle.loads(pickle.dumps(sol.error)).confidence == 0.95
    theta, x = sol.sample(5000)
    exact = np.stack([np.exp(theta[:, 0]) * theta[:, 1], theta[:, 0]], axis=1)
    assert np.sqrt(np.mean(np.sum((x - exact)**2, axis=1))) < 3 * sol.error + 1e-12


def test_history_options_and_names(sol):
    assert sol.status == "converged" and sol.ok and sol.gradients > 0 and sol.seconds > 0 and "tolerance" in sol.message
    assert sol.history["gradients"][-1] <= sol.gradients and len(sol.history["k"]) > 0
    assert sol.options["tolerance"] == 1e-7 and sol.options["method"] == "auto"
    assert sol.variables == ["x", "y"] and list(sol.parameters) == ["a", "b"] and sol.parameters["a"] == cg.Uniform(0.0, 1.0, basis="polynomial")
    assert sol.indices.shape == (len(sol.coefficients), 2) and sol.title == "two"
    assert sol.summary()["variables"] == ["x", "y"]


def test_verify_agrees_and_finds_a_wrong_one(sol):
    found = sol.verify(50)
    assert found.ok and found and found.verdict in ("agrees", "too large") and found.points == 50
    assert found.lower <= found.error <= found.upper
    wrong = sol.with_functions(lambda x, t: gradient(x, t) + 1e-3)
    assert not wrong.verify(50) and wrong.verify(50).verdict == "too small"


def test_resume_goes_on_to_the_same_bits():
    noisy = dict(variables=["x"], parameters={"t": cg.Uniform(-1, 1)}, noise={"v": cg.Normal(0, 1)}, seed=3)
    model = lambda x, t, v: x - np.exp(t) + v  # noqa: E731
    rough = cg.solve(model, tolerance=0.05, max_gradients=3000, **noisy)
    fine = rough.resume(max_gradients=10_000_000)
    whole = cg.solve(model, tolerance=0.05, **noisy)
    assert rough.status == "out_of_gradients" and rough.gradients < fine.gradients
    assert np.array_equal(fine.coefficients, whole.coefficients) and fine.status == "converged"
    finer = fine.resume(tolerance=0.02)
    assert finer.error < 0.02 and fine.options["tolerance"] == 0.05
    with pytest.raises(TypeError, match="cannot change midway"):
        fine.resume(seed=4)


def test_save_and_load(sol, tmp_path, run):
    sol.save(tmp_path / "run")
    assert {path.name for path in (tmp_path / "run").iterdir()} >= {"solution.h5", "summary.json", "history.csv", "report.html"}
    again = cg.load(tmp_path / "run")
    assert np.array_equal(again.coefficients, sol.coefficients) and again.variables == sol.variables and again.title == "two"
    assert np.array_equal(again(np.full((2, 2), 0.3)), sol(np.full((2, 2), 0.3)))
    code, out, err = run("eval", "run", "--at", "a=0.25,b=0.5", "--json")
    assert code == 0, err
    assert json.loads(out)["variables"]["y"] == pytest.approx(0.25, abs=1e-6)
    with pytest.raises(cg.InputError, match="with_functions"):
        again.resume(tolerance=1e-9)
    assert again.with_functions(gradient).resume(tolerance=1e-9).error < 1e-9
    with pytest.raises(OSError, match="nowhere"):
        cg.load(tmp_path / "nowhere")
    with pytest.raises(OSError):
        sol.save("/proc/nowhere")


def test_pickling(sol):
    again = pickle.loads(pickle.dumps(sol))  # gradient is a function of this module
    assert np.array_equal(again.coefficients, sol.coefficients) and again.resume(tolerance=1e-8).ok
    local = cg.solve(lambda x, t: x - t, variables=["x"], parameters={"t": cg.Uniform(0, 1)})
    back = pickle.loads(pickle.dumps(local))
    assert back(0.3) == local(0.3)
    with pytest.raises(cg.InputError, match="could not be pickled"):
        back.verify()
    assert copy.deepcopy(local)(0.3) == local(0.3)


def test_report_and_repr(sol, tmp_path):
    page = sol.report(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text() == page and page.startswith("<!doctype html>") and "two" in page
    assert repr(sol).startswith("two\nconverged") and "mean" in repr(sol)
    shown = cg.solve(gradient, variables=["x", "y"], parameters=LAWS, title="<script>alert(1)</script>")._repr_html_()
    assert "<script" not in shown and "&lt;script&gt;" in shown and "<svg" in shown and "converged" in shown
    failed = cg.solve(lambda x, t: x * np.nan, variables=["x"], parameters=LAWS)
    assert "bad_gradient" in failed._repr_html_() and "bad_gradient" in repr(failed)


def test_source(sol, tmp_path):
    """Both programs pass their self-tests, and give x*(theta) and its slopes as `sol` does at theta of our own."""
    theta = [0.25, 0.75]
    x, slopes = sol(theta), sol.sensitivity(theta)
    (tmp_path / "optimum.py").write_text(sol.source())
    done = subprocess.run([sys.executable, "optimum.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "passed" in done.stdout, done.stdout + done.stderr
    names = {}
    exec(sol.source(), names)
    assert np.allclose(names["optimum"](theta), x, rtol=1e-13) and np.allclose(names["sensitivity"](theta), slopes, rtol=1e-12)
    (tmp_path / "optimum.c").write_text(sol.source("c"))
    flags = ["cc", "-Wall", "-Wextra", "-Werror", "-pedantic", "-std=c99", "optimum.c"]
    for extra in (["-DCHAOSGRAD_SELF_TEST", "-o", "self_test"], ["-shared", "-fPIC", "-o", "optimum.so"]):
        subprocess.run([*flags, *extra, "-lm"], cwd=tmp_path, check=True)
    assert "passed" in subprocess.run(["./self_test"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    found, found_slopes = np.zeros(2), np.zeros((2, 2))
    pointer = ctypes.POINTER(ctypes.c_double)
    ctypes.CDLL(str(tmp_path / "optimum.so")).optimum(
        *(array.ctypes.data_as(pointer) for array in (np.array(theta), found, found_slopes)))
    assert np.allclose(found, x, rtol=1e-13) and np.allclose(found_slopes, slopes, rtol=1e-12)
    with pytest.raises(ValueError, match="language"):
        sol.source("fortran")


def test_plots(sol, tmp_path):
    for kind in (None, "curve", "fan", "density", "sobol"):
        figure = sol.plot(kind)
        figure.savefig(tmp_path / f"{kind}.png")
        assert (tmp_path / f"{kind}.png").stat().st_size > 4000
    curve = sol.plot("curve", parameter="a", variables="y").axes[0].lines[0]
    assert np.allclose(curve.get_xdata(), curve.get_ydata(), atol=1e-6)  # y = a
    import matplotlib.pyplot as plt
    _, axes = plt.subplots()
    assert sol.plot("density", ax=axes) is axes.figure
    for wrong in ({"kind": "pie"}, {"kind": "curve", "parameter": "c"}, {"kind": "curve", "variables": ["z"]}, {"ax": axes}):
        with pytest.raises(ValueError):
            sol.plot(**wrong)
    plt.close("all")


def test_dataframe(sol):
    frame = sol.to_dataframe(100, seed=2)
    assert list(frame.columns) == ["a", "b", "x", "y"] and len(frame) == 100
    assert np.allclose(frame["x"], np.exp(frame["a"]) * frame["b"], atol=1e-6)


def test_xarray(sol):
    data = sol.to_xarray(9)
    assert data["x"].dims == ("a", "b") and data["x"].shape == (9, 9) and data.attrs["status"] == "converged"
    assert np.allclose(data["x"], np.exp(data["a"]) * data["b"], atol=1e-6)
    many = cg.solve(lambda x, t: x - t.sum(axis=1, keepdims=True), variables=["x"], parameters={k: cg.Uniform(0, 1) for k in "abcd"})
    assert many.to_xarray(50)["x"].dims == ("sample",)


def test_openturns_chaos(sol):
    """Parameters and polynomials that OpenTURNS knows: its own statistics of our expansion agree with ours."""
    ot = pytest.importorskip("openturns")
    laws = {"a": cg.Uniform(-1, 3), "b": cg.Normal(1, 0.5), "c": cg.Gamma(2.5, 0.4), "d": cg.Beta(2, 3.5, -1, 2),
            "e": cg.Exponential(2), "f": cg.LogNormal(0.1, 0.3)}

    def slope(x, theta):
        a, b, c, d, e, f = theta.T
        return x - np.stack([a * b + c**2 - d**3, e * a + np.log(f)**2 * b + d], axis=1)

    many = cg.solve(slope, variables=["x", "y"], parameters=laws, tolerance=1e-8)
    result = many.to_openturns()
    assert isinstance(result, ot.FunctionalChaosResult)
    theta, x = many.sample(50, seed=3)
    assert np.allclose(np.array(result.getMetaModel()(theta)), x, rtol=1e-9, atol=1e-9 * np.abs(x).max())
    assert np.allclose(np.array(result.getModel()(theta)), x)
    vector = ot.FunctionalChaosRandomVector(result)
    assert np.allclose(vector.getMean(), many.mean) and np.allclose(np.sqrt(np.diag(vector.getCovariance())), many.sd)
    indices = ot.FunctionalChaosSobolIndices(result)
    for i in range(2):
        assert np.allclose([indices.getSobolIndex(k, i) for k in range(6)], many.sobol.main[i], atol=1e-12)
        assert np.allclose([indices.getSobolTotalIndex(k, i) for k in range(6)], many.sobol.total[i], atol=1e-12)
    assert list(result.getDistribution().getDescription()) == list(laws)
    assert isinstance(sol.to_openturns(), ot.FunctionalChaosResult)


def test_openturns_function():
    """What is no chaos of OpenTURNS is a function with gradient: other families, a copula, constraints."""
    ot = pytest.importorskip("openturns")
    laws = {"a": cg.Triangular(0, 0.5, 1), "b": cg.Uniform(0, 1)}
    other = cg.solve(gradient, variables=["x", "y"], parameters=laws, tolerance=1e-6)
    function = other.to_openturns()
    assert isinstance(function, ot.Function) and list(function.getInputDescription()) == ["a", "b"]
    assert np.allclose(function([0.25, 0.5]), other([0.25, 0.5]))
    assert np.allclose(np.array(function.gradient([0.25, 0.5])), other.sensitivity([0.25, 0.5]).T)
    assert np.array(function(ot.ComposedDistribution([ot.Uniform(0, 1)] * 2).getSample(10))).shape == (10, 2)
    for more in ({"correlation": [[1, 0.3], [0.3, 1]]}, {"upper": 0.5}):
        assert isinstance(cg.solve(gradient, variables=["x", "y"], parameters=LAWS, **more).to_openturns(), ot.Function)


def test_progress_is_told_and_can_stop():
    told = []
    noisy = dict(variables=["x"], parameters={"t": cg.Uniform(-1, 1)}, noise={"v": cg.Normal(0, 1)})
    model = lambda x, t, v: x - np.exp(t) + v  # noqa: E731
    cg.solve(model, tolerance=0.05, progress=told.append, **noisy)
    assert len(told) > 2 and told[-1]["gradients"] >= told[0]["gradients"] and told[-1]["tolerance"] == 0.05
    stopped = cg.solve(model, tolerance=1e-5, progress=lambda now: now["gradients"] < 2000, **noisy)
    assert stopped.status == "interrupted" and stopped.gradients < 100_000


@pytest.mark.parametrize("hidden", [False, True])
def test_progress_bar(capfd, hidden, monkeypatch):
    if hidden:
        monkeypatch.setitem(sys.modules, "tqdm", None)
    cg.solve(gradient, variables=["x", "y"], parameters=LAWS, progress=True)
    assert "functions" in capfd.readouterr().err


INTERRUPTED = """
    import chaosgrad as cg, numpy as np, sys, time
    slow = {slow}
    def gradient(x, t, v):
        if slow:
            time.sleep(0.02)
        return x - np.exp(t) + v
    print("ready", flush=True)
    begin = time.time()
    sol = cg.solve(gradient, variables=["x"], parameters={{"t": cg.Uniform(-1, 1)}}, noise={{"v": cg.Normal(0, 1)}},
                   tolerance=1e-6, max_seconds=60, max_gradients=10**12, {options})
    assert time.time() - begin < 10
    print(sol.status, sol.message)
    assert sol.ok and np.isfinite(sol(0.3)).all()
    try:
        time.sleep(30)       # the usual behaviour is back
    except KeyboardInterrupt:
        print("as before")
"""


@pytest.mark.parametrize("slow,options", [(False, ""), (True, ""), (True, "threads=1"), (False, "method='gd', iterations=200_000"),
                                          (True, "method='gd', iterations=200_000, strong_convexity=1, smoothness=1, noise_variance=1, noise_growth=1")])
def test_ctrl_c_returns_what_there_is(slow, options):
    code = textwrap.dedent(INTERRUPTED).format(slow=slow, options=options)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    line = process.stdout.readline()
    assert line.startswith("interrupted interrupted by Ctrl-C"), line + process.communicate()[1]
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert out == "as before\n" and process.returncode == 0, err


def test_ctrl_c_before_there_is_anything():
    """The method gd estimates its constants first: nothing can be returned yet."""
    code = textwrap.dedent(INTERRUPTED).format(slow=True, options="method='gd', iterations=200_000")
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate(timeout=30)[1]


def test_ctrl_c_with_formulas_and_another_handler():
    code = textwrap.dedent("""
        import chaosgrad as cg, signal, sys
        if sys.argv[1] == "own":
            def handler(number, frame):
                raise ValueError("own handler")
            signal.signal(signal.SIGINT, handler)
        print("ready", flush=True)
        try:
            sol = cg.gallery("paper-noise").solve(method="auto", tolerance=1e-7, max_gradients=10**12)
            print(sol.status)
        except ValueError as error:
            print(error)
    """)
    for kind, expected in (("default", "interrupted\n"), ("own", "own handler\n")):
        process = subprocess.Popen([sys.executable, "-c", code, kind], stdout=subprocess.PIPE, text=True)
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=30)[0] == expected


def test_an_interrupted_run_resumes():
    code = textwrap.dedent("""
        import chaosgrad as cg, numpy as np, os, signal
        calls = [0]
        def gradient(x, t, v):
            calls[0] += 1
            if calls[0] == 60:
                os.kill(os.getpid(), signal.SIGINT)
            return x - np.exp(t) + v
        given = dict(variables=["x"], parameters={"t": cg.Uniform(-1, 1)}, noise={"v": cg.Normal(0, 1)}, tolerance=0.03)
        part = cg.solve(gradient, **given)
        assert part.status == "interrupted", part.status
        whole = cg.solve(gradient, **given)
        assert np.array_equal(part.resume().coefficients, whole.coefficients)
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_files_of_the_program(tmp_path):
    file = cg.gallery("portfolio").write(tmp_path)
    sol = cg.solve_file(file, tmp_path / "run", relative_tolerance=1e-2, seed=5)
    assert sol.ok and sol.options["seed"] == 5 and (tmp_path / "run" / "report.html").exists()
    assert cg.load(tmp_path / "run").resume(relative_tolerance=1e-3).ok
    assert cg.load(tmp_path / "run").verify(20)
    with pytest.raises(cg.InputError, match="own.toml:2:"):
        (tmp_path / "own.toml").write_text("[parameters]\nt = { distribution = \"unifrm\" }\n")
        cg.solve_file(tmp_path / "own.toml")
    with pytest.raises(FileNotFoundError):
        cg.solve_file(tmp_path / "absent.toml")
    with pytest.raises(TypeError, match="no option"):
        cg.solve_file(file, sed=5)


def test_gallery():
    problems = cg.gallery()
    assert "quickstart" in problems and problems["lasso"].title and "minimize" in problems["lasso"].text
    with pytest.raises(KeyError, match="quickstart"):
        cg.gallery("quikstart")
    other = problems["quickstart"].solve(override={"constants.mu": 2.0}) if "mu" in problems["quickstart"].text else None
    assert other is None or other.ok


def test_same_numbers_as_the_program(tmp_path, run):
    """Up to rounding: the linker may choose another of several equal copies of Eigen's loops. How strongly each function is pulled to 0
    is found by iteration, which makes more of that, but nothing that an error bar would show."""
    file = cg.gallery("quickstart").write(tmp_path)
    assert run("solve", file, "-o", "run", "--quiet")[0] == 0
    stored, here = cg.load(tmp_path / "run"), cg.solve_file(file)
    assert stored.gradients == here.gradients and np.allclose(
        stored.coefficients, here.coefficients, rtol=0, atol=1e-6 * here.error)
    assert os.path.exists(tmp_path / "run" / "summary.json")
