"""Figures of simulations: power of procedures, their level, and plans."""

from functools import singledispatch

import pandas as pd

from foldwise.figures.error_rate_dots import alt_level_dots, caption_level_dots, level_dots
from foldwise.figures.power_curves import PAIR, PLANS, alt_power_curves, caption_power_curves, power_curves
from foldwise.figures.spec import BuiltSpec, FigureSpec, cached_figure
from stats_core.core.formatting import format_count, format_number
from stats_core.power.error_rates import LevelOnDesign
from stats_core.power.planning import FOLDS, Plan
from stats_core.power.simulated_power import ProcedurePower

HOW_POWER = (
    "Each line is a procedure. To the right the draws prefer data sets on which one algorithm is better; "
    "look which line lies higher above and lower below, and by how much more than its band of two standard "
    "errors. More rejections are good only of a procedure that keeps its level: see there."
)
HOW_LEVEL = (
    "Each row is a procedure. Each mark is an error rate with two standard errors to either side. "
    "Filled marks are above the dotted line by more than chance explains. Unadjusted tests control "
    "the error rate of a single pair only. A mark far to the left of the line is not better: the "
    "procedure is less powerful."
)
HOW_PLAN = (
    "Each line is a way to grow, over what it costs in trainings. Look which line falls lower above and "
    "rises higher below at the same cost. The chance is an average over what the pilot leaves open, not a promise."
)
MOST_ROWS = 12  # largest number of procedures in the first figure of levels
WORLD_NAMES = {"labels": "none differs", "pair": "one pair does not differ", "folds": "none differs"}


@cached_figure
def lab_drawings(found: object) -> list[FigureSpec]:
    """Return the figures of a simulation."""
    return _drawings(found)


@singledispatch
def _drawings(result: object) -> list[FigureSpec]:
    raise TypeError(f"{type(result).__name__} has no figures")


@_drawings.register
def _power(result: ProcedurePower) -> list[FigureSpec]:
    frame = result.frame.replace(
        {"procedure": {procedure.name: short_name(procedure.name) for procedure in result.procedures}}
    )
    of_pair = frame.drop(columns=["rejected", "rejected se", "pvalue", "pvalue se"])
    everything = frame.drop(columns=[name for name in frame if name.startswith("pair ")])
    draws = format_count(result.draws, "draw")
    named = of_pair.rename(columns=lambda name: name.removeprefix("pair "))
    return [
        BuiltSpec(
            name="power",
            title=f"What is found among {format_count(result.comparisons, 'comparison')}",
            how_to_read=HOW_POWER,
            alt=alt_power_curves(frame),
            data=everything,
            build=lambda style: power_curves(everything, style=style),
            caption=lambda style: f"{caption_power_curves()} {draws} of {result.n_sets} data sets.",
            papers=("garcia2008",),
        ),
        BuiltSpec(
            name="power_of_the_pair",
            title=f"How often {result.pair[0]} and {result.pair[1]} are told apart",
            how_to_read=HOW_POWER,
            alt=alt_power_curves(named),
            data=of_pair,
            build=lambda style: power_curves(of_pair, style=style, curves=PAIR),
            caption=lambda style: (
                f"Share of draws in which {result.pair[0]} and {result.pair[1]} are told apart (above) and "
                f"their mean adjusted p-value (below). {draws} of {result.n_sets} data sets."
            ),
            papers=("garcia2008",),
        ),
    ]


@_drawings.register
def _level(result: LevelOnDesign) -> list[FigureSpec]:
    names = list(dict.fromkeys(result.frame["procedure"]))
    if len(names) <= MOST_ROWS:
        return [_levels(result, names, "level", "Type I error rates")]
    worst = result.frame.groupby("procedure")["family"].max()
    listed = sorted(names, key=lambda name: (name != result.chosen, -worst[name]))[:MOST_ROWS]
    displayed = [name for name in names if name in listed]
    title_of_listed = f"Type I error rates: the {MOST_ROWS} procedures with the highest, and the chosen one"
    return [
        _levels(result, displayed, "level", title_of_listed),
        _levels(result, names, "level_of_all", f"Type I error rates of all {len(names)} procedures"),
    ]


def _levels(result: LevelOnDesign, names: list[str], name: str, title: str) -> FigureSpec:
    """Return the figure of the levels of the named procedures."""
    frame = result.frame[result.frame["procedure"].isin(names)].reset_index(drop=True)
    displayed = frame.assign(world=frame["world"].map(WORLD_NAMES), procedure=frame["procedure"].map(short_name))
    draws = format_count(result.draws, "simulated experiment")
    return BuiltSpec(
        name=name,
        title=title,
        how_to_read=HOW_LEVEL,
        alt=alt_level_dots(displayed, result.alpha),
        data=frame,
        build=lambda style: level_dots(displayed, alpha=result.alpha, style=style),
        caption=lambda style: f"{caption_level_dots(displayed, result.alpha)} {draws} of each kind.",
    )


@_drawings.register
def _plan(plan: Plan) -> list[FigureSpec]:
    interpolated = _on_one_axis(plan.frame)
    last_rows = {way: rows.iloc[-1] for way, rows in plan.frame.groupby("way", sort=False)}
    ends = ", ".join(f"{way} {format_number(row['half_width'], 4)}" for way, row in last_rows.items())
    return [
        BuiltSpec(
            name="plan",
            title="More data sets, repetitions or folds?"
            if FOLDS in last_rows
            else "More data sets, or more repetitions?",
            how_to_read=HOW_PLAN,
            alt=f"Ways to grow, {len(last_rows)} lines. Half-width at the end: {ends}.",
            data=plan.frame,
            build=lambda style: power_curves(interpolated, style=style, curves=PLANS),
            caption=lambda style: (
                f"Half-width of the interval of {plan.pair[0]} minus {plan.pair[1]} (above) and chance of a decision "
                f"(below) over the trainings of {format_count(plan.algorithms, 'algorithm')}, from {format_count(plan.n_sets, 'data set')} on."
            ),
        )
    ]


def _on_one_axis(frame: pd.DataFrame) -> pd.DataFrame:
    """Interpolate each way to the numbers of trainings of the others."""
    wide = frame.pivot(index="trainings", columns="way", values=["half_width", "chance"])
    filled = wide.interpolate("index", limit_area="inside")
    return filled.stack("way", future_stack=True).dropna().reset_index()[list(PLANS.columns)]


def short_name(procedure: str) -> str:
    """Return a shortened name of a procedure for figures.

    Examples
    --------
    >>> short_name("Holm on average ranks"), short_name("Nemenyi")
    ('Holm, ranks', 'Nemenyi')
    """
    return procedure.replace(" on ", ", ").replace("average ranks", "ranks")
