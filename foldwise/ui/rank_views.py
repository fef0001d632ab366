"""What stands beside the diagram of ranks: other first tests, procedures step by step, effects."""

from functools import partial

import pandas as pd
import streamlit as st

from foldwise.ui import cached, show
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.ranks import RanksComparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.words import number, p_text, score_digits
from stats_core.inference.contrasts import contrast_estimation
from stats_core.inference.families.exhaustive import LARGEST_LISTED

MOST_STEPS = 60


def first_tests(key: str, analysis: RanksComparison | ControlComparison) -> None:
    """Show every test of all algorithms at once; the slow exact one when asked."""
    exact = st.toggle("Add the exact Friedman test (seconds)", key="exact_friedman")
    rows, refused = cached.first_tests(key, analysis.settings, exact, analysis)
    table = pd.DataFrame(rows).set_index("test")
    write_p = partial(p_text, alpha=analysis.settings.alpha)
    show.table(
        table,
        title="All at once, by every test",
        name="first_tests",
        formats={"statistic": partial(number, digits=3), "p": write_p},
        caption="Tests of all algorithms at once on the same table.",
    )
    for name, why in refused.items():
        st.caption(show.escape(f"{name}: {why}"))
    st.caption(
        "Iman-Davenport decides here. Aligned ranks and Quade let the size of differences count "
        "across data sets; they see more where that makes sense, as for errors of similar problems."
    )


def steps(analysis: RanksComparison) -> None:
    """Show each procedure hypothesis by hypothesis, and the exhaustive sets of few algorithms."""
    if len(analysis.order) > MOST_STEPS:
        st.caption(f"Step by step: shown up to {MOST_STEPS} algorithms.")
        return
    ranked = analysis.settings.source == "ranks"
    statistics = analysis.raw.statistics if ranked else None
    found = cached.steps(analysis.raw.pvalues, analysis.settings.alpha, statistics)
    levels = partial(number, digits=4)
    table = found.table.set_index(["first", "second"]).drop(columns="step")
    show.table(
        table,
        title="Step by step",
        name="steps",
        formats={
            **({"z": number} if ranked else {}),
            "p": partial(p_text, alpha=analysis.settings.alpha),
            **dict.fromkeys(("bonferroni", "holm", "shaffer"), levels),
        },
        caption="Ordered hypotheses with the level each procedure compares p with.",
    )
    counts = ", ".join(f"{name.capitalize()} {n}" for name, n in found.rejected.items())
    st.caption(
        f"Rejected at {analysis.settings.alpha:g}: {counts}. Each procedure stops at the first p "
        "above its level. Bergmann-Hommel looks at sets of hypotheses instead."
    )
    if len(analysis.order) <= LARGEST_LISTED:
        _sets(analysis)


def _sets(analysis: RanksComparison) -> None:
    """List the exhaustive sets of hypotheses with those that cannot be rejected marked."""
    found = cached.sets(analysis.raw.pvalues, tuple(analysis.order), analysis.settings.alpha)
    table = found.table
    shown = pd.DataFrame(
        {
            "groups that would be equal": [_blocks(blocks) for blocks in table["blocks"]],
            "pairs": table["size"],
            "smallest p": table["smallest_p"],
            "level": table["bound"],
            "can be true": ["yes" if kept else "" for kept in table["accepted"]],
        }
    ).set_index("groups that would be equal")
    show.table(
        shown,
        title=f"{len(shown)} exhaustive sets",
        name="exhaustive",
        formats={
            "smallest p": partial(p_text, alpha=None),
            "level": partial(number, digits=4),
        },
        caption="Sets of pairs that can be equal together; a pair in a set that can be true is "
        "not rejected by Bergmann-Hommel.",
    )


def _blocks(blocks) -> str:
    return " ".join("{" + ", ".join(map(str, block)) + "}" for block in blocks if len(block) > 1)


def contrasts(analysis: RanksComparison) -> None:
    """Show the median-based estimate of every difference, in units of the measure."""
    try:
        table = contrast_estimation(analysis.scores[analysis.order])
    except FoldwiseError as error:
        st.caption(show.escape(error))
        return
    write = partial(number, digits=score_digits(analysis.scores))
    show.table(
        table.rename_axis("algorithm"),
        title=f"How far apart in {analysis.settings.measure}: contrasts of medians",
        name="contrasts",
        formats=dict.fromkeys(table.columns, write),
        caption="Row minus column, estimated from the medians of the differences on all data sets.",
    )
    st.caption(
        "Row minus column: an effect size that a few strange data sets cannot move (Garcia et al. "
        "2010). It has no interval."
    )
