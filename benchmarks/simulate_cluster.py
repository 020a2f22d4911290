#!/usr/bin/python3
"""The work queue of collocation on a cluster that is not here: a discrete-event simulation, for docs/scaling.md.

    /usr/bin/python3 benchmarks/simulate_cluster.py [--quick] [--self-test] [-o FILE.json]

A stage of a run is a set of pointwise optimisations. Each takes some gradients, one after the other; each gradient takes a
time with mean 1 s (or --gradient SECONDS) and a heavy tail. Workers are ranks; one more rank hands the optimisations out: a
worker that is done asks, the request travels, waits for its turn, is answered, and the answer travels. At the end of a
stage all wait for the last optimisation, then the fit runs on one rank, which is where the next stage begins.

Efficiency is work / (workers · time). What is compared:
  slices     every worker gets its part of the points at the beginning, as a loop over ranks would
  queue      the next point goes to whoever asks
  timeout    the queue, and gradients are given up after 10 means (`timeout` of a model): their θ are skipped
  ahead      the queue, and workers that find it empty begin points of the next stage, whose θ are known in part; the
             library does not do that
--self-test compares small cases with a brute-force simulation in steps, one worker with the sum of its work, and all with
the bound of list scheduling, work/P + the longest task (Graham 1969).
"""
import argparse
import dataclasses
import heapq
import json

import numpy as np


@dataclasses.dataclass
class Network:
    latency: float = 5e-6      # s, one way
    handling: float = 20e-6    # s of the rank that hands out, for each request; a message of a few kB over MPI and a small heap
    fit: float = 5.0           # s at the end of a stage, on one rank


LAWS = {
    "constant": lambda rng, n: np.ones(n),
    "exponential": lambda rng, n: rng.exponential(1, n),
    "lognormal, sigma 1": lambda rng, n: rng.lognormal(-0.5, 1, n),
    "lognormal, sigma 2": lambda rng, n: rng.lognormal(-2, 2, n),
    "Pareto, alpha 2.5": lambda rng, n: (rng.pareto(2.5, n) + 1) * (1.5 / 2.5),
    "Pareto, alpha 1.5": lambda rng, n: (rng.pareto(1.5, n) + 1) * (0.5 / 1.5),
}


def tasks(rng, law, count, mean, limit=np.inf):
    """Seconds of so many optimisations: 2 to 5 gradients each, as collocation needs near its expansion."""
    steps = rng.integers(2, 6, count)
    times = np.minimum(LAWS[law](rng, int(steps.sum())) * mean, limit)
    return np.add.reduceat(times, np.concatenate([[0], np.cumsum(steps)[:-1]]))


def slices(work, workers):
    """The end of a stage if every worker has its contiguous part."""
    return max(part.sum() for part in np.array_split(work, workers))


def queue(work, workers, network):
    """When each worker has nothing left to do, if it asks the one that hands out; and how busy that one is."""
    requests = [(network.latency, worker) for worker in range(workers)]  # arrivals at the rank that hands out
    heapq.heapify(requests)
    free, ends = 0.0, []
    for seconds in work:
        arrival, worker = heapq.heappop(requests)
        free = max(free, arrival) + network.handling
        heapq.heappush(requests, (free + network.latency + seconds + network.latency, worker))
    while requests:
        arrival, _ = heapq.heappop(requests)
        ends.append(max(arrival, free))
    return np.array(ends), len(work) * network.handling


def efficiency(law, workers, per_worker, stages, mean, network, how, seed=1):
    """Of a run of so many equal stages with per_worker optimisations for each worker in each."""
    rng = np.random.default_rng(seed)
    total, clock, ahead = 0.0, 0.0, 0.0
    for stage in range(stages):
        work = tasks(rng, law, workers * per_worker, mean, 10 * mean if how == "timeout" else np.inf)
        total += work.sum()
        if how == "slices":
            clock += slices(work, workers) + network.fit
            continue
        ends, _ = queue(work, workers, network)
        last = ends.max()
        clock += last + network.fit
        if how == "ahead" and stage + 1 < stages:  # half of the next points can be known: those of densities that stay
            idle = (last + network.fit - ends).sum()
            ahead = min(idle, 0.5 * work.sum())
            clock -= ahead / workers
    return total / (workers * clock)


