"""Outcomes of reading generated tables of results whose meaning is known.

    python -m benchmarks.generated_tables 2000 --seed 1 --workers 2
    python -m benchmarks.generated_tables --again 1/16

Layout, orientation, names, noise, summaries, missing cells, units, formats and order are drawn from
a seed. Names consist of syllables, so no vocabulary contains them. A question is answered
correctly: by the guess, with the true direction, or by another option. Times next to other measures
may be read as costs.

Tables with odd numbers are held out: their outcomes are counted, but they are never listed or
printed.
"""

import argparse
import io
import json
import logging
import multiprocessing
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pandas as pd

from benchmarks.benchmark_row import Row
from stats_core.core.errors import FoldwiseError, InternalError, NeedsMapping
from stats_core.data.results import Results
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results

RIGHT = (
    "right at once",
    "right after one question",
    "right after two needed questions",
    "refused as it should be",
)
WRONG = ("misread silently", "wrong guess offered", "crash")
CLASSES = (*RIGHT, "asks more", "refused", *WRONG)
_SYLLABLES = (
    "vro kel tuz mib zor pax dwe gli snu fob yar qen hul jiv cra bno wep dus fli gor".split()
)
_TRAPS = (
    "time class size rank mean train error test rate step state run id best sum p n min".split()
)
_HEADS = {
    "dataset": "dataset data_set task problem collection corpus series benchmark Datasets".split(),
    "algorithm": "algorithm model learner system approach method classifier solver Technique".split(),
    "fold": "fold fold_index foldnr split_no cv_split k run rep partition Fold".split(),
    "case": "id case sample_id row_id question item".split(),
    "truth": "y_true label target gold truth actual".split(),
}
_MEASURES = {  # unit -> names, with the direction
    "fraction": {"accuracy": "higher", "AUC": "higher", "f1_macro": "higher", "error": "lower"},
    "percent": {"accuracy": "higher", "Acc (%)": "higher", "error": "lower"},
    "unbounded": {"RMSE": "lower", "mae": "lower", "log_loss": "lower"},
    "milliseconds": {"latency_ms": "lower", "runtime": "lower"},
}


@dataclass
class Case:
    """Files with their true reading.

    Attributes
    ----------
    files : list of (str, bytes)
        Name and content of each file.
    rows : DataFrame
        Columns dataset, algorithm, fold and one per measure; of predictions instance and correct.
    directions : dict of measure to direction
        The true direction of each measure; {} for predictions.
    answer : Mapping
        The roles of all columns.
    features : list of str
        Properties of the table by which outcomes are counted.
    must_ask : bool
        Whether the files have two possible readings, so that a question must be asked.
    states_direction : bool
        Whether the files name the measure, and it is a usual one; True for predictions.
    names_sets : bool
        Whether the files name the data sets.
    may_refuse : bool
        Whether the table may be refused.
    """

    files: list[tuple[str, bytes]]
    rows: pd.DataFrame
    directions: dict[str, str]
    answer: Mapping = Mapping()
    features: list[str] = field(default_factory=list)
    must_ask: bool = False
    states_direction: bool = True
    names_sets: bool = True
    may_refuse: bool = False


