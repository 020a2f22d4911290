"""The program on several processes: the same bits as on one, one writer, and an end in good order."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("CHAOSGRAD_MPI", str(ROOT / "build" / "mpi" / "chaosgrad"))
MODEL = ROOT / "tests" / "support" / "model_program.py"

# As root mpirun wants to be told, and the machine may have fewer cores than the tests have ranks.
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
                            "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


def mpirun(ranks, *arguments):
    return ["mpirun", "-n", str(ranks), PROGRAM, *map(str, arguments)]


@pytest.fixture
def on_ranks(tmp_path):
    """Runs the program on so many ranks; on_ranks(2, …) -> (exit code, standard output, standard error)."""

    def call(ranks, *arguments):
        done = subprocess.run(mpirun(ranks, *arguments), cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True,
                              timeout=240)
        return done.returncode, done.stdout, done.stderr

    return call


def without_times(summary):
    return {key: value for key, value in summary.items() if key not in ("seconds", "seconds_total")}


def coefficients(directory):
    """All that is stored of the solution and of its state, times apart."""
    kept = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and not re.search("second|summary|options|source|problem", name):
            value = item[()]
            kept[name] = value.tobytes() if isinstance(value, np.ndarray) and value.dtype != object else repr(value)

    with h5py.File(directory / "solution.h5") as store:
        store.visititems(visit)
    history = (directory / "history.csv").read_text().splitlines()
    column = history[0].split(",").index("seconds")
    kept["history"] = [row.split(",")[:column] + row.split(",")[column + 1:] for row in history]
    return kept


QUICK = ["--json"]
CASES = {  # name: file and settings
    "collocation": ["quickstart"],
    "collocation under constraints": ["nonnegative"],
    "collocation with many parameters": ["active-parameters", "--set", "solve.tolerance=0.1"],
    "noise that is integrated out": ["newsvendor", "--set", "solve.tolerance=0.1"],
    "data that are summed": ["ridge"],
    "sieve": ["paper-noise", "--set", "solve.method=sieve", "--set", "solve.tolerance=0.05"],
    "sieve under constraints": ["long-only", "--set", "solve.method=sieve", "--set", "solve.max_gradients=200_000"],
    "gd": ["paper-noise", "--set", "solve.method=gd", "--set", "solve.samples=2000", "--set", "solve.iterations=40"],
    "agd": ["paper", "--set", "solve.method=agd", "--set", "solve.samples=2000", "--set", "solve.iterations=40"],
    "masg": ["paper-noise", "--set", "solve.method=masg", "--set", "solve.samples=1200",
             "--set", "solve.iterations=40"],
    "uqsa": ["paper-noise", "--set", "solve.method=uqsa", "--set", "solve.samples=1200",
             "--set", "solve.iterations=40"],
    "nested": ["paper", "--set", "solve.method=nested", "--set", "solve.points=600", "--set", "solve.iterations=60"],
    "gd under constraints": ["nonnegative", "--set", "solve.method=gd", "--set", "solve.samples=1000",
                             "--set", "solve.iterations=20"],
}


@pytest.mark.parametrize("name", CASES)
def test_same_bits(program, on_ranks, tmp_path, name):
    example, *settings = CASES[name]
    file = ROOT / "examples" / f"{example}.toml"
    alone = subprocess.run([program, "solve", file, "-o", "alone", *QUICK, *settings, "--set", "solve.threads=1"],
                           cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert alone.returncode in (0, 1), alone.stderr
    expected, summary = coefficients(tmp_path / "alone"), without_times(json.loads(alone.stdout))
    for ranks, threads in ((1, 2), (2, 1), (3, 2), (4, 1)):  # all of 4 x 2 would take too long
        folder = f"on{ranks}"
        code, out, err = on_ranks(ranks, "solve", file, "-o", folder, *QUICK, *settings,
                                  "--set", f"solve.threads={threads}")
        assert code == alone.returncode, err
        assert without_times(json.loads(out)) == summary, f"{ranks} ranks"
        found = coefficients(tmp_path / folder)
        assert [key for key in expected if found.get(key) != expected[key]] == [], f"{ranks} ranks"


def test_one_speaks_and_writes(on_ranks, tmp_path):
    """What is printed is printed once; the folder holds what one process would leave."""
    code, out, err = on_ranks(3, "solve", ROOT / "examples" / "quickstart.toml", "-o", "run", "--progress", "line")
    assert code == 0, err
    assert out.count("written to run") == 1
    files = {path.name for path in (tmp_path / "run").iterdir()} - {"solution.h5.previous"}  # where it took long
    assert files == {"history.csv", "report.html", "solution.h5", "summary.json"}
    code, out, err = on_ranks(3, "eval", "run", "--at", "theta=0.3", "--json")
    assert code == 0, err
    json.loads(out)
    code, out, err = on_ranks(2, "--version")
    assert code == 0 and len(out.splitlines()) == 1


def test_an_error_is_told_once(on_ranks, tmp_path):
    (tmp_path / "own.toml").write_text("[parameters]\nt = { distribution = 'uniform', lower = 1, upper = 0 }\n"
                                       "[variables]\nx = {}\n[objective]\nminimize = '(x - t)^2'\n")
    code, out, err = on_ranks(3, "solve", "own.toml")
    assert code == 2
    assert len(re.findall("^error: ", err, re.M)) == 1, err
    code, out, err = on_ranks(2, "solve")
    assert code == 2 and err.count("FILE is required") == 1
    code, out, err = on_ranks(2, "resume", "nowhere")
    assert code == 4 and len(re.findall("^error: ", err, re.M)) == 1, err


def test_a_folder_that_cannot_be_written_ends_all(on_ranks, tmp_path):
    (tmp_path / "run").write_text("a file, not a folder")
    code, out, err = on_ranks(2, "solve", ROOT / "examples" / "quickstart.toml", "-o", "run")
    assert code == 4 and len(re.findall("^error: ", err, re.M)) == 1, err


LONG = """
[parameters]
t = { distribution = "uniform", lower = -1, upper = 1 }
[noise]
v = { distribution = "normal", mean = 0, sd = 1 }
[variables]
x = {}
y = {}
[objective]
minimize = "(x - sin(t))^2 + (y - x*t)^2 + v*x*(1 + y^2)/9"
[solve]
method = "gd"
seed = 5
iterations = 100000
max_gradients = 1_000_000_000_000
samples = 20000
basis_size = 8
"""


def begin(ranks, folder, *arguments):
    return subprocess.Popen(mpirun(ranks, *arguments), cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def wait_for_iteration(folder, least=3):
    """Until a checkpoint holds so many iterations."""
    for _ in range(600):
        time.sleep(0.1)
        try:
            with h5py.File(folder / "solution.h5") as store:
                names = []
                store.visit(names.append)
                if any(len(store[name]) >= least for name in names if name.endswith("history/k")):
                    return
        except (OSError, KeyError):
            continue
    pytest.fail("no checkpoint")


def ranks_of(started):
    """The processes of the ranks, by rank."""
    found = {}
    for process in pathlib.Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            line = (process / "cmdline").read_bytes().split(b"\0")
            environment = dict(part.split(b"=", 1) for part in (process / "environ").read_bytes().split(b"\0") if b"=" in part)
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if line[0].decode() == PROGRAM and parent == started.pid:
            found[int(environment[b"OMPI_COMM_WORLD_RANK"])] = int(process.name)
    return found


def resume_to_the_end(program, folder, iterations, ranks):
    """The coefficients after so many iterations, begun in `folder` and ended on so many ranks."""
    arguments = ["resume", "run", "--json", "--set", f"solve.iterations={iterations}"]
    command = [program, *arguments] if ranks == 0 else mpirun(ranks, *arguments)
    done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return coefficients(folder / "run")


def done_iterations(folder):
    return int((folder / "run" / "history.csv").read_text().splitlines()[-1].split(",")[0])


def whole(program, folder, iterations):
    (folder / "own.toml").write_text(LONG)
    done = subprocess.run([program, "solve", "own.toml", "-o", "whole", "--json", "--set",
                           f"solve.iterations={iterations}"], cwd=folder, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return coefficients(folder / "whole")


def last_stored(folder):
    with h5py.File(folder / "run" / "solution.h5") as store:
        names = []
        store.visit(names.append)
        return max(int(store[name][-1]) for name in names if name.endswith("history/k"))


@pytest.mark.parametrize("victim", [0, 1, 2])
def test_a_rank_that_dies_ends_the_job(program, tmp_path, victim):
    """No rank is left waiting, and the last checkpoint goes on elsewhere to the same bits."""
    (tmp_path / "own.toml").write_text(LONG)
    started = begin(3, tmp_path, "solve", "own.toml", "-o", "run", "--quiet", "--set", "solve.checkpoint_seconds=0.2",
                    "--set", "solve.threads=1")
    wait_for_iteration(tmp_path / "run")
    processes = ranks_of(started)
    assert len(processes) == 3
    os.kill(processes[victim], signal.SIGKILL)
    code = started.wait(timeout=30)
    assert code not in (0, None)
    for process in processes.values():
        assert not pathlib.Path(f"/proc/{process}").exists() or "Z" in pathlib.Path(f"/proc/{process}/stat").read_text()
    iterations = last_stored(tmp_path) + 20
    expected = whole(program, tmp_path, iterations)
    found = resume_to_the_end(program, tmp_path, iterations, ranks=[0, 2, 4][victim])
    assert [key for key in expected if key != "history" and found.get(key) != expected[key]] == []


@pytest.mark.parametrize("how", [signal.SIGUSR1, signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_all_ranks(program, tmp_path, how):
    """SIGUSR1 is passed on and ends the run as in one process. SIGTERM and SIGINT make mpirun end its ranks, which have a
    second to store what there is."""
    (tmp_path / "own.toml").write_text(LONG)
    started = begin(2, tmp_path, "solve", "own.toml", "-o", "run", "--json", "--set", "solve.checkpoint_seconds=0.2",
                    "--set", "solve.threads=1")
    wait_for_iteration(tmp_path / "run")
    started.send_signal(how)
    out, err = started.communicate(timeout=60)
    assert started.returncode not in (0, None)
    if how == signal.SIGUSR1:
        assert started.returncode == 1, err
        assert json.loads(out)["status"] == "interrupted"
    iterations = last_stored(tmp_path) + 10
    expected = whole(program, tmp_path, iterations)
    found = resume_to_the_end(program, tmp_path, iterations, ranks=3)
    assert [key for key in expected if key != "history" and found.get(key) != expected[key]] == []


def test_time_is_up_for_all(on_ranks, tmp_path):
    (tmp_path / "own.toml").write_text(LONG)
    start = time.monotonic()
    code, out, err = on_ranks(3, "solve", "own.toml", "--json", "--set", "solve.max_seconds=1.5")
    assert code == 1, err
    assert json.loads(out)["status"] == "out_of_time"
    assert time.monotonic() - start < 60


MODEL_FILE = """
[parameters]
a = { distribution = "uniform", lower = -1, upper = 1 }
b = { distribution = "uniform", lower = -1, upper = 1 }
[variables]
x = {}
y = {}
[objective]
command = "COMMAND"
parallel = 2
[solve]
tolerance = 1e-3
"""


def model(tmp_path, *settings):
    command = " ".join([sys.executable, str(MODEL), *settings])
    (tmp_path / "model.toml").write_text(MODEL_FILE.replace("COMMAND", command))
    return "model.toml"


def test_programs_of_every_rank(program, on_ranks, tmp_path):
    """Each rank has programs of its own; no evaluation is paid twice, and rank 0 has logged them all."""
    file = model(tmp_path, "log=calls")
    alone = subprocess.run([program, "solve", file, "-o", "alone", "--json"], cwd=tmp_path, capture_output=True, text=True,
                           timeout=240)
    assert alone.returncode == 0, alone.stderr
    paid_alone = (tmp_path / "calls").read_text().splitlines()
    (tmp_path / "calls").unlink()
    code, out, err = on_ranks(3, "solve", file, "-o", "run", "--json")
    assert code == 0, err
    assert coefficients(tmp_path / "run") == coefficients(tmp_path / "alone")
    paid = (tmp_path / "calls").read_text().splitlines()
    assert len({line.split()[0] for line in paid}) > 2  # programs
    at = [line.split(" ", 1)[1] for line in paid]
    # Every rank tries the model once when it reads the file.
    assert set(at) == {line.split(" ", 1)[1] for line in paid_alone} and len(at) <= len(paid_alone) + 2
    with h5py.File(tmp_path / "run" / "evaluations.h5") as log:
        assert len(log["evaluations"]) == len(set(at))


def test_a_model_that_fails_now_and_then(program, on_ranks, tmp_path):
    """Its failures are those of one process, whichever rank they happen on."""
    file = model(tmp_path, "failing=0.01")
    alone = subprocess.run([program, "solve", file, "-o", "alone", "--json"], cwd=tmp_path, capture_output=True, text=True,
                           timeout=240)
    code, out, err = on_ranks(2, "solve", file, "-o", "run", "--json")
    assert code == alone.returncode, err
    expected, found = json.loads(alone.stdout), json.loads(out)
    assert expected["skipped"]
    for key in ("status", "gradient_evaluations", "mean", "sd", "skipped"):
        assert found[key] == expected[key], key


def test_a_model_that_goes_away_ends_all_ranks(on_ranks, tmp_path):
    file = model(tmp_path, "failing=0.5", "how=exit")
    (tmp_path / "model.toml").write_text((tmp_path / "model.toml").read_text().replace(
        "parallel = 2", "parallel = 2\nretries = 0"))
    code, out, err = on_ranks(2, "solve", file, "-o", "run", "--json")
    assert code == 3, err
    assert json.loads(out)["status"] == "bad_gradient"
