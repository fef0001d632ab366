"""Test that tests without each data set, from updated sums, are those of the remaining data sets."""

import numpy as np
import pandas as pd
import pytest

from stats_core.inference.paired.signed_ranks import sign_pairs, signed_rank_pairs
from stats_core.inference.pairwise import count_wins, pairs_without_each, wins_without_each

PLAIN = {"wilcoxon": signed_rank_pairs, "sign": sign_pairs}


def table(rng, n, digits):
    values = rng.normal(0.2, size=(n, 4)).round(digits) + [0, 0.1, 0.1, 0.4]
    values[:, 2] = np.where(rng.random(n) < 0.1, values[:, 1], values[:, 2])  # zeros
    values[n // 2] *= 1e7  # what ties hangs on the largest value
    return values


@pytest.mark.parametrize("test", PLAIN)
@pytest.mark.parametrize("n", [5, 62, 90])
@pytest.mark.parametrize("digits", [0, 2, 15])
def test_pairs_without_each_data_set_are_those_of_the_others(rng, test, n, digits):
    values = table(rng, n, digits)
    found = list(pairs_without_each(values, test))

    assert len(found) == n
    for place, (pvalues, statistics) in enumerate(found):
        expected = PLAIN[test](np.delete(values, place, axis=0))
        np.testing.assert_allclose(pvalues, expected[0], rtol=1e-12)
        np.testing.assert_allclose(statistics, expected[1], rtol=1e-12, atol=1e-15)


def test_wins_without_each_data_set_are_those_counted_without_it(rng):
    scores = pd.DataFrame(rng.integers(0, 3, (6, 4)).astype(float), columns=list("abcd"))
    scores.iloc[2, 1] = np.nan
    counted = count_wins(scores, higher_is_better=False)

    for row, without in enumerate(wins_without_each(*counted, scores, higher_is_better=False)):
        for table, expected in zip(
            without, count_wins(scores.drop(index=row), higher_is_better=False), strict=True
        ):
            pd.testing.assert_frame_equal(table, expected)
