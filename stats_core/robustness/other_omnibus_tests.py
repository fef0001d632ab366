"""Every test of all algorithms at once on one table, side by side."""

from collections.abc import Callable
from typing import Any

from stats_core.comparison.kinds.average_ranks import RanksComparison
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.validation import check_kind
from stats_core.inference.exact_friedman import exact_friedman
from stats_core.inference.incomplete_blocks import skillings_mack
from stats_core.inference.omnibus import friedman_aligned, kendall_w, quade


def every_omnibus(
    analysis: RanksComparison | ControlComparison, *, exact: bool = False
) -> tuple[list[dict], dict[str, str]]:
    """What do the tests that ask "is there any difference at all" say of the same table?

    Parameters
    ----------
    analysis : RanksComparison or ControlComparison
        From `analyse`.
    exact : bool
        Whether to add the exact Friedman test, which can take seconds.

    Returns
    -------
    (rows, refused)
        One dict per test: test, statistic, df, p, method; and the tests that do not apply, with
        the reason.

    Raises
    ------
    SettingError
        Not an analysis of average ranks.
    """
    kinds = (RanksComparison, ControlComparison)
    check_kind(analysis, kinds, "analysis", "Use `analyse` on two or more data sets")
    scores = analysis.scores
    options: dict[str, Any] = {"higher_is_better": analysis.higher_is_better}
    missing: dict[str, Any] = (
        {"missing": "worst"} if analysis.results.failures == "worst rank" else {}
    )
    tests: dict[str, Callable] = {
        "Iman-Davenport F": lambda: analysis.omnibus,
        "Friedman chi-square": lambda: analysis.friedman,
        "Kendall's W": lambda: kendall_w(scores, **options, **missing),
        "Friedman on aligned ranks": lambda: friedman_aligned(scores, **options),
        "Quade F": lambda: quade(scores, **options),
    }
    if scores.isna().to_numpy().any():
        tests["Skillings-Mack"] = lambda: skillings_mack(scores, **options)
    if exact:
        tests["Friedman, exact"] = lambda: exact_friedman(scores, **options, **missing)
    rows, refused = [], {}
    for name, run in tests.items():
        try:
            outcome = run()
        except FoldwiseError as error:
            refused[name] = str(error)
            continue
        rows.append(
            {
                "test": name,
                "statistic": float(outcome.statistic),
                "df": ", ".join(f"{value:g}" for value in getattr(outcome, "df", ())),
                "p": float(outcome.pvalue),
                "method": str(outcome.method),
            }
        )
    return rows, refused
