"""Reading of result files and in-memory tables; the only module that reads from disk."""

import gc
import hashlib
import mmap
import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from stats_core.core.errors import (
    DataError,
    FoldwiseError,
    NeedsMapping,
    SettingError,
    error_boundary,
)
from stats_core.core.formatting import join_names
from stats_core.core.messages import Message, message
from stats_core.core.validation import given_or_new
from stats_core.data import predictions
from stats_core.data.results import Results
from stats_core.io import build, table_layout, text_cells, text_table, vocabulary
from stats_core.io.formats import table_of
from stats_core.io.mapping import NUMBERED, UNNAMED, Mapping
from stats_core.io.problems import (
    OverLimit,
    Problem,
    current_limits,
    data_error,
    phrase,
    problem_of,
    question_of,
    setting_error,
)
from stats_core.io.profile import LayoutHypothesis
from stats_core.io.table_layout import KEY_ROLES, FileTable, LayoutMatch
from stats_core.io.text_cells import EMPTY, TextTable
from stats_core.io.vocabulary import ROLES

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ROLES", "Mapping", "describe_columns", "explain", "read_results"]

_MOST_SPELLINGS, _SHOWN = 5, 8  # answers, and rows of the preview, if names have several spellings
_LARGE, _WIDE = 1_000_000, 1_000  # bytes and columns from which no guess is tried
# designs a file can declare in a column named "design"; others are inferred from the keys
DESIGNS = ("holdout", "bootstrap", "common test set")

Progress = Callable[[int, int], None]
Content = bytes | mmap.mmap  # large files are mapped into memory

_SMALLEST = 1_000_000  # bytes; the general reader is fast enough for smaller files
_HEAD = 50_000  # bytes used to infer columns and number formats
_BLOCK = 4_000_000  # bytes parsed at once, between two reports of progress
_WORKERS = min(os.cpu_count() or 1, 4)  # parsing releases the GIL
_COLUMNS = ("dataset", "algorithm", "repetition", "fold", "instance", "true", "predicted", "score")
_OF_INSTANCES = ("instance", "cluster", "answer", "time", "true", "predicted", "score")
_MEASURED = ("measure", "cost", "result")  # roles of numbers that are compared
_NULLS = sorted({text for word in EMPTY for text in (word, word.upper(), word.title(), "NaN")})


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Pause the collector, which searches the rows built so far again and again, though they hold no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@error_boundary("Reading these files")
@_no_garbage_collection()
def read_results(
    *sources: Any,
    mapping: Mapping | None = None,
    encoding: str = "",
    progress: Progress | None = None,
) -> Results:
    r"""Read result files and return the validated results.

    Parameters
    ----------
    *sources : path, bytes, open file, (name, bytes), data frame, or dict
        One or more files, recognized by their content: CSV, Excel, Parquet, Feather, JSON, ARFF,
        Markdown, LaTeX, columns of text, or logs of lm-evaluation-harness, Inspect and SWE-bench;
        plain, gzip, zip or tar. A large file must not be changed while it is read. A data frame may
        be of pandas, polars or pyarrow; names in its index count as its first column. A dict holds
        columns, as `cv_results_`, or the result of `cross_validate` for each algorithm, also for
        each data set.
    mapping : Mapping, optional
        Roles and directions that column names do not determine; all are inferred by default.
    encoding : str
        The encoding of text files that are not UTF-8, as in `mapping`; "" to infer it.
    progress : callable, optional
        Called with the rows read so far and the rows expected, while a large file of
        predictions is read.

    Returns
    -------
    Results
        Validated; pairing is by data set, repetition and fold, never by the order of rows.

    Raises
    ------
    DataError
        Lists every problem: file, row, column, requirement, remedy.
    NeedsMapping
        A question must be answered first; carries a guess and a preview.
    SettingError
        `mapping` names a column or measure that no file has, or contradicts the files.

    Notes
    -----
    Layouts are recognized by their columns: fold scores, confusion counts, predictions, results per item, a
    wide table of averages, wide folds, published summaries; also scikit-learn's cross_validate and
    cv_results_, Weka's experimenter, the OpenML AutoML benchmark and aeon or tsml results. See
    docs/formats.md.

    Examples
    --------
    >>> results = read_results(b"dataset,model,fold,acc\niris,rf,1,0.9\niris,svm,1,0.8\n")
    >>> results.algorithms, results.measures, results.direction("accuracy")
    (('rf', 'svm'), ('accuracy',), 'higher')
    >>> read_results({"rf": {"test_r2": [0.9, 0.8]}, "svm": {"test_r2": [0.7, 0.6]}}).algorithms
    ('rf', 'svm')
    """
    if not sources:
        raise data_error("no file", "")
    current_limits().check("", "files", len(sources))
    mapping = given_or_new(mapping, Mapping, "mapping")
    mapping = replace(mapping, encoding=encoding) if encoding else mapping
    table_layout.check_measure_name(mapping.measure_name)
    contents, logs = _loaded(sources, mapping)
    with ThreadPoolExecutor(1) as pool:
        digest = pool.submit(_checksum, contents).result  # computed in parallel with the parsing
        if logs is not None:
            return _read_all([(logs.name, logs)], [None], mapping, digest)
        quick = [_quick_predictions(name, content, mapping, progress) for name, content in contents]
        if any(piece is not None for piece in quick):
            try:
                return _read_all([*contents], quick, mapping, digest)
            except NeedsMapping:
                raise
            except DataError:
                pass  # the general reader below reports the errors
        is_small = sum(len(content) for _, content in contents) <= _LARGE
        parsed: list[tuple[str, Content | TextTable]] = [*contents]
        try:
            return _read_all(parsed, [None] * len(contents), mapping, digest, keep=is_small)
        except NeedsMapping as question:
            if is_small and question.guess.roles != mapping.roles:
                _leave_readable(question, parsed, mapping)
            raise


