"""Two algorithms with a region of practical equivalence: three probabilities instead of a p-value."""

import streamlit as st

from foldwise.ui import show
from stats_core.comparison.cards.card import card
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.two import TwoComparison
from stats_core.core.errors import FoldwiseError
from stats_core.looks.equivalence import equivalence


def region(analysis: TwoComparison | FoldPairComparison) -> None:
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
        found, method = equivalence(analysis, rope)
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
