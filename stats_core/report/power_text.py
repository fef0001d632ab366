"""Text on simulations of power, error rates and orders, on plans, and on detectable differences."""

from dataclasses import dataclass
from functools import cache, singledispatch
from math import isnan
from typing import Any

import numpy as np
import pandas as pd

from stats_core.comparison.result import FDR
from stats_core.core.formatting import format_count, format_number, score_digits
from stats_core.core.messages import TextCatalog, read_macros
from stats_core.core.version import VERSION
from stats_core.power.cluster_power import MOST_UNITS
from stats_core.power.detectable import MAHALANOBIS, RANKS, SHARE, Detectable
from stats_core.power.error_rates import LevelOnDesign
from stats_core.power.item_planning import ItemPlan
from stats_core.power.order_simulation import OrderProbabilities
from stats_core.power.planning import FOLDS, REPETITIONS, SETS, SPENDINGS, Plan
from stats_core.power.simulated_power import ProcedurePower, names_by_test
from stats_core.report.tables.table import ResultTable, make_table, write_scores

_power_words = TextCatalog("stats_core", "report/power.toml")
_PART = "\x1f"  # between the parts of a text
_FEW = 0.2  # a difference with less power than this, even with all additional data sets, is too small to plan for


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationText:
    """Text that describes a simulation.

    Attributes
    ----------
    headline, detail : str
        The result, and its uncertainty.
    warning : str
        Objection to the chosen procedure or to the plan; "" if there is none.
    paragraph : str
        Description of the method, for a paper.
    """

    headline: str
    detail: str
    warning: str
    paragraph: str

    @property
    def text(self) -> str:
        """All texts as paragraphs separated by blank lines."""
        first = " ".join(part for part in (self.headline, self.detail) if part)
        return "\n\n".join(part for part in (first, self.warning, self.paragraph) if part)


@cache
def _macros() -> Any:
    values = {
        "INFINITE": np.inf,
        "FOLDS": FOLDS,
        "SPENDINGS": SPENDINGS,
        "VERSION": VERSION,
        "FEW": _FEW,
        "MOST_UNITS": MOST_UNITS,
    }
    return read_macros("report/simulations.jinja", isnan=isnan, part=_PART, **values)


def _text(macro: str, *values: Any) -> SimulationText:
    """Return the texts of a macro of `simulations.jinja`."""
    headline, detail, warning, paragraph = getattr(_macros(), macro)(*values).split(_PART)
    return SimulationText(headline=headline, detail=detail, warning=warning, paragraph=paragraph)


@singledispatch
def describe_simulation(result: object) -> SimulationText:
    """Return the text that describes simulated power, error rates or a plan; TypeError for other objects.

    Examples
    --------
    >>> describe_simulation(0)
    Traceback (most recent call last):
    ...
    TypeError: int has no words
    """
    raise TypeError(f"{type(result).__name__} has no words")


@describe_simulation.register
def _power(result: ProcedurePower) -> SimulationText:
    """Return the text on simulated power: rejections at both ends, best procedures, and those that never reject."""
    frame = result.frame.set_index(["bias", "procedure"])
    low, high = result.frame["bias"].min(), result.frame["bias"].max()
    totals = result.frame.groupby("procedure", sort=False)["rejected"].max()
    never = list(totals.index[totals == 0])
    last = frame.loc[high].sort_values("rejected", ascending=False, kind="stable")
    order = [name for name in last.index if name not in never]
    behind = last["rejected"].iloc[0] - last["rejected"]
    near = behind <= 2 * np.hypot(last["rejected se"], last["rejected se"].iloc[0])
    pairs = format_count(result.comparisons, "pair")
    if result.control:
        pairs = f"{format_count(result.comparisons, 'comparison')} with {result.control}"
    means = {
        name: " and ".join(
            format_number(frame.loc[(b, name), "rejected"]) for b in dict.fromkeys((low, high))
        )
        for name in [*order[:1], *order[-1:]]
    }
    best, error = [name for name in order if near[name]], result.frame["rejected se"].max()
    unable = names_by_test(p for p in result.procedures if p.name in never)
    return _text("power", result, low, high, pairs, list(means.items()), best, error, unable)


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelDecision:
    """Whether the chosen procedure and the other procedures exceed their significance level.

    Attributes
    ----------
    rows : DataFrame
        Rows of the chosen procedure.
    above : tuple of str
        Null models under which the chosen procedure exceeds its level.
    versus_alpha : {"above", "open", "below"}
        "above" if it exceeds its level under some null model; "open" if its simulated level is
        above alpha, but within sampling error; "below" if it is not above alpha under any.
    others : tuple of str
        Other procedures that exceed their level under some null model.
    within : tuple of str
        Procedures with family-wise control that exceed their level under no null model.
    """

    rows: pd.DataFrame
    above: tuple[str, ...]
    versus_alpha: str
    others: tuple[str, ...]
    within: tuple[str, ...]


