"""Runs on disk: killed, interrupted, damaged, resumed; and what they tell meanwhile."""
import csv
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

import h5py
import numpy as np
import pytest

from support.run_stores import sign, wait_for_iterations

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAPER = ROOT / "examples" / "paper.toml"
NOISE = ROOT / "examples" / "paper-noise.toml"
METHODS = ["gd", "agd", "masg", "uqsa", "nested", "collocation", "sieve"]
# A few tenths of a second of work, and a checkpoint as often as it can be written.
LONG = {method: ["--set", f"solve.method={method}", "--set", "solve.max_gradients=1e9", "--set", "solve.checkpoint_seconds=0.01",
                 "--set", "solve.iterations=300", "--set", f"solve.samples={20 if method == 'nested' else 20000}"]
        for method in METHODS}
LONG["sieve"] = ["--set", "solve.method=sieve", "--set", "solve.relative_tolerance=5e-3", "--set", "solve.checkpoint_seconds=0.01"]
LONG["collocation"] = ["--set", "solve.method=collocation", "--set", "solve.relative_tolerance=1e-5", "--set", "solve.checkpoint_seconds=0.01"]
PROBLEM = {method: NOISE for method in METHODS}
PROBLEM |= {"collocation": ROOT / "examples" / "elliptic-control.toml", "sieve": ROOT / "examples" / "expectile.toml"}


def without_times(value):
    """JSON without time stamps, and without the assignments that led to it."""
    if isinstance(value, dict):
        return {key: without_times(entry) for key, entry in value.items() if key not in ("seconds", "seconds_total", "overrides")}
    return [without_times(entry) for entry in value] if isinstance(value, list) else value


def content(directory):
    """All that a run has left, without its time stamps."""
    found = {"summary.json": without_times(json.loads((directory / "summary.json").read_text()))}
    with (directory / "history.csv").open() as file:
        found["history.csv"] = [{key: value for key, value in row.items() if key != "seconds"} for row in csv.DictReader(file)]
    page = (directory / "report.html").read_text()
    found["report.html"] = without_times(json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S)[1]))

    def visit(name, node):
        if isinstance(node, h5py.Dataset) and not name.endswith("seconds"):
            value = node[()]
            if name == "summary":
                value = without_times(json.loads(value))
            found[name] = value.tobytes() if isinstance(value, np.ndarray) and value.dtype != object else str(value)

    with h5py.File(directory / "solution.h5") as store:
        found["attributes"] = dict(store.attrs)
        store.visititems(visit)
    return found


def differences(a, b):
    return [name for name in sorted(a.keys() | b.keys()) if a.get(name) != b.get(name)]


@pytest.fixture
def start(program, tmp_path):
    """Starts the program in the background."""

    def call(*arguments, **options):
        return subprocess.Popen([program, *map(str, arguments)], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, **options)

    return call


@pytest.mark.parametrize("method", METHODS)
def test_killed_at_any_moment_and_resumed_it_ends_in_the_same_file(start, run, tmp_path, method):
    """Ten kills for each method; benchmarks/kill_test.py does any number."""
    moments = random.Random(f"kill {method}")
    began = time.monotonic()
    assert run("solve", PROBLEM[method], "-o", "whole", "--quiet", *LONG[method])[0] == 0
    length = time.monotonic() - began
    whole = content(tmp_path / "whole")
    kills = 0
    while kills < 10:
        shutil.rmtree(tmp_path / "killed", ignore_errors=True)
        began = time.monotonic()
        process = start("solve", PROBLEM[method], "-o", "killed", "--quiet", *LONG[method])
        try:
            process.wait(timeout=moments.uniform(0, length))
            length = time.monotonic() - began  # it ended by itself: the run is shorter than it was thought to be
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
        if not (tmp_path / "killed" / "solution.h5").exists() and not (tmp_path / "killed" / "solution.h5.previous").exists():
            assert run("solve", PROBLEM[method], "-o", "killed", "--quiet", *LONG[method])[0] == 0  # killed before it had begun
        else:
            code, _, err = run("resume", "killed", "--quiet")
            assert code == 0, err
        assert differences(content(tmp_path / "killed"), whole) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_stores_and_says_so(start, run, tmp_path, number):
    arguments = LONG["agd"] + ["--set", "solve.checkpoint_seconds=30", "--set", "solve.samples=200000"]
    assert run("solve", NOISE, "-o", "whole", "--quiet", *arguments)[0] == 0
    process = start("solve", NOISE, "-o", "stopped", "--json", "--progress", "json", *arguments)
    process.stderr.readline()  # the first iteration is done
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    summary = json.loads(out)
    assert summary["status"] == "interrupted" and "interrupted before iteration" in summary["stop_reason"]
    assert summary["error"]["estimate"] > 0
    assert run("resume", "stopped", "--quiet")[0] == 0
    assert differences(content(tmp_path / "stopped"), content(tmp_path / "whole")) == []


