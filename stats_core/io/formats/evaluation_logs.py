"""Logs of language-model evaluations as one table of items: lm-evaluation-harness, Inspect and SWE-bench."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any, NamedTuple

import pandas as pd

from stats_core.core.errors import DataError
from stats_core.core.formatting import join_names
from stats_core.core.messages import Message, message
from stats_core.io import text_table, vocabulary
from stats_core.io.formats import binary, is_excel, json_records
from stats_core.io.formats.json_records import field_of
from stats_core.io.layouts.clusters import Likelihood, likelihood_of
from stats_core.io.problems import current_limits, data_error
from stats_core.io.text_cells import TextTable

_MARKS = (b'"doc_id"', b'"resolved', b'"eval"', b'"results"')  # one of them is in every log
_KINDS = ("samples", "inspect", "solved", "results")
_KEYS = ["benchmark", "model", "epoch", "item"]
_TIME = re.compile(r"_?(\d{4}-\d\d-\d\dT[\d.\-:]+)$")
_LONGEST_TEXT, _LONGEST_NAME = 300, 80  # characters kept of the text of an item, and of a document
_OF_SAMPLES = {
    "doc_id",
    "doc",
    "target",
    "arguments",
    "resps",
    "filtered_resps",
    "filter",
    "metrics",
}  # no scores
_LONGEST_COUNT = 9  # digits of a number of instances
_IDS = re.compile(r"(un)?(resolved|submitted|completed)_ids|(incomplete|error|empty_patch)_ids")


class _Log(NamedTuple):
    """Parsed content of a file, with the parts of its path."""

    path: str
    stem: str  # without the time
    time: str
    kind: str  # as in `_KINDS`
    value: Any

    @property
    def folder(self) -> str:
        """The last folder in the path, "" without one."""
        return "/".join(self.path.split("/")[-2:-1])


def _kind(value: Any) -> str:
    """Return "samples" or "results" of lm-evaluation-harness, "inspect", "solved" (of SWE-bench), or ""."""
    if not isinstance(value, dict) or "doc_id" in value:
        records = value if isinstance(value, list) else [value]
        is_sample = [
            isinstance(r, dict) and "doc_id" in r and len(_OF_SAMPLES & r.keys()) > 1
            for r in records
        ]
        return "samples" if is_sample and all(is_sample) else ""
    if isinstance(value.get("eval"), dict) and "model" in value["eval"]:
        return "inspect"
    if isinstance(value.get("resolved_ids", value.get("resolved")), list):
        return "solved"
    if json_records.is_harness(value):
        return "samples" if isinstance(value.get("samples"), dict) else "results"
    return ""


class _EvaluationRun(NamedTuple):
    """Records of one model on one benchmark, with the time and the file they are from."""

    model: str
    benchmark: str
    time: str
    records: list[dict]
    log: _Log


class _Answer(NamedTuple):
    """Scores of one model on one item, and the item's text and documents."""

    benchmark: str
    model: str
    epoch: str
    item: str
    scores: dict[str, Any]
    about: dict[str, str]


def table_of_logs(sources: Sequence[tuple[str, bytes]], encoding: str = "") -> TextTable | None:
    """Return the table of all items in evaluation logs, None if no file is a log with items."""
    notes = list[Message]()
    logs = [
        _parsed(
            path,
            content,
            encoding if len(sources) == 1 else text_table.encoding_for(content, encoding),
            notes,
        )
        for path, content in sources
    ]
    of_kind = {kind: [log for log in logs if log and log.kind == kind] for kind in _KINDS}
    samples, inspected, solved, results = of_kind.values()
    read = samples + inspected + solved
    if not read:
        return None
    others = [
        content for (_, content), log in zip(sources, logs, strict=True) if solved and log is None
    ]
    lists = [names for content in others if (names := _names_in(content))]
    try:
        answers = [
            *_of_samples(samples, results, notes),
            *_of_inspect(inspected, notes),
            *_of_solved(solved, lists, notes),
        ]
    except DataError:
        raise
    except (
        AttributeError,
        KeyError,
        IndexError,
        TypeError,
        ValueError,
    ) as error:  # other objects than in a log
        raise data_error("broken log", read[0].path, error=error) from None
    used = len(read) + len(results) + len(lists)
    if used < len(sources):
        notes.append(message("files beside logs", n=len(sources) - used))
    return _table(join_names(vocabulary.short_paths([log.path for log in read]), 2), answers, notes)


