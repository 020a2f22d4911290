"""stats, sample, verify and compare: against numpy and scipy on the program's own draws, and against closed forms."""
import csv
import io
import json
import math
import pathlib
import re

import h5py
import numpy as np
import pytest
import scipy.stats

from support.run_stores import sign

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUICKSTART = ROOT / "examples" / "quickstart.toml"
CORRELATED = ROOT / "examples" / "correlated.toml"
EXPECTILE = ROOT / "examples" / "expectile.toml"

TWO = """
[parameters]
a = { distribution = "uniform", lower = -1, upper = 1 }
b = { distribution = "normal", mean = 0, sd = 0.5 }
[variables]
x = {}
y = {}
[objective]
minimize = "(x - exp(a/2) - a*b)^2 + (y - b)^2/2"
[reference]
x = "exp(a/2) + a*b"
y = "b"
[quantities]
ratio = "x*y + a"
[solve]
method = "agd"
iterations = 100
basis_size = "15"
gradient = "quadrature"
nodes = 16
"""


@pytest.fixture
def call(run):
    def json_of(*arguments):
        code, out, err = run(*arguments, "--json")
        assert code == 0, err
        return json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))

    return json_of


@pytest.fixture
def two(run, tmp_path):
    (tmp_path / "two.toml").write_text(TWO)
    code, _, err = run("solve", "two.toml", "-o", "two", "--quiet")
    assert code == 0, err
    return "two"


def draws(run, directory, n, *arguments):
    code, out, err = run("sample", directory, "-n", n, "--csv", *arguments)
    assert code == 0, err
    rows = list(csv.reader(io.StringIO(out)))
    return rows[0], np.array(rows[1:], dtype=float)


def test_sample_is_the_expansion(run, two, tmp_path):
    header, table = draws(run, two, 300)
    assert header == ["a", "b", "x", "y", "objective", "ratio"]
    assert table.shape == (300, 6)
    a, b, x, y = table.T[:4]
    assert np.allclose(x, np.exp(a / 2) + a * b, atol=1e-3)
    assert np.allclose(table[:, 5], x * y + a, atol=1e-12)
    assert np.allclose(table, draws(run, two, 300)[1], atol=0)  # the same seed, the same draws
    assert not np.allclose(table, draws(run, two, 300, "--seed", 9)[1])
    code, out, _ = run("sample", two, "-n", 3)
    assert code == 0 and len(out.splitlines()) == 4 and out.split()[:2] == ["a", "b"]


def test_stats_against_numpy_on_draws(run, call, two):
    found = call("stats", two)
    header, table = draws(run, two, 40000)
    n = len(table)
    for name in ("x", "y", "objective", "ratio"):
        entry = found["variables" if name in ("x", "y") else "quantities"][name]
        values = table[:, header.index(name)]
        sd, kurtosis = values.std(), scipy.stats.kurtosis(values)
        assert abs(entry["mean"]["value"] - values.mean()) < entry["mean"]["error"] + 4 * sd / math.sqrt(n)
        assert abs(entry["sd"]["value"] - sd) < entry["sd"]["error"] + 4 * sd * math.sqrt((kurtosis + 2) / (4 * n))
        if name != "objective":  # about 1e-8, all of it the error of the run
            assert abs(entry["skewness"]["value"] - scipy.stats.skew(values)) < entry["skewness"]["error"] + 0.1
            for parameter in ("a", "b"):
                r = np.corrcoef(values, table[:, header.index(parameter)])[0, 1]
                assert abs(entry["correlation"][parameter]["value"] - r) < \
                    entry["correlation"][parameter]["error"] + 4 / math.sqrt(n)
                theta = table[:, header.index(parameter)]
                fit = scipy.stats.linregress(theta, values)
                slope = entry["sensitivity"][parameter]
                residual = (values - fit.intercept - fit.slope * theta) * (theta - theta.mean())  # heteroscedastic
                assert abs(slope["value"] - fit.slope) < slope["error"] + 4 * residual.std() / theta.var() / math.sqrt(n)
            for quantile in entry["quantiles"]:
                low, high = np.quantile(values, np.clip(
                    quantile["level"] + np.array([-4, 4]) * math.sqrt(quantile["level"] * (1 - quantile["level"]) / n), 0, 1))
                assert low - quantile["error"] <= quantile["value"] <= high + quantile["error"]
            density, edges = entry["density"]["value"], np.array(entry["density"]["edges"])
            counts = np.histogram(values, edges)[0] / n
            assert np.all(np.abs(np.array(density) * np.diff(edges) - counts)
                          < np.array(entry["density"]["error"]) * np.diff(edges) + 5 * np.sqrt((counts + 1e-4) / n))
    # The exact indices: Var exp(a/2) alone, b adds a b with variance 1/12 in both.
    alone = (math.e - 1 / math.e) / 2 - (2 * math.sinh(0.5)) ** 2
    x = found["variables"]["x"]["sobol"]
    assert abs(x["main"]["a"]["value"] - alone / (alone + 1 / 12)) < x["main"]["a"]["error"] + 1e-9
    assert abs(x["pairwise"][0]["value"] - (1 / 12) / (alone + 1 / 12)) < x["pairwise"][0]["error"] + 1e-9
    assert x["pairwise"][0]["parameters"] == ["a", "b"]
    covariance = found["covariance"]
    assert covariance["names"] == ["x", "y", "objective", "ratio"]
    assert np.allclose(np.array(covariance["value"]), np.cov(table[:, 2:].T), atol=0.02)