def test_a_time_limit_is_of_one_session(run, tmp_path):
    arguments = LONG["masg"] + ["--set", "solve.checkpoint_seconds=30", "--set", "solve.samples=200000"]
    assert run("solve", NOISE, "-o", "whole", "--quiet", *arguments)[0] == 0
    limit = json.loads((tmp_path / "whole" / "summary.json").read_text())["seconds"] / 40  # four of them are far from enough
    code, out, _ = run("solve", NOISE, "-o", "slow", "--max-seconds", limit, *arguments)
    assert code == 1 and re.search(r"out_of_time: max_seconds = \S+ passed before iteration", out)
    for _ in range(3):
        assert run("resume", "slow", "--max-seconds", limit, "--quiet")[0] == 1
    code, out, _ = run("resume", "slow", "--json")
    assert code == 0
    assert json.loads(out)["seconds"] > 4 * limit  # of all five
    assert differences(content(tmp_path / "slow"), content(tmp_path / "whole")) == []
    code, out, _ = run("resume", "slow")
    assert code == 0 and "slow: nothing left to do: completed, all 300 iterations done" in out


def test_limits_can_be_moved_on_resumption(run, tmp_path):
    assert run("solve", PAPER, "-o", "a", "--quiet", "--set", "solve.iterations=100")[0] == 0
    code, out, _ = run("resume", "a", "--set", "solve.iterations=250", "--set", "solve.tolerance=1", "--json")
    assert code == 0
    summary = json.loads(out)
    assert summary["status"] == "converged" and summary["iterations"] == 250
    code, out, _ = run("resume", "a", "--set", "solve.tolerance=1e-4", "--json")  # a second, with a tighter tolerance
    assert code == 0
    summary = json.loads(out)
    assert summary["status"] == "completed" and "above the tolerance 0.0001" in summary["stop_reason"]
    assert run("solve", PAPER, "-o", "b", "--quiet", "--set", "solve.iterations=250", "--set", "solve.tolerance=1e-4")[0] == 0
    assert differences(content(tmp_path / "a"), content(tmp_path / "b")) == ["problem/overrides"]

    code, out, _ = run("solve", PAPER, "-o", "poor", "--json", "--set", "solve.max_gradients=50100")
    assert code == 1 and json.loads(out)["iterations"] == 100
    assert run("resume", "poor", "--quiet")[0] == 1  # the same limit, the same stop
    assert run("resume", "poor", "--quiet", "--set", "solve.max_gradients=1000000")[0] == 0
    assert run("solve", PAPER, "-o", "rich", "--quiet", "--set", "solve.max_gradients=1000000")[0] == 0
    assert differences(content(tmp_path / "poor"), content(tmp_path / "rich")) == ["problem/overrides"]


def test_what_cannot_change_is_refused(run):
    assert run("solve", PAPER, "-o", "a", "--quiet")[0] == 0
    for key, why in [("solve.seed=3", "the steps done so far rest on it"), ("solve.method=agd", "the steps done so far"),
                     ("constants.mu=2", "it is part of the problem"), ("solve={seed=3}", "it is part of the problem")]:
        code, _, err = run("resume", "a", "--set", key)
        assert code == 2 and f"--set {key.split('=')[0]}: cannot change midway: {why}" in err
        assert "What can change: solve.tolerance" in err
    code, _, err = run("resume", "a", "--set", "solve.iterations=10")
    assert code == 2 and "solve.iterations: must not be below the 300 that are done" in err
    code, _, err = run("resume", "nowhere")
    assert code == 4 and "nowhere: no run is there" in err


def test_a_failed_run_cannot_be_resumed(run):
    code, _, _ = run("solve", PAPER, "-o", "a", "--quiet", "--set", "solve.guard=false", "--set", "solve.step=1")
    assert code == 3
    code, _, err = run("resume", "a")
    assert code == 3 and "a: the run ended as diverged: the iterates diverge at iteration" in err


