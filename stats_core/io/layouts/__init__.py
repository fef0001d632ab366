"""Layouts of tables, one module each; every module proposes hypotheses with evidence."""

from stats_core.io.layouts import (
    grid_search,
    long_predictions,
    long_table,
    multi_header,
    not_comparable,
    not_results,
    published_summary,
    wide_predictions,
    wide_table,
)

# a new layout needs a module here and a reader in parse_layout.py
PROPOSERS = (
    long_table.match_long_table,
    long_predictions.match_long_predictions,
    grid_search.match_grid_search,
    multi_header.match_multi_header,
    long_table.match_fold_columns,
    wide_predictions.match_wide_predictions,
    wide_table.match_wide_table,
    published_summary.match_published_summary,
    not_results.match_not_results,
    not_comparable.match_not_comparable,
)
