"""Results and their parts: designs, missing results, measures, costs, instances."""
