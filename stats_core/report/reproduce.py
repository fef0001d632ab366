"""Export of an analysis as JSON and as a script that repeats it."""

import platform
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import cache
from importlib import metadata
from importlib.resources import files as resources
from string import Template
from textwrap import wrap
from typing import Any

import numpy as np

from stats_core.comparison.decide import decide
from stats_core.comparison.plan import FailedAssumption, PlannedTest
from stats_core.comparison.result import Comparison, HasComparison, comparison_of
from stats_core.core.errors import SettingError
from stats_core.core.messages import Message
from stats_core.core.serialize import dump_json, to_plain
from stats_core.core.version import VERSION
from stats_core.data.missing import ABOUT_HOLES, remaining_missing
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.io.mapping import Mapping
from stats_core.report import advice, robustness_text, text_report
from stats_core.report.text_report import report_text
from stats_core.report.verdict import verdict
from stats_core.robustness.leave_one_out import leave_one_out

version_of = cache(metadata.version)
FORMAT = 4  # version of the JSON; increased when a key is renamed, removed or redefined

# properties of every kind, in this order
_FACTS = (
    *(
        "order",
        "counted",
        "scope",
        "plan",
        "first_test",
        "pairs",
        "groups",
        "decision",
        "least",
        "guarantee",
        "regions",
    ),
    *("higher_is_better", "scores"),
)


def to_json(analysis: Comparison | HasComparison, *, indent: int | None = 2) -> str:
    r"""Return an analysis as JSON: input, choices, recommendation and results.

    Parameters
    ----------
    analysis : Comparison
        From `analyse`.
    indent : int or None
        Number of spaces per level; None writes one line.

    Returns
    -------
    str
        Keys in a fixed order, ASCII, no time stamp: the same analysis gives the same text.
        Instance predictions are not in it. The keys are described in docs/json.md.

    Examples
    --------
    >>> import json
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> found = json.loads(to_json(analyse(results)))
    >>> found["format"], found["inputs"]["algorithms"], found["analysis"]["kind"]
    (4, ['rf', 'svm'], 'two')
    """
    analysis = comparison_of(analysis, "analysis")
    verdict_text = verdict(analysis)
    document = {
        "format": FORMAT,
        "versions": versions(),
        "inputs": _inputs(analysis),
        "settings": to_plain(analysis.settings),
        "advice": to_plain(advice.advice_on(analysis)),
        "verdict": {**to_plain(verdict_text), "detail": verdict_text.detail},
        "leave_one_out": _left_out(analysis),
        "analysis": _result_values(analysis),
    }
    return dump_json(document, indent)


def versions() -> dict[str, str]:
    """Return the versions of Python, Foldwise and the numerical libraries."""
    libraries = ("numpy", "scipy", "pandas", "statsmodels")
    return {
        "python": platform.python_version(),
        "foldwise": VERSION,
        **{name: version_of(name) for name in libraries},
    }


def _left_out(analysis: Comparison) -> dict | None:
    """Return the leave-one-out result; None if no data set can be left out."""
    if not analysis.units:
        return None
    result = leave_one_out(analysis)
    return {**to_plain(result), "text": robustness_text.describe_leave_one_out(result)}


def _inputs(analysis: Comparison) -> dict:
    """Return a description of the selected input, without the results."""
    results = analysis.results
    cases, missing = results.predictions, remaining_missing(results, analysis.measures_compared)
    return {
        "source": results.source,
        "sha256": results.digest,
        "layout": results.layout,
        "rows": results.n_rows,
        "predictions": None if cases is None else len(cases),
        "datasets": list(results.datasets),
        "algorithms": list(results.algorithms),
        "measures": dict(results.directions),
        "costs": list(results.costs),
        "design": results.design,
        "design_label": results.design_label,
        "published": None if results.published is None else to_plain(results.published),
        "missing": sum(count.runs for count in missing),
        "holes": to_plain(missing),
        "choices": to_plain(results.choices),
        "codes": [
            to_plain({"code": choice.code, **dict(choice.values)}) for choice in results.choices
        ],
        "notes": to_plain(results.notes),
    }


