"""The model of model_server.py as a program that reads and writes JSON lines: model_program.py [key=value]…

Keys: failing (share of theta), how (nan, null, error, exit, slow, text, size), seconds, value (0: gradients only)."""
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from model_server import chance, gradient, value  # noqa: E402

settings = {"failing": "0", "how": "nan", "seconds": "0", "value": "1", "log": ""}
settings.update(argument.split("=") for argument in sys.argv[1:])
for line in sys.stdin:
    request = json.loads(line)
    x, theta, noise = request["x"], request["theta"], request["noise"]
    if settings["log"]:
        with open(settings["log"], "a") as log:
            log.write(f"{os.getpid()} {json.dumps(request)}\n")
    time.sleep(float(settings["seconds"]))
    answer = {"gradient": gradient(x, theta, noise)}
    if settings["value"] == "1":
        answer["value"] = value(x, theta, noise)
    if chance(theta) < float(settings["failing"]):
        how = settings["how"]
        if how == "exit":
            sys.exit(1)
        if how == "slow":
            time.sleep(3600)
        answer = {"nan": '{"gradient": [NaN, 1.0], "value": NaN}', "null": '{"gradient": null, "value": null}',
                  "error": '{"error": "no convergence"}', "text": "Segmentation fault", "size": '{"gradient": [1]}'}[how]
        print(answer, flush=True)
        continue
    print(json.dumps(answer), flush=True)