def _leave_readable(
    question: NeedsMapping, contents: list[tuple[str, Content | TextTable]], mapping: Mapping
) -> None:
    """Leave the answers that can be read, in place; without any, ask about all columns."""
    if not _refuses(contents, question.guess):
        return
    answers = dict(question.options)
    table = contents[0][1]
    if isinstance(table, TextTable):
        others = table_layout.other_readings(table, mapping, several=len(contents) > 1)
        answers |= {text: answer for text, answer in others if text not in answers}
    readable = [
        (text, answer)
        for text, answer in answers.items()
        if answer != question.guess and not _refuses(contents, answer)
    ]
    question.guess = readable[0][1] if readable else mapping
    question.options = tuple(readable)
    if not readable:
        question.question, question.about = phrase("unknown columns"), "columns"


def _refuses(contents: list[tuple[str, Content | TextTable]], guess: Mapping) -> bool:
    """Return whether reading under a guess fails or finds no results; False if it asks again or tables are wide."""
    if any(isinstance(table, TextTable) and table.frame.shape[1] > _WIDE for _, table in contents):
        return False
    try:
        _read_all(contents, [None] * len(contents), guess, str)
    except NeedsMapping as error:
        return error.about == "nothing"
    except (DataError, SettingError):
        return True
    return False


def _checksum(contents: Sequence[tuple[str, Content]]) -> str:
    """Return the SHA-256 of files joined by null bytes."""
    checksum = hashlib.sha256()
    for i, (_, content) in enumerate(contents):
        checksum.update(b"\0" if i else b"")
        checksum.update(content)
    return checksum.hexdigest()


def _read_all(
    contents: list[tuple[str, Content | TextTable]],
    quick: Sequence[FileTable | None],
    mapping: Mapping,
    digest: Callable[[], str],
    *,
    keep: bool = False,
) -> Results:
    """Return the results of all files, of which `quick` are read already; raise NeedsMapping or one DataError.

    If `keep`, parsed tables replace their contents in the list, so that these are not parsed again.
    """
    pieces: list[FileTable] = []
    times: dict[int, _Times] = {}
    columns: set[str] = set()
    problems: list = []
    for position, (piece, (name, content)) in enumerate(zip(quick, [*contents], strict=True)):
        try:
            if piece is None:
                table = (
                    content
                    if isinstance(content, TextTable)
                    else _table(name, content, mapping, len(contents))
                )
                if keep:
                    contents[position] = (name, table)
                piece, read_columns, only_times = _read_or_defer(table, mapping, len(contents))
                columns |= {*table.frame.columns, *read_columns}
                if only_times is not None:
                    times[position] = only_times
            pieces.append(piece)
        except NeedsMapping:
            raise
        except DataError as error:
            problems += error.problems
            if isinstance(error, OverLimit):
                break
    if problems:
        raise DataError([*problems, *(p for piece in pieces for p in piece.problems)])
    _read_times_as_costs(pieces, times, mapping)
    _name_pieces(pieces, [name for name, _ in contents])
    results = build.build_results(pieces, mapping=mapping, digest=digest())
    if columns:  # the fast reader does not report its columns
        _check_declared(mapping, columns, results)
    if results.published is None and mapping.n_datasets:
        raise setting_error("number of results", n=len(results.datasets))
    return results


@dataclass(frozen=True)
class _Times:
    """A file whose only results are these columns of times, and the question about them, if any."""

    table: TextTable
    names: list[str]
    question: NeedsMapping | None = None


def _read_or_defer(
    table: TextTable, mapping: Mapping, n_files: int
) -> tuple[FileTable, set[str], _Times | None]:
    """Return the rows of a file, its column names, and its times if it has no other results.

    A question about times is kept, since they are costs if another file has results.
    """
    several = n_files > 1
    try:
        piece, columns = _read_piece(table, mapping, several=several)
    except NeedsMapping as question:
        names = vocabulary.with_role(question.guess.roles, "measure")
        if several and _are_only_times(names, mapping):
            return FileTable(rows=pd.DataFrame()), set(), _Times(table, names, question)
        raise
    names = [*piece.directions]
    if several and _are_only_times(names, mapping):
        return piece, columns, _Times(table, names)
    return piece, columns, None


def _are_only_times(names: Sequence[str], mapping: Mapping) -> bool:
    """Return whether measures are costs by their names, and not measures by the user's settings."""
    declared = {*mapping.roles, *mapping.directions}
    return bool(names) and declared.isdisjoint(names) and all(map(vocabulary.known_cost, names))


