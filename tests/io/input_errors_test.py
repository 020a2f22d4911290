"""Wrong input of every kind: exit code 2 and a message with the place."""
import pathlib
import re

import pytest

GOOD = """\
title = "good"
[parameters]
theta = { distribution = "uniform", lower = -1, upper = 1 }
eta = { distribution = "normal", mean = 0, sd = 1 }
[noise]
v = { distribution = "normal", mean = "theta", sd = 1 }
[constants]
A = [[2.0, 0.3], [0.3, 1.0]]
c = 2
[definitions]
s = "sin(theta) + eta"
[variables]
x = {}
w = { size = 2 }
[objective]
minimize = "(x - s)^2 + dot(w, A*w)/2 - v*w[0]"
[solve]
method = "gd"
iterations = 5
samples = 200
"""

# (what to replace, by what, line:column or line of the complaint, words of it)
CASES = {
    "unknown section": ("[solve]", "[solvee]", "17:2", ["unknown key 'solvee'", "did you mean 'solve'"]),
    "unknown key": ("iterations = 5", "iteratons = 5", "19:1", ["unknown key 'iteratons'", "did you mean 'iterations'"]),
    "unknown key of a parameter": ("lower = -1", "lowr = -1", "3:", ["unknown key 'lowr'", "did you mean 'lower'"]),
    "wrong type": ("iterations = 5", 'iterations = "five"', "19:14", ["solve.iterations", "whole number", "a string"]),
    "wrong type of a section": ("[solve]\nmethod", "solve = 3\n[constants2]\nmethod", "", []),
    "unknown method": ('"gd"', '"sgd"', "18:10", ["expected one of auto", "'sgd'", "did you mean 'gd'"]),
    "unknown distribution": ('"normal", mean = 0', '"norml", mean = 0', "4:", ["'norml'", "did you mean 'normal'"]),
    "missing argument": (", sd = 1 }\n[noise]", " }\n[noise]", "4:", ["normal distribution needs 'sd'"]),
    "lower > upper": ("lower = -1, upper = 1", "lower = 1, upper = -1", "3:", ["parameters.theta.upper", "greater than lower"]),
    "negative sd": ("mean = 0, sd = 1", "mean = 0, sd = -1", "4:", ["parameters.eta.sd", "positive"]),
    "negative noise sd": ('"theta", sd = 1', '"theta", sd = -1', "6:", ["sd must be positive"]),
    "noise sd negative for some theta": ('"theta", sd = 1', '"theta", sd = "theta"', "6:", ["sd must be positive", "theta ="]),
    "unknown name": ("sin(theta)", "sin(thet)", "11:10", ["unknown name 'thet'", "did you mean 'theta'"]),
    "unknown function": ("sin(theta)", "sinus(theta)", "11:6", ["sinus", "did you mean 'sin'"]),
    "syntax error": ("(x - s)^2", "(x - s)^*2", "16:21", ["expected"]),
    "unbalanced parenthesis": ("(x - s)^2", "((x - s)^2", "16:13", ["("]),
    "dimension mismatch": ("dot(w, A*w)", "dot(w, [1, 2, 3])", "16:", ["vector of 2", "vector of 3"]),
    "matrix of the wrong size": ("[[2.0, 0.3], [0.3, 1.0]]", "[[2.0, 0.3, 1], [0.3, 1.0, 1]]", "16:", ["2"]),
    "ragged matrix": ("[[2.0, 0.3], [0.3, 1.0]]", "[[2.0, 0.3], [0.3]]", "8:", ["row of 2 numbers", "found 1"]),
    "index out of range": ("v*w[0]", "v*w[2]", "16:", ["2"]),
    "vector objective": ("dot(w, A*w)/2", "A*w", "16:", ["scalar"]),
    "not differentiable": ("(x - s)^2", "exp(abs(x - s)) + x^2", "16:17", ["not differentiable"]),
    "complex-valued": ("(x - s)^2", "x^2 + log(x - 3)", "16:", ["log of a negative number"]),
    "complex constant": ("c = 2", 'c = "sqrt(-1)"', "9:", ["not a real number"]),
    "independent of a variable": ("(x - s)^2 + ", "", "16:", ["does not depend on 'x'"]),
    "no variables": ("x = {}\nw = { size = 2 }\n", "", "12:", ["at least one variable"]),
    "size 0": ("size = 2", "size = 0", "14:", ["variables.w.size", "from 1"]),
    "negative samples": ("samples = 200", "samples = -200", "20:11", ["solve.samples", "at least 1", "-200"]),
    "zero iterations": ("iterations = 5", "iterations = 0", "19:14", ["solve.iterations", "at least 1"]),
    "negative seed": ("iterations = 5", "seed = -5", "19:8", ["solve.seed", "negative"]),
    "shrinking basis": ("iterations = 5", 'iterations = 5\nbasis_size = "10 - k"', "20:14", ["solve.basis_size", "must not decrease"]),
    "unknown name in a schedule": ("iterations = 5", 'iterations = 5\nstep = "1/lambda"', "20:11", ["unknown name 'lambda'"]),
    "name used twice": ("c = 2", "theta = 2", "", ["theta", "twice"]),
    "name that formulas cannot use": ("c = 2", '"my c" = 2', "9:", ["not a name"]),
    "missing data file": ('v = { distribution = "normal", mean = "theta", sd = 1 }', 'v = { distribution = "data", file = "no.csv", column = "a" }', "6:", ["no.csv"]),
    "missing matrix file": ("[[2.0, 0.3], [0.3, 1.0]]", '{ file = "no.csv" }', "8:", ["no.csv"]),
    "correlation not positive definite": ("[noise]", "[dependence]\ncorrelation = [[1, 2], [2, 1]]\n[noise]", "6:", ["dependence.correlation"]),
    "correlation of the wrong size": ("[noise]", "[dependence]\ncorrelation = [[1]]\n[noise]", "6:", ["dependence.correlation"]),
    "unknown copula": ("[noise]", '[dependence]\ncopula = "clayton"\ncorrelation = [[1, 0], [0, 1]]\n[noise]', "6:", ["gaussian"]),
    "fourier for a normal parameter": ("mean = 0, sd = 1 }", 'mean = 0, sd = 1, basis = "fourier" }', "4:", ["fourier", "uniform"]),
    "log for a normal parameter": ("mean = 0, sd = 1 }", 'mean = 0, sd = 1, basis = "log" }', "4:", ["log", "lognormal or loguniform", "found normal"]),
    "reference for an unknown variable": ("[solve]", '[reference]\nz = "s"\n[solve]', "18:1", ["unknown key 'z'"]),
    "reference with a missing variable": ("[solve]", '[reference]\nx = "s"\n[solve]', "", ["'w' has none"]),
    "strong convexity above smoothness": ("[solve]", "smoothness = 1\nstrong_convexity = 2\n[solve]", "17:", ["not below strong_convexity"]),
    "not TOML": ("[variables]", "[variables", "12:", []),
}


