"""Foldwise: statistical comparison of learning algorithms from per-fold results.

>>> import stats_core as fw
>>> fw.critical_difference(k=5, n_datasets=30, alpha=0.05)
1.1136092236789705

The names below are public. Everything else is in the packages `core`, `data`, `io`,
`inference`, `curves`, `ordering`, `comparison`, `power`, `robustness`, `report`.

Names are imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for type checkers; keep in step with `_HOMES`
    from stats_core.comparison.analyse import analyse
    from stats_core.comparison.result import Comparison
    from stats_core.core.errors import (
        DataError,
        DegenerateError,
        DesignError,
        FoldwiseError,
        NeedsMapping,
        SettingError,
    )
    from stats_core.curves.auc_intervals import auc_interval, auc_interval_from_errors
    from stats_core.curves.delong import delong
    from stats_core.curves.roc_pr import partial_auc, pr_auc, pr_curve, roc_auc, roc_curve
    from stats_core.data.measures import MEASURES, confusion_measures
    from stats_core.data.results import Results
    from stats_core.data.settings import Settings
    from stats_core.inference.anova import anova, tukey
    from stats_core.inference.assumptions import mardia
    from stats_core.inference.multiplicity.adjust import adjust_control, adjust_pairs
    from stats_core.inference.multiplicity.cliques import cliques, underlines
    from stats_core.inference.multivariate.hotelling import hotelling_paired, hotelling_two_sample
    from stats_core.inference.multivariate.learned_measures import learned_measures
    from stats_core.inference.multivariate.manova import manova, manova_dimension
    from stats_core.inference.paired import corrected_t, cv52_f, cv52_t, mcnemar, paired_t, sign_test, wilcoxon
    from stats_core.inference.rank_intervals import rank_intervals
    from stats_core.inference.ranks import critical_difference, friedman, iman_davenport, nemenyi, post_hoc_z
    from stats_core.io.mapping import Mapping
    from stats_core.io.read import read_results
    from stats_core.ordering.multitest import multi2test, multitest
    from stats_core.ordering.order import OrderRules, order_of
    from stats_core.report.advice import Advice, advise
    from stats_core.report.html_report import to_html
    from stats_core.report.latex_report import to_latex
    from stats_core.report.reproduce import to_json, to_script
    from stats_core.report.text_report import to_text
    from stats_core.report.verdict import verdict

    Analysis = Comparison

_HOMES = {
    name: f"stats_core.{module}"
    for module, names in {
        "comparison.analyse": "analyse",
        "comparison.result": "Comparison",
        "report.advice": "Advice advise",
        "report.verdict": "verdict",
        "core.errors": "DataError DegenerateError DesignError FoldwiseError NeedsMapping SettingError",
        "curves.auc_intervals": "auc_interval auc_interval_from_errors",
        "curves.roc_pr": "partial_auc pr_auc pr_curve roc_auc roc_curve",
        "curves.delong": "delong",
        "data.measures": "MEASURES confusion_measures",
        "data.results": "Results",
        "data.settings": "Settings",
        "inference.anova": "anova tukey",
        "inference.multiplicity.adjust": "adjust_pairs adjust_control",
        "inference.multiplicity.cliques": "cliques underlines",
        "inference.multivariate.hotelling": "hotelling_paired hotelling_two_sample",
        "inference.multivariate.learned_measures": "learned_measures",
        "inference.multivariate.manova": "manova manova_dimension",
        "inference.assumptions": "mardia",
        "inference.paired": "corrected_t cv52_f cv52_t mcnemar paired_t sign_test wilcoxon",
        "inference.rank_intervals": "rank_intervals",
        "inference.ranks": "critical_difference friedman iman_davenport nemenyi post_hoc_z",
        "ordering.multitest": "multi2test multitest",
        "ordering.order": "OrderRules order_of",
        "report.text_report": "to_text",
        "report.reproduce": "to_json to_script",
        "report.html_report": "to_html",
        "report.latex_report": "to_latex",
        "io.read": "Mapping read_results",
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
    "rank_intervals",
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
    if name == "Analysis":  # former name
        return __getattr__("Comparison")
    if name not in _HOMES:
        raise AttributeError(f"module 'stats_core' has no attribute '{name}'")
    attribute = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return attribute


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
