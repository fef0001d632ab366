"""Fuzz tests of reading, analysis and page addresses.

    python -m benchmarks.fuzz 100000 --seed 1 --workers 2      files
    python -m benchmarks.fuzz 10000 --binary --seed 1          binary files and archives
    python -m benchmarks.fuzz 200 --addresses --seed 1         addresses of pages

Inputs are made from small tables by seeded mutations, addresses from valid, unusual and hostile
values, so each can be reproduced from its seed and number, which are printed with every failure:
`--again 1/4711`. Every twentieth file is analysed and reported, too; the others are only read.
Binary files are read in forked processes with limits, so that one that ends its process is found.
Progress is printed after every thousand files, and `--from` resumes a stopped run.
"""

import argparse
import faulthandler
import gzip
import io
import json
import logging
import multiprocessing
import os
import resource
import signal
import sys
import tarfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from stats_core.comparison.analyse import analyse
from stats_core.core.errors import FoldwiseError, InternalError, NeedsMapping
from stats_core.io.read import read_results
from stats_core.report.text_report import to_text

SECONDS = 2.0  # CPU seconds per input
MEGABYTES = 1_000  # memory limit of a process
WHOLE = 20  # one in this many inputs is analysed and reported
_AT_ONCE = 200  # inputs per task
_PER_LINE = 1_000  # inputs per line of progress
_TOKENS = ("", " ", *"nan NA inf -inf 1e999 -1 0 1 100 -999 1e-320 0x1F".split(), "9" * 500)
_TOKENS += (*"1,5 1.5.5 50%".split(), "0.9 \u00b1 0.1", *"1e5 True mean rank '=1+1".split())
_TOKENS += tuple("\u0455vm a\u0301\u0301 \u200b \u202e \" ' <b> $x$ {} [] | \\".split())
_TOKENS += tuple("dataset algorithm fold error accuracy true score tp seed std".split())
_TOKENS += (
    "_" * 200,
    "(" * 200,
    "1" + "(" * 100,
    "a_" * 100,
    "\\multicolumn{3}{c}{x}",
    "&",
    "2/3/4",
)


class TooSlow(BaseException):
    """Raised when an input exceeds its time limit."""


@cache
def corpus() -> list[bytes]:
    """Return small tables of every layout and format."""
    rng = np.random.default_rng(0)
    value = iter(rng.uniform(0.5, 0.95, 10_000).round(4))
    keys = [(d, a, f) for d in "pqr" for a in ("rf", "svm", "nb") for f in range(1, 6)]
    long = "dataset,algorithm,fold,accuracy,train_s\n" + "".join(
        f"{d},{a},{f},{next(value)},{next(value)}\n" for d, a, f in keys
    )
    wide = "set,rf,svm,nb,knn\n" + "".join(
        f"d{i},{next(value)},{next(value)},{next(value)},{next(value)}\n" for i in range(8)
    )
    counts = "dataset,algorithm,fold,tp,fp,tn,fn\n" + "".join(
        f"p,{a},{f},{30 - i},{i + f},{40 - f - i},{i}\n"
        for i, a in enumerate(("rf", "svm"))
        for f in range(1, 11)
    )
    cases = "dataset,algorithm,fold,id,true,score\n" + "".join(
        f"p,{a},{i % 3},{i},{i % 2},{next(value)}\n" for a in ("rf", "svm") for i in range(30)
    )
    rows = [line.split(",") for line in wide.splitlines()]
    rule = "|---" * len(rows[0]) + "|\n"
    markdown = "".join(f"| {' | '.join(row)} |\n" + rule * (i == 0) for i, row in enumerate(rows))
    latex = "\\begin{tabular}{lcccc}\n" + "".join(f"{' & '.join(r)} \\\\\n" for r in rows)
    json = (
        "[" + ",".join(f'{{"set": "{r[0]}", "rf": {r[1]}, "svm": {r[2]}}}' for r in rows[1:]) + "]"
    )
    arff = (
        "@relation x\n@attribute set string\n@attribute rf numeric\n@attribute svm numeric\n@data\n"
    )
    arff += "".join(f"{','.join(r[:3])}\n" for r in rows[1:])
    ranks = "algorithm,average rank\nrf,1.5\nsvm,2.25\nnb,2.25\n"
    wins = ",rf,svm,nb\nrf,,5/1/2,6/0/2\nsvm,2/1/5,,4/0/4\nnb,2/0/6,4/0/4,\n"
    blanks = "\n".join("  ".join(cell.ljust(8) for cell in row) for row in rows)
    texts = [long, wide, counts, cases, markdown, latex + "\\end{tabular}", json, arff, ranks, wins]
    texts += [blanks, long.replace(",", ";").replace(".", ","), wide.replace(",", "\t")]
    return [text.encode() for text in texts]


