"""How long a click takes while many use one server, with and without a long job of one of them.

    python -m benchmarks.concurrent_users [--users 20] [--minutes 1] [--after 1] [--pause 3] [--busy 1]

A server is started, and visitors without a browser come to it. Each opens a sample, looks at one
page after another and takes another level of significance now and then, with pauses to read. In
turns there is one of them alone (at most a minute), all of them, and all of them while one more
brings a file of about 10 MB, again and again, and asks what takes long about it: stability, all
measures together, an order. Printed is for each turn how long the clicks took (p50 and p95, also as
ratios to the user alone), and the memory of the server and its processes at the start, the most of
it, and so many minutes after all have left.
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
PAGES = (
    *("overview", "one_data_set", "pair", "many_data_sets", "multivariate", "ordering", "lab"),
    "data",
)
LEVELS = ("0.01", "0.05", "0.1")
LONG = (
    ("many_data_sets", {"tab": "Stability"}),
    ("multivariate", {"mtab": "Over data sets"}),
    ("ordering", {"prior": [f"a{a}" for a in range(20)]}),
)


def large(seed: int) -> bytes:
    """Results per fold by 40 measures, about 10 MB, different for every seed."""
    measures = [f"measure{m}" for m in range(39)]
    rows = [",".join(["dataset", "algorithm", "fold", "error", *measures])]
    for d, a, f in product(range(150), range(20), range(10)):
        values = [
            (d * 31 + a * 17 + f * 7 + m * 3 + seed) % 997 / 1000 + a / 100 for m in range(40)
        ]
        rows.append(f"d{d},a{a},{f}," + ",".join(f"{value:.5f}" for value in values))
    return "\n".join(rows).encode()


def resident(process: subprocess.Popen) -> float:
    """Return the megabytes that a process and those it started hold."""
    asked = ["ps", "-eo", "pid,ppid,rss"]
    rows = [line.split() for line in subprocess.check_output(asked, text=True).splitlines()[1:]]
    ours = {str(process.pid)}
    while more := {pid for pid, parent, _ in rows if parent in ours} - ours:
        ours |= more
    return sum(int(held) for pid, _, held in rows if pid in ours) / 1000


def clicks(address: str, place: int, end: float, pause: float) -> tuple[list[float], list[str]]:
    """Be one visitor until the end; return the seconds each click took, and what went wrong."""
    choose, took, wrong = random.Random(place), [], []
    asked = {"sample": SAMPLES[place % len(SAMPLES)]}
    time.sleep(choose.uniform(0, min(pause, max(0.0, end - time.monotonic()))))
    with visitor(address) as one:
        wrong += one.open("", **asked)  # the first run of a session is not a click
        while time.monotonic() < end:
            if choose.random() < 0.3:
                asked["alpha"] = choose.choice(LEVELS)
            page, start = choose.choice(PAGES), time.monotonic()
            wrong += [f"{page}: {said}" for said in one.open(page, **asked)]
            took.append(time.monotonic() - start)
            time.sleep(choose.expovariate(1 / pause))
    return took, wrong


def long_job(address: str, end: float) -> list[float]:
    """Bring one large file after the other and ask what takes long; return the seconds of each."""
    took = []
    while time.monotonic() < end:
        content, start = large(len(took)), time.monotonic()
        with visitor(address) as one:
            wrong = one.upload("large.csv", content)
            took.append(time.monotonic() - start)
            for page, asked in LONG:
                start = time.monotonic()
                wrong += one.open(page, **asked)
                took.append(time.monotonic() - start)
        if wrong:
            print(f"the long job: {wrong[0]}")
    return took


@contextmanager
def watched(look: Callable[[], float]) -> Iterator[list[float]]:
    """Look every second until the end of the block."""
    seen, over = [look()], threading.Event()

    def watch() -> None:
        while not over.wait(1):
            seen.append(look())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()
        seen.append(look())


def turn(
    address: str, users: int, seconds: float, *, pause: float, busy: bool
) -> tuple[list[float], list[float]]:
    """Let some visitors click; return the seconds of all clicks, and of the long jobs."""
    end = time.monotonic() + seconds
    with ThreadPoolExecutor(users + 1) as pool:
        job = pool.submit(long_job, address, end) if busy else None
        visits = list(pool.map(lambda place: clicks(address, place, end, pause), range(users)))
        long = job.result() if job else []
    for said in {said for _, wrong in visits for said in wrong}:
        print(f"went wrong: {said}")
    return [second for took, _ in visits for second in took], long


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--after", type=float, default=1, help="minutes until memory is looked at")
    parser.add_argument(
        "--pause", type=float, default=3, help="seconds a visitor reads, on average"
    )
    parser.add_argument("--busy", type=float, help="minutes of the turn with long jobs, if other")
    asked = parser.parse_args()
    seconds = 60 * asked.minutes
    busy_for = seconds if asked.busy is None else 60 * asked.busy
    turns = {
        "one user": (1, min(60, seconds), False),
        f"{asked.users} users": (asked.users, seconds, False),
        f"{asked.users} users and long jobs": (asked.users, busy_for, True),
    }
    ends = "--server.disconnectedSessionTTL=1"
    with served("-m", "foldwise.web.launcher", ends) as (address, process):
        with visitor(address) as first:  # whoever comes first waits for the imports
            for sample, page in product(SAMPLES, PAGES):
                first.open(page, sample=sample)
        alone: list[float] = []
        with watched(lambda: resident(process)) as held:
            for label, (users, lasts, busy) in turns.items():
                took, long = turn(address, users, lasts, pause=asked.pause, busy=busy)
                at = quantiles(took, n=20, method="inclusive")
                p50, p95 = at[9], at[18]
                alone = alone or [p50, p95]
                print(
                    f"{label}: {len(took)} clicks, p50 {p50:.2f} s ({p50 / alone[0]:.1f} times one "
                    f"user alone), p95 {p95:.2f} s ({p95 / alone[1]:.1f} times)"
                    + (f"; {len(long)} long jobs, {max(long):.0f} s at most" if long else ""),
                    flush=True,
                )
            print(f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
            time.sleep(60 * asked.after)
        print(
            f"memory {held[0]:.0f} MB at the start, {max(held):.0f} MB at most, "
            f"{held[-1]:.0f} MB {asked.after:g} minutes after all have left"
        )


if __name__ == "__main__":
    main()
