"""Detectable differences, simulated power and error rates, sample-size planning."""
