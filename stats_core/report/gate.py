"""Gate of a build: whether a new model passes, given its results and those of a baseline, and the result as text.

The formats are text, JSON, Markdown, JUnit XML and annotation of GitHub.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args
from xml.sax.saxutils import quoteattr

import pandas as pd

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import decide
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError, MissingCells, SettingError, error_boundary
from stats_core.core.formatting import format_interval, format_number, p_phrase
from stats_core.core.messages import TextCatalog
from stats_core.core.serialize import dump_json, to_plain
from stats_core.core.validation import check_one_of, significant
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.io.read import read_algorithms
from stats_core.power.detectable import detectable
from stats_core.report import text_report
from stats_core.report.arguments import Arguments, missing_refused, takes
from stats_core.report.verdict import headline

FailIf = Literal["worse", "not better", "not equivalent", "inferior"]
FAIL_IF = get_args(FailIf)
PASSED, FAILED, UNDECIDED = "passed", "failed", "undecided"  # decisions
OnUndecided = Literal["warn", "fail", "pass"]
ON_UNDECIDED = get_args(OnUndecided)
POWER = 0.8  # at which the smallest detectable loss is printed
NEW, BASELINE = "new", "baseline"
gate_text = TextCatalog("stats_core", "report/gate.toml")


@dataclass(frozen=True, repr=False)
class GateResult:
    """The result of a gate; true if the new model passes.

    Attributes
    ----------
    passed : bool
        Whether the new model passes: the decision is "passed", or it is "undecided" and
        `on_undecided` is "pass".
    decision : {"passed", "failed", "undecided"}
        "undecided" if the results allow no decision: they are too few for any significant
        difference, no test or no interval is possible, or the significant difference has no
        direction.
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
    detectable : float
        The smallest loss that the test detects with a power of 0.8, in the measure's units; NaN if
        it is not known.
    on_undecided : {"warn", "fail", "pass"}
        What an undecided gate is.
    comparison : Comparison
        The comparison of the two models, "new" and "baseline".
    """

    passed: bool
    decision: str
    outcome: str
    fail_if: str
    margin: float
    estimate: float
    low: float
    high: float
    pvalue: float
    detectable: float
    on_undecided: str
    comparison: Comparison = field(repr=False)

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        """Return one line with the rule, the reason and the numbers, which pytest prints if `assert gate(...)` fails."""
        return gate_headline(self, gate_text("gate.rule", fail_if=self.fail_if, margin=self.margin))


@dataclass(frozen=True, kw_only=True)
class GateArguments(Arguments):
    """Arguments of `gate` in addition to those of `compare`.

    Attributes
    ----------
    fail_if : {"worse", "not better", "not equivalent", "inferior"}
        "worse": the new model fails if it is significantly worse, by more than the margin. "not
        better": it fails unless it is significantly better, by more than the margin. "not
        equivalent": it fails unless the difference is shown to lie within the margin. "inferior":
        it fails unless it is shown to be worse by less than the margin (a test of non-inferiority).
    on_undecided : {"warn", "fail", "pass"}
        What an undecided gate is. With "warn" and "fail" the result is false, with "pass" it is
        true. The command exits with code 4, 3 or 0.
    """

    fail_if: FailIf = "worse"
    on_undecided: OnUndecided = "warn"

    def __post_init__(self) -> None:
        """Raise SettingError for values that no data allow."""
        super().__post_init__()
        check_one_of(self.fail_if, FAIL_IF, "fail_if")
        check_one_of(self.on_undecided, ON_UNDECIDED, "on_undecided")
        self.refuse("gate", "control", "algorithms")


@takes(GateArguments)
@error_boundary("Checking the gate")
def gate(new: Any, baseline: Any, arguments: GateArguments) -> GateResult:
    r"""Decide whether a new model passes, given its results and those of a baseline.

    Parameters
    ----------
    new, baseline : path, bytes, open file, data frame, or dict
        Results of one model each, on the same data sets, folds or test instances. Of several models
        in a column, `pair` names the two to compare.

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
    The test is the one that the design of the results calls for, as in `analyse`, and the
    decision is that of the sentence, the pairs and the groups. "worse" fails only if the
    results show that the new model is worse. With few results, nearly every model passes, so
    the smallest detectable loss is given. "inferior" and "not equivalent" fail unless the
    results show the opposite. Their one-sided tests have level alpha (TOST). Identical averages
    on n data sets show equivalence if 2^-n, the p-value of the one-sided signed-rank tests at
    the margin, is at most alpha. Results that allow no decision leave the gate undecided.

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
    settings = arguments.requested_settings()
    sources, pair = {NEW: new, BASELINE: baseline}, settings.pair
    results = arguments.read(lambda mapping: read_algorithms(sources, mapping, pair))
    results, settings = arguments.complete(results, settings)
    try:
        return decide_gate(results, settings, arguments.fail_if, arguments.on_undecided)
    except MissingCells as error:
        raise missing_refused(error) from None


