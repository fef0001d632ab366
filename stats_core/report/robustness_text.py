"""Text on robustness, other measures, cost, groups and thresholds."""

from collections.abc import Collection

import pandas as pd

from stats_core.core.formatting import (
    format_count,
    format_percent,
    join_names,
    measure_name,
    p_phrase,
)
from stats_core.core.validation import significant
from stats_core.curves.threshold_sweep import Sweep
from stats_core.curves.trained_models import RiskBands
from stats_core.robustness.algorithm_standing import BEATEN, CostPlane
from stats_core.robustness.leave_one_out import FEWEST, LeaveOneOut, Replication, Stability
from stats_core.robustness.other_measures import Finding, OtherMeasures
from stats_core.robustness.similar_datasets import SimilarSets
from stats_core.robustness.variations import GAINED, LOST

_TOO_FEW = f"Leave-one-out runs need at least {FEWEST} data sets."
_REMAIN = "remain if any single data set is left out."


def describe_leave_one_out(result: LeaveOneOut) -> str:
    """Return a description of how many leave-one-out runs lose a claim."""
    runs = f"In {result.lost} of {format_count(result.n, 'leave-one-out run')}"
    if not result.n:
        return _TOO_FEW
    if not result.claimed:
        return _without_claim(result, runs)
    if not result.lost:
        best = "" if result.best is None else " and the best algorithm"
        return f"All significant differences{best} {_REMAIN}"
    if not result.best:
        return f"{runs}, at least one significant difference disappears."
    counted = format_count(result.n, "run")
    if not result.differences:
        return (
            f"If one data set is left out, another algorithm is best in {result.best} of {counted}."
        )
    return (
        "If one data set is left out, at least one significant difference disappears in"
        f" {result.differences} of {counted}, and another algorithm is best in {result.best}."
    )


def _without_claim(result: LeaveOneOut, runs: str) -> str:
    """Return a description of leave-one-out runs if no difference is significant."""
    if result.best is None:
        return "No difference is significant, so leave-one-out runs cannot change a significant result."
    if result.lost:
        return f"{runs}, another algorithm is best."
    return "The best algorithm remains the same if any single data set is left out."


def describe_replication(result: Replication) -> str:
    """Return a description of the estimated replication probabilities."""
    n_pairs = len(result.pairs)
    if not n_pairs:
        return "No difference is significant, so no probability of replication is estimated."
    low, high = result.pairs["probability"].min(), result.pairs["probability"].max()
    shares = []
    if n_pairs > 1:
        every = "both" if n_pairs == 2 else f"all {n_pairs}"
        shares.append(f"{every} differences together: {result.every:.2f}")
    if result.best is not None:
        shares.append(f"best algorithm: {result.best:.2f}")
    estimate = f"{low:.2f}" if n_pairs == 1 else f"{low:.2f} to {high:.2f}"
    in_detail = f" ({', '.join(shares)})" if shares else ""
    return f"The estimated probability of replication is {estimate}{in_detail}."


def describe_stability(result: Stability) -> str:
    """Return how many leave-one-out runs change the omnibus test, the top group or a pair, as text.

    The top group consists of the algorithms that no other is significantly better than.
    """
    is_dataset = result.runs["left out"] == "data set"
    n_runs = int(is_dataset.sum())
    if _most_severe(result, is_dataset) is not None:
        often = _most_often(result.changed_pairs)
        pair = f" (most often {often[0]} vs. {often[1]}, in {often[2]})" if often else ""
        runs = format_count(n_runs, "leave-one-out run")
        return f"In {runs}, {_counts(result, is_dataset)}{pair}."
    unchanged = _no_decision_changes(result, n_runs) if n_runs else _TOO_FEW
    algorithm = _most_severe(result, ~is_dataset)
    if algorithm is None:
        return unchanged
    return f"{unchanged} Without {result.runs['name'][algorithm]}, {_change(result, algorithm)}."


