"""Two threads and two ranks against one: wall time, processor time and bits, for the sieve, for gd, and for collocation
with a model whose gradient takes 5 ms (it sleeps; two "threads" are then two calls at a time).

    /usr/bin/python3 benchmarks/ranks.py [--seconds 10] [--only sieve,gd,model] [--json FILE]

Needs build/release/chaosgrad and build/mpi/chaosgrad (make mpi). `wall` compares the seconds of the solves, which means
something on an idle machine, or where the model sleeps. `work` compares the processor time of the run on one with the
largest that a thread or rank of the other run took: what the wall times would be if every thread had a core to itself. It
counts what waiting for each other costs, for whoever waits looks for messages, and not what the memory of the machine is
short of."""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

import h5py

ROOT = pathlib.Path(__file__).resolve().parent.parent
ALONE = [os.environ.get("CHAOSGRAD", str(ROOT / "build" / "release" / "chaosgrad"))]
MPI = os.environ.get("CHAOSGRAD_MPI", str(ROOT / "build" / "mpi" / "chaosgrad"))
PROGRAMS = {pathlib.Path(ALONE[0]).name, pathlib.Path(MPI).name}
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}

NOISY = """
[parameters]
s = { distribution = "uniform", lower = -1, upper = 1 }
t = { distribution = "normal", mean = 0, sd = 1 }
[noise]
v = { distribution = "normal", mean = 0, sd = 1 }
w = { distribution = "exponential", rate = 1 }
[variables]
x = { size = 8 }
[objective]
minimize = "sum((x - sin(t)*exp(s/2)/(1 + s^2))^2)/2 + norm2(x)^2*exp(-t^2)/4 + softplus(sum(x)*w - 1) + v*sum(x)"
[solve]
seed = 3
"""
MODEL = """
[parameters]
s = { distribution = "uniform", lower = -1, upper = 1 }
t = { distribution = "uniform", lower = -1, upper = 1 }
[variables]
x = {}
y = {}
[objective]
command = "/usr/bin/python3 model.py"
parallel = 1
[solve]
seed = 3
"""
SLEEPER = """
import json, math, sys, time
for line in sys.stdin:
    request = json.loads(line)
    (x, y), (s, t) = request["x"], request["theta"]
    time.sleep(0.005)
    a, b = x - math.exp(s * t / 2), y - 1 / (1 + 6 * (s - t / 2) ** 2)
    g = [a + a**3 / 4 + b / 8, 2 * b + a / 8]
    print(json.dumps({"value": a * a / 2 + a**4 / 16 + b * b + a * b / 8, "gradient": g}), flush=True)
"""
CASES = {  # file, settings, what makes the run longer, what two threads are
    "sieve": (NOISY, ["solve.method=sieve", "solve.max_gradients=1e12", "solve.max_seconds=1e4"],
              lambda scale: [f"solve.tolerance={0.004 / scale**0.5:.6g}"], "solve.threads"),
    "gd": (NOISY, ["solve.method=gd", "solve.max_gradients=1e12", "solve.basis_size=30", "solve.samples=100000"],
           lambda scale: [f"solve.iterations={max(2, round(100 * scale))}"], "solve.threads"),
    "model": (MODEL, ["solve.method=collocation"], lambda scale: [f"solve.tolerance={3e-4 / scale**3:.6g}"],
              "objective.parallel"),
}


def processor_times(leader, stop, times):
    """Processor seconds of every thread of the program, looked at until the end: times[process][thread]."""
    while not stop.is_set():
        for process in pathlib.Path("/proc").iterdir():
            if not process.name.isdigit():
                continue
            try:
                parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
                if int(process.name) != leader and parent != leader:
                    continue
                if (process / "comm").read_text().strip() not in PROGRAMS:
                    continue
                own = times.setdefault(process.name, {})
                for thread in (process / "task").iterdir():
                    own[thread.name] = int((thread / "schedstat").read_text().split()[0]) / 1e9
            except (OSError, ValueError, IndexError):
                continue
        stop.wait(0.05)


def run(command, arguments, folder):
    """The summary, the processor times of its threads, and a digest of its coefficients."""
    for path in folder.glob("run/*"):
        path.unlink()
    started = subprocess.Popen([*command, "solve", "own.toml", "-o", "run", "--json", *arguments], cwd=folder, env=ENVIRONMENT,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    stop, times = threading.Event(), {}
    watcher = threading.Thread(target=processor_times, args=(started.pid, stop, times))
    watcher.start()
    out, err = started.communicate()
    stop.set()
    watcher.join()
    if started.returncode not in (0, 1) or not out:
        sys.exit(f"{' '.join(command)}: {err}")
    with h5py.File(folder / "run" / "solution.h5") as store:
        names = []
        store.visit(names.append)
        digest = hashlib.sha256(b"".join(store[name][()].tobytes() for name in sorted(names)
                                         if name.split("/")[-1] == "coefficients")).hexdigest()[:16]
    return json.loads(out), times, digest


def measure(name, scale, folder):
    file, settings, longer, thread_key = CASES[name]
    (folder / "own.toml").write_text(file)
    (folder / "model.py").write_text(SLEEPER)
    common = [part for key in [*settings, *longer(scale)] for part in ("--set", key)]
    one = ["--set", "solve.threads=1"]
    two = ["--set", f"{thread_key}=2"] + (one if thread_key != "solve.threads" else [])
    rows = []
    for what, command, arguments in (("one", ALONE, one), ("2 threads", ALONE, two),
                                     ("2 ranks", ["mpirun", "-n", "2", MPI], one)):
        summary, times, digest = run(command, common + arguments, folder)
        per_rank = [sum(threads.values()) for threads in times.values()]
        busiest = max(per_rank) if what != "2 threads" else max(max(threads.values()) for threads in times.values())
        rows.append({"case": name, "on": what, "seconds": summary["seconds"], "processor": sum(per_rank), "busiest": busiest,
                     "gradients": summary["gradient_evaluations"], "bits": digest})
    for row in rows:
        row["wall"] = rows[0]["seconds"] / row["seconds"]
        row["work"] = rows[0]["processor"] / row["busiest"]
        row["same_bits"] = row["bits"] == rows[0]["bits"] and row["gradients"] == rows[0]["gradients"]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10, help="of processor time, or sleep, of the run on one")
    parser.add_argument("--scale", type=float, default=1, help="of the first try; it is made longer until it takes --seconds")
    parser.add_argument("--only", default=",".join(CASES))
    parser.add_argument("--json")
    options = parser.parse_args()
    rows = []
    print("| run | on | wall s | processor s | wall | work | same bits |\n|---|---|---|---|---|---|---|")
    for name in options.only.split(","):
        with tempfile.TemporaryDirectory() as folder:
            scale, found = options.scale, []
            for _ in range(4):
                found = measure(name, scale, pathlib.Path(folder))
                took = found[0]["seconds"] if name == "model" else found[0]["processor"]
                if took >= options.seconds:
                    break
                scale *= 1.3 * options.seconds / took
        for row in found:
            print(f"| {row['case']} | {row['on']} | {row['seconds']:.3g} | {row['processor']:.3g} | {row['wall']:.2f} "
                  f"| {row['work']:.2f} | {'yes' if row['same_bits'] else 'NO'} |", flush=True)
        rows += found
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