def decide_gate(
    results: Results, settings: Settings, fail_if: str = "worse", on_undecided: str = "warn"
) -> GateResult:
    """Return the gate on results of `NEW` and `BASELINE`; `margin` as in the settings.

    Raises SettingError if an equivalence lacks a margin, or a margin an interval.
    """
    margin = 0.0 if settings.margin is None else settings.margin
    if fail_if == "not equivalent" and margin == 0:
        raise SettingError.of("gate without margin")
    settings = replace(settings, margin=None, pair=(NEW, BASELINE))
    comparison = analyse(results, settings)
    return check_difference(comparison, fail_if=fail_if, margin=margin, on_undecided=on_undecided)


def check_difference(
    comparison: Comparison, *, fail_if: str, margin: float, on_undecided: str = "warn"
) -> GateResult:
    """Return the result of the gate for a comparison of `NEW` with `BASELINE`; SettingError without an interval."""
    row = None
    if len(comparison.pairs):
        row = _Row.of(comparison)
        if row.narrow is None and (margin > 0 or fail_if == "inferior"):
            raise SettingError.of("gate without interval")
    evidence = "not known" if row is None else row.evidence(margin)
    decision = _decision(comparison, row, evidence, fail_if, margin)
    estimate, low, high, pvalue = (math.nan,) * 4 if row is None else row.numbers()
    return GateResult(
        passed=decision == PASSED or (decision == UNDECIDED and on_undecided == "pass"),
        decision=decision,
        outcome="identical" if comparison.identical else evidence,
        fail_if=fail_if,
        margin=margin,
        estimate=estimate,
        low=low,
        high=high,
        pvalue=pvalue,
        detectable=_detectable(comparison),
        on_undecided=on_undecided,
        comparison=comparison,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Row:
    """The difference new - baseline in a comparison.

    Attributes
    ----------
    comparison : Comparison
        The comparison.
    pair : Series
        The row of `Comparison.pairs.frame`.
    position : int
        Number of the row.
    sign : int
        1 if the row is new - baseline, else -1.
    narrow : (float, float) or None
        Interval of new - baseline at error rate 2 alpha; None if the test provides none.
    """

    comparison: Comparison
    pair: pd.Series
    position: int
    sign: int
    narrow: tuple[float, float] | None

    @classmethod
    def of(cls, comparison: Comparison) -> "_Row":
        """Return the row of the two models."""
        pair = comparison.pairs.of(NEW, BASELINE)
        position = comparison.pairs.decisions.index.get_loc(pair.name)
        sign, ends = 1 if pair["first"] == NEW else -1, comparison.equivalence.ends
        narrow = None
        if ends is not None:
            low, high = ends[position][1]
            narrow = _turned(low, high, sign)
        return cls(comparison=comparison, pair=pair, position=position, sign=sign, narrow=narrow)

    @property
    def has_interval(self) -> bool:
        """Whether the interval is known; one of no width is no evidence, since nothing varies."""
        if self.narrow is None or any(map(math.isnan, self.narrow)):
            return False
        return self.narrow[0] < self.narrow[1]

    @property
    def lacks_direction(self) -> bool:
        """Whether the models differ significantly on several measures or one, but none is better."""
        beats = self.comparison.beats
        is_directed = bool(beats.loc[NEW, BASELINE] or beats.loc[BASELINE, NEW])
        single = getattr(self.comparison, "on_one_measure", None)
        differs = single is not None and bool(single.pairs.decisions["separated"].any())
        return (bool(self.pair["separated"]) or differs) and not is_directed

    def evidence(self, margin: float) -> str:
        """Return the outcome that the results show, as in `GateResult.outcome`."""
        shown = self._beyond(margin)
        if shown != "not known":
            return shown
        if self._are_identical(margin):
            return "equivalent"
        if not self.has_interval or self.narrow is None:
            return shown
        low, high = self.narrow
        least = low if self.comparison.higher_is_better else -high
        return "non-inferior" if least > -margin else shown

    def _beyond(self, margin: float) -> str:
        """Return the result against the margin, or of the test without one."""
        if margin > 0 and not self.has_interval:
            return "not known"
        if margin > 0:
            outcome = self.comparison.equivalence.results_at(margin)[self.position]
            turned = {"better": "worse", "worse": "better"}
            return outcome if self.sign > 0 else turned.get(outcome, outcome)
        beats = self.comparison.beats
        if beats.loc[NEW, BASELINE]:
            return "better"
        return "worse" if beats.loc[BASELINE, NEW] else "not known"

    def _are_identical(self, margin: float) -> bool:
        """Return whether identical averages on data sets show equivalence within the margin."""
        c = self.comparison
        if not c.identical or not c.shape.averages or margin == 0:
            return False
        return bool(significant(2.0**-c.counted.n, c.settings.alpha))

    def numbers(self) -> tuple[float, float, float, float]:
        """Return the difference or that of the means, its interval and the p-value."""
        estimate = self.sign * float(self.pair["estimate"])
        if math.isnan(estimate) and not self.comparison.together:
            means = self.comparison.scores.mean()
            estimate = float(means[NEW] - means[BASELINE])
        low, high = _turned(self.pair["low"], self.pair["high"], self.sign)
        return estimate, low, high, float(self.pair["p adjusted"])


def _turned(low: float, high: float, sign: int) -> tuple[float, float]:
    """Return an interval, turned if `sign` is -1."""
    return (float(low), float(high)) if sign > 0 else (-float(high), -float(low))


def _decision(
    comparison: Comparison, row: _Row | None, evidence: str, fail_if: str, margin: float
) -> str:
    """Return whether the gate passed, failed, or is undecided."""
    shown = {
        "worse": ("better", "equivalent", "non-inferior"),
        "not better": ("better",),
        "not equivalent": ("equivalent",),
        "inferior": ("better", "equivalent", "non-inferior"),
    }[fail_if]
    if evidence in shown:
        return PASSED
    disproved = {"not better": "equivalent", "not equivalent": "better"}
    if evidence in ("worse", disproved.get(fail_if)):
        return FAILED
    if row is None or not _can_decide(comparison, row):
        return UNDECIDED
    needs_interval = margin > 0 or fail_if == "inferior"
    if needs_interval and not row.has_interval and not _is_same(comparison, fail_if):
        return UNDECIDED
    return PASSED if fail_if == "worse" else FAILED


def _is_same(comparison: Comparison, fail_if: str) -> bool:
    """Return whether identical results settle a gate that asks for a loss or a gain."""
    return bool(comparison.identical) and fail_if in ("worse", "not better")


def _can_decide(comparison: Comparison, row: _Row) -> bool:
    """Return whether the results could have shown a difference, by the claim of the comparison."""
    alpha = comparison.settings.alpha
    if comparison.obstacle == "identical":  # no result differs, so the size of the design decides
        n = comparison.counted.n
        smallest = comparison.attainable(n) if comparison.shape.averages else _of_swaps(comparison)
        return bool(significant(smallest, alpha))
    decided = decide(comparison).claim
    if comparison.obstacle or decided == "too few" or row.lacks_direction:
        return False
    return bool(significant(_of_swaps(comparison), alpha))


def _of_swaps(comparison: Comparison) -> float:
    """Return the smallest p-value of swaps of all independent instances; 0 for other units."""
    on_instances = comparison.shape.over in ("cases", "benchmarks")
    return 2.0 ** (1 - comparison.counted.n) if on_instances else 0.0


def _detectable(comparison: Comparison) -> float:
    """Return the smallest loss detected with a power of `POWER`; NaN if it is not known."""
    try:
        return detectable(comparison, power=POWER).difference
    except FoldwiseError:
        return math.nan


def gate_headline(result: GateResult, rule: str = "") -> str:
    """Return one line: passed or failed, the rule, the reason, the difference, its interval and p-value."""
    key = f"outcome.{'unknown' if result.outcome == 'not known' else result.outcome}"
    if result.decision == UNDECIDED:
        key = "outcome.undecided"
    elif result.decision == FAILED and result.outcome != "worse":
        key = f"not_shown.{result.fail_if}"
    sentence = gate_text(key, margin=result.margin)
    if result.decision == UNDECIDED:
        sentence = f"{sentence} {_why_undecided(result.comparison)}"
    numbers = gate_text(
        "gate.numbers",
        measure=result.comparison.measure_name,
        alpha=result.comparison.settings.alpha,
        **_printed(result),
    )
    return gate_text(
        "gate.headline", state=_state(result) + rule, sentence=sentence, numbers=numbers
    )


def _why_undecided(comparison: Comparison) -> str:
    """Return a sentence on why the results allow no decision."""
    if comparison.obstacle or decide(comparison).claim == "too few":
        return headline(comparison)
    row = _Row.of(comparison)
    if row.lacks_direction:
        return gate_text("undecided.direction")
    if not significant(_of_swaps(comparison), comparison.settings.alpha):
        return gate_text("undecided.few", counted=comparison.counted)
    return gate_text("undecided.interval")


def _state(result: GateResult) -> str:
    return gate_text(f"gate.{result.decision}")


def loss_line(result: GateResult) -> str:
    """Return a line with the smallest detectable loss; "" if it is not known."""
    if math.isnan(result.detectable):
        return ""
    c = result.comparison
    loss = gate_text(
        "gate.loss",
        loss=format_number(result.detectable, c.digits),
        measure=c.measure_name,
        power=POWER,
    )
    if c.shape.over != "folds":
        return loss
    fraction = None if getattr(c, "overlap_ignored", True) else getattr(c, "test_fraction", None)
    folds = gate_text("gate.independent_folds" if fraction is None else "gate.folds", f=fraction)
    return f"{loss} {folds}"


def _printed(result: GateResult) -> dict[str, str]:
    """Return the difference, its interval ("" without one) and the p-value as text."""
    digits, alpha = result.comparison.digits, result.comparison.settings.alpha
    interval = "" if math.isnan(result.low) else format_interval(result.low, result.high, digits)
    is_known = not math.isnan(result.estimate)
    return {
        "estimate": format_number(result.estimate, digits) if is_known else "",
        "interval": interval,
        "p": "" if math.isnan(result.pvalue) else p_phrase(result.pvalue, alpha),
    }


def _summary(result: GateResult) -> str:
    """Return the headline and the smallest detectable loss."""
    return " ".join(filter(None, [gate_headline(result), loss_line(result)]))


def _as_text(result: GateResult) -> str:
    lines = [gate_headline(result), loss_line(result), text_report.to_text(result.comparison)]
    return "\n".join(filter(None, lines))


def _as_json(result: GateResult) -> str:
    facts = {f.name: getattr(result, f.name) for f in fields(result) if f.repr}
    facts |= {
        "measure": result.comparison.settings.measure,
        "alpha": result.comparison.settings.alpha,
    }
    lines = {"said": gate_headline(result), "loss": loss_line(result)}
    return dump_json(to_plain({"format": 1, **facts, **lines}), 2)


def _as_markdown(result: GateResult) -> str:
    columns = gate_text("gate.columns", level=100 * (1 - result.comparison.settings.alpha))
    cells = [result.comparison.measure_name, *_printed(result).values()]
    cells += [result.fail_if, f"{result.margin:g}", result.outcome]
    row = " | ".join(cell.replace("|", "\\|") for cell in cells)
    heading = gate_text("gate.heading", state=_state(result))
    table = f"{columns}\n|{'---|' * len(cells)}\n| {row} |"
    return f"### {heading}\n\n{table}\n\n{_summary(result)}"


def _as_junit(result: GateResult) -> str:
    name = quoteattr(f"{result.comparison.settings.measure}: {gate_text(f'rule.{result.fail_if}')}")
    status = _status(result)
    tag = {"passed": "", "failed": "failure", "warned": "skipped"}[status]
    reason = f"<{tag} message={quoteattr(_summary(result))}/>" if tag else ""
    counts = f'failures="{int(status == "failed")}" errors="0" skipped="{int(status == "warned")}"'
    attributes = f'name="foldwise gate" tests="1" {counts}'
    case = f'<testcase classname="foldwise.gate" name={name}>{reason}</testcase>'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuite {attributes}>{case}</testsuite>'


def _as_annotation(result: GateResult) -> str:
    text = _summary(result).replace("%", "%25").replace("\n", "%0A")
    level = {"passed": "notice", "failed": "error", "warned": "warning"}[_status(result)]
    return f"::{level} title=Foldwise gate::{text}"


def _status(result: GateResult) -> str:
    """Return what a build makes of the result: "passed", "failed" or "warned"."""
    if result.passed:
        return "passed"
    is_warning = result.decision == UNDECIDED and result.on_undecided == "warn"
    return "warned" if is_warning else "failed"


GATE_FORMATS: dict[str, Callable[[GateResult], str]] = {
    "text": _as_text,
    "json": _as_json,
    "markdown": _as_markdown,
    "junit": _as_junit,
    "github": _as_annotation,
}
