"""Tables of comparisons on the cases of one test set."""

import numpy as np

from stats_core.comparison.kinds.cases import CasesComparison
from stats_core.core.words import count, p_phrase
from stats_core.inference.families.corrections import CORRECTIONS
from stats_core.papers.report_parts import ReportTable, differing, numbered, write_p, write_scores
from stats_core.papers.tables_sets import untested


def tables_of_cases(analysis: CasesComparison) -> list[ReportTable]:
    """The errors, then every pair: on how many cases each alone is right, difference, p."""
    pairs, alpha = analysis.details(), analysis.settings.alpha
    table = pairs.rename(columns={"estimate": "difference", "p": "p raw"})
    shown = ("only first", "only second", "difference", "low", "high", "p raw", "p adjusted")
    table = table[["first", "second", *shown]]
    table["differs"] = np.where(pairs["separated"], "yes", "no")
    said = f"McNemar's exact test on {count(len(analysis.correct), 'case')}"
    if analysis.cochran is not None:
        by = CORRECTIONS[analysis.correction]
        adjusted = "not adjusted" if analysis.correction == "none" else f"adjusted by {by}"
        said += f", p {adjusted}; Cochran's Q of all {p_phrase(analysis.cochran.pvalue, alpha)}"
    shares = table[["difference", "low", "high"]]
    return [
        *untested(analysis),
        ReportTable(
            name="pairs",
            title="All pairs" if len(pairs) > 1 else "The pair",
            frame=numbered(table),
            formats={
                **dict.fromkeys(["only first", "only second"], "{:,.0f}".format),
                **dict.fromkeys(shares, write_scores(shares)),
                **dict.fromkeys(["p raw", "p adjusted"], write_p(alpha)),
            },
            best=differing(pairs),
            caption=f"Cases that only the first and only the second classified correctly, and the "
            f"difference of the shares correct with its interval; {said}; bold where the pair "
            f"differs at {alpha:g}.",
        ),
    ]