@pytest.fixture
def stopped(run, tmp_path):
    """A run with two different checkpoints in `stopped`, and the same one never stopped in `whole`."""
    arguments = ["--quiet", "--set", "solve.samples=50000", "--set", "solve.max_gradients=1e9"]
    assert run("solve", PAPER, "-o", "whole", *arguments)[0] == 0
    assert run("solve", PAPER, "-o", "stopped", "--max-seconds", "1e-9", *arguments)[0] == 1
    while run("resume", "stopped", "--max-seconds", "0.002", "--quiet")[0] == 1:
        with h5py.File(tmp_path / "stopped" / "solution.h5") as store, \
                h5py.File(tmp_path / "stopped" / "solution.h5.previous") as before:
            if len(store["history/k"]) > len(before["history/k"]) > 0:
                return tmp_path / "stopped"
    pytest.fail("the run is too short to be stopped twice")


def test_a_damaged_store_is_noticed_and_the_previous_one_used(stopped, run, tmp_path):
    store, previous = stopped / "solution.h5", stopped / "solution.h5.previous"
    good, before = store.read_bytes(), previous.read_bytes()
    chance = random.Random("damage")
    damages = [good[:0], good[:100], good[:600], good[:-1], good + b"\0"]
    for place in [0, 60, 100, 200, 511, 512, 520, len(good) - 1] + [chance.randrange(len(good)) for _ in range(40)]:
        flipped = bytearray(good)
        flipped[place] ^= 1 << chance.randrange(8)
        damages.append(bytes(flipped))
    shutil.copy(previous, tmp_path / "kept")
    (tmp_path / "before").mkdir()
    shutil.copy(previous, tmp_path / "before" / "solution.h5")
    expected = run("eval", "before", "--at", "theta=0.3", "--json")[1]
    for damage in damages:
        store.write_bytes(damage)
        code, out, err = run("eval", "stopped", "--at", "theta=0.3", "--json")
        assert code == 0 and out == expected
        assert err == ("warning: stopped/solution.h5: damaged, or not a chaosgrad run: its content does not match its checksum; "
                       "the checkpoint before it, stopped/solution.h5.previous, is used\n")
    code, _, err = run("resume", "stopped", "--quiet")
    assert code == 0 and "warning: stopped/solution.h5: damaged" in err
    assert (stopped / "solution.h5.damaged").read_bytes() == damages[-1]
    assert differences(content(stopped), content(tmp_path / "whole")) == []

    store.write_bytes(damages[3])
    previous.write_bytes(before[:-1])
    for command in (["eval", "stopped", "--at", "theta=0.3"], ["resume", "stopped"]):
        code, _, err = run(*command)
        assert code == 4
        assert "stopped/solution.h5: damaged" in err and "and stopped/solution.h5.previous: damaged" in err


def test_names_do_not_get_in_the_way_of_hdf5(run, tmp_path):
    """HDF5 looks for the name of a file in memory on the disk."""
    (tmp_path / "run").mkdir()
    assert run("solve", PAPER, "-o", "run", "--quiet")[0] == 0
    assert run("eval", "run", "--at", "theta=0")[0] == 0


def test_killed_between_the_two_renames(stopped, run, tmp_path):
    (stopped / "solution.h5").rename(stopped / "solution.h5.tmp")
    code, _, err = run("resume", "stopped", "--quiet")
    assert code == 0 and "solution.h5 is missing" in err and "solution.h5.previous, is used" in err
    assert differences(content(stopped), content(tmp_path / "whole")) == []


def test_a_newer_format_is_refused_not_misread(run, tmp_path):
    assert run("solve", PAPER, "-o", "a", "--quiet")[0] == 0
    path = tmp_path / "a" / "solution.h5"
    with h5py.File(path, "r+") as store:
        store.attrs["format_version"] = np.int64(1000)
        store.attrs["version"] = "99.0"
    sign(path, path.read_bytes()[512:])
    code, _, err = run("eval", "a", "--at", "theta=0")
    assert code == 4 and "has format 1000, written by chaosgrad 99.0" in err and "reads up to format 1" in err


