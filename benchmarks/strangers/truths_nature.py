"""Truths of the problems of structures, physics, chemistry, optics, circuits, hydraulics and geometry."""
import itertools

import numpy as np

from newton import absolute
from record import Problem

# ---- structures ----


def three_bar_truss(x, theta):
    """Bars from (-1, 0), (0, 0), (1, 0) m to (0, 1), y downwards."""
    load, angle, price = theta
    force = load * np.array([np.cos(angle), np.sin(angle)])
    bars = 1000 * np.array([[1.0, 1.0], [0.0, 1.0], [-1.0, 1.0]])
    length = np.linalg.norm(bars, axis=1)
    along = bars / length[:, None]
    stiffness = np.einsum("...k,k,ki,kj->...ij", x, 200 / length, along, along)
    displacement = np.linalg.solve(stiffness, np.broadcast_to(force, x.shape[:-1] + (2,))[..., None])[..., 0]
    return displacement @ force + price * x @ length - np.log(x).sum(-1)


def stepped_cantilever(x, theta):
    load, modulus = theta
    positive = np.where(np.real(x) > 0, x, np.nan)
    return 0.0624 * x.sum(-1) - 0.02 * np.log(1 - load / modulus * positive**-3.0 @ [61, 37, 19, 7, 1])


def power_line(x, theta):
    temperature, ice, stiffness = theta
    end = 0 * x[..., :1]
    drop = np.diff(np.concatenate([end, x, end], axis=-1), axis=-1)
    rest = 15 * (1 - 7e-4 + 2.3e-5 * (temperature - 20))
    return stiffness / (2 * rest) * ((np.sqrt(225 + drop**2) - rest) ** 2).sum(-1) - (15 + ice) * 15 * x.sum(-1)


def power_line_guess(theta):
    """A parabola with the sag of an inextensible line under 20 kN."""
    s = np.arange(1, 20) / 20
    return 4 * s * (1 - s) * (15 + theta[1]) * 300**2 / (8 * 2e4)


def soap_film(x, theta):
    """Heights on 7 x 7 nodes, first index along x; every cell is cut from its lower right to its upper left corner."""
    a, b = theta
    u = np.zeros(x.shape[:-1] + (7, 7), dtype=x.dtype)
    u[..., 1:6, 1:6] = x.reshape(x.shape[:-1] + (5, 5))
    u[..., :, 0] = a * np.sin(np.pi * np.arange(7) / 6)
    u[..., 6, 1:] = b * np.sin(np.pi * np.arange(1, 7) / 6)
    along_x, along_y = 6 * np.diff(u, axis=-2), 6 * np.diff(u, axis=-1)
    lower = np.sqrt(1 + along_x[..., :, :-1] ** 2 + along_y[..., :-1, :] ** 2)
    upper = np.sqrt(1 + along_x[..., :, 1:] ** 2 + along_y[..., 1:, :] ** 2)
    return (lower + upper).sum((-1, -2)) / 72


# ---- physics ----


def ion_chain(x, theta):
    quartic, Z, field = theta
    charge = np.array([1, 1, Z, 1, 1])
    value = (x**2).sum(-1) / 2 + quartic / 4 * (x**4).sum(-1) - field * x.sum(-1)
    for i, j in itertools.combinations(range(5), 2):
        gap = x[..., j] - x[..., i]
        value = value + charge[i] * charge[j] / np.where(gap.real > 0, gap, np.nan)
    return value


def poisson_boltzmann(x, theta):
    charge, salt = theta
    return (np.diff(x, axis=-1) ** 2).sum(-1) / 0.5 + 0.25 * salt * np.cosh(x).sum(-1) - charge * x[..., 0]


def bead_column(x, theta):
    stiffness, load = theta
    overlap = -np.diff(np.concatenate([x, 0 * x[..., :1]], axis=-1), axis=-1)
    overlap = np.where(overlap.real >= 0, overlap, np.nan)
    return 0.4 * stiffness * (overlap**2.5).sum(-1) - 0.0402 * x.sum(-1) - load * x[..., 0]


def bead_column_closed(theta):
    """Each contact carries the load and the balls above it."""
    stiffness, load = theta
    overlap = ((load + 0.0402 * np.arange(1, 11)) / stiffness) ** (2 / 3)
    return np.cumsum(overlap[::-1])[::-1]


# ---- circuits ----


def diode_clamp(x, theta):
    supply, temperature, R1 = theta
    VT = 8.617e-5 * temperature
    v1, v2, v3 = np.moveaxis(x, -1, 0)
    resistors = (supply - v1) ** 2 / R1 + (v1 - v2) ** 2 / 220 + (v2 - v3) ** 2 / 4700 + v3**2 / 10000
    diodes = 1e-14 * (VT * (np.exp(v1 / VT) + np.exp(v2 / VT)) - v1 - v2)
    return resistors / 2 + diodes - 2e-4 * v3


# ---- chemistry ----


