"""`python -m stats_core.comparison.cards` writes docs/methods.md to the standard output."""

import sys

from stats_core.comparison.cards.page import page

if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(page())
