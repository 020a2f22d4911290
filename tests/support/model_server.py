"""A UM-Bridge server made of the standard library, for tests: one model F with known optimum, and every way to fail.

    F(x, y; a, b) = (1 + a²)/2 (x − exp(ab))² + (y − x − a)²/2, with the optimum x = exp(ab), y = a + exp(ab)

With more parameters b is the mean of all but the first; with one it is a. With noise v: + v·x. Run by itself: model_server.py PORT [key=value]…, the keys of Behaviour.
"""
import dataclasses
import hashlib
import http.server
import json
import math
import os
import struct
import sys
import threading
import time


def mean_of_others(theta):
    return sum(theta[1:]) / len(theta[1:]) if len(theta) > 1 else theta[0]


def value(x, theta, noise):
    (x, y), (a, b) = x, (theta[0], mean_of_others(theta))
    return (1 + a * a) / 2 * (x - math.exp(a * b)) ** 2 + (y - x - a) ** 2 / 2 + sum(noise) * x


def gradient(x, theta, noise):
    (x, y), (a, b) = x, (theta[0], mean_of_others(theta))
    return [(1 + a * a) * (x - math.exp(a * b)) - (y - x - a) + sum(noise), y - x - a]


def chance(numbers, seed=0):
    """A number from 0 to 1 that looks random and is a function of the numbers."""
    digest = hashlib.sha256(struct.pack(f"{len(numbers) + 1}d", seed, *numbers)).digest()
    return int.from_bytes(digest[:8], "little") / 2**64


@dataclasses.dataclass
class Behaviour:
    seconds: float = 0.0          # that a call takes
    failing: float = 0.0          # share of θ at which it fails
    how: str = "500"              # 500 with an empty body | nan | null | slow | error | break
    die_after: int = 0            # gradients, after which the process ends; 0: never
    hiccups: float = 0.0          # share of points whose first call is answered by 500
    inputs: tuple = (2, 2)
    outputs: tuple = (1,)
    gradient_size: int = 2        # of the answer
    evaluate: bool = True         # whether values are offered
    corner: bool = False          # failures fill a corner of θ instead of being scattered
    shift: float = 0.0            # another model: x is optimal elsewhere


def fails(behaviour, theta):
    if behaviour.corner:  # θ uniform on [0, 1]²
        return max(1 - theta[0], 1 - theta[1]) < math.sqrt(behaviour.failing)
    return chance(theta) < behaviour.failing


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, text, status=200):
        body = (text if isinstance(text, str) else json.dumps(text)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.reply({"protocolVersion": 1.0, "models": ["F", "other"]})

    def do_POST(self):
        behaviour, counts, seen, lock = (self.server.behaviour, self.server.counts, self.server.seen, self.server.lock)
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert request["name"] == "F"
        if self.path == "/ModelInfo":
            return self.reply({"support": {"Evaluate": behaviour.evaluate, "Gradient": True, "ApplyJacobian": False,
                                           "ApplyHessian": False}})
        if self.path == "/InputSizes":
            return self.reply({"inputSizes": list(behaviour.inputs)})
        if self.path == "/OutputSizes":
            return self.reply({"outputSizes": list(behaviour.outputs)})
        x, theta, noise = (request["input"] + [[]])[:3]
        x = [x[0] - behaviour.shift, x[1]]
        with lock:
            counts[self.path] = counts.get(self.path, 0) + 1
            point = (self.path, tuple(x), tuple(theta), tuple(noise))
            first = point not in seen
            seen.add(point)
            if behaviour.die_after and counts.get("/Gradient", 0) > behaviour.die_after:
                os._exit(1)
        if behaviour.seconds:
            time.sleep(behaviour.seconds)
        if first and chance(x + theta, 1) < behaviour.hiccups:
            return self.reply("", 500)
        if fails(behaviour, theta):
            if behaviour.how == "500":
                return self.reply("", 500)
            if behaviour.how == "error":
                return self.reply({"error": {"type": "InvalidOutput", "message": "it did not converge"}}, 500)
            if behaviour.how == "slow":
                time.sleep(3600)
            if behaviour.how == "break":
                return self.connection.close()
            bad = {"nan": "NaN", "null": "null"}[behaviour.how]
            return self.reply(f'{{"output": [[{bad}]]}}' if self.path == "/Evaluate" else f'{{"output": [1.0, {bad}]}}')
        if self.path == "/Evaluate":
            return self.reply({"output": [[value(x, theta, noise)]]})
        assert request["inWrt"] == 0 and request["outWrt"] == 0 and request["sens"] == [1.0]
        return self.reply({"output": (gradient(x, theta, noise) * 2)[:behaviour.gradient_size]})


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, behaviour, port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.behaviour, self.counts, self.seen, self.lock = behaviour, {}, set(), threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


if __name__ == "__main__":
    settings = dict(argument.split("=") for argument in sys.argv[2:])
    kinds = {field.name: type(field.default) for field in dataclasses.fields(Behaviour)}
    read = {tuple: lambda text: tuple(map(int, text.split(",")))}
    server = Server(Behaviour(**{key: read.get(kinds[key], kinds[key])(text) for key, text in settings.items()}),
                    int(sys.argv[1]))
    print(server.url, flush=True)
    server.serve_forever()
