"""Methods and results paragraphs for a paper; the methods are written by the macros of `methods.jinja`."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import pandas as pd

from stats_core.comparison.cards.method_card import method_card
from stats_core.comparison.conclusion_scope import pairwise_comparison
from stats_core.comparison.kinds.instances import OMNIBUS_NAMES
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import format_set, p_phrase
from stats_core.core.messages import IN_PAPER, read_macros
from stats_core.curves.threshold_sweep import THETAS
from stats_core.data.missing import remaining_missing
from stats_core.data.settings import TUKEY, describe_group
from stats_core.inference.fold_tests import PAIR_TESTS
from stats_core.inference.multiplicity.adjust import LOGICAL, SYMMETRIC, usable_correction
from stats_core.ordering.order import Order
from stats_core.power.detectable import NO_FAMILY, Detectable, detectable
from stats_core.report import effect_text, order_text
from stats_core.report.plan import first_card, variance_factor
from stats_core.report.reproduce import versions
from stats_core.report.verdict import Verdict, verdict

_NAMED = 12  # maximum number of pairs listed by name
_CITED = re.compile("\x02(.*?)\x03")  # keys of publications between text
_RESAMPLING = {
    "5x2": "5 x 2-fold cross-validation",
    "leave-one-out": "leave-one-out cross-validation",
    "holdout": "random partitions",
    "seeds": "runs with other seeds",
    "bootstrap": "bootstrap samples",
    "common test set": "training sets that share one test set",
}


@dataclass(frozen=True, slots=True)
class CitedText:
    """A piece of text and the publications cited after it.

    Attributes
    ----------
    text : str
        Text, with a leading blank if it continues a sentence or paragraph.
    keys : tuple of str
        Keys of `REFERENCES`.
    """

    text: str
    keys: tuple[str, ...] = ()

    @property
    def marked(self) -> str:
        """The text with its citation as a mark.

        Examples
        --------
        >>> CitedText(" Holm's procedure", ("holm1979",)).marked
        " Holm's procedure [@holm1979]"
        """
        if not self.keys:
            return self.text
        return f"{self.text} [{'; '.join(f'@{key}' for key in self.keys)}]"


def methods_paragraph(analysis: Comparison, order: Order | None = None) -> str:
    r"""Return a paragraph for a paper's methods section.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> print(methods_paragraph(analyse(results)).split(". ")[0])
    We compared 2 algorithms (rf and svm) on 2 data sets by accuracy (higher is better)
    """
    return "".join(piece.marked for piece in methods_pieces(analysis, order)).strip()


def methods_pieces(
    analysis: Comparison, order: Order | None = None, *, seen: Detectable | None = None
) -> tuple[CitedText, ...]:
    """Return the methods paragraph as pieces of text, each with its citations."""
    macros = _macros()
    family = (seen or detectable(analysis)).family
    methods = getattr(macros, analysis.kind.replace(" ", "_"))(analysis)
    text = macros.paragraph(analysis, order, "" if family == NO_FAMILY.name else family, methods, versions())
    parts = [*_CITED.split(text), ""]
    return tuple(CitedText(part, tuple(keys.split())) for part, keys in zip(parts[::2], parts[1::2], strict=True))


@cache
def _macros() -> Any:
    functions = (
        *(
            effect_text.ci,
            compared_on,
            order_text.describe_costs,
            first_card,
            remaining_missing,
            effect_text.interval_words,
            method_card,
            order_text.method_clause,
        ),
        *(effect_text.no_difference_possible, effect_text.region_family, usable_correction, variance_factor),
    )
    return read_macros(
        "report/methods.jinja",
        **{function.__name__: function for function in functions},
        order_papers=_order_papers,
        resampling_text=_resampling_text,
        cite=lambda key, after="": f"{method_card(key).phrase}{after}{_papers(*method_card(key).papers)}",
        papers=_papers,
        designs=lambda c: {c.results.design_of(name) for name in c.factors},
        IN_PAPER=IN_PAPER,
        LOGICAL=LOGICAL,
        OMNIBUS_NAMES=OMNIBUS_NAMES,
        PAIR_TESTS=PAIR_TESTS,
        SYMMETRIC=SYMMETRIC,
        THETAS=THETAS,
        TUKEY=TUKEY,
    )


def _papers(*keys: str) -> str:
    """Return a mark that cites publications, to be split off by `_CITED`."""
    return f"\x02{' '.join(keys)}\x03" if keys else ""


def results_paragraph(analysis: Comparison, order: Order | None = None) -> str:
    """Return a paragraph for a paper's results section."""
    ordered = None if order is None else order_text.order_verdict(order, pairwise_comparison(order, analysis))
    return describe_results(analysis, verdict(analysis), ordered)