def _no_decision_changes(result: Stability, n_runs: int) -> str:
    """Return sentences on runs that change no decision, and on the best algorithms in them."""
    which = "any of the " if n_runs > 1 else "the "
    unchanged = f"No decision changes in {which}{format_count(n_runs, 'leave-one-out run')}."
    shares = result.winner_share
    if len(shares) == 1:
        return f"{unchanged} {shares.index[0]} is always the best algorithm."
    listed = [f"{name} (in {_percent(share)} of runs)" for name, share in shares.items()]
    return f"{unchanged} The best algorithm is {join_names(listed, 3, 'or')}."


def _percent(share: float) -> str:
    return format_percent(round(share, 2))


def _counts(result: Stability, is_dataset: pd.Series) -> str:
    """Return a clause on the number of runs with changes, by kind of change."""
    changes = result.changes[is_dataset]
    n_pairs = int((changes["pairs"] > 0).sum())
    counts = {
        "the result of the omnibus test": int(changes["omnibus test"].sum()),
        "the top group": int(changes["top group"].sum()),
        "the decision on at least one pair": n_pairs,
    }
    if is_dataset.all():  # of two algorithms
        counts = {"the decision": n_pairs}
    (first, n_first), *others = [(name, n) for name, n in counts.items() if n]
    return join_names([f"{first} changes in {n_first}", *(f"{name} in {n}" for name, n in others)])


def stability_runs(result: Stability) -> pd.DataFrame:
    """Return a table of leave-one-out runs with their changes as text."""
    changes = [_change(result, run) for run in result.runs.index]
    return result.runs.drop(columns="refusal").assign(change=changes)


def _most_severe(result: Stability, considered: pd.Series) -> int | None:
    """Return the index of the run with the most severe change; None without changes."""
    changed = result.runs.index[result.runs["changed"] & considered]
    severity = result.changes.assign(best=result.changes["best"].map(bool))
    return max(changed, key=lambda run: tuple(severity.loc[run]), default=None)


def _most_often(changed: pd.DataFrame) -> tuple[str, str, int] | None:
    """Return the pair whose decision changes most often when one data set is left out, and how often it changes.

    None if fewer than two pairs change, or no pair changes twice.
    """
    rows = changed[changed["left out"] == "data set"]
    counts = rows.groupby(["first", "second"], sort=False).size()
    return None if len(counts) < 2 or counts.max() < 2 else (*counts.idxmax(), counts.max())


def _change(result: Stability, run: int) -> str:
    """Return the changes of one run as text, or why the run failed; "" without changes."""
    row, changes = result.runs.loc[run], result.changes.loc[run]
    if row["refusal"]:
        return row["refusal"]
    parts = []
    if changes["omnibus test"]:
        verb = "rejects" if significant(row["p"], result.alpha) else "no longer rejects"
        parts.append(f"the Iman-Davenport test {verb} ({p_phrase(row['p'], result.alpha)})")
    if changes["pairs"]:
        pairs = result.changed_pairs
        own = pairs[
            (pairs["left out"] == row["left out"]) & (pairs["name"] == row["name"])
        ].to_dict("records")
        for change in (LOST, GAINED):
            if flips := [flip for flip in own if flip["change"] == change]:
                parts.append(_changed_pairs(flips, change, result.alpha))
    if changes["best"]:
        verb = "replaces" if ", " not in row["best"] else "replace"
        parts.append(f"{row['best']} {verb} {join_names(changes['best'], 3)} as best algorithm")
    return join_names(parts)


def _changed_pairs(flips: list[dict], change: str, alpha: float) -> str:
    """Return a clause on pairs that differ, or no longer differ, without a data set."""
    differ = "no longer differ significantly" if change == LOST else "differ significantly"
    if len(flips) == 1:
        (flip,) = flips
        p = p_phrase(flip["p without"], alpha)
        return f"{flip['first']} and {flip['second']} {differ} ({p})"
    names = [f"{flip['first']} vs. {flip['second']}" for flip in flips]
    return f"{len(flips)} pairs {differ} ({join_names(names, 3)})"