def test_the_good_problem_is_good(run, tmp_path):
    (tmp_path / "p.toml").write_text(GOOD)
    code, _, err = run("solve", "p.toml", "--quiet")
    assert code == 0, err


@pytest.mark.parametrize("name", CASES)
def test_wrong_input(run, tmp_path, name):
    old, new, place, words = CASES[name]
    assert old in GOOD
    (tmp_path / "p.toml").write_text(GOOD.replace(old, new, 1))
    code, out, err = run("solve", "p.toml")
    assert code == 2, (code, out, err)
    assert err.startswith(f"error: p.toml:{place}"), err
    for word in words:
        assert word in err, err
    assert not pathlib.Path(tmp_path / "runs").exists()


BUILTIN = """\
title = "builtin"
[objective]
builtin = "elliptic-control"
options = { d = 3, q = 5 }
[quantities]
effort = "dot(x, x)"
[solve]
method = "gd"
iterations = 5
samples = 200
"""

BUILTIN_CASES = {
    "unknown built-in problem": ('"elliptic-control"', '"eliptic-control"', "3:11",
                                 ["unknown built-in problem 'eliptic-control'", "oscillator-control", "did you mean 'elliptic-control'"]),
    "built-in problem that is no name": ('"elliptic-control"', "3", "3:11", ["objective.builtin", "expected a string"]),
    "unknown option": ("q = 5", "qq = 5", "4:", ["unknown option 'qq'", "expected one of d, q, beta"]),
    "option of the wrong type": ("q = 5", 'q = "five"', "4:", ["objective.options.q", "expected a number, found a string"]),
    "option that is not whole": ("q = 5", "q = 5.5", "4:", ["objective.options.q", "a whole number from 1", "5.5"]),
    "option out of range": ("q = 5", "beta = -1", "4:", ["objective.options.beta", "found -1"]),
    "options that are no table": ("{ d = 3, q = 5 }", "3", "4:11", ["objective.options", "expected a table"]),
    "own parameters": ("[quantities]", '[parameters]\nt = { distribution = "uniform", lower = 0, upper = 1 }\n[quantities]', "5:1",
                       ["[parameters] must be left out", "'elliptic-control' brings its own"]),
    "own variables": ("[quantities]", "[variables]\ny = {}\n[quantities]", "5:1", ["[variables] must be left out"]),
    "own reference": ("[quantities]", '[reference]\nx = "1"\n[quantities]', "5:1", ["[reference] must be left out"]),
    "a formula besides": ("options =", 'minimize = "x^2"\noptions =', "4:1", ["unknown key 'minimize'", "built-in problem"]),
    "unknown name in a quantity": ("dot(x, x)", "dot(x, theta9)", "6:18", ["unknown name 'theta9'", "did you mean 'theta1'"]),
    "quantity that is no number": ("dot(x, x)", "2*x", "6:", ["expected a scalar, found a vector of 5"]),
    "more active than there are": ('"elliptic-control"\noptions = { d = 3, q = 5 }', '"quadratic"\noptions = { d = 3, active = 4 }', "4:",
                                   ["objective.options.active", "at most d = 3"]),
}


