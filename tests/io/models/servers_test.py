"""Models behind a server (UM-Bridge): whatever the server does, the answer is right or the message is."""
import json
import pathlib
import signal
import socket
import subprocess
import sys
import time

import h5py
import pytest

from support.model_server import Behaviour, Server, chance

SUPPORT = pathlib.Path(__file__).resolve().parents[2] / "support"


def problem(url, objective="", solve="", noise="", more=()):
    others = "\n".join(f'{name} = {{ distribution = "uniform", lower = 0, upper = 1 }}' for name in more)
    b = f"({'+'.join(('b', *more))})/{1 + len(more)}"
    return f"""
[parameters]
a = {{ distribution = "uniform", lower = 0, upper = 1 }}
b = {{ distribution = "uniform", lower = 0, upper = 1 }}
{others}
{noise}
[variables]
x = {{}}
y = {{}}
[objective]
server = "{url}"
model = "F"
{objective}
[reference]
x = "exp(a*{b})"
y = "a + exp(a*{b})"
[solve]
tolerance = 1e-3
{solve}
"""


@pytest.fixture
def solve(run, tmp_path):
    """solve(server or url, …) → exit code, summary, messages; the run is in the folder `run`."""
    def call(server, objective="", options="", noise="", arguments=(), folder="run", more=()):
        url = server if isinstance(server, str) else server.url
        (tmp_path / "own.toml").write_text(problem(url, objective, options, noise, more))
        code, out, err = run("solve", "own.toml", "-o", folder, "--json", *arguments)
        return code, json.loads(out) if out else None, err
    return call