def describe_similar_sets(result: SimilarSets) -> str:
    """Return a description of the clusters of data sets with their best algorithms."""
    best = [
        f"{join_names(sorted(ranks.index[ranks <= ranks.min() + 1e-9], key=str))} on {format_count(size, 'data set')}"
        for (_, ranks), size in zip(result.average_ranks.iterrows(), result.sizes, strict=True)
    ]
    sentences = []
    if best:
        several = len(best) > 1
        groups = f"{len(best)} groups" if several else "No groups"
        ranks = "ranks are those" if several else "rank is that"
        sentences.append(f"{groups} of similar data sets were found.")
        sentences.append(f"The best average {ranks} of {join_names(best, 9)}.")
    if result.apart:
        tied = format_count(len(result.apart), "data set")
        sentences.append(f"All algorithms tie on {tied} ({join_names(result.apart)}).")
    return " ".join(sentences)


def describe_other_measures(result: OtherMeasures) -> str:
    """Return a sentence on significant differences by other measures, "" if there are none."""
    if not result.findings:
        return ""
    factor = len(result.looked_at) + 1
    remaining = [
        finding.measure
        for finding in result.findings
        if significant(factor * finding.p, result.alpha)
    ]
    first, n_others = result.findings[0], len(result.findings) - 1
    p = p_phrase(first.p, result.alpha)
    differ = (
        f"{len(first.apart)} pairs differ significantly"
        if len(first.apart) > 2
        else join_names([f"{a} is significantly better than {b}" for a, b in first.apart])
    )
    sentences = [f"In {measure_name(first.measure)}, {differ} ({first.test_name}, {p})."]
    if n_others:
        others = format_count(n_others, "other measure")
        sentences.append(f"Differences are also significant in {others}.")
    sentences.append(
        f"With Bonferroni adjustment for {factor} measures, {_remaining(remaining)} significant."
    )
    return " ".join(sentences)


def _remaining(measures: list[str]) -> str:
    """Return which differences remain, as subject and verb of "significant"."""
    names = join_names([measure_name(measure) for measure in measures])
    if not measures:
        return "no difference remains"
    if len(measures) == 1:
        return f"the difference in {names} remains"
    return f"differences in {names} remain"


def describe_finding(finding: Finding) -> str:
    """Return a sentence on a pair or group that several measures show and a single one does not."""
    together, alone = _measures(finding.measures), measure_name(finding.measure)
    if finding.pair:
        return (
            f"{finding.dataset}: {join_names(finding.pair)} differ significantly in {together} but"
            f" not in {alone}. The p-values are unadjusted, and the pair was selected from all pairs."
        )
    between = join_names(finding.between)
    means = f"mean of {between} lies" if len(finding.between) == 1 else f"means of {between} lie"
    return (
        f"{finding.dataset}: {join_names(finding.group)} do not differ significantly in {together},"
        f" but are not adjacent in {alone}: the {means} between their means."
    )


def _measures(measures: Collection[str]) -> str:
    """Return measures compared as one vector: "(TP, FP)"."""
    return f"({', '.join(measure_name(measure) for measure in measures)})"


def describe_cost_plane(plane: CostPlane) -> str:
    """Return a sentence on whether cost and performance favour the same algorithm."""
    values = plane.table["value"]
    best = values.idxmax() if plane.higher_is_better else values.idxmin()
    beaten = list(values.index[plane.table["standing"] == BEATEN])
    cheapest = values.index[0]
    if best == cheapest:
        favoured = f"{best} has the lowest cost ({plane.cost}) and the best {plane.value}."
    else:
        beats = "is" if plane.best_beats_cheapest else "is not"
        favoured = (
            f"{cheapest} has the lowest cost ({plane.cost}). {best} has the best {plane.value} and"
            f" {beats} significantly better than {cheapest}."
        )
    if not beaten:
        return favoured
    are_worse = "is" if len(beaten) == 1 else "are each"
    return (
        f"{favoured} {join_names(beaten, 6)} {are_worse} significantly worse than an algorithm with"
        " the same or a lower cost."
    )


