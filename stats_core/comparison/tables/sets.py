"""Tables of comparisons over data sets by ranks, against a control, and of two."""

from dataclasses import replace

import numpy as np
import pandas as pd

from stats_core.comparison.interval_words import interval_words
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.ranks import RanksComparison
from stats_core.comparison.kinds.two import TwoComparison
from stats_core.comparison.region_words import region_caption
from stats_core.comparison.tables.shared import (
    Pairs,
    groups_table,
    p_words,
    pairs_table,
    scores_table,
    tests_table,
    with_region,
    write_ends,
    write_every_p,
)
from stats_core.comparison.tables.table import (
    Table,
    distinct,
    four_digits,
    indexed,
    numbered,
    three_decimals,
    write_p,
    write_sizes,
)
from stats_core.core.words import capital, number

_STATISTICS = {"ranks": "z", "wilcoxon": "rank-biserial", "sign": "wins - losses"}


def scores(c: RanksComparison | ControlComparison) -> Table:
    """Return the averages, best algorithm first, with average ranks below."""
    return scores_table(c, c.order, ranks=c.friedman.average_ranks)


def first_tests(c: RanksComparison | ControlComparison) -> Table:
    """Return Friedman's test and the one of Iman and Davenport."""
    return tests_table(
        {"Friedman": c.friedman, "Iman-Davenport": c.omnibus},
        name="tests",
        title="Tests of all algorithms at once",
        formats={"statistic": three_decimals, "p": write_p(c.settings.alpha)},
        caption=f"{c.counted}. Friedman's chi-square and the F of Iman and Davenport, which decides, "
        "corrected for ties; without that, as most papers print them, "
        f"{number(c.friedman.uncorrected_statistic, 3)} and "
        f"{number(c.omnibus.uncorrected_statistic, 3)}. Kendall's W is "
        f"{number(c.friedman.kendall_w)}.",
    )


def pairs_of_ranks(c: RanksComparison) -> Table:
    """Return every pair with its difference of average ranks and of the measure."""
    return _pairs_of_ranks(c, late=False)


def late_pairs_of_ranks(c: RanksComparison) -> Table:
    """Return the same with differences and intervals `late`, where no region has to look at them."""
    return _pairs_of_ranks(c, late=c.settings.region is None)


def _pairs_of_ranks(c: RanksComparison, *, late: bool) -> Table:
    return pairs_table(
        c,
        Pairs(
            statistic=_STATISTICS[c.settings.source],
            own={"rank gap": number},
            write=write_sizes(c),
            caption=f"The better ranked first: {c.effect}, first − second, with "
            f"{interval_words(c)}; {p_words(c)}, bold where the pair differs at "
            f"{c.settings.alpha:g}; difference of average ranks; data sets won, tied and lost by the "
            "first.",
        ),
        c.detailed if late else None,
    )


def wins_of_ranks(c: RanksComparison) -> Table:
    """Return on how many data sets each wins, ties and loses against each other."""
    order = c.order
    won, tied = (table.loc[order, order].to_numpy() for table in (c.wins, c.ties))
    cells = [
        ["" if i == j else f"{won[i, j]}/{tied[i, j]}/{won[j, i]}" for j in range(len(order))]
        for i in range(len(order))
    ]
    return Table(
        name="wins",
        title="Wins, ties and losses",
        frame=indexed(pd.DataFrame(cells, order, order, dtype=object), "algorithm"),
        caption="Data sets on which the row is better than, ties with, or is worse than the column.",
    )


def groups_of_ranks(c: RanksComparison) -> Table:
    """Return the groups with the average ranks of their ends."""
    return groups_table(c, c.friedman.average_ranks, "rank")


def comparisons(c: ControlComparison) -> Table:
    """Return every comparison with the control."""
    table = pairs_table(
        c,
        Pairs(
            statistic=_STATISTICS[c.settings.source],
            own={"rank gap": number},
            write=write_sizes(c),
            caption=f"{capital(c.effect)}, other − {c.control}, with {interval_words(c)}; "
            f"{p_words(c)}, bold where it differs at {c.settings.alpha:g}; average rank of {c.control} "
            "less that of the other, so positive where the other is better; data sets won, tied and "
            "lost by the other.",
        ),
    )
    frame = table.frame.rename(columns={"first": "algorithm"}).drop(columns=["second"])
    return replace(
        table,
        name="comparisons",
        title=f"Each against {c.control}",
        frame=frame,
        heads=("algorithm",),
    )


def differences(c: TwoComparison) -> Table:
    """Return both averages and their difference on each data set, sorted by it."""
    names = [c.first, c.second]
    plain = scores_table(c, names, more=f" Difference: {c.first} − {c.second}.")
    difference, size = (distinct(name, names) for name in ("difference", "rank of size"))
    table = c.differences().set_axis([*names, difference, size], axis=1)
    return replace(
        plain,
        frame=indexed(table, "data set"),
        formats={
            **dict.fromkeys([*names, difference], write_sizes(c)),
            size: "{:g}".format,
        },
    )


def both_tests(c: TwoComparison) -> Table:
    """Return the Wilcoxon test and the sign test beside it."""
    test, sign, write = c.wilcoxon, c.sign, write_sizes(c)
    wins, ties, losses = c.record(c.first)
    both = c.table().set_index("test")
    return Table(
        name="tests",
        title="Tests",
        frame=with_region(c, both.drop(columns="region", errors="ignore"), "Wilcoxon"),
        formats={
            "n": "{:d}".format,
            "statistic": four_digits,
            "difference": write,
            **dict.fromkeys(["low", "high"], write_ends(write)),
            **write_every_p(c),
        },
        caption=f"Two-sided tests of {c.first} − {c.second}; the {c.effect} with "
        f"{interval_words(c)}. The Wilcoxon test decides: W+ "
        f"{number(test.w_plus, 1)}, W− {number(test.w_minus, 1)}, rank-biserial correlation "
        f"{number(test.rank_biserial)} ({test.method}). {c.first} wins {wins}, ties {ties}, loses "
        f"{losses} ({sign.method}).{region_caption(c)}",
    )


def symmetry(c: RanksComparison | ControlComparison | TwoComparison) -> Table | None:
    """Return whether the differences of pairs are symmetric, which the Wilcoxon test assumes."""
    found = c.symmetry()
    if found is None:
        return None
    several = len(found) > 1
    frame = found.assign(asymmetric=np.where(found["asymmetric"], "yes", ""))
    adjusted = "; adjusted by Holm" if several else ""
    return Table(
        name="symmetry",
        title="Symmetry of the differences",
        frame=numbered(frame if several else frame.drop(columns="p adjusted")),
        formats={"statistic": three_decimals, **write_every_p(c)},
        caption="Triples test of symmetry of first − second over data sets, which the Wilcoxon "
        f"test assumes (positive: skewed to the right{adjusted}). With few data sets it detects "
        "strong skewness only.",
        heads=("first", "second"),
    )
