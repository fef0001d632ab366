"""Detection of suspicious values and names, and questions to the user about them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.errors import NeedsMapping, Problem
from stats_core.core.formatting import format_count, join_names, quote
from stats_core.core.messages import Message, fill_in, message
from stats_core.data.row_checks import distinct_rows, natural_key, number_labels
from stats_core.io import text_cells
from stats_core.io.mapping import Mapping
from stats_core.io.parse_layout import KEY_ROLES, FileTable, file_column, file_rows
from stats_core.io.problems import TEXTS
from stats_core.io.vocabulary import normalized_name

KEYS = list(KEY_ROLES)
_WHAT = {"dataset": "data set"}
_SUM = re.compile(
    r"(average|avg|mean|median|total|sum|std|stdev|stddev|sd|overall|all)"
    r"(of|over|across)?(all)?(datasets|algorithms|methods|models|folds|runs)?"
)
_NOT_BELOW_ZERO = re.compile(r"time|duration|seconds|memory|_m?s$|rmse|rmsle|(^|_)m[as]e$|log_loss|brier")
_MINUS_ONE = re.compile(r"mcc|kappa|corr|spearman|pearson|tau|rho|silhouette|rand|r2|skill")
_SHOWN = 8  # rows shown with a question


def _is_excluded(kind: str, rows: pd.DataFrame, mapping: Mapping, column: str = "", /, **values: Any) -> bool:
    """Return whether the user excludes rows in doubt; raise the question if it is unanswered."""
    if kind in mapping.doubts:
        return mapping.doubts[kind] == "leave"
    texts = {name: fill_in(text, values) for name, text in TEXTS["doubts"][kind].items()}
    first = rows.iloc[0]
    problem = Problem(
        file=str(first.get("file", "")),
        row=int(first["line"]) if "line" in first else None,
        column=file_column(first, column),
        must=texts["must"],
        found=texts["found"],
        do="Say whether it is meant",
    )
    raise NeedsMapping(
        [problem],
        guess=mapping,
        preview=rows.head(_SHOWN).drop(columns="column", errors="ignore"),
        question=texts["question"],
        about="doubt",
        fields=(kind,),
        options=tuple(
            (texts[answer], replace(mapping, doubts={**mapping.doubts, kind: answer})) for answer in ("leave", "keep")
        ),
    )


def resolve_suspicious_values(pieces: Sequence[FileTable], mapping: Mapping) -> list[Message]:
    """Ask about suspicious names and numbers, and apply the answers to `pieces`."""
    notes: list[Message] = []
    score_tables = [p for p in pieces if p.layout != "predictions" and p.published is None]
    for piece in score_tables:
        notes += _settle_codes(piece, mapping)
        notes += _settle_signs(piece, mapping)
        notes += _settle_sums(piece, mapping)
    return [*notes, *_settle_lookalikes(score_tables, mapping)]


def _settle_codes(piece: FileTable, mapping: Mapping) -> Iterator[Message]:
    """Ask about numbers such as -999 that may mark missing results."""
    for name in [name for name in (*piece.directions, *piece.costs) if name in piece.rows]:
        values = piece.rows[name]
        for code in text_cells.failure_codes(values):
            if code == -1 and _MINUS_ONE.search(name.lower()):
                continue
            others, rows = values[values != code], piece.rows[values == code]
            texts = {"code": code, "name": name, "n": file_rows(rows), "low": others.min(), "high": others.max()}
            if _is_excluded("codes", rows, mapping, name, **texts):
                piece.rows[name] = piece.rows[name].where(values != code)
                yield message("codes left out", value=code, column=name, rows=file_rows(rows))


def _settle_signs(piece: FileTable, mapping: Mapping) -> Iterator[Message]:
    """Ask about negative values of quantities that cannot be negative."""
    for name in [name for name in (*piece.directions, *piece.costs) if name in piece.rows]:
        values = piece.rows[name]
        if not _NOT_BELOW_ZERO.search(name.lower()) or not (values < 0).any() or not (values > 0).any():
            continue
        rows = piece.rows[values < 0]
        first, n = float(rows[name].iloc[0]), file_rows(rows)
        more = f" in {format_count(n, 'row')}" if len(rows) == 1 else f", and {len(rows) - 1} more below 0"
        if _is_excluded("signs", rows, mapping, name, name=name, first=first, more=more):
            piece.rows[name] = values.mask(values < 0)
            yield message("codes left out", value=first, column=name, rows=n)


def _settle_sums(piece: FileTable, mapping: Mapping) -> Iterator[Message]:
    """Ask about rows that summarize others, by name or by being their mean."""
    for key in ("dataset", "algorithm", "fold"):
        if key not in piece.rows:
            continue
        names = [str(name) for name in piece.rows[key].unique()]
        named = [name for name in names if _SUM.fullmatch(normalized_name(name))]
        if key == "algorithm":  # "mean" may also be a method
            named = [name for name in named if _sums_up(piece, name, named)]
        summary_names = named or _means_of_others(piece, key, names)
        if not summary_names or len(summary_names) == len(names):
            continue
        rows = piece.rows[piece.rows[key].isin(summary_names)]
        texts = {
            "label": _WHAT.get(key, key),
            "names": join_names([quote(name) for name in summary_names]),
            "n": file_rows(rows),
            "n_names": len(summary_names),
            "mean": "" if named else ", which hold exactly the mean of the others",
        }
        if _is_excluded("sums", rows, mapping, **texts):
            piece.rows = piece.rows[~piece.rows[key].isin(summary_names)]
            yield message("rows that sum up", names=tuple(summary_names))


def _sums_up(piece: FileTable, name: str, named: Sequence[str]) -> bool:
    """Return whether an algorithm's results are the mean, median, spread or sum of others."""
    table = _by_key(piece, "algorithm")
    if table is None:
        return False
    table = table.dropna(subset=[name])
    others = table.drop(columns=list(named))
    summaries = (others.mean(axis=1), others.median(axis=1), others.std(axis=1), others.sum(axis=1))
    tolerance = 0.006 * max(1.0, float(np.nanmax(np.abs(table.to_numpy()), initial=0.0)))
    return any(bool(((table[name] - summary).abs() <= tolerance).all()) for summary in summaries)


