"""`chaosgrad reproduce` against independent implementations: closed recursions for exact gradients, NumPy with its own random numbers for
Monte Carlo. Means of random curves are compared within 4 standard errors of their difference (from both sides' trials)."""
import csv
import json
import math
import pathlib
import resource
import subprocess
import xml.etree.ElementTree

import numpy as np
import pytest

SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support"
OPTIMUM = json.loads((SUPPORT / "optimum.json").read_text())
COEFFICIENTS = np.array(OPTIMUM["coefficients"])
FIGURES = ["fig1a", "fig1b", "fig2", "fig3", "blowup", "equal-time", "nested", "optimum", "slips"]
TRIALS = 200
MU, L = 1.0, 200.0
CURVATURE = np.array([MU, L])


@pytest.fixture(scope="module")
def reproduced(program, tmp_path_factory):
    """All figures with 200 trials: (folder, facts by figure, seconds of computing time on all cores together)."""
    folder = tmp_path_factory.mktemp("reproduce")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, "reproduce", "--trials", str(TRIALS), "-o", str(folder), "--json"],
                          capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    return folder, facts, seconds


def table(folder, name):
    with open(folder / f"{name}.csv") as stream:
        rows = list(csv.reader(stream))
    return rows[0], {column: np.array([float(row[i]) if row[i] else math.nan for row in rows[1:]])
                     for i, column in enumerate(rows[0])}


def ours(facts, figure, fact):
    return facts[figure]["headline"][fact]["ours"]


def root_level(k):
    return math.floor(math.sqrt(k + 10) + 2)


def optimum_function(theta):
    s = np.sin(theta)
    return np.abs(0.8 + 0.25 * np.exp(s) - np.cosh(s * s)) * (1 + np.sin(2 * theta))


def trigonometric(theta, m):
    """(trials, m, samples): 1, √2 cos θ, √2 sin θ, √2 cos 2θ, … by the addition theorem."""
    values = np.empty((theta.shape[0], m, theta.shape[1]))
    values[:, 0] = 1
    cosine, sine = np.cos(theta), np.sin(theta)
    c, s = math.sqrt(2) * cosine, math.sqrt(2) * sine
    for i in range(1, m, 2):
        values[:, i] = c
        if i + 1 < m:
            values[:, i + 1] = s
        c, s = c * cosine - s * sine, s * cosine + c * sine
    return values


def simulate(rng, trials, samples, iterations, largest, curves):
    """Squared errors (curve → trials × iterations). All curves see the same θ, each with its own level, step, momentum and noise.

    A curve is (level(k), step(k, m), momentum, noisy)."""
    target = COEFFICIENTS[:largest]
    u = {name: np.zeros((trials, 2, largest)) for name in curves}
    previous = {name: value.copy() for name, value in u.items()}
    errors = {name: np.empty((trials, iterations)) for name in curves}
    names = list(curves)
    for k in range(1, iterations + 1):
        width = max(curves[name][0](k) for name in names)
        theta = rng.uniform(-math.pi, math.pi, (trials, samples))
        v = rng.uniform(-1, 1, (trials, 1, samples))
        basis = trigonometric(theta, width)
        y = {name: u[name] + curves[name][2] * (u[name] - previous[name]) for name in names}
        stacked = np.concatenate([y[name][:, :, :width] for name in names], axis=1)
        residual = stacked @ basis - optimum_function(theta)[:, None, :]
        for i, name in enumerate(names):
            part = residual[:, 2 * i:2 * i + 2]
            part *= CURVATURE[:, None]
            if curves[name][3]:
                part += v
        gradient = residual @ basis.transpose(0, 2, 1) / samples
        for i, name in enumerate(names):
            level, step, _, _ = curves[name]
            m = level(k)
            previous[name] = u[name]
            u[name] = y[name].copy()
            u[name][:, :, :m] -= step(k, m) * gradient[:, 2 * i:2 * i + 2, :m]
            errors[name][:, k - 1] = np.sum((u[name] - target)[:, :, :m] ** 2, axis=(1, 2))
    return errors


