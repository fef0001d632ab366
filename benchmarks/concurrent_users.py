"""Time of a click while many users share a server, with and without long jobs.

    python -m benchmarks.concurrent_users [--users 20] [--minutes 1] [--after 1] [--pause 3] [--busy 1]

The benchmark starts a server and connects users without a browser. Each opens a sample, visits one
page after another and sometimes changes the significance level, with pauses to read. There are
three turns: a single user (at most a minute), all users, and all users while one more repeatedly
uploads a file of about 10 MB and requests long computations: stability, all measures together, an
order. The output has the times of clicks of each turn (p50 and p95, also as ratios to the single
user), and the memory of the server and its processes at the start, at most, and some minutes after
all users left.
"""

import argparse
import os
import random
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import product
from statistics import quantiles

from tests.websocket_clients import served, visitor

SAMPLES = ("uci38_5x2.csv", "twoclass_counts.csv", "garcia_herrera_2008_accuracy.csv")
PAGES = (*("overview", "one_data_set", "pair", "many_data_sets", "multivariate", "ordering", "lab"), "data")
LEVELS = ("0.01", "0.05", "0.1")
LONG = (
    ("many_data_sets", {"tab": "Stability"}),
    ("multivariate", {"mtab": "Over data sets"}),
    ("ordering", {"prior": [f"a{a}" for a in range(20)]}),
)


def large(seed: int) -> bytes:
    """Return a CSV file of results per fold by 40 measures, about 10 MB, varied by the seed."""
    measures = [f"measure{m}" for m in range(39)]
    rows = [",".join(["dataset", "algorithm", "fold", "error", *measures])]
    for d, a, f in product(range(150), range(20), range(10)):
        values = [(d * 31 + a * 17 + f * 7 + m * 3 + seed) % 997 / 1000 + a / 100 for m in range(40)]
        rows.append(f"d{d},a{a},{f}," + ",".join(f"{value:.5f}" for value in values))
    return "\n".join(rows).encode()


def resident(process: subprocess.Popen) -> float:
    """Return the resident memory of a process and its descendants in megabytes."""
    command = ["ps", "-eo", "pid,ppid,rss"]
    rows = [line.split() for line in subprocess.check_output(command, text=True).splitlines()[1:]]
    ours = {str(process.pid)}
    while children := {pid for pid, parent, _ in rows if parent in ours} - ours:
        ours |= children
    return sum(int(kilobytes) for pid, _, kilobytes in rows if pid in ours) / 1000


def clicks(address: str, place: int, end: float, pause: float) -> tuple[list[float], list[str]]:
    """Act as one user until the end; return the seconds of each click, and errors."""
    choose, took, wrong = random.Random(place), [], []
    parameters = {"sample": SAMPLES[place % len(SAMPLES)]}
    time.sleep(choose.uniform(0, min(pause, max(0.0, end - time.monotonic()))))
    with visitor(address) as browser:
        wrong += browser.open("", **parameters)  # the first run of a session does not count as a click
        while time.monotonic() < end:
            if choose.random() < 0.3:
                parameters["alpha"] = choose.choice(LEVELS)
            page, start = choose.choice(PAGES), time.monotonic()
            wrong += [f"{page}: {error}" for error in browser.open(page, **parameters)]
            took.append(time.monotonic() - start)
            time.sleep(choose.expovariate(1 / pause))
    return took, wrong


def long_job(address: str, end: float) -> list[float]:
    """Upload large files and request long computations; return the seconds of each."""
    took = []
    while time.monotonic() < end:
        content, start = large(len(took)), time.monotonic()
        with visitor(address) as browser:
            wrong = browser.upload("large.csv", content)
            took.append(time.monotonic() - start)
            for page, parameters in LONG:
                start = time.monotonic()
                wrong += browser.open(page, **parameters)
                took.append(time.monotonic() - start)
        if wrong:
            print(f"the long job: {wrong[0]}")
    return took


@contextmanager
def watched(look: Callable[[], float]) -> Iterator[list[float]]:
    """Sample a value every second until the end of the block."""
    values, over = [look()], threading.Event()

    def watch() -> None:
        while not over.wait(1):
            values.append(look())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield values
    finally:
        over.set()
        thread.join()
        values.append(look())


def turn(address: str, users: int, seconds: float, *, pause: float, busy: bool) -> tuple[list[float], list[float]]:
    """Run several users at once; return the seconds of all clicks, and of the long jobs."""
    end = time.monotonic() + seconds
    with ThreadPoolExecutor(users + 1) as pool:
        job = pool.submit(long_job, address, end) if busy else None
        visits = list(pool.map(lambda number: clicks(address, number, end, pause), range(users)))
        long = job.result() if job else []
    for error in {error for _, wrong in visits for error in wrong}:
        print(f"went wrong: {error}")
    return [second for took, _ in visits for second in took], long


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--after", type=float, default=1, help="minutes until memory is looked at")
    parser.add_argument("--pause", type=float, default=3, help="seconds a visitor reads, on average")
    parser.add_argument("--busy", type=float, help="minutes of the turn with long jobs, if other")
    options = parser.parse_args()
    seconds = 60 * options.minutes
    busy_for = seconds if options.busy is None else 60 * options.busy
    turns = {
        "one user": (1, min(60, seconds), False),
        f"{options.users} users": (options.users, seconds, False),
        f"{options.users} users and long jobs": (options.users, busy_for, True),
    }
    ends = "--server.disconnectedSessionTTL=1"
    with served("-m", "foldwise.web.launcher", ends) as (address, process):
        with visitor(address) as browser:  # import everything before the measurement
            for sample, page in product(SAMPLES, PAGES):
                browser.open(page, sample=sample)
        of_one_user: list[float] = []
        with watched(lambda: resident(process)) as memory:
            for label, (users, lasts, busy) in turns.items():
                took, long = turn(address, users, lasts, pause=options.pause, busy=busy)
                percentiles = quantiles(took, n=20, method="inclusive")
                p50, p95 = percentiles[9], percentiles[18]
                of_one_user = of_one_user or [p50, p95]
                print(
                    f"{label}: {len(took)} clicks, p50 {p50:.2f} s ({p50 / of_one_user[0]:.1f} times one "
                    f"user alone), p95 {p95:.2f} s ({p95 / of_one_user[1]:.1f} times)"
                    + (f"; {len(long)} long jobs, {max(long):.0f} s at most" if long else ""),
                    flush=True,
                )
            print(f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
            time.sleep(60 * options.after)
        print(
            f"memory {memory[0]:.0f} MB at the start, {max(memory):.0f} MB at most, "
            f"{memory[-1]:.0f} MB {options.after:g} minutes after all have left"
        )


if __name__ == "__main__":
    main()
