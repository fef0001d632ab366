"""The record: numbers and texts of every kind of comparison, which tests compare with stored files.

`python -m tests.golden` writes the files; review the change with `git diff tests/golden`.
"""

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from foldwise.api import ComparisonDisplay
from foldwise.figures.registry import drawings, missing_drawings
from foldwise.figures.theme import paper
from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import decide
from stats_core.core.serialize import to_plain
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.io.read import read_results
from stats_core.ordering.order import order_of
from stats_core.report.advice import advice_on
from stats_core.report.analysis_steps import chain_of
from stats_core.report.entry import Place
from stats_core.report.methods_text import methods_pieces
from stats_core.report.order_text import order_verdict
from stats_core.report.paper_sentence import paper_sentence
from stats_core.report.report_content import report_tables
from stats_core.report.reproduce import to_json, versions
from stats_core.report.tables.table_registry import entries_of, main_table, tables_in, tables_of
from stats_core.report.verdict import verdict
from tests.report.report_cases import KINDS, case, read

FOLDER = Path(__file__).parent
OFFERED = FOLDER / "offered.json"
MAX_VALUES = 60  # of a list or table; a longer one is recorded by its sums
DIGITS = 9  # significant digits of a number
RELATIVE = 1e-7  # between libraries' versions and processors
# generated tables: number of data sets, algorithms and folds, seed, settings
GENERATED = {
    "generated 6 x 3": (6, 3, 1, 1, Settings()),
    "generated 12 x 5": (12, 5, 1, 2, Settings()),
    "generated 20 x 4 with ties": (20, 4, 1, 3, Settings()),
    "generated 30 x 7 against a control": (30, 7, 1, 4, Settings(control="a1")),
    "generated 9 x 3 of folds, order": (9, 3, 5, 5, Settings()),
    "generated 1 x 6 of folds": (1, 6, 10, 6, Settings()),
    "generated 1 x 2 of folds": (1, 2, 10, 7, Settings()),
    "generated 15 x 2": (15, 2, 1, 8, Settings()),
    "generated 8 x 4 by sign test": (8, 4, 1, 9, Settings(source="sign", correction="holm")),
    "generated 40 x 6, Nemenyi": (40, 6, 1, 10, Settings(correction="nemenyi", alpha=0.1)),
}
# generated confusion counts: number of data sets, algorithms and folds, seed, settings
COUNTED = {
    "generated 1 x 4 of counts": (1, 4, 10, 11, Settings(measures=("fpr", "tpr"))),
    "generated 1 x 2 of counts": (1, 2, 10, 12, Settings(measures=("fpr", "tpr"))),
    "generated 6 x 3 of counts": (6, 3, 10, 13, Settings(measures=("fpr", "tpr"))),
}
# samples that `KINDS` does not use
SAMPLES = {
    "sample demsar": ("demsar_2006_auc.csv", Settings()),
    "sample demsar against a control": ("demsar_2006_auc.csv", Settings(control="C4.5")),
    "sample of two models": ("two_models.csv", Settings()),
    "sample of graded answers": ("graded.csv", Settings()),
    "sample of thesis scores": ("thesis_scores.csv.gz", Settings()),
    "sample of binary scores": ("binary16_scores.csv.gz", Settings()),
}
NAMES = (*KINDS, *GENERATED, *COUNTED, *SAMPLES)


def generated(n_datasets, n_algorithms, n_folds, seed):
    """Return random results with a cost, in which mean errors rise from algorithm to algorithm."""
    rng = np.random.default_rng(seed)
    level = rng.uniform(0.1, 0.4, n_datasets)
    shape = (n_datasets, n_algorithms, n_folds)
    error = level[:, None, None] + 0.01 * np.arange(n_algorithms)[:, None]
    error = (error + rng.normal(0, 0.02, shape)).round(3 if seed == 3 else 6).clip(0, 1)
    places = np.indices(shape).reshape(3, -1)
    table = pd.DataFrame(
        {
            "dataset": [f"d{place}" for place in places[0]],
            "algorithm": [f"a{place}" for place in places[1]],
            "fold": places[2] + 1,
            "error": error.ravel(),
            "seconds": 1.0 + places[1],
        }
    )
    return Results.from_frame(table, costs=["seconds"], directions={"error": "lower"})