def skipped_share(law):
    """Of optimisations with a gradient above the time-out."""
    rng = np.random.default_rng(3)
    steps = rng.integers(2, 6, 200_000)
    times = LAWS[law](rng, int(steps.sum())) > 10
    return float(np.mean(np.add.reduceat(times.astype(int), np.concatenate([[0], np.cumsum(steps)[:-1]])) > 0))


def brute_force(work, workers, network, step=1e-4):
    """The same queue in small steps of time, without a heap: for the self-test."""
    state, left, master, clock = [["travel", network.latency] for _ in range(workers)], list(work), None, 0.0
    waiting, last = [], 0.0
    while True:
        for i, one in enumerate(state):
            if one[0] in ("travel", "back", "work"):
                one[1] -= step
                if one[1] <= 0:
                    if one[0] == "travel":
                        one[0] = "wait"
                        waiting.append(i)
                    elif one[0] == "back":
                        one[0], one[1] = "work", left.pop(0)
                    else:
                        one[0], one[1] = "travel", network.latency
                        last = clock
        if master is not None:
            master[1] -= step
            if master[1] <= 0:
                state[master[0]][:] = ["back", network.latency]
                master = None
        going = sum(one[0] == "back" for one in state) + (master is not None)
        if master is None and waiting and len(left) > going:
            master = [waiting.pop(0), network.handling]
        if not left and all(one[0] in ("wait", "travel") for one in state):
            return last
        clock += step


def self_test():
    rng, network = np.random.default_rng(0), Network(latency=2e-3, handling=5e-3, fit=0)
    for workers, count in ((1, 5), (3, 17), (4, 9)):
        work = rng.exponential(0.2, count)
        ends, busy = queue(work, workers, network)
        slow = brute_force(work, workers, network)
        end = ends.max() - network.latency
        assert abs(end - slow) < 3e-3 * count, (end, slow)
        if workers == 1:
            assert abs(end - (work.sum() + count * (2 * network.latency + network.handling))) < 1e-9
        assert end <= work.sum() / workers + work.max() + count * (2 * network.latency + network.handling) + busy
    for law in LAWS:
        found = LAWS[law](np.random.default_rng(1), 400000).mean()
        assert abs(found - 1) < (0.25 if "1.5" in law or "2" in law else 0.01), (law, found)
    print("self-test passed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--gradient", type=float, default=1.0, help="mean seconds of a gradient")
    parser.add_argument("-o", "--output")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    network, rows = Network(), []
    sizes = [100, 1000] if arguments.quick else [1000, 10000]
    print("| gradient times, mean 1 s | workers | optimisations per worker and stage | slices | queue | time-out at 10 s, and θ skipped | queue, ahead |\n|---|---|---|---|---|---|---|")
    for law in LAWS:
        for workers in sizes:
            for per_worker in (1, 4, 16):
                ways = ("slices", "queue", "timeout", "ahead")
                found = {how: efficiency(law, workers, per_worker, 3, arguments.gradient, network, how) for how in ways}
                lost = skipped_share(law)
                rows.append({"law": law, "workers": workers, "per_worker": per_worker, "skipped": lost, **found})
                shares = [f"{100 * found[how]:.0f} %" for how in ways]
                shares[2] += f", {100 * lost:.2g} %"
                print(f"| {law} | {workers} | {per_worker} | {' | '.join(shares)} |", flush=True)
    print("\n| mean gradient | workers | requests per second | the rank that hands out is busy | efficiency of the queue |\n|---|---|---|---|---|")
    for mean in (1.0, 0.1, 0.01, 0.001):
        for workers in sizes:
            work = tasks(np.random.default_rng(2), "lognormal, sigma 1", 16 * workers, mean)
            ends, busy = queue(work, workers, dataclasses.replace(network, fit=0))
            rows.append({"mean": mean, "workers": workers, "busy": busy / ends.max(), "efficiency": work.sum() / (workers * ends.max())})
            print(f"| {mean:g} s | {workers} | {len(work) / ends.max():.0f} | {100 * rows[-1]['busy']:.0f} % | "
                  f"{100 * rows[-1]['efficiency']:.0f} % |", flush=True)
    if arguments.output:
        with open(arguments.output, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