def _read_times_as_costs(
    pieces: list[FileTable], times: dict[int, _Times], mapping: Mapping
) -> None:
    """Read times as costs, in place, if another file has results; otherwise ask about them."""
    if len(times) == len(pieces):
        for only_times in times.values():
            if only_times.question is not None:
                raise only_times.question
        return
    for position, only_times in times.items():
        roles = {**mapping.roles, **dict.fromkeys(only_times.names, "cost")}
        as_costs = replace(mapping, roles=roles)
        pieces[position], _ = _read_piece(only_times.table, as_costs, several=True)


def _table(name: str, content: Content, mapping: Mapping, n_files: int) -> TextTable:
    """Return the table of one of several files."""
    if isinstance(content, text_table.FrameBytes):
        return text_table.table_of_frame(name, content)
    content = content[:]
    encoding = mapping.encodings.get("", "")
    encoding = encoding if n_files == 1 else text_table.encoding_for(content, encoding)
    return table_of(name, content, mapping.encodings.get(name, encoding))


def _check_declared(mapping: Mapping, columns: set[str], results: Results) -> None:
    """Raise SettingError for settings that match no column, measure or direction in the files."""
    valid = {*columns, *results.measures, *results.costs}
    spelled = {vocabulary.spelling(name) for name in valid}
    directions = {
        name: direction for name, direction in mapping.directions.items() if name != UNNAMED
    }
    misspelled = [name for name in mapping.roles if name not in valid]
    misspelled += [name for name in directions if name and vocabulary.spelling(name) not in spelled]
    if misspelled:
        raise setting_error("unknown column", column=misspelled[0], known=sorted(valid))
    name = mapping.measure_name
    if name and vocabulary.spelling(name) not in map(vocabulary.spelling, results.measures):
        raise setting_error("unknown measure", name=name, measures=results.measures)
    if "" in directions and directions[""] not in results.directions.values():
        better = next(iter(results.directions.values()))
        raise setting_error(
            "wrong direction", given=directions[""], measures=results.measures, better=better
        )


def read_algorithms(
    sources: dict[str, Any], mapping: Mapping, names: Sequence[str] = ()
) -> Results:
    """Return the results of one algorithm per source, named by the keys.

    Of several algorithms in a source, in one column or in a column each, `names` has the one to
    read, by source. Raises SettingError if a source has several algorithms otherwise.
    """
    contents, roles = [], dict(mapping.roles)
    wanted_of = dict(zip(sources, names, strict=bool(names)))
    for name, source in sources.items():
        loaded, logs = _loaded([source], mapping)
        content = loaded[0][1][:] if logs is None else logs.frame.to_csv(index=False).encode()
        contents += [(name, content)]
        table = _table(name, content, mapping, 1)
        columns = table_layout.infer_layout(table, mapping, several=True).columns()
        for column in columns["column"][columns["meaning"] == "algorithm"]:
            algorithms = list(table.frame[column].unique())
            if wanted_of.get(name) in algorithms:
                rows = table.frame[table.frame[column] == wanted_of[name]]
                contents[-1] = (name, rows.to_csv(index=False).encode())
            elif len(algorithms) > 1:
                raise SettingError.of("gate of several", source=name, names=algorithms)
            roles[column] = "ignore"
        of_algorithms = list(columns["column"][columns["meaning"] == "result"])
        if of_algorithms:
            if wanted_of.get(name) not in of_algorithms:
                raise SettingError.of("gate of several", source=name, names=of_algorithms)
            measure = (
                mapping.measure_name or read_results(contents[-1], mapping=mapping).measures[0]
            )
            others = [column for column in of_algorithms if column != wanted_of[name]]
            rows = table.frame.drop(columns=others).rename(columns={wanted_of[name]: measure})
            contents[-1] = (name, rows.to_csv(index=False).encode())
            roles = {column: role for column, role in roles.items() if column not in of_algorithms}
    results = read_results(*contents, mapping=replace(mapping, roles=roles))
    if set(results.algorithms) != set(sources):
        raise SettingError.of(
            "gate of several", source=next(iter(sources)), names=results.algorithms
        )
    return results


@error_boundary("Reading this file")
@_no_garbage_collection()
def describe_columns(
    source: Any, mapping: Mapping | None = None, *, several: bool = False
) -> pd.DataFrame:
    r"""Return a table with the inferred role of each column of a file, and the reason.

    Parameters
    ----------
    source : path, bytes, open file, (name, bytes), data frame, or dict
        One source as in `read_results`.
    mapping : Mapping, optional
        The user's settings; everything is inferred by default.
    several : bool
        Whether the file is one of several that are read together.

    Returns
    -------
    DataFrame
        One row per column of the file: column, meaning (its role), direction ("" if unknown or not
        a measure), reason, and an example. If no layout is likely, columns without a role in
        `mapping` have the role "ignore".

    Raises
    ------
    DataError
        The file holds no table.
    SettingError
        `mapping` contradicts the definition of a measure.

    Examples
    --------
    >>> describe_columns(b"model,acc\nrf,0.9\n")["meaning"].tolist()
    ['algorithm', 'measure']
    """
    mapping = given_or_new(mapping, Mapping, "mapping")
    table = _first_table(source, mapping)
    mapping = _with_roles(table, mapping)
    try:
        layout_match = table_layout.infer_layout(table, mapping, several=several)
    except NeedsMapping:
        ignored = dict.fromkeys(table.frame, "ignore")
        hypothesis = LayoutHypothesis(layout="", roles={**ignored, **mapping.roles})
        layout_match = LayoutMatch(table=table, taken=hypothesis)
    columns = layout_match.columns()
    directions = {
        name: mapping.direction_of(name)
        for name in columns["column"][columns["meaning"] == "measure"]
    }
    guessed = layout_match.taken.directions
    columns["direction"] = [
        directions[name] or guessed.get(name, "") if name in directions else ""
        for name in columns["column"]
    ]
    return columns[["column", "meaning", "direction", "reason", "example"]]


