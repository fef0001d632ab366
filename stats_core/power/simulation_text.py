"""Summaries of simulations in words: each result is decided first and then written as sentences."""

from dataclasses import dataclass
from functools import singledispatch
from math import isnan

import numpy as np
import pandas as pd

from stats_core.core.formatting import (
    capitalize_first,
    format_count,
    format_number,
    format_percent,
    join_names,
    score_digits,
)
from stats_core.core.version import VERSION
from stats_core.power.null_models import WORLDS, LevelOnDesign
from stats_core.power.planning import FOLDS, REPETITIONS, SETS, Plan
from stats_core.power.sequential import SPENDINGS
from stats_core.power.simulated_power import ProcedurePower

_NAMES = {
    "labels": "no algorithm differs",
    "pair": "one pair does not differ",
    "folds": "no algorithm differs",
}


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
        """All parts, as paragraphs separated by blank lines."""
        first = " ".join(part for part in (self.headline, self.detail) if part)
        return "\n\n".join(part for part in (first, self.warning, self.paragraph) if part)


@singledispatch
def describe_simulation(found: object) -> SimulationText:
    """Return the text that describes the result of a simulation.

    Examples
    --------
    >>> describe_simulation(0)
    Traceback (most recent call last):
    ...
    TypeError: int has no words
    """
    raise TypeError(f"{type(found).__name__} has no words")


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerDecision:
    """The procedures with the most rejections at the largest bias, and those with none.

    Attributes
    ----------
    best : tuple of str
        Procedures not below the first by more than two standard errors of both.
    rest : tuple of str
        The other procedures that reject at all, best first.
    never : tuple of str
        Procedures that reject nothing in any draw.
    """

    best: tuple[str, ...]
    rest: tuple[str, ...]
    never: tuple[str, ...]


def decide_power(found: ProcedurePower) -> PowerDecision:
    """Return the procedures with the most rejections at the largest bias, and those with none."""
    frame = found.frame
    last = frame[frame["bias"] == frame["bias"].max()].set_index("procedure")
    last = last.sort_values("rejected", ascending=False, kind="stable")
    totals = frame.groupby("procedure", sort=False)["rejected"].max()
    never = tuple(totals.index[totals == 0])
    behind = last["rejected"].iloc[0] - last["rejected"]
    near = behind <= 2 * np.hypot(last["rejected se"], last["rejected se"].iloc[0])
    left = [name for name in last.index if name not in never]
    return PowerDecision(
        best=tuple(name for name in left if near[name]),
        rest=tuple(name for name in left if not near[name]),
        never=never,
    )


