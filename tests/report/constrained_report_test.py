"""The page of a constrained run in a real browser: its curves are those of `eval`, and it tells which constraints bind."""
import base64
import csv
import io
import json
import re
import subprocess

import numpy as np
import pytest

from report_test import assert_quiet, look

PROBLEMS = {
    "simplex": """
title = "A budget"
[parameters]
a = { distribution = "uniform", lower = -1, upper = 1 }
b = { distribution = "uniform", lower = -1, upper = 1 }
[variables]
w = { size = 3, lower = 0, upper = "0.7 + 0.1*a" }
[constraints]
budget = "sum(w) == 1"
[objective]
minimize = "(w[0] - a)^2 + 1.5*(w[1] - b)^2 + (w[2] - 0.2*a*b)^2 + 0.3*w[0]*w[1]"
""",
    "curved": """
[parameters]
a = { distribution = "normal", mean = 0, sd = 0.5 }
b = { distribution = "lognormal", mu = 0, sigma = 0.3 }
[variables]
w = { size = 2, lower = -0.6 }
[constraints]
disc = "dot(w, w) <= 0.5 + 0.1*normcdf(a)"
[objective]
minimize = "(w[0] - a)^2 + 1.5*(w[1] - b)^2 + 0.2*norm2(w)"
""",
}


class Page:
    def __init__(self, program, folder, text):
        self.program, self.folder, self.page = program, folder, folder / "run/report.html"
        (folder / "p.toml").write_text(text)
        done = subprocess.run([program, "solve", "p.toml", "-o", "run", "--quiet", "--set", "solve.relative_tolerance=1e-3"],
                              cwd=folder, capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        self.summary = json.loads((folder / "run/summary.json").read_text())
        data = json.loads(re.search(r'id="data">(.*?)</script>', self.page.read_text(), re.S).group(1))
        self.grids = [np.frombuffer(base64.b64decode(p["grid"])) for p in data["expansion"]["parameters"]]

    def evaluate(self, thetas):
        """x and multipliers by the program, a dict per θ."""
        names = self.summary["parameters"]
        rows = "".join(",".join(repr(float(t)) for t in theta) + "\n" for theta in thetas)
        (self.folder / "points.csv").write_text(",".join(names) + "\n" + rows)
        done = subprocess.run([self.program, "eval", "run", "--csv", "points.csv", "--multipliers"], cwd=self.folder,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(io.StringIO(done.stdout))]


@pytest.fixture(scope="module", params=PROBLEMS)
def page(request, program, tmp_path_factory):
    return Page(program, tmp_path_factory.mktemp(request.param), PROBLEMS[request.param])


def test_curves_are_those_of_eval(page):
    """Random settings of all sliders, along every parameter; 1e-9, as P is found by another program."""
    generator = np.random.default_rng(1)
    steps, settings = [], []
    for along in range(len(page.grids)):
        settings.append([int(generator.integers(len(grid))) for grid in page.grids])
        steps += [["set", f"slider-{k}", position] for k, position in enumerate(settings[-1])]
        steps += [["set", "along", along], ["chart", "curve"], ["text", "#binding"]]
    seen = look(page.page, steps)
    assert_quiet(seen, page.page)
    charts = [step for step in seen["steps"] if isinstance(step, dict)]
    texts = [step for step in seen["steps"] if isinstance(step, str)]
    for along, (setting, chart, text) in enumerate(zip(settings, charts, texts, strict=True)):
        theta = [grid[i] for grid, i in zip(page.grids, setting)]
        moved = [[value if k == along else t for k, t in enumerate(theta)] for value in page.grids[along]]
        rows = page.evaluate(moved)
        for name, curve in zip(page.summary["variables"], chart["traces"][1::2]):
            assert curve["x"] == list(page.grids[along])
            assert np.array(curve["y"]) == pytest.approx([row[name] for row in rows], rel=1e-9, abs=1e-9)
        there = page.evaluate([theta])[0]
        multipliers = {name: value for name, value in there.items()
                       if name not in page.summary["parameters"] + page.summary["variables"]}
        for name, value in multipliers.items():
            assert (f"{name} " in text) == (abs(value) > 1e-9)


def test_it_tells_what_binds(page):
    seen = look(page.page, [["text", "#constraints p"], ["charts"], ["text", "#constraints table"],
                            ["evaluate", "document.querySelector('#answer').textContent"]])
    assert_quiet(seen, page.page)
    words, charts, table, answer = seen["steps"]
    for name, entry in page.summary["constraints"].items():
        assert name in table
        shares = entry["active"] if isinstance(entry["active"], list) else [entry["active"]]
        assert ("always" in words) or not all(share == 1 for share in shares)
    assert "Largest violation" in answer
    assert charts["binding-chart"]["drawn"] == 1
    assert all(0 <= share <= 1 for share in charts["binding-chart"]["traces"][0]["y"])
    assert len(charts["binding-chart"]["traces"][0]["y"]) == 10
    q = len(page.summary["variables"])
    assert np.diag(np.array(charts["correlation"]["traces"][0]["z"])) == pytest.approx(np.ones(q), abs=1e-12)