@error_boundary("Reading this file")
@_no_garbage_collection()
def explain(
    source: Any, mapping: Mapping | None = None, *, several: bool = False
) -> LayoutMatch | None:
    r"""Return the layout inferred for a file, with the evidence.

    Parameters
    ----------
    source : path, bytes, open file, (name, bytes), data frame, or dict
        One source as in `read_results`.
    mapping : Mapping, optional
        The user's settings; everything is inferred by default.
    several : bool
        Whether the file is one of several that are read together.

    Returns
    -------
    LayoutMatch or None
        The most likely layout, its alternatives and the evidence; None if no layout is likely.

    Raises
    ------
    DataError
        The file holds no table.
    SettingError
        `mapping` contradicts the definition of a measure.

    Examples
    --------
    >>> found = explain(("acc.csv", b"set,rf,svm\na,0.9,0.8\nb,0.7,0.6\n"))
    >>> print(found.sentence)  # doctest: +ELLIPSIS
    One column per algorithm: 2 algorithms (rf and svm) on 2 data sets named in the column set (a and b). ...
    >>> print(found.evidence[0].note)
    Every row has a different value in the column "set".
    """
    try:
        mapping = given_or_new(mapping, Mapping, "mapping")
        table = _first_table(source, mapping)
        return table_layout.infer_layout(table, _with_roles(table, mapping), several=several)
    except NeedsMapping:
        return None


def _loaded(
    sources: Sequence[Any], mapping: Mapping
) -> tuple[list[tuple[str, Content]], TextTable | None]:
    """Return names and contents of files, also of those in archives, and the table of evaluation logs among them.

    All names include folders if any two would be equal without.
    """
    loaded = [_load(source, i, mapping) for i, source in enumerate(sources)]
    loaded = [(_printable(name), content) for name, content in loaded]
    logs = None
    if not all(map(_is_plain, (content for _, content in loaded))):
        from stats_core.io.formats import binary, evaluation_logs

        unpacked = binary.unpacked([(name, content[:]) for name, content in loaded])
        logs = evaluation_logs.table_of_logs(unpacked, mapping.encodings.get("", ""))
        loaded = [(_printable(name), content) for name, content in unpacked]
    names = vocabulary.short_paths([name for name, _ in loaded])
    for name, (_, content) in zip(names, loaded, strict=True):
        current_limits().check(name, "size", len(content))
    return [(name, content) for name, (_, content) in zip(names, loaded, strict=True)], logs


def _with_roles(table: TextTable, mapping: Mapping) -> Mapping:
    """Return the mapping with the roles that a data frame sets, unless the caller set others."""
    return replace(mapping, roles={**table.roles, **mapping.roles}) if table.roles else mapping


def _printable(name: str) -> str:
    """Return the name of a file without control characters and surrogates."""
    return name if name.isprintable() else text_cells.visible_text(name)


def _is_plain(content: Content) -> bool:
    """Return whether a file is neither JSON nor an archive nor compressed."""
    return isinstance(content, text_table.FrameBytes) or (
        content[:20].strip()[:1] not in (b"{", b"[", b"P", b"\x1f", b"\xef")
        and content[257:262] != b"ustar"
    )


def _first_table(source: Any, mapping: Mapping) -> TextTable:
    """Return the table of a source, the first one of an archive."""
    contents, logs = _loaded([source], mapping)
    return logs if logs is not None else _table(*contents[0], mapping, 1)


def _load(source: Any, position: int, mapping: Mapping) -> tuple[str, Content]:
    """Return the path or name of a source, and its bytes; raise DataError if it cannot be read."""
    unnamed = f"results{position + 1 if position else ''}"
    name, content = source if isinstance(source, tuple) else (unnamed, source)
    if text_table.is_in_memory(content):
        return str(name), text_table.frame_bytes(content, str(name), mapping)
    if isinstance(source, tuple) or isinstance(content, (bytes, bytearray, memoryview)):
        return str(name), bytes(content)
    if hasattr(source, "read"):
        content = source.read()
        name = str(getattr(source, "name", "results"))
        return name, content.encode() if isinstance(content, str) else content
    if not isinstance(source, (str, PathLike)):
        raise data_error("unknown source", str(name), kind=type(source).__name__)
    path = Path(source)
    try:
        size = path.stat().st_size
        current_limits().check(path.name, "size", size)
        if size >= _SMALLEST:
            with (
                suppress(OSError, ValueError),
                path.open("rb") as file,
            ):  # some file systems cannot map files
                return str(path), mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return str(path), path.read_bytes()
    except FoldwiseError:
        raise
    except (OSError, ValueError) as error:
        raise data_error(
            "unreadable file", path.name, error=getattr(error, "strerror", None) or str(error)
        ) from None


