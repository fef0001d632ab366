"""Two algorithms with a region of practical equivalence: three probabilities instead of a p-value."""

from collections.abc import Callable

import streamlit as st

from foldwise.ui import show
from stats_core.comparison.cards.card import card
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.two import TwoComparison
from stats_core.core.errors import FoldwiseError
from stats_core.inference.bayes.bayesian import PosteriorOutcome, bayesian_signed_rank, correlated_t


def over_data_sets(analysis: TwoComparison) -> None:
    """Say how probable each side is over data sets."""
    differences = analysis.scores[analysis.first] - analysis.scores[analysis.second]
    _region(
        analysis,
        lambda rope: bayesian_signed_rank(differences, rope=rope),
        "bayesian_signed_rank",
    )


def on_folds(analysis: FoldPairComparison) -> None:
    """Say how probable each side is on one data set, training sets that overlap allowed for."""
    _region(
        analysis,
        lambda rope: correlated_t(
            analysis.differences, rope=rope, test_fraction=analysis.test_fraction
        ),
        "correlated_t",
    )


def _region(
    analysis: TwoComparison | FoldPairComparison,
    find: Callable[[float], PosteriorOutcome],
    method: str,
) -> None:
    """Ask what does not matter, and print the three probabilities."""
    st.markdown("### With a region of practical equivalence")
    rope = st.number_input(
        f"Differences in {analysis.settings.measure} that do not matter, up to",
        min_value=0.0,
        value=0.01,
        step=0.005,
        format="%.4f",
        key="rope",
        width=320,
    )
    try:
        found = find(rope)
    except FoldwiseError as error:
        st.caption(show.escape(error))
        return
    higher, lower = analysis.first, analysis.second
    if not analysis.higher_is_better:  # a larger error is worse
        higher, lower = lower, higher
    st.markdown(
        show.escape(
            f"Probability that {higher} is better by more than that: {found.right:.3f}; that the two "
            f"are practically equivalent: {found.rope:.3f}; that {lower} is better by more: "
            f"{found.left:.3f}."
        )
    )
    told = card(method)
    st.caption(show.escape(f"{found.method}. Not a p-value. {told.plain} {told.reference}."))