def counted(n_datasets, n_algorithms, n_folds, seed):
    """Return confusion counts of 100 instances per fold, in which mean errors rise from algorithm to algorithm."""
    rng = np.random.default_rng(seed)
    shape = (n_datasets, n_algorithms, n_folds)
    share = (
        0.1
        + 0.03 * np.arange(n_algorithms)[:, None]
        + rng.uniform(0, 0.1, n_datasets)[:, None, None]
    )
    fn, fp = (rng.binomial(50, np.broadcast_to(share, shape)).ravel() for _ in range(2))
    places = np.indices(shape).reshape(3, -1)
    table = pd.DataFrame({"dataset": places[0], "algorithm": places[1], "fold": places[2] + 1})
    table["dataset"], table["algorithm"] = (
        "d" + table["dataset"].astype(str),
        "a" + table["algorithm"].astype(str),
    )
    return read_results(
        ("r.csv", table.assign(tp=50 - fn, fp=fp, tn=50 - fp, fn=fn).to_csv(index=False).encode())
    )


@cache
def recorded_case(name):
    """Return the comparison of a name, and its order or None."""
    if name in KINDS:
        return case(name)
    if name in SAMPLES:
        sample, settings = SAMPLES[name]
        return analyse(read(sample), settings), None
    make, (*size, settings) = (
        (counted, COUNTED[name]) if name in COUNTED else (generated, GENERATED[name])
    )
    comparison = analyse(make(*size), settings)
    return comparison, order_of(comparison.results, settings) if "order" in name else None


def values_of(name):
    """Return every number, decision and message code of a comparison as plain data."""
    comparison, order = recorded_case(name)
    document = json.loads(to_json(comparison))
    for key in ("versions", "verdict", "advice"):  # text, or not of the results
        del document[key]
    del document["inputs"]["sha256"]
    decision = decide(comparison)
    document["decision"] = to_plain(decision)
    document["messages"] = [note.code for note in comparison.notes if hasattr(note, "code")]
    document["tables"] = {
        table.name: to_plain(table.frame.select_dtypes("number")) for table in tables_of(comparison)
    }
    document["figures"] = {
        drawing.name: to_plain(drawing.data.select_dtypes("number")) for drawing in figures_of(name)
    }
    if order is not None:
        document["order"] = list(order.ordering.order)
    return shortened(document)


def text_of(name, *, paper_only=False):
    """Return the texts of a comparison in sections; if `paper_only`, the first lines of the sections for papers."""
    comparison, order = recorded_case(name)
    summary = verdict(comparison)
    advice = advice_on(comparison)
    sections = {
        "Verdict": "\n".join(
            part
            for part in (summary.badge, summary.headline, summary.size, summary.numbers)
            if part
        ),
        "Notes": "\n".join(map(str, summary.notes)),
        "Advice": "\n".join([summary.advice, advice.test, *advice.because]),
        "Sentence for a paper": paper_sentence(comparison),
        "Methods": "".join(piece.text for piece in methods_pieces(comparison, order)),
    }
    if len(comparison.results.algorithms) > 1:
        sections["Analysis steps"] = "\n".join(
            f"{step.test}: {step.why}" for step in chain_of(comparison).steps
        )
    if order is not None:
        ordered = order_verdict(order, comparison)
        sections["Order"] = f"{ordered.headline}\n{ordered.detail}"
    for table in tables_of(comparison):
        heads = ", ".join(map(str, table.frame.columns))
        sections[f"Table: {table.title}"] = f"{table.caption}\n{heads}"
    for drawing in figures_of(name):
        sections[f"Figure: {drawing.title}"] = "\n".join(
            [drawing.caption(paper()), drawing.how_to_read, drawing.alt, drawing.tested]
        )
    if paper_only:
        printed = ("Sentence for a paper", "Methods", "Table: ", "Figure: ")
        sections = {
            head: text.partition("\n")[0]
            for head, text in sections.items()
            if head.startswith(printed)
        }
    body = "\n\n".join(f"## {head}\n{text.strip()}" for head, text in sections.items())
    for library, version in versions().items():
        body = body.replace(f"{library} {version}", f"{library} X").replace(version, "X")
    return re.sub(r"[ \t]+\n", "\n", f"# {name}\n\n{body}\n")


