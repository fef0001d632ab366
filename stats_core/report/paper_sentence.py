"""Results sentences and paragraphs for a paper; `paper_claims` has the sentences on claims."""

import pandas as pd

from stats_core.comparison import conclusion_scope
from stats_core.comparison.decide import decide
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import p_phrase
from stats_core.core.messages import IN_PAPER, Message
from stats_core.curves import thresholds
from stats_core.data import measures
from stats_core.ordering.order import Order
from stats_core.report import effect_text, methods_text, order_text, paper_claims
from stats_core.report.methods_text import JMLR
from stats_core.report.verdict import Verdict

_LISTED = 12  # maximum number of pairs and groups listed


def copied_sentence(comparison: Comparison) -> str:
    """Return claim, effect, p-value, test and any threshold that was set, without cautions for the methods."""
    claim = _claim_and_equivalence(comparison, brief=True)
    stated = [note.said(IN_PAPER) for note in _set_threshold(comparison)]
    return methods_text.readable_measures(" ".join([claim, *stated]), comparison)


def _claim_and_equivalence(comparison: Comparison, *, brief: bool = False) -> str:
    """Return claim and equivalence of a comparison as sentences."""
    claim = paper_claims.describe_claim(comparison, decide(comparison), brief=brief)
    return f"{claim} {effect_text.describe_equivalence(comparison)}".strip()


def paper_sentence(comparison: Comparison, *, number_style: str = JMLR) -> str:
    r"""Return the result of a comparison as sentences for a paper.

    Parameters
    ----------
    comparison : Comparison
        From `analyse`.
    number_style : {"JMLR", "APA"}
        "p = 0.032" or "p = .032".

    Returns
    -------
    str
        Claim, effect, tests and cautions. Choices about the data are in the methods.

    Raises
    ------
    SettingError
        The number style is unknown.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> print(paper_sentence(analyse(results)).split(" (")[0])
    With 2 data sets, no difference could be significant
    """
    notes = [
        note.said(IN_PAPER) if isinstance(note, Message) else note for note in _cautions(comparison)
    ]
    notes += [note.said(IN_PAPER) for note in _set_threshold(comparison)]
    text = " ".join(filter(None, [_claim_and_equivalence(comparison), *notes]))
    return methods_text.in_number_style(
        methods_text.readable_measures(text, comparison), number_style
    )


def _set_threshold(comparison: Comparison) -> list[Message]:
    """Return the statement of the threshold if it was set and a compared measure depends on it."""
    stated = thresholds.threshold_message(comparison.results)
    is_set = thresholds.threshold_used(comparison.results) != thresholds.USUAL
    free = {*measures.AREAS, *measures.LOSSES}  # of thresholds
    depends = not {*comparison.measures_compared} <= free
    return [stated] if stated is not None and is_set and depends else []


def _cautions(comparison: Comparison) -> list[Message | str]:
    """Return the notes except those on other tests and on choices, which belong to the methods."""
    return [
        note
        for note in comparison.notes
        if note not in comparison.results.choices
        and not (isinstance(note, Message) and note.code == "beside")
    ]


def results_paragraph(
    analysis: Comparison, order: Order | None = None, *, number_style: str = JMLR
) -> str:
    """Return a paragraph for a paper's results section, on the comparison and, if given, the order.

    Raises SettingError for an unknown number style.
    """
    ordered = (
        None
        if order is None
        else order_text.order_verdict(
            order, conclusion_scope.pairwise_comparison(order, analysis), in_paper=True
        )
    )
    return describe_results(analysis, ordered, number_style=number_style)


def describe_results(
    analysis: Comparison, ordered: Verdict | None, *, number_style: str = JMLR
) -> str:
    """Return `results_paragraph`, given the verdict on the order."""
    parts = [paper_sentence(analysis), _pairs_named(analysis), _groups_named(analysis)]
    if ordered is not None:
        parts.append(ordered.said())
    return methods_text.in_number_style(" ".join(part for part in parts if part), number_style)


def _pairs_named(comparison: Comparison) -> str:
    """Return a sentence on the significant pairs that the claim does not name; "" if there are none, or too many pairs differ."""
    tested = comparison.pairs.decisions
    separated = tested["separated"].astype(bool)
    claimed = (
        comparison.shape.claim in ("better", "sides")
        or len(comparison.order) == 2
        or bool(decide(comparison).named)
    )
    if claimed or not 0 < separated.sum() <= _LISTED:
        return ""
    pairs = comparison.pairs.frame  # with intervals, which take long for many pairs
    in_claim = _pairs_of_claim(comparison)
    rows = [
        row
        for row in pairs[pairs["separated"].astype(bool)].to_dict("records")
        if {row["first"], row["second"]} not in in_claim
    ]
    return _describe_pairs(comparison, rows, after_claim=bool(in_claim)) if rows else ""


def _describe_pairs(comparison: Comparison, rows: list[dict], *, after_claim: bool) -> str:
    """Return a sentence on significant pairs, the algorithm favoured by the test first."""
    alpha, beats = comparison.settings.alpha, comparison.beats
    name_of_p = effect_text.pvalue_name(comparison)
    beaten: dict[str, list[str]] = {}
    others: list[str] = []
    for row in rows:
        first, second, p_adjusted = row["first"], row["second"], row["p adjusted"]
        p = "" if pd.isna(p_adjusted) else p_phrase(p_adjusted, alpha, name_of_p)
        ahead, behind = bool(beats.loc[first, second]), bool(beats.loc[second, first])
        if behind or (ahead and row["estimate"] == 0):  # the test contradicts the estimate
            favoured = first if ahead else second
            others.append(paper_claims.describe_differing(first, second, p, favoured))
        elif ahead:
            beaten.setdefault(first, []).append(f"{second} ({p})" if p else second)
        else:
            others.append(paper_claims.describe_differing(first, second, p, ""))
    return paper_claims.describe_significant(beaten, others, after_claim=after_claim)


def _pairs_of_claim(comparison: Comparison) -> list[set[str]]:
    """Return the pairs that the sentence on the claim names as significantly different."""
    decision, beats, order = decide(comparison), comparison.beats, comparison.order
    if decision.claim == "leads":
        better, worse = decision.ahead, [name for name in order if name not in decision.ahead]
    elif decision.claim == "behind":
        better, worse = [name for name in order if name not in decision.behind], decision.behind
    elif decision.claim == "best":
        better, worse = decision.near[:1], order
    elif decision.claim == "contested":
        better, worse = order, decision.near[:1]
    else:
        return []
    return [{a, b} for a in better for b in worse if beats.loc[a, b]]


def _is_in_claim(comparison: Comparison, groups: list[tuple[str, ...]]) -> bool:
    """Return whether the claim says that the algorithms of the only group do not differ."""
    decision = decide(comparison)
    others = [name for name in comparison.order if name not in decision.behind]
    alike = {"leads": decision.ahead, "behind": others}.get(decision.claim, ())
    return len(groups) == 1 and {*groups[0]} == {*alike}


def _groups_named(comparison: Comparison) -> str:
    """Return a sentence naming the groups without a significant difference; "" if none, too many or too large ones."""
    groups = [group for group in comparison.groups if len(group) > 1 and len(comparison.order) > 2]
    if (
        not groups
        or len(groups) > _LISTED
        or _is_in_claim(comparison, groups)
        or max(map(len, groups)) > min(_LISTED, len(comparison.order) - 1)
    ):
        return ""
    return paper_claims.describe_groups(groups)
