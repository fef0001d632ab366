"""Tables of comparisons over data sets: by ranks, against a control, of two algorithms."""

from dataclasses import replace

import numpy as np
import pandas as pd

from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.datasets import RanksComparison, TwoComparison
from stats_core.comparison.kinds.incomplete_datasets import PresentComparison
from stats_core.comparison.kinds.published_summaries import PublishedDecisions, PublishedRanks, PublishedWins
from stats_core.core.formatting import format_number, unused_label
from stats_core.report.tables.table import (
    Pairs,
    ResultTable,
    four_digits,
    groups_table,
    name_index,
    pairs_table,
    scores_table,
    table_text,
    tests_table,
    three_decimals,
    with_equivalence,
    with_row_numbers,
    write_ends,
    write_every_p,
    write_p,
    write_sizes,
)

_STATISTICS = {"ranks": "z", "wilcoxon": "rank-biserial", "sign": "wins - losses"}


def scores(c: RanksComparison | ControlComparison) -> ResultTable:
    """Return the averages, best algorithm first, with average ranks below."""
    return scores_table(c, c.order, ranks=c.friedman.average_ranks)


def first_tests(c: RanksComparison | ControlComparison) -> ResultTable:
    """Return the tests of Friedman and of Iman and Davenport."""
    return tests_table(
        {"Friedman": c.friedman, "Iman-Davenport": c.omnibus},
        name="tests",
        formats={"statistic": three_decimals, "p": write_p(c.settings.alpha)},
        **table_text("dataset", "first_tests", c=c),
    )


def pairs_of_ranks(c: RanksComparison) -> ResultTable:
    """Return all pairs with differences of average ranks and of the measure."""
    return _pairs_of_ranks(c, late=False)


def lazy_pairs_of_ranks(c: RanksComparison) -> ResultTable:
    """Return `pairs_of_ranks` with intervals computed later, unless a region needs them now."""
    return _pairs_of_ranks(c, late=c.settings.region is None)


def _pairs_of_ranks(c: RanksComparison, *, late: bool) -> ResultTable:
    return pairs_table(
        c,
        Pairs(
            statistic=_STATISTICS[c.settings.source],
            own={"rank gap": format_number},
            write=write_sizes(c),
            **table_text("dataset", "pairs_of_ranks", c=c),
        ),
        c.detailed if late else None,
    )


def wins_of_ranks(c: RanksComparison) -> ResultTable:
    """Return the matrix of data sets won, tied and lost."""
    order = c.order
    won, tied = (table.loc[order, order].to_numpy() for table in (c.wins, c.ties))
    cells = [
        ["" if i == j else f"{won[i, j]}/{tied[i, j]}/{won[j, i]}" for j in range(len(order))]
        for i in range(len(order))
    ]
    return ResultTable(
        name="wins",
        frame=name_index(pd.DataFrame(cells, order, order, dtype=object), "algorithm"),
        **table_text("dataset", "wins_of_ranks"),
    )


def groups_of_ranks(c: RanksComparison) -> ResultTable:
    """Return the groups with the average ranks of their first and last members."""
    return groups_table(c, c.friedman.average_ranks, "rank")


def comparisons(c: ControlComparison) -> ResultTable:
    """Return all comparisons with the control."""
    table = pairs_table(
        c,
        Pairs(
            statistic=_STATISTICS[c.settings.source],
            own={"rank gap": format_number},
            write=write_sizes(c),
            **table_text("dataset", "comparisons", c=c),
        ),
    )
    frame = table.frame.rename(columns={"first": "algorithm"}).drop(columns=["second"])
    return replace(table, name="comparisons", title=f"Each against {c.control}", frame=frame, heads=("algorithm",))


def differences(c: TwoComparison) -> ResultTable:
    """Return both averages and their difference per data set, sorted by the difference."""
    names = [c.first, c.second]
    plain = scores_table(c, names, more=f" Difference: {c.first} − {c.second}.")
    difference, size = (unused_label(name, names) for name in ("difference", "rank of size"))
    table = c.differences().set_axis([*names, difference, size], axis=1)
    return replace(
        plain,
        frame=name_index(table, "data set"),
        formats={**dict.fromkeys([*names, difference], write_sizes(c)), size: "{:g}".format},
    )


def both_tests(c: TwoComparison) -> ResultTable:
    """Return the Wilcoxon test and the sign test."""
    test, sign, write = c.wilcoxon, c.sign, write_sizes(c)
    wins, ties, losses = c.record(c.first)
    tests = c.table().set_index("test")
    return ResultTable(
        name="tests",
        frame=with_equivalence(c, tests.drop(columns="region", errors="ignore"), "Wilcoxon"),
        formats={
            "n": "{:d}".format,
            "statistic": four_digits,
            "difference": write,
            **dict.fromkeys(["low", "high"], write_ends(write)),
            **write_every_p(c),
        },
        **table_text("dataset", "both_tests", c=c, test=test, wins=wins, ties=ties, losses=losses, sign=sign),
    )


def symmetry(c: RanksComparison | ControlComparison | TwoComparison) -> ResultTable | None:
    """Return the symmetry checks of the pairwise differences, assumed by the Wilcoxon test."""
    checks = c.symmetry()
    if checks is None:
        return None
    several = len(checks) > 1
    frame = checks.assign(asymmetric=np.where(checks["asymmetric"], "yes", ""))
    adjusted = "; adjusted by Holm" if several else ""
    return ResultTable(
        name="symmetry",
        frame=with_row_numbers(frame if several else frame.drop(columns="p adjusted")),
        formats={"statistic": three_decimals, **write_every_p(c)},
        heads=("first", "second"),
        **table_text("dataset", "symmetry", adjusted=adjusted),
    )


