"""Many variables: what is written and shown stays small, and nothing costs q times q."""
import csv
import json
import math
import resource
import subprocess

import pytest

VARIABLES = 20_000


@pytest.fixture(scope="module")
def large(program, tmp_path_factory):
    """x_i = (c_i exp(t) − 0.1 s)/(1 + c_i), c_i = 1 + 0.1 (i mod 7); and y = t."""
    folder = tmp_path_factory.mktemp("large")
    (folder / "c.csv").write_text("".join(f"{weight(i)}\n" for i in range(VARIABLES)))
    (folder / "own.toml").write_text(f"""
[parameters]
t = {{ distribution = "uniform", lower = -1, upper = 1 }}
s = {{ distribution = "normal", mean = 0, sd = 1 }}
[constants]
c = {{ file = "c.csv" }}
[variables]
x = {{ size = {VARIABLES} }}
y = {{}}
[objective]
minimize = "dot(x - exp(t)*c, x - exp(t)*c)/2 + 0.5*dot(c, x^2) + 0.1*s*sum(x) + (y - t)^2"
[quantities]
total = "sum(x)"
[solve]
threads = 1
""")
    done, spent, _ = measured(program, folder, "solve", "own.toml", "-o", "run", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout), spent


def weight(i):
    return 1 + 0.1 * (i % 7)


def measured(program, folder, *arguments, megabytes=4000):
    """Of a run: what it says, its processor time."""
    limit = megabytes << 20
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, *map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=600,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss


def exact_mean(i):
    return weight(i) * math.sinh(1) / (1 + weight(i))


def test_summary_and_page_are_bounded(large):
    folder, summary, _ = large
    assert summary["components"] == VARIABLES + 1
    names = summary["variables"]
    assert len(names) <= 1000 and names[0] == "x[0]" and names[-1] == "y"
    assert len(summary["mean"]) == len(summary["sd"]) == len(summary["sobol"]["main"]) == len(names)
    for name, mean in zip(names[:-1], summary["mean"]):
        assert abs(mean - exact_mean(int(name[2:-1]))) <= summary["mean_error"]
    assert abs(summary["quantities"]["total"]["mean"] - sum(map(exact_mean, range(VARIABLES)))) \
        <= summary["quantities"]["total"]["error"]
    for name in ("summary.json", "report.html"):
        assert (folder / "run" / name).stat().st_size < 6e6


def test_the_store_keeps_all(program, large):
    folder, _, _ = large
    done, _, _ = measured(program, folder, "eval", "run", "--at", "t=0.5,s=1", "--json")
    found = json.loads(done.stdout)
    text = json.dumps(found)
    assert f"x[{VARIABLES - 1}]" in text
    (folder / "at.csv").write_text("t,s\n0.5,1\n")
    done, _, _ = measured(program, folder, "eval", "run", "--csv", "at.csv")
    names, values = list(csv.reader(done.stdout.splitlines()))
    for i in (0, 1, 12_345, VARIABLES - 1):
        exact = (weight(i) * math.exp(0.5) - 0.1) / (1 + weight(i))
        assert abs(float(values[names.index(f"x[{i}]")]) - exact) < 0.02


def test_statistics_of_chosen_components(program, large):
    folder, _, _ = large
    done, spent, _ = measured(program, folder, "stats", "run", "--json", "--components", "x[5:8],x[19999],y")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert list(found["variables"]) == ["x[5]", "x[6]", "x[7]", "x[19999]", "y"]
    assert found["covariance"]["names"] == list(found["variables"]) and len(found["covariance"]["value"]) == 5
    for name in ("x[5]", "x[19999]"):
        mean = found["variables"][name]["mean"]
        assert abs(mean["value"] - exact_mean(int(name[2:-1]))) <= mean["error"]
    assert "total" in found["quantities"] and spent < 60
    done, _, _ = measured(program, folder, "stats", "run")
    assert done.returncode == 0 and f"1000 of {VARIABLES + 1} components are shown" in done.stdout


@pytest.mark.parametrize("asked, reason", [("z", "no variable of this name"), ("x[20000]", "from 0 to 19999"),
                                           ("x[0:2000]", "at most 1000"), ("x[3", "NAME[from:to]")])
def test_components_that_are_not_there(program, large, asked, reason):
    folder, _, _ = large
    done, _, _ = measured(program, folder, "stats", "run", "--components", asked)
    assert done.returncode == 2 and reason in done.stderr


def test_a_page_of_chosen_components(program, large):
    folder, _, _ = large
    done, _, _ = measured(program, folder, "report", "run", "--components", "x[7],y")
    assert done.returncode == 0, done.stderr
    page = (folder / "run" / "report.html").read_text()
    assert '"x[7]"' in page and '"x[0]"' not in page


def test_check_is_not_quadratic(program, large):
    folder, _, _ = large
    done, spent, _ = measured(program, folder, "check", "own.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert spent < 120  # it was an hour


def test_descent_has_a_certificate(program, large):
    folder, _, _ = large
    done, _, _ = measured(program, folder, "solve", "own.toml", "-o", "gd", "--json", "--quiet", "--set", "solve.method=gd",
                          "--set", "solve.iterations=5", "--set", "solve.samples=\"128\"", megabytes=2000)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["error"]["estimate"] > 0
