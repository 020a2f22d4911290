"""`chaosgrad check` prints the theory of a problem, `solve --bounds` writes the bound beside the error."""
import csv
import json
import math
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAPER = ROOT / "examples" / "paper.toml"
RIDGE = ROOT / "examples" / "ridge.toml"


def check(run, *arguments):
    code, out, err = run("check", *arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def history(path):
    with open(path) as file:
        return list(csv.DictReader(file))


def test_check_prints_levels_steps_and_costs(run):
    answer = check(run, PAPER, "--set", "solve.samples=500")
    for level in answer["levels"]:
        assert abs(level["CG"] - (1 + 2 * level["Q"] / 500)) < 1e-9
        assert abs(level["largest_step"]["gd"] - 2 / 201 / level["CG"]) < 1e-12
        assert level["largest_step"]["agd"] == 1 / 200
        assert level["largest_step"]["agd_paper"] <= level["largest_step"]["agd_proved"] <= 1 / 200
        assert level["remainder"] > 0
        assert level["kappa_m"] is None or abs(level["kappa_m"] - 200) < 1e-2
    remainders = answer["remainders"]["values"]
    assert answer["remainders"]["source"] == "reference"
    assert all(a >= b for a, b in zip(remainders, remainders[1:]))
    assert abs(2 * 3.55e-7 - remainders[91] ** 2) < 0.1e-7  # the paper's 7.1e-7
    for entry in answer["tolerances"]:
        m = entry["kappa_epsilon"]
        assert remainders[m] < entry["tolerance"] <= remainders[m - 1]
    assert answer["tolerances"][0]["gd"]["iterations"] > answer["tolerances"][0]["agd"]["iterations"]
    code, out, _ = run("check", PAPER)
    assert code == 0 and "C_G" in out and "predicted cost" in out and "nothing wrong was found" in out


def test_check_without_a_reference_takes_a_solution_on_request(run):
    answer = check(run, RIDGE)
    assert answer["remainders"] is None and answer["tolerances"] == [] and answer["levels"]
    assert answer["levels"][0]["kappa_m"] <= answer["kappa"] * 1.01
    answer = check(run, RIDGE, "--solve")
    assert answer["remainders"]["source"] == "solution" and answer["tolerances"][0]["kappa_epsilon"] >= 0
    assert "(--solve takes a solution)" in run("check", RIDGE)[1]


def test_check_reports_a_bad_schedule_at_its_place(run):
    code, _, err = run("check", PAPER, "--set", "solve.basis_size=10 - k")
    assert code == 2 and "basis_size" in err


def test_bounds_are_a_column_on_request(run, tmp_path):
    arguments = ["--set", "solve.method=gd", "--set", "solve.iterations=100", "--quiet"]
    assert run("solve", PAPER, "-o", "plain", *arguments)[0] == 0
    assert "bound" not in history(tmp_path / "plain" / "history.csv")[0]
    assert run("solve", PAPER, "-o", "bounds", "--bounds", *arguments)[0] == 0
    rows = history(tmp_path / "bounds" / "history.csv")
    assert list(rows[0])[-1] == "bound"
    # One run may exceed the bound of the mean; it stays far below twice it where the start dominates.
    for row in rows:
        assert float(row["error_squared"]) <= 2 * float(row["bound"])
    assert run("solve", RIDGE, "-o", "ridge", "--bounds", "--quiet")[0] == 0
    assert all(row["bound"] == "" for row in history(tmp_path / "ridge" / "history.csv"))


def test_bounds_of_exact_gradients_hold_in_every_iteration(run, tmp_path):
    for method in ["gd", "agd", "masg"]:
        assert run("solve", PAPER, "-o", method, "--bounds", "--quiet", "--set", f"solve.method={method}", "--set",
                   "solve.gradient=quadrature")[0] == 0
        for row in history(tmp_path / method / "history.csv"):
            assert float(row["error_squared"]) <= float(row["bound"]) * (1 + 1e-9)
            assert math.isfinite(float(row["bound"]))