def _result_values(comparison: Comparison) -> dict:
    """Return all numbers of a comparison: common properties, fields of its kind, derived values."""
    names = [field.name for field in fields(comparison) if field.metadata.get("json", True)]
    values: dict[str, Any] = {
        "plan": [_planned_test(planned) for planned in comparison.plan],
        "pairs": comparison.pairs.with_guarantees(),
        "regions": comparison.equivalence.results,
        "decision": decide(comparison),
        "smallest_pvalue": comparison.least.pvalue,
    }
    document = {"kind": comparison.kind}
    for name in (*_FACTS, *names, *comparison.derived):
        value = values[name] if name in values else getattr(comparison, name)
        document[name] = to_plain(value() if callable(value) else value)
    return document


def _planned_test(planned: PlannedTest) -> dict[str, Any]:
    """Return a planned test with the codes of its properties."""
    return {
        "role": planned.role.value,
        "test": planned.description,
        "card": planned.card,
        "method": None if planned.method is None else planned.method.key,
        "correction": planned.correction,
        "unit": planned.unit.value,
        "population": planned.population,
        "reason": planned.reason.value,
        "failed": [_failed_assumption(failed) for failed in planned.failed],
    }


def _failed_assumption(failed: FailedAssumption) -> dict[str, Any]:
    """Return an assumption that fails, with the test that rejects it and the note on it."""
    return {
        "assumption": failed.assumption.value,
        "check": failed.check,
        "code": failed.note.code,
        "note": failed.note,
    }


def to_script(
    analysis: Comparison | HasComparison,
    files: Sequence[str] = (),
    *,
    mapping: Mapping | None = None,
) -> str:
    r"""Return a Python script that repeats an analysis.

    Parameters
    ----------
    analysis : Comparison
        From `analyse`.
    files : sequence of str
        The files it was read from, in their order; by default the names in `results.files`, to
        be placed next to the script.
    mapping : Mapping, optional
        Mapping of the columns used to read the files, which results do not store.

    Returns
    -------
    str
        A script that checks the files by their sha256, repeats every step, prints the text and
        the table, and fails if the text differs from the current one.

    Raises
    ------
    SettingError
        The files are not known.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> print(to_script(analyse(results)).split("FILES = ")[1].splitlines()[0])
    ['acc.csv']
    """
    analysis = comparison_of(analysis, "analysis")
    steps = [
        f"settings = {_call('fw.Settings', _settings(analysis))}",
        "analysis = fw.analyse(results, settings)",
    ]
    shown = {"text": "fw.to_text(analysis)", "table": "analysis.table()"}
    return _script(
        analysis.results, files, mapping, steps, expected=text_report.to_text(analysis), **shown
    )


def simulation_script(
    results: Results,
    function: Callable,
    settings: Settings,
    options: dict[str, Any],
    *,
    text: str,
    files: Sequence[str] = (),
    mapping: Mapping | None = None,
) -> str:
    r"""Return a Python script that repeats a simulation or plan and fails unless its description is `text`.

    Raise SettingError if the files are not known.

    Examples
    --------
    >>> from stats_core import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> from stats_core.power.error_rates import level_of
    >>> script = simulation_script(results, level_of, Settings(), {"draws": 100}, text="It holds.")
    >>> print(next(line for line in script.splitlines() if line.startswith("found = ")))
    found = level_of(results, settings, **options)
    """
    steps = [
        f"settings = {_call('fw.Settings', _differing(settings, Settings()))}",
        f"options = {_call('dict', options)}",
        f"found = {function.__name__}(results, settings, **options)",
    ]
    imports = [
        f"from {function.__module__} import {function.__name__}",
        "from stats_core.report.power_text import describe_simulation",
    ]
    shown = {"text": "describe_simulation(found).text", "table": "found.frame"}
    return _script(results, files, mapping, steps, imports, expected=text, **shown)


def _script(
    results: Results,
    files: Sequence[str],
    mapping: Mapping | None,
    steps: Sequence[str],
    imports: Sequence[str] = (),
    *,
    expected: str,
    **shown: str,
) -> str:
    """Return a script that reads the results, repeats choices and `steps`, and fails unless the text is `expected`."""
    if any(choice.code == "threshold" for choice in results.choices):
        imports = [*imports, "from stats_core.curves.thresholds import at_threshold"]
    reading = [
        *_reading(results.digest, mapping),
        *(_names_again(note) for note in results.notes if note.code == "renamed"),
        *filter(None, map(_missing_choice, results.choices)),
    ]
    return Template(_read_template("repeat.txt")).substitute(
        version=VERSION,
        imports="".join(f"{line}\n" for line in imports),
        files=repr(list(files) or _files_of(results)),
        digest=f"DIGEST = {results.digest!r}  # sha256 of the content of the files\n"
        if results.digest
        else "",
        expected="\n".join(f"    {line!r}" for line in _split_text(expected)),
        steps="\n".join([*reading, *steps]),
        **shown,
    )


