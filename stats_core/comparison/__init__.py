"""A comparison: what was compared, what follows, in one form for every kind."""
