"""Tests of the comparison of p-values with alpha, which tolerates rounding errors."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.core.validation import significant
from stats_core.inference.paired import sign_test
from tests.report.report_cases import KINDS as CASES
from tests.report.report_cases import case


@pytest.mark.parametrize("p", [0.05, 0.05000000000000001, 0.05 + 1e-13, 0.1 + 0.2 - 0.25, 0.0])
def test_an_exact_p_at_the_level_rejects_however_it_was_rounded(p):
    assert significant(p, 0.05) is True
    assert significant(np.array([p]), 0.05).tolist() == [True]
    assert significant(pd.DataFrame({"p": [p]}), 0.05).to_numpy().all()


@pytest.mark.parametrize("p", [0.0500001, 0.05 * (1 + 1e-8), 1.0, float("nan")])
def test_a_p_above_the_level_does_not(p):
    assert significant(p, 0.05) is False
    assert not significant(np.array([p]), 0.05).any()


@pytest.mark.parametrize("name", [name for name in CASES if "order" not in name])
def test_every_kind_rejects_where_p_is_the_level_but_for_rounding(name):
    """A pair differs if alpha is one unit in the last place below its adjusted p-value."""
    now = case(name)[0]
    adjusted = now.pairs.frame["p adjusted"].dropna()
    for p in adjusted[adjusted.between(1e-6, 0.4)].unique()[:2]:
        alpha = float(np.nextafter(p, 0))
        found = analyse(now.results, replace(now.settings, alpha=alpha))
        rows = found.pairs.frame
        at = rows["p adjusted"].between(p * (1 - 1e-9), p * (1 + 1e-15))
        assert rows.loc[at, "separated"].all()
        assert len(found.pairs.differing) >= rows["separated"].sum() >= at.sum() > 0


def test_an_exact_one_in_thirty_two():
    """Six wins of six have p = 2 / 2^6 = 1/32; the level is smaller by a rounding error."""
    p = sign_test([1, 2, 3, 4, 5, 6], [0] * 6).pvalue
    assert significant(p, 1 / 32 * (1 - 1e-15))
