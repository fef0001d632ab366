"""The shipped samples, each read once per process."""

from functools import cache
from pathlib import Path

from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results

SAMPLES = Path(__file__).parents[1] / "sample_results"


@cache
def shipped(name, measure_name=""):
    """Return the results of a sample; `measure_name` is the measure of a wide table."""
    return read_results(SAMPLES / name, mapping=Mapping(measure_name=measure_name))
