"""Reader of JSON: records, columns, JSON Lines, and lm-evaluation-harness output."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, TypeVar

from stats_core.core.messages import Message, message
from stats_core.io import text_table, vocabulary
from stats_core.io.problems import current_limits, data_error
from stats_core.io.text_cells import TextTable

T = TypeVar("T", dict, list, str)


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
# an escape sequence; the group holds a surrogate that is in no pair
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def field_of(value: Any, key: str, kind: type[T]) -> T:
    """Return a field of an object if it is of a kind, else the empty value of this kind."""
    part = value.get(key) if isinstance(value, dict) else None
    return part if isinstance(part, kind) else kind()


def read_json(name: str, text: str, notes: Sequence[Message] = ()) -> TextTable:
    """Return JSON as a table whose numbers keep their digits; raise DataError if it is broken or no table."""
    if text.count("[") == 1 and not re.match(r"\s*(\[\s*)?\{", text):
        raise data_error("json without records", name)
    current_limits().check(name, "markup", text.count('{"') + text.count("{}"))
    try:
        records, record_notes = _records(name, parsed(name, text))
        header = list(dict.fromkeys(key for record in records for key in record))
        if len(header) < 2:
            raise data_error("json without records", name)
        current_limits().check_built(name, len(records) * len(header), sum(map(len, records)))
        rows = [[record.get(key, "") for key in header] for record in records]
        n_blank = sum(not any(map(str.strip, row)) for row in rows)
        if n_blank:
            record_notes = [*record_notes, message("records left out", file=name, n=n_blank)]
    except RecursionError:
        raise data_error("json nested", name) from None
    all_rows = [header, *rows]
    table = text_table.table_from_rows(name, list(enumerate(all_rows, 1)), [*notes, *record_notes])
    return text_table.first_numbers(table)


def parsed(name: str, text: str) -> Any:
    """Return the value of a JSON text, or the list of values of JSON Lines; DataError for others.

    Lone surrogates, which no other text can hold, are replaced.
    """
    if _SURROGATE.search(text):
        text = _ESCAPE.sub(lambda escape: "\\ufffd" if escape[1] else escape[0], text)

    def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Return an object; raise DataError for two values of one key."""
        record = dict(pairs)
        for key, value in pairs if len(record) < len(pairs) else ():
            if value != record[key]:
                raise data_error(
                    "json repeats a key", name, key=key, first=str(value), second=str(record[key])
                )
        return record

    decode = json.JSONDecoder(
        parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=unique_keys
    ).decode
    try:
        return decode(text)
    except json.JSONDecodeError as error:
        line, decode_error = error.lineno, error
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and line > 1 and decode_error.msg == "Extra data":
        for line_number, line_text in enumerate(lines, 1):
            try:
                lines[line_number - 1] = decode(line_text)
            except json.JSONDecodeError:
                raise data_error("json broken", name, line=line_number) from None
        return lines
    raise data_error("json broken", name, line=line)


_Records = tuple[list[dict[str, str]], list[Message]]


def _records(name: str, value: Any) -> _Records:
    """Return records and notes of a parsed JSON value with a supported structure; raise DataError for others."""
    if _is_records(value):
        if max(map(len, value)) < 2 and not any(
            isinstance(v, dict) for record in value for v in record.values()
        ):
            raise data_error("json without records", name)
        return [_flattened(record) for record in value], []
    if isinstance(value, list) and len(value) > 1 and all(isinstance(row, list) for row in value):
        n_cells = sum(map(len, value))
        current_limits().check_built(name, n_cells, n_cells)
        cells = [list(map(_text, row)) for row in value]
        return _named(name, cells[0], cells[1:]), []
    if not isinstance(value, dict):
        raise data_error("json without records", name)
    inner = list(value.values())
    if is_harness(value):
        return list(_harness(name, value)), []
    for head, body in (("columns", "data"), ("header", "rows")):  # the second is of HELM
        if isinstance(value.get(head), list) and isinstance(value.get(body), list):
            cells = [list(map(_value, item)) for item in value[body] if isinstance(item, list)]
            n_others = len(value[body]) - len(cells)
            notes = [message("records left out", file=name, n=n_others)] if n_others else []
            return _named(name, list(map(_value, value[head])), cells), notes
    lists = {key: item for key, item in value.items() if _is_records(item)}
    if (
        inner
        and not lists
        and all(isinstance(item, list) for item in inner)
        and len({*map(len, inner)}) == 1
    ):
        rows = zip(*([_text(cell) for cell in item] for item in inner), strict=True)
        return [dict(zip(value, row, strict=True)) for row in rows], []
    if text_table.is_folds(value):
        return [
            {key: _text(item) for key, item in r.items()} for r in text_table.fold_records(value)
        ], []
    if lists:
        key = max(lists, key=lambda k: len(lists[k]))
        return [_flattened(item) for item in lists[key]], [message("records under a key", key=key)]
    if len(inner) == 1 and _is_nested(inner[0]):
        return _records(name, inner[0])
    if inner and all(isinstance(item, dict) for item in inner):
        # DataFrame.to_json
        if all(list(item) == list(map(str, range(len(item)))) for item in inner):
            columns = ([_text(cell) for cell in item.values()] for item in inner)
            filled = zip_longest(*columns, fillvalue="")
            return [dict(zip(value, row, strict=True)) for row in filled], []
        parts = [(outer, key, part) for outer, item in value.items() for key, part in item.items()]
        if (
            all(map(_is_nested, inner)) and len({tuple(scores) for *_, scores in parts}) == 1
        ):  # by model and task
            return [
                {"key 1": outer, "key 2": key, **_flattened(scores)} for outer, key, scores in parts
            ], []
        return [{"": key, **_flattened(item)} for key, item in value.items()], []
    raise data_error("json of one object", name, n=len(value))