def steam_reforming(x, theta):
    """Moles times chemical potentials over RT; standard potentials such that each reaction has its own."""
    T, P, steam = theta
    moles = np.array([1, steam, 0, 0, 0]) + x @ np.array([[-1, -1, 1, 0, 3], [0, -1, -1, 1, 1]])     # CH4, H2O, CO, CO2, H2
    standard = np.array([206100 - 214.6 * T, -41200 + 42.0 * T]) / (8.314 * T)
    return x @ standard + (moles * np.log(moles / moles.sum(-1, keepdims=True) * P)).sum(-1)


# ---- geometry ----

FIRST = np.array([[10, 20], [15, 70], [40, 85], [35, 5]])
SECOND = np.array([[95, 50], [70, 80], [60, 25], [35, 5]])


def weber_plants(x, theta):
    east, south, link = theta
    p, r = x[..., None, :2], x[..., None, 2:]

    def distance(a, b):
        return np.sqrt(((a - b) ** 2).sum(-1) + 0.01)

    return (distance(p, FIRST) @ np.array([3, 2, 2.5, south]) + distance(r, SECOND) @ np.array([2 * east, 1.5, 3, south])
            + link * distance(p, r)[..., 0])


# ---- optics ----


def fermat_layers(x, theta):
    glass, liquid, offset, thick = theta
    end = 0 * x[..., :1]
    run = np.diff(np.concatenate([end, x, end + offset], axis=-1), axis=-1)
    return np.sqrt(np.array([2, thick, 3, 1]) ** 2 + run**2) @ np.array([1, glass, liquid, 1])


# ---- hydraulics ----


def water_loops(x, theta):
    demand, C, fire = theta
    start = demand * np.array([0.15, 0.10, 0.02, 0.08, 0.04]) + fire * np.array([1, 0, 0, 1, 0])
    flow = start + x @ np.array([[1, -1, 1, 0, 0], [0, 0, -1, 1, -1]])
    old = (130 / C) ** 1.852
    return absolute(flow) ** 2.852 @ np.array([80 * old, 250, 900 * old, 400, 700 * old]) / 2.852


PROBLEMS = [
    Problem("three-bar-truss", "structural engineering", [{"A": 500.0}, {"A": 100.0}, {"A": 5000.0}], three_bar_truss,
            guess=lambda theta: np.full(3, 300.0)),
    Problem("stepped-cantilever", "structural engineering", [{"x": 8.0}, {"x": [8, 7, 6, 5, 4]}, {"x": 80.0}], stepped_cantilever,
            guess=lambda theta: np.full(5, 8.0 * (theta[0] / theta[1]) ** (1 / 3))),
    Problem("power-line", "mechanics", [{"sag": 0.0}, {"sag": 5.0}, {"sag": 100.0}], power_line, guess=power_line_guess,
            remark="convex up to 50 degrees only, where the line would be slack; the distribution ends at 45"),
    Problem("soap-film", "mechanics", [{"u": 0.0}, {"u": 0.5}, {"u": 10.0}], soap_film, guess=lambda theta: np.zeros(25)),
    Problem("ion-chain", "physics", [{"x": [-2, -1, 0, 1, 2]}, {"x": [-1.5, -0.7, 0, 0.7, 1.5]}, {"x": [-20, -10, 0, 10, 20]}], ion_chain,
            guess=lambda theta: np.array([-1.74, -0.82, 0.0, 0.82, 1.74]),
            remark="convex while the ions are in order; beyond, the formula is finite and has no lower bound"),
    Problem("poisson-boltzmann", "physics", [{"phi": 0.0}, {"phi": 1.0}, {"phi": 10.0}], poisson_boltzmann, guess=lambda theta: np.zeros(20)),
    Problem("bead-column", "physics",
            [{"u": [s * (10 - i) for i in range(10)]} for s in (1e-6, 2e-6, 1e-5)],
            bead_column, closed=bead_column_closed, scale=1e-6, remark="x is of size 1e-5; defined only while all balls touch"),
    Problem("diode-clamp", "electronics", [{"v1": v, "v2": v, "v3": v} for v in (0.0, 0.6, 2.0)], diode_clamp,
            guess=lambda theta: np.array([0.7, 0.65, 0.9]), remark="exp(v/0.026): exp(77) at the poor start"),
    Problem("steam-reforming", "chemistry", [{"x1": 0.5, "x2": 0.2}, {"x1": 0.1, "x2": 0.05}, {"x1": 0.95, "x2": 0.02}], steam_reforming,
            guess=lambda theta: np.array([0.5, 0.2])),
    Problem("weber-plants", "facility location", [{"p": 50.0, "r": 50.0}, {"p": [20, 50], "r": [75, 45]}, {"p": 500.0, "r": -500.0}], weber_plants,
            guess=lambda theta: np.array([20.0, 45.0, 65.0, 35.0]), remark="curvature from 25 where two places meet to 1e-9 far away"),
    Problem("fermat-layers", "optics", [{"x": 0.0}, {"x": [2, 5, 8]}, {"x": 100.0}], fermat_layers,
            guess=lambda theta: theta[2] * np.array([0.3, 0.5, 0.9])),
    Problem("water-loops", "hydraulics", [{"x": 0.0}, {"x": 0.01}, {"x": 1.0}], water_loops, guess=lambda theta: np.zeros(2), scale=0.01),
]
