"""MultiTest and Multi2Test: orders by cost and significance."""