def _by_key(piece: FileTable, key: str) -> pd.DataFrame | None:
    """Return the first measure with a column for each name of a key, None if keys repeat."""
    others = [name for name in KEYS if name in piece.rows and name != key]
    measure = next((m for m in piece.directions if m in piece.rows), "")
    if not measure or not others or distinct_rows(piece.rows, [key, *others]) < len(piece.rows):
        return None
    (rows, row_index), (names, column_index) = (number_labels(piece.rows, labels) for labels in (others, [key]))
    values = np.full((len(rows), len(names)), np.nan)
    values[row_index, column_index] = piece.rows[measure]
    return pd.DataFrame(values, columns=[name for (name,) in names])


def _means_of_others(piece: FileTable, key: str, names: Sequence[str]) -> list[str]:
    """Return names whose results all equal the mean of the others, beyond coincidence."""
    table = _by_key(piece, key) if len(names) >= 4 and len(piece.rows) <= 2_000_000 else None
    if table is None:
        return []
    values = table.to_numpy()
    values = values[~np.isnan(values).any(axis=1)]
    if len(values) < 3 or not np.isfinite(values).all():
        return []
    decimals = next((d for d in range(7) if np.allclose(values, values.round(d), atol=1e-12)), 7)
    varies = values.std(axis=1) > 20 * 10.0**-decimals
    if decimals < 3 or not varies.all():
        return []
    means = (values.sum(axis=1, keepdims=True) - values) / (values.shape[1] - 1)
    matches = (np.abs(values - means) <= 0.51 * 10.0**-decimals).all(axis=0)
    return [str(table.columns[matches.argmax()])] if matches.sum() == 1 else []


def _settle_lookalikes(pieces: Sequence[FileTable], mapping: Mapping) -> Iterator[Message]:
    """Ask about names that look the same but use different letters."""
    for key in ("dataset", "algorithm"):
        names = {str(name) for piece in pieces if key in piece.rows for name in piece.rows[key].unique()}
        names = set() if all(name.isascii() for name in names) else names
        by_skeleton: dict[str, list[str]] = {}
        for name in sorted(names, key=lambda name: (not name.isascii(), natural_key(name))):
            by_skeleton.setdefault(text_cells.latin_skeleton(name), []).append(name)
        for first, *variants in by_skeleton.values():
            if variants:
                yield from _one_name(pieces, key, first, variants, mapping)