def test_a_run_of_which_nothing_is_stored_yet(run, tmp_path):
    assert run("solve", PAPER, "-o", "a", "--quiet")[0] == 0
    (tmp_path / "a" / "solution.h5").unlink()  # leaves the store from before the first iteration
    code, _, err = run("eval", "a", "--at", "theta=0")
    assert code == 4 and "a: the run was begun, but no checkpoint of it is stored; `chaosgrad resume a` goes on" in err
    assert run("resume", "a", "--quiet")[0] == 0
    assert run("eval", "a", "--at", "theta=0")[0] == 0


def test_what_a_kill_left_out_is_written_by_resume(run, tmp_path):
    """A kill after the final store but before the files for readers, in a first run and in one that went on."""
    assert run("solve", PAPER, "-o", "a", "--quiet")[0] == 0
    whole = content(tmp_path / "a")
    for missing in (["summary.json"], ["report.html", "summary.json"], ["history.csv", "report.html", "summary.json"]):
        for name in missing:
            (tmp_path / "a" / name).unlink()
        code, out, _ = run("resume", "a")
        assert code == 0 and "nothing left to do" in out
        assert differences(content(tmp_path / "a"), whole) == []
    names = ["history.csv", "report.html", "summary.json"]
    before = {name: (tmp_path / "a" / name).read_bytes() for name in names}
    assert run("resume", "a", "--quiet", "--set", "solve.iterations=350")[0] == 0
    whole = content(tmp_path / "a")
    for name in names:
        (tmp_path / "a" / name).write_bytes(before[name])
    assert run("resume", "a", "--quiet")[0] == 0
    assert differences(content(tmp_path / "a"), whole) == []
    assert run("solve", PAPER, "-o", "a", "--quiet", "--max-seconds", "1e-9")[0] == 1  # nothing of the run before is left
    assert json.loads((tmp_path / "a" / "summary.json").read_text())["iterations"] == 0


FILLING = ["--quiet", "--set", "solve.checkpoint_seconds=0.001", "--set", "solve.iterations=5000"]


def test_a_limit_on_file_sizes_ends_the_run_and_leaves_the_last_checkpoint(start, run, tmp_path):
    assert run("solve", PAPER, "-o", "whole", *FILLING)[0] == 0
    process = start("solve", PAPER, "-o", "full", *FILLING,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)))
    _, err = process.communicate(timeout=60)
    assert process.returncode == 4
    assert err == ("error: full/solution.h5.tmp: cannot be written: File too large; full/solution.h5 is as it was before\n")
    assert not (tmp_path / "full" / "solution.h5.tmp").exists()
    assert run("eval", "full", "--at", "theta=0")[0] == 0
    assert run("resume", "full", "--quiet")[0] == 0
    assert differences(content(tmp_path / "full"), content(tmp_path / "whole")) == []