def _named(name: str, header: list[str], rows: list[list[str]]) -> list[dict[str, str]]:
    """Return rows as records; DataError for a row with values beyond the header."""
    for number, row in enumerate(rows, 2):
        if any(row[len(header) :]):
            raise data_error("too many values", name, number, width=len(header), cells=len(row))
    return [dict(zip(header, row, strict=False)) for row in rows]


def _value(cell: Any) -> str:
    """Return a cell as text; an object is represented by its "value", "" if it has none."""
    return _text(cell.get("value") if isinstance(cell, dict) else cell)


def _is_records(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(record, dict) for record in value)
    )


def _is_nested(value: Any) -> bool:
    """Return whether a value is a nonempty object whose values are all objects."""
    return (
        isinstance(value, dict) and bool(value) and all(isinstance(v, dict) for v in value.values())
    )


def _flattened(record: dict) -> dict[str, str]:
    """Return a record with the keys of nested objects joined by a dot; deeper objects remain JSON text."""
    flat: dict[str, str] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            flat |= {f"{key}.{inner}": _text(nested) for inner, nested in value.items()}
        else:
            flat[key] = _text(value)
    return flat


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def is_harness(value: dict) -> bool:
    """Return whether an object is output of lm-evaluation-harness or of a tool with that format."""
    metadata_keys = {"config", "configs", "versions", "config_general", "model_name", "n-shot"}
    return _is_nested(value.get("results")) and not metadata_keys.isdisjoint(value)


def directions_of(value: Any) -> dict[str, bool]:
    """Return whether higher is better, by measure, as results of lm-evaluation-harness state it; {} for others."""
    ways = field_of(value, "higher_is_better", dict)
    return {
        name: way
        for task in ways
        for name, way in field_of(ways, task, dict).items()
        if isinstance(way, bool)
    }


def header_of(measure: str, part: str, higher_is_better: dict[str, bool]) -> str:
    """Return the header of a measure and filter, with the direction if this is known but not implied by the header."""
    header = f"{measure} {part}" if part not in ("", "none") else measure
    higher = higher_is_better.get(measure, vocabulary.direction_of(measure) == "higher")
    if (
        vocabulary.direction_of(header)
        or measure not in higher_is_better
        and not vocabulary.direction_of(measure)
    ):
        return header
    return f"{header} ({'higher' if higher else 'lower'} is better)"


def _harness(name: str, value: dict) -> Iterator[dict[str, str]]:
    """Yield model, task and scores of each task that is no group of others; the folder or file may name the model."""
    groups, better = field_of(value, "group_subtasks", dict), directions_of(value)
    model = model_of(value) or name.rpartition("/")[0] or vocabulary.file_stem(name)
    for task, task_scores in value["results"].items():
        parts = [part for part in field_of(groups, task, list) if isinstance(part, str)]
        if not value["results"].keys().isdisjoint(parts):
            continue
        scores = {
            header_of(key.partition(",")[0], key.partition(",")[2], better): _text(score)
            for key, score in task_scores.items()
            if key != "alias"
        }
        yield {"model": model, "task": task, **scores}


def model_of(value: dict) -> str:
    """Return the name of the model, with its revision unless that is "main"; "" if unknown."""
    config, general = (field_of(value, key, dict) for key in ("config", "config_general"))
    arguments = config.get("model_args")
    if isinstance(arguments, str):
        arguments = dict(part.partition("=")[::2] for part in arguments.split(","))
    arguments = arguments if isinstance(arguments, dict) else {}
    names = [
        arguments.get("pretrained"),
        arguments.get("model"),
        value.get("model_name"),
        general.get("model_name"),
    ]
    model = next(
        (text for text in [*names, config.get("model")] if isinstance(text, str) and text), ""
    )
    revision = field_of(arguments, "revision", str)
    return f"{model} {revision}" if model and revision not in ("", "main") else model