def gradient_step(samples):
    """Q_m of the trigonometric basis: m for odd m, m + 1 for even m (a cosine without its sine)."""
    return lambda k, m: 2 / ((MU + L) * (1 + 2 * (m if m % 2 == 1 else m + 1) / samples))


MOMENTUM = (1 - math.sqrt(MU / L)) / (1 + math.sqrt(MU / L))


def assert_same_mean(facts, figure, name, errors, iterations):
    stored = facts[figure]["curves"][name]["error_squared"]
    for k in iterations:
        own = errors[:, k - 1]
        own_error = own.std(ddof=1) / math.sqrt(len(own))
        difference = stored[str(k)]["mean"] - own.mean()
        assert abs(difference) < 4 * math.hypot(own_error, stored[str(k)]["standard_error"]), (figure, name, k)


def test_every_figure_has_its_files_and_all_take_less_than_two_minutes(reproduced):
    folder, facts, seconds = reproduced
    assert list(facts) == FIGURES
    for name in FIGURES:
        header, _ = table(folder, name)
        assert len(header) >= 3
        assert xml.etree.ElementTree.parse(folder / f"{name}.svg").getroot().tag.endswith("svg")
        assert json.loads((folder / f"{name}.json").read_text()) == facts[name]
        assert all(set(value) == {"ours", "paper"} for value in facts[name]["headline"].values())
    assert seconds < 2 * 120  # two minutes on two cores, whatever else they do meanwhile


def test_columns(reproduced):
    columns = {"fig1a": "k,gd,agd", "fig1b": "k,gd,agd,uqsa", "fig2": "k,gd,agd", "fig3": "k,growing,fixed",
               "equal-time": "seconds,growing,fixed"}
    for name, expected in columns.items():
        header, values = table(reproduced[0], name)
        assert ",".join(header) == expected
        if header[0] == "k":
            assert np.array_equal(values["k"], np.arange(1, (600 if name == "fig3" else 300) + 1))
            for curve in header[1:]:
                assert reproduced[1][name]["curves"][curve]["seconds_per_trial"] > 0
                assert reproduced[1][name]["curves"][curve]["error_squared"]["300"]["mean"] == pytest.approx(
                    values[curve][299], rel=1e-15)


def test_optimum_and_truncation_errors(reproduced):
    folder, facts, _ = reproduced
    _, values = table(folder, "optimum")
    assert len(COEFFICIENTS) == 201
    assert np.max(np.abs(values["coefficient"] - COEFFICIENTS)) < 1e-12
    both = ours(facts, "optimum", "truncation error of both components, m = 91")
    one = ours(facts, "optimum", "truncation error of one component, m = 26")
    assert f"{both:.2e}" == "7.10e-07" and f"{one:.2e}" == "1.68e-05"
    remainder = OPTIMUM["norm_squared"] - np.cumsum(COEFFICIENTS**2)
    assert values["remainder_squared"] == pytest.approx(remainder, abs=1e-14)
    for key in ("norm_squared", "mean", "variance"):
        assert facts["optimum"][key] == pytest.approx(OPTIMUM[key], abs=1e-13)


def exact_recursion(iterations, alpha, beta):
    """Exact gradients on the reference coefficients: D' = λ (y − u*) on the first m_k."""
    m = [root_level(k) for k in range(1, iterations + 1)]
    target = COEFFICIENTS[:m[-1], None]
    u = previous = np.zeros((m[-1], 2))
    errors = []
    for level in m:
        y = u + beta * (u - previous)
        step = alpha * CURVATURE * (y - target)
        step[level:] = 0
        previous, u = u, y - step
        errors.append(np.sum((u - target)[:level] ** 2))
    return np.array(errors)


def test_fig1a_is_the_exact_recursion(reproduced):
    _, values = table(reproduced[0], "fig1a")
    assert values["gd"] == pytest.approx(exact_recursion(300, 2 / (MU + L), 0), rel=1e-10)
    assert values["agd"] == pytest.approx(exact_recursion(300, 1 / L, MOMENTUM), rel=1e-10)