def test_the_summary_uses_them(solve_json, call):
    summary = solve_json(QUICKSTART, "-o", "out", "--set", "solve.method=agd")
    found = call("stats", "out")
    for i, name in enumerate(summary["variables"]):
        assert summary["mean"][i] == found["variables"][name]["mean"]["value"]
        assert summary["sd"][i] == pytest.approx(found["variables"][name]["sd"]["value"], rel=1e-12)
        assert summary["mean_error"] >= found["variables"][name]["mean"]["error"] * (1 - 1e-12)
    cost = summary["quantities"]["cost"]
    assert abs(cost["mean"] - found["quantities"]["cost"]["mean"]["value"]) <= cost["error"]
    assert found["quantities"]["objective"]["mean"]["value"] == found["quantities"]["cost"]["mean"]["value"]


def test_dependent_parameters_are_said_to_be_so(run, call):
    assert run("solve", CORRELATED, "-o", "out", "--quiet")[0] == 0
    found = call("stats", "out")
    assert found["sobol_refers_to"] == "germs"
    # position[0] = (a - b/2)/1.75: correlation with a in closed form (a lognormal, b normal, 0.6 between their logs).
    s, sb, rho = 0.3, 0.2, 0.6
    mean_a = math.exp(s * s / 2)
    var_a = mean_a ** 2 * (math.exp(s * s) - 1)
    cov_ab = rho * s * sb * mean_a
    var = var_a + sb ** 2 / 4 - cov_ab
    expected = (var_a - cov_ab / 2) / math.sqrt(var * var_a)
    entry = found["variables"]["position[0]"]["correlation"]["a"]
    assert abs(entry["value"] - expected) < entry["error"] + 1e-6
    assert "depend on each other" in run("stats", "out")[1]


def test_reweighting(run, call, two):
    found = call("stats", two, "--reweight", 'a={distribution="uniform", lower=0, upper="1/2"}')
    assert found["reweighting"]["error_factor"] == pytest.approx(2, rel=1e-9)
    assert found["reweighting"]["effective_share"] == pytest.approx(0.25, rel=1e-9)
    mean = found["variables"]["x"]["mean"]
    assert abs(mean["value"] - 4 * (math.exp(0.25) - 1)) < mean["error"]
    assert mean["error"] < 1e-2
    plain = call("stats", two)
    assert plain["reweighting"] is None
    code, _, err = run("stats", two, "--reweight", 'a={distribution="normal", mean=0, sd=1}')
    assert code == 2 and "expected a part of [-1, 1]" in err
    code, _, err = run("stats", two, "--reweight", 'aa={distribution="normal", mean=0, sd=1}')
    assert code == 2 and "did you mean 'a'" in err
    code, _, err = run("stats", two, "--reweight", 'a={distribution="normal", mean=0}')
    assert code == 2 and "'sd'" in err
    assert "errors grow by a factor of up to 2" in run(
        "stats", two, "--reweight", 'a={distribution="uniform", lower=0, upper=0.5}')[1]