def _read_piece(table: TextTable, mapping: Mapping, *, several: bool) -> tuple[FileTable, set[str]]:
    """Return the rows of a table in its most likely layout, and its column names; raise NeedsMapping if in doubt."""
    notes, mapping = list(table.notes), _with_roles(table, mapping)
    layout_match = table_layout.accept_or_ask(
        table_layout.infer_layout(table, mapping, several=several), mapping
    )
    table, roles = layout_match.table, layout_match.roles
    _ask_for_spelling(table, roles, notes, mapping, table.name if several else "")
    piece = table_layout.read_layout(table, roles, layout_match.taken, mapping)
    if layout_match.taken.layout in ("fold scores", "grid search"):
        _name_measure(piece, mapping)
    if n_left := _leave_out_unnamed(piece):
        n_left += sum(note["n"] for note in notes if note.code == "records left out")
        notes = [note for note in notes if note.code != "records left out"]
        notes.append(message("records left out", file=table.name, n=n_left))
    if layout_match.taken.layout == "fold scores":
        _leave_out_unmeasured(piece, layout_match)
    if layout_match.taken.rows in NUMBERED and piece.layout != "predictions":
        table_layout.number_rows(piece, layout_match.taken.rows)
    piece.problems += _unused_roles(piece, table, roles, mapping)
    _put_lines(piece, table)
    notes += [*layout_match.notes, *layout_match.taken.notes, *table_layout.left_out(layout_match)]
    piece.notes = [*notes, *piece.notes]
    piece.tags, tag_problems = table_layout.tags_of(table, roles, layout_match.taken.layout)
    piece.problems += tag_problems
    measured = [name for name, role in roles.items() if role in _MEASURED and name in table.frame]
    piece.notes += text_cells.lost_digits(table, measured)
    piece.design = _declared_design(table, roles) or piece.design
    names = [] if "fold" in roles.values() else vocabulary.with_role(roles, "repetition")
    if not piece.design and any(
        vocabulary.normalized_name(name).startswith("resample") for name in names
    ):
        piece.design = "holdout"
    undeclared = not {"true", "n_test", "instance"} & set(roles.values())
    if (
        not piece.design
        and undeclared
        and any(vocabulary.is_listed(name, "runs") for name in names)
    ):
        piece.design = "seeds"
    return piece, set(table.frame.columns)


def _unused_roles(
    piece: FileTable, table: TextTable, roles: dict[str, str], mapping: Mapping
) -> list[Problem]:
    """Return problems of roles of instances that the user set for other results."""
    if "true" in piece.rows:
        return []
    keys = vocabulary.with_role(roles, "dataset")  # instances of several measures are data sets
    return [
        problem_of("role of instances", table.name, None, name, role=role)
        for name, role in mapping.roles.items()
        if role in _OF_INSTANCES and name in table.frame and name not in keys
    ]


def _ask_for_spelling(
    table: TextTable, roles: dict, notes: Sequence[Message], mapping: Mapping, file: str
) -> None:
    """Raise NeedsMapping if names in the columns used are spelled differently in two likely encodings of a file, "" for all."""
    likely: tuple[str, ...] = next(
        (note["likely"] for note in notes if note.code == "two encodings"), ()
    )
    if not likely:
        return
    used = [
        name for name in table.frame if roles.get(name, "ignore") not in ("ignore", "text", "time")
    ]
    texts = dict.fromkeys(
        [*used, *(text for name in used for text in text_cells.coded(table, name)[1])]
    )
    letters = {encoding: text_table.other_letters(likely[0], encoding) for encoding in likely}
    words = [word for word in texts if len({word.translate(each) for each in letters.values()}) > 1]
    spellings: dict[tuple, str] = {}
    for encoding, each in letters.items():
        spellings.setdefault(tuple(word.translate(each) for word in words), encoding)
    if len(spellings) < 2:
        return
    question = question_of("spelling", first=likely[0], file=table.name)
    options = [
        (join_names(list(names), 3), mapping.in_encoding(encoding, letters[encoding], file))
        for names, encoding in list(spellings.items())[:_MOST_SPELLINGS]
    ]
    raise NeedsMapping(
        [question.problem(table.name)],
        guess=options[0][1],
        preview=table.frame.head(_SHOWN),
        question=question.question,
        about=question.about,
        options=tuple(options),
    )


def _name_pieces(pieces: Sequence[FileTable], files: Sequence[str]) -> None:
    """Fill in missing algorithms, data sets and folds from folder and file names, in place; DataError if ambiguous."""
    missing = {key for key in KEY_ROLES if any(key not in piece.rows for piece in pieces)}
    missing -= {"algorithm"} if all(piece.called for piece in pieces) else set()
    stems = set(map(vocabulary.file_stem, files))
    shared = (
        stems.pop() if len(stems) == 1 else "results"
    )  # the only data set of files that name algorithms
    named = [piece.rows["algorithm"] for piece in pieces if "algorithm" in piece.rows]
    algorithms = [name for column in named for name in predictions.distinct_names(column)]
    are_parts = len(files) > 1 and len(algorithms) == len(set(algorithms)) == len(files)
    for piece, file, names in zip(pieces, files, _keys_of_folders(files, missing), strict=True):
        for key, name in names.items():
            if key not in piece.rows:
                _name_rows(piece, key, name)
        names_algorithm = (
            are_parts or len(files) > 1 and "algorithm" not in piece.rows and not piece.called
        )
        if "algorithm" not in piece.rows and piece.called:
            piece.rows["algorithm"] = piece.called
        stem = vocabulary.file_stem(file)
        for key, name in (("dataset", shared if names_algorithm else stem), ("algorithm", stem)):
            if key not in piece.rows:
                _name_rows(piece, key, name)
                code = (
                    "data set named after file"
                    if key == "dataset"
                    else "algorithm named after file"
                )
                piece.notes.append(message(code, name=name))