@describe_simulation.register
def _power(result: ProcedurePower) -> SimulationText:
    decision, frame = decide_power(result), result.frame.set_index(["bias", "procedure"])
    low, high = result.frame["bias"].min(), result.frame["bias"].max()
    noun = f"comparisons with {result.control}" if result.control else "pairs"

    def means(name: str) -> str:
        return " and ".join(
            format_number(frame.loc[(b, name), "rejected"]) for b in dict.fromkeys((low, high))
        )

    order = [*decision.best, *decision.rest]
    rates = [f"{name} {means(name)}" for name in order[:1] + order[-1:] if order]
    bias_text = f"at bias {low:g} and {high:g}" if low < high else f"at bias {low:g}"
    headline = (
        f"Of {result.comparisons} {noun}, mean rejections {bias_text}: {join_names(list(dict.fromkeys(rates)))}."
        if order
        else f"None of the procedures rejects any of {result.comparisons} {noun} in any draw."
    )
    best = join_names(list(decision.best), 8)
    detail = f"At bias {high:g} most are rejected by {best}" if order else ""
    if order and len(decision.best) > 1:
        detail += ", which two standard errors do not tell apart"
    detail += "." if order else ""
    error = result.frame["rejected se"].max()
    detail += f" Standard errors are at most {format_number(error)}." if order else ""
    warning = (
        f"{capitalize_first(join_names(list(decision.never), 8))} rejected nothing in any draw; with {result.n_sets} data sets "
        f"and {result.comparisons} comparisons that may be out of reach, however large a difference."
        if decision.never
        else ""
    )
    return SimulationText(
        headline=headline,
        detail=detail.strip(),
        warning=warning,
        paragraph=(
            "Power was simulated as by García and Herrera (2008, section 4): at each of "
            f"{format_count(result.frame['bias'].nunique(), 'bias', 'biases')} b from {low:g} to {high:g}, "
            f"{result.n_sets} of {result.from_sets} data sets were drawn {result.draws:,} times without replacement, each with "
            f"probability proportional to 1/(1 + exp(−b d)), d the lead of {result.pair[0]} over "
            f"{result.pair[1]} in {result.measure}. Compared were {join_names([procedure.name for procedure in result.procedures], 30)}, "
            f"at {result.alpha:g}, for {result.comparisons} {noun} (Foldwise {VERSION}, seed {result.seed}). What is drawn are these "
            "data sets, so this holds for results such as these."
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelDecision:
    """Whether the chosen procedure and the others exceeded their significance level.

    Attributes
    ----------
    chosen : DataFrame
        Rows of the chosen procedure.
    above : tuple of str
        Null models under which the chosen procedure exceeds its level.
    held : {"above", "open", "below"}
        "above" if it exceeds its level under some null model, "open" if only within sampling error,
        else "below".
    others : tuple of str
        Other procedures that exceed their level under some null model.
    within : tuple of str
        Procedures with family-wise control that exceed their level under no null model.
    """

    chosen: pd.DataFrame
    above: tuple[str, ...]
    held: str
    others: tuple[str, ...]
    within: tuple[str, ...]


def decide_level(found: LevelOnDesign) -> LevelDecision:
    """Return the procedures whose error rate exceeds their level by more than chance explains."""
    frame = found.frame
    chosen = frame[frame["chosen"]]
    bad = list(dict.fromkeys(frame.loc[frame["above"], "procedure"]))
    family = frame.loc[frame["bounds"] == "family", "procedure"]
    higher = bool((chosen["level"] > found.alpha).any())
    return LevelDecision(
        chosen=chosen,
        held="above" if chosen["above"].any() else "open" if higher else "below",
        above=tuple(chosen.loc[chosen["above"], "world"]),
        others=tuple(name for name in bad if name != found.chosen),
        within=tuple(name for name in dict.fromkeys(family) if name not in bad),
    )


@describe_simulation.register
def _level(result: LevelOnDesign) -> SimulationText:
    decision = decide_level(result)
    hypothesis = (
        "a true hypothesis"
        if decision.chosen["bounds"].iloc[0] == "pair"
        else "any true hypothesis"
    )
    counted_noun = "tests" if decision.chosen["bounds"].iloc[0] == "pair" else "draws"
    rates = [
        f"{format_number(row.level, 3)} (± {format_number(2 * row.se, 3)}) of the {counted_noun} where {_NAMES[row.world]}"
        for row in decision.chosen.itertuples()
    ]
    verb = {"above": "exceeds", "open": "may exceed", "below": "was not seen to exceed"}[
        decision.held
    ]
    warning = ""
    if decision.above:
        alternatives = [name for name in decision.within if name != result.chosen][:3]
        warning = (
            f"In worlds like these results {result.chosen} finds differences that are none more often than "
            f"{result.alpha:g}. Do not rely on it here."
            + (f" Not seen above: {join_names(alternatives)}." if alternatives else "")
        )
    others = f" Above it are {join_names(list(decision.others), 6)}." if decision.others else ""
    design = (
        f"the {result.n} folds of {result.dataset}"
        if result.dataset
        else format_count(result.n, result.noun)
    )
    correlation_text = (
        f" Two folds are correlated by {result.correlation:.3g}, a model."
        if result.correlation
        else " Folds are taken as independent, since the share tested is not known."
        if result.noun == "fold"
        else ""
    )
    return SimulationText(
        headline=f"{result.chosen}, chosen here, {verb} {result.alpha:g}: it rejects {hypothesis} in "
        f"{join_names(rates)}.",
        detail=f"Two standard errors in brackets.{_of_family(decision.chosen)}{others}",
        warning=warning,
        paragraph=(
            f"Levels were simulated on {design} ({result.measure}), {result.draws:,} draws of each world. "
            + " ".join(WORLDS[world] for world in dict.fromkeys(result.frame["world"]))
            + f"{correlation_text} (Foldwise {VERSION}, seed {result.seed}.)"
        ),
    )


def _of_family(chosen: pd.DataFrame) -> str:
    """Return a sentence on the family-wise error rate, "" if the procedure controls it."""
    rows = chosen[(chosen["bounds"] == "pair") & (chosen["family"] > chosen["pair"])]
    if rows.empty:
        return ""
    rates = [
        f"{format_number(row['family'], 3)} (± {format_number(2 * row['family se'], 3)}) of the draws where "
        f"{_NAMES[row['world']]}"
        for row in rows.to_dict("records")
    ]
    return f" Any true hypothesis is rejected in {join_names(rates)}."


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanDecision:
    """The best of the ways to enlarge the experiment.

    Attributes
    ----------
    narrower : str
        "more data sets", "more repetitions" or "more folds", by the width of the interval.
    others : tuple of str
        The other enlargements, narrowest interval first.
    cheaper : str
        The enlargement with the fewest trainings; "" if two are equal.
    """

    narrower: str
    others: tuple[str, ...]
    cheaper: str


def decide_plan(plan: Plan) -> PlanDecision:
    """Return which enlargement narrows the interval most, and which takes the fewest trainings."""
    sizes = plan.options.drop(index="now")
    order = sizes["half_width"].astype(float).sort_values(kind="stable").index
    fewest = sizes.index[sizes["trainings"] == sizes["trainings"].min()]
    return PlanDecision(
        narrower=order[0], others=tuple(order[1:]), cheaper=fewest[0] if len(fewest) == 1 else ""
    )


@describe_simulation.register
def _plan(plan: Plan) -> SimulationText:
    decision, options = decide_plan(plan), plan.options
    now, digits = options.loc["now"], score_digits(options[["half_width"]])
    fields = {SETS: "n_sets", REPETITIONS: "repetitions", FOLDS: "folds"}
    more = {
        way: f"{options.loc[way, fields[way]] - now[fields[way]]:.0f} {way}"
        for way in (decision.narrower, *decision.others)
    }

    def told(way: str) -> str:
        row = options.loc[way]
        time = "" if isnan(row["seconds"]) else f", {_duration(row['seconds'])}"
        return (
            f"{more[way]} to {format_number(row['half_width'], digits)} ({row['trainings']:,.0f} trainings{time}; "
            f"chance of a decision {format_number(row['chance'])})"
        )

    others = [more[way] for way in decision.others]
    shares = plan.variance / plan.variance.sum()
    low, high = plan.between
    aim = (
        f"is that of finding a difference of {plan.difference:g}"
        if plan.difference is not None
        else "is averaged over the differences that the pilot leaves open"
    )
    first, last = plan.looks.iloc[0], plan.looks.iloc[-1]
    wrong = last["false"] > plan.level + 3 * max(last["false se"], 1e-4)
    return SimulationText(
        headline=(
            f"{capitalize_first(more[decision.narrower])} tell more about {plan.pair[0]} and {plan.pair[1]} than {' or '.join(others)}."
        ),
        detail=(
            f"The half-width {format_number(now['half_width'], digits)} of the interval (chance of a decision {format_number(now['chance'])}) goes by "
            f"{join_names([told(decision.narrower), *(f'by {told(way)}' for way in decision.others)])}. The chance {aim}. Of the variance of the mean difference on a data set "
            f"{format_percent(round(shares['between'], 2))} ({format_percent(round(low, 2))} to {format_percent(round(high, 2))}) lies between data sets, {format_percent(round(shares['overlap'], 2))} is the overlap of training "
            f"sets, {format_percent(round(shares['folds'], 2))} lies between folds; repetitions lower the last part alone{_of_folds(plan)}."
        ),
        warning=(
            f"Simulated looks find differences that are none in {format_number(last['false'], 4)} of experiments, above "
            f"{plan.level:.4g}: with so few data sets the t test at such levels does not hold."
            if wrong
            else ""
        ),
        paragraph=(
            f"Planned from {plan.n_sets} data sets ({plan.measure}), by t intervals over data sets at "
            f"{plan.level:.4g}, {_family(plan)}; results of a data set are correlated as their training sets overlap (Nadeau and "
            f"Bengio 2003). Who adds data sets and looks at {join_names([f'{n:.0f}' for n in plan.looks['n_sets']], 12)} of them holds p against "
            f"{join_names([f'{look_level:.2g}' for look_level in plan.looks['level']], 12)} ({SPENDINGS[plan.spending]} spending, Lan and DeMets 1983): "
            f"{format_number(first['decided'])} of {plan.draws:,} simulated experiments are decided at the first look, {format_number(last['decided'])} by the last, "
            f"{format_number(last['false'], 4)} if there is no difference. {_always(plan, digits)} (Foldwise {VERSION}, seed {plan.seed}.)"
        ),
    )


def _of_folds(plan: Plan) -> str:
    """Return a clause on the effect of more folds and its assumptions, "" if folds are fixed."""
    if FOLDS not in plan.options.index:
        return ""
    return (
        ", folds that of the overlap alone, if results vary as the cases tested are fewer; that more folds train on more "
        "cases is left out"
    )


def _always(plan: Plan, digits: int) -> str:
    """Return a sentence on the cost of an interval that is valid at any number of looks."""
    last = plan.looks.iloc[-1]
    return (
        f"Who looks whenever wanted takes an interval that holds at all times for normal differences (Wang and Ramdas 2023): at "
        f"{last['n_sets']:.0f} data sets its half-width is {format_number(last['always half_width'], digits)} instead of "
        f"{format_number(last['half_width'], digits)}, and {format_number(last['always decided'])} of the experiments are decided at these looks."
    )


def _family(plan: Plan) -> str:
    if plan.comparisons == 1:
        return "one comparison"
    return f"the first step of {plan.comparisons} comparisons"


def _duration(seconds: float) -> str:
    """Format a duration in a suitable unit.

    Examples
    --------
    >>> _duration(45), _duration(5400), _duration(200_000)
    ('45 s', '1.5 h', '2.3 days')
    """
    for size, unit in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"
