"""Memory of a server whose visitors bring a file of 5 MB each, look at two pages and leave.

    python benchmarks/sessions.py [visitors]

Printed are megabytes in use at the start, at the end of the last visit, and after the sessions
have ended.
"""

import subprocess
import sys
import time
from itertools import product

from tests.visitors import serve, visitor

MEASURES = 43


def table(seed: int) -> bytes:
    """Results per fold by many measures, different for every seed, about 5 MB."""
    names = [f"measure{m}" for m in range(MEASURES)]
    rows = [",".join(["dataset", "algorithm", "fold", "error", *names])]
    for d, a, f in product(range(125), range(10), range(10)):
        values = [
            ((d * 31 + a * 17 + f * 7 + m * 3 + seed) % 997) / 1000 + a / 100
            for m in range(MEASURES)
        ]
        rows.append(f"d{d},a{a},{f},{values[0]:.6f}," + ",".join(f"{v:.6f}" for v in values))
    return "\n".join(rows).encode()


def resident(port: str) -> float:
    """Return the megabytes that the server on a port holds."""
    lines = subprocess.check_output(["ps", "-eo", "rss,args"], text=True).splitlines()
    held = [
        line for line in lines if f"--server.port={port}" in line and "foldwise.ui.server" in line
    ]
    return int(held[0].split()[0]) / 1000


def main(visitors: int) -> None:
    """Let visitors come one after another, and print what is held."""
    ends = "--server.disconnectedSessionTTL=1"
    with serve("-m", "foldwise.ui.serve", ends) as address:
        port = address.rsplit(":", 1)[1]
        with visitor(address) as one:
            one.open("")
        print(f"at the start {resident(port):.0f} MB")
        for place in range(visitors):
            with visitor(address) as one:
                assert one.upload(f"mine{place}.csv", table(place)) == []
                assert one.open("overview") == one.open("many_data_sets") == []
        print(f"after {visitors} visits {resident(port):.0f} MB")
        time.sleep(10)
        with visitor(address) as one:
            one.open("")
        time.sleep(5)
        print(f"when all have left {resident(port):.0f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