def test_the_table_is_readable(run, two):
    code, out, _ = run("stats", two)
    assert code == 0
    for word in ("mean", "sd", "skewness", "quantiles", "correlation", "mean slope by", "Sobol' main", "Sobol' pairs", "covariance", "±"):
        assert word in out
    assert "nan" not in out


def test_verify_finds_the_true_error(solve_json, call, run, tmp_path):
    (tmp_path / "two.toml").write_text(TWO)
    summary = solve_json("two.toml", "-o", "two", "--set", 'solve.basis_size="5"')
    found = call("verify", "two", "-n", 400)
    assert found["lower"] <= found["error"] <= found["upper"]
    assert found["lower"] * 0.9 <= summary["true_error"] <= found["upper"] * 1.1
    assert found["verdict"] == "agrees" and found["unsolved"] == 0
    assert found["gradient_evaluations"] > 400 and found["points"] == 400
    assert set(found["worst"]["parameters"]) == {"a", "b"} and found["worst"]["error"] >= found["error"]
    assert math.hypot(*found["components"].values()) == pytest.approx(found["error"])
    code, out, _ = run("verify", "two")
    assert code == 0 and "200 fresh theta" in out and "agrees" in out


def test_verify_fails_a_run_that_promises_too_much(run, two, tmp_path):
    path = tmp_path / two / "solution.h5"
    with h5py.File(path, "r+") as store:
        true = store["error/estimate"][()]
        store["error/estimate"][...] = true / 10
    sign(path, path.read_bytes()[512:])
    code, out, err = run("verify", two)
    assert code == 3 and f"the run's estimate {true / 10:.4g}: too small" in out
    assert f"error: the run promises too much: its error estimate is {true / 10:.4g}, but the error is at least" in err
    code, out, err = run("verify", two, "--json")
    assert code == 3 and json.loads(out)["verdict"] == "too small" and "promises too much" in err
    with h5py.File(path, "r+") as store:
        store["error/estimate"][...] = 10 * true
    sign(path, path.read_bytes()[512:])
    code, out, err = run("verify", two)
    assert code == 0 and "too large" in out and err == ""  # cautious, not wrong


def test_verify_with_noise(solve_json, call):
    summary = solve_json(EXPECTILE, "-o", "out")
    found = call("verify", "out", "-n", 100, "--draws", 1024)
    assert found["lower"] <= summary["true_error"] <= found["upper"] * 1.2


WELLS = """
[parameters]
tilt = { distribution = "uniform", lower = -1, upper = 1 }
[variables]
x = { start = 1.2 }
[objective]
minimize = "(x^2 - 1)^2/4 - 0.2*tilt*x"
[solve]
method = "gd"
iterations = 200
basis_size = "6"
gradient = "quadrature"
"""


def test_verify_finds_another_minimum(run, call, tmp_path):
    """The stored problem begins in the other well: where the tilt is negative it is the lower one."""
    (tmp_path / "wells.toml").write_text(WELLS)
    assert run("solve", "wells.toml", "-o", "out", "--quiet")[0] == 0
    found = call("verify", "out")
    assert found["minima"] == {"lower": 0, "equal": 0, "worst": None} and found["outside_domain"] == 0
    assert found["unseen"] == pytest.approx(3 / 200)
    path = tmp_path / "out" / "solution.h5"
    with h5py.File(path, "r+") as store:
        del store["problem/text"]
        store["problem/text"] = WELLS.replace("start = 1.2", "start = -1.2")
    sign(path, path.read_bytes()[512:])
    code, out, err = run("verify", "out")
    assert code == 3 and "200 points cannot exclude features of a probability below 1.5 %" in out
    assert "the objective has several minima: at " in err and "leads to another one that is lower; at tilt = -0." in err
    code, out, err = run("verify", "out", "--json")
    minima = json.loads(out)["minima"]
    assert code == 3 and minima["equal"] == 0
    assert minima["lower"] == pytest.approx(100, abs=5 * math.sqrt(200 * 0.25))
    worst = minima["worst"]
    assert worst["parameters"]["tilt"] < -0.9 and worst["other"]["x"] < -1 < 0.8 < worst["near"]["x"]

    def value(x, tilt):
        return (x * x - 1) ** 2 / 4 - 0.2 * tilt * x

    for name in ("near", "other"):
        assert worst[f"{name}_value"] == pytest.approx(value(worst[name]["x"], worst["parameters"]["tilt"]))