def decide_level(result: LevelOnDesign) -> LevelDecision:
    """Return which procedures exceed their level by more than simulation error explains."""
    frame = result.frame
    selected = frame[frame["chosen"]]
    bad = list(dict.fromkeys(frame.loc[frame["above"], "procedure"]))
    family = frame.loc[frame["bounds"] == "family", "procedure"]
    higher = bool((selected["level"] > result.alpha).any())
    return LevelDecision(
        rows=selected,
        versus_alpha="above" if selected["above"].any() else "open" if higher else "below",
        above=tuple(selected.loc[selected["above"], "world"]),
        others=tuple(name for name in bad if name != result.chosen),
        within=tuple(name for name in dict.fromkeys(family) if name not in bad),
    )


@describe_simulation.register
def _level(result: LevelOnDesign) -> SimulationText:
    decision = decide_level(result)
    unadjusted = decision.rows[decision.rows["bounds"] == "pair"]
    unadjusted = unadjusted[unadjusted["family"] > unadjusted["pair"]]
    alternatives = [name for name in decision.within if name != result.chosen][:3]
    models = list(dict.fromkeys(result.frame["world"]))
    rows = (decision.rows.to_dict("records"), unadjusted.to_dict("records"))
    return _text("level", result, decision, *rows, alternatives, models)


@describe_simulation.register
def _plan(plan: Plan) -> SimulationText:
    """Return the text on a plan: the data sets needed, each way to enlarge the experiment, and interim analyses."""
    options = plan.options
    widths = options["half_width"].drop(index="now").astype(float)
    now, digits = options.loc["now"], score_digits(options[["half_width"]])
    fields = {SETS: "n_sets", REPETITIONS: "repetitions", FOLDS: "folds"}
    more = []
    for way in widths.sort_values(kind="stable").index:  # narrowest interval first
        row = options.loc[way]
        time = "" if isnan(row["seconds"]) else _duration(row["seconds"])
        more.append((f"{row[fields[way]] - now[fields[way]]:.0f} {way}", row, time))
    shares = plan.variance / plan.variance.sum()
    at = plan.growth[plan.growth["more_sets"] <= plan.needed].iloc[-1]
    return _text(
        "plan",
        plan,
        now,
        more,
        plan.looks.iloc[0],
        plan.looks.iloc[-1],
        digits,
        shares,
        plan.between,
        at,
    )


def _duration(seconds: float) -> str:
    """Return a duration in a suitable unit.

    Examples
    --------
    >>> _duration(45), _duration(5400), _duration(200_000)
    ('45 s', '1.5 h', '2.3 days')
    """
    for size, unit in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def describe_order_probabilities(result: OrderProbabilities) -> str:
    """Return a sentence on the most frequent orders at the smallest and the largest lambda."""
    table = result.probabilities
    return _macros().order_probabilities(result, table, table.iloc[0], table.iloc[-1])


@describe_simulation.register
def _items(plan: ItemPlan) -> SimulationText:
    """Return the text on numbers of instances: the number needed, its basis, and the detectable difference."""
    return _text("items", plan, plan.variance)


def describe_detectable(result: Detectable) -> str:
    """Return the smallest detectable difference as a sentence, or why there is none."""
    return _macros().detectable(result, _difference(result))


def _difference(result: Detectable) -> str:
    """Return the detectable difference with its unit and, if pairs differ, its range."""
    unit = result.unit

    def amount(value: float) -> str:
        if unit in (RANKS, MAHALANOBIS):
            return format_number(value, 1)
        # three figures if fixed decimals do not suit
        fixed = 10**-result.digits <= value < 1e7
        return format_number(value, result.digits) if fixed else f"{value:.3g}"

    if unit == SHARE:
        return _power_words("difference.win_probability", amount=f"{result.difference:.2f}")
    form = {RANKS: "rank", MAHALANOBIS: "mahalanobis"}.get(unit, "unit")
    text = _power_words(f"difference.{form}", amount=amount(result.difference), unit=unit)
    if result.low == result.high or unit == RANKS:
        return text
    return _power_words(
        "difference.range", difference=text, low=amount(result.low), high=amount(result.high)
    )