def _name_rows(piece: FileTable, key: str, name: str) -> None:
    """Set the algorithm, data set or fold of all rows to one name, in place."""
    piece.rows[key] = predictions.same(name, len(piece.rows))
    if key == "dataset":
        piece.tags = piece.tags.rename(index={"": name})


def _name_measure(piece: FileTable, mapping: Mapping) -> None:
    """Rename a measure as set in the mapping, in place; raise SettingError if the directions of both names differ.

    This is the measure with another spelling of the name, else the only one if its name has no
    definition, or none.
    """
    new_name, directions = mapping.measure_name, piece.directions
    if not new_name or new_name in directions:
        return
    respelled = [
        name for name in directions if vocabulary.spelling(name) == vocabulary.spelling(new_name)
    ]
    unnamed = [
        name for name in directions if len(directions) == 1 and not vocabulary.by_definition(name)
    ]
    for name in (respelled or unnamed)[:1]:
        direction = mapping.direction_of(new_name)
        if direction and directions[name] and direction != directions[name]:
            texts = {
                "name": new_name,
                "direction": direction,
                "column": name,
                "column_direction": directions[name],
            }
            raise setting_error("name of another direction", **texts)
        piece.rows = piece.rows.rename(columns={name: new_name})
        piece.directions = {
            new_name if n == name else n: w or direction for n, w in directions.items()
        }
        piece.percent = {new_name if n == name else n for n in piece.percent}


def _declared_design(table: TextTable, roles: dict) -> str:
    """Return the design given in a column named "design", "" without one; raise DataError for an unknown design."""
    for column in vocabulary.with_role(roles, "design"):
        values = table.frame[column].unique()
        if len(values) == 1 and values[0] in DESIGNS:
            return values[0]
        texts = {"designs": ", ".join(DESIGNS), "value": values[0], "n": len(values)}
        raise data_error("unknown design", table.name, None, column, **texts)
    return ""


def _put_lines(piece: FileTable, table: TextTable) -> None:
    """Replace row numbers by line numbers of the file, in place, if rows of the file were split."""
    if not table.lines:
        return
    if "line" in piece.rows:
        piece.rows["line"] = [table.lines.get(int(line), line) for line in piece.rows["line"]]
    piece.problems = [
        p if p.row is None else replace(p, row=table.lines.get(p.row)) for p in piece.problems
    ]


def _leave_out_unnamed(piece: FileTable) -> int:
    """Drop rows of scores, in place, that name nothing and have no result, such as a total cost; return their number."""
    rows, measures = piece.rows, [each for each in piece.directions if each in piece.rows]
    keys = [key for key in ("dataset", "repetition", "fold") if key in rows]
    if "algorithm" in rows and "column" not in rows:  # else columns name the algorithms
        keys.append("algorithm")
    if piece.layout == "predictions" or not keys or not measures:
        return 0
    is_left = (rows[keys] == "").all(axis=1) & rows[measures].isna().all(axis=1)
    if not is_left.any() or is_left.all():
        return 0
    piece.rows = rows[~is_left]
    unused = [name for name in piece.costs if piece.rows[name].isna().all()]
    piece.rows = piece.rows.drop(columns=unused)
    piece.costs = [name for name in piece.costs if name not in unused]
    return int(rows.loc[is_left, "line"].nunique() if "line" in rows else is_left.sum())


def _leave_out_unmeasured(piece: FileTable, layout_match: LayoutMatch) -> None:
    """Drop data sets, in place, whose only scores are not among the measures.

    A failed run stays as a missing result; a task with another score was never measured.
    """
    reasons, rows = layout_match.taken.reasons, piece.rows
    ignored = [
        name for name in vocabulary.with_role(layout_match.roles, "ignore") if name in reasons
    ]
    unused = [name for name in ignored if reasons[name].code == "role: no direction"]
    if not unused or not piece.directions or "dataset" not in rows:
        return
    measured = rows[list(piece.directions)].notna().any(axis=1)
    scored = (layout_match.table.frame.loc[rows.index, unused] != "").any(axis=1)
    unmeasured = set(rows["dataset"][scored]) - {*rows["dataset"][measured], ""}
    if unmeasured and measured.any():
        piece.rows = rows[~rows["dataset"].isin(unmeasured)]
        piece.notes.append(message("data sets not measured", names=tuple(sorted(unmeasured))))