def test_verify_and_check_keep_to_the_domain(run, tmp_path):
    """x* = exp(2 t) of x exp(-2 t) - log x, from a start near the border: no false words about the gradient."""
    (tmp_path / "log.toml").write_text("""
[parameters]
t = { distribution = "uniform", lower = -1, upper = 1 }
[variables]
x = { start = 1e-4 }
[objective]
minimize = "x*exp(-2*t) - log(x)"
[solve]
method = "gd"
iterations = 3
basis_size = "1"
step = "1e-9"
gradient = "quadrature"
""")
    code, out, err = run("check", "log.toml")
    assert code == 0 and "nothing wrong was found" in out, out
    assert run("solve", "log.toml", "-o", "out", "--quiet")[0] == 0
    found = json.loads(run("verify", "out", "--json")[1])
    assert found["unsolved"] == 0 and found["outside_domain"] == 0
    truth = math.sqrt((math.exp(4) - math.exp(-4)) / 8)  # the norm of exp(2 t): x is almost 0
    assert found["lower"] <= truth <= found["upper"]


def test_check_names_the_direction_without_curvature(run, tmp_path):
    (tmp_path / "flat.toml").write_text("""
[parameters]
t = { distribution = "uniform", lower = -1, upper = 1 }
[variables]
x = { start = 0.5 }
y = { start = 0.25 }
[objective]
minimize = "(x + y - t)^2"
""")
    code, out, _ = run("check", "flat.toml")
    assert code == 3 and "not strongly convex: where a descent from the start ends" in out
    assert "in the direction" in out and "0.71 x" in out and "0.71 y" in out and "at t = " in out


def test_compare(call, run, tmp_path):
    found = call("compare", QUICKSTART, "--methods", "gd,agd", "-o", "both")
    assert [entry["method"] for entry in found["methods"]] == ["gd", "agd"]
    for entry in found["methods"]:
        assert entry["error_from"] == "reference" and entry["error"] == entry["true_error"]
        assert entry["gradient_evaluations"] == entry["history"][-1]["gradients"]
        assert (tmp_path / "both" / entry["method"] / "history.csv").exists()
    text = QUICKSTART.read_text()
    start = text.index("[reference]")
    (tmp_path / "p.toml").write_text(text[:start] + text[text.index("[quantities]"):])
    found = call("compare", "p.toml", "--methods", "gd,agd")["methods"]
    assert sorted(entry["error_from"].split()[0] for entry in found) == ["distance", "estimate"]
    code, out, _ = run("compare", "p.toml", "--methods", "gd,agd")
    lines = out.splitlines()
    assert code == 0 and "known from" in lines[0] and [line.split()[0] for line in lines[1:3]] == ["gd", "agd"]
    assert lines[-1].endswith("runs/p-comparison/report.html") and (tmp_path / "runs/p-comparison/report.html").exists()
    code, _, err = run("compare", "p.toml", "--methods", "gd,abc")
    assert code == 2 and "abc" in err


@pytest.mark.parametrize("command", ["stats", "sample", "verify"])
def test_no_run(run, command):
    code, _, err = run(command, "nowhere")
    assert code == 4 and "no run is there" in err


def test_bad_numbers(run, two):
    assert run("sample", two, "-n", "0")[0] == 2
    code, _, err = run("verify", two, "-n", "1")
    assert code == 2 and "at least 2" in err


HEAVY = """
[parameters]
t = {{ {law} }}
[variables]
x = {{}}
[objective]
minimize = "(x - {optimum})^2"
[solve]
{solve}
"""


