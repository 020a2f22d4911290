"""What is known of a problem of strangers/: where it comes from, three starts, its objective and its optimum in numpy."""
import dataclasses
import pathlib

import numpy as np

from newton import minimise

FOLDER = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass
class Problem:
    name: str
    field: str
    starts: list                # three of {variable: number or list}: usual, a rough guess, poor but legal
    objective: object           # (x (..., q), theta (d,)) -> (...), the mean over the noise
    guess: object = None        # theta -> x to start from, where there is no closed form
    closed: object = None       # theta -> x, the closed form
    noise: bool = False
    scale: float = 1e-3         # of components that may be zero, for differences
    remark: str = ""            # what a run may stumble over
    aside: bool = False         # kept aside until the end

    def numeric(self, theta, start=None):
        """The optimum by Newton's method."""
        x = start if start is not None else self.guess(theta) if self.guess else self.closed(theta) * 1.01
        return minimise(lambda z: self.objective(z, theta), x, self.scale)

    def truth(self, theta):
        theta = np.asarray(theta, dtype=float)
        return np.asarray(self.closed(theta) if self.closed else self.numeric(theta), dtype=float)


def table(name, header=1):
    """The rows of a CSV file, less those of its header."""
    return np.loadtxt(FOLDER / "data" / name, delimiter=",", skiprows=header)