def mutated(seed: int, number: int, tables: list[bytes]) -> bytes:
    """Return one of `tables` after one to six random mutations, at most 200 kB; determined by seed and number."""
    rng = np.random.default_rng([seed, number])
    content = tables[rng.integers(len(tables))]
    for _ in range(int(min(6, rng.geometric(0.6)))):
        content = _WAYS[rng.integers(len(_WAYS))](rng, content, tables)
    return content[:200_000]


def _span(rng, size: int) -> tuple[int, int]:
    start = int(rng.integers(size + 1))
    return start, min(size, start + int(rng.integers(1, 40)))


def _flip(rng, content, tables):
    mutable = bytearray(content or b"\0")
    for position in rng.integers(len(mutable), size=int(rng.integers(1, 8))):
        mutable[position] = rng.integers(256)
    return bytes(mutable)


def _cut(rng, content, tables):
    start, end = _span(rng, len(content))
    return content[:start] + content[end:]


def _repeat(rng, content, tables):
    start, end = _span(rng, len(content))
    return content[:end] + content[start:end] * int(rng.integers(1, 60)) + content[end:]


def _truncate(rng, content, tables):
    return content[: int(rng.integers(len(content) + 1))]


def _splice(rng, content, tables):
    second = tables[rng.integers(len(tables))]
    return content[: rng.integers(len(content) + 1)] + second[rng.integers(len(second) + 1) :]


def _cells(change):
    """Return a mutation that changes the cells of a text."""

    def way(rng, content, tables):
        mark = b"," if content.count(b",") else b"\t" if content.count(b"\t") else b"|"
        rows = [line.split(mark) for line in content.split(b"\n")]
        change(rng, rows)
        return b"\n".join(mark.join(row) for row in rows)

    return way


def _nasty(rng, rows):
    for _ in range(int(rng.integers(1, 5))):
        row = rows[rng.integers(len(rows))]
        row[rng.integers(len(row))] = str(rng.choice(_TOKENS)).encode()


def _column(rng, rows):
    """Delete, duplicate or overwrite a column, in place."""
    position, kind = int(rng.integers(8)), rng.integers(4)
    token = str(rng.choice(_TOKENS)).encode()
    for row in rows:
        if kind == 0:
            del row[position : position + 1]
        elif kind == 1:
            row.insert(position, row[position] if position < len(row) else b"")
        elif position < len(row):
            row[position] = token if kind == 2 else row[0]


def _double(rng, rows):
    start = int(rng.integers(len(rows)))
    rows += rows[start : start + int(rng.integers(1, 40))]


_WAYS = (
    *(_flip, _cut, _repeat, _truncate, _splice),
    *map(_cells, (_nasty, _nasty, _column, _column, np.random.Generator.shuffle, _double)),
)


def outcome(content: bytes, *, whole: bool = True, name: str = "fuzz.csv") -> str:
    """Return the outcome of an input: "read", "answered" (also analysed), "asked", "asked again" or "refused".

    The input is analysed if `whole`; each question is answered by its first option. "asked" is a
    question without options, "asked again" a question after three answers. Unexpected errors are
    raised.
    """
    mapping = None
    for _ in range(4):
        try:
            results = read_results((name, content), mapping=mapping)
            if whole:
                to_text(analyse(results))
        except NeedsMapping as asked:
            if not asked.options:
                return "asked"
            mapping = replace(asked.options[0][1], n_datasets=9 * ("n_datasets" in asked.fields))
            mapping = replace(mapping, winner="row" if "winner" in asked.fields else "")
        except InternalError as error:
            raise error.__cause__ or error from None
        except FoldwiseError:
            return "refused"
        else:
            return "answered" if whole else "read"
    return "asked again"


