"""`chaosgrad serve`, asked by a client that is written from the text of the UM-Bridge protocol, standard library only."""
import concurrent.futures
import http.client
import json
import math
import random
import socket
import subprocess

import pytest

PROBLEM = """
[parameters]
a = { distribution = "uniform", lower = 0, upper = 1 }
b = { distribution = "normal", mean = 0, sd = 0.3 }
[variables]
x = {}
y = {}
[objective]
minimize = "(x - exp(a*b))^2/2 + (y - x - a)^2/2"
[solve]
tolerance = 1e-6
"""


class Client:
    def __init__(self, port):
        self.port = port

    def ask(self, method, path, body=None):
        """(status, answer); a connection for each request. A body that is a text goes as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        text = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
        connection.request(method, path, text, {"Content-Type": "application/json"})
        response = connection.getresponse()
        data = response.read()
        connection.close()
        return response.status, json.loads(data) if data else None

    def post(self, path, **body):
        return self.ask("POST", path, body)


@pytest.fixture(scope="module")
def folder(program, tmp_path_factory):
    where = tmp_path_factory.mktemp("served")
    (where / "own.toml").write_text(PROBLEM)
    subprocess.run([program, "solve", "own.toml", "-o", "run", "--quiet"], cwd=where, check=True)
    return where


@pytest.fixture(scope="module")
def server(program, folder):
    process = subprocess.Popen([program, "serve", "run", "--port", "0"], cwd=folder, stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    assert "http://127.0.0.1:" in line
    yield int(line.split("127.0.0.1:")[1].split(";")[0])
    process.terminate()
    process.wait()


@pytest.fixture
def client(server):
    return Client(server)


def test_what_it_is(client):
    status, info = client.ask("GET", "/Info")
    assert status == 200 and info == {"protocolVersion": 1.0, "models": ["optimum"]}
    assert client.post("/ModelInfo", name="optimum") == (
        200, {"support": {"Evaluate": True, "Gradient": True, "ApplyJacobian": True, "ApplyHessian": False}})
    assert client.post("/InputSizes", name="optimum", config={}) == (200, {"inputSizes": [2]})
    assert client.post("/OutputSizes", name="optimum") == (200, {"outputSizes": [2]})


def test_derivatives(client):
    """x = exp(ab), y = a + exp(ab)."""
    a, b = 0.3, -0.2
    e = math.exp(a * b)
    common = {"name": "optimum", "input": [[a, b]], "config": {}, "outWrt": 0, "inWrt": 0}
    status, answer = client.post("/Gradient", sens=[2.0, -1.0], **common)
    assert status == 200
    assert answer["output"] == pytest.approx([2 * b * e - (1 + b * e), 2 * a * e - a * e], abs=1e-4)
    status, answer = client.post("/ApplyJacobian", vec=[1.0, 3.0], **common)
    assert status == 200
    assert answer["output"] == pytest.approx([b * e + 3 * a * e, 1 + b * e + 3 * a * e], abs=1e-4)


def test_a_thousand_requests(client):
    """Eight at a time; every answer belongs to its question."""
    numbers = random.Random(1)
    points = [(numbers.random(), numbers.gauss(0, 0.3)) for _ in range(1000)]

    def error(point):
        status, answer = client.post("/Evaluate", name="optimum", input=[list(point)], config={})
        assert status == 200
        (x, y), = answer["output"]
        return max(abs(x - math.exp(point[0] * point[1])), abs(y - point[0] - math.exp(point[0] * point[1])))

    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        errors = list(threads.map(error, points))
    assert math.sqrt(sum(error * error for error in errors) / len(errors)) < 1e-5


@pytest.mark.parametrize("path,body,status,kind,message", [
    ("/Evaluate", "not json", 400, "InvalidInput", "expected a JSON object"),
    ("/Evaluate", "[1, 2]", 400, "InvalidInput", "expected a JSON object"),
    ("/Evaluate", "", 400, "InvalidInput", "expected a JSON object"),
    ("/Evaluate", {"input": [[0, 0]]}, 400, "InvalidInput", 'no "name"'),
    ("/Evaluate", {"name": "F", "input": [[0, 0]]}, 400, "ModelNotFound", '"optimum"'),
    ("/Evaluate", {"name": 3, "input": [[0, 0]]}, 400, "ModelNotFound", "3"),
    ("/Evaluate", {"name": "optimum"}, 400, "InvalidInput", 'no "input"'),
    ("/Evaluate", {"name": "optimum", "input": [0, 0]}, 400, "InvalidInput", "a list of one list"),
    ("/Evaluate", {"name": "optimum", "input": [[0, 0], [1]]}, 400, "InvalidInput", "a list of one list"),
    ("/Evaluate", {"name": "optimum", "input": [[0]]}, 400, "InvalidInput", "a list of 2 numbers"),
    ("/Evaluate", {"name": "optimum", "input": [[0, "1"]]}, 400, "InvalidInput", "expected numbers"),
    ("/Evaluate", {"name": "optimum", "input": [[0, None]]}, 400, "InvalidInput", "expected numbers"),
    ("/Evaluate", {"name": "optimum", "input": [[1.5, 0]]}, 400, "InvalidInput", "outside the support [0, 1]"),
    ("/Gradient", {"name": "optimum", "input": [[0, 0]]}, 400, "InvalidInput", 'no "outWrt"'),
    ("/Gradient", {"name": "optimum", "input": [[0, 0]], "outWrt": 1, "inWrt": 0, "sens": [1, 1]}, 400, "InvalidInput",
     "outWrt: expected 0"),
    ("/Gradient", {"name": "optimum", "input": [[0, 0]], "outWrt": 0, "inWrt": 0, "sens": [1]}, 400, "InvalidInput",
     "sens: expected a list of 2 numbers"),
    ("/ApplyHessian", {"name": "optimum", "input": [[0, 0]]}, 400, "UnsupportedFeature", "not supported"),
])
def test_bad_requests_are_refused(client, path, body, status, kind, message):
    found, answer = client.ask("POST", path, body)
    assert found == status and answer["error"]["type"] == kind and message in answer["error"]["message"], answer
    assert client.ask("GET", "/Info")[0] == 200  # and it lives


def test_what_is_not_there_or_too_long(client):
    assert client.ask("POST", "/Elsewhere", {})[0] == 404
    assert client.ask("GET", "/Evaluate")[0] == 404
    with socket.create_connection(("127.0.0.1", client.port)) as raw:
        raw.sendall(b"nonsense\r\n\r\n")
        assert b"400" in raw.recv(100)
    long = json.dumps({"name": "optimum", "input": [[0, 0]], "config": "x" * (2 << 20)})
    try:
        assert client.ask("POST", "/Evaluate", long)[0] == 413
    except (BrokenPipeError, ConnectionResetError):  # refused before all of it was sent
        pass
    assert client.ask("GET", "/Info")[0] == 200


def test_others_on_the_network_are_not_served(server):
    """It listens at the loopback address only."""
    for line in open("/proc/net/tcp").readlines()[1:]:
        address, state = line.split()[1], line.split()[3]
        if state == "0A" and int(address.split(":")[1], 16) == server:
            assert address.split(":")[0] == "0100007F"
            return
    pytest.fail("nobody listens")


def test_a_taken_port_and_a_failed_run(run, program, folder, server):
    done = subprocess.run([program, "serve", "run", "--port", str(server)], cwd=folder, capture_output=True, text=True,
                          timeout=20)
    assert done.returncode == 4 and "cannot listen there" in done.stderr
    code, _, err = run("serve", "nowhere")
    assert code == 4 and "no run is there" in err


def test_chaosgrad_asks_chaosgrad(run, tmp_path, program, folder, server):
    """x*(θ) has two outputs: as an objective it is refused, in words."""
    (tmp_path / "other.toml").write_text(f"""
[parameters]
t = {{ distribution = "uniform", lower = 0, upper = 1 }}
[variables]
x = {{}}
[objective]
server = "http://127.0.0.1:{server}"
model = "optimum"
""")
    code, _, err = run("solve", "other.toml", "--quiet")
    assert code == 2 and "takes inputs of the sizes [2], expected [1,1]" in err