def methods_of(result: object) -> tuple[str, ...]:
    """Return short names of the test and correction that a simulation or plan is about."""
    if isinstance(result, Plan | ItemPlan):
        is_exact = isinstance(result, ItemPlan) and result.exact
        test = "exact McNemar" if is_exact else "paired t" if isinstance(result, Plan) else "z test"
        if isinstance(result, ItemPlan) and result.variance.units is not None:
            test = "permutation test"
        return test, "Bonferroni" if result.comparisons > 1 else ""
    if isinstance(result, LevelOnDesign):
        return (result.chosen,)
    return (
        (format_count(len(result.procedures), "procedure"),)
        if isinstance(result, ProcedurePower)
        else ()
    )


@singledispatch
def lab_tables(result: object) -> list[ResultTable]:
    """Return the tables of simulated power, error rates or a plan; TypeError for other objects."""
    raise TypeError(f"{type(result).__name__} has no tables")


def _table(name: str, frame: pd.DataFrame, *digits: str, **values: Any) -> ResultTable:
    """Return a table with three decimals; columns named in `digits` have decimals suited to their values."""
    formats = {
        column: lambda value: format_number(value, 3) for column in frame.select_dtypes("number")
    }
    formats |= {column: write_scores(frame[[column]]) for column in digits}
    title, caption = (
        _power_words(f"{name}.title", **values),
        _power_words(f"{name}.caption", **values),
    )
    return ResultTable(name=name, title=title, frame=frame, formats=formats, caption=caption)


@lab_tables.register
def _power_tables(result: ProcedurePower) -> list[ResultTable]:
    bias, (first, second) = result.frame["bias"].max(), result.pair
    frame = result.frame[result.frame["bias"] == bias].drop(columns="bias").set_index("procedure")
    sizes = {"bias": bias, "draws": result.draws, "n_sets": result.n_sets}
    return [_table("power_table", frame, **sizes, first=first, second=second)]


@lab_tables.register
def _level_tables(result: LevelOnDesign) -> list[ResultTable]:
    discoveries = [FDR, f"{FDR} se"] if (result.frame["bounds"] == FDR).any() else []
    columns = [
        "world",
        "procedure",
        "family",
        "family se",
        "pair",
        "pair se",
        *discoveries,
        "bounds",
        "above",
        "chosen",
    ]
    frame = result.frame[columns].rename(columns={"bounds": "controls", "world": "null model"})
    named = frame.assign(
        **{name: frame[name].map({True: "yes", False: ""}) for name in ("above", "chosen")}
    )
    named.index = pd.RangeIndex(1, len(named) + 1)
    return [
        _table(
            "level_table", named, draws=result.draws, alpha=result.alpha, discoveries=discoveries
        )
    ]


@lab_tables.register
def _plan_tables(plan: Plan) -> list[ResultTable]:
    """Return the tables of a plan: experiment sizes, and interim analyses."""
    options = plan.options.dropna(axis=1, how="all").rename(columns={"chance": "average power"})
    count_names = {
        "n_sets": "data sets",
        "folds": "folds",
        "repetitions": "repetitions",
        "trainings": "runs",
    }
    options = options.astype(dict.fromkeys(count_names, int)).rename(columns=count_names)
    analyses = plan.looks.astype({"n_sets": int}).rename(columns=count_names)
    pair = {"first": plan.pair[0], "second": plan.pair[1]}
    return [
        _table("plan_table", options.rename_axis("size"), "half_width", **pair),
        _table("looks_table", analyses.set_index("data sets"), "level", **pair, draws=plan.draws),
    ]


@lab_tables.register
def _item_tables(plan: ItemPlan) -> list[ResultTable]:
    """Return the table of numbers of instances by true difference."""
    names = {"power80": "80% power", "power90": "90% power", "clusters": "clusters (80% power)"}
    counts = {names[name]: "{:,.0f}".format for name in plan.frame if name in names}
    frame = plan.frame.set_index("difference").rename(columns=names).replace(np.inf, np.nan)
    frame.index = pd.Index([f"{value:.3g}" for value in frame.index], name="true difference")
    return [make_table("items_table", frame, own=counts, first=plan.pair[0], second=plan.pair[1])]