def _parsed(path: str, content: bytes, encoding: str, notes: list[Message]) -> _Log | None:
    """Return a log, adding notes on its encoding, None for another file."""
    text_notes: list[Message] = []
    value = _unzipped(path, content)
    if value is None:
        is_json = content[:512].lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in (b"{", b"[")
        if not is_json or not any(mark in content for mark in _MARKS):
            return None
        try:
            text, text_notes = text_table.decode_text(path, content, encoding)
            value = json_records.parsed(path, text)
        except (DataError, RecursionError):
            return None  # reported by the reader of other JSON
    path = path.replace("\\", "/")
    stem = vocabulary.file_stem(path)
    time = _TIME.search(stem)
    kind = _kind(value)
    notes += text_notes if kind else []
    return (
        _Log(path, stem[: time.start()] if time else stem, time[1] if time else "", kind, value)
        if kind
        else None
    )


def _unzipped(name: str, content: bytes) -> dict[str, Any] | None:
    """Return the zip file of an Inspect log as the object that its JSON format holds, None for another file."""
    if not content.startswith(binary.ZIP) or is_excel(content):
        return None
    packed = binary.opened(name, content)
    infos = {info.filename: info for info in packed.infolist()}
    head = next((n for n in binary.LOG_HEADS if n in infos), "")
    if not head:
        return None
    samples = [n for n in infos if n.startswith("samples/") and n.endswith(".json")]
    wanted = [head, *(["summaries.json"] if "summaries.json" in infos else samples)]
    current_limits().check_unpacked(name, len(content), sum(infos[n].file_size for n in wanted))
    values = []
    for part in wanted:
        with binary.archive_boundary(name):
            text = binary.read_member(packed, content, infos[part]).decode()
        values.append(json_records.parsed(part, text))
    return {**values[0], "samples": values[1] if wanted[1:] == ["summaries.json"] else values[1:]}


def _of_samples(logs: list[_Log], results: list[_Log], notes: list[Message]) -> Iterator[_Answer]:
    """Yield the answers in samples of lm-evaluation-harness; models are named by results, folders or times."""
    runs, better = [], dict[str, bool]()
    described = [log for log in (*results, *logs) if isinstance(log.value, dict)]
    models = {id(log): json_records.model_of(log.value) for log in described}
    by_time, by_folder = (_grouped(results, name) for name in ("time", "folder"))
    for log in logs:
        records = log.value if isinstance(log.value, list) else [log.value]
        is_whole = "samples" in records[0]  # results with samples
        same_run = by_time.get(log.time) or by_folder.get(log.folder, [])
        names = {models[id(r)] for r in ([log] if is_whole else same_run)} - {""}
        model = names.pop() if len(names) == 1 else log.folder.replace("__", "/")
        task = (
            log.stem.removeprefix("samples_")
            if log.stem.startswith("samples_")
            else str(records[0].get("task", ""))
        )
        runs += [_EvaluationRun(model, *part, log) for part in _blocks(log, task, notes)]
    if not results and len({run[:2] for run in runs}) < len(runs):  # several models in one folder
        runs = [run._replace(model=run.log.time or run.log.stem) for run in runs]
        notes.append(message("models named after files"))
    for log in (*results, *logs):
        better |= json_records.directions_of(log.value)
    for run in _latest(runs, notes):
        for record in run.records:
            part = field_of(record, "filter", str)
            listed = [k for k in field_of(record, "metrics", list) if isinstance(k, str)] or [
                k for k in record if k not in _OF_SAMPLES and not k.endswith("_hash")
            ]
            scores = {
                json_records.header_of(k, part, better): record[k] for k in listed if k in record
            }
            yield _Answer(
                run.benchmark,
                run.model,
                "",
                str(record["doc_id"]),
                scores,
                _about(record.get("doc")),
            )


