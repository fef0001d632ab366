"""Detectable differences, simulations, planning."""
