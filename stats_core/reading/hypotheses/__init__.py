"""Ways to read a table, one file each; every one proposes itself with what speaks for it."""

from stats_core.reading.hypotheses import (
    crossed,
    fold_scores,
    grid_search,
    no_results,
    one_thing,
    predictions,
    published,
    resamples,
    wide,
    wide_predictions,
)

# a new layout is one more file here, and one reader in layouts.py
PROPOSERS = (
    fold_scores.propose,
    predictions.propose,
    grid_search.propose,
    crossed.propose,
    resamples.propose,
    wide_predictions.propose,
    wide.propose,
    published.propose,
    no_results.propose,
    one_thing.propose,
)
