"""Text on the robustness of a comparison."""

import pandas as pd

from stats_core.core.formatting import format_count, format_percent, join_names, p_phrase
from stats_core.core.significance import significant
from stats_core.robustness.algorithm_standing import BEATEN, CostPlane
from stats_core.robustness.leave_one_out import FEWEST, LeaveOneOut, Replication, Stability
from stats_core.robustness.other_measures import Finding, OtherMeasures, Otherwise
from stats_core.robustness.similar_datasets import SimilarSets
from stats_core.robustness.variations import GAINED, LOST

_DIFFER = {LOST: "no longer differ significantly", GAINED: "differ significantly"}
_LEVEL = "\N{GREEK SMALL LETTER ALPHA} = {:g}"


def describe_leave_one_out(result: LeaveOneOut) -> str:
    """Return how many leave-one-out runs lose a claim, in one or two sentences."""
    if not result.n:
        return f"Leave-one-out needs at least {FEWEST} data sets."
    runs = f"{result.lost} of {format_count(result.n, 'run')}"
    if not result.claimed:
        text = "Leave-one-out: there is no significant difference to lose."
        return text if result.best is None else f"{text} In {runs}, another algorithm is best."
    if result.best is None:
        return f"Leave-one-out: in {runs}, at least one significant difference is lost."
    text = f"Leave-one-out: in {runs}, a significant difference or the best algorithm is lost"
    if not result.lost:
        return f"{text}."
    return f"{text} (a difference in {result.differences}, the best algorithm in {result.best})."


def describe_replication(result: Replication) -> str:
    """Return the estimated probabilities of replication as sentences."""
    if not len(result.pairs):
        return "Replication: there is no significant difference to repeat."
    low, high = result.pairs["probability"].min(), result.pairs["probability"].max()
    shares = f"{low:.2f}" if len(result.pairs) == 1 else f"between {low:.2f} and {high:.2f}"
    text = (
        "Replication: the estimated probability that a new experiment of this size repeats a "
        f"significant difference is {shares}."
    )
    also = {f"all {len(result.pairs)} differences": result.every} if len(result.pairs) > 1 else {}
    if result.best is not None:
        also["the best algorithm"] = result.best
    for name, share in also.items():
        text += f" It is {share:.2f} for {name} (standard error {result.error(share):.2f})."
    return text


def describe_stability(result: Stability) -> str:
    """Return how many runs change the omnibus test, the top group or a pair.

    The top group consists of the algorithms that no other is significantly better than.
    """
    is_dataset = result.runs["left out"] == "data set"
    n = int(is_dataset.sum())
    worst = _most_severe(result, is_dataset)
    if worst is None:
        worst = _most_severe(result, ~is_dataset)
        text = _unchanged(n, result.winner_share)
    else:
        of_datasets = result.changes[is_dataset]
        counts = {
            "the omnibus test": of_datasets["omnibus test"].sum(),
            "the top group": of_datasets["top group"].sum(),
            "at least one pair": (of_datasets["pairs"] > 0).sum(),
        }
        if is_dataset.all():  # of two algorithms
            counts = {"the decision": counts["at least one pair"]}
        (first, times), *others = [(name, count) for name, count in counts.items() if count]
        parts = [f"{first} changes in {times}", *(f"{name} in {count}" for name, count in others)]
        text = (
            f"In {format_count(n, 'run')} without one data set, {join_names(parts)}{_most_often(result.changed_pairs)}."
        )
    return text if worst is None else f"{text} Without {result.runs['name'][worst]}, {_change(result, worst)}."


def stability_runs(result: Stability) -> pd.DataFrame:
    """Return the runs of leave-one-out with the changes of each as text."""
    changes = [_change(result, run) for run in result.runs.index]
    return result.runs.drop(columns="refusal").assign(change=changes)


def _most_severe(result: Stability, considered: pd.Series) -> int | None:
    """Return the run with the most severe change, the first if tied; None without changes."""
    changed = result.runs.index[result.runs["changed"] & considered]
    severity = result.changes.assign(best=result.changes["best"].map(bool))
    return max(changed, key=lambda run: tuple(severity.loc[run]), default=None)


def _unchanged(n: int, shares: pd.Series) -> str:
    """Return sentences that no decision changes, with the best algorithms."""
    if not n:
        return f"Leave-one-out needs at least {FEWEST} data sets."
    text = f"None of {format_count(n, 'run')} without one data set changes a decision."
    if len(shares) == 1:
        return f"{text} {shares.index[0]} is always the best algorithm."
    labels = [f"{name} ({format_percent(round(share, 2))})" for name, share in shares.items()]
    return f"{text} Best algorithm, by share of runs: {join_names(labels, 3)}."


def _most_often(changed: pd.DataFrame) -> str:
    """Return a phrase on the pair that changes in most runs without a data set."""
    rows = changed[changed["left out"] == "data set"]
    counts = rows.groupby(["first", "second"], sort=False).size()
    if len(counts) < 2 or counts.max() < 2:
        return ""
    (a, b), times = counts.idxmax(), counts.max()
    return f" (most often {a} vs. {b}, in {times})"


