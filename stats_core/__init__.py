"""Foldwise: statistical comparison of learning algorithms from per-fold results.

>>> import stats_core as fw
>>> fw.critical_difference(k=5, n_datasets=30, alpha=0.05)
1.1136092236789705

The names below are the documented ones. Everything else is in its wing: `core`, `data`, `reading`,
`inference`, `curves`, `ordering`, `comparison`, `power`, `looks`, `papers`.

A name is loaded when it is first used, with what it needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what a type checker sees; `_HOMES` says the same to Python
    from stats_core.comparison.advice import Advice
    from stats_core.comparison.advise import advise
    from stats_core.comparison.analyse import analyse
    from stats_core.comparison.base import Comparison
    from stats_core.comparison.verdict import verdict
    from stats_core.core.errors import (
        DataError,
        DegenerateError,
        DesignError,
        FoldwiseError,
        NeedsMapping,
        SettingError,
    )
    from stats_core.curves.auc_intervals import auc_interval, auc_interval_from_errors
    from stats_core.curves.curves import partial_auc, pr_auc, pr_curve, roc_auc, roc_curve
    from stats_core.curves.delong import delong
    from stats_core.data.measures import MEASURES, confusion_measures
    from stats_core.data.results import Results
    from stats_core.data.settings import Settings
    from stats_core.inference.anova import anova, tukey
    from stats_core.inference.families.adjust import adjust_pairs
    from stats_core.inference.families.adjust_control import adjust_control
    from stats_core.inference.families.cliques import cliques, underlines
    from stats_core.inference.multivariate.hotelling import hotelling_paired, hotelling_two_sample
    from stats_core.inference.multivariate.learned import learned_measures
    from stats_core.inference.multivariate.manova import manova, manova_dimension
    from stats_core.inference.multivariate.multinormal import mardia
    from stats_core.inference.paired import (
        corrected_t,
        cv52_f,
        cv52_t,
        mcnemar,
        paired_t,
        sign_test,
        wilcoxon,
    )
    from stats_core.inference.ranks import (
        critical_difference,
        friedman,
        iman_davenport,
        nemenyi,
        post_hoc_z,
    )
    from stats_core.ordering.multitest import multi2test, multitest
    from stats_core.ordering.order import OrderRules, order_of
    from stats_core.papers.report import to_text
    from stats_core.papers.reproduce import to_json, to_script
    from stats_core.papers.to_html import to_html
    from stats_core.papers.to_latex import to_latex
    from stats_core.reading.reading import Mapping, read_results

    Analysis = Comparison

_HOMES = {
    name: f"stats_core.{module}"
    for module, names in {
        "comparison.advice": "Advice",
        "comparison.advise": "advise",
        "comparison.analyse": "analyse",
        "comparison.base": "Comparison",
        "comparison.verdict": "verdict",
        "core.errors": "DataError DegenerateError DesignError FoldwiseError NeedsMapping SettingError",
        "curves.auc_intervals": "auc_interval auc_interval_from_errors",
        "curves.curves": "partial_auc pr_auc pr_curve roc_auc roc_curve",
        "curves.delong": "delong",
        "data.measures": "MEASURES confusion_measures",
        "data.results": "Results",
        "data.settings": "Settings",
        "inference.anova": "anova tukey",
        "inference.families.adjust": "adjust_pairs",
        "inference.families.adjust_control": "adjust_control",
        "inference.families.cliques": "cliques underlines",
        "inference.multivariate.hotelling": "hotelling_paired hotelling_two_sample",
        "inference.multivariate.learned": "learned_measures",
        "inference.multivariate.manova": "manova manova_dimension",
        "inference.multivariate.multinormal": "mardia",
        "inference.paired": "corrected_t cv52_f cv52_t mcnemar paired_t sign_test wilcoxon",
        "inference.ranks": "critical_difference friedman iman_davenport nemenyi post_hoc_z",
        "ordering.multitest": "multi2test multitest",
        "ordering.order": "OrderRules order_of",
        "papers.report": "to_text",
        "papers.reproduce": "to_json to_script",
        "papers.to_html": "to_html",
        "papers.to_latex": "to_latex",
        "reading.reading": "Mapping read_results",
    }.items()
    for name in names.split()
}

__all__ = [
    "Advice",
    "Analysis",
    "Comparison",
    "DataError",
    "DegenerateError",
    "DesignError",
    "FoldwiseError",
    "MEASURES",
    "Mapping",
    "NeedsMapping",
    "OrderRules",
    "Results",
    "SettingError",
    "Settings",
    "adjust_control",
    "adjust_pairs",
    "advise",
    "analyse",
    "anova",
    "auc_interval",
    "auc_interval_from_errors",
    "cliques",
    "confusion_measures",
    "corrected_t",
    "critical_difference",
    "cv52_f",
    "cv52_t",
    "delong",
    "friedman",
    "hotelling_paired",
    "hotelling_two_sample",
    "iman_davenport",
    "learned_measures",
    "manova",
    "manova_dimension",
    "mardia",
    "mcnemar",
    "multi2test",
    "multitest",
    "nemenyi",
    "order_of",
    "paired_t",
    "partial_auc",
    "post_hoc_z",
    "pr_auc",
    "pr_curve",
    "read_results",
    "roc_auc",
    "roc_curve",
    "sign_test",
    "to_html",
    "to_json",
    "to_latex",
    "to_script",
    "to_text",
    "tukey",
    "underlines",
    "verdict",
    "wilcoxon",
]


def __getattr__(name: str) -> Any:
    if name == "Analysis":  # its older name
        return __getattr__("Comparison")
    if name not in _HOMES:
        raise AttributeError(f"module 'stats_core' has no attribute '{name}'")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