def coefficients(folder):
    with h5py.File(folder / "solution.h5") as store:
        return store["coefficients"][...].tobytes()


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def start_process(port, **settings):
    process = subprocess.Popen([sys.executable, str(SUPPORT / "model_server.py"), str(port),
                                *(f"{key}={value}" for key, value in settings.items())],
                               stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().startswith("http")
    return process


def test_a_model_is_solved_to_the_optimum_that_is_known(solve):
    with Server(Behaviour()) as server:
        code, summary, err = solve(server)
        assert code == 0, err
        assert summary["true_error"] < 1e-3 and summary["error"]["estimate"] < 1e-3
        asked = server.counts["/Gradient"]
        assert asked == len({point for point in server.seen if point[0] == "/Gradient"})  # none twice
        counted = summary["gradient_evaluations"] + summary["diagnostic_gradients"]
        assert 0.9 * asked < counted < 1.1 * asked


def test_without_values_gradients_suffice(solve):
    with Server(Behaviour(evaluate=False)) as server:
        code, summary, err = solve(server)
        assert code == 0 and summary["true_error"] < 1e-3, err
        assert "/Evaluate" not in server.counts


@pytest.mark.parametrize("parallel", [1, 3, 8])
def test_the_same_bits_for_any_number_of_calls_at_a_time(solve, tmp_path, parallel):
    with Server(Behaviour()) as server:
        for name, count in (("one", 1), ("many", parallel)):
            assert solve(server, f"parallel = {count}")[0] == 0
            (tmp_path / "run").rename(tmp_path / name)
    assert coefficients(tmp_path / "one") == coefficients(tmp_path / "many")


def test_four_in_flight_are_three_times_faster(solve, tmp_path):
    """A model of 50 ms with five parameters: 600 calls in 47 batches, of which four at a time make 164 rounds."""
    seconds = {}
    for parallel in (1, 4):
        with Server(Behaviour(seconds=0.05, evaluate=False, inputs=(2, 5))) as server:
            start = time.monotonic()
            code, summary, err = solve(server, f"parallel = {parallel}", more=("c", "d", "e"),
                                       arguments=("--set", "solve.tolerance=1e-2"))
            assert code == 0, err
            seconds[parallel] = time.monotonic() - start
            (tmp_path / "run").rename(tmp_path / str(parallel))
    assert seconds[1] > 3 * seconds[4], seconds


def test_noise_goes_to_the_model_as_its_third_input(solve):
    """E v = 0: the optimum is the same."""
    noise = '[noise]\nv = { distribution = "discrete", values = [-0.5, 0.5], weights = [0.5, 0.5] }'
    with Server(Behaviour(inputs=(2, 2, 1))) as server:
        code, summary, err = solve(server, noise=noise)
        assert code == 0 and summary["true_error"] < 1e-3, err
        assert summary["noise"] == "summed"
        assert {point[3] for point in server.seen} == {(-0.5,), (0.5,)}


def test_no_server(solve):
    code, _, err = solve(f"http://127.0.0.1:{free_port()}", "retries = 1")
    assert code == 4 and "no server answers there" in err


@pytest.mark.parametrize("url", ["localhost:4242", "ftp://localhost", "http://"])
def test_an_address_that_is_none(solve, url):
    code, _, err = solve(url)
    assert code == 2 and "http://localhost:4242" in err and "own.toml:11" in err


def test_another_model_name(solve):
    with Server(Behaviour()) as server:
        code, _, err = solve(server, arguments=("--set", "objective.model=G"))
        assert code == 2 and 'no model "G"' in err and "F, other" in err


@pytest.mark.parametrize("wrong,message", [
    ({"inputs": (2, 3)}, "inputs of the sizes [2,3], expected [2,2]"),
    ({"inputs": (2, 2, 1)}, "expected [2,2]"),
    ({"outputs": (2,)}, "outputs of the sizes [2], expected [1]"),
    ({"gradient_size": 3}, "expected a list of 2 numbers"),
    ({"gradient_size": 1}, "expected a list of 2 numbers"),
])
def test_wrong_sizes(solve, wrong, message):
    with Server(Behaviour(**wrong)) as server:
        code, _, err = solve(server)
        assert code == 2 and message in err, err


@pytest.mark.parametrize("how,reason", [("500", "status 500 of /Gradient"), ("nan", "not a number"),
                                        ("null", "not a number"), ("slow", "within timeout = 0.3 s"),
                                        ("error", "it did not converge"), ("break", "connection broke")])
def test_a_model_that_fails_everywhere_says_how(solve, how, reason):
    with Server(Behaviour(failing=1, how=how, evaluate=False)) as server:
        code, _, err = solve(server, "timeout = 0.3\nretries = 1")
        assert code == 2 and reason in err and "fails at the start" in err, err


@pytest.mark.parametrize("how", ["500", "nan", "null", "slow", "error", "break"])
@pytest.mark.parametrize("evaluate", [True, False])
def test_a_model_that_fails_at_two_percent_of_theta(solve, how, evaluate):
    with Server(Behaviour(failing=0.02, how=how, evaluate=evaluate)) as server:
        code, summary, err = solve(server, "timeout = 0.3\nretries = 1\nparallel = 8", "seed = 3")
        assert code == 0, err
        assert summary["true_error"] < 1e-3 and summary["error"]["estimate"] < 1e-3
        skipped = summary["skipped"]
        tried = {point[2] for point in server.seen}
        failed = {theta for theta in tried if chance(list(theta)) < 0.02}
        assert skipped["points"] == len(failed) > 0
        assert skipped["share"] == pytest.approx(len(failed) / len(tried), rel=0.1)
        assert any("were skipped" in note for note in summary["notes"])
        assert summary["unseen"] > skipped["share"]


def test_a_hiccup_is_tried_again_and_changes_nothing(solve, tmp_path):
    for name, share in (("plain", 0), ("hiccups", 0.3)):
        with Server(Behaviour(hiccups=share)) as server:
            code, summary, err = solve(server)
            assert code == 0 and summary["skipped"]["points"] == 0, err
        (tmp_path / "run").rename(tmp_path / name)
    assert coefficients(tmp_path / "plain") == coefficients(tmp_path / "hiccups")


def test_too_many_failures_end_the_run(solve):
    with Server(Behaviour(failing=0.4, how="error", evaluate=False)) as server:
        code, summary, err = solve(server, "retries = 0", "seed = 2")
        assert code == 3 and summary["status"] == "bad_gradient", err
        assert "up to 10 % are skipped" in err and "it did not converge" in err


def test_a_server_that_dies_midway(solve, run, tmp_path):
    """The run says so, resumes when the server is back, and ends with the bits of one that was never interrupted."""
    with Server(Behaviour()) as server:
        assert solve(server)[0] == 0
    (tmp_path / "run").rename(tmp_path / "whole")
    port = free_port()
    process = start_process(port, die_after=60)
    code, _, err = solve(f"http://127.0.0.1:{port}", "retries = 1")
    process.wait()
    assert code == 4 and "no server answers there" in err and "chaosgrad resume run" in err, err
    process = start_process(port)
    try:
        code, out, err = run("resume", "run", "--json")
    finally:
        process.kill()
        process.wait()
    assert code == 0, err
    assert coefficients(tmp_path / "run") == coefficients(tmp_path / "whole")
    with h5py.File(tmp_path / "run" / "evaluations.h5") as log, h5py.File(tmp_path / "whole" / "evaluations.h5") as whole:
        assert len(log["evaluations"]) == len(whole["evaluations"])


def test_a_kill_loses_no_evaluation(solve, run, program, tmp_path):
    with Server(Behaviour(seconds=0.01)) as server:
        (tmp_path / "own.toml").write_text(problem(server.url, "parallel = 2"))
        process = subprocess.Popen([program, "solve", "own.toml", "-o", "run", "--quiet"], cwd=tmp_path)
        while server.counts.get("/Gradient", 0) < 80:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        time.sleep(0.1)
        paid = len(server.seen)
        code, out, err = run("resume", "run", "--json")
        assert code == 0, err
        summary = json.loads(out)
        in_flight = 2
        note = next(note for note in summary["notes"] if "known from the log" in note)
        calls = int(note.split("was called ")[1].split()[0])
        assert calls <= len(server.seen) - paid + in_flight
        assert sum(server.counts.values()) <= len(server.seen) + in_flight


def test_a_second_run_pays_nothing_again(solve, tmp_path):
    """The same again: one call, which looks whether the model is the same. Another tolerance: what is new. Another seed
    or basis: the optima are taken over, and the test is fresh."""
    with Server(Behaviour()) as server:
        assert solve(server)[0] == 0
        first, bits = sum(server.counts.values()), coefficients(tmp_path / "run")
        assert solve(server)[0] == 0
        assert sum(server.counts.values()) == first + 1 and coefficients(tmp_path / "run") == bits

        def cost(*arguments, folder="run"):
            before = sum(server.counts.values())
            code, summary, err = solve(server, arguments=arguments, folder=folder)
            assert code == 0 and summary["true_error"] < 1e-3, err
            return sum(server.counts.values()) - before

        for index, arguments in enumerate([("--set", "solve.tolerance=1e-4"), ("--set", "solve.seed=2")]):
            alone = cost(*arguments, folder=f"alone{index}")
            assert cost(*arguments) < 0.75 * alone, arguments
        assert cost("--set", "solve.seed=2") == 1  # as when it was first run


def test_a_changed_model_is_noticed(solve):
    with Server(Behaviour()) as server:
        assert solve(server)[0] == 0
        server.behaviour.shift = 0.5
        code, _, err = solve(server)
        assert code == 2 and "the model has changed" in err and "evaluations.h5" in err


def test_another_model_in_the_same_folder(solve):
    with Server(Behaviour()) as server:
        assert solve(server)[0] == 0
    with Server(Behaviour()) as server:
        code, _, err = solve(server)
        assert code == 2 and "holds evaluations of another model" in err


def test_failures_are_tried_again_by_the_next_solve(solve):
    with Server(Behaviour(failing=0.05, evaluate=False)) as server:
        code, summary, err = solve(server, "retries = 0")
        assert code == 0 and summary["skipped"]["points"] > 0, err
        server.behaviour.failing = 0
        code, summary, err = solve(server, "retries = 0")
        assert code == 0 and summary["skipped"]["points"] == 0, err


def test_methods_that_sum_over_samples_skip_too(solve):
    """Noise that cannot be integrated out: the sieve. Its budget ends first, with and without failures alike."""
    noise = '[noise]\nv = { distribution = "normal", mean = 0, sd = 0.1 }'
    found = {}
    for failing in (0, 0.02):
        with Server(Behaviour(inputs=(2, 2, 1), failing=failing, evaluate=False)) as server:
            code, summary, err = solve(server, "retries = 0\nparallel = 8", noise=noise, folder=str(failing),
                                       arguments=("--set", "solve.max_gradients=4000"))
            assert code == 1 and summary["status"] == "out_of_gradients", err
            found[failing] = summary
    assert found[0.02]["true_error"] == pytest.approx(found[0]["true_error"], rel=0.05)
    assert found[0]["skipped"] == {"points": 0, "share": 0.0, "together": False}
    count = found[0.02]["skipped"]["points"] / found[0.02]["skipped"]["share"]
    assert abs(found[0.02]["skipped"]["share"] - 0.02) < 3 * (0.02 / count) ** 0.5 + 0.002  # theta come more than once
