"""Tests that the page Explore has the tabs of its entries, and names what is lacking."""

from types import SimpleNamespace

import pytest

from foldwise.web.views.explore_views import TABS, Explored
from stats_core.report import entry
from stats_core.report.entry import Place
from tests.samples import shipped

SEVERAL, ONE = "uci38_5x2.csv", "garcia_herrera_2008_accuracy.csv"  # measures


def explored(sample, having):
    """Return a data set of the page that has what is named."""
    return Explored(
        context=SimpleNamespace(results=shipped(sample)),
        dataset="d",
        **{
            f"with_{name}": ("d",) if name in having else ()
            for name in ("folds", "scores", "classes", "items")
        },
    )


@pytest.mark.parametrize(
    ("sample", "having", "tabs", "lacking"),
    [
        (ONE, ["folds"], ["Folds"], ["measures", "scores"]),
        (SEVERAL, ["folds"], ["Folds", "Several measures"], ["scores"]),
        (SEVERAL, ["scores"], ["Curves", "Thresholds"], ["folds"]),
        (SEVERAL, ["classes"], ["Confusion"], ["folds", "scores"]),
        (ONE, [], [], ["folds", "scores"]),
    ],
)
def test_tabs_are_those_that_the_data_set_allows(sample, having, tabs, lacking):
    subject = explored(sample, having)

    assert [tab.name for tab in entry.offered(TABS, subject, Place.EXPLORE)] == tabs
    reasons = entry.lacking(TABS, subject, Place.EXPLORE)
    assert list(reasons) == lacking
    assert all(reason[0].isupper() for reason in reasons.values())


def test_every_tab_has_one_entry():
    assert len({tab.name for tab in TABS}) == len(TABS)
    assert all(tab.where == {Place.EXPLORE} for tab in TABS)
