"""Tables of multiple testing procedures: side by side, step by step, exhaustive sets."""

from collections.abc import Sequence
from itertools import compress

import pandas as pd

from stats_core.comparison.kinds.average_ranks import RanksComparison
from stats_core.comparison.kinds.published_summaries import PublishedRanks
from stats_core.comparison.procedures_side_by_side import OfAllPairs, procedures_of
from stats_core.comparison.tables.table import ResultTable, four_decimals, with_row_numbers, write_p
from stats_core.comparison.tables.table_parts import published_caption
from stats_core.core.formatting import format_count, format_number, format_set, join_names, p_text
from stats_core.core.significance import significant
from stats_core.inference.multiplicity.bergmann_hommel import LARGEST_LISTED, exhaustive_sets
from stats_core.inference.multiplicity.corrections import CORRECTIONS, STEP_METHODS, step_table

MOST_STEPS = 60  # algorithms


def side_by_side(c: OfAllPairs) -> ResultTable | None:
    """Return all pairs with p-values adjusted by each procedure; None for Tukey's test."""
    procedures = procedures_of(c)
    if procedures is None:
        return None
    labels = {name: CORRECTIONS[name] for name in procedures.names}
    frame = procedures.table.rename(columns={"p": "p raw"} | labels)
    published = [c.published_p(*pair) for pair in zip(frame["first"], frame["second"], strict=True)]
    if has_published := any(p is not None for p in published):
        frame["p published"] = published
    chosen = CORRECTIONS[procedures.chosen]
    decides = "p is not adjusted here" if procedures.chosen == "none" else f"{chosen} decides here"
    ranks = (
        " Nemenyi's is another test, of average ranks by the studentized range."
        if "nemenyi" in labels
        else ""
    )
    return ResultTable(
        name="procedures",
        title="Procedures side by side",
        frame=with_row_numbers(frame),
        formats=dict.fromkeys(
            ["p raw", *labels.values(), "p published"], write_p(procedures.alpha)
        ),
        best={
            position: (list(compress(labels.values(), row)), ())
            for position, row in enumerate(procedures.separated.to_numpy(), 1)
        },
        caption=f"p of each pair, then adjusted by each procedure, bold where it separates the pair; "
        f"{decides}. {procedures.note}{ranks}{published_caption(has_published)}",
        heads=("first", "second"),
    )


def step_tables(c: OfAllPairs) -> ResultTable | None:
    """Return the levels that each p-value is compared with, hypothesis by hypothesis."""
    if procedures_of(c) is None or len(c.order) > MOST_STEPS:
        return None
    by_ranks = isinstance(c, RanksComparison | PublishedRanks) and c.settings.source == "ranks"
    alpha, order = c.settings.alpha, c.order
    statistics = c.raw.statistics if by_ranks else None
    steps = step_table(c.raw.pvalues.loc[order, order], alpha, statistics=statistics)
    labels = {method: CORRECTIONS[method] for method in STEP_METHODS}
    rejected = join_names([f"{labels[method]} {n}" for method, n in steps.rejected.items()], 3)
    frame = with_row_numbers(steps.table.drop(columns="step").rename(columns=labels))
    passed = {
        number: (
            [labels[method] for method in STEP_METHODS if number <= steps.rejected[method]],
            (),
        )
        for number in frame.index
    }
    return ResultTable(
        name="steps",
        title="Step by step",
        frame=frame,
        formats={
            "z": format_number,
            "p": write_p(alpha),
            **dict.fromkeys(labels.values(), four_decimals),
        },
        best=passed,
        caption="Pairs from the smallest p, with the level each procedure compares p with, bold "
        f"where it rejects: at {alpha:g} {rejected}. Each stops at the first p above its level. "
        "Bergmann-Hommel looks at sets of pairs instead.",
        heads=("first", "second"),
    )


def acceptance(c: OfAllPairs) -> ResultTable | None:
    """Return the exhaustive sets of Bergmann-Hommel, retained ones first.

    None if it does not decide, or if there are too many sets to read.
    """
    procedures = procedures_of(c)
    if (
        procedures is None
        or procedures.chosen != "bergmann_hommel"
        or len(c.order) > LARGEST_LISTED
    ):
        return None
    exhaustive = exhaustive_sets(c.order, c.raw.pvalues, c.settings.alpha)
    table = exhaustive.table.sort_values("accepted", ascending=False, kind="stable")
    frame = pd.DataFrame(
        {
            "pairs": table["size"].to_numpy(),
            "smallest p": table["smallest_p"].to_numpy(),
            "level": table["bound"].to_numpy(),
            "retained": ["yes" if is_retained else "no" for is_retained in table["accepted"]],
        },
        index=pd.Index(map(_blocks, table["blocks"]), name="groups without a difference"),
    )
    n_retained = int(table["accepted"].sum())
    return ResultTable(
        name="acceptance",
        title=f"Acceptance set: {n_retained} of {format_count(len(table), 'exhaustive set')} retained",
        frame=frame,
        formats={"smallest p": p_text, "level": four_decimals},
        best={label: (["smallest p"], ()) for label in frame.index[:n_retained]},
        caption="Sets of hypotheses that can hold together. One is retained, and its p bold, where "
        f"the smallest p exceeds {c.settings.alpha:g} / pairs; Bergmann-Hommel keeps every pair of a "
        f"retained set{_also_kept(c, exhaustive.rejected)}.",
    )


def _also_kept(c: OfAllPairs, rejected: Sequence[tuple[str, str]]) -> str:
    """Return a phrase on pairs kept because a pair with a smaller p-value is kept."""
    pairs = [
        f"{a} and {b}"
        for a, b in rejected
        if not significant(c.adjusted.loc[a, b], c.settings.alpha)
    ]
    if not pairs:
        return ""
    return f", and because a pair with a smaller p is kept, {join_names(pairs, 4)}"


def _blocks(blocks: Sequence[Sequence[str]]) -> str:
    return " ".join(format_set(block) for block in blocks if len(block) > 1)