def _one_name(
    pieces: Sequence[FileTable], key: str, first: str, variants: Sequence[str], mapping: Mapping
) -> Iterator[Message]:
    named = [piece for piece in pieces if key in piece.rows]
    rows = pd.concat([piece.rows[piece.rows[key].isin(variants)] for piece in named])
    texts = {"first": first, "second": variants[0], "what": _WHAT.get(key, key)}
    if _is_excluded("look-alikes", rows, mapping, letter=text_cells.odd_letters(variants[0], first), **texts):
        for piece in named:
            piece.rows[key] = piece.rows[key].replace(dict.fromkeys(variants, first))
        yield message("spellings", names=(first, *variants), one=first)


def settle_copies(
    table: pd.DataFrame, measures: Sequence[str], mapping: Mapping, where: pd.DataFrame
) -> tuple[pd.DataFrame, list[Message]]:
    """Ask about folds and data sets with exactly the same results as others."""
    for keys, unit in ((["dataset", "repetition", "fold"], "fold"), (["dataset"], "data set")):
        copies = _copies(table, keys, measures)
        if not copies:
            continue
        mask = pd.MultiIndex.from_frame(table[keys]).isin(list(copies))
        lines = where.merge(table.loc[mask, keys].drop_duplicates(), on=keys)
        first, original = next(iter(copies.items()))
        examples = [quote(" ".join(dict.fromkeys((label[0], *label[-1:])))) for label in (first, original)]
        texts = {"unit": unit, "n": len(copies), "first": examples[0], "original": examples[1]}
        if _is_excluded("copies", lines if len(lines) else table[mask], mapping, **texts):
            note = message("copies left out", what=unit, n=len(copies))
            return table[~mask].reset_index(drop=True), [note]
    return table, []


_Label = tuple[str, ...]


def _copies(table: pd.DataFrame, keys: list[str], measures: Sequence[str]) -> dict[_Label, _Label]:
    """Return blocks with the same numbers as an earlier block, beyond coincidence.

    Folds count only if every fold of a data set has a copy, as two folds may agree by chance.
    """
    if len(table) > 2_000_000 or not len(table):
        return {}
    labels, block_index = number_labels(table, keys)
    inner = number_labels(table, [key for key in KEYS if key not in keys])[1]
    numbers = np.column_stack([table[name].to_numpy(dtype=float) for name in measures])
    sums = np.zeros(len(labels), np.uint64)  # sums of row codes do not depend on row order
    np.add.at(sums, block_index, _codes([inner, *numbers.T]))
    blocks = dict(zip(labels, sums.tolist(), strict=True))
    if len(set(sums.tolist())) == len(labels):
        return {}
    if keys == ["dataset"]:
        exact = (np.abs(numbers - numbers.round(3)) > 1e-9).any(axis=1)
        rows = zip(block_index[exact].tolist(), _codes(numbers[exact].T).tolist(), strict=True)
        varied = Counter(block for block, _ in set(rows))
        # values with fewer digits may agree by chance
        return _pairs({label: blocks[label] for i, label in enumerate(labels) if varied[i] >= 3})
    duplicates: dict[_Label, _Label] = {}
    for name in dict.fromkeys(label[0] for label in labels):
        folds = {label: code for label, code in blocks.items() if label[0] == name}
        repeats = Counter(folds.values())
        if len(folds) < 6 or not 3 <= len(repeats) <= len(folds) // 2 or min(repeats.values()) < 2:
            continue
        block_numbers = numbers[(table["dataset"] == name).to_numpy()]
        if min(len(np.unique(column)) for column in block_numbers.T) > len(repeats):
            duplicates |= _pairs(folds)
    return duplicates


def _codes(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Return a hash code of each row, equal for equal rows."""
    codes = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        codes = pd.util.hash_array(codes * np.uint64(1_000_003) + pd.util.hash_array(column))
    return codes


def _pairs(part: dict[_Label, int]) -> dict[_Label, _Label]:
    """Return the later labels of equal blocks, each with the first label of its block."""
    first: dict[int, _Label] = {}
    labels = sorted(part, key=lambda label: tuple(map(natural_key, label)))
    originals = [first.setdefault(part[label], label) for label in labels]
    return {label: original for label, original in zip(labels, originals, strict=True) if original != label}
