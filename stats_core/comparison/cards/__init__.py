"""One card per method: what it asks, computes, assumes and refuses, and which papers it is from."""
