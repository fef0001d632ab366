"""Tables of simulations: power of procedures, their level, and plans."""

from functools import singledispatch

import pandas as pd

from stats_core.core.formatting import format_number
from stats_core.power.error_rates import LevelOnDesign
from stats_core.power.planning import Plan
from stats_core.power.simulated_power import ProcedurePower
from stats_core.report.tables.table import ResultTable, write_scores


@singledispatch
def lab_tables(found: object) -> list[ResultTable]:
    """Return the tables of a simulation."""
    raise TypeError(f"{type(found).__name__} has no tables")


def _table(name: str, title: str, frame: pd.DataFrame, caption: str, *digits: str) -> ResultTable:
    """Return a table with three decimals, and score digits in the columns `digits`."""
    formats = {column: lambda value: format_number(value, 3) for column in frame.select_dtypes("number")}
    formats |= {column: write_scores(frame[[column]]) for column in digits}
    return ResultTable(name=name, title=title, frame=frame, formats=formats, caption=caption)


@lab_tables.register
def _power(result: ProcedurePower) -> list[ResultTable]:
    at_largest_bias = result.frame[result.frame["bias"] == result.frame["bias"].max()]
    return [
        _table(
            "power_table",
            f"At bias {result.frame['bias'].max():g}",
            at_largest_bias.drop(columns="bias").set_index("procedure"),
            f"Means over {result.draws:,} draws of {result.n_sets} data sets; se: their standard errors. "
            f"Pair: {result.pair[0]} and {result.pair[1]}.",
        )
    ]


@lab_tables.register
def _level(result: LevelOnDesign) -> list[ResultTable]:
    frame = result.frame[
        ["world", "procedure", "family", "family se", "pair", "pair se", "bounds", "above"] + ["chosen"]
    ]
    named = frame.assign(**{name: frame[name].map({True: "yes", False: ""}) for name in ("above", "chosen")}).rename(
        columns={"bounds": "controls"}
    )
    named.index = pd.RangeIndex(1, len(named) + 1)
    return [
        _table(
            "level_table",
            "Type I error rates",
            named,
            f"{result.draws:,} draws of each world. Family: share of draws in which any true hypothesis "
            "is rejected. Pair: share of true hypotheses rejected. se: standard error. Above: the "
            f"rate that the procedure controls is above {result.alpha:g} by more than chance explains.",
        )
    ]


@lab_tables.register
def _plan(plan: Plan) -> list[ResultTable]:
    options = plan.options.dropna(axis=1, how="all")
    count_names = {"n_sets": "data sets", "folds": "folds", "repetitions": "repetitions"}
    options = options.astype({name: int for name in (*count_names, "trainings")}).rename(columns=count_names)
    looks = plan.looks.astype({"n_sets": int}).rename(columns={"n_sets": "data sets"})
    about = f"Of {plan.pair[0]} minus {plan.pair[1]}."
    return [
        _table("plan_table", "Sizes", options.rename_axis("size"), about, "half_width"),
        _table(
            "looks_table",
            "Looks on the way to more data sets",
            looks.set_index("data sets"),
            f"{about} Shares of {plan.draws:,} simulated experiments decided by then, and if there is no difference.",
            "level",
        ),
    ]
