"""Result of a gate as text, JSON, Markdown, JUnit XML and annotation of GitHub."""

import math
from collections.abc import Callable
from dataclasses import fields
from xml.sax.saxutils import quoteattr

from stats_core.comparison.gate import GateResult
from stats_core.core.formatting import format_interval, format_number, p_phrase
from stats_core.core.messages import TextCatalog
from stats_core.core.serialize import dump_json, to_plain
from stats_core.report import text_report

gate_text = TextCatalog("stats_core", "report/gate.toml")


def gate_headline(result: GateResult) -> str:
    """Return one line: passed or failed, the reason, the difference, its interval and p-value."""
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
    return gate_text("gate.headline", state=_state(result), sentence=sentence, numbers=numbers)


def _state(result: GateResult) -> str:
    return gate_text("gate.passed" if result.passed else "gate.failed")


def _printed(result: GateResult) -> dict[str, str]:
    """Return the difference, its interval ("" without one) and the p-value as text."""
    digits = result.comparison.digits
    interval = "" if math.isnan(result.low) else format_interval(result.low, result.high, digits)
    return {"estimate": format_number(result.estimate, digits), "interval": interval, "p": p_phrase(result.pvalue)}


def _as_text(result: GateResult) -> str:
    return f"{gate_headline(result)}\n{text_report.to_text(result.comparison)}"


def _as_json(result: GateResult) -> str:
    facts = {f.name: getattr(result, f.name) for f in fields(result) if f.repr}
    facts |= {"measure": result.comparison.settings.measure, "alpha": result.comparison.settings.alpha}
    return dump_json(to_plain({"format": 1, **facts, "said": gate_headline(result)}), 2)


def _as_markdown(result: GateResult) -> str:
    columns = gate_text("gate.columns", level=100 * (1 - result.comparison.settings.alpha))
    cells = [result.comparison.measure_name, *_printed(result).values()]
    cells += [result.fail_if, f"{result.margin:g}", result.outcome]
    row = " | ".join(cell.replace("|", "\\|") for cell in cells)
    heading = gate_text("gate.heading", state=_state(result))
    return f"### {heading}\n\n{columns}\n|{'---|' * len(cells)}\n| {row} |\n\n{gate_headline(result)}"


def _as_junit(result: GateResult) -> str:
    name = quoteattr(f"{result.comparison.settings.measure}: {gate_text(f'rule.{result.fail_if}')}")
    failure = "" if result.passed else f"<failure message={quoteattr(gate_headline(result))}/>"
    attributes = f'name="foldwise gate" tests="1" failures="{int(not result.passed)}" errors="0" skipped="0"'
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