def describe_results(analysis: Comparison, verdict: Verdict, ordered: Verdict | None) -> str:
    """Return the paragraph of `results_paragraph` from the verdicts."""
    parts = [verdict.said(), _pairs_named(analysis), _groups_named(analysis)]
    if ordered is not None:
        parts.append(ordered.said())
    return " ".join(part for part in parts if part)


def compared_on(comparison: Comparison) -> str:
    """Return the phrase for the data sets compared, " on 38 data sets", or "" if unknown."""
    results, settings = comparison.results, comparison.settings
    datasets = results.datasets
    phrase = f" on {datasets[0]}" if len(datasets) == 1 else f" on {results.size_label}"
    if results.published is not None:
        phrase = f" on {results.size_label}" if results.size_label else ""
    elif settings.only and not settings.dataset:
        all_datasets = f"on the {len(datasets)} data sets"
        single_dataset = f"on {datasets[0]}, a data set" if datasets else all_datasets
        phrase = f" {single_dataset if len(datasets) == 1 else all_datasets} {describe_group(settings)}"
    return phrase


def _order_papers(order: Order) -> tuple[str, ...]:
    """Return the keys of the publications on the tests and procedures of an order."""
    tests = {order_on_dataset.evidence.test for order_on_dataset in order.each.values()}
    procedures = [order.rules.family] if order.each else []
    if order.second is not None:
        procedures.append(order.second.post_hoc)
    return tuple(dict.fromkeys(key for test in (*sorted(tests), *procedures) for key in method_card(test).papers))


def _resampling_text(design: str, label: str) -> str:
    """Return the name of a resampling design for a sentence."""
    return f"{label} cross-validation" if design in ("k-fold", "r x k-fold") else _RESAMPLING.get(design, "its folds")


def _pairs_named(comparison: Comparison) -> str:
    """Return a sentence with the pairs that differ, if they are few; "" for two algorithms."""
    pairs = comparison.pairs()
    rows = pairs[pairs["separated"].astype(bool)].to_dict("records")
    if comparison.claim in ("better", "sides") or not rows or len(rows) > _NAMED or _two_vectors(comparison):
        return ""
    labels = "; ".join(_describe_pair(comparison, row) for row in rows)
    noun = "pair that differs is" if len(rows) == 1 else "pairs that differ are"
    adjustment = "adjusted" if comparison.guarantee.adjusted else "unadjusted"
    has_pvalues = bool(pairs["p adjusted"].notna().all())
    with_p = f", with {adjustment} p," if has_pvalues and len(pairs) > 1 else ""
    return f"The {noun}{with_p} {labels}."


def _two_vectors(comparison: Comparison) -> bool:
    return bool(comparison.together) and comparison.claim == "differ" and len(comparison.order) == 2


def _describe_pair(comparison: Comparison, row: dict) -> str:
    """Return a pair as text with its direction; it names the algorithm the test favours."""
    first, second, beats = row["first"], row["second"], comparison.beats
    if pd.isna(row["p adjusted"]):  # a published decision
        connective = comparison.ahead if beats.loc[first, second] else "and"
        return f"{first} {connective} {second}"
    p = p_phrase(row["p adjusted"], comparison.settings.alpha)
    if not beats.loc[first, second] and not beats.loc[second, first]:
        return f"{first} and {second} ({p})"
    if row["estimate"] == 0 or beats.loc[second, first]:
        favoured = first if beats.loc[first, second] else second
        return f"{first} and {second} ({p}, in favour of {favoured})"
    return f"{first} {comparison.ahead} {second} ({p})"


def _groups_named(comparison: Comparison) -> str:
    """Return a sentence with the groups without a significant difference, if they are few."""
    groups = [group for group in comparison.groups if len(group) > 1 and len(comparison.order) > 2]
    if not groups or len(groups) > _NAMED or max(map(len, groups)) > _NAMED:
        return ""
    labels = "; ".join(format_set(group) for group in groups)
    noun = "group" if len(groups) == 1 else "groups"
    return f"Not separated within themselves: the {noun} {labels}."