def test_the_good_builtin_is_good(run, tmp_path):
    (tmp_path / "p.toml").write_text(BUILTIN)
    code, _, err = run("solve", "p.toml", "--quiet")
    assert code == 0, err


@pytest.mark.parametrize("name", BUILTIN_CASES)
def test_wrong_builtin(run, tmp_path, name):
    old, new, place, words = BUILTIN_CASES[name]
    assert old in BUILTIN
    (tmp_path / "p.toml").write_text(BUILTIN.replace(old, new, 1))
    code, out, err = run("solve", "p.toml")
    assert code == 2, (code, out, err)
    assert err.startswith(f"error: p.toml:{place}"), err
    for word in words:
        assert word in err, err


def test_wrong_csv_is_told_at_its_line(run, tmp_path):
    (tmp_path / "d.csv").write_text("a,b\n1,2\n3,oops\n")
    (tmp_path / "p.toml").write_text(GOOD.replace(
        'v = { distribution = "normal", mean = "theta", sd = 1 }', 'v = { distribution = "data", file = "d.csv", column = "a" }'))
    code, _, err = run("solve", "p.toml")
    assert code == 2 and "d.csv:3:3" in err and "expected a number, found 'oops'" in err


def test_wrong_overrides(run, tmp_path):
    (tmp_path / "p.toml").write_text(GOOD)
    for override, word in [("solve.iteratons=5", "did you mean 'iterations'"), ("nonsense", "KEY=VALUE"),
                           ("solve.samples=-1", "at least 1"), ("solve.step=1/lambda", "unknown name 'lambda'")]:
        code, _, err = run("solve", "p.toml", "--set", override)
        assert code == 2 and "--set" in err and word in err, err


def test_the_marker_stands_under_the_mistake(run, tmp_path):
    (tmp_path / "p.toml").write_text(GOOD.replace("sin(theta)", "sin(thet)"))
    _, _, err = run("solve", "p.toml")
    lines = err.splitlines()
    assert re.fullmatch(r'  s = "sin\(thet\) \+ eta"', lines[1])
    assert lines[2].index("^") == lines[1].index("thet")