@pytest.mark.parametrize("law, optimum, skewness, kurtosis", [
    ('distribution = "normal", mean = 0, sd = 1', "abs(t)", 0.99527, 0.86918),  # half-normal
    ('distribution = "normal", mean = 0, sd = 1', "sin(2*t)", 0.0, -1.49950),
    ('distribution = "exponential", rate = 1', "exp(-t)", 0.0, -1.2),           # uniform
    ('distribution = "normal", mean = 0, sd = 0.3', "exp(t)", 0.94953, 1.64506),
])
def test_shapes_of_high_degrees(run, call, tmp_path, law, optimum, skewness, kurtosis):
    """Within their bars, or not told; never a bar that says nothing."""
    (tmp_path / "own.toml").write_text(HEAVY.format(law=law, optimum=optimum, solve="tolerance = 1e-3\nmax_gradients = 3000"))
    assert run("solve", "own.toml", "--quiet")[0] in (0, 1)
    found = call("stats", "runs/own")["variables"]["x"]
    for name, truth in (("skewness", skewness), ("excess_kurtosis", kurtosis)):
        value, error = found[name]["value"], found[name]["error"]
        assert (value is None) == (error is None)
        if value is not None:
            assert abs(value - truth) <= error <= max(1, abs(value)), name
    code, out, _ = run("stats", "runs/own")
    row = next(line for line in out.splitlines() if line.strip().startswith("x "))
    assert "nan" not in out and "inf" not in out
    assert row.count("±") + row.count("–") == 4


def test_digits_follow_the_bar(run, two):
    """The last digit of a value stands where that of its bar does."""
    code, out, _ = run("stats", two)
    pairs = [re.fullmatch(r"(-?\d+)(?:\.(\d+))? ± (\d+)(?:\.(\d+))?", cell.strip())
             for line in out.splitlines() for cell in re.findall(r"\S+ ± \S+", line)]
    shown = [pair for pair in pairs if pair and pair.group(1) != "0"]
    assert len(shown) >= 20
    for pair in shown:
        decimals, of_bar = len(pair.group(2) or ""), len(pair.group(4) or "")
        assert decimals == of_bar or of_bar > 11, pair.group(0)


ORDER = """
[parameters]
level = { distribution = "normal", mean = 100, sd = 10 }
[noise]
demand = { distribution = "normal", mean = "level", sd = 15 }
[variables]
order = { start = 100.0 }
[objective]
minimize = "max(order - demand, 0) + 3*max(demand - order, 0) + (order - 100)^2/500"
[quantities]
short = "max(demand - order, 0)"
[solve]
relative_tolerance = 1e-2
"""


def cost(level, order):
    """E of the objective and of what is short, in closed form."""
    a = (order - level) / 15
    phi, below = scipy.stats.norm.pdf(a), scipy.stats.norm.cdf(a)
    short = 15 * (phi - a * (1 - below))
    return 15 * (a * below + phi) + 3 * short + (order - 100) ** 2 / 500, short


def test_the_cost_under_noise(run, call, solve_json, tmp_path):
    """README's example: every row of `sample` within its bar, and the bar small."""
    (tmp_path / "own.toml").write_text(ORDER)
    summary = solve_json("own.toml")
    assert summary["noise"] == "gauss"
    header, table = draws(run, "runs/own", 200)
    assert header == ["level", "order", "objective", "short", "objective_error", "short_error"]
    for level, order, objective, short, objective_error, short_error in table:
        expected = cost(level, order)
        assert objective_error < 2e-3 * objective and short_error < 5e-3 * short
        assert abs(objective - expected[0]) < 2 * objective_error  # 95 % each, 200 rows that share their noise
        assert abs(short - expected[1]) < 2 * short_error
    levels = scipy.stats.norm(100, 10).ppf((np.arange(4000) + 0.5) / 4000)
    slope = call("eval", "runs/own", "--at", "level=110")["variables"]["order"] - \
        call("eval", "runs/own", "--at", "level=100")["variables"]["order"]
    orders = call("eval", "runs/own", "--at", "level=100")["variables"]["order"] + slope / 10 * (levels - 100)
    values = np.array([cost(*pair) for pair in zip(levels, orders)])
    found = call("stats", "runs/own")["quantities"]
    for j, name in enumerate(("objective", "short")):
        assert abs(found[name]["mean"]["value"] - values[:, j].mean()) <= found[name]["mean"]["error"]
        assert abs(found[name]["sd"]["value"] - values[:, j].std()) <= found[name]["sd"]["error"]
    assert found["objective"]["mean"]["error"] < 0.02 * found["objective"]["mean"]["value"]
    assert abs(summary["quantities"]["short"]["mean"] - values[:, 1].mean()) <= summary["quantities"]["short"]["error"]


