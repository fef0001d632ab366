"""Tables of comparisons over data sets with missing results."""

from stats_core.comparison.kinds.control_and_pairs import PresentComparison
from stats_core.core.formatting import format_number
from stats_core.report.tables.table import ResultTable, name_index, three_decimals, write_p, write_sizes
from stats_core.report.tables.table_parts import Pairs, groups_table, pairs_table, scores_table, table_text, tests_table


def scores(c: PresentComparison) -> ResultTable:
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


def first_test(c: PresentComparison) -> ResultTable:
    """Return the Skillings-Mack test."""
    return tests_table(
        {"Skillings-Mack": c.omnibus},
        name="tests",
        formats={"statistic": three_decimals, "p": write_p(c.settings.alpha)},
        **table_text("incomplete", "first_test", c=c),
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
            **table_text("incomplete", "pairs", c=c),
        ),
    )


def groups(c: PresentComparison) -> ResultTable:
    """Return the groups with the average ranks of their first and last members."""
    return groups_table(c, c.standing["average rank"], "rank")