def examined(content: bytes, *, whole: bool = True, name: str = "fuzz.csv") -> tuple[str, str]:
    """Return the outcome of an input, and as text its unexpected error with location, or where it timed out; else ""."""
    signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return outcome(content, whole=whole, name=name), ""
    except TooSlow as error:
        return "TOO SLOW", _location(error)
    except Exception as error:  # the test searches for unexpected exceptions
        return "FAILED", f"{type(error).__name__}: {str(error)[:80]} at {_location(error)}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _location(error: BaseException) -> str:
    """Return "file:line" of the last frame outside site-packages that an exception passed through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "site-packages" not in frame.filename]
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"


def _late(*_):
    raise TooSlow


def _task(number: int, seed: int) -> tuple[int, str, str, float]:
    """Return the number of an input, its outcome, error or location, and CPU seconds."""
    began = time.process_time()
    kind, location = examined(mutated(seed, number, corpus()), whole=number % WHOLE == 0)
    return number, kind, location, time.process_time() - began


def fuzz_files(options: argparse.Namespace) -> int:
    """Read the inputs and print their outcomes; return 1 if any fails or memory exceeds its limit."""
    ended, locations, total, longest = Counter(), Counter(), 0.0, (0.0, 0)
    numbers, work = range(options.start, options.n), partial(_task, seed=options.seed)
    with multiprocessing.get_context("spawn").Pool(
        options.workers, logging.disable, maxtasksperchild=50
    ) as pool:
        for number, kind, location, seconds in pool.imap(work, numbers, chunksize=_AT_ONCE):
            ended[kind] += 1
            total, longest = total + seconds, max(longest, (seconds, number))
            if location and location not in locations:
                print(f"{kind} {options.seed}/{number}: {location}", flush=True)
            locations[location] += bool(location)
            if (number + 1) % _PER_LINE == 0:
                print(f"to {options.seed}/{number + 1}: {dict(ended)}", flush=True)
        pool.close()
        pool.join()
    memory = (
        resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    )  # of the largest process
    print(
        f"seed {options.seed}: {len(numbers):,} inputs, {1e3 * total / max(len(numbers), 1):.1f} ms each, "
        f"longest {longest[0]:.2f} s (number {longest[1]}, at most {SECONDS:g}), largest process "
        f"{memory:,} MB (at most {MEGABYTES:,}), {locations.total()} failures: {dict(ended)}"
    )
    return int(bool(locations.total()) or memory > MEGABYTES)


# ---- binary files and archives

_OF_CHILD = 200  # inputs read by one child
_ADDRESSES = 4_000_000_000  # bytes that a child may reserve, together with what it inherits
_PATIENCE = 10  # CPU seconds per input after which a child is ended
_EXTREMES = (b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"\x80\0\0\0")


@cache
def binary_corpus() -> dict[str, bytes]:
    """Return small valid files of every binary format, and JSON: name -> content."""
    import pandas as pd
    import pyarrow as pa
    from pyarrow import feather, parquet

    long, wide = corpus()[:2]
    frame = pd.read_csv(io.BytesIO(long))
    coded = frame.astype({"algorithm": "category"})
    many = pa.table(_columns_of_many_types())
    log = '{"version":2,"eval":{"model":"m","task":"t","created":"2024"}}'
    samples = [
        json.dumps({"id": i, "epoch": 1, "input": "q", "scores": {"acc": {"value": "CI"[i % 2]}}})
        for i in range(8)
    ]
    files = {
        "table.xlsx": _written(lambda file: frame.to_excel(file, index=False)),
        "table.parquet": _written(frame.to_parquet),
        "coded.parquet": _written(lambda file: coded.to_parquet(file, compression="zstd")),
        "pages.parquet": _written(
            lambda file: parquet.write_table(
                many.drop_columns(["view"]), file, data_page_version="2.0", use_dictionary=False
            )
        ),
        "coded.feather": _written(lambda file: coded.to_feather(file, compression="zstd")),
    }
    for compression in ("uncompressed", "lz4", "zstd"):
        for name, table in (("table", pa.Table.from_pandas(frame)), ("many", many)):
            files[f"{name}.{compression}.feather"] = _written(
                partial(feather.write_feather, table, compression=compression)
            )
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        files[f"{method}.zip"] = _zip_of({"a.csv": long, "b/c.csv": wide}, method)
    files["workbooks.zip"] = _zip_of({"a.xlsx": files["table.xlsx"]}, zipfile.ZIP_STORED)
    files["log.eval"] = _zip_of(
        {"header.json": log} | {f"samples/{i}.json": each for i, each in enumerate(samples)},
        zipfile.ZIP_LZMA,
    )
    files["table.tar"] = _tar_of({"a.csv": long, "d" * 120 + "/b.csv": wide})
    files["table.tar.gz"] = gzip.compress(files["table.tar"], mtime=0)
    files["table.csv.gz"] = gzip.compress(long, mtime=0)
    files["table.json"] = frame.head(20).to_json(orient="records").encode()
    files["log.json"] = f'{log[:-1]},"samples":[{",".join(samples)}]}}'.encode()
    return files


def _columns_of_many_types() -> dict:
    """Return columns of every type that Feather files may have."""
    import pyarrow as pa

    n = 12
    words = [None if i == 5 else f"word {i % 3} of several letters" for i in range(n)]
    return {
        "dataset": [f"d{i}" for i in range(n)],
        "rf": [0.5 + i / 100 for i in range(n)],
        "svm": pa.array([i / 16 for i in range(n)], pa.float16()),
        "empty": pa.nulls(n),
        "coded": pa.array(words).dictionary_encode(),
        "view": pa.array(words, pa.string_view()),
        "large": pa.array(words, pa.large_string()),
        "bytes": pa.array([b"\xff\0"] * n),
        "list": [[float(i), 1.0] for i in range(n)],
        "struct": [{"x": i, "y": "z"} for i in range(n)],
        "money": pa.array([i for i in range(n)], pa.int64()).cast(pa.decimal128(21, 2)),
        "day": pa.array([i for i in range(n)], pa.date32()),
        "time": pa.array([i for i in range(n)], pa.timestamp("ns", tz="UTC")),
        "truth": [i % 2 == 0 for i in range(n)],
    }


def _written(write: Callable) -> bytes:
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def _zip_of(files: dict, method: int) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return packed.getvalue()


def _tar_of(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def mutated_binary(seed: int, number: int) -> tuple[str, bytes]:
    """Return name and content of a binary file after one to six seeded mutations."""
    rng = np.random.default_rng([seed, number])
    files = binary_corpus()
    name = list(files)[rng.integers(len(files))]
    content = files[name]
    for _ in range(int(min(6, rng.geometric(0.5)))):
        content = _BINARY_WAYS[rng.integers(len(_BINARY_WAYS))](rng, content, [])
    return name, content


def _extreme(rng, content, tables):
    """Overwrite four bytes by an extreme number."""
    start = int(rng.integers(len(content) + 1))
    return content[:start] + _EXTREMES[rng.integers(len(_EXTREMES))] + content[start + 4 :]


def _bit(rng, content, tables):
    mutable = bytearray(content or b"\0")
    mutable[rng.integers(len(mutable))] ^= 1 << int(rng.integers(8))
    return bytes(mutable)


def _value(rng, content, tables):
    """Insert a token of JSON."""
    start, end = _span(rng, len(content))
    token = (b"null", b"[]", b"{}", b"1e400", b'"\\ud800"', b"true", b"-1", b"[" * 50)
    return content[:start] + token[rng.integers(len(token))] + content[end:]


_BINARY_WAYS = (_flip, _flip, _bit, _bit, _bit, _extreme, _cut, _repeat, _truncate, _value)


def examined_in_children(inputs: Sequence[tuple[str, bytes]]) -> list[tuple[str, str]]:
    """Return outcome and error, as `examined` does, of files read in forked processes.

    The outcome is "DIED" for the input that ended its process, and the error its signal.
    """
    outcomes: list[tuple[str, str]] = []
    while len(outcomes) < len(inputs):
        outcomes += _outcomes_of_child(inputs[len(outcomes) : len(outcomes) + _OF_CHILD])
    return outcomes


def _outcomes_of_child(inputs: Sequence[tuple[str, bytes]]) -> list[tuple[str, str]]:
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads, which a forked process does not have
        child = os.fork()
    if not child:
        try:
            faulthandler.disable()
            resource.setrlimit(resource.RLIMIT_AS, (_ADDRESSES, _ADDRESSES))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            logging.disable()
            for name, content in inputs:
                spent = int(time.process_time()) + _PATIENCE
                resource.setrlimit(resource.RLIMIT_CPU, (spent, resource.RLIM_INFINITY))
                answer = examined(content, whole=False, name=name)
                os.write(writer, (json.dumps(answer) + "\n").encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, encoding="utf-8") as file:
        outcomes = [tuple(json.loads(line)) for line in file]
    status = os.waitpid(child, 0)[1]
    if len(outcomes) < len(inputs):
        outcomes.append(("DIED", f"signal {status & 127}"))
    return outcomes


def fuzz_binary(options: argparse.Namespace) -> int:
    """Read binary files and print their outcomes; return 1 if any fails or ends its process."""
    ended: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    for start in range(options.start, options.n, _PER_LINE):
        numbers = range(start, min(start + _PER_LINE, options.n))
        inputs = [mutated_binary(options.seed, number) for number in numbers]
        outcomes = examined_in_children(inputs)
        for number, (name, _), (kind, where) in zip(numbers, inputs, outcomes, strict=True):
            ended[kind] += 1
            if where and (kind, where) not in seen:
                print(f"{kind} {options.seed}/{number} ({name}): {where}", flush=True)
                seen.add((kind, where))
        print(f"to {options.seed}/{numbers.stop}: {dict(ended)}", flush=True)
    return int(bool(seen))


# ---- addresses of pages

_ODD = (
    "",
    "0",
    "1",
    "-1",
    "nan",
    "inf",
    "1e999",
    "9" * 400,
    "0.3",
    "None",
    "[]",
    "{}",
    "x",
    "C4.5",
)
_ODD += ("<b>", "$x$", "\u202e", "\u0000", "../../etc/passwd", "'; DROP TABLE x; --", "a" * 5000)
_ODD += ("error", "accuracy", "Holm", "all data sets", "Against a control", "Stability", "Costs")


def address(seed: int, number: int) -> tuple[str, dict[str, str | list[str]]]:
    """Return a page and random query parameters, determined by seed and number."""
    from benchmarks.app_speed import SAMPLES, TABS
    from foldwise.web.settings_registry import LINKED, SETTINGS, UNBOUND_PARAMETERS

    rng = np.random.default_rng([seed, number])
    names = (*LINKED, *(name for name in UNBOUND_PARAMETERS if name != "sample"), "alpha", "level")
    values = [
        *_ODD,
        *(str(SETTINGS[key].default) for key in LINKED if SETTINGS[key].default is not None),
    ]
    parameters: dict[str, str | list[str]] = {"sample": str(rng.choice(SAMPLES))}
    for name in rng.choice(names, size=int(rng.integers(1, 12)), replace=False):
        several = [str(option) for option in rng.choice(values, size=int(rng.integers(1, 4)))]
        parameters[str(name)] = several if rng.integers(3) == 0 else several[0]
    return str(rng.choice([*TABS, "map", "help"])), parameters


def address_failure(seed: int, number: int) -> str:
    """Open a random address and its page; return the error, "" if there is none."""
    from streamlit.testing.v1 import AppTest

    page, parameters = address(seed, number)
    app = AppTest.from_file(str(Path(__file__).parents[1] / "app.py"), default_timeout=120)
    app.query_params.update(parameters)
    try:
        app.run()
        app.switch_page(f"pages/{page}.py").run()
    except Exception as error:  # the test searches for unexpected exceptions
        return f"{type(error).__name__}: {str(error)[:200]}"
    return "; ".join(f"{exception.message[:200]}" for exception in app.exception)


def fuzz_addresses(options: argparse.Namespace) -> int:
    """Open the addresses and print the failures; return 1 if there are any."""
    os.environ["FOLDWISE_WORKSPACES"] = "off"
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    failures = {
        number: error
        for number in range(options.n)
        if (error := address_failure(options.seed, number))
    }
    for number, error in failures.items():
        print(f"FAILED {options.seed}/{number} on {address(options.seed, number)[0]}: {error}")
    print(f"{options.n:,} addresses of seed {options.seed}, {len(failures)} failures")
    return int(bool(failures))


def _again(options: argparse.Namespace, seed: int, number: int) -> str:
    """Print an input and return its outcome."""
    if options.addresses:
        print(address(seed, number))
        return address_failure(seed, number) or "no failure"
    if options.binary:
        name, content = mutated_binary(seed, number)
        print(name, content)
        return ": ".join(examined_in_children([(name, content)])[0])
    content = mutated(seed, number, corpus())
    print(content)
    return outcome(content)


def main() -> int:
    """Run one of the fuzz tests, or one input or address again; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("n", nargs="?", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--from", dest="start", type=int, default=0, metavar="NUMBER")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--addresses", action="store_true", help="addresses of pages, not files")
    parser.add_argument("--binary", action="store_true", help="binary files, not text")
    parser.add_argument("--again", metavar="SEED/NUMBER", help="one input once more, printed")
    options = parser.parse_args()
    if options.again:
        seed, number = map(int, options.again.split("/"))
        print(_again(options, seed, number))
        return 0
    if options.binary:
        return fuzz_binary(options)
    return fuzz_addresses(options) if options.addresses else fuzz_files(options)


if __name__ == "__main__":
    sys.exit(main())
