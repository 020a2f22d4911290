"""The module as built beside the program, for these tests and for the processes they start."""
import os
import pathlib
import sys

import matplotlib

BUILT = str(pathlib.Path(os.environ["CHAOSGRAD"]).parent / "python")
sys.path.insert(0, BUILT)
os.environ["PYTHONPATH"] = os.pathsep.join([BUILT, *filter(None, [os.environ.get("PYTHONPATH")])])
matplotlib.use("Agg")