def scores_of_present(c: PresentComparison) -> ResultTable:
    """Return the averages, best algorithm first."""
    return scores_table(c, c.order)


def standing(c: PresentComparison) -> ResultTable:
    """Return average ranks among algorithms present, with the number of data sets."""
    return ResultTable(
        name="standing",
        frame=name_index(c.standing, "algorithm"),
        formats={"average rank": format_number, "data sets": "{:d}".format},
        **table_text("incomplete", "standing"),
    )


def test_of_present(c: PresentComparison) -> ResultTable:
    """Return the Skillings-Mack test."""
    return tests_table(
        {"Skillings-Mack": c.omnibus},
        name="tests",
        formats={"statistic": three_decimals, "p": write_p(c.settings.alpha)},
        **table_text("incomplete", "first_test", c=c),
    )


def pairs_of_present(c: PresentComparison) -> ResultTable:
    """Return all pairs with their differences on shared data sets."""
    by_sign = c.settings.source == "sign"
    return pairs_table(
        c,
        Pairs(
            estimate="difference",
            statistic="wins - losses" if by_sign else "rank-biserial",
            own={"data sets": "{:d}".format},
            write=write_sizes(c),
            **table_text("incomplete", "pairs", c=c),
        ),
    )


def groups_of_present(c: PresentComparison) -> ResultTable:
    """Return the groups with the average ranks of their first and last members."""
    return groups_table(c, c.standing["average rank"], "rank")


def published_ranks(c: PublishedRanks) -> ResultTable:
    """Return the average ranks, best first."""
    digits = c.published.digits
    table = c.friedman.average_ranks[c.order].rename("average rank").to_frame()
    return ResultTable(
        name="ranks",
        frame=name_index(table, "algorithm"),
        formats={"average rank": lambda value: format_number(value, digits)},
        **table_text("published", "ranks", c=c),
    )


def published_first_tests(c: PublishedRanks) -> ResultTable:
    """Return the tests of Friedman and of Iman and Davenport."""
    return tests_table(
        {"Friedman": c.friedman, "Iman-Davenport": c.omnibus},
        name="tests",
        formats={"statistic": three_decimals, "p": write_p(c.settings.alpha)},
        **table_text("published", "first_tests", c=c),
    )


def published_pairs(c: PublishedRanks) -> ResultTable:
    """Return all pairs with their differences of average ranks."""
    return pairs_table(c, Pairs(estimate="rank gap", statistic="z", **table_text("published", "pairs_of_ranks", c=c)))


def published_wins(c: PublishedWins) -> ResultTable:
    """Return wins, ties and losses of rows against columns."""
    order = c.order
    won, tied = c.wins.loc[order, order].to_numpy(), c.ties.loc[order, order].to_numpy()
    cells = [
        ["" if i == j else f"{won[i, j]}/{tied[i, j]}/{won[j, i]}" for j in range(len(order))]
        for i in range(len(order))
    ]
    return ResultTable(
        name="wins",
        frame=name_index(pd.DataFrame(cells, order, order, dtype=object), "algorithm"),
        **table_text("published", "wins", c=c),
    )


def published_decisions(c: PublishedDecisions) -> ResultTable:
    """Return the matrix of decisions as 0 and 1, in the order of the comparison."""
    order = c.order
    cells = c.decided.loc[order, order].astype(int).astype(str)
    for name in order:
        cells.loc[name, name] = ""
    meaning = "the two differ" if c.ordering is None else "the row is better than the column"
    return ResultTable(
        name="decisions", frame=name_index(cells, "algorithm"), **table_text("published", "decisions", meaning=meaning)
    )


def decided_pairs(c: PublishedDecisions) -> ResultTable:
    """Return all pairs, those that differ first."""
    table = c.details()[["first", "second"]].copy()
    table["differs"] = ["yes" if differs else "no" for differs in c.details()["separated"]]
    row_order = "" if c.ordering is None else "; of two that differ the better one stands first"
    return ResultTable(
        name="pairs",
        title="All pairs" if len(table) > 1 else "The pair",
        frame=with_row_numbers(table),
        caption=f"Decisions as given{row_order}.",
        heads=("first", "second"),
    )


def groups_of_decisions(c: PublishedDecisions) -> ResultTable:
    """Return the maximal groups without a pair that differs."""
    table = groups_table(c)
    caption = (
        "Maximal groups of algorithms of which no pair is separated by the decisions given. Not separated "
        "is not the same as equally good."
    )
    return ResultTable(name=table.name, title=table.title, frame=table.frame, formats=table.formats, caption=caption)


def published_order(c: PublishedDecisions) -> ResultTable | None:
    """Return the steps of MultiTest; None if decisions have no direction."""
    if c.ordering is None:
        return None
    steps = c.ordering.steps
    return ResultTable(
        name="order",
        frame=pd.DataFrame(
            {"algorithm": [step.chosen for step in steps], "why": [step.text for step in steps]},
            index=pd.Index([step.place for step in steps], name="place"),
        ),
        **table_text("published", "order"),
    )