def describe_group(evidence: dict) -> str:
    """Return a description of why algorithms form a group, from `inside_group`."""
    names, n_pairs = join_names(evidence["members"], 12), evidence["pairs"]
    level = f"α = {evidence['alpha']:g}"
    if n_differ := evidence["separated"]:
        differ = "differs" if n_differ == 1 else "differ"
        return (
            f"{names}: {n_differ} of {format_count(n_pairs, 'pair')} {differ} significantly"
            f" ({level}), so the algorithms do not form a group."
        )
    smallest = p_phrase(evidence["level"], name="adjusted p")
    if n_pairs == 1:
        outcome = f"{names} do not differ significantly ({smallest}, {level})."
    else:
        nearest, farthest = join_names(evidence["nearest"]), join_names(evidence["farthest"])
        largest = p_phrase(evidence["largest"], name="adjusted p")
        outcome = (
            f"{names}: none of {n_pairs} pairs differs significantly ({level}). The smallest p-value"
            f" is that of {nearest} ({smallest}), and the largest is that of {farthest} ({largest})."
        )
    return f"{outcome} A non-significant test is not evidence of equivalence."


def describe_sweep(sweep: Sweep) -> tuple[str, str]:
    """Return a sentence on the thresholds at which algorithms differ, and of several pairs one on the one with most."""
    won = sweep.won_at()
    n_thresholds, n_differ = len(sweep.thetas), int((won["thresholds"] > 0).sum())
    compared = "expected cost" if sweep.rule == "risk" else _measures(sweep.measures)
    if not n_differ:
        none = (
            f"{join_names(sweep.names)} do not"
            if len(won) == 1
            else f"No two of the {len(sweep.names)} algorithms"
        )
        return f"{none} differ significantly in {compared} at any of {n_thresholds} thresholds.", ""
    widest = _where_better(sweep, won)
    if len(won) == 1:
        return widest, ""
    differ = "differs" if n_differ == 1 else "differ"
    several = (
        f"{n_differ} of {len(won)} pairs {differ} significantly in {compared} at one or more of"
        f" {n_thresholds} thresholds."
    )
    return several, widest


def _where_better(sweep: Sweep, won: pd.DataFrame) -> str:
    """Return a sentence on the thresholds at which each algorithm of the first pair costs less."""
    pair = won.iloc[0]
    a, b, by_a, by_b = pair[["first", "second", "less by first", "less by second"]]
    better, worse, where = (a, b, by_a) if by_a else (b, a, by_b)
    by_risk = sweep.rule == "risk"
    lower = "significantly lower" if by_risk else "lower"
    also = f", and {b} at {by_b}" if by_a and by_b else ""
    differences = "" if by_risk else f" (significant differences in {_measures(sweep.measures)})"
    lower_cost = f"{better} has a {lower} expected cost than {worse}"
    return f"{lower_cost} at thresholds {where}{also}{differences}."


def describe_risks(bands: RiskBands) -> str:
    """Return a sentence on the first three ranges of thresholds at which the expected costs of two models differ."""
    interval = f"(pointwise {_percent(bands.confidence_level)} CI)"
    pairs = bands.away().head(3).to_dict("records")
    return " ".join(_risks_of_pair(pair, interval) for pair in pairs)


def _risks_of_pair(pair: dict, interval: str) -> str:
    """Return a sentence on the thresholds at which one of two models costs less."""
    a, b, by_a, by_b = (pair[key] for key in ("first", "second", "less by first", "less by second"))
    if by_a:
        also = f", and {b} has a lower expected cost at {by_b}" if by_b else ""
        return f"{a} has a lower expected cost than {b} at thresholds {by_a}{also} {interval}."
    if by_b:
        return f"{b} has a lower expected cost than {a} at thresholds {by_b} {interval}."
    costs = f"The expected costs of {a} and {b}"
    return f"{costs} do not differ significantly at any threshold {interval}."
