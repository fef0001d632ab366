"""Trained models on the cases of one test set as tables: who alone is right where."""

from functools import partial

import pandas as pd
import streamlit as st

from foldwise.ui import show
from stats_core.comparison.kinds.cases import CasesComparison, compare_pair_on_cases
from stats_core.core.errors import FoldwiseError
from stats_core.core.words import count, interval, number, p_text
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.paired import mcnemar


@st.cache_resource(max_entries=32, show_spinner="Comparing cases ...")
def of_pair(key: str, settings: Settings, _results: Results) -> CasesComparison | FoldwiseError:
    """Return two trained models on the cases of one test set, or why they cannot be compared."""
    try:
        return compare_pair_on_cases(_results, settings)
    except FoldwiseError as error:
        return error


def pairs_table(analysis: CasesComparison) -> None:
    """Show every pair: on how many cases each alone is right, difference, p."""
    pairs = analysis.details()
    write_p = partial(p_text, alpha=analysis.settings.alpha)
    table = pd.DataFrame(
        {
            "fewer errors": pairs["first"],
            "other": pairs["second"],
            "alone right": [
                f"{one:,} : {other:,}"
                for one, other in zip(pairs["only first"], pairs["only second"], strict=True)
            ],
            "difference of error": [number(-value, 4) for value in pairs["estimate"]],
            "interval": [
                interval(-high, -low, 4)
                for low, high in zip(pairs["low"], pairs["high"], strict=True)
            ],
            "p raw": pairs["p"],
            "p adjusted": pairs["p adjusted"],
            "verdict": ["better" if one else "not separated" for one in pairs["separated"]],
        }
    )
    show.table(
        table.set_index(["fewer errors", "other"]),
        title=f"{count(len(table), 'pair')} by McNemar's test, exact",
        name="case_pairs",
        formats={"p raw": write_p, "p adjusted": write_p},
        caption=f"Cases of {analysis.dataset} that one of two trained models alone classified "
        "correctly, difference of error with its interval, p-values.",
    )


def two_tables(analysis: CasesComparison) -> None:
    """Show the four counts of two models, and McNemar's test in both forms."""
    first, second = analysis.correct.columns
    right = analysis.correct[first].astype(bool), analysis.correct[second].astype(bool)
    cells = {
        f"{second} {state}": [f"{int((mine & theirs).sum()):,}" for mine in (right[0], ~right[0])]
        for state, theirs in (("right", right[1]), ("wrong", ~right[1]))
    }
    index = pd.Index([f"{first} right", f"{first} wrong"], name="cases")
    show.table(
        pd.DataFrame(cells, index=index),
        title=f"{count(len(analysis.correct), 'case')} by who is right",
        name="cases",
        formats={},
        caption=f"Cases of {analysis.dataset} by whether {first} and {second} are right.",
    )
    write_p = partial(p_text, alpha=analysis.settings.alpha)
    rows = [_row(exact, analysis, write_p) for exact in (True, False)]
    show.table(
        pd.DataFrame(rows).set_index("test"),
        title="Tests",
        name="case_tests",
        formats={},
        caption=f"McNemar's test of {first} against {second} on {analysis.dataset}.",
    )


def _row(exact: bool, analysis: CasesComparison, write_p) -> dict:
    first, second = analysis.correct.columns
    right = (analysis.correct[name].to_numpy() for name in (first, second))
    test = mcnemar(*right, exact=exact, confidence=1 - analysis.settings.alpha)
    return {
        "test": f"McNemar's test, {'exact' if exact else 'chi-square'}",
        "statistic": number(test.statistic, 0 if exact else 3),
        "p": write_p(test.pvalue),
        f"p {first} right more often": write_p(test.pvalue_greater),
        f"p {first} right less often": write_p(test.pvalue_less),
        "verdict": "differs" if test.pvalue <= analysis.settings.alpha else "not separated",
        "": "decides" if exact else "with ten or more disagreements",
    }
