"""Text on simulations of power, error rates and orders, on plans, and on detectable differences."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import singledispatch
from math import isinf, isnan
from typing import Any

import numpy as np
import pandas as pd

from stats_core.comparison.result import FDR
from stats_core.core.formatting import (
    capitalize_first,
    format_count,
    format_number,
    format_percent,
    join_names,
    measure_name,
    p_phrase,
    score_digits,
)
from stats_core.core.messages import TextCatalog
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


def _join(*sentences: str) -> str:
    """Return sentences joined by a blank, without the empty ones."""
    return " ".join(sentence for sentence in sentences if sentence)


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
    unable = names_by_test(p for p in result.procedures if p.name in never)
    paragraph = _method_of_power(result, pairs)
    warning = "" if not unable else _never_rejected(result, unable)
    if not means:
        return SimulationText(
            headline=f"No procedure rejects a hypothesis in any simulation ({pairs}).",
            detail="",
            warning=warning,
            paragraph=paragraph,
        )
    listed = join_names([f"{name} ({mean})" for name, mean in means.items()])
    biases = f"{low:g}" if low == high else f"{low:g} and {high:g}"
    return SimulationText(
        headline=(
            f"The mean number of rejections among {pairs} at sampling bias {biases} is as follows:"
            f" {listed}."
        ),
        detail=_most_rejections(result, high, [name for name in order if near[name]]),
        warning=warning,
        paragraph=paragraph,
    )


def _most_rejections(result: ProcedurePower, bias: float, best: list[str]) -> str:
    """Return which procedures reject most hypotheses at the largest bias, and the standard error."""
    have, equal = "has", ""
    if len(best) > 1:
        have, equal = "have", ", within two standard errors of each other"
    error = format_number(result.frame["rejected se"].max())
    return (
        f"At sampling bias {bias:g}, {join_names(best, 8)} {have} the most rejections{equal}."
        f" Standard errors are at most {error}."
    )


def _never_rejected(result: ProcedurePower, unable: list[str]) -> str:
    names = capitalize_first(join_names(unable, 8))
    return (
        f"{names} did not reject a hypothesis in any simulation. With {result.n_sets} data sets and"
        f" {result.comparisons} comparisons, perhaps no difference can be significant."
    )


def _method_of_power(result: ProcedurePower, pairs: str) -> str:
    biases = result.frame["bias"]
    counted = format_count(biases.nunique(), "sampling bias", "sampling biases")
    procedures = join_names([procedure.name for procedure in result.procedures], 30)
    favoured, other = result.pair
    return (
        "Power was simulated by the method of García and Herrera (2008, section 4). For each of"
        f" {counted} b from {biases.min():g} to {biases.max():g}, {result.n_sets} of"
        f" {result.from_sets} data sets were sampled {result.draws:,} times without replacement."
        " The sampling probability was proportional to 1/(1 + exp(−b d)), where d is the advantage"
        f" of {favoured} over {other} in {measure_name(result.measure)}. For {pairs} at"
        f" α = {result.alpha:g}, we compared {procedures} (Foldwise {VERSION}, seed {result.seed})."
        " The simulations resample these data sets, so the conclusions apply to similar results"
        " only."
    )


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
    rows = decision.rows.to_dict("records")
    controlled = rows[0]["bounds"]
    rate = "family-wise type I error rate" if controlled == "family" else "type I error rate"
    rate = FDR if controlled == FDR else rate
    compared = _VERSUS_ALPHA[decision.versus_alpha]
    in_families = ""
    if len(unadjusted):
        of_families = _rates(unadjusted.to_dict("records"), "family", "family se")
        in_families = f"Its family-wise error rate is {of_families}."
    others = ""
    if decision.others:
        names = join_names(decision.others, 6)
        others = f"Other procedures whose error rate exceeds {result.alpha:g} are {names}."
    return SimulationText(
        headline=(
            f"The {rate} of {result.chosen}, the procedure chosen here, {compared.format(result.alpha)}:"
            f" {_rates(rows, 'level', 'se')}."
        ),
        detail=_join("The margins (±) are two standard errors.", in_families, others),
        warning=_use_another(result, alternatives) if decision.above else "",
        paragraph=_method_of_level(result),
    )


_VERSUS_ALPHA = {
    "above": "exceeds {:g}",
    "open": "may exceed {:g}",
    "below": "did not exceed {:g} in the simulations",
}
_NULL_MODELS = {
    "labels": (
        "In one null model, the algorithm labels are permuted on every data set, so that no"
        " algorithms differ."
    ),
    "pair": (
        "In another null model, the labels of one pair are permuted on every data set, so that only"
        " this pair does not differ."
    ),
    "folds": (
        "In the null model, results of folds are normally distributed with the observed covariance"
        " and equal means. A component shared by all folds models the correlation due to"
        " overlapping training sets."
    ),
}


def _rates(rows: list[dict], rate: str, error: str) -> str:
    """Return the error rate under each null model with two standard errors."""
    phrases = []
    for row in rows:
        where = "one pair does not differ" if row["world"] == "pair" else "no algorithms differ"
        margin = format_number(2 * row[error], 3)
        phrases.append(f"{format_number(row[rate], 3)} ± {margin} if {where}")
    return join_names(phrases)


def _use_another(result: LevelOnDesign, alternatives: list[str]) -> str:
    controlled = ""
    if alternatives:
        names = join_names(alternatives)
        controlled = f"Procedures whose error rate did not exceed {result.alpha:g} are {names}."
    return _join("Use another procedure.", controlled)


def _method_of_level(result: LevelOnDesign) -> str:
    counted = format_count(result.n, result.noun)
    dataset = f" of {result.dataset}" if result.dataset else ""
    models = [_NULL_MODELS[null_model] for null_model in dict.fromkeys(result.frame["world"])]
    correlation = ""
    if result.correlation:
        correlation = f"The assumed correlation between folds was {result.correlation:.3g}."
    elif result.noun == "fold":
        correlation = "Folds were assumed independent because the test fraction is unknown."
    return _join(
        f"Type I error rates were simulated on {counted}{dataset} ({measure_name(result.measure)}),"
        f" with {result.draws:,} simulations of each null model.",
        *models,
        correlation,
        f"(Foldwise {VERSION}, seed {result.seed}.)",
    )


@describe_simulation.register
def _plan(plan: Plan) -> SimulationText:
    """Return the text on a plan: the data sets needed, each way to enlarge the experiment, and interim analyses."""
    target = plan.growth[plan.growth["more_sets"] <= plan.needed].iloc[-1]
    return SimulationText(
        headline=_number_of_datasets(plan, target),
        detail=_join(_ways(plan), _components(plan), _false_decisions(plan)),
        warning=_uncertain(plan) if plan.difference is None and plan.target else "",
        paragraph=_method_of_plan(plan),
    )


def _number_of_datasets(plan: Plan, target: pd.Series) -> str:
    """Return the number of additional data sets; `target` is the row of `growth` that they reach."""
    pair = f"{plan.pair[0]} and {plan.pair[1]}"
    if not plan.target:
        return (
            f"{pair} have the same mean {measure_name(plan.measure)}, so the observed difference is"
            " too small to plan for."
        )
    if plan.difference is not None:
        return _for_given_difference(plan, pair, target)
    return f"{_for_observed_difference(plan, pair, target)} {_if_as_observed(plan)}"


def _for_given_difference(plan: Plan, pair: str, target: pd.Series) -> str:
    difference = f"a difference of {plan.target:g} between {pair}"
    requested, reached = format_number(plan.power), format_number(target["power"])
    most = int(target["more_sets"])
    if plan.needed == 0:
        return (
            f"No more data sets are needed to detect {difference}. With {plan.n_sets} data sets, the"
            f" power is {reached}."
        )
    if not isinf(plan.needed):
        more = format_count(int(plan.needed), "more data set")
        return f"About {more} would be needed to detect {difference} (power {requested})."
    if target["power"] < _FEW:
        return (
            f"The difference between {pair} is too small to plan for. Even with {most} more data"
            f" sets, the power is {reached}."
        )
    return (
        f"More than {most} more data sets would be needed to detect {difference}"
        f" (power {requested})."
    )


def _for_observed_difference(plan: Plan, pair: str, target: pd.Series) -> str:
    averaged = f"averaged over the differences between {pair} that are compatible with the pilot"
    reached = format_number(target["chance"])
    if plan.needed == 0:
        return (
            f"No more data sets are needed. With {plan.n_sets} data sets, the power is {reached},"
            f" {averaged}."
        )
    if not isinf(plan.needed):
        more, requested = format_count(int(plan.needed), "more data set"), format_number(plan.power)
        return f"About {more} would be needed for power {requested}, {averaged}."
    most = int(target["more_sets"])
    return f"Even with {most} more data sets, the power is {reached}, {averaged}."


def _if_as_observed(plan: Plan) -> str:
    """Return the number for the observed difference, which is too small on average."""
    n = plan.needed_if_as_observed
    if n == 0:
        needed = "no more data sets would be needed"
    elif isinf(n):
        needed = f"more than {plan.most_sets} more data sets would be needed"
    else:
        needed = f"{format_count(int(n), 'more data set')} would be enough"
    return f"If the true difference were exactly the observed one, {needed}."


def _ways(plan: Plan) -> str:
    """Return the intervals and the power of each way to enlarge the experiment, narrowest first."""
    options = plan.options
    widths = options["half_width"].drop(index="now").astype(float)
    now, digits = options.loc["now"], score_digits(options[["half_width"]])
    fields = {SETS: "n_sets", REPETITIONS: "repetitions", FOLDS: "folds"}
    names, sentences = [], []
    for way in widths.sort_values(kind="stable").index:
        row = options.loc[way]
        name = f"{row[fields[way]] - now[fields[way]]:.0f} {way}"
        time = "" if isnan(row["seconds"]) else f", {_duration(row['seconds'])}"
        width, power = format_number(row["half_width"], digits), format_number(row["power"])
        names.append(name)
        sentences.append(
            f"With {name}, the half-width is {width} (power {power}, {row['trainings']:,.0f}"
            f" runs{time})."
        )
    first, second = plan.pair
    width, power = format_number(now["half_width"], digits), format_number(now["power"])
    return _join(
        f"Adding {names[0]} narrows the confidence interval of {first} − {second} more than adding"
        f" {' or '.join(names[1:])}. The half-width of the present interval is {width}"
        f" (power {power}).",
        *sentences,
    )


def _components(plan: Plan) -> str:
    """Return the components of the variance, and which of them folds and repetitions reduce."""
    shares = plan.variance / plan.variance.sum()
    between, overlap, folds = (_share(shares[name]) for name in ("between", "overlap", "folds"))
    low, high = map(_share, plan.between)
    more_folds = (
        "More folds reduce only the part due to overlap, because the variance between folds"
        " increases as test sets become smaller. Effects of larger training sets are ignored."
    )
    return _join(
        f"Power refers to a difference of {plan.target:.3g}, and to all data sets sampled anew.",
        f"Of the variance of the mean difference on a data set, {between} is between data sets (95%"
        f" CI [{low}, {high}]). Overlapping training sets cause {overlap}, and {folds} is between"
        " folds. More repetitions reduce only the variance between folds.",
        more_folds if FOLDS in plan.options.index else "",
    )


def _share(share: float) -> str:
    return format_percent(round(share, 2))


def _false_decisions(plan: Plan) -> str:
    """Return a caution if the interim analyses exceed the level by more than simulation error, else ""."""
    last = plan.looks.iloc[-1]
    if last["false"] <= plan.level + 3 * max(last["false se"], 1e-4):
        return ""
    return (
        "The interim analyses reject a true null hypothesis in"
        f" {format_number(last['false'], 4)} of simulated experiments, above {plan.level:.4g}. With"
        " so few data sets, the t test does not control the type I error rate at such small"
        " significance levels."
    )


def _uncertain(plan: Plan) -> str:
    digits = score_digits(plan.options[["half_width"]])
    estimate, low, high = (
        format_number(value, digits) for value in (plan.estimate, *plan.interval)
    )
    return (
        f"The observed difference is uncertain: {estimate}, 95% CI [{low}, {high}]. A smaller true"
        " difference needs more data sets."
    )


def _method_of_plan(plan: Plan) -> str:
    analyses = plan.looks
    first, last = analyses.iloc[0], analyses.iloc[-1]
    adjusted = "not adjusted"
    if plan.comparisons > 1:
        adjusted = f"Bonferroni-adjusted for {plan.comparisons} comparisons"
    sizes = join_names([f"{n:.0f}" for n in analyses["n_sets"]], 12)
    levels = join_names([f"{level:.2g}" for level in analyses["level"]], 12)
    digits = score_digits(plan.options[["half_width"]])
    always, width = (
        format_number(last[name], digits) for name in ("always half_width", "half_width")
    )
    false_share = format_percent(round(last["false"], 4))
    return (
        f"The plan uses {plan.n_sets} data sets ({measure_name(plan.measure)}) and t intervals over"
        f" data sets at α = {plan.level:.4g} ({adjusted}). Results on a data set are correlated"
        " because training sets overlap (Nadeau and Bengio 2003). With interim analyses at"
        f" {sizes} data sets, p is compared with {levels} ({SPENDINGS[plan.spending]} alpha"
        f" spending, Lan and DeMets 1983). Of {plan.draws:,} simulated experiments,"
        f" {_share(first['decided'])} have a significant result at the first analysis, and"
        f" {_share(last['decided'])} at or before the last analysis. Without a difference,"
        f" {false_share} have a significant result. An always-valid confidence interval for normal"
        " differences allows any number of analyses (Wang and Ramdas 2023). At"
        f" {last['n_sets']:.0f} data sets, its half-width is {always} (t interval: {width}). At or"
        f" before the last analysis, it excludes 0 in {_share(last['always decided'])} of the"
        f" simulated experiments. (Foldwise {VERSION}, seed {plan.seed}.)"
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
    table, prior = result.probabilities, result.prior
    first, last = table.iloc[0], table.iloc[-1]
    at_first = (
        f"The prior order {prior} has probability {first.get(prior, 0.0):.2f}"
        f" at λ = {table.index[0]:g}."
    )
    if len(table) == 1:
        return at_first
    return (
        f"{at_first} The most probable order at λ = {table.index[-1]:g} is {last.idxmax()}"
        f" ({last.max():.2f})."
    )


@describe_simulation.register
def _items(plan: ItemPlan) -> SimulationText:
    """Return the text on numbers of instances: the number needed, its basis, and the detectable difference."""
    return SimulationText(
        headline=_number_of_instances(plan),
        detail=_join(*_about_variance(plan)),
        warning="",
        paragraph=_method_of_items(plan),
    )


def _instances(plan: ItemPlan, n: float) -> str:
    """Return a number of instances, or of whole clusters."""
    instances = format_count(int(n), "instance")
    if isnan(plan.variance.correlation):
        return instances
    return f"{format_count(plan.variance.n_units(n), 'cluster')} ({instances})"


def _number_of_instances(plan: ItemPlan) -> str:
    measure, power = measure_name(plan.measure), format_percent(plan.power)
    difference = f"{plan.difference:.3g}"
    if isnan(plan.needed):
        return (
            f"A difference of {difference} in {measure} is larger than the share of instances on"
            " which the two models disagree. Enter a smaller difference."
        )
    if not plan.difference:
        return (
            f"{join_names(plan.pair)} have the same {measure}, so the observed difference cannot be"
            " planned for."
        )
    if plan.from_pilot:
        return _for_pilot(plan)
    if isinf(plan.needed):
        return (
            f"No number of instances up to 10 million gives {power} power at a difference of"
            f" {difference} in {measure}."
        )
    needed = _instances(plan, plan.needed)
    return f"{needed} are needed for {power} power at a difference of {difference} in {measure}."


def _for_pilot(plan: ItemPlan) -> str:
    """Return the number of instances averaged over the differences compatible with the pilot."""
    measure, power = measure_name(plan.measure), format_percent(plan.power)
    compatible = f"averaged over the differences in {measure} that are compatible with the pilot"
    if isinf(plan.needed):
        averaged = (
            f"{capitalize_first(compatible)}, no number of instances up to 10 million gives"
            f" {power} power."
        )
    else:
        needed = _instances(plan, plan.needed)
        averaged = f"About {needed} are needed for {power} power, {compatible}."
    if isinf(plan.needed_if_exact):
        return averaged
    enough = _instances(plan, plan.needed_if_exact)
    return (
        f"{averaged} If the true difference were exactly the observed one ({plan.difference:.3g}),"
        f" {enough} would be enough."
    )


def _about_variance(plan: ItemPlan) -> Iterator[str]:
    """Yield what the pilot detects, and the rate of disagreement, clusters and runs behind it."""
    variance = plan.variance
    if not isnan(plan.detectable):
        yield (
            f"The {_instances(plan, variance.n)} of the pilot detect a difference of"
            f" {plan.detectable:.3g} with {format_percent(plan.power)} power."
        )
    if not isnan(variance.discordance):
        low, high = (format_percent(end, 1) for end in plan.discordance_interval)
        yield (
            f"Only one of {join_names(plan.pair)} is correct on"
            f" {format_percent(variance.discordance, 1)} of the instances (95% CI [{low}, {high}])."
        )
    if not isnan(variance.correlation):
        yield (
            f"The correlation within clusters is {format_number(variance.correlation)}. With"
            f" {variance.cluster_size:.3g} instances per cluster, the design effect is"
            f" {format_number(variance.design_effect)}."
        )
    if variance.over_trainings:
        share = variance.over_trainings / (variance.over_cases + variance.over_trainings)
        yield (
            "More instances do not reduce the variance over runs, which is"
            f" {_share(share)} of the variance."
        )


def _method_of_items(plan: ItemPlan) -> str:
    variance, level = plan.variance, f"α = {plan.alpha:.4g}"
    if plan.exact:
        method = (
            f"The plan is for the exact McNemar test at {level}, with the observed rate of"
            " disagreement (Connor 1987)."
        )
    elif variance.units is not None:
        units = "instances" if isnan(variance.correlation) else "clusters"
        method = (
            f"The plan is for the permutation test at {level}, with the observed variance. Power is"
            f" simulated for up to {MOST_UNITS} {units}, and assumes a normally distributed estimate"
            " for more."
        )
    else:
        method = (
            f"The plan assumes a normally distributed estimate at {level}, with the observed"
            " variance over instances."
        )
    adjusted = ""
    if plan.comparisons > 1:
        adjusted = f"The level is Bonferroni-adjusted for {plan.comparisons} comparisons."
    return _join(method, adjusted, f"(Foldwise {VERSION}.)")


def describe_detectable(result: Detectable) -> str:
    """Return the smallest detectable difference as a sentence, or why there is none."""
    power = f"{format_percent(result.power)} power"
    if not result.can_reject and not isnan(result.smallest_pvalue):
        p = p_phrase(result.smallest_pvalue, result.alpha)
        return (
            f"With {result.size}, no difference can be significant, because the smallest attainable"
            f" p-value is too large ({p}, α = {result.alpha:g})."
        )
    detected = result.reason or (
        f"A new experiment with {result.size} has {power} to detect {_difference(result)}."
    )
    if isnan(result.omnibus):
        return detected
    return (
        f"{detected} MANOVA has {power} to detect a Mahalanobis distance of"
        f" {format_number(result.omnibus, 1)} between two algorithms, if all others lie halfway"
        " between these two."
    )


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
