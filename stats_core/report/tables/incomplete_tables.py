"""Tables of comparisons over data sets with missing results."""

from stats_core.comparison.kinds.control_and_pairs import PresentComparison
from stats_core.core.formatting import format_number
from stats_core.report.effect_text import estimate_label, interval_words
from stats_core.report.tables.table import ResultTable, name_index, three_decimals, write_p, write_sizes
from stats_core.report.tables.table_parts import Pairs, groups_table, p_words, pairs_table, scores_table, tests_table


def scores(c: PresentComparison) -> ResultTable:
    """Return the averages, best algorithm first."""
    return scores_table(c, c.order)


def standing(c: PresentComparison) -> ResultTable:
    """Return average ranks among algorithms present, with the number of data sets."""
    return ResultTable(
        name="standing",
        title="Average ranks of those present",
        frame=name_index(c.standing, "algorithm"),
        formats={"average rank": format_number, "data sets": "{:d}".format},
        caption="Mean of the ranks among those that have a result, and on how many data sets. Means "
        "over different data sets and rivals are not comparable to the last place; the pairs are.",
    )


def first_test(c: PresentComparison) -> ResultTable:
    """Return the Skillings-Mack test."""
    return tests_table(
        {"Skillings-Mack": c.omnibus},
        name="tests",
        title="Test of all algorithms at once",
        formats={"statistic": three_decimals, "p": write_p(c.settings.alpha)},
        caption=f"{c.counted} with two results or more. Chi-square of Skillings and Mack, corrected "
        f"for ties; without that {format_number(c.omnibus.uncorrected_statistic, 3)}.",
    )


def pairs(c: PresentComparison) -> ResultTable:
    """Return all pairs with their differences on shared data sets."""
    by_sign = c.settings.source == "sign"
    return pairs_table(
        c,
        Pairs(
            estimate="difference",
            statistic="wins - losses" if by_sign else "rank-biserial",
            own={"data sets": "{:d}".format},
            write=write_sizes(c),
            caption=f"First \N{MINUS SIGN} second on the data sets that both have: {estimate_label(c)} with "
            f"{interval_words(c)}; {p_words(c)}, bold where the pair differs at "
            f"{c.settings.alpha:g}; data sets won, tied and lost by the first.",
        ),
    )


def groups(c: PresentComparison) -> ResultTable:
    """Return the groups with the average ranks of their first and last members."""
    return groups_table(c, c.standing["average rank"], "rank")