def test_fig1a_spikes_sit_where_the_basis_grows(reproduced):
    folder, facts, _ = reproduced
    _, values = table(folder, "fig1a")
    growth = [k for k in range(2, 301) if root_level(k) > root_level(k - 1)]
    assert facts["fig1a"]["basis_grows_at"] == growth
    rises = [k for k in range(2, 301) if values["agd"][k - 1] > values["agd"][k - 2]]
    # Two new coefficients (m = 8, 11) are about 1e-3, far below the error of their time: these growths leave no spike.
    assert set(growth) - set(rises) == {26, 71} and set(rises) < set(growth)
    assert all(abs(COEFFICIENTS[root_level(k) - 1]) < 1.5e-3 for k in (26, 71))
    assert facts["fig1a"]["accelerated_error_rises_at"] == rises


def test_fig1b_and_fig2_against_numpy(reproduced):
    facts = reproduced[1]
    accelerated = (root_level, lambda k, m: 1 / L, MOMENTUM)
    descent = (root_level, gradient_step(500), 0)
    errors = simulate(np.random.default_rng(20240607), TRIALS, 500, 300, root_level(300), {
        "gd": (*descent, False), "agd": (*accelerated, False),
        "uqsa": (root_level, lambda k, m: 1 / (100 + k), 0, False),
        "noisy gd": (*descent, True), "noisy agd": (*accelerated, True)})
    for name in ("gd", "agd", "uqsa"):
        assert_same_mean(facts, "fig1b", name, errors[name], (50, 100, 200, 300))
    for name in ("gd", "agd"):
        assert_same_mean(facts, "fig2", name, errors["noisy " + name], (50, 100, 200, 300))


def test_fig3_against_numpy(reproduced):
    facts = reproduced[1]
    errors = simulate(np.random.default_rng(19), 100, 250, 600, 91, {
        "growing": (lambda k: math.floor(0.15 * k) + 1, gradient_step(250), 0, False),
        "fixed": (lambda k: 91, gradient_step(250), 0, False)})
    for name in ("growing", "fixed"):
        assert facts["fig3"]["curves"][name]["final_basis_size"] == 91
        assert_same_mean(facts, "fig3", name, errors[name], (50, 100, 200, 300, 600))


def test_growing_beats_fixed(reproduced):
    facts = reproduced[1]
    at_equal_iterations = ours(facts, "fig3", "fixed over growing at k = 600")
    at_equal_time = ours(facts, "equal-time", "fixed over growing at the growing run's time")
    assert 4 < at_equal_iterations < 7
    assert at_equal_time > at_equal_iterations


def test_blowup(reproduced):
    curves = reproduced[1]["blowup"]["curves"]
    for name in ("without", "agd"):  # the mean grows by g = (1 − γL)² + (Q/M)(γL)² > 1 per iteration
        assert curves[name]["diverged"] == TRIALS
        assert 1 < curves[name]["median_iteration_of_divergence"] < 300
    for name in ("with", "agd_guarded", "growing_with", "growing_agd"):
        assert curves[name]["diverged"] == 0
        assert curves[name]["final_median_error_squared"] < 0.05
    _, values = table(reproduced[0], "blowup")
    assert np.isnan(values["without"][-1]) and np.nanmax(values["without"]) > 1e6
    assert np.all(np.isfinite(values["with"]))


def test_nested_projection_costs_several_times_as_much(reproduced):
    """The paper's naive method estimates each coefficient by a mean over solved points: its error² falls like 1/points only."""
    facts = reproduced[1]["nested"]
    _, values = table(reproduced[0], "nested")
    for case, prefix in (("with noise", ""), ("without noise", "exact_")):
        for method in ("gd", "agd"):
            costs = facts[f"{case}, error of {method}"]["gradients"]
            projection = costs[prefix + "nested_projection"]
            assert projection is None or projection > 4 * costs[prefix + method]
    # Without noise and with solved points: E error² = R² + (1/N) Σ_i Var(x* ψ_i), by quadrature.
    theta = (np.arange(4096) + 0.5) / 4096 * 2 * math.pi - math.pi
    products = trigonometric(theta[None, :], 19)[0] * optimum_function(theta)
    spread = 2 * np.sum(products.var(axis=1))
    remainder = 2 * (OPTIMUM["norm_squared"] - np.sum(COEFFICIENTS[:19] ** 2))
    column = values["exact_nested_projection"]
    last = np.flatnonzero(np.isfinite(column))[-1]
    expected = remainder + spread / (values["gradients"][last] / 100)  # 100 iterations per point
    assert column[last] == pytest.approx(expected, rel=0.25)
    # More gradients never make it worse, and no error is below what 19 functions leave.
    floor = 2 * (OPTIMUM["norm_squared"] - np.sum(COEFFICIENTS[:19] ** 2))
    for name, column in values.items():
        if name != "gradients":
            known = column[np.isfinite(column)]
            assert np.all(np.diff(known) <= 0) and known[-1] > 0.999 * floor


