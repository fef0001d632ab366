"""Texts on the planned tests of a comparison: names, reasons, assumptions that fail, references."""

from dataclasses import replace

from stats_core.comparison.cards import method_card
from stats_core.comparison.kinds.benchmarks import BenchmarksComparison
from stats_core.comparison.plan import PlannedTest, Reason, Role
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import format_count, p_phrase
from stats_core.core.messages import TextCatalog
from stats_core.inference import pairwise
from stats_core.inference.methods import Assumption, Unit
from stats_core.inference.multiplicity.adjust import CORRECTIONS
from stats_core.report import effect_text

plan_text = TextCatalog("stats_core", "report/plan.toml")


def name_of_tests(c: Comparison) -> str:
    """Return the tests that decide, in order, such as "Iman-Davenport test, then sign tests"."""
    return ", then ".join(test_text(planned, c) for planned in c.tests_of_design if planned.decides)


def test_text(planned: PlannedTest, c: Comparison) -> str:
    """Return the name of a planned test, with its correction and what it compares."""
    if planned.correction is None or planned.label is not None:
        compares_control = c.shape.control and planned.unit is Unit.DATA_SET
        if planned.correction is None or not compares_control:
            return _with_overlap(planned, c)
        return plan_text("tests.control", control=c.settings.control, tests=planned.description)
    form = "unadjusted" if planned.correction == "none" else "adjusted"
    by = CORRECTIONS[planned.correction]
    return plan_text(f"tests.{form}", test=planned.name, by=by)


def _with_overlap(planned: PlannedTest, c: Comparison) -> str:
    """Return the description of a planned test with its place and its correction for overlap."""
    text = planned.description
    if planned.role is Role.WIN and planned.unit is Unit.RESULT:
        form = "at_thresholds" if c.settings.thresholds else "on_data_sets"
        text = plan_text(f"tests.{form}", test=text)
    return plan_text("tests.corrected", test=text) if planned.corrects_overlap else text


def reason_text(planned: PlannedTest, c: Comparison) -> str:
    """Return the reason for a planned test in sentences."""
    match planned.reason:
        case Reason.SUITED:
            return method_card.method_card(planned.card).why
        case Reason.REQUESTED:
            if planned.method is None or planned.unit is Unit.DATA_SET:
                return plan_text("reasons.requested")
            return plan_text("reasons.requested_on_folds", assumes=planned.method.assumes)
        case Reason.OWN_TESTS_CAN_DECIDE | Reason.FEW_DATA_SETS:
            return plan_text(f"reasons.{planned.reason.name.lower()}", **_data_sets(c))
        case Reason.FEW_BENCHMARKS:
            assert isinstance(c, BenchmarksComparison)  # no other comparison has this reason
            return plan_text("reasons.few_benchmarks", sets=len(c.parts), cases=c.n_cases)
        case _:
            return plan_text(f"reasons.{planned.reason.name.lower()}")


def card_text(planned: PlannedTest) -> str:
    """Return what the card of a planned test and that of its correction give as reason."""
    why = method_card.method_card(planned.card).why
    return " ".join(filter(None, (why, adjusted_text(planned))))


def adjusted_text(planned: PlannedTest) -> str:
    """Return `adjustment_text` of the correction of a planned test; "" without one."""
    return "" if planned.correction is None else adjustment_text(planned.correction)


def _data_sets(c: Comparison) -> dict[str, str]:
    """Return the number of data sets and the smallest p-value of Wilcoxon tests there."""
    settings, k, n = c.settings, len(c.order), c.counted.n
    least = pairwise.smallest_control_pvalue if settings.control else pairwise.smallest_pvalue
    smallest = least(k, n, replace(settings, source="wilcoxon"))
    return {
        "n": format_count(n, "data set"),
        "bound": p_phrase(
            smallest,
            settings.alpha,
            plan_text("reasons.smallest", pvalue=effect_text.pvalue_name(c)),
        ),
    }


def failed_texts(planned: PlannedTest) -> list[str]:
    """Return sentences on the assumptions of a planned test that fail."""
    return [
        plan_text("fails.as_if_independent")
        if failed.assumption is Assumption.INDEPENDENT_RESULTS
        else str(failed.note)
        for failed in planned.failed
    ]


def adjustment_text(correction: str) -> str:
    """Return the reason for a correction in sentences."""
    return method_card.method_card(correction).why


def reference_text(planned: PlannedTest) -> str:
    """Return the publications that argue for a planned test and its correction."""
    keys = [planned.card, *([planned.correction] if planned.correction else [])]
    return method_card.reference_of(*keys)
