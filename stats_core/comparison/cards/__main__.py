"""Print docs/methods.md: `python -m stats_core.comparison.cards`."""

import sys

from stats_core.comparison.cards import method_card

if __name__ == "__main__":
    sys.stdout.buffer.write(method_card.methods_page().encode("utf-8"))
