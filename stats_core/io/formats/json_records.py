"""JSON: records, columns, records in lines, and results of lm-evaluation-harness."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from stats_core.core.formatting import format_count
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.numbers import NumericTable
from stats_core.io.formats.cell_grid import first_numbers, table_from_rows
from stats_core.io.in_memory import fold_records, is_folds
from stats_core.io.limits import current_limits
from stats_core.io.profile import file_stem
from stats_core.io.text_table import file_error

_MUST = "needs records: a list of objects with the same keys, or columns as lists of one length"
_DO = "Write a list of records, one for each result, or a CSV"


def is_json(text: str) -> bool:
    """Tell whether a text starts as JSON does."""
    return re.match(r"\s*(\{\s*[\"}]|\[\s*[\[{\]\"0-9-])", text) is not None


def read_json(name: str, text: str, notes: Sequence[Message] = ()) -> NumericTable:
    """Read JSON as a table; numbers keep their digits."""
    try:
        records, more = _records(name, _parsed(name, text))
        header = list(dict.fromkeys(key for record in records for key in record))
        current_limits().check_size(name, len(records), len(header))
        rows = [[record.get(key, "") for key in header] for record in records]
    except RecursionError:
        raise file_error(name, _MUST, "It is nested too deeply", _DO) from None
    numbered = [(i, list(map(_sound, cells))) for i, cells in enumerate([header, *rows], 1)]
    return first_numbers(table_from_rows(name, numbered, [*notes, *more]))


def _parsed(name: str, text: str) -> Any:
    """Return the value of a text in JSON, or of one record in each line."""
    read = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str).decode
    try:
        return read(text)
    except json.JSONDecodeError as error:
        line, whole = error.lineno, error
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and line > 1 and whole.msg == "Extra data":
        for at, one in enumerate(lines, 1):
            try:
                lines[at - 1] = read(one)
            except json.JSONDecodeError:
                raise _broken(name, at) from None
        return lines
    raise _broken(name, line)


def _broken(name: str, line: int) -> Exception:
    found = f"It breaks off, or is written wrongly, in line {line}"
    return file_error(name, "needs complete JSON", found, "Write it again, or write a CSV")


Records = tuple[list[dict[str, str]], list[Message]]


def _records(name: str, value: Any) -> Records:
    if isinstance(value, dict):
        return _of_object(name, value)
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        return [_flat(one) for one in value], []
    if isinstance(value, list) and len(value) > 1 and all(isinstance(one, list) for one in value):
        header = [_text(cell) for cell in value[0]]
        return [_row(header, one) for one in value[1:]], []
    raise file_error(name, _MUST, "Found none", _DO)


def _of_object(name: str, value: dict) -> Records:
    """Return the records of an object, which may hold them in one of a few ways."""
    inner = list(value.values())
    if _is_harness(value):
        return list(_harness(name, value)), []
    if isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
        header = [_text(cell) for cell in value["columns"]]
        return [_row(header, one) for one in value["data"] if isinstance(one, list)], []
    if isinstance(value.get("header"), list) and isinstance(value.get("rows"), list):  # HELM's
        header = [_value(cell) for cell in value["header"]]
        return [_row(header, list(map(_value, one))) for one in value["rows"]], []
    if inner and all(isinstance(one, list) for one in inner) and len({*map(len, inner)}) == 1:
        rows = zip(*([_text(cell) for cell in one] for one in inner), strict=True)
        return [dict(zip(value, row, strict=True)) for row in rows], []
    if is_folds(value):
        return [{key: _text(one) for key, one in r.items()} for r in fold_records(value)], []
    lists = {key: one for key, one in value.items() if _is_records(one)}
    if lists:
        key = max(lists, key=lambda one: len(lists[one]))
        return [_flat(one) for one in lists[key]], [message("records under a key", key=key)]
    if len(inner) == 1 and _is_nested(inner[0]):
        return _of_object(name, inner[0])
    if inner and all(isinstance(one, dict) for one in inner):
        if all(list(one) == list(map(str, range(len(one)))) for one in inner):  # by pandas
            rows = zip(*([_text(cell) for cell in one.values()] for one in inner), strict=False)
            return [dict(zip(value, row, strict=True)) for row in rows], []
        return [{"": key, **_flat(one)} for key, one in value.items()], []
    raise file_error(name, _MUST, f"Found one object with {format_count(len(value), 'key')}", _DO)


@message_text("records under a key")
def _records_under_a_key(voice: Audience, key: str) -> str:
    return f'The records under "{key}" were read; the rest of the file was left.'


def _value(cell: Any) -> str:
    """Return what a cell shows, which may be an object with more about it."""
    return _text(cell.get("value") if isinstance(cell, dict) else cell)


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _is_nested(value: Any) -> bool:
    """Tell whether a value is an object of objects, which then hold the results."""
    return (
        isinstance(value, dict) and bool(value) and all(isinstance(v, dict) for v in value.values())
    )


def _row(header: Sequence[str], cells: Any) -> dict[str, str]:
    return dict(
        zip(header, map(_text, cells if isinstance(cells, list) else [cells]), strict=False)
    )


def _flat(record: dict) -> dict[str, str]:
    """Return a record with the keys of objects within it joined by a dot."""
    flat: dict[str, str] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            flat |= {f"{key}.{inner}": _text(one) for inner, one in value.items()}
        else:
            flat[key] = _text(value)
    return flat


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _sound(text: str) -> str:
    """Replace halves of characters, which JSON can hold and no file."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def _is_harness(value: dict) -> bool:
    """Tell whether it is what lm-evaluation-harness, or one of its kin, writes."""
    found = value.get("results")
    about = {"config", "configs", "versions", "config_general", "model_name", "n-shot"}
    return (
        isinstance(found, dict)
        and bool(found)
        and all(isinstance(one, dict) for one in found.values())
        and bool(about & set(value))
    )


def _harness(name: str, value: dict) -> Iterator[dict[str, str]]:
    """Return one record for each task."""
    model = _model(value) or name.rpartition("/")[0] or file_stem(name)
    for task, found in value["results"].items():
        scores = {_score(key): _text(one) for key, one in found.items() if key != "alias"}
        yield {"model": model, "task": task, **scores}


def _score(key: str) -> str:
    """Return the name of a score without the filter of its answers, where none was used."""
    bare, _, answers = key.partition(",")
    return bare if answers in ("", "none") else f"{bare} {answers}"


def _model(value: dict) -> str:
    """Return the model's name, with its revision."""
    config = value.get("config")
    config = config if isinstance(config, dict) else {}
    general = value.get("config_general")
    arguments = config.get("model_args")
    if isinstance(arguments, str):
        arguments = dict(part.partition("=")[::2] for part in arguments.split(","))
    arguments = arguments if isinstance(arguments, dict) else {}
    told = (
        arguments.get("pretrained") or arguments.get("model") or arguments.get("engine"),
        value.get("model_name"),
        general.get("model_name") if isinstance(general, dict) else None,
        config.get("model"),
    )
    model = next((one for one in told if isinstance(one, str) and one), "")
    revision = arguments.get("revision")
    return f"{model} {revision}" if model and revision and revision != "main" else model
