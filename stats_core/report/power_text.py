"""Text on power: simulations of procedures, plans, and the smallest detectable difference."""

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
    p_text,
    score_digits,
)
from stats_core.core.version import VERSION
from stats_core.power.detectable import MAHALANOBIS, RANKS, SHARE, Detectable
from stats_core.power.error_rates import LevelOnDesign
from stats_core.power.order_simulation import OrderProbabilities
from stats_core.power.planning import FOLDS, REPETITIONS, SETS, SPENDINGS, Plan
from stats_core.power.simulated_power import ProcedurePower

_ALPHA = "\N{GREEK SMALL LETTER ALPHA}"
# null model -> condition under which its hypotheses are true
_NULL = {"labels": "no algorithm differs", "pair": "one pair does not differ", "folds": "no algorithm differs"}
NULL_MODELS = {
    "labels": "The algorithm labels are permuted on every data set, so no algorithms differ.",
    "pair": "The labels of one pair at a time are permuted on every data set, so this pair does not "
    "differ. The other algorithms keep their results.",
    "folds": "Normal fold results have the observed covariance and equal means. A component shared by "
    "all folds models the correlation due to overlapping training sets.",
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


@describe_simulation.register
def _power(result: ProcedurePower) -> SimulationText:
    frame = result.frame.set_index(["bias", "procedure"])
    low, high = result.frame["bias"].min(), result.frame["bias"].max()
    biases = list(dict.fromkeys((low, high)))
    totals = result.frame.groupby("procedure", sort=False)["rejected"].max()
    never = list(totals.index[totals == 0])
    last = frame.loc[high].sort_values("rejected", ascending=False, kind="stable")
    order = [name for name in last.index if name not in never]
    behind = last["rejected"].iloc[0] - last["rejected"]
    near = behind <= 2 * np.hypot(last["rejected se"], last["rejected se"].iloc[0])
    best = [name for name in order if near[name]]
    pairs = format_count(result.comparisons, "pair")
    if result.control:
        pairs = f"{format_count(result.comparisons, 'comparison')} with {result.control}"
    headline = f"No procedure rejects any of {pairs} in any simulation."
    detail = warning = ""
    if order:
        means = {
            name: " and ".join(format_number(frame.loc[(b, name), "rejected"]) for b in biases)
            for name in (order[0], order[-1])
        }
        headline = (
            f"Mean number of rejections among {pairs} at bias "
            f"{' and '.join(f'{bias:g}' for bias in biases)}: "
            f"{join_names([f'{name} ({rates})' for name, rates in means.items()])}."
        )
        verb = "has" if len(best) == 1 else "have"
        within = "" if len(best) == 1 else ", within two standard errors"
        detail = (
            f"At bias {high:g}, {join_names(best, 8)} {verb} the most rejections{within}. "
            f"Standard errors are at most {format_number(result.frame['rejected se'].max())}."
        )
    if never:
        warning = (
            f"{capitalize_first(join_names(never, 8))} rejected nothing in any simulation. With "
            f"{result.n_sets} data sets and {result.comparisons} comparisons, significance may be out of "
            "reach for any difference."
        )
    names = join_names([procedure.name for procedure in result.procedures], 30)
    return SimulationText(
        headline=headline,
        detail=detail,
        warning=warning,
        paragraph=(
            "Power was simulated as by García and Herrera (2008, section 4). At each of "
            f"{format_count(result.frame['bias'].nunique(), 'bias', 'biases')} b from {low:g} to {high:g}, "
            f"{result.n_sets} of {result.from_sets} data sets were sampled {result.draws:,} times without "
            "replacement. The sampling probability was proportional to 1/(1 + exp(−b d)), where d is the "
            f"advantage of {result.pair[0]} over {result.pair[1]} in {result.measure}. For "
            f"{pairs} at {_ALPHA} = {result.alpha:g}, we compared {names} "
            f"(Foldwise {VERSION}, seed {result.seed}). The simulations resample these data sets, so the "
            "conclusion holds for similar results only."
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


_EXCEEDS = {"above": "exceeds {:g}", "open": "may exceed {:g}", "below": "did not exceed {:g} in the simulations"}


@describe_simulation.register
def _level(result: LevelOnDesign) -> SimulationText:
    decision = decide_level(result)
    rate = "type I error rate"
    if decision.chosen["bounds"].iloc[0] == "family":
        rate = f"family-wise {rate}"
    headline = (
        f"The {rate} of {result.chosen}, the procedure chosen here, "
        f"{_EXCEEDS[decision.held].format(result.alpha)}: {_rates(decision.chosen, 'level', 'se')}."
    )
    detail = "± two standard errors."
    unadjusted = decision.chosen[decision.chosen["bounds"] == "pair"]
    unadjusted = unadjusted[unadjusted["family"] > unadjusted["pair"]]
    if len(unadjusted):
        detail += f" Its family-wise error rate is {_rates(unadjusted, 'family', 'family se')}."
    if decision.others:
        detail += f" Other procedures above {result.alpha:g}: {join_names(list(decision.others), 6)}."
    warning = ""
    if decision.above:
        alternatives = [name for name in decision.within if name != result.chosen][:3]
        warning = (
            f"{result.chosen} rejects true hypotheses more often than {result.alpha:g} for results like "
            "these. Use another procedure."
            + (f" Not found to exceed it: {join_names(alternatives)}." if alternatives else "")
        )
    on = format_count(result.n, result.noun)
    correlation = ""
    if result.correlation:
        correlation = f" The assumed correlation between folds is {result.correlation:.3g}."
    elif result.noun == "fold":
        correlation = " Folds are assumed independent, because the test fraction is unknown."
    models = " ".join(NULL_MODELS[name] for name in dict.fromkeys(result.frame["world"]))
    return SimulationText(
        headline=headline,
        detail=detail,
        warning=warning,
        paragraph=(
            f"Type I error rates were simulated on {f'{on} of {result.dataset}' if result.dataset else on} "
            f"({result.measure}), with {result.draws:,} simulations of each null model. "
            f"{models}{correlation} (Foldwise {VERSION}, seed {result.seed}.)"
        ),
    )


def _rates(rows: pd.DataFrame, rate: str, error: str) -> str:
    """Return error rates with two standard errors, by null model."""
    rates = [
        f"{format_number(row[rate], 3)} ± {format_number(2 * row[error], 3)} where {_NULL[row['world']]}"
        for row in rows.to_dict("records")
    ]
    return join_names(rates)


@describe_simulation.register
def _plan(plan: Plan) -> SimulationText:
    options = plan.options
    widths = options["half_width"].drop(index="now").astype(float)
    ways = list(widths.sort_values(kind="stable").index)  # narrowest interval first
    now, digits = options.loc["now"], score_digits(options[["half_width"]])
    fields = {SETS: "n_sets", REPETITIONS: "repetitions", FOLDS: "folds"}
    more = {way: f"{options.loc[way, fields[way]] - now[fields[way]]:.0f} {way}" for way in ways}
    details = [
        f"The half-width of the interval is {format_number(now['half_width'], digits)} now (power "
        f"{format_number(now['chance'])})."
    ]
    for way, name in more.items():
        row = options.loc[way]
        time = "" if isnan(row["seconds"]) else f", {_duration(row['seconds'])}"
        details.append(
            f"With {name} it is {format_number(row['half_width'], digits)} (power "
            f"{format_number(row['chance'])}, {row['trainings']:,.0f} training runs{time})."
        )
    if plan.difference is None:
        details.append("Power is averaged over the differences compatible with the pilot.")
    else:
        details.append(f"Power is for a difference of {plan.difference:g}.")
    narrowest, *others = more.values()
    first, last = plan.looks.iloc[0], plan.looks.iloc[-1]
    inflated = last["false"] > plan.level + 3 * max(last["false se"], 1e-4)
    compared = "one comparison"
    if plan.comparisons > 1:
        compared = f"the first step of {plan.comparisons} comparisons"
    sizes = join_names([f"{n:.0f}" for n in plan.looks["n_sets"]], 12)
    levels = join_names([f"{level:.2g}" for level in plan.looks["level"]], 12)
    return SimulationText(
        headline=(
            f"{capitalize_first(narrowest)} narrow the confidence interval of "
            f"{plan.pair[0]} − {plan.pair[1]} more than {' or '.join(others)}."
        ),
        detail=" ".join([*details, _components(plan)]),
        warning=(
            f"Interim analyses reject a true null hypothesis in {format_number(last['false'], 4)} of "
            f"simulated experiments, above {plan.level:.4g}. With so few data sets, the t test does not "
            "control the type I error rate at such levels."
            if inflated
            else ""
        ),
        paragraph=(
            f"The plan uses {plan.n_sets} data sets ({plan.measure}) and t intervals over data sets at "
            f"{_ALPHA} = {plan.level:.4g} ({compared}). Results on a data set are correlated because training "
            "sets overlap (Nadeau and Bengio 2003). "
            f"With interim analyses at {sizes} data sets, p is compared with {levels} "
            f"({SPENDINGS[plan.spending]} alpha spending, Lan and DeMets 1983). Of {plan.draws:,} simulated "
            f"experiments, {format_percent(round(first['decided'], 2))} are significant at the first analysis and "
            f"{format_percent(round(last['decided'], 2))} by the last, {format_percent(round(last['false'], 4))} if there is no "
            f"difference. {_always_valid(plan, digits)} (Foldwise {VERSION}, seed {plan.seed}.)"
        ),
    )


def _components(plan: Plan) -> str:
    """Return sentences on the variance components and what reduces them."""
    between, overlap, folds = (
        format_percent(round(plan.variance[name] / plan.variance.sum(), 2)) for name in ("between", "overlap", "folds")
    )
    low, high = (format_percent(round(share, 2)) for share in plan.between)
    text = (
        f"Of the variance of the mean difference on a data set, {between} (95% CI [{low}, {high}]) is "
        f"between data sets, {overlap} is due to overlapping training sets and {folds} is between folds. "
        "More repetitions reduce only the variance between folds."
    )
    if FOLDS in plan.options.index:
        text += (
            " More folds reduce only the part due to overlap, if the variance between folds grows as test "
            "sets shrink. Effects of larger training sets are ignored."
        )
    return text


def _always_valid(plan: Plan, digits: int) -> str:
    """Return a sentence on the cost of an interval that is valid at any number of looks."""
    last = plan.looks.iloc[-1]
    return (
        "For any number of analyses, an always-valid interval for normal differences (Wang and Ramdas "
        f"2023) has the half-width {format_number(last['always half_width'], digits)} instead of "
        f"{format_number(last['half_width'], digits)} at {last['n_sets']:.0f} data sets, and "
        f"{format_percent(round(last['always decided'], 2))} of the experiments are significant."
    )


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


def describe_order_probabilities(result: OrderProbabilities) -> str:
    """Return the most frequent orders at the smallest and the largest lambda."""
    table = result.probabilities
    first, last = table.iloc[0], table.iloc[-1]
    text = (
        f"The prior order {result.prior} has probability {first.get(result.prior, 0.0):.2f} at lambda "
        f"{table.index[0]:g}."
    )
    if len(table) == 1:
        return text
    return f"{text} The most probable order at lambda {table.index[-1]:g} is {last.idxmax()} ({last.max():.2f})."


def describe_detectable(found: Detectable) -> str:
    """Return the smallest detectable difference as a sentence, or why there is none."""
    if not found.can_reject and not isnan(found.smallest_pvalue):
        return (
            f"With {found.size}, no difference can be significant: p cannot be below "
            f"{p_text(found.smallest_pvalue, found.alpha)} ({_ALPHA} = {found.alpha:g})."
        )
    power = f"{format_percent(found.power)} power"
    text = found.reason or (f"A new experiment with {found.size} has {power} to detect {_difference(found)}.")
    if not isnan(found.omnibus):
        text += (
            f" MANOVA has {power} to detect a distance of {format_number(found.omnibus, 1)} between two "
            "algorithms, with all others halfway between them."
        )
    return text


def _difference(found: Detectable) -> str:
    """Return the detectable difference in its unit, with the range over pairs."""
    unit = found.unit

    def amount(value: float) -> str:
        if unit in (RANKS, MAHALANOBIS):
            return format_number(value, 1)
        # three figures if fixed decimals do not suit
        fixed = 10**-found.digits <= value < 1e7
        return format_number(value, found.digits) if fixed else f"{value:.3g}"

    if unit == SHARE:
        return f"a win probability of {found.difference:.2f}"
    text = f"a difference of {amount(found.difference)} in {unit}"
    if unit == RANKS:
        text = f"a difference of {amount(found.difference)} in average rank"
    elif unit == MAHALANOBIS:
        text = f"a Mahalanobis distance of {amount(found.difference)}"
    if found.low == found.high or unit == RANKS:
        return text
    return f"{text} (from {amount(found.low)} to {amount(found.high)}, by pair)"
