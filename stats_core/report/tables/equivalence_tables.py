"""Bayesian tests of pairs against the equivalence region."""

from typing import Any

import numpy as np
import pandas as pd

from stats_core.comparison.cards.method_card import method_card
from stats_core.comparison.result import Comparison, PairComparison
from stats_core.core.errors import FoldwiseError, SettingError
from stats_core.inference.bayesian import CorrelatedTResult, PosteriorResult, SignedRankResult, bayesian_signed_rank
from stats_core.report.tables.table import ResultTable, three_decimals, with_row_numbers
from stats_core.report.tables.table_parts import table_text

MOST_PAIRS = 120  # maximum number of pairs, as each takes 0.1 s


def equivalence(comparison: PairComparison) -> PosteriorResult:
    """What do Bayesian tests say of two algorithms against the region that does not matter?

    Examples
    --------
    See the page Pair.
    """
    return comparison.posterior(_region(comparison))


def equivalence_table(comparison: PairComparison) -> ResultTable:
    """Return the table of the Bayesian test of two algorithms."""
    posterior, region = equivalence(comparison), _region(comparison)
    higher, lower = comparison.first, comparison.second
    if not comparison.higher_is_better:  # larger values are worse
        higher, lower = lower, higher
    rows = [f"{higher} better by more", f"within ±{region:g}", f"{lower} better by more"]
    values = [posterior.right, posterior.rope, posterior.left]
    if isinstance(posterior, SignedRankResult):
        mean = posterior.shares.mean(axis=0)[::-1]
        frame, caption = {_LARGEST: values, _MEAN: mean}, _of_draws(posterior)
    else:
        frame, caption = {"probability": values}, _of_posterior(posterior)
        plain = comparison.posterior(region, published=True)
        assert isinstance(posterior, CorrelatedTResult)
        assert isinstance(plain, CorrelatedTResult)
        if plain.df != posterior.df:
            frame["published df"] = [plain.right, plain.rope, plain.left]
            caption += f" Published df: J − 1 = {plain.df}."
    table = pd.DataFrame(frame, index=pd.Index(rows, name="difference"))
    return ResultTable(
        name="bayes",
        title=f"Bayesian test against ±{region:g} {comparison.settings.measure}",
        frame=table,
        formats=dict.fromkeys(frame, three_decimals),
        caption=caption,
    )


def equivalences_table(comparison: Comparison) -> ResultTable | None:
    """Return the Bayesian tests of every pair over data sets; None if there are too many."""
    region, pairs = _region(comparison), comparison.pairs()[["first", "second"]]
    if len(pairs) > MOST_PAIRS:
        return None
    names = ("first better by more", f"within ±{region:g}", "second better by more")
    rows, posterior = [], None
    for first, second in pairs.itertuples(index=False):
        shares: Any = (np.nan, np.nan, np.nan)
        try:
            posterior = _over_sets(comparison.scores, first, second, region)
            shares = (posterior.right, posterior.rope, posterior.left)
        except FoldwiseError:
            pass  # too few shared data sets: left blank
        rows.append(shares if comparison.higher_is_better else shares[::-1])
    if posterior is None:
        return None
    frame = pd.concat([pairs, pd.DataFrame(rows, index=pairs.index, columns=list(names))], axis=1)
    return ResultTable(
        name="bayes",
        frame=with_row_numbers(frame),
        formats=dict.fromkeys(names, three_decimals),
        heads=("first", "second"),
        **table_text(
            "equivalence",
            "equivalences_table",
            region=region,
            comparison=comparison,
            of_draws=_of_draws(posterior, mean=False),
        ),
    )


_LARGEST, _MEAN = "largest in", "mean share"


def _region(comparison: Comparison) -> float:
    if comparison.settings.region is None:
        raise SettingError(
            "Bayesian tests need `region`, up to which differences do not matter. None is set. "
            "Try 0.01 for an accuracy."
        )
    return comparison.settings.region


def _over_sets(scores: pd.DataFrame, first: str, second: str, region: float) -> SignedRankResult:
    paired = scores[[first, second]].dropna()
    return bayesian_signed_rank(paired[first] - paired[second], rope=region)


def _of_draws(posterior: SignedRankResult, *, mean: bool = True) -> str:
    """Return the caption that explains the shares of draws."""
    share = " Mean share: how many pairs of data sets have their mean difference there, on average."
    return (
        f"{'Largest in: the' if mean else 'The'} share of draws in which more differences lie there "
        "than in either other region. It says how sure it is which region holds most, and is not the "
        f"probability of being equivalent.{share if mean else ''} {posterior.method}. Not a p-value. "
        f"{method_card('bayesian_signed_rank').reference}."
    )


def _of_posterior(posterior: PosteriorResult) -> str:
    assert isinstance(posterior, CorrelatedTResult)
    return (
        f"Posterior probability that the mean difference lies there. {posterior.method}. Not a p-value. "
        f"{method_card('correlated_t').reference}."
    )
