"""The list of slow cases."""

from tests.conftest import SLOW_CASES, UNKNOWN_SLOW_CASES


def test_every_slow_case_exists(pytestconfig):
    """Only if all tests are collected, as in `./fw test`: a renamed case would run unmarked."""
    assert pytestconfig.stash[UNKNOWN_SLOW_CASES] == set()


def test_slow_cases_are_in_order_with_their_seconds():
    lines = [line.partition(" ") for line in SLOW_CASES.read_text(encoding="utf-8").splitlines()]

    assert [case for _, _, case in lines] == sorted({case for _, _, case in lines})
    assert all(float(seconds) >= 1 for seconds, _, _ in lines)