def _read_template(name: str) -> str:
    """Return a template file of the script."""
    return resources(__package__).joinpath(name).read_text(encoding="utf-8")


def _split_text(text: str) -> list[str]:
    """Return text split into pieces that fit on lines of code."""
    options: dict[str, Any] = {
        "drop_whitespace": False,
        "replace_whitespace": False,
        "expand_tabs": False,
    }
    lines = text.splitlines(keepends=True)
    return [piece for line in lines for piece in wrap(line, 88, break_on_hyphens=False, **options)]


def _reading(digest: str, mapping: Mapping | None) -> list[str]:
    """Return the lines that read the files and, if it is known, check their digest."""
    options = _differing(mapping, Mapping()) if mapping is not None else {}
    lines = [f"mapping = {_call('fw.Mapping', options)}"] if options else []
    lines.append(f"results = fw.read_results(*FILES{', mapping=mapping' if options else ''})")
    return [*lines, *([_read_template("check_digest.txt")] if digest else [])]


def _settings(analysis: Comparison) -> dict:
    """Return the settings to write: measure, alpha, and others that differ from their defaults."""
    settings = replace(analysis.settings, **_requested_settings(analysis))
    always = {"measure": settings.measure, "alpha": settings.alpha}
    return {**always, **_differing(settings, Settings())}


def _requested_settings(analysis: Comparison) -> dict[str, Any]:
    """Return the requested settings that were replaced: the correction, with missing results also the source."""
    for choice in analysis.results.choices:
        if choice.code == "correction replaced":
            return {"correction": choice["asked"]}
        if choice.code == "tests of those present":
            return {"correction": choice["correction"], "source": choice["source"]}
    return {}


def _differing(current: Settings | Mapping, default: Settings | Mapping) -> dict:
    """Return the fields that differ from their defaults."""
    values = {field.name: getattr(current, field.name) for field in fields(current)}
    return {name: value for name, value in values.items() if value != getattr(default, name)}


def _call(name: str, options: dict) -> str:
    """Return the source of a call with one option per line."""
    if not options:
        return f"{name}()"
    lines = "".join(f"    {key}={_literal(value)},\n" for key, value in options.items())
    return f"{name}(\n{lines})"


def _literal(value: Any) -> str:
    """Return the Python source of a string, number, None, sequence or dictionary."""
    match value:
        case tuple() | list():
            return f"({''.join(f'{_literal(item)}, ' for item in value).rstrip()})"
        case str():
            return repr(str(value))
        case None | int() | float() | np.number():
            return repr(to_plain(value))
    return repr({str(key): str(item) for key, item in value.items()})


def _missing_choice(choice: Message) -> str:
    """Return the lines that repeat a recorded choice, "" if none are needed."""
    if choice.code == "threshold":
        theta, scale = _literal(choice["theta"]), _literal(choice["scale"])
        return f"results = at_threshold(results, {theta}, {scale})"
    return _resolved(dict(choice.values)) if choice.code in ABOUT_HOLES else ""


def _names_again(note: Message) -> str:
    """Return the line that repeats a renaming."""
    names = {key: dict(note[key]) for key in ("algorithms", "datasets") if note[key]}
    return (
        "results = results.rename("
        + ", ".join(f"{key}={_literal(value)}" for key, value in names.items())
        + ")"
    )


def _resolved(choice: dict) -> str:
    """Return the lines that repeat a treatment of missing results and earlier selections."""
    arguments = [choice["choice"], choice["measure"]]
    options = ", ".join(map(_literal, arguments))
    if choice.get("baseline"):
        options += f", baseline={_literal(choice['baseline'])}"
    selection = {key: choice[key] for key in ("datasets", "algorithms") if key in choice}
    before = f"{_call('results = results.select', selection)}\n" if selection else ""
    return f"{before}results = results.resolve({options})"


def _files_of(results: Results) -> list[str]:
    """Return the names of the files read; SettingError if there are none."""
    if not results.files:
        raise SettingError(report_text("script.no_files"))
    return list(results.files)
