"""Several measures over many data sets: dimensions found, wins, and the sign test on them."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from scipy import stats

from stats_core._check import check_one_of, check_probability
from stats_core.adjust import FAMILY_METHODS, adjust_pairs
from stats_core.analysis import Settings
from stats_core.corrections import usable_correction
from stats_core.errors import DesignError, FoldwiseError
from stats_core.fold_pairs import fold_matrix, folds_of
from stats_core.hotelling import pairwise_hotelling
from stats_core.manova import manova_dimension
from stats_core.outcome import square
from stats_core.pairwise import pairwise_t
from stats_core.results import Results

RULES = ("risk", "thesis")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wins:
    """On how many data sets each algorithm beats each other.

    Attributes
    ----------
    counts : DataFrame, algorithm x algorithm
        Data sets on which the row wins over the column.
    total : Series by algorithm
        Data sets on which it wins over at least one other.
    sign_pvalues : DataFrame, algorithm x algorithm
        Two-sided sign test of the wins over all data sets, ties split, adjusted.
    won : dict of (str, str) to tuple of str
        The data sets behind each count.
    skipped : dict of str to str
        Data sets that could not be decided, with the reason.
    n : int
        Data sets counted.
    """

    counts: pd.DataFrame
    total: pd.Series
    sign_pvalues: pd.DataFrame
    won: dict[tuple[str, str], tuple[str, ...]]
    skipped: dict[str, str]
    n: int


def dimensions(results: Results, measures, settings: Settings) -> pd.DataFrame:
    """In how many dimensions do the algorithms' means differ on each data set?

    Parameters
    ----------
    results : Results
        Three or more algorithms.
    measures : sequence of str
    settings : Settings
        Gives alpha and the treatment of overlap.

    Returns
    -------
    DataFrame
        One row per data set: blocked and one-way dimension found, the largest possible, p of "no
        difference" blocked, and why a data set could not be tested.

    References
    ----------
    Aslan's thesis 2009, Tables 7.1 and 7.6.

    Examples
    --------
    See the page Multivariate, over data sets.
    """
    rows = {}
    for dataset in results.datasets:
        row = {"blocked": "", "one-way": "", "largest": "", "p": np.nan, "reason": ""}
        try:
            vectors, fraction = _vectors(results, dataset, measures, settings)
            options = {"test_fraction": fraction, "alpha": settings.alpha, "names": measures}
            found = manova_dimension(vectors, blocked=True, **options)
            row |= {"blocked": found.label, "largest": str(found.largest), "p": found.pvalue}
            row["one-way"] = manova_dimension(vectors, blocked=False, **options).label
        except FoldwiseError as error:
            row["reason"] = str(error)
        rows[dataset] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("dataset")


def wins(
    results: Results,
    measures,
    settings: Settings,
    *,
    rule: Literal["risk", "thesis"] = "risk",
    theta: float = 0.5,
) -> Wins:
    """On how many data sets does each algorithm beat each other, errors weighed by their cost?

    Parameters
    ----------
    results : Results
        With the counts tp, fp, tn, fn of every fold.
    measures : sequence of str
        What the Hotelling test looks at, for the thesis' rule.
    settings : Settings
        Gives alpha, the correction over the pairs of a data set, and the treatment of overlap.
    rule : {"risk", "thesis"}
        A win needs a significant difference of risk itself; or, as in Aslan's thesis, the
        multivariate test rejects and the lower risk wins.
    theta : float
        Weight of a false positive, 1 - theta that of a false negative:
        risk = theta fp + (1 - theta) fn, in cases of the fold.

    Returns
    -------
    Wins

    Raises
    ------
    DesignError, SettingError
        No counts, or no data set can be decided; `theta` outside (0, 1), unknown rule.

    Notes
    -----
    Where two risks are equal but their errors differ, the thesis' rule rejects and then names a
    winner at random. The sign test counts a data set without a winner as a tie.

    References
    ----------
    Aslan's thesis 2009, section 7.2.

    Examples
    --------
    See the page Multivariate, over data sets.
    """
    check_one_of(rule, RULES, "rule")
    check_probability(theta, "theta")
    try:
        results.resolve_name("fp")
        results.resolve_name("fn")
    except FoldwiseError:
        raise DesignError(
            "Wins by risk need the counts tp, fp, tn, fn of every fold. These results have none. "
            "Upload counts or predictions."
        ) from None
    names = list(results.algorithms)
    won: dict[tuple[str, str], list[str]] = {(a, b): [] for a in names for b in names if a != b}
    skipped, decided = {}, 0
    for dataset in results.datasets:
        try:
            better = _better(results, dataset, measures, settings, rule, theta)
        except FoldwiseError as error:
            skipped[dataset] = str(error)
            continue
        decided += 1
        for i, j in np.argwhere(better):
            won[names[i], names[j]].append(dataset)
    if not decided:
        raise DesignError(f"No data set can be decided. {next(iter(skipped.values()), '')}")
    counts = pd.DataFrame(0, index=names, columns=names)
    for (a, b), sets in won.items():
        counts.loc[a, b] = len(sets)
    total = {a: len({s for b in names if b != a for s in won[a, b]}) for a in names}
    return Wins(
        counts=counts,
        total=pd.Series(total),
        sign_pvalues=_sign_tests(counts, decided, settings),
        won={pair: tuple(sets) for pair, sets in won.items()},
        skipped=skipped,
        n=decided,
    )


def _vectors(
    results: Results, dataset: str, measures, settings: Settings
) -> tuple[np.ndarray, float | None]:
    layers = [fold_matrix(results, dataset, measure).to_numpy().T for measure in measures]
    first = replace(settings, measure=measures[0])
    fraction = folds_of(results, dataset, first)["test_fraction"]
    return np.stack(layers, axis=2), fraction if settings.overlap == "corrected" else None


def _better(
    results: Results, dataset: str, measures, settings: Settings, rule: str, theta: float
) -> np.ndarray:
    """Return where the row algorithm wins over the column on one data set."""
    fp, fn = (fold_matrix(results, dataset, name) for name in ("fp", "fn"))
    risk = (theta * fp + (1 - theta) * fn).to_numpy()
    vectors, fraction = _vectors(results, dataset, measures, settings)
    if rule == "thesis":
        options = {"test_fraction": fraction, "names": measures}
        raw = pairwise_hotelling(vectors, results.algorithms, **options).pvalues
    else:
        raw = square(pairwise_t(risk, fraction), results.algorithms)
    correction = usable_correction(settings.correction, len(raw))
    rejects = adjust_pairs(raw, correction).to_numpy() <= settings.alpha
    mean = risk.mean(axis=0)
    return rejects & (mean[:, None] < mean)


def _sign_tests(counts: pd.DataFrame, n: int, settings: Settings) -> pd.DataFrame:
    """Test wins against losses over data sets; data sets without a winner are ties, split."""
    won = counts.to_numpy()
    ties = n - won - won.T
    size = n - ties % 2
    most = np.maximum(won, won.T) + ties // 2
    pvalues = np.minimum(1, 2 * stats.binom.sf(most - 1, size, 0.5))
    np.fill_diagonal(pvalues, 1.0)
    return adjust_pairs(square(pvalues, counts.index), wins_correction(settings.correction))


def wins_correction(asked: str) -> str:
    """Return the correction over pairs of wins: winning as often as another is not transitive.

    Shaffer and Bergmann-Hommel reason as if it were; Holm stands in for them.

    Examples
    --------
    >>> wins_correction("bergmann_hommel"), wins_correction("bonferroni")
    ('holm', 'bonferroni')
    """
    return asked if asked in FAMILY_METHODS else "holm"