def _change(result: Stability, run: int) -> str:
    """Return the changes of one run as text; why it failed if it did; else ""."""
    row, changes = result.runs.loc[run], result.changes.loc[run]
    if row["refusal"]:
        return row["refusal"]
    parts = []
    if changes["omnibus test"]:
        verb = "rejects" if significant(row["p"], result.alpha) else "no longer rejects"
        parts.append(f"the Iman-Davenport test {verb} ({p_phrase(row['p'], result.alpha)})")
    pairs = result.changed_pairs
    own = pairs[(pairs["left out"] == row["left out"]) & (pairs["name"] == row["name"])]
    for change, differ in _DIFFER.items():
        flips = own[own["change"] == change].to_dict("records")
        if len(flips) == 1:
            p = p_phrase(flips[0]["p without"], result.alpha)
            parts.append(f"{flips[0]['first']} and {flips[0]['second']} {differ} ({p})")
        elif flips:
            names = join_names([f"{flip['first']} vs {flip['second']}" for flip in flips], 3)
            parts.append(f"{len(flips)} pairs {differ} ({names})")
    if changes["best"]:
        verb = "replaces" if ", " not in row["best"] else "replace"
        parts.append(f"{row['best']} {verb} {join_names(changes['best'], 3)} as best algorithm")
    return join_names(parts)


def describe_similar_sets(result: SimilarSets) -> str:
    """Return the groups of similar data sets with their best algorithms."""
    best = [
        f"{join_names(sorted(ranks.index[ranks <= ranks.min() + 1e-9], key=str))} on {format_count(size, 'data set')}"
        for (_, ranks), size in zip(result.average_ranks.iterrows(), result.sizes, strict=True)
    ]
    parts = []
    if best:
        found = f"{len(best)} groups" if len(best) > 1 else "No groups"
        parts = [f"{found} of similar data sets were found. Best average rank: {join_names(best, 9)}."]
    if result.apart:
        tied = f"{format_count(len(result.apart), 'data set')} ({join_names(result.apart)})"
        parts.append(f"All algorithms tie on {tied}.")
    return " ".join(parts)


def describe_other_measures(result: OtherMeasures) -> str:
    """Return the significant differences by other measures, "" if there are none."""
    if not result.found:
        return ""
    parts = [_by_measure(finding, result.alpha) for finding in result.found[:2]]
    if len(result.found) > 2:
        more = format_count(len(result.found) - 2, "more measure")
        parts.append(f"Significant differences appear by {more}.")
    factor = len(result.looked_at) + 1
    remaining = [finding.measure for finding in result.found if significant(factor * finding.p, result.alpha)]
    parts.append(
        f"Adjusted for {factor} measures (Bonferroni), "
        f"{f'the difference in {join_names(remaining)} remains' if remaining else 'no difference remains'}"
        " significant."
    )
    return " ".join(parts)


def _by_measure(finding: Otherwise, alpha: float) -> str:
    p = f"{finding.test_name}, {p_phrase(finding.p, alpha)}"
    if len(finding.apart) > 2:
        return f"By {finding.measure}, {len(finding.apart)} pairs differ significantly ({p})."
    pairs = [f"{better} is significantly better than {worse}" for better, worse in finding.apart]
    return f"By {finding.measure}, {join_names(pairs)} ({p})."


def describe_finding(finding: Finding) -> str:
    """Return a difference that one measure hides, in one sentence."""
    measures = f"({', '.join(finding.measures)})"
    if finding.pair:
        return (
            f"{finding.dataset}: {join_names(finding.pair)} differ significantly in {measures} but not "
            f"in {finding.measure} (unadjusted, selected from all pairs)."
        )
    means = "mean of {} lies" if len(finding.between) == 1 else "means of {} lie"
    return (
        f"{finding.dataset}: {join_names(finding.group)} do not differ significantly in {measures}, "
        f"although the {means.format(join_names(finding.between))} between theirs in {finding.measure}."
    )


def describe_cost_plane(plane: CostPlane) -> str:
    """Return whether cost and performance agree on the best algorithm."""
    values = plane.table["value"]
    cheapest = values.index[0]
    best = values.idxmax() if plane.higher_is_better else values.idxmin()
    if best == cheapest:
        text = f"{best} has the lowest cost ({plane.cost}) and the best {plane.value}."
    else:
        relation = "is" if plane.best_beats_cheapest else "is not"
        text = (
            f"{cheapest} has the lowest cost ({plane.cost}). {best} has the best {plane.value} and {relation} "
            f"significantly better than {cheapest}."
        )
    if beaten := list(values.index[plane.table["standing"] == BEATEN]):
        text += f" An algorithm of no higher cost is significantly better than {join_names(beaten, 6)}."
    return text


def describe_group(evidence: dict) -> str:
    """Return why algorithms form a group or do not, from `inside_group`."""
    names, n = join_names(evidence["members"], 12), evidence["pairs"]
    level = f"({_LEVEL.format(evidence['alpha'])})"
    if evidence["separated"]:
        verb = "differs" if evidence["separated"] == 1 else "differ"
        pairs = f"{evidence['separated']} of {format_count(n, 'pair')} {verb}"
        return f"{names}: {pairs} significantly {level}, so they do not form a group."
    smallest = f"adjusted {p_phrase(evidence['level'])}"
    if n == 1:
        text = f"{names} do not differ significantly {level}: {smallest}."
    else:
        text = (
            f"{names}: none of {n} pairs differs significantly {level}. Smallest {smallest} "
            f"({join_names(evidence['nearest'])}), largest adjusted {p_phrase(evidence['largest'])} "
            f"({join_names(evidence['farthest'])})."
        )
    return f"{text} This does not show that they are equal."
