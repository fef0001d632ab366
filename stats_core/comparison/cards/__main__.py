"""`python -m stats_core.comparison.cards` writes docs/methods.md to the standard output."""

import sys

from stats_core.comparison.cards.method_card import methods_page

if __name__ == "__main__":
    sys.stdout.buffer.write(methods_page().encode("utf-8"))