def _blocks(log: _Log, task: str, notes: list[Message]) -> Iterator[tuple[str, str, list[dict]]]:
    """Yield task, time and records of each task in samples, and note other records."""
    value = log.value
    if isinstance(value, dict) and "samples" in value:
        n_others = 0
        for name in value["samples"]:
            block = field_of(value["samples"], name, list)
            records = [r for r in block if isinstance(r, dict) and "doc_id" in r]
            n_others += len(block) - len(records)
            yield name, log.time, records
        if n_others:
            notes.append(message("records left out", file=log.path, n=n_others))
    else:
        yield task, log.time, value if isinstance(value, list) else [value]


def _of_inspect(logs: list[_Log], notes: list[Message]) -> Iterator[_Answer]:
    """Yield the answers in logs of Inspect; a model with other settings of the same task is another model."""
    runs, settings = [], []
    for log in logs:
        about = log.value["eval"]
        task, listed = str(about.get("task", "")), field_of(log.value, "samples", list)
        samples = [s for s in listed if isinstance(s, dict) and "id" in s]
        if len(samples) < len(listed):
            n_others = len(listed) - len(samples)
            notes.append(message("records left out", file=log.path, n=n_others))
        runs.append(
            _EvaluationRun(str(about["model"]), task, str(about.get("created", "")), samples, log)
        )
        own = {
            "solver": about.get("solver"),
            **field_of(about, "task_args", dict),
            **field_of(about, "model_args", dict),
        }
        settings.append({key: str(value) for key, value in own.items() if value is not None})
    named, uses = [], Counter[tuple]()
    sizes = Counter(run[:2] for run in runs)
    for run, own in zip(runs, settings, strict=True):
        uses.update((run[:2], *item) for item in own.items())
    for run, own in zip(runs, settings, strict=True):
        varied = [
            f"{key}={value}"
            for key, value in own.items()
            if uses[run[:2], key, value] < sizes[run[:2]]
        ]
        named.append(
            run._replace(model=f"{run.model} ({', '.join(varied)})" if varied else run.model)
        )
    for run in _latest(named, notes):
        for sample in run.records:
            scores: dict[str, Any] = {}
            for name, score in field_of(sample, "scores", dict).items():
                value = score.get("value") if isinstance(score, dict) else score
                parts = value if isinstance(value, dict) else {"": value}
                parts = {f"{name}.{key}".strip("."): part for key, part in parts.items()}
                scores |= {
                    f"score_{key}" if part in ("C", "I", "P", "N") else key: part
                    for key, part in parts.items()
                }
            text = sample.get("input")
            messages = (
                [m.get("content") for m in text if isinstance(m, dict)]
                if isinstance(text, list)
                else [text]
            )
            metadata = field_of(sample, "metadata", dict)
            about = _about({**metadata, "question": (messages or [""])[-1]})
            yield _Answer(
                run.benchmark,
                run.model,
                str(sample.get("epoch", "")),
                str(sample.get("id")),
                scores,
                about,
            )


def _latest(runs: Sequence[_EvaluationRun], notes: list[Message]) -> list[_EvaluationRun]:
    """Return the latest run of each model on each benchmark, and note the others."""
    latest = {run[:2]: run for run in sorted(runs, key=lambda run: run.time)}
    if len(runs) > len(latest):
        notes.append(message("earlier runs left out", n=len(runs) - len(latest)))
    return [run for run in runs if latest[run[:2]] is run]