def _keys_of_folders(names: Sequence[str], missing: set[str]) -> list[dict[str, str]]:
    """Return the missing keys that folders give, per file; raise DataError for ambiguous folders or file names."""
    folders = [tuple(name.split("/")[:-1]) for name in names]
    if not any(folders):
        if "algorithm" in missing:
            _check_names(names, crossed="dataset" in missing)
        return [{} for _ in names]
    if len(set(map(len, folders))) > 1:
        levels = [["/".join(folder) for folder in folders]]
    else:
        levels = [list(level) for level in zip(*folders, strict=True)]
    keys: dict[str, list[str]] = {}
    for level in list(levels):
        fold_keys = [key for key in ("fold", "repetition") if key in missing and key not in keys]
        if fold_keys and vocabulary.names_folds(level):
            keys[fold_keys[0]] = level
            levels.remove(level)
    open_keys = [key for key in ("algorithm", "dataset") if key in missing]
    if len(levels) == 2 and len(open_keys) == 2:
        names_models = [bool(vocabulary.model_among(set(level))) for level in levels]
        if names_models[0] == names_models[1]:
            raise _unclear(names, levels, "folders")
        keys["algorithm"], keys["dataset"] = levels if names_models[0] else levels[::-1]
    elif levels and open_keys:
        keys[open_keys[0]] = ["/".join(parts) for parts in zip(*levels, strict=True)]
    return [{key: level[i] for key, level in keys.items()} for i in range(len(names))]


def _check_names(names: Sequence[str], *, crossed: bool) -> None:
    """Raise DataError for equal names or, if `crossed`, ambiguous ones: iris_rf, iris_svm, wine_rf and wine_svm."""
    if duplicates := [name for name in names if names.count(name) > 1]:
        raise data_error(
            "equal file names", duplicates[0], n=names.count(duplicates[0]), name=duplicates[0]
        )
    words = [re.split(r"[\s_\-.]+", vocabulary.file_stem(name)) for name in names]
    if not crossed or len(set(map(len, words))) > 1:
        return
    levels = [level for level in zip(*words, strict=True) if len(set(level)) > 1]
    if len(levels) == 2 and len(set(levels[0])) * len(set(levels[1])) == len(names):
        raise _unclear(names, levels, "file names")


def _unclear(names: Sequence[str], levels: Sequence[Sequence[str]], what: str) -> DataError:
    first, second = (join_names(list(dict.fromkeys(level)), 3) for level in levels)
    return data_error("unclear folders", names[0], what=what, first=first, second=second)


def _quick_predictions(
    name: str, content: Content, mapping: Mapping, progress: Progress | None = None
) -> FileTable | None:
    """Return predictions read with Arrow, None if the file needs the general reader."""
    first_line, head_end = content[: content.find(b"\n") + 1], content.rfind(b"\n", 0, _HEAD) + 1
    n_marks = {mark: first_line.count(mark.encode()) for mark in ",;\t|"}
    if max(n_marks.values()) > _WIDE or not n_marks[","] + n_marks[";"] + n_marks["\t"]:
        return None  # before the head is parsed
    if (
        mapping.encoding
        or len(content) < _SMALLEST
        or not head_end
        or content[:1] in (b"\x1f", b"\xff", b"\xfe")
    ):
        return None
    try:
        head = text_table.parse_delimited(name, *text_table.decode_text(name, content[:head_end]))
        named = {*vocabulary.guess_roles(head.frame).values(), *mapping.roles.values()}
        if "true" not in named or named.isdisjoint(("score", "predicted")):
            return None  # before the layout is inferred, as it is once more for the whole file
        layout_match = table_layout.accept_or_ask(
            table_layout.infer_layout(head, mapping, several=False), mapping
        )
    except DataError:
        return None
    columns = list(head.frame.columns)
    roles = {name: role for name, role in layout_match.roles.items() if role != "ignore"}
    role_columns = {role: vocabulary.with_role(roles, role) for role in _COLUMNS}
    header = first_line.rstrip(b"\n").removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
    separators = (
        mark
        for mark in (",", ";", "\t")
        if [cell.strip() for cell in header.split(mark)] == columns
    )
    separator = next(separators, "")  # "" unless the first line is exactly the header
    if (
        head.notes
        or head.decimal_comma
        or not separator
        or ((quoted := content.find(b'"') >= 0) and content.find(b' "') >= 0)
        or layout_match.taken.layout != "predictions"
        or not role_columns["algorithm"]
        or not (role_columns["score"] or role_columns["predicted"])
        or any(len(names) > 1 for names in role_columns.values())
        or not set(roles.values()) <= {*_COLUMNS, "ignore"}
        or any(vocabulary.is_listed(column, "parts") for column in columns)
        or vocabulary.class_columns(columns)
        or any(
            vocabulary.is_listed(column, "times of instances")
            for column in role_columns["instance"]
        )
        or any(note.code in table_layout.NAMING for note in layout_match.taken.notes)
        or any(vocabulary.names_clusters(n) for n in columns if n not in mapping.roles)
    ):
        return None
    names = {role: names[0] for role, names in role_columns.items() if names}
    try:
        parsed = _parse(content, separator, head.frame, names, progress, quoted=quoted)
    except (
        ValueError,
        OverflowError,
        ImportError,
    ):  # those of pyarrow are ValueErrors, too; it may be missing
        return None
    n = len(parsed["true"])
    current_limits().check(name, "lines", n + 1)
    rows = pd.DataFrame(
        {**parsed, "file": predictions.same(name, n)}, index=pd.RangeIndex(2, n + 2), copy=False
    )
    return FileTable(rows=rows, layout="predictions", notes=table_layout.left_out(layout_match))


