"""The smooth mirrors of the attacks: an honest program converges here, so that they show the price of caution."""
from attack import laws as law
from attack.minima import well_bottom
from attack.problem import Problem, fit, problem_text, truth_of
from attack.rare import LAWS, base

UNIFORM, NORMAL = law.uniform(), law.normal()


def easy(name, laws, target, tolerance, **more):
    return fit("easy", name, laws, target, tolerance, easy=True, **more)


def smooth_features():
    found = [easy(f"base-d{d}-{name}", {f"t{k}": LAWS[name] for k in range(d)}, base({f"t{k}": LAWS[name] for k in range(d)}, d), 5e-3)
             for d, name in ((1, "uniform"), (1, "normal"), (1, "exponential"), (2, "beta"), (2, "normal"), (5, "uniform"), (5, "normal"))]
    found.append(easy("wide-bump", [UNIFORM], "sin(t0) + exp(-2*(t0 - 0.2)^2)", 1e-3))
    found.append(easy("wide-bump-2d", [UNIFORM, UNIFORM], "sin(t0) + exp(-2*(t0 - 0.2)^2 - (t1 + 0.3)^2)", 1e-3))
    found.append(easy("soft-step", [UNIFORM], "t0 + tanh(3*t0)", 3e-3, shape="softened"))
    found.append(easy("soft-ramp", [UNIFORM], "softplus(4*(t0 - 0.5))/4", 1e-3, shape="weighted"))
    found.append(easy("soft-corner-5d", [UNIFORM] * 5, "0.5*t0 + softplus(t1 + t2) + 0.1*t3*t4", 1e-2))
    return found


def smooth_hidden():
    return [
        easy("pair", [UNIFORM, UNIFORM], "t0*t1 + 0.5*t0", 1e-3), easy("pair-normal", [NORMAL, NORMAL], "t0*t1 + 0.5*t0", 1e-3),
        easy("triple-with-mains", [UNIFORM] * 3, "t0 + t1 + t2 + t0*t1*t2", 1e-2),
        easy("tanh-pair", [UNIFORM, UNIFORM], "t0 + tanh(t0)*tanh(t1)", 1e-2),
        easy("pair-noise", [UNIFORM, UNIFORM], "0.5*t0 + t0*t1", 0.08, noise="coin"),
        easy("sine2", [UNIFORM], "sin(2*t0)", 1e-4), easy("sine6", [UNIFORM], "sin(6*t0)", 1e-2),
        easy("sine2-noise", [UNIFORM], "sin(2*t0)", 0.05, noise="crowd"),
        easy("smooth-abs", [UNIFORM], "sqrt(0.1 + t0^2)", 3e-3),
        easy("fourier-periodic", [law.with_basis(law.uniform(-3.141592653589793, 3.141592653589793), "fourier")], "exp(sin(t0))", 1e-3),
        easy("d20-pairs", [UNIFORM] * 20, "t0 + t3 + t3*t7 + 0.5*t11", 2e-2),
        easy("d50-mains", [UNIFORM] * 50, "t0 + 0.5*t9 + 0.3*t31 + 0.3*t0*t9", 2e-2),
        easy("q3", [UNIFORM, UNIFORM], ["sin(t0)", "t0*t1", "0.01*t1^2"], 1e-4),
        easy("q10", [UNIFORM], [f"sin(0.3*t0 + {i})" for i in range(10)], 1e-3),
        easy("units-x", [UNIFORM], "1000000000*(1 + sin(t0))", 1e-3, relative=True, scale=1e9),
        easy("units-F", [UNIFORM], "1 + sin(t0)", 1e-3, relative=True, factor=1e-9),
        easy("units-theta", [law.uniform(-1e-9, 1e-9)], "1 + sin(t0*1000000000)", 1e-3, relative=True),
        easy("discrete-5", [law.discrete([-1, 0, 0.5, 2, 3])], "sin(t0)", 1e-3),
        easy("discrete-50-smooth", [law.discrete(range(50))], "sin(t0/25)", 1e-3),
        easy("data-40-smooth", [law.data("rows.csv", "a", [k / 20 for k in range(40)])], "exp(t0/2)", 1e-3,
             files={"rows.csv": "a\n" + "\n".join(f"{k / 20:.17g}" for k in range(40)) + "\n"}),
    ]


def smooth_tails():
    return [
        easy("exp-normal-mild", [NORMAL], "exp(0.3*t0)", 1e-3, relative=True),
        easy("exp-exponential-mild", [law.exponential()], "exp(0.1*t0)", 1e-3, relative=True),
        easy("cube", [NORMAL], "t0 + 0.1*t0^3", 1e-3, relative=True), easy("inverse-uniform", [law.uniform(0.3, 1)], "1/t0", 1e-3, relative=True),
        easy("lognormal-line", [law.lognormal(0, 0.5)], "2 + 3*t0", 1e-3, relative=True),
        easy("loguniform-log-basis", [law.with_basis(law.loguniform(1, 1e4), "log")], "1 + 1/(1 + t0)", 1e-2, relative=True),
        easy("weibull-1.5", [law.weibull(1.5)], "sqrt(1 + t0)", 1e-3, relative=True),
    ]


def convex():
    """x^4/4 + k x²/2 + tilt x with k > 0, and the expectile."""
    laws = {"t0": UNIFORM}
    quartic = problem_text(laws, "x^4/4 + x^2/2 + 0.5*t0*x")
    spread = problem_text(laws, "if(v < x, 0.2, 0.8)*(v - x)^2", noise='v = { distribution = "normal", mean = "2 + t0", sd = "exp(t0/2)" }')
    event = problem_text(laws, "(x - t0)^2/2 - if(r < 0.2, 1, 0)*x", noise='r = { distribution = "uniform", lower = 0, upper = 1 }')
    return [Problem("easy", "one-well", quartic, laws, lambda theta: well_bottom(1.0, 0.5 * theta), 1e-3, easy=True),
            Problem("easy", "expectile", spread, laws, truth_of(laws, ["2 + t0 + 0.5491558211*exp(t0/2)"]), 0.05, easy=True),
            Problem("easy", "event", event, laws, truth_of(laws, ["t0 + 0.2"]), 0.03, easy=True),
            easy("linear-noise", [NORMAL], "sin(t0)", 1e-2, noise="linear"), easy("saturated-noise", [UNIFORM], "exp(t0)", 0.05, noise="saturated")]


def problems():
    return smooth_features() + smooth_hidden() + smooth_tails() + convex()