def _of_solved(logs: list[_Log], lists: list[set[str]], notes: list[Message]) -> Iterator[_Answer]:
    """Yield whether each instance is in the lists of solved ones; instances without an answer are not solved."""
    instances = {
        _plain(name)
        for log in logs
        for key in log.value
        if _IDS.fullmatch(key)
        for name in field_of(log.value, key, list)
    }
    instances = instances.union(*lists)
    if (
        logs
        and not lists
        and not any({"unresolved_ids", "submitted_ids"} & log.value.keys() for log in logs)
    ):
        raise data_error("no list of instances", logs[0].path)
    current_limits().check_built(logs[0].path if logs else "", len(instances) * len(logs), 0)
    total = max((_count(log.value.get("total_instances")) for log in logs), default=0)
    if total > len(instances):
        notes.append(message("instances of no model", n=total - len(instances), total=total))
    names = [log.stem for log in logs]
    if len(set(names)) < len(names):  # results.json in folders
        names = [
            name.rpartition("/")[0] for name in vocabulary.short_paths([log.path for log in logs])
        ]
    if len(set(names)) < len(names):
        raise data_error("equal file names", logs[0].path, n=len(logs), name=logs[0].stem)
    for name, log in zip(names, logs, strict=True):
        key = "resolved_ids" if "resolved_ids" in log.value else "resolved"
        solved = set(map(_plain, field_of(log.value, key, list)))
        for item in sorted(instances | solved):
            yield _Answer("SWE-bench", name, "", item, {"resolved": item in solved}, {})


def _grouped(logs: list[_Log], name: str) -> dict[str, list[_Log]]:
    """Return logs by one of their attributes."""
    groups: dict[str, list[_Log]] = {}
    for log in logs:
        groups.setdefault(getattr(log, name), []).append(log)
    return groups