class _Draw:
    """Random choices of one table, with the features they give it."""

    def __init__(self, seed: int, number: int) -> None:
        """Draw names, unit, format and share of missing cells, determined by seed and number."""
        self.rng = np.random.default_rng([seed, number])
        self.features: list[str] = []
        self.unit = self.pick(list(_MEASURES))
        self.algorithms = self.names(int(self.rng.integers(2, 9)), "algorithms")
        self.datasets = self.names(int(self.rng.integers(4, 25)), "data sets")
        self.digits = int(self.rng.integers(3, 6)) - 2 * (self.unit in ("percent", "milliseconds"))
        self.is_known = self.is_named = True
        self.direction_now = "higher"
        self.blank = str(self.pick(["", "", "-", "NaN"]))
        self.separator, self.comma = [
            (",", False),
            (";", False),
            ("\t", False),
            (";", True),
            ("json", False),
        ][self.rng.choice(5, p=[0.5, 0.15, 0.15, 0.1, 0.1])]
        self.mark(
            f"unit: {self.unit}",
            self.comma and "decimal comma",
            self.separator == "json" and "JSON",
        )
        self.digits += self.comma and self.digits == 3  # 1,234 may be a thousand
        self.share_missing = 0.03 if self.chance(0.2) else 0.0
        self.mark(self.share_missing and "missing cells")

    def mark(self, *features: object) -> None:
        """Add features, without those that are false."""
        self.features += [str(feature) for feature in features if feature]

    def pick(self, options: Sequence) -> object:
        return options[int(self.rng.integers(len(options)))]

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def word(self, syllables: int = 3) -> str:
        return "".join(self.rng.choice(_SYLLABLES, syllables))

    def names(self, n: int, what: str) -> list[str]:
        """Return distinct invented names in one style."""
        styles: dict[str, Callable[[str, str, int], str]] = {
            "plain": lambda a, b, i: a + b,
            "snake": lambda a, b, i: f"{a}_{b}",
            "camel": lambda a, b, i: a.title() + b.title(),
            "capitals": lambda a, b, i: (a + b)[:4].upper(),
            "versions": lambda a, b, i: f"{a.title()}{b}-{i % 3 + 1}.{i % 10}",
            "numbers": lambda a, b, i: f"{a}{b}{10 * (i % 12 + 1)}",
            "parentheses": lambda a, b, i: f"{a.title()}{b} (k={i % 9 + 1})",
            "ids": lambda a, b, i: str(i),
        }
        style = str(self.pick([s for s in styles if s != "ids" or what == "data sets"]))
        trapped = what == "algorithms" and style != "ids" and self.chance(0.2)
        self.mark(f"{what}: {style}", trapped and f"{what} with usual words")
        names: dict[str, None] = {}
        while len(names) < n:
            a, b = self.rng.choice(_SYLLABLES, 2)
            if trapped and self.chance(0.4):
                a = str(self.pick(_TRAPS))
            names[styles[style](str(a), str(b), int(self.rng.integers(3, 5000)))] = None
        return list(names)

    def head(self, role: str) -> str:
        """Return the header of a key: usual or invented."""
        if self.chance(0.25):
            self.mark(f"invented header of {role}")
            return self.word()
        return str(self.pick(_HEADS[role]))

    def scores(self, n_folds: int, unit: str = "") -> np.ndarray:
        """Return scores, data set x fold x algorithm, on the scale of a unit, by default that of this table."""
        unit, shape = unit or self.unit, (len(self.datasets), n_folds, len(self.algorithms))
        of_set, of_fold = (
            self.rng.normal(size=(shape[0], 1, 1)),
            self.rng.normal(size=(*shape[:2], 1)),
        )
        of_algorithm = self.rng.normal(size=(1, 1, shape[2]))
        noise = 0.02 * of_fold + 0.03 * of_algorithm + 0.03 * self.rng.normal(size=shape)
        if unit in ("fraction", "percent"):
            values = np.clip(0.78 + 0.1 * of_set + noise, 0.02, 0.97)
            values = values if self.direction_now == "higher" else 1 - values
            return (values * (1 if unit == "fraction" else 100)).round(self.digits)
        values = np.exp(1.3 * of_set + 4 * noise) * (1 if unit == "unbounded" else 40)
        return np.maximum(values, 0.05).round(self.digits)

    def measure(self, share_known: float = 0.7) -> tuple[str, str]:
        """Return name and direction of a measure of the unit; it may be invented."""
        if self.chance(share_known):
            name = str(self.pick(list(_MEASURES[self.unit])))
            self.direction_now = _MEASURES[self.unit][name]
            return name, self.direction_now
        self.mark("invented measure")
        self.is_known = False
        self.direction_now = (
            str(self.pick(["higher", "lower"])) if self.unit == "fraction" else "lower"
        )
        return self.word(), self.direction_now

    def text(self, value: float) -> str:
        return self.blank if np.isnan(value) else f"{value:.{self.digits}f}"

    def with_missing(self, values: np.ndarray) -> np.ndarray:
        return np.where(self.rng.random(values.shape) < self.share_missing, np.nan, values)

    def content(self, frame: pd.DataFrame, *, header: bool = True) -> bytes:
        """Return a table of texts in the format of this case."""
        if self.separator == "json" and header:
            return json.dumps(frame.to_dict("records")).encode()
        if self.comma:
            numbers = frame.apply(lambda c: c.str.fullmatch(r"-?\d+\.\d+(?: ± .*)?"))
            frame = frame.where(~numbers, frame.apply(lambda c: c.str.replace(".", ",")))
        separator = "," if self.separator == "json" else self.separator
        file = io.StringIO()
        frame.to_csv(file, sep=separator, index=False, header=header)
        return file.getvalue().encode()

    def stem(self, measure: str) -> str:
        named = self.chance(0.4) and bool(measure)
        self.is_named = named or not measure
        self.mark(named and "measure in the file name")
        return str(measure if named else self.pick(["results", "table_3", self.word(), "summary"]))


def _frame(draw: _Draw, values: np.ndarray, measure: str, *, folds: bool) -> pd.DataFrame:
    """Return values, data set x fold x algorithm, as one row each; without their folds unless `folds`."""
    index = [
        (d, f, a)
        for d in draw.datasets
        for f in range(1, values.shape[1] + 1)
        for a in draw.algorithms
    ]
    rows = pd.DataFrame(index, columns=["dataset", "fold", "algorithm"]).assign(
        **{measure: values.ravel()}
    )
    return rows if folds else rows.drop(columns="fold")


