"""Gate of a build: whether a new model passes, given its results and those of a baseline, and the result as text.

The formats are text, JSON, Markdown, JUnit XML and annotation of GitHub.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any
from xml.sax.saxutils import quoteattr

from stats_core.comparison.analyse import analyse
from stats_core.comparison.result import Comparison
from stats_core.core.errors import SettingError, error_boundary
from stats_core.core.formatting import format_interval, format_number, p_phrase
from stats_core.core.messages import TextCatalog
from stats_core.core.serialize import dump_json, to_plain
from stats_core.core.validation import check_kind, check_one_of, given_or_new
from stats_core.data.settings import Settings
from stats_core.inference import pair_intervals
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_algorithms
from stats_core.report import text_report

FAIL_IF = ("worse", "not better", "not equivalent", "inferior")
NEW, BASELINE = "new", "baseline"
gate_text = TextCatalog("stats_core", "report/gate.toml")


@dataclass(frozen=True, repr=False)
class GateResult:
    """The result of a gate; true if the new model passes.

    Attributes
    ----------
    passed : bool
        Whether the new model passes.
    outcome : str
        "better" or "worse" (by more than the margin), "equivalent" (the difference is within the
        margin), "non-inferior" (not worse by the margin or more), "identical", or "not known".
    fail_if : str
        The condition of failure, one of `FAIL_IF`.
    margin : float
        The margin, in the measure's units.
    estimate : float
        The difference new - baseline, in the measure's units; of the means, if the test provides no
        estimate.
    low, high : float
        Confidence interval of the difference at level 1 - alpha; NaN if the test provides none.
    pvalue : float
        The p-value of the two-sided test.
    comparison : Comparison
        The comparison of the two models, "new" and "baseline".
    """

    passed: bool
    outcome: str
    fail_if: str
    margin: float
    estimate: float
    low: float
    high: float
    pvalue: float
    comparison: Comparison = field(repr=False)

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        """Return one line with the rule, the reason and the numbers, which pytest prints if `assert gate(...)` fails."""
        return gate_headline(self, gate_text("gate.rule", fail_if=self.fail_if, margin=self.margin))


@error_boundary("Checking the gate")
def gate(
    new: Any,
    baseline: Any,
    *,
    fail_if: str = "worse",
    margin: float = 0.0,
    measure: str = "",
    alpha: float = 0.05,
    mapping: Mapping | None = None,
    settings: Settings | None = None,
) -> GateResult:
    r"""Decide whether a new model passes, given its results and those of a baseline.

    Parameters
    ----------
    new, baseline : path, bytes, open file, data frame, or dict
        Results of one model each, on the same data sets, folds or test instances.
    fail_if : {"worse", "not better", "not equivalent", "inferior"}
        "worse": the new model fails if it is significantly worse, by more than the margin. "not
        better": it fails unless it is significantly better, by more than the margin. "not
        equivalent": it fails unless the difference is shown to lie within the margin. "inferior":
        it fails unless it is shown to be worse by less than the margin (a test of non-inferiority).
    margin : float
        Largest difference that does not matter, at least 0, in the measure's units.
    measure : str
        Measure to compare; the first one by default.
    alpha : float
        Significance level.
    mapping : Mapping, optional
        Roles of columns that names do not determine.
    settings : Settings, optional
        Other settings of the comparison.

    Returns
    -------
    GateResult
        True if the new model passes, with the difference, its interval and p-value.

    Raises
    ------
    SettingError
        An argument is invalid, a source contains several algorithms, or a margin is given and the
        test provides no interval.
    DataError
        A source cannot be read.

    Notes
    -----
    The test is the one that the design of the results calls for, as in `analyse`. "worse" fails only if the
    results show that the new model is worse: with few results, nearly every model passes. "inferior" and "not
    equivalent" fail unless the results show the opposite. Their one-sided tests have level alpha (TOST).

    References
    ----------
    Schuirmann, J. Pharmacokinet. Biopharm. 15 (1987) 657.

    Examples
    --------
    >>> rows = [f"d{i},0.{70 + i}" for i in range(8)]
    >>> old = ("old.csv", "\n".join(["dataset,accuracy", *rows]).encode())
    >>> new = ("new.csv", "\n".join(["dataset,accuracy", *(row + "5" for row in rows)]).encode())
    >>> result = gate(new, old)
    >>> result.passed, result.outcome, round(result.estimate, 4)
    (True, 'better', 0.005)
    """
    check_one_of(fail_if, FAIL_IF, "fail_if")
    pair_intervals.check_region(margin)
    if fail_if == "not equivalent" and margin == 0:
        raise SettingError.of("gate without margin")
    check_kind(measure, str, "measure", 'Use "accuracy"')
    results = read_algorithms(
        {NEW: new, BASELINE: baseline}, given_or_new(mapping, Mapping, "mapping")
    )
    settings = replace(
        given_or_new(settings, Settings, "settings"), alpha=alpha, pair=(NEW, BASELINE)
    )
    comparison = analyse(results, replace(settings, measures=(measure,)) if measure else settings)
    return check_difference(comparison, fail_if=fail_if, margin=margin)


def check_difference(comparison: Comparison, *, fail_if: str, margin: float) -> GateResult:
    """Return the result of the gate for a comparison of `NEW` with `BASELINE`; SettingError without an interval."""
    ends = comparison.region_ends
    if ends is None and (margin > 0 or fail_if == "inferior"):
        raise SettingError.of("gate without interval")
    pair = comparison.sized(NEW, BASELINE)
    row = comparison.pairs().index.get_loc(pair.name)
    sign = 1 if pair["first"] == NEW else -1
    outcome = "identical" if comparison.identical else "not known"
    if outcome == "not known" and margin > 0:
        outcome = comparison.regions_at(margin)[row]
        outcome = (
            {"better": "worse", "worse": "better"}.get(outcome, outcome) if sign < 0 else outcome
        )
    elif outcome == "not known":
        beats = comparison.beats
        outcome = (
            "better"
            if beats.loc[NEW, BASELINE]
            else "worse"
            if beats.loc[BASELINE, NEW]
            else outcome
        )
    if outcome == "not known" and ends is not None:
        low, high = ends[row][1]
        least = low if (sign > 0) == comparison.higher_is_better else -high
        outcome = "non-inferior" if least > -margin else outcome
    passed = {
        "worse": outcome != "worse",
        "not better": outcome == "better",
        "not equivalent": outcome in ("identical", "equivalent"),
        "inferior": outcome in ("better", "identical", "equivalent", "non-inferior"),
    }[fail_if]
    means = comparison.scores.mean()
    estimate = (
        means[NEW] - means[BASELINE] if math.isnan(pair["estimate"]) else sign * pair["estimate"]
    )
    low, high = sorted((float(sign * pair["low"]), float(sign * pair["high"])))
    return GateResult(
        passed,
        outcome,
        fail_if,
        margin,
        float(estimate),
        low,
        high,
        float(pair["p adjusted"]),
        comparison,
    )


def gate_headline(result: GateResult, rule: str = "") -> str:
    """Return one line: passed or failed, the rule, the reason, the difference, its interval and p-value."""
    key = f"outcome.{'unknown' if result.outcome == 'not known' else result.outcome}"
    if not result.passed and result.outcome != "worse":
        key = f"not_shown.{result.fail_if}"
    sentence = gate_text(key, margin=result.margin)
    numbers = gate_text(
        "gate.numbers",
        measure=result.comparison.measure_name,
        alpha=result.comparison.settings.alpha,
        **_printed(result),
    )
    return gate_text(
        "gate.headline", state=_state(result) + rule, sentence=sentence, numbers=numbers
    )


def _state(result: GateResult) -> str:
    return gate_text("gate.passed" if result.passed else "gate.failed")


def _printed(result: GateResult) -> dict[str, str]:
    """Return the difference, its interval ("" without one) and the p-value as text."""
    digits = result.comparison.digits
    interval = "" if math.isnan(result.low) else format_interval(result.low, result.high, digits)
    return {
        "estimate": format_number(result.estimate, digits),
        "interval": interval,
        "p": p_phrase(result.pvalue),
    }


def _as_text(result: GateResult) -> str:
    return f"{gate_headline(result)}\n{text_report.to_text(result.comparison)}"


def _as_json(result: GateResult) -> str:
    facts = {f.name: getattr(result, f.name) for f in fields(result) if f.repr}
    facts |= {
        "measure": result.comparison.settings.measure,
        "alpha": result.comparison.settings.alpha,
    }
    return dump_json(to_plain({"format": 1, **facts, "said": gate_headline(result)}), 2)


def _as_markdown(result: GateResult) -> str:
    columns = gate_text("gate.columns", level=100 * (1 - result.comparison.settings.alpha))
    cells = [result.comparison.measure_name, *_printed(result).values()]
    cells += [result.fail_if, f"{result.margin:g}", result.outcome]
    row = " | ".join(cell.replace("|", "\\|") for cell in cells)
    heading = gate_text("gate.heading", state=_state(result))
    return (
        f"### {heading}\n\n{columns}\n|{'---|' * len(cells)}\n| {row} |\n\n{gate_headline(result)}"
    )


def _as_junit(result: GateResult) -> str:
    name = quoteattr(f"{result.comparison.settings.measure}: {gate_text(f'rule.{result.fail_if}')}")
    failure = "" if result.passed else f"<failure message={quoteattr(gate_headline(result))}/>"
    attributes = (
        f'name="foldwise gate" tests="1" failures="{int(not result.passed)}" errors="0" skipped="0"'
    )
    case = f'<testcase classname="foldwise.gate" name={name}>{failure}</testcase>'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuite {attributes}>{case}</testsuite>'


def _as_annotation(result: GateResult) -> str:
    text = gate_headline(result).replace("%", "%25").replace("\n", "%0A")
    return f"::{'notice' if result.passed else 'error'} title=Foldwise gate::{text}"


GATE_FORMATS: dict[str, Callable[[GateResult], str]] = {
    "text": _as_text,
    "json": _as_json,
    "markdown": _as_markdown,
    "junit": _as_junit,
    "github": _as_annotation,
}
