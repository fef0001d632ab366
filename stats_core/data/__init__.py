"""Results and what they are made of: designs, holes, measures, costs, cases."""
