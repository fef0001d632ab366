"""What holds a group together, against the groups at other levels."""

from dataclasses import replace

import pytest

from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from stats_core.robustness.group_evidence import inside_group
from tests.samples import shipped

UCI = "uci38_5x2.csv"


@pytest.fixture(scope="module")
def ranked():
    return analyse(shipped(UCI), Settings())


def test_a_group_splits_at_the_level_that_is_told(ranked):
    whole = [group for group in ranked.groups if len(group) > 2]
    assert whole
    for group in whole:
        found = inside_group(ranked, group)
        assert found["separated"] == 0
        assert found["pairs"] == len(group) * (len(group) - 1) // 2
        assert ranked.settings.alpha < found["level"] <= found["largest"]
        if found["level"] > 0.5:
            continue
        split = analyse(shipped(UCI), replace(ranked.settings, alpha=found["level"]))
        assert not any(set(group) <= set(one) for one in split.groups)
        below = analyse(shipped(UCI), replace(ranked.settings, alpha=0.999 * found["level"]))
        assert any(set(group) <= set(one) for one in below.groups)
        assert f"{found['level']:.3f}"[1:] in str(found)


def test_what_is_no_group_is_said_to_be_none(ranked):
    said = str(inside_group(ranked, ranked.order))
    assert "no group" in said
    assert inside_group(ranked, ["nobody", "svr"]) is None


def test_a_control_has_no_groups():
    against = analyse(shipped(UCI), Settings(control="c45"))
    assert inside_group(against, ["svr", "mlp", "c45"]) is None
