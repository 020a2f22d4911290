"""Truths of the problems of telecommunication, control, machine learning, signals, images and experiment design."""
import numpy as np

from newton import softplus
from record import Problem, table

# ---- telecommunication ----

LINE_COST = np.array([1.0, 1.5, 2.0, 0.8])


def capacity_assignment(x, theta):
    spare = np.where(np.real(x - theta) > 0, x - theta, np.nan)
    return x @ LINE_COST + 100 * (theta / spare).sum(-1)


def water_filling(x, theta):
    power = np.concatenate([x, 1 - x.sum(-1, keepdims=True)], axis=-1)
    return -np.log(theta + power).sum(-1) - 0.001 * np.log(power).sum(-1)


def power_control(x, theta):
    price, sigma, cross = theta
    gains = np.array([[0, 1.0, 0.5, 0.2], [0.8, 0, 1.1, 0.4], [0.3, 0.9, 0, 1.0], [0.1, 0.6, 1.2, 0]])
    power = np.exp(x)
    return (np.log(sigma + cross * power @ gains.T) - x) @ [1.0, 2.0, 1.5, 1.0] + price * power.sum(-1)


# ---- control ----


def vehicle(theta, steps=15, dt=0.5):
    """Positions and speeds at 1..steps as an affine function of the inputs: offset and matrix of each."""
    mass, drag, v0 = theta
    state, response = np.array([80.0, v0]), np.zeros((2, steps))
    offsets, matrices = [], []
    decay = 1 - dt * drag
    A = np.array([[1, dt * decay], [0, decay]])
    for t in range(steps):
        state, response = A @ state, A @ response
        response[:, t] += np.array([dt, 1]) * dt / mass
        offsets.append(state)
        matrices.append(response.copy())
    return np.array(offsets), np.array(matrices)


def vehicle_weights(steps=15):
    """Of position and speed at 1..steps."""
    weights = np.zeros((steps, 2))
    weights[:-1, 0] = 0.005
    weights[-1] = 1000
    return weights


def landing_lqr(x, theta):
    offsets, matrices = vehicle(theta)
    states = np.einsum("tij,...j->...ti", matrices, x) + offsets
    return 0.5 * (x**2).sum(-1) + (vehicle_weights() * states**2).sum((-1, -2))


def landing_lqr_closed(theta):
    offsets, matrices = vehicle(theta)
    root = np.sqrt(vehicle_weights())[..., None]
    A = np.vstack([np.sqrt(0.5) * np.eye(15), (root * matrices).reshape(-1, 15)])
    b = np.concatenate([np.zeros(15), -(root[..., 0] * offsets).ravel()])
    return np.linalg.lstsq(A, b, rcond=None)[0]


def mpc_barrier(x, theta):
    a, b, state = theta
    cost = 0.1 * (x**2).sum(-1) - 0.05 * (np.log(1 - x) + np.log(1 + x)).sum(-1)
    for t in range(10):
        state = a * state + b * x[..., t]
        cost = cost + state**2
    return cost


# ---- machine learning ----

CUSTOMERS = np.array([[3.02, 228], [2.04, 149], [2.55, 203], [2.98, 175], [3.93, 219], [2.48, 166], [2.03, 240], [2.55, 177],
                      [2.02, 149], [1.58, 144], [3.41, 208], [2.56, 138], [3.42, 224], [1.74, 220], [3.59, 252], [1.77, 134]])


def svm_softplus(x, theta):
    cost = theta[0]
    label = np.where(np.arange(16) % 2 == 0, 1, -1)
    margin = label * (x[..., :2] @ CUSTOMERS.T + x[..., 2:])
    return (x[..., :2] ** 2).sum(-1) / 2 + cost * 0.1 * softplus((1 - margin) / 0.1).sum(-1)


def iris_softmax(x, theta):
    ridge, wrong = theta
    rows = table("iris.csv")
    features = np.column_stack([np.ones(len(rows)), rows[:, :2]])
    scores = np.stack([x[..., :3] @ features.T, x[..., 3:] @ features.T], axis=-1)
    labels = (1 - wrong) * rows[:, 2:] + wrong / 3
    top = np.maximum(scores.real.max(-1), 0)
    total = top + np.log(np.exp(-top) + np.exp(scores - top[..., None]).sum(-1))
    return (total - (labels * scores).sum(-1)).mean(-1) + ridge / 2 * (x**2).sum(-1)


def oring_logistic(x, theta):
    bias, prior = theta
    temperature, failure = table("orings.csv").T
    eta = x[..., :1] + x[..., 1:] * (temperature + bias)
    return (softplus(eta) - failure * eta).mean(-1) + prior / 2 * (x[..., 1] + 0.1) ** 2


# ---- signals and images ----

