"""Tables of published ranks, wins and decisions."""

import pandas as pd

from stats_core.comparison.kinds.published_summaries import PublishedDecisions, PublishedRanks, PublishedWins
from stats_core.core.formatting import format_number
from stats_core.report.tables.table import ResultTable, name_index, three_decimals, with_row_numbers, write_p
from stats_core.report.tables.table_parts import Pairs, groups_table, pairs_table, table_text, tests_table


def ranks(c: PublishedRanks) -> ResultTable:
    """Return the average ranks, best first."""
    digits = c.published.digits
    table = c.friedman.average_ranks[c.order].rename("average rank").to_frame()
    return ResultTable(
        name="ranks",
        frame=name_index(table, "algorithm"),
        formats={"average rank": lambda value: format_number(value, digits)},
        **table_text("published", "ranks", c=c),
    )


def first_tests(c: PublishedRanks) -> ResultTable:
    """Return the tests of Friedman and of Iman and Davenport."""
    return tests_table(
        {"Friedman": c.friedman, "Iman-Davenport": c.omnibus},
        name="tests",
        formats={"statistic": three_decimals, "p": write_p(c.settings.alpha)},
        **table_text("published", "first_tests", c=c),
    )


def pairs_of_ranks(c: PublishedRanks) -> ResultTable:
    """Return all pairs with their differences of average ranks."""
    return pairs_table(c, Pairs(estimate="rank gap", statistic="z", **table_text("published", "pairs_of_ranks", c=c)))


def groups_of_ranks(c: PublishedRanks) -> ResultTable:
    """Return the groups with the average ranks of their first and last members."""
    return groups_table(c, c.friedman.average_ranks, "rank")


def wins(c: PublishedWins) -> ResultTable:
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


def decisions(c: PublishedDecisions) -> ResultTable:
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


def groups(c: PublishedDecisions) -> ResultTable:
    """Return the maximal groups without a pair that differs."""
    table = groups_table(c)
    caption = (
        "Maximal groups of algorithms of which no pair is separated by the decisions given. Not separated "
        "is not the same as equally good."
    )
    return ResultTable(name=table.name, title=table.title, frame=table.frame, formats=table.formats, caption=caption)


def order(c: PublishedDecisions) -> ResultTable | None:
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