@pytest.fixture
def on_a_small_disk(program, tmp_path):
    """Runs a shell script in a folder with a file system of its own, `disk`, that holds `size` kilobytes, with the program as $CG.
    Every line of the script is "NAME: COMMAND"; returns the exit codes and what went to standard error, by name."""
    if subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True).returncode != 0:
        pytest.skip("no mounts are allowed here: the tests with a limit on file sizes and with permissions stand for this one")

    def call(size, script):
        lines = [f"mkdir -p disk && mount -t tmpfs -o size={size}k tmpfs disk || exit 99"]
        for line in script.strip().splitlines():
            name, _, command = line.strip().partition(": ")
            lines.append(f"({command}) >>out.txt 2>{name}.err; echo {name}=$?")
        done = subprocess.run(["unshare", "-rm", "bash", "-c", "\n".join(lines)], cwd=tmp_path, env={**os.environ, "CG": program},
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        codes = dict(line.split("=") for line in done.stdout.split())
        return {name: int(code) for name, code in codes.items()}, {name: (tmp_path / f"{name}.err").read_text() for name in codes}

    return call


def test_a_full_disk_ends_the_run_and_leaves_the_last_checkpoint(on_a_small_disk, run, tmp_path):
    """What else is on the disk fills it while the run goes on; after it is gone the run goes on."""
    assert run("solve", PAPER, "-o", "whole", *FILLING)[0] == 0
    codes, err = on_a_small_disk(20_000, f"""
        fill: head -c 19700K /dev/zero > disk/filler
        solve: "$CG" solve {PAPER} -o disk/run {" ".join(FILLING)}
        eval: "$CG" eval disk/run --at theta=0
        again: "$CG" resume disk/run --quiet
        empty: rm disk/filler
        resume: "$CG" resume disk/run --quiet
        copy: cp -r disk/run result""")
    assert codes == {"fill": 0, "solve": 4, "eval": 0, "again": 4, "empty": 0, "resume": 0, "copy": 0}, err
    message = "error: disk/run/solution.h5.tmp: cannot be written: No space left on device; disk/run/solution.h5 is as it was before\n"
    assert err["solve"] == message and err["again"] == message and err["eval"] == ""
    assert not (tmp_path / "result" / "solution.h5.tmp").exists()
    assert differences(content(tmp_path / "result"), content(tmp_path / "whole")) == []


def test_a_disk_with_room_for_the_result_but_not_for_the_report(on_a_small_disk, run, tmp_path):
    assert run("solve", PAPER, "-o", "whole", "--quiet")[0] == 0
    codes, err = on_a_small_disk(4_000, f"""
        fill: head -c 3200K /dev/zero > disk/filler
        solve: "$CG" solve {PAPER} -o disk/run --quiet
        eval: "$CG" eval disk/run --at theta=0
        empty: rm disk/filler
        resume: "$CG" resume disk/run --quiet
        copy: cp -r disk/run result""")
    assert codes == {"fill": 0, "solve": 4, "eval": 0, "empty": 0, "resume": 0, "copy": 0}, err
    assert err["solve"] == ("error: disk/run/report.html.tmp: cannot be written: No space left on device; the run itself is complete in "
                            "disk/run/solution.h5, and `chaosgrad resume disk/run` writes the other files\n")
    assert differences(content(tmp_path / "result"), content(tmp_path / "whole")) == []


def test_a_read_only_disk(on_a_small_disk, run, tmp_path):
    assert run("solve", PAPER, "-o", "whole", "--quiet")[0] == 0
    codes, err = on_a_small_disk(20_000, f"""
        begin: "$CG" solve {PAPER} -o disk/run --quiet --max-seconds 1e-9; test $? = 1
        lock: mount -o remount,ro disk
        new: "$CG" solve {PAPER} -o disk/new --quiet
        resume: "$CG" resume disk/run --quiet
        eval: "$CG" eval disk/run --at theta=0
        unlock: mount -o remount,rw disk
        finish: "$CG" resume disk/run --quiet
        lock2: mount -o remount,ro disk
        nothing: "$CG" resume disk/run --quiet
        copy: cp -r disk/run result""")
    assert codes == {"begin": 0, "lock": 0, "new": 4, "resume": 4, "eval": 0, "unlock": 0, "finish": 0, "lock2": 0, "nothing": 0,
                     "copy": 0}, err
    assert err["new"] == "error: disk/new: cannot be created: Read-only file system\n"
    assert err["resume"] == ("error: disk/run/solution.h5.tmp: cannot be written: Read-only file system; "
                             "disk/run/solution.h5 is as it was before\n")
    assert differences(content(tmp_path / "result"), content(tmp_path / "whole")) == []


def test_a_folder_that_becomes_read_only(program):
    """As a user whom permissions bind."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o777)
        shutil.copy(program, folder / "chaosgrad")
        shutil.copy(PAPER, folder / "paper.toml")
        (folder / "paper.toml").chmod(0o644)
        nobody = {"user": 65534, "group": 65534} if os.getuid() == 0 else {}
        command = ["./chaosgrad", "solve", "paper.toml", "--quiet", "--set", "solve.checkpoint_seconds=0.01",
                   "--set", "solve.iterations=300", "--set", "solve.samples=300000", "--set", "solve.max_gradients=1e9", "-o"]
        (folder / "closed").mkdir(mode=0o555)
        done = subprocess.run([*command, "closed"], cwd=folder, capture_output=True, text=True, **nobody)
        assert done.returncode == 4
        assert done.stderr == "error: closed/solution.h5.tmp: cannot be written: Permission denied\n"
        done = subprocess.run([*command, "closed/inner"], cwd=folder, capture_output=True, text=True, **nobody)
        assert done.returncode == 4 and "closed/inner: cannot be created: Permission denied" in done.stderr

        (folder / "open").mkdir()
        (folder / "open").chmod(0o777)
        process = subprocess.Popen([*command, "open"], cwd=folder, stderr=subprocess.PIPE, text=True, **nobody)
        wait_for_iterations(folder / "open")
        (folder / "open").chmod(0o555)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 4
        assert re.fullmatch(r"error: .*: (cannot be written|cannot be renamed to .*): Permission denied.*\n", err)
        (folder / "open").chmod(0o777)
        assert subprocess.run(["./chaosgrad", "eval", "open", "--at", "theta=0"], cwd=folder, capture_output=True).returncode == 0
        done = subprocess.run(["./chaosgrad", "resume", "open", "--quiet"], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_progress_for_programs(start):
    process = start("solve", PAPER, "--set", "solve.samples=50000", "--set", "solve.max_gradients=1e9", "--set",
                    "solve.tolerance=0.5", "--json", "--progress", "json")
    out, err = process.communicate(timeout=60)
    summary, lines = json.loads(out), [json.loads(line) for line in err.splitlines()]
    assert len(lines) >= 2
    for line in lines:
        assert set(line) == {"stage", "iteration", "iterations", "basis_size", "samples", "error", "tolerance", "gradient_norm",
                             "gradients", "gradients_per_second", "seconds", "seconds_left"}
        assert line["samples"] == 50000 and line["gradients"] == 50000 * line["iteration"] and line["tolerance"] == 0.5
        assert line["gradients_per_second"] > 0 and line["seconds_left"] >= 0
    last = lines[-1]
    assert last["iteration"] == last["iterations"] == 300 and last["seconds_left"] == 0
    assert last["error"] == summary["true_error"] and last["gradients"] == summary["gradient_evaluations"]
    assert last["stage"] == "statistics and page" and all(line["stage"] == "descent" for line in lines[:-1])


def test_progress_elsewhere_is_one_line(run):
    code, _, err = run("solve", PAPER, "--set", "solve.method=masg", "--set", "solve.tolerance=1e-3")
    assert code == 0
    assert re.fullmatch(r"stage \d 300/300  m 19  samples 500  error \S+ of 1e-03  \S+ gradients/s  0 s left\n", err), err
    code, _, err = run("solve", PROBLEM["sieve"], "--set", "solve.method=sieve")
    assert code == 0
    assert re.fullmatch(r"sieve, stage \d+  m \d+  samples \d+  error \S+ of \S+  \S+ gradients/s  0 s left\n", err), err
    assert run("solve", PAPER, "--quiet")[2] == "" and run("solve", PAPER, "--json")[2] == ""
    assert run("solve", PAPER, "--progress", "none")[2] == ""
    code, _, err = run("solve", PAPER, "--progress", "loud")
    assert code == 2 and "--progress" in err


@pytest.mark.parametrize("example", ["paper", "quickstart", "ridge"])
def test_the_documented_reader_needs_only_h5py(run, tmp_path, example):
    code = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "run-format.md").read_text(), re.S)[0]
    names = {}
    exec(code, names)
    path = ROOT / "examples" / f"{example}.toml"
    assert run("solve", path, "-o", "out", "--quiet", "--set", "solve.method=agd", "--set", "solve.iterations=50")[0] == 0
    with h5py.File(tmp_path / "out" / "solution.h5") as store:
        parameters = store["parameters"].asstr()[:]
        marginals = [json.loads(text) for text in store["measure/marginals"].asstr()[:]]
    theta = [marginal.get("lower", marginal.get("mean", 1)) + 0.3 for marginal in marginals]
    at = ",".join(f"{name}={value!r}" for name, value in zip(parameters, theta))
    code, out, _ = run("eval", "out", "--at", at, "--json")
    expected = json.loads(out)["variables"]
    found = names["optimum"](tmp_path / "out" / "solution.h5", theta)
    assert found.keys() == expected.keys()
    scale = max(abs(value) for value in expected.values())
    assert all(abs(found[name] - expected[name]) < 1e-12 * scale for name in expected)


def test_every_entry_of_the_store_is_documented(run, tmp_path):
    assert run("solve", NOISE, "-o", "out", "--quiet", "--set", "solve.method=nested", "--set", "solve.iterations=10")[0] == 0
    text = (ROOT / "docs" / "run-format.md").read_text()
    names = []
    with h5py.File(tmp_path / "out" / "solution.h5") as store:
        store.visititems(lambda name, node: names.append(name) if isinstance(node, h5py.Dataset) else None)
    for name in names:
        group, _, last = name.rpartition("/")
        if group.startswith(("history", "state", "basis/")):
            continue
        assert f"`{name}`" in text or f"`{last}`" in text or f"`…/{last}`" in text, name
