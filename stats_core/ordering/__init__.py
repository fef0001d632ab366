"""MultiTest and Multi2Test: from best to worst, the cheaper first."""
