"""The samples that are shipped, each read once in a process."""

from functools import cache
from pathlib import Path

from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results

SAMPLES = Path(__file__).parents[1] / "sample_results"


@cache
def shipped(name, measure_name=""):
    """Return the results of a sample; `measure_name` says what a wide table holds."""
    return read_results(SAMPLES / name, mapping=Mapping(measure_name=measure_name))