def _about_sets(draw: _Draw) -> dict[str, list[str]]:
    """Return a random selection of columns that describe data sets, by name."""
    n = len(draw.datasets)
    kinds: dict[str, Callable[[], list[str]]] = {
        "n_instances": lambda: [str(x) for x in draw.rng.integers(150, 60_000, n)],
        "n_classes": lambda: [str(x) for x in draw.rng.integers(2, 12, n)],
        draw.word(): lambda: [str(x) for x in draw.rng.integers(150, 60_000, n)],
        "domain": lambda: list(draw.rng.choice([draw.word() for _ in range(3)], n)),
        draw.word() + "_kind": lambda: list(draw.rng.choice([draw.word() for _ in range(3)], n)),
    }
    selected = [name for name in kinds if draw.chance(0.15)]
    draw.mark(selected and "descriptions of data sets")
    return {name: kinds[name]() for name in selected}


def _summary_rows(
    draw: _Draw, values: np.ndarray, key: str, columns: list[str]
) -> list[dict[str, str]]:
    """Return up to three rows, at random, that summarize a table rows x columns of numbers."""
    rows = []
    if draw.chance(0.25):
        label = str(
            draw.pick(["mean", "Average", "AVG", "Overall", "Mittel", "\u00d8", draw.word()])
        )
        means, spreads = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
        cells = [draw.text(m) for m in means]
        if draw.chance(0.3):
            cells = [f"{m} \u00b1 {draw.text(s)}" for m, s in zip(cells, spreads, strict=True)]
            label = "Mean \u00b1 Std"
        rows.append({key: label, **dict(zip(columns, cells, strict=True))})
    if draw.chance(0.1):
        ranks = pd.DataFrame(values).rank(axis=1, ascending=draw.direction_now == "lower").mean()
        label = str(draw.pick(["rank", "Avg. rank", "mean rank", draw.word()]))
        rows.append({key: label, **dict(zip(columns, [f"{r:.2f}" for r in ranks], strict=True))})
    if draw.chance(0.08):
        counts = [
            f"{w}/{t}/{len(values) - w - t}"
            for w, t in draw.rng.integers(0, len(values) // 2 + 1, (len(columns), 2))
        ]
        rows.append(
            {
                key: str(draw.pick(["W/T/L", "wins/ties/losses"])),
                **dict(zip(columns, counts, strict=True)),
            }
        )
    draw.mark(rows and "summary rows")
    return rows


def _summary_columns(draw: _Draw, values: np.ndarray, names: list[str]) -> dict[str, list[str]]:
    """Return up to two columns, at random, that summarize a table rows x columns of numbers."""
    columns: dict[str, list[str]] = {}
    if draw.chance(0.12):
        label = str(draw.pick(["mean", "Avg", "average", draw.word()]))
        columns[label] = [draw.text(x) for x in np.nanmean(values, axis=1)]
    if draw.chance(0.08):
        best = np.nanargmax if draw.direction_now == "higher" else np.nanargmin
        columns[str(draw.pick(["best", "winner", draw.word()]))] = [
            names[best(row)] for row in values
        ]
    draw.mark(columns and "summary columns")
    return columns


def wide_averages(draw: _Draw, *, turned: bool = False, keyed: bool = True) -> Case:
    """Return a case of averages with a column per algorithm or, if `turned`, per data set; `keyed` adds a name column."""
    measure, direction = draw.measure()
    values = draw.with_missing(draw.scores(1))
    truth = _frame(draw, values, measure, folds=False)
    matrix, rows, columns = values[:, 0], draw.datasets, draw.algorithms
    if turned:
        draw.datasets = columns_of_text = [
            n if not n.isdigit() else f"set{n}" for n in draw.datasets[:12]
        ]
        matrix, rows, columns = matrix[:12].T, draw.algorithms, columns_of_text
        truth = _frame(draw, values[:12], measure, folds=False)
    role = "algorithm" if turned else "dataset"
    key = draw.head(role) if turned or draw.chance(0.7) else str(draw.pick(["", "name", "Name"]))
    frame = pd.DataFrame([[draw.text(x) for x in row] for row in matrix], columns=columns)
    if len(rows) > 3 and not turned and draw.chance(0.1):
        frame = frame.map(
            lambda x: x if x == draw.blank else f"{x} \u00b1 {draw.text(draw.rng.uniform(0, 0.02))}"
        )
        draw.mark("mean and spread in a cell")
    order = draw.rng.permutation(len(rows))
    frame, matrix, rows = frame.iloc[order], matrix[order], [rows[i] for i in order]
    extra = {} if turned or not keyed else _about_sets(draw)
    left, right = {}, _summary_columns(draw, matrix, columns) if keyed else {}
    for name, cells in extra.items():
        if name not in columns:
            (left if draw.chance(0.5) else right)[name] = [cells[i] for i in order]
    frame = pd.concat(
        [pd.DataFrame(left), frame.reset_index(drop=True), pd.DataFrame(right)], axis=1
    )
    roles = {**dict.fromkeys([*left, *right], "ignore"), **dict.fromkeys(columns, "result")}
    if keyed:
        while key in frame:
            key = draw.word(3)
        frame.insert(0, key, rows)
        sums = _summary_rows(draw, matrix, key, columns)
        frame = pd.concat([frame, pd.DataFrame(sums)]).fillna("") if sums else frame
        roles[key] = role
    content = draw.content(frame.astype(str))
    return Case(
        [(f"{draw.stem(measure)}.csv", content)], truth, {measure: direction}, Mapping(roles=roles)
    )


def transposed(draw: _Draw) -> Case:
    """Return a case of averages with one row per algorithm."""
    return wide_averages(draw, turned=True)


def keyless(draw: _Draw) -> Case:
    """Return a case of folds on one data set, one column per algorithm, without keys."""
    measure, direction = draw.measure()
    draw.datasets, n = draw.datasets[:1], int(draw.pick([5, 10, 30]))
    values = draw.scores(n)
    frame = pd.DataFrame(values[0], columns=draw.algorithms).map(draw.text)
    if draw.chance(0.3):
        frame.insert(0, str(draw.pick(["", "index", draw.word()])), [str(i) for i in range(n)])
        draw.mark("counter of rows")
    case = Case(
        [(f"{draw.stem(measure)}.csv", draw.content(frame))],
        _frame(draw, values, measure, folds=True),
        {},
    )
    case.directions[measure], case.must_ask, case.names_sets = direction, True, False
    return case


def wide_folds(draw: _Draw) -> Case:
    """Return a case with one row per data set and fold, one column per algorithm."""
    measure, direction = draw.measure()
    values = draw.with_missing(draw.scores(int(draw.pick([3, 5, 10]))))
    truth = _frame(draw, values, measure, folds=True)
    frame = truth.pivot(index=["dataset", "fold"], columns="algorithm", values=measure)[
        draw.algorithms
    ]
    frame = frame.map(draw.text).reset_index()
    if draw.chance(0.3):
        frame["fold"] -= 1
    heads = {"dataset": draw.head("dataset"), "fold": draw.head("fold")}
    frame = _shuffled(draw, frame.rename(columns=heads), rows=draw.chance(0.3))
    roles = {heads[role]: role for role in heads} | dict.fromkeys(draw.algorithms, "result")
    content = draw.content(frame.astype(str))
    return Case(
        [(f"{draw.stem(measure)}.csv", content)], truth, {measure: direction}, Mapping(roles=roles)
    )


def _shuffled(
    draw: _Draw, frame: pd.DataFrame, *, rows: bool, columns: bool = False
) -> pd.DataFrame:
    """Return the table, with shuffled rows if `rows` and shuffled columns if `columns`."""
    draw.mark(rows and "rows shuffled", columns and "columns shuffled")
    frame = frame.iloc[draw.rng.permutation(len(frame))] if rows else frame
    return frame[list(draw.rng.permutation(frame.columns))] if columns else frame


def _long(
    draw: _Draw, measures: dict[str, str], scores: dict[str, np.ndarray]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the true rows and the same rows as text."""
    (first, values), *others = scores.items()
    truth = _frame(draw, values, first, folds=values.shape[1] > 1)
    for name, more in others:
        truth[name] = more.ravel()
    texts = truth.copy()
    texts[list(measures)] = truth[list(measures)].map(draw.text)
    return truth, texts.astype(str)


def _noise_of_rows(draw: _Draw, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with a random selection of columns of ids, times, seeds, settings and counts."""
    n, rng = len(frame), draw.rng
    by_algorithm = dict(
        zip(draw.algorithms, rng.integers(1, 500, len(draw.algorithms)), strict=True)
    )
    by_set = dict(zip(draw.datasets, rng.integers(150, 60_000, len(draw.datasets)), strict=True))
    kinds = {
        str(draw.pick(["run_id", "id", draw.word()])): [
            str(x) for x in rng.permutation(np.arange(1000, 1000 + n))
        ],
        str(draw.pick(["timestamp", "started", draw.word()])): [
            f"2025-0{x % 9 + 1}-{x % 28 + 1:02d}T0{x % 9}:11:{x % 60:02d}"
            for x in rng.integers(0, 9999, n)
        ],
        str(draw.pick(["seed", "random_state"])): [str(x) for x in rng.integers(0, 2**31, n)],
        str(draw.pick(["max_depth", "param_k", draw.word()])): [
            str(by_algorithm[a]) for a in frame["algorithm"]
        ],
        str(draw.pick(["n_instances", "size", draw.word()])): [
            str(by_set[d]) for d in frame["dataset"]
        ],
        str(draw.pick(["train_time", "fit_seconds"])): [f"{x:.3f}" for x in rng.lognormal(1, 1, n)],
        str(draw.pick(["host", draw.word()])): ["node7"] * n,
    }
    selected = {name: cells for name, cells in kinds.items() if draw.chance(0.15)}
    labels = zip(
        kinds, ("ids", "dates", "seeds", "settings", "sizes", "times", "constant"), strict=False
    )
    draw.mark(*(f"noise: {label}" for name, label in labels if name in selected))
    return frame.assign(**selected)


def long_table(draw: _Draw, *, several: bool = False) -> Case:
    """Return a case with one row per result."""
    folds = int(draw.pick([1, 1, 3, 5, 10]))
    name, direction = draw.measure()
    measures, scores = {name: direction}, {name: draw.with_missing(draw.scores(folds))}
    for _ in range(int(draw.rng.integers(1, 4)) if several else 0):
        name, direction = draw.measure(0.8)
        if name not in measures:
            measures[name], scores[name] = direction, draw.scores(folds)
    truth, texts = _long(draw, measures, scores)
    texts = _noise_of_rows(draw, texts)
    heads = {role: draw.head(role) for role in ("dataset", "algorithm", "fold") if role in texts}
    if len(set(heads.values())) < len(heads) or set(heads.values()) & set(texts):
        heads = {role: role for role in heads}
    texts = _shuffled(
        draw, texts.rename(columns=heads), rows=draw.chance(0.3), columns=draw.chance(0.3)
    )
    named_roles = {role for role in heads if heads[role] in _HEADS[role]}
    roles = (
        dict.fromkeys(texts, "ignore")
        | dict.fromkeys(measures, "measure")
        | {heads[r]: r for r in heads}
    )
    case = Case(
        [(f"{draw.stem('')}.csv", draw.content(texts))], truth, measures, Mapping(roles=roles)
    )
    case.must_ask = not {"dataset", "algorithm"} & named_roles
    return case


def long_measures(draw: _Draw) -> Case:
    """Return a case with one row per result, with several measures."""
    return long_table(draw, several=True)


def measure_names(draw: _Draw) -> Case:
    """Return a case with one row per result and measure, with columns for the measure's name and value."""
    folds = int(draw.pick([1, 3, 5]))
    draw.unit, draw.digits = "fraction", 4
    measures = {"accuracy": "higher", "AUC": "higher", "f1_macro": "higher"}
    measures = {n: measures[n] for n in list(measures)[: int(draw.rng.integers(2, 4))]}
    truth, texts = _long(draw, measures, {name: draw.scores(folds) for name in measures})
    kind = str(draw.pick(["metric", "measure", "Metric", draw.word()]))
    value = str(draw.pick(["value", "score", "result", draw.word()]))
    texts = texts.melt([c for c in texts if c not in measures], var_name=kind, value_name=value)
    heads = {role: draw.head(role) for role in ("dataset", "algorithm", "fold") if role in texts}
    if len({*heads.values(), kind, value}) < len(heads) + 2:
        heads = {role: role for role in heads}
    texts = _shuffled(draw, texts.rename(columns=heads), rows=draw.chance(0.3))
    case = Case([(f"{draw.stem('')}.csv", draw.content(texts))], truth, measures)
    case.must_ask = all(heads[role] not in _HEADS[role] for role in ("dataset", "algorithm"))
    return case


def folds_as_columns(draw: _Draw) -> Case:
    """Return a case with one row per algorithm and data set, one column per fold."""
    measure, direction = draw.measure()
    if draw.chance(0.4):
        draw.datasets = draw.datasets[:1]
    n = int(draw.pick([3, 5, 10]))
    values = draw.scores(n)
    truth = _frame(draw, values, measure, folds=True)
    frame = truth.pivot(index=["dataset", "algorithm"], columns="fold", values=measure).map(
        draw.text
    )
    pattern = str(draw.pick(["fold{}", "{}", "Fold {}", "cv_{}", "split_{}", draw.word() + "_{}"]))
    frame.columns = names = [pattern.format(i) for i in range(1, n + 1)]
    heads = {"algorithm": draw.head("algorithm"), "dataset": draw.head("dataset")}
    frame = frame.reset_index().rename(columns=heads)
    roles = {heads["algorithm"]: "algorithm", heads["dataset"]: "dataset"} | dict.fromkeys(
        names, "resample"
    )
    if len(draw.datasets) == 1:
        frame, roles = (
            frame.drop(columns=heads["dataset"]),
            {n: r for n, r in roles.items() if r != "dataset"},
        )
        draw.mark("one data set")
    frame = _shuffled(draw, frame, rows=draw.chance(0.3))
    if draw.chance(0.2):
        frame = frame.assign(
            mean=[draw.text(np.mean([float(x) for x in row])) for row in frame[names].to_numpy()]
        )
        draw.mark("summary columns")
    case = Case(
        [(f"{draw.stem(measure)}.csv", draw.content(frame))],
        truth,
        {measure: direction},
        Mapping(roles=roles),
    )
    case.names_sets = len(draw.datasets) > 1
    invented = (
        heads["algorithm"] not in _HEADS["algorithm"],
        heads["dataset"] not in _HEADS["dataset"],
    )
    case.must_ask = invented[0] if len(draw.datasets) == 1 else all(invented)
    is_usual = pattern.startswith(("fold", "{", "Fold", "cv", "split"))
    case.must_ask |= not is_usual and (len(draw.datasets) == 1 or any(invented))
    return case


def several_files(draw: _Draw) -> Case:
    """Return a case with one file per algorithm, data set or measure."""
    by = str(draw.pick(["algorithm", "dataset", "measure"]))
    draw.mark(f"one file per {by}")
    name, direction = draw.measure(1.0)
    draw.datasets = draw.datasets[:8]
    if by == "measure":
        draw.unit, draw.digits = "fraction", 4
        measures = {"accuracy": "higher", "auc": "higher"}
        scores = {m: draw.scores(1) for m in measures}
        truth, _ = _long(draw, measures, scores)
        key, files = draw.head("dataset"), []
        for m, values in scores.items():
            frame = pd.DataFrame(values[:, 0], columns=draw.algorithms).map(draw.text)
            frame.insert(0, key, draw.datasets)
            files.append((f"{m}.csv", draw.content(frame)))
        return Case(files, truth, measures)
    folds = int(draw.pick([1, 5]))
    truth, texts = _long(draw, {name: direction}, {name: draw.scores(folds)})
    rest = "dataset" if by == "algorithm" else "algorithm"
    head = draw.head(rest)
    files = [
        (
            f"{label}.csv".replace("/", "-"),
            draw.content(part.drop(columns=by).rename(columns={rest: head})),
        )
        for label, part in texts.groupby(by, sort=False)
    ]
    truth = truth.assign(**{by: truth[by].astype(str)})
    case = Case(files, truth, {name: direction})
    case.must_ask = head not in _HEADS[rest]
    return case


def headerless(draw: _Draw) -> Case:
    """Return a case with one row per result, without a header."""
    name, direction = draw.measure()
    truth, texts = _long(draw, {name: direction}, {name: draw.scores(int(draw.pick([1, 5])))})
    draw.separator = "," if draw.separator == "json" else draw.separator
    case = Case([("results.csv", draw.content(texts, header=False))], truth, {name: direction})
    case.must_ask = case.may_refuse = True
    return case


def predictions(draw: _Draw, *, wide: bool = False) -> Case:
    """Return a case of predictions with one row per instance if `wide`, else per instance and algorithm."""
    n, labels = (
        int(draw.pick([40, 120])),
        [draw.word() for _ in range(int(draw.rng.integers(2, 4)))],
    )
    labels = ["0", "1"] if draw.chance(0.4) else labels
    true = draw.rng.choice(labels, n)
    predicted = {
        a: np.where(
            draw.rng.random(n) < draw.rng.uniform(0.65, 0.9), true, draw.rng.choice(labels, n)
        )
        for a in draw.algorithms
    }
    case_head, truth_head = draw.head("case"), draw.head("truth")
    blocks = [
        pd.DataFrame(
            {
                "instance": np.arange(1, n + 1),
                "true": true,
                "algorithm": a,
                "predicted": predicted[a],
            }
        )
        for a in predicted
    ]
    rows = pd.concat(blocks).assign(dataset="1", correct=lambda x: x["true"] == x["predicted"])
    if wide:
        suffix = str(draw.pick(["", "_pred", "_label"]))
        frame = pd.DataFrame(
            {
                case_head: np.arange(1, n + 1),
                truth_head: true,
                **{a + suffix: predicted[a] for a in predicted},
            }
        )
        roles = {
            truth_head: "true",
            case_head: "instance",
            **{a + suffix: "result" for a in predicted},
        }
    else:
        heads = {"instance": case_head, "true": truth_head, "algorithm": draw.head("algorithm")}
        heads["predicted"] = str(
            draw.pick(["y_pred", "prediction", "predicted", "response", draw.word()])
        )
        heads = {
            role: head if list(heads.values()).count(head) == 1 else role
            for role, head in heads.items()
        }
        frame = rows[["instance", "algorithm", "true", "predicted"]].rename(columns=heads)
        roles = {head: role for role, head in heads.items()}
        frame = _shuffled(draw, frame, rows=draw.chance(0.3), columns=draw.chance(0.3))
    content = draw.content(frame.astype(str))
    return Case(
        [(f"{draw.stem('')}.csv", content)], rows, {}, Mapping(roles=roles), names_sets=False
    )


def wide_predictions(draw: _Draw) -> Case:
    """Return a case with one row per instance, one column per algorithm."""
    return predictions(draw, wide=True)


LAYOUTS: tuple[Callable[[_Draw], Case], ...] = (
    *(
        wide_averages,
        wide_averages,
        transposed,
        keyless,
        wide_folds,
        long_table,
        long_table,
        long_measures,
    ),
    *(measure_names, folds_as_columns, several_files, headerless, predictions, wide_predictions),
)


def generated(seed: int, number: int) -> Case:
    """Return the case that a seed and a number determine."""
    draw = _Draw(seed, number)
    layout = draw.pick(LAYOUTS)
    case = layout(draw)
    case.features = [f"layout: {layout.__name__}", *draw.features]
    case.states_direction = not case.directions or draw.is_known and draw.is_named
    return case


def fault(results: Results, case: Case) -> str:
    """Return how results differ from the truth, "" if they do not."""
    read, true_names = set(results.algorithms), set(case.rows["algorithm"])
    if read != true_names:
        return (
            f"algorithms: not {sorted(read - true_names)[:4]}, lost {sorted(true_names - read)[:4]}"
        )
    if "correct" in case.rows:
        predictions = results.predictions
        if predictions is None:
            return "no predictions"
        shares = [
            table.groupby(table["algorithm"].astype(str))["correct"].agg(["mean", "size"])
            for table in (predictions, case.rows)
        ]
        shares = [share.astype(float).sort_index().to_numpy() for share in shares]
        return (
            ""
            if shares[0].shape == shares[1].shape and np.allclose(*shares)
            else "other predictions"
        )
    times = set(results.costs) & set(_MEASURES["milliseconds"]) if results.measures else set()
    case = replace(
        case, directions={n: d for n, d in case.directions.items() if n not in times}
    )  # read as costs
    if len(results.measures) != len(case.directions):
        return f"measures {results.measures}, not {tuple(case.directions)}"
    pairs = _pairs_of_measures(results, case)
    if pairs is None:
        return f"measures {results.measures}, not {tuple(case.directions)}"
    for name, measure in pairs.items():
        if results.directions[measure] != case.directions[name]:
            return f"{measure}: {results.directions[measure]}"
    blocks = _blocks(results.frame, list(pairs.values()), named=case.names_sets)
    true = _blocks(case.rows, list(pairs), named=case.names_sets)
    if blocks == true:
        return ""
    return (
        f"{len(blocks)} data sets, not {len(true)}"
        if len(blocks) != len(true)
        else "other numbers or folds"
    )


def _pairs_of_measures(results: Results, case: Case) -> dict[str, str] | None:
    """Return the measure read for each true measure, matched by their sums; None if one has no match."""
    pairs = {}
    for name in case.directions:
        sums = {
            m: float(results.frame[m].sum()) for m in results.measures if m not in pairs.values()
        }
        true = float(case.rows[name].sum())
        match = [m for m, s in sums.items() if np.isclose([s, 100 * s], true, rtol=1e-6).any()]
        if not match:
            return None
        pairs[name] = match[0]
    return pairs


def _blocks(rows: pd.DataFrame, measures: list[str], *, named: bool) -> list:
    """Return the name of each data set ("" unless `named`) and its folds, each with the numbers of all algorithms."""
    keys = [key for key in ("dataset", "repetition", "fold") if key in rows]
    scale = {m: 100 if rows[m].max() > 1 and rows[m].max() <= 100 else 1 for m in measures}
    rows = rows.dropna(subset=measures, how="all")
    blocks: dict[str, list] = {}
    values = rows.assign(**{m: rows[m] / scale[m] for m in measures})
    for label, block in values.groupby(keys, sort=False):
        block = block.sort_values("algorithm")
        line = tuple(
            zip(block["algorithm"], *(block[m].map("{:.5g}".format) for m in measures), strict=True)
        )
        blocks.setdefault(str(label[0]), []).append(line)
    return sorted((name if named else "", sorted(lines)) for name, lines in blocks.items())


def _replies(question: NeedsMapping, case: Case) -> Iterator[Mapping]:
    """Yield the offered answers, the guess first, with the true directions; to a doubt only the right answer."""
    if question.about == "doubt":
        wanted = "leave" if question.fields[0] == "sums" else "keep"
        yield replace(question.guess, doubts={**question.guess.doubts, question.fields[0]: wanted})
        return
    options = {
        repr(mapping): mapping
        for mapping in [question.guess, *(mapping for _, mapping in question.options)]
    }
    for mapping in options.values():
        if question.about == "direction":
            names = (
                [mapping.measure_name]
                if mapping.measure_name
                else [n for n in case.directions if n in mapping.roles]
            )
            directions = {
                n: case.directions.get(n, next(iter(case.directions.values()), "higher"))
                for n in names
            }
            mapping = replace(mapping, directions={**mapping.directions, **directions})
        yield replace(mapping, rows="cases") if question.about == "cases" else mapping


def outcome(case: Case) -> tuple[str, str]:
    """Return the class of a case, and as text the question, difference or error; "" if it is read right at once."""
    try:
        difference = fault(read_results(*case.files), case)
    except NeedsMapping as question:
        return _answered(question, case)
    except InternalError as error:
        return "crash", repr(error.__cause__)
    except FoldwiseError as error:
        return ("refused as it should be" if case.may_refuse else "refused"), str(error)
    except Exception as error:  # the benchmark searches for unexpected exceptions
        return "crash", "".join(traceback.format_exception(error)[-2:])
    if difference or case.must_ask:
        return "misread silently", difference or "read without a question"
    return "right at once", ""


def _answered(question: NeedsMapping, case: Case, depth: int = 1) -> tuple[str, str]:
    """Return the class of a case about which a question is asked, and as text the question and any problem."""
    if question.about == "nothing":
        return ("refused as it should be" if case.may_refuse else "refused"), str(question)
    wrong, more = "", ""
    for reply in _replies(question, case):
        try:
            difference = fault(read_results(*case.files, mapping=reply), case)
        except NeedsMapping as again:
            name = _answered(again, case, depth + 1)[0] if depth < 4 else "asks more"
            if name in RIGHT:
                return name, question.question
            more = more or f"then {again.question}"
        except InternalError as error:
            return "crash", repr(error.__cause__)
        except FoldwiseError as error:
            more = more or f"then {error}"
        else:
            if not difference:
                fewest = max(1, case.must_ask + (not case.states_direction))
                return (RIGHT[depth] if depth <= fewest else "asks more"), question.question
            wrong = wrong or difference
    if wrong:
        return "wrong guess offered", f"{question.question} | {wrong}"
    if case.may_refuse:
        return "refused as it should be", question.question
    return "asks more", f"{question.question} | {more}"


def counted(number: int, seed: int) -> tuple[int, str, str, list[str]]:
    """Return number, class, explanation and features of a case."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    case = generated(seed, number)
    return number, *outcome(case), case.features


def counts(n: int, seed: int, workers: int = 1) -> list[tuple[int, str, str, list[str]]]:
    """Return the outcomes of the first n cases of a seed."""
    work = partial(counted, seed=seed)
    if workers == 1:
        return list(map(work, range(n)))
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        return pool.map(work, range(n), chunksize=20)


def rows() -> Iterator[Row]:
    """Yield the number of generated tables misread without a question, and the share not read as it should be."""
    outcomes = Counter(name for _, name, *_ in counts(300, 1))
    others = sum(outcomes[name] for name in CLASSES if name not in RIGHT)
    yield Row("generated tables misread, of 300", outcomes["misread silently"], 0, unit="")
    yield Row("generated tables not read after one question", others / 300, 0.05, unit="")


def main() -> int:
    """Print counts by class and feature, and failures that are not held out; return 1 if a table is misread, else 0."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("n", nargs="?", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="the tables that are not read rightly")
    parser.add_argument("--again", metavar="SEED/NUMBER", help="one table, printed")
    options = parser.parse_args()
    if options.again:
        seed, number = map(int, options.again.split("/"))
        if number % 2:
            parser.error("tables with odd numbers are held out")
        case = generated(seed, number)
        for name, content in case.files[:3]:
            print(f"--- {name}\n{content.decode()[:1500]}")
        print(case.features, case.directions, case.rows.head(3), sep="\n")
        print(*outcome(case), sep=": ")
        return 0
    outcomes = counts(options.n, options.seed, options.workers)
    for number, name, why, features in outcomes if options.list else ():
        if name not in RIGHT and number % 2 == 0:
            print(
                f"{options.seed}/{number} {name}: {features[0][8:]}: {why}"[:240].replace("\n", " ")
            )
    for title, parity in (("not held out", 0), ("held out", 1)):
        part = [(name, features) for number, name, _, features in outcomes if number % 2 == parity]
        print(
            f"\n{len(part)} tables {title}: "
            + ", ".join(f"{Counter(n for n, _ in part)[c]} {c}" for c in CLASSES)
        )
        print(
            f"{100 * sum(n in RIGHT for n, _ in part) / max(len(part), 1):.1f}% right after at most one question"
        )
        for feature in sorted({f for _, features in part for f in features}):
            names = Counter(n for n, features in part if feature in features)
            right = sum(names[c] for c in RIGHT)
            texts = ", ".join(f"{names[c]} {c}" for c in CLASSES if names[c] and c not in RIGHT)
            print(f"  {feature:40}{right:5} of {names.total():<5} {texts}")
    return int(any(name == "misread silently" for _, name, *_ in outcomes))


if __name__ == "__main__":
    sys.exit(main())
