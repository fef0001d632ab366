"""Fuzz test of addresses: each page must open without a traceback.

    python -m benchmarks.fuzz_addresses 200 --seed 1

An address is determined by its seed and number: a page, a sample, and some of the parameters of a
link, with valid, unusual or hostile values. `--again 1/17` prints and opens one again.
"""

import logging
import os
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from streamlit.testing.v1 import AppTest

from benchmarks.click_times import SAMPLES, TABS
from benchmarks.fuzz import seeded_options
from foldwise.web.settings_registry import LINKED, SETTINGS, UNBOUND_PARAMETERS

APP = Path(__file__).parents[1] / "app.py"
NAMES = (*LINKED, *(name for name in UNBOUND_PARAMETERS if name != "sample"), "alpha", "level")
ODD = ("", "0", "1", "-1", "nan", "inf", "1e999", "9" * 400, "0.3", "None", "[]", "{}", "x", "c45")
ODD += ("<b>", "$x$", "\u202e", "\u0000", "../../etc/passwd", "'; DROP TABLE x; --", "a" * 5000)
ODD += ("error", "accuracy", "Holm", "all data sets", "Against a control", "Stability", "Costs")


def address(seed: int, number: int) -> tuple[str, dict[str, str | list[str]]]:
    """Return a page and its parameters, determined by seed and number."""
    rng = np.random.default_rng([seed, number])
    values = [*ODD, *(str(SETTINGS[key].default) for key in LINKED if SETTINGS[key].default is not None)]
    parameters: dict[str, str | list[str]] = {"sample": str(rng.choice(SAMPLES))}
    for name in rng.choice(NAMES, size=int(rng.integers(1, 12)), replace=False):
        several = [str(option) for option in rng.choice(values, size=int(rng.integers(1, 4)))]
        parameters[str(name)] = several if rng.integers(3) == 0 else several[0]
    return str(rng.choice([*TABS, "map", "help"])), parameters


def failure(seed: int, number: int) -> str:
    """Open an address and then its page; return the error, "" if there is none."""
    page, parameters = address(seed, number)
    app = AppTest.from_file(str(APP), default_timeout=120)
    app.query_params.update(parameters)
    try:
        app.run()
        app.switch_page(f"pages/{page}.py").run()
    except Exception as error:  # unexpected exceptions are what the test looks for
        return f"{type(error).__name__}: {str(error)[:200]}"
    return "; ".join(f"{exception.message[:200]}" for exception in app.exception)


def main() -> int:
    """Open the addresses and print the failures."""
    options = seeded_options(__doc__, n=100).parse_args()
    os.environ["FOLDWISE_WORKSPACES"] = "off"
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    if options.again:
        print(address(*options.again))
        print(failure(*options.again) or "nothing went wrong")
        return 0
    ended: Counter[str] = Counter()
    for number in range(options.n):
        if wrong := failure(options.seed, number):
            print(f"FAILED {options.seed}/{number} on {address(options.seed, number)[0]}: {wrong}")
        ended["failed" if wrong else "answered"] += 1
    print(f"{options.n:,} addresses of seed {options.seed}: {dict(ended)}")
    return int(bool(ended["failed"]))


if __name__ == "__main__":
    sys.exit(main())