SIGNAL = np.array([-0.09, -0.03, 0.16, 0.06, -0.11, -0.24, -0.13, 0.31, 0.6, 0.86, 0.91, 0.43, 0.81, 1.13, -1.0, -0.58, -0.53, -0.7, -0.38,
                   -0.52, -0.87, -0.29, 0.57, 0.64, 0.76, 0.49, 0.43, 0.08, 0.55, 0.25])


def tv_denoise(x, theta):
    weight, pulse = theta
    data = SIGNAL.copy()
    data[8:14] += pulse
    return ((x - data) ** 2).sum(-1) / 2 + weight * np.sqrt(np.diff(x, axis=-1) ** 2 + 1e-3).sum(-1)


def lines_of_sight():
    """Three rows, three columns, the diagonals of two and three pixels: which pixels, times the length."""
    grid, lines = np.arange(9).reshape(3, 3), []
    lines += [(row, 1) for row in grid] + [(column, 1) for column in grid.T]
    lines += [(np.diag(grid, k), 1.414) for k in (0, 1, -1)] + [(np.diag(grid[:, ::-1], k), 1.414) for k in (0, 1, -1)]
    A = np.zeros((12, 9))
    for i, (pixels, length) in enumerate(lines):
        A[i, pixels] = length
    return A


def pet_image(x, theta):
    sensitivity, background, smooth = theta
    counts = np.array([41, 118, 38, 33, 127, 36, 138, 60, 52, 131, 66, 49])
    expected = sensitivity * x @ lines_of_sight().T + background
    image = x.reshape(x.shape[:-1] + (3, 3))
    rough = (np.diff(image, axis=-1) ** 2).sum((-1, -2)) + (np.diff(image, axis=-2) ** 2).sum((-1, -2))
    return expected.sum(-1) - np.log(expected) @ counts + smooth / 2 * rough


# ---- experiment design ----


def d_optimal(x, theta):
    x2, x3, extra = theta
    weight = np.concatenate([x, 1 - x.sum(-1, keepdims=True)], axis=-1)
    rows = np.vander(np.array([-1, x2, x3, 1]), 3, increasing=True)
    information = np.einsum("...k,k,ki,kj->...ij", weight, [1, 1, 1, 1 / (1 + extra)], rows, rows)
    return -np.log(np.linalg.det(information)) - 0.01 * np.log(weight).sum(-1)


PROBLEMS = [
    Problem("capacity-assignment", "telecommunication", [{"C": 1000.0}, {"C": 610.0}, {"C": 10000.0}], capacity_assignment,
            closed=lambda theta: theta + np.sqrt(100 * theta / LINE_COST)),
    Problem("water-filling", "telecommunication", [{"x": 0.2}, {"x": 0.01}, {"x": 0.24}], water_filling, guess=lambda theta: np.full(4, 0.2),
            remark="the barrier is weak: curvature varies by orders of magnitude as channels close"),
    Problem("power-control", "telecommunication", [{"y": 0.0}, {"y": -3.0}, {"y": 5.0}], power_control, guess=lambda theta: np.zeros(4)),
    Problem("landing-lqr", "control", [{"thrust": 0.0}, {"thrust": -2.0}, {"thrust": 100.0}], landing_lqr, closed=landing_lqr_closed),
    Problem("mpc-barrier", "control", [{"u": 0.0}, {"u": [-0.9, -0.5, -0.2, 0, 0, 0, 0, 0, 0, 0]}, {"u": 0.99}], mpc_barrier,
            guess=lambda theta: np.zeros(10), scale=1e-2),
    Problem("svm-softplus", "machine learning", [{"w": 0.0, "b": 0.0}, {"w": [1.0, 0.02], "b": -6.0}, {"w": 1.0, "b": 1.0}], svm_softplus,
            guess=lambda theta: np.array([0.5, 0.01, -3.0]), remark="no curvature in b within rounding at the poor start"),
    Problem("iris-softmax", "machine learning", [{"a": 0.0, "b": 0.0}, {"a": [0.0, 1.0, 0.0], "b": [-5.0, 1.0, 1.0]}, {"a": 10.0, "b": -10.0}],
            iris_softmax, guess=lambda theta: np.zeros(6), noise=True),
    Problem("oring-logistic", "machine learning", [{"b0": 0.0, "b1": 0.0}, {"b0": 10.0, "b1": -0.1}, {"b0": 100.0, "b1": -1.5}], oring_logistic,
            guess=lambda theta: np.array([10.0, -0.15]), noise=True),
    Problem("tv-denoise", "signal processing", [{"x": 0.0}, {"x": SIGNAL.tolist()}, {"x": 10.0}], tv_denoise, guess=lambda theta: SIGNAL.copy()),
    Problem("pet-image", "inverse problems", [{"x": 1.0}, {"x": 20.0}, {"x": 500.0}], pet_image, guess=lambda theta: np.full(9, 20.0)),
    Problem("d-optimal", "experiment design", [{"w": 0.25}, {"w": 0.1}, {"w": [0.9, 0.05, 0.02]}], d_optimal, guess=lambda theta: np.full(3, 0.25)),
]
