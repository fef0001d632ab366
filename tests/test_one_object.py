"""Tests that every public function takes what `compare` returns, and that it is the same as its parts."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
STUBS = {
    "stats_core": "stats_core/__init__.pyi",
    "foldwise": "foldwise/__init__.pyi",
    "foldwise.io": "foldwise/io.pyi",
    "foldwise.stats": "foldwise/stats.pyi",
    "foldwise.power": "foldwise/power.pyi",
}
