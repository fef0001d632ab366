"""The commands of `python -m stats_core`."""