def _plain(value: Any) -> str:
    """Return an ID as text; an object or list, which is none, as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _count(value: Any) -> int:
    """Return a number of instances, 0 if it is none or longer than any list of instances."""
    is_count = isinstance(value, str) and value.isascii() and value.isdigit()
    return int(value) if is_count and len(value) <= _LONGEST_COUNT else 0


def _names_in(content: bytes) -> set[str]:
    """Return the names in a JSON list or in a text with one name per line, an empty set for other files."""
    text = content.decode(errors="replace").strip()
    with suppress(ValueError):
        value = json.loads(text)
        return (
            set(value)
            if isinstance(value, list) and all(isinstance(name, str) for name in value)
            else set()
        )
    return set() if re.search(r"[ ,;\t]", text) else set(text.split())


def _number(value: Any) -> str | None:
    """Return a score as text, "" if missing; None if it is no number, mark or grade."""
    if isinstance(value, bool):
        return str(int(value))
    if value in ("C", "I", "P", "N", None):
        return value or ""
    with suppress(ValueError, TypeError):
        return value if float(value) == float(value) else ""
    return None


def _about(doc: Any) -> dict[str, str]:
    """Return the text of an item, under "question", and the fields that several items may share."""
    texts = {
        k: v
        for k, v in (doc if isinstance(doc, dict) else {"question": doc}).items()
        if isinstance(v, str) and v
    }
    keys = {vocabulary.normalized_name(key): key for key in texts}
    usual = [keys[name] for name in vocabulary.WORDS["texts of items"] if name in keys]
    likely = [*vocabulary.WORDS["clusters of items"]]
    likely += [name for name in keys if name not in likely and _may_be_shared(keys[name])]
    shared = {keys[name]: texts[keys[name]] for name in likely if name in keys}
    longest = sorted(texts.keys() - shared.keys(), key=lambda key: (-len(texts[key]), key))
    question = texts[[*usual, *longest][0]][:_LONGEST_TEXT] if texts.keys() - shared.keys() else ""
    return {key: _short(text) for key, text in shared.items()} | {"question": question}


def _may_be_shared(key: str) -> bool:
    """Return whether a field has the name of units or categories of items, not of answers."""
    is_answer = vocabulary.mentions(key, "answers of instances")
    return not is_answer and likelihood_of(key) is not Likelihood.UNKNOWN


def _short(text: str) -> str:
    """Return a text on one line, of a long one its beginning and a checksum."""
    text = " ".join(text.split())
    return (
        text
        if len(text) <= _LONGEST_NAME
        else f"{text[:60]}... {sha256(text.encode()).hexdigest()[:6]}"
    )


def _table(name: str, answers: list[_Answer], notes: list[Message]) -> TextTable:
    """Return one row per model, epoch and item, also for items that only other models answered."""
    rows = pd.DataFrame([answer[:4] for answer in answers], columns=_KEYS)
    n_built = rows[_KEYS[:3]].drop_duplicates().groupby("benchmark").size()
    n_built *= rows[["benchmark", "item"]].drop_duplicates().groupby("benchmark").size()
    current_limits().check_built(name, int(n_built.sum()), len(answers))
    numbers = [{key: _number(value) for key, value in answer.scores.items()} for answer in answers]
    n_names = len({key for scored in numbers for key in scored})
    current_limits().check_built(
        name, n_names * len(numbers) - sum(map(len, numbers)), 0
    )  # cells without a score
    scores = (
        pd.concat([rows, pd.DataFrame(numbers, dtype=object)], axis=1)
        .groupby(_KEYS, sort=False)
        .first()
    )
    scores = scores.dropna(axis=1, how="all")
    if not scores.replace("", None).notna().any(axis=None):
        raise data_error("log without scores", name)
    about = pd.concat(
        [rows[["benchmark", "item"]], pd.DataFrame([answer.about for answer in answers])], axis=1
    )
    by_item = about.groupby(["benchmark", "item"], sort=False)
    if "question" in about and ((texts := by_item["question"].nunique()) > 1).mean() > 0.5:
        raise data_error(
            "other items", name, n=int((texts > 1).sum()), item=texts.index[texts > 1][0][1]
        )
    scores = _comparable(scores, notes)
    measured = set(scores.index.get_level_values("benchmark"))
    items = by_item.first().drop(columns=list(scores), errors="ignore").reset_index()
    runs = rows.loc[rows["benchmark"].isin(measured), _KEYS[:3]].drop_duplicates()
    table = runs.merge(items, on="benchmark").merge(scores.reset_index(), on=_KEYS, how="left")
    used = [key for key in _KEYS if key != "epoch" or table["epoch"].nunique() > 1]
    table = table[[*used, *scores, *items.columns[2:]]].fillna("").astype(str)
    texts = text_table.texts_of(table)
    return text_table.as_table(name, texts.set_axis(range(1, len(texts) + 1)), notes)


def _comparable(scores: pd.DataFrame, notes: list[Message]) -> pd.DataFrame:
    """Return the scores that all benchmarks have; else the first of each as accuracy, if these are marks.

    If they are not, the scores of most benchmarks are returned. What is left out is noted.
    """
    present = scores.notna().groupby("benchmark", sort=False).any()
    if unmeasured := [name for name, row in present.iterrows() if not row.any()]:
        notes.append(message("data sets not measured", names=tuple(unmeasured)))
        present, scores = present.drop(unmeasured), scores.drop(unmeasured, level="benchmark")
    shared = [column for column in present if present[column].all()]
    if not shared:
        firsts = {name: row.idxmax() for name, row in present.iterrows()}
        of = scores.index.get_level_values("benchmark").map(firsts)
        first = pd.Series(
            [row[column] for column, (_, row) in zip(of, scores.iterrows(), strict=True)],
            scores.index,
        )
        if set(first.dropna()) <= {"0", "1", "0.0", "1.0", ""}:
            texts = {
                c: join_names([b for b in firsts if firsts[b] == c], 3)
                for c in dict.fromkeys(firsts.values())
            }
            named = tuple(
                f"{vocabulary.split_declared_role(c)[0]} on {text}" for c, text in texts.items()
            )
            notes.append(message("accuracy of benchmarks", measures=named))
            return first.to_frame("accuracy")
        shared = [present.sum().idxmax()]
    if unused := [
        vocabulary.split_declared_role(column)[0] for column in scores if column not in shared
    ]:
        notes.append(message("measures of some benchmarks", measures=tuple(unused)))
    return scores[shared].dropna(how="all") if len(shared) == 1 else scores[shared]
