"""Methods paragraph for a paper; sentences are in `methods.jinja`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from stats_core.comparison.cards import method_card
from stats_core.comparison.kinds import (
    BenchmarksComparison,
    CasesComparison,
    ControlComparison,
    FoldPairComparison,
    FoldsComparison,
    PairOnMeasures,
    PresentComparison,
    PublishedDecisions,
    PublishedRanks,
    PublishedWins,
    RanksComparison,
    SeveralOnMeasures,
    TrainingsComparison,
    TwoComparison,
    UntestedComparison,
    WinsComparison,
)
from stats_core.comparison.result import Comparison, everywhere, rounding_only
from stats_core.core import formatting
from stats_core.core.messages import IN_PAPER, Message, read_macros
from stats_core.core.validation import check_one_of
from stats_core.curves import thresholds
from stats_core.curves.threshold_sweep import THETAS
from stats_core.data import measures, missing
from stats_core.data.settings import TUKEY, describe_group
from stats_core.inference.multiplicity import adjust
from stats_core.inference.multiplicity.adjust import LOGICAL
from stats_core.ordering.order import Order
from stats_core.report import analysis_steps, effect_text, order_text, reproduce

JMLR = "JMLR"
NUMBER_STYLES = (JMLR, "APA")
_LEADING_ZERO = re.compile(r"(?<=[pα] [=<>≤] )0(?=\.\d)")
_CITED = re.compile("\x02(.*?)\x03")  # keys of publications between text


@dataclass(frozen=True, slots=True)
class CitedText:
    """Text with the publications cited after it.

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
        """Text, followed by a mark for its citations if it has any.

        Examples
        --------
        >>> CitedText(" Holm's procedure", ("holm1979",)).marked
        " Holm's procedure [@holm1979]"
        """
        if not self.keys:
            return self.text
        return f"{self.text} [{'; '.join(f'@{key}' for key in self.keys)}]"


def cited_keys(pieces: Iterable[CitedText]) -> tuple[str, ...]:
    """Return the keys of the publications that text cites, in the order of citation."""
    return tuple(dict.fromkeys(key for piece in pieces for key in piece.keys))


def methods_paragraph(
    analysis: Comparison, order: Order | None = None, *, number_style: str = JMLR
) -> str:
    r"""Return a paragraph for a paper's methods section.

    Parameters
    ----------
    analysis : Comparison
        From `analyse`.
    order : Order, optional
        The order by cost, from `order_of`.
    number_style : {"JMLR", "APA"}
        "p = 0.032" or "p = .032".

    Returns
    -------
    str
        The paragraph, with citations as marks.

    Raises
    ------
    SettingError
        The number style is unknown.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> print(methods_paragraph(analyse(results)).split(". ")[0])
    We compared two algorithms (rf and svm) on 2 data sets by accuracy (higher is better)
    """
    pieces = methods_pieces(analysis, order, number_style=number_style)
    return "".join(piece.marked for piece in pieces).strip()


def in_number_style(text: str, style: str) -> str:
    """Return text with p-values and levels formatted in a style; SettingError for an unknown style.

    Examples
    --------
    >>> in_number_style("adjusted p < 0.001, α = 0.05, error 0.03", "APA")
    'adjusted p < .001, α = .05, error 0.03'
    """
    check_one_of(style, NUMBER_STYLES, "number_style")
    return text if style == JMLR else _LEADING_ZERO.sub("", text)


def readable_measures(text: str, comparison: Comparison) -> str:
    """Return text with measures as in papers ("AUC" for auc), unless a name of the data contains the measure."""
    names = {*comparison.results.algorithms, *comparison.results.datasets}
    for measure in comparison.measures_compared:
        readable = formatting.measure_name(measure)
        if not any(measure in name for name in names):
            text = re.sub(rf"(?<!\w){re.escape(measure)}(?!\w)", readable, text)
    return text


def threshold_notes(c: Comparison) -> list[Message]:
    """Return the statement of the threshold if models on one test set are compared by classes."""
    if c.shape.over != "cases" or c.settings.measure in (*measures.AREAS, *measures.LOSSES):
        return []
    stated = thresholds.threshold_message(c.results)
    return [] if stated is None else [stated]


def methods_pieces(
    analysis: Comparison, order: Order | None = None, *, number_style: str = JMLR
) -> tuple[CitedText, ...]:
    """Return the methods paragraph as pieces of text with citations; SettingError for an unknown number style."""
    macros = _macros()
    is_obstructed = analysis.obstacle and not analysis.shape.untested
    macro = "obstacle" if is_obstructed else _MACROS[type(analysis)]
    methods = getattr(macros, macro)(analysis)
    text = re.sub(" {2,}", " ", macros.paragraph(analysis, order, methods, reproduce.versions()))
    text = in_number_style(readable_measures(text, analysis), number_style)
    parts = [*_CITED.split(text), ""]
    return tuple(
        CitedText(part, tuple(keys.split()))
        for part, keys in zip(parts[::2], parts[1::2], strict=True)
    )


# macro on the tests of each kind of comparison
_MACROS: dict[type[Comparison], str] = {
    RanksComparison: "ranks",
    PresentComparison: "present",
    ControlComparison: "control",
    TwoComparison: "two",
    FoldsComparison: "folds",
    FoldPairComparison: "fold_pair",
    SeveralOnMeasures: "measures",
    PairOnMeasures: "pair_on_measures",
    WinsComparison: "wins",
    CasesComparison: "cases",
    TrainingsComparison: "cases",
    BenchmarksComparison: "benchmarks",
    UntestedComparison: "untested",
    PublishedRanks: "published_ranks",
    PublishedWins: "published_wins",
    PublishedDecisions: "published_decisions",
}


@cache
def _macros() -> Any:
    """Return the macros of `methods.jinja` with the functions that they call; cached."""
    functions = (
        *(
            describe_group,
            threshold_notes,
            effect_text.ci,
            everywhere,
            rounding_only,
            order_text.describe_costs,
            missing.remaining_missing,
            effect_text.interval_words,
            method_card.method_card,
            order_text.paper_method,
        ),
        *(effect_text.region_family, adjust.usable_correction, adjust.assumes_symmetry),
        analysis_steps.variance_factor,
    )
    return read_macros(
        "report/methods.jinja",
        **{function.__name__: function for function in functions},
        order_papers=_order_papers,
        cite=lambda key, after="": (
            f"{method_card.method_card(key).phrase}{after}{_papers(*method_card.method_card(key).papers)}"
        ),
        papers=_papers,
        designs=lambda c: {c.results.design_of(name) for name in c.factors},
        IN_PAPER=IN_PAPER,
        LOGICAL=LOGICAL,
        THETAS=THETAS,
        TUKEY=TUKEY,
    )


def _papers(*keys: str) -> str:
    """Return the mark that cites publications, to be split off by `_CITED`; "" without keys."""
    return f"\x02{' '.join(keys)}\x03" if keys else ""


def compared_on(comparison: Comparison) -> str:
    """Return the phrase for the data sets compared, " on 38 data sets", or "" if unknown."""
    return str(_macros().compared_on(comparison)).rstrip()


def _order_papers(order: Order) -> tuple[str, ...]:
    """Return the keys of publications on the tests and procedures of an order."""
    tests = {order_on_dataset.evidence.test for order_on_dataset in order.each.values()}
    procedures = [order.rules.family] if order.each else []
    if order.second is not None:
        procedures.append(order.second.post_hoc)
    return tuple(
        dict.fromkeys(
            key
            for test in (*sorted(tests), *procedures)
            for key in method_card.method_card(test).papers
        )
    )