def _parse(
    content: Content,
    separator: str,
    head: pd.DataFrame,
    names: dict[str, str],
    progress: Progress | None,
    *,
    quoted: bool,
) -> dict[str, np.ndarray | pd.Categorical]:
    """Return the columns by role, categorical or numbers; raise ValueError if only the general reader can read them."""
    import pyarrow as pa
    from pyarrow import csv

    texts = pa.dictionary(pa.int32(), pa.string())
    column_types = dict.fromkeys(names.values(), texts)
    in_runs = [name for name in names.values() if head[name].ne(head[name].shift()).mean() < 0.25]
    column_types |= dict.fromkeys(
        in_runs, pa.binary()
    )  # numbering runs is faster than numbering every text
    if "score" in names:
        column_types[names["score"]] = pa.float64()
    if "instance" in names and head[names["instance"]].str.fullmatch(r"0|[1-9][0-9]{0,8}").all():
        column_types[names["instance"]] = pa.int32()
    of_letters = [
        name
        for name, kind in column_types.items()
        if kind == texts and head[name].str.len().eq(1).all()
    ]
    # letters are parsed faster than other texts; the second choice holds from the first block with
    # longer texts
    choices = [column_types | dict.fromkeys(of_letters, pa.binary(1)), column_types]
    buffer = pa.py_buffer(content)

    def parsed(span: tuple[int, int]) -> list["pa.Array"]:
        """Return the columns of one block of lines, of texts in runs the array with run ends."""
        start, end = span
        convert = csv.ConvertOptions(
            include_columns=list(column_types),
            column_types=(types := choices[0]),
            null_values=_NULLS,
            strings_can_be_null=False,
        )
        try:
            table = csv.read_csv(
                pa.BufferReader(buffer.slice(start, end - start)),
                csv.ReadOptions(
                    column_names=list(head.columns), block_size=end - start + 1, use_threads=False
                ),
                csv.ParseOptions(delimiter=separator, newlines_in_values=quoted),
                convert,
            )
        except pa.ArrowInvalid:
            if types is column_types:
                raise
            choices[0] = column_types
            return parsed(span)
        return [_encoded(column.combine_chunks()) for column in table.columns]

    spans = [*_spans(content, _BLOCK if not quoted else len(content))]
    blocks, rows = [], 0
    scores = np.empty(
        len(content) // len(head.columns) + 1
    )  # more than rows; memory is used when it is filled
    with ThreadPoolExecutor(_WORKERS) as pool:
        for block, (_, end_of_lines) in zip(pool.map(parsed, spans), spans, strict=True):
            blocks.append(block)
            end = rows + len(block[0])
            if "score" in names:  # the last column
                scores[rows:end] = block.pop().to_numpy(zero_copy_only=False)
            rows = end
            if progress:
                start = spans[0][0]
                progress(rows, round(rows * (len(content) - start) / (end_of_lines - start)))
        columns = dict(
            zip(names, pool.map(_column, zip(*blocks, strict=True), names), strict=False)
        )
    if not rows:
        raise ValueError
    if "score" in names:
        scores.resize(rows, refcheck=False)
        low, high = np.fmin.reduce(scores), np.fmax.reduce(scores)  # NaN if no score is known
        if not (np.isfinite(low) and np.isfinite(high)) or (
            "predicted" not in names and low >= 0 and high > 1
        ):
            raise ValueError
        columns["score"] = scores
    return columns


def _encoded(array: "pa.Array") -> "pa.Array":
    """Return texts in runs with run ends, single letters as codes, and others as they are."""
    import pyarrow as pa
    from pyarrow import compute

    if array.type == pa.binary():
        return compute.run_end_encode(array)
    return (
        array.dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))
        if array.type == pa.binary(1)
        else array
    )


def _spans(content: Content, size: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of blocks of complete lines below the header."""
    start = content.find(b"\n") + 1
    while start < len(content):
        end = content.find(b"\n", start + size) + 1 or len(content)
        yield start, end
        start = end


def _column(arrays: Sequence["pa.Array"], role: str) -> np.ndarray | pd.Categorical:
    """Return a parsed column as numbers or as a categorical; raise ValueError for unusual names or missing integers."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_integer(
        arrays[0].type
    ):  # array.to_numpy() raises ValueError for an instance without a number
        return np.concatenate([array.to_numpy() for array in arrays])
    lengths = [
        np.diff(array.run_ends, prepend=0)
        for array in arrays
        if types.is_run_end_encoded(array.type)
    ]
    coded = (
        [array.values.cast(pa.string()).dictionary_encode() for array in arrays]
        if lengths
        else arrays
    )
    if len({array.type for array in coded}) > 1:
        coded = [array.cast(pa.dictionary(pa.int32(), pa.string())) for array in coded]
    chunks = pa.chunked_array(coded).unify_dictionaries().chunks
    names = [
        current_limits().composed("", text).strip() for text in chunks[0].dictionary.to_pylist()
    ]
    if role in ("repetition", "fold"):
        names = [re.sub(r"^(\d+)\.0+$", r"\1", text) for text in names]
    absent: Sequence[str] = EMPTY if role == "true" else ("",) if role in predictions.FOLD else ()
    if any(text.lower() in absent or not {"\n", "\ufffd"}.isdisjoint(text) for text in names):
        raise ValueError
    if text_cells.has_odd_letters(names):  # the general reader removes them and says so
        raise ValueError
    indices, kind = [chunk.indices for chunk in chunks], predictions.code_kind(len(names))
    codes = np.concatenate(indices, dtype=kind, casting="unsafe")
    return predictions.to_category(
        np.repeat(codes, np.concatenate(lengths)) if lengths else codes, names
    )
