"""The steps of MultiTest and Multi2Test for many runs at once: draw, test, adjust, order."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy import special

from stats_core.core.errors import SettingError
from stats_core.core.significance import significant
from stats_core.core.validation import check_one_of, check_probability
from stats_core.inference.fold_tests import PAIR_TESTS
from stats_core.inference.paired.cv52 import FIVE_BY_TWO
from stats_core.inference.paired.one_sided import ONE_SIDED, one_sided
from stats_core.inference.ranks import critical_difference
from stats_core.power.vectorized_wilcoxon import wilcoxon_greater

FAMILIES = ("none", "bonferroni", "holm")
WILCOXON = "Wilcoxon"
SIMULATED = (*ONE_SIDED, WILCOXON)
POST_HOCS = ("nemenyi", "bonferroni", "holm")


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderRunRules:
    """How one data set is drawn and tested; the fields are those of `simulate_multitest`."""

    n_cases: int
    n_results: int
    test: str
    family: str
    alpha: float
    test_fraction: float | None = None
    undivided: bool = False

    @property
    def text(self) -> str:
        """The rules in words."""
        name = PAIR_TESTS[self.test].name
        form = ", undivided" if self.undivided else ""
        family = "unadjusted" if self.family == "none" else self.family.capitalize()
        return (
            f"{self.n_results} results of {self.n_cases} cases each, {name}, one-sided{form}, "
            f"{family}, alpha {self.alpha:g}"
        )


def prior_first(edges: np.ndarray, k: int) -> np.ndarray:
    """Return the order MultiTest finds for every set of edges, as `stats_core.ordering` does for one.

    Parameters
    ----------
    edges : array of bool (..., pair)
        Whether the costlier is better; pairs of k algorithms in the order of `np.triu_indices`.
    k : int
        Number of algorithms, cheapest first.

    Returns
    -------
    array of int (..., k)
        Places in the prior order, 0 to k - 1, best first.

    Examples
    --------
    Edges 0-2 and 1-2: the costliest is better than both others.

    >>> import numpy as np
    >>> prior_first(np.array([[False, True, True]]), 3).tolist()
    [[2, 0, 1]]
    """
    graph = np.zeros((*edges.shape[:-1], k, k), dtype=bool)
    cheap, costly = np.triu_indices(k, 1)
    graph[..., cheap, costly] = edges
    remaining = np.ones(graph.shape[:-1], dtype=bool)
    order = np.empty(graph.shape[:-1], dtype=int)
    for place in range(k):
        beaten = (graph & remaining[..., None, :]).any(axis=-1)
        chosen = (remaining & ~beaten).argmax(axis=-1)  # the first, so the cheapest
        order[..., place] = chosen
        np.put_along_axis(remaining, chosen[..., None], False, axis=-1)
    return order


def draw_edges(rng: np.random.Generator, rates: np.ndarray, rules: OrderRunRules) -> np.ndarray:
    """Draw results for rates (..., algorithm) and test them: edges (..., pair)."""
    errors = rng.binomial(rules.n_cases, rates[..., None], size=(*rates.shape, rules.n_results))
    cheap, costly = np.triu_indices(rates.shape[-1], 1)
    # numbers of errors, not shares: whole, so that a mean of zero is exactly zero
    differences = errors.take(cheap, axis=-2) - errors.take(costly, axis=-2)
    if rules.test == WILCOXON:
        pvalues = wilcoxon_greater(differences)
    else:
        pvalues = one_sided(
            differences,
            rules.test,
            test_fraction=rules.test_fraction,
            undivided=rules.undivided,
        )
    return significant(_adjust(pvalues, rules.family), rules.alpha)


def _adjust(pvalues: np.ndarray, family: str) -> np.ndarray:
    """Adjust each row (..., pair), as `stats_core.adjust.adjust_family` does one."""
    m = pvalues.shape[-1]
    if family != "holm":
        return np.minimum(1, pvalues * (m if family == "bonferroni" else 1))
    order = np.argsort(pvalues, axis=-1)
    scaled = np.take_along_axis(pvalues, order, axis=-1) * (m - np.arange(m))
    adjusted = np.empty_like(pvalues)
    np.put_along_axis(adjusted, order, np.maximum.accumulate(scaled, axis=-1), axis=-1)
    return np.minimum(1, adjusted)


@dataclass(frozen=True, slots=True, kw_only=True)
class PostHoc:
    """Friedman's test and its post hoc test for k algorithms on n data sets, many runs at once."""

    k: int
    n: int
    method: str
    alpha: float

    def edges(self, ranks: np.ndarray) -> np.ndarray:
        """Return edges (run, pair) from average places (run, algorithm)."""
        cheap, costly = np.triu_indices(self.k, 1)
        lead = ranks[:, cheap] - ranks[:, costly]
        return self._rejects(ranks)[:, None] & (lead > 0) & self._separates(lead)

    def _rejects(self, ranks: np.ndarray) -> np.ndarray:
        scale = 12 * self.n / (self.k * (self.k + 1))
        statistic = scale * ((ranks - (self.k + 1) / 2) ** 2).sum(axis=1)
        unanimous = statistic > self.n * (self.k - 1) - 1e-9
        return unanimous | significant(special.chdtrc(self.k - 1, statistic), self.alpha)

    def _separates(self, lead: np.ndarray) -> np.ndarray:
        if self.method == "nemenyi":
            return lead >= critical_difference(self.k, self.n, self.alpha)
        error = sqrt(self.k * (self.k + 1) / (6 * self.n))
        pvalues = 2 * special.ndtr(-np.abs(lead) / error)
        return significant(_adjust(pvalues, self.method), self.alpha)


def check_rules(rules: OrderRunRules) -> None:
    """Refuse rules that cannot be followed."""
    check_one_of(rules.test, SIMULATED, "test")
    check_one_of(rules.family, FAMILIES, "family")
    check_probability(rules.alpha, "alpha")
    check_whole(rules.n_cases, "n_cases", 1)
    check_whole(rules.n_results, "n_results", 2)
    if rules.test in FIVE_BY_TWO and rules.n_results != 10:
        raise SettingError(
            "The 5x2 tests need ten results of each algorithm. "
            f"`n_results` is {rules.n_results}. Make it 10, or use a t test."
        )
    if rules.test == WILCOXON and rules.undivided:
        raise SettingError(
            "Only the 5x2 cv F test has an undivided form. The test is Wilcoxon. "
            "Leave `undivided` False."
        )


def check_whole(value: int, name: str, least: int) -> None:
    """Refuse what is not a whole number, or too small."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or value < least:
        raise SettingError(
            f"`{name}` must be a whole number of at least {least}. It is {value!r}. Change it."
        )