def offered_by(name):
    """Return the names of the tables and figures that a comparison offers in each place, and why others are lacking."""
    comparison, order = recorded_case(name)
    source = read(KINDS[name][0]) if name in KINDS else comparison.results
    display = ComparisonDisplay(comparison=comparison, results=source, settings=comparison.settings)
    return {
        "tables": list(entries_of(comparison, Place.COMMAND)),
        "tables of the report": [table.name for table in report_tables(comparison, order)],
        "tables of the summary": [table.name for table in tables_in(comparison, Place.SUMMARY)],
        "main table": [table.name for table in main_table(comparison)],
        "figures": [drawing.name for drawing in figures_of(name)],
        "figures by method": display.plot.names,
        "lacking": missing_drawings(comparison, order=order, results=source),
    }


@cache
def figures_of(name):
    """Return the figure specifications of a comparison."""
    comparison, order = recorded_case(name)
    source = read(KINDS[name][0]) if name in KINDS else comparison.results
    return drawings(comparison, order=order, results=source)


def shortened(value):
    """Return plain data with rounded numbers, and with sums in place of long lists."""
    match value:
        case bool() | None | str():
            return value
        case int() | float():
            return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
        case dict():
            return {key: shortened(item) for key, item in value.items()}
        case list() if len(flat := _leaves(value)) > MAX_VALUES:
            numbers = np.array([item for item in flat if _is_number(item)], dtype=float)
            texts = sorted({str(item) for item in flat if not _is_number(item)})
            return {
                "values": len(flat),
                "sum": shortened(float(numbers.sum())),
                "sum of squares": shortened(float((numbers**2).sum())),
                "weighted by position": shortened(float(numbers @ np.arange(1, len(numbers) + 1))),
                "texts": texts[:8],
            }
        case list():
            return [shortened(item) for item in value]
    raise TypeError(f"{type(value).__name__} is not plain data")


def _leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item)]
    return [value]


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def file_of(name, folder, suffix):
    """Return the path of a record of a comparison."""
    return FOLDER / folder / f"{name.replace(' ', '_').replace(',', '')}{suffix}"


def write_record():
    """Write the records of all comparisons, and remove all other records."""
    kept = set()
    for name in NAMES:
        for folder, suffix, content in (
            ("values", ".json", json.dumps(values_of(name), indent=1, sort_keys=True) + "\n"),
            ("text", ".md", text_of(name)),
        ):
            file = file_of(name, folder, suffix)
            file.parent.mkdir(exist_ok=True)
            file.write_text(content, encoding="utf-8")
            kept.add(file)
    OFFERED.write_text(_offered_text(), encoding="utf-8")
    for file in [*FOLDER.glob("values/*"), *FOLDER.glob("text/*")]:
        if file not in kept:
            file.unlink()


def _offered_text():
    """Return what all comparisons offer as JSON, with one list on a line."""
    comparisons = []
    for name in NAMES:
        lines = [
            f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in offered_by(name).items()
        ]
        comparisons.append(f" {json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(comparisons) + "\n}\n"


def differences(stored, now, path=""):
    """Return the differences of two plain documents, each as "path: stored, now"."""
    if isinstance(stored, dict) and isinstance(now, dict):
        keys = sorted({*stored, *now})
        return [
            line
            for key in keys
            for line in differences(stored.get(key), now.get(key), f"{path}/{key}")
        ]
    if isinstance(stored, list) and isinstance(now, list) and len(stored) == len(now):
        pairs = enumerate(zip(stored, now, strict=True))
        return [line for i, (a, b) in pairs for line in differences(a, b, f"{path}[{i}]")]
    if _is_number(stored) and _is_number(now):
        if abs(stored - now) <= 1e-9 + RELATIVE * max(abs(stored), abs(now)):
            return []
    return [] if stored == now else [f"{path}: {stored!r}, now {now!r}"]
