"""Statistics of a constrained x, as `solve`, `summary.json`, `stats` and `sample` tell them."""
import csv
import io
import json
import re

import numpy as np
import pytest
import scipy.stats

# x* = max(a, t), and none where t > 3.5: at 0.023 % of theta.
CAPPED = """
[parameters]
t = { distribution = "normal", mean = 0, sd = 1 }
a = { distribution = "uniform", lower = -1, upper = 1 }
[variables]
x = { upper = 3.5 }
[constraints]
floor = "x >= t"
[objective]
minimize = "(x - a)^2"
[quantities]
double = "2*x"
[solve]
method = "nested"
relative_tolerance = 1e-2
"""


def strict(text):
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))


@pytest.fixture
def capped(run, tmp_path):
    (tmp_path / "capped.toml").write_text(CAPPED)
    code, out, err = run("solve", "capped.toml", "-o", "capped")
    assert code == 0, err
    return out


def maxima():
    """max(a, t) on a grid of equally probable (t, a) with t < 3.5."""
    middle = (np.arange(2000) + 0.5) / 2000
    t = scipy.stats.norm.ppf(middle * scipy.stats.norm.cdf(3.5))
    return np.maximum(t[:, None], 2 * middle[None, :] - 1)


def law(x):
    """P(max(a, t) <= x | t < 3.5)."""
    return scipy.stats.norm.cdf(x) / scipy.stats.norm.cdf(3.5) * np.clip((x + 1) / 2, 0, 1)


def test_theta_without_x_are_left_out_and_named(run, capped, tmp_path):
    summary = strict((tmp_path / "capped" / "summary.json").read_text())
    x = maxima()
    assert abs(summary["mean"][0] - x.mean()) <= summary["mean_error"] < 0.01
    assert abs(summary["sd"][0] - x.std()) <= summary["sd_error"] < 0.01
    double = summary["quantities"]["double"]
    assert abs(double["mean"] - 2 * x.mean()) <= double["error"]
    share = scipy.stats.norm.sf(3.5)
    assert summary["infeasible"] == pytest.approx(share, abs=4 * np.sqrt(share / 65536))
    pattern = (r"no x satisfies the constraints: 'x.upper', 'floor' contradict each other at 0\.0\d+ % of theta, "
               r"for example at t = (3\.[5-9]\d*|4\.\d+), a = [-.\d]+; statistics are of the others")
    assert len([note for note in summary["notes"] if re.fullmatch(pattern, note)]) == 1


def test_stats_and_sample_without_nan(run, capped):
    code, out, err = run("stats", "capped")
    assert code == 0, err
    assert "nan" not in out and "statistics are of the others" in out and "± ?" not in out
    found = strict(run("stats", "capped", "--json")[1])
    x = maxima()
    for name, factor in (("variables", 1), ("quantities", 2)):
        output = found[name]["x" if factor == 1 else "double"]
        for key, truth in (("mean", x.mean()), ("sd", x.std())):
            assert abs(output[key]["value"] - factor * truth) <= output[key]["error"] < 0.01
        for k, name in enumerate(("t", "a")):
            alone = x.mean(axis=1 - k).var() / x.var()  # given that there is an x t and a are independent
            assert abs(output["sobol"]["main"][name]["value"] - alone) <= output["sobol"]["main"][name]["error"] < 0.02
        for quantile in output["quantiles"]:
            least, most = (law((quantile["value"] + side * quantile["error"]) / factor) for side in (-2, 2))
            assert least <= quantile["level"] <= most
    rows = list(csv.DictReader(io.StringIO(run("sample", "capped", "-n", "30000", "--csv")[1])))
    without = [row for row in rows if float(row["t"]) > 3.5]
    assert without and all(row["x"] == row["double"] == "" for row in without)
    assert all(row["x"] != "" for row in rows if float(row["t"]) <= 3.5)


def test_the_objective_has_its_kinks(run, tmp_path):
    """x* = max(t - 1, 0), where the objective is t - 1/2 or t^2/2."""
    (tmp_path / "kink.toml").write_text("""
[parameters]
t = { distribution = "uniform", lower = 0, upper = 2 }
[variables]
x = {}
[objective]
minimize = "(x - t)^2/2 + abs(x)"
""")
    assert run("solve", "kink.toml", "-o", "kink", "--quiet")[0] == 0
    rows = csv.DictReader(io.StringIO(run("sample", "kink", "-n", "200", "--csv")[1]))
    for row in rows:
        t = float(row["t"])
        assert float(row["objective"]) == pytest.approx(t - 0.5 if t > 1 else t**2 / 2, abs=1e-9)
    objective = strict(run("stats", "kink", "--json")[1])["quantities"]["objective"]["mean"]
    assert abs(objective["value"] - (1 / 6 + 1) / 2) <= objective["error"] < 1e-3


QUOTAS = """
[parameters]
land = { distribution = "uniform", lower = 300, upper = 500 }
quota = { distribution = "uniform", lower = 150, upper = 275 }
[variables]
beets = { lower = 0 }
wheat = { lower = 0 }
[constraints]
acres = "beets + wheat <= land"
quotas = "beets <= quota"
[objective]
minimize = "-3*beets - wheat"
"""


def table_of(out):
    """name -> the numbers of its line in the first table."""
    rows = [line.split() for line in out.split("P(active)")[0].splitlines()]
    return {row[0]: list(map(float, row[1:])) for row in rows if row and row[0] in ("beets", "wheat")}


def test_the_table_shows_the_numbers_of_the_summary(run, tmp_path):
    (tmp_path / "quotas.toml").write_text(QUOTAS)
    code, out, err = run("solve", "quotas.toml", "-o", "quotas")
    assert code == 0, err
    summary = strict((tmp_path / "quotas" / "summary.json").read_text())
    stats = strict(run("stats", "quotas", "--json")[1])["variables"]
    truth = {"beets": (212.5, 125 / np.sqrt(12)), "wheat": (400 - 212.5, np.sqrt(200**2 + 125**2) / np.sqrt(12))}
    for i, name in enumerate(summary["variables"]):
        mean, sd, *total = table_of(out)[name]
        for shown, stored, bar, key, true in ((mean, summary["mean"][i], summary["mean_error"], "mean", truth[name][0]),
                                              (sd, summary["sd"][i], summary["sd_error"], "sd", truth[name][1])):
            assert abs(stored - true) <= bar and bar > 0
            assert abs(shown - stored) <= bar  # nothing but digits that the bar does not support
            assert shown == pytest.approx(stored, rel=1e-3)
            fine = stats[name][key]
            assert 0 < fine["error"] and abs(fine["value"] - true) <= 1.5 * fine["error"]  # 3 standard errors
        assert total == pytest.approx(summary["sobol"]["total"][i], abs=0.02)
    assert not re.search(r"\d\.\d{7,}", out.split("P(active)")[0].split("total Sobol")[1])


def test_verify_does_not_judge_rounding(run, tmp_path):
    (tmp_path / "quotas.toml").write_text(QUOTAS)
    assert run("solve", "quotas.toml", "-o", "quotas", "--quiet")[0] == 0
    code, out, err = run("verify", "quotas", "--json")
    found = strict(out)
    assert code == 0 and found["error"] < 1e-9 and found["estimate"] < 1e-9, err
    assert found["verdict"] == "both are rounding"