def test_noise_of_rows_is_summed(run, solve_json, tmp_path):
    rows = np.arange(7.0)
    (tmp_path / "rows.csv").write_text("w\n" + "\n".join(map(str, rows)))
    (tmp_path / "own.toml").write_text("""
[parameters]
t = { distribution = "uniform", lower = 0, upper = 1 }
[noise]
data = "rows.csv"
[variables]
x = {}
[objective]
minimize = "(x - t*w)^2"
[quantities]
spread = "(x - t*w)^2"
""")
    assert solve_json("own.toml")["noise"] == "summed"
    header, table = draws(run, "runs/own", 20)
    assert header == ["t", "x", "objective", "spread"]
    t, x, objective, spread = table.T
    assert np.allclose(spread, np.mean((x[:, None] - t[:, None] * rows) ** 2, axis=1), rtol=1e-12)
    assert np.allclose(objective, spread, rtol=1e-12)


def test_quantities_that_few_rows_make(run, call, solve_json, tmp_path):
    """One row of 40 makes the quantity: a few draws do not meet it."""
    rows = np.arange(40.0)
    (tmp_path / "rows.csv").write_text("w\n" + "\n".join(map(str, rows)))
    (tmp_path / "own.toml").write_text("""
[parameters]
t = { distribution = "uniform", lower = 0, upper = 1 }
[noise]
data = "rows.csv"
[variables]
x = {}
[objective]
minimize = "(x - t)^2"
[quantities]
excess = "x + max(w - 38, 0)"
""")
    summary = solve_json("own.toml")
    excess = summary["quantities"]["excess"]
    assert abs(excess["mean"] - 0.5 - np.maximum(rows - 38, 0).mean()) <= excess["error"] < 1e-4
    header, table = draws(run, "runs/own", 20)
    assert header == ["t", "x", "objective", "excess"]
    assert np.allclose(table[:, 3], table[:, 1] + 1 / 40, rtol=1e-12)


def test_eval_outside_the_support(run, tmp_path):
    (tmp_path / "own.toml").write_text("""
[parameters]
a = { distribution = "uniform", lower = -1, upper = 1 }
b = { distribution = "discrete", values = [0, 1, 3], weights = [1, 1, 1] }
[variables]
x = {}
[objective]
minimize = "(x - exp(a) - b)^2"
""")
    assert run("solve", "own.toml", "--quiet")[0] == 0
    assert run("eval", "runs/own", "--at", "a=1,b=2")[0] == 0  # the ends are inside, and between values is
    for point, name, value in (("a=40,b=1", "a", "40"), ("a=0,b=3.5", "b", "3.5"), ("a=0,b=-0.1", "b", "-0.1")):
        code, out, err = run("eval", "runs/own", "--at", point)
        assert code == 2 and out == "" and f"{name} = {value}" in err and "support [" in err and "--extrapolate" in err
        assert run("eval", "runs/own", "--at", point, "--extrapolate")[0] == 0
    (tmp_path / "points.csv").write_text("a,b\n0,1\n-1.5,1\n")
    code, out, err = run("eval", "runs/own", "--csv", "points.csv")
    assert code == 2 and out == "" and "row 2" in err and "a = -1.5" in err
    code, out, _ = run("eval", "runs/own", "--csv", "points.csv", "--extrapolate")
    assert code == 0 and len(out.splitlines()) == 3
