"""Text on robustness, other measures, cost and groups; sentences are in `robustness.jinja`."""

from functools import cache
from typing import Any

import pandas as pd

from stats_core.core.formatting import format_count, join_names, p_phrase
from stats_core.core.messages import read_macros
from stats_core.core.validation import significant
from stats_core.curves.threshold_sweep import Sweep
from stats_core.curves.trained_models import RiskBands
from stats_core.robustness.algorithm_standing import BEATEN, CostPlane
from stats_core.robustness.leave_one_out import FEWEST, LeaveOneOut, Replication, Stability
from stats_core.robustness.other_measures import Finding, OtherMeasures
from stats_core.robustness.similar_datasets import SimilarSets
from stats_core.robustness.variations import GAINED, LOST


@cache
def _macros() -> Any:
    return read_macros("report/robustness.jinja", FEWEST=FEWEST)


def describe_leave_one_out(result: LeaveOneOut) -> str:
    """Return a description of how many leave-one-out runs lose a claim."""
    return _macros().leave_one_out(result)


def describe_replication(result: Replication) -> str:
    """Return a description of the estimated replication probabilities."""
    return _macros().replication(result)


def describe_stability(result: Stability) -> str:
    """Return how many leave-one-out runs change the omnibus test, the top group or a pair, as text.

    The top group consists of the algorithms that no other is significantly better than.
    """
    is_dataset = result.runs["left out"] == "data set"
    worst, counts = _most_severe(result, is_dataset), ""
    if worst is None:
        worst = _most_severe(result, ~is_dataset)
    else:
        counts = _counts(result, is_dataset)
    name, change = (
        (None, "") if worst is None else (result.runs["name"][worst], _change(result, worst))
    )
    most_often = _most_often(result.changed_pairs)
    return _macros().stability(result, int(is_dataset.sum()), counts, most_often, name, change)


def _counts(result: Stability, is_dataset: pd.Series) -> str:
    """Return a sentence on the number of runs with changes, by kind of change."""
    changes = result.changes[is_dataset]
    counts = {
        "omnibus": int(changes["omnibus test"].sum()),
        "top": int(changes["top group"].sum()),
        "pair": int((changes["pairs"] > 0).sum()),
    }
    if is_dataset.all():  # of two algorithms
        counts = {"decision": counts["pair"]}
    return _macros().counts([(name, count) for name, count in counts.items() if count])


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
                parts.append(_macros().changed_pairs(flips, change == LOST, result.alpha))
    if changes["best"]:
        verb = "replaces" if ", " not in row["best"] else "replace"
        parts.append(f"{row['best']} {verb} {join_names(changes['best'], 3)} as best algorithm")
    return join_names(parts)


def describe_similar_sets(result: SimilarSets) -> str:
    """Return a description of the clusters of data sets with their best algorithms."""
    best = [
        f"{join_names(sorted(ranks.index[ranks <= ranks.min() + 1e-9], key=str))} on {format_count(size, 'data set')}"
        for (_, ranks), size in zip(result.average_ranks.iterrows(), result.sizes, strict=True)
    ]
    return _macros().similar_sets(result, best)


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
    return _macros().other_measures(result, remaining)


def describe_finding(finding: Finding) -> str:
    """Return a sentence on a pair or group that several measures show and a single one does not."""
    return _macros().finding(finding)


def describe_cost_plane(plane: CostPlane) -> str:
    """Return a sentence on whether cost and performance favour the same algorithm."""
    values = plane.table["value"]
    best = values.idxmax() if plane.higher_is_better else values.idxmin()
    beaten = list(values.index[plane.table["standing"] == BEATEN])
    return _macros().cost_plane(plane, values.index[0], best, beaten)


def describe_group(evidence: dict) -> str:
    """Return a description of why algorithms form a group, from `inside_group`."""
    return _macros().group(evidence)


def describe_sweep(sweep: Sweep) -> tuple[str, str]:
    """Return a sentence on the thresholds at which algorithms differ, and of several pairs one on the one with most."""
    won = sweep.won_at()
    widest = _macros().sweep_pair(sweep, won) if len(won) > 1 and won["thresholds"].any() else ""
    return _macros().sweep(sweep, won), widest


def describe_risks(bands: RiskBands) -> str:
    """Return a sentence on the first three ranges of thresholds at which the expected costs of two models differ."""
    return _macros().risks(bands.away().head(3).to_dict("records"), bands.confidence_level)