def test_slips(reproduced):
    facts = reproduced[1]["slips"]
    _, values = table(reproduced[0], "slips")
    assert facts["curves"]["printed_objective"]["status"] == "diverged"
    assert facts["curves"]["printed_sign"]["status"] == "diverged"
    assert facts["curves"]["gd"]["status"] == "completed"
    # The slowest-damped mode has the factor 1 − γλ with λ = 2L (no ½) and λ = −L (wrong sign).
    gamma = 2 / (MU + L)
    growth = values["printed_objective"][1:12] / values["printed_objective"][:11]
    assert growth[-1] == pytest.approx((1 - 2 * L * gamma) ** 2, rel=0.02)
    growth = values["printed_sign"][1:12] / values["printed_sign"][:11]
    assert growth[-1] == pytest.approx((1 + L * gamma) ** 2, rel=0.02)
    # The printed accelerated step: e_{k+1} = (1 − αλ(1+β)) e_k + αλβ e_{k−1}; at λ = L its root beyond −1 rules.
    root = np.max(np.abs(np.roots([1, MOMENTUM, -MOMENTUM])))
    growth = values["printed_agd"][-1] / values["printed_agd"][-2]
    assert root > 1 and growth == pytest.approx(root**2, rel=0.02)
    assert values["agd"] == pytest.approx(exact_recursion(60, 1 / L, MOMENTUM), rel=1e-10)
    assert ours(reproduced[1], "slips", "V of the noisy gradient") == pytest.approx(2 / 3, abs=1e-12)
    assert ours(reproduced[1], "slips", "Q of three Hermite functions is finite") is False


def test_numbers_do_not_depend_on_the_number_of_threads(run, tmp_path):
    for threads in (1, 2):
        code, _, err = run("reproduce", "fig1b", "blowup", "--trials", 5, "--threads", threads, "-o", f"t{threads}", "--quiet")
        assert code == 0, err
    for name in ("fig1b.csv", "blowup.csv"):
        assert (tmp_path / "t1" / name).read_bytes() == (tmp_path / "t2" / name).read_bytes()
    run("reproduce", "fig1b", "--trials", 5, "--seed", 2, "-o", "other", "--quiet")
    assert (tmp_path / "t1" / "fig1b.csv").read_bytes() != (tmp_path / "other" / "fig1b.csv").read_bytes()


def test_default_folder_and_text(run, tmp_path):
    code, out, _ = run("reproduce", "fig1a", "optimum")
    assert code == 0 and (tmp_path / "runs" / "reproduce" / "fig1a.csv").exists()
    assert "7.1" in out and "paper" in out


def test_one_trial_is_enough(run):
    code, out, err = run("reproduce", "fig1b", "nested", "--trials", 1, "--json")
    assert code == 0, err
    assert "standard_error" not in json.loads(out)["fig1b"]["curves"]["gd"]["error_squared"]["50"]


def test_bad_arguments(run):
    code, _, err = run("reproduce", "fig1c")
    assert code == 2 and "did you mean 'fig1" in err
    code, _, err = run("reproduce", "fig1a", "--trials", 0)
    assert code == 2 and "trials" in err
    code, _, err = run("reproduce", "fig1a", "-o", "/dev/null/folder")
    assert code == 4 and "cannot be written" in err
