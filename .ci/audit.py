"""Does the lock name a version with a known hole? Asked of PyPI, in at most 20 seconds.

    python .ci/audit.py [requirements.lock]

Ends with 1 where a hole is known. Where PyPI cannot be asked, that is said and nothing fails.
"""

import json
import re
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

INDEX = "https://pypi.org/pypi"
SECONDS = 20
AT_ONCE = 16
# holes that do not concern Foldwise: their number, and why
ACCEPTED: dict[str, str] = {}


def pinned(lock: str) -> list[tuple[str, str]]:
    """Return names and versions of a lock."""
    return re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", lock, re.MULTILINE)


def fetched(address: str) -> dict:
    """Return what PyPI says at an address."""
    with urllib.request.urlopen(f"{INDEX}/{address}/json", timeout=SECONDS) as answer:
        return json.load(answer)


def holes(name: str, version: str, ask: Callable[[str], dict] = fetched) -> list[str]:
    """Return the known holes of one version, each in a line."""
    try:
        found = ask(f"{name}/{version}")
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
        found = ask(name)  # a mirror may hold the newest version alone
    if found["info"]["version"] != version:
        raise LookupError(version)
    return [
        f"{name} {version}: {hole['id']} {'/'.join(hole['aliases'])} "
        f"(mended in {', '.join(hole['fixed_in']) or 'no version'}) {hole.get('link', '')}".strip()
        for hole in found["vulnerabilities"]
        if not hole.get("withdrawn") and not ACCEPTED.keys() & {hole["id"], *hole["aliases"]}
    ]


def main(lock: str, ask: Callable[[str], dict] = fetched, seconds: float = SECONDS) -> int:
    """Ask about every version of a lock; return 1 where a hole is known."""
    packages, until = pinned(lock), time.monotonic() + seconds
    pool = ThreadPoolExecutor(AT_ONCE)
    asked = {pool.submit(holes, *package, ask): package for package in packages}
    done, late = wait(asked, timeout=max(until - time.monotonic(), 0))
    pool.shutdown(wait=False, cancel_futures=True)
    unknown = [" ".join(asked[job]) for job in late]
    known = []
    for job in done:
        if job.exception() is None:
            known += job.result()
        else:
            unknown.append(" ".join(asked[job]))
    say = sys.stdout.write
    for line in sorted(known):
        say(f"known hole: {line}\n")
    if unknown:
        shown = ", ".join(sorted(unknown)[:5]) + (" ..." if len(unknown) > 5 else "")
        say(f"audit: could not look at {len(unknown)} of {len(packages)} packages: {shown}\n")
    say(f"audit: {len(known)} known holes in {len(packages) - len(unknown)} packages looked at\n")
    sys.stdout.flush()
    return int(bool(known))


if __name__ == "__main__":
    import os

    code = main(Path(sys.argv[1] if len(sys.argv) > 1 else "requirements.lock").read_text())
    os._exit(code)  # what is still being asked is not waited for
