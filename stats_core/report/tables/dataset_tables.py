"""Tables of comparisons over data sets: by ranks, against a control, of two algorithms."""

from dataclasses import replace

import numpy as np
import pandas as pd

from stats_core.comparison.kinds.control_and_pairs import ControlComparison, TwoComparison
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.core.formatting import capitalize_first, format_number, unused_label
from stats_core.report.effect_text import estimate_label, interval_words, region_caption
from stats_core.report.tables.table import (
    ResultTable,
    four_digits,
    name_index,
    three_decimals,
    with_row_numbers,
    write_p,
    write_sizes,
)
from stats_core.report.tables.table_parts import (
    Pairs,
    groups_table,
    p_words,
    pairs_table,
    scores_table,
    tests_table,
    with_equivalence,
    write_ends,
    write_every_p,
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
        title="Tests of all algorithms at once",
        formats={"statistic": three_decimals, "p": write_p(c.settings.alpha)},
        caption=f"{c.counted}. Friedman's chi-square and the F of Iman and Davenport, which decides, "
        "corrected for ties; without that, as most papers print them, "
        f"{format_number(c.friedman.uncorrected_statistic, 3)} and "
        f"{format_number(c.omnibus.uncorrected_statistic, 3)}. Kendall's W is "
        f"{format_number(c.friedman.kendall_w)}.",
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
            caption=f"The better ranked first: {estimate_label(c)}, first − second, with "
            f"{interval_words(c)}; {p_words(c)}, bold where the pair differs at "
            f"{c.settings.alpha:g}; difference of average ranks; data sets won, tied and lost by the "
            "first.",
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
        title="Wins, ties and losses",
        frame=name_index(pd.DataFrame(cells, order, order, dtype=object), "algorithm"),
        caption="Data sets on which the row is better than, ties with, or is worse than the column.",
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
            caption=f"{capitalize_first(estimate_label(c))}, other − {c.control}, with {interval_words(c)}; "
            f"{p_words(c)}, bold where it differs at {c.settings.alpha:g}; average rank of {c.control} "
            "less that of the other, so positive where the other is better; data sets won, tied and "
            "lost by the other.",
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
        title="Tests",
        frame=with_equivalence(c, tests.drop(columns="region", errors="ignore"), "Wilcoxon"),
        formats={
            "n": "{:d}".format,
            "statistic": four_digits,
            "difference": write,
            **dict.fromkeys(["low", "high"], write_ends(write)),
            **write_every_p(c),
        },
        caption=f"Two-sided tests of {c.first} − {c.second}; the {estimate_label(c)} with "
        f"{interval_words(c)}. The Wilcoxon test decides: W+ "
        f"{format_number(test.w_plus, 1)}, W− {format_number(test.w_minus, 1)}, rank-biserial correlation "
        f"{format_number(test.rank_biserial)} ({test.method}). {c.first} wins {wins}, ties {ties}, loses "
        f"{losses} ({sign.method}).{region_caption(c)}",
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
        title="Symmetry of the differences",
        frame=with_row_numbers(frame if several else frame.drop(columns="p adjusted")),
        formats={"statistic": three_decimals, **write_every_p(c)},
        caption="Triples test of symmetry of first − second over data sets, which the Wilcoxon "
        f"test assumes (positive: skewed to the right{adjusted}). With few data sets it detects "
        "strong skewness only.",
        heads=("first", "second"),
    )
