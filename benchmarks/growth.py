"""Search for texts whose reading takes more than linear time or memory.

    python -m benchmarks.growth --seed 1 --triples 200
    python -m benchmarks.growth --json      JSON documents with odd parts, for unexpected errors

For each text format, inputs repeat one, two or three tokens of an alphabet of that format within
a frame that lets the format be detected. Each is read at growing sizes: from one size to the next
the processor time may grow by little more than the size.
"""

import argparse
import itertools
import json
import signal
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from stats_core.core.errors import FoldwiseError, InternalError
from stats_core.io.read import read_results
from tests.io import test_odd_json

FACTOR = 8  # from one size to the next
MOST_GROWTH = 2.5 * FACTOR  # of processor time and of memory; quadratic growth is FACTOR squared
_LEAST_SECONDS = 0.002  # shorter times are taken for this long
_LEAST_BYTES = 500_000  # so is less memory
_MOST_SECONDS = 20.0  # of processor time for one input
_TIMES = 3  # a slow input is read again, since other processes may slow a first reading down


@dataclass(frozen=True)
class Frame:
    """A text format: the texts around what is repeated, and the tokens that are repeated.

    Attributes
    ----------
    name : str
        The format and the place of what is repeated.
    before, after : str
        The texts around it.
    tokens : tuple of str
        The alphabet of the format.
    """

    name: str
    before: str
    after: str
    tokens: tuple[str, ...]

    def text(self, tokens: tuple[str, ...], size: int) -> bytes:
        """Return the tokens repeated to `size` bytes within the frame."""
        once = "".join(tokens).encode()
        repeated = once * max(size // len(once), 1)
        return self.before.encode() + repeated + self.after.encode()


_ANY = (" ", "\t", "\n", "\r", "a", "1", ",", ";", '"', "'", "\\", "-", "(", ")", "[", "]")
_ANY += (
    "0.5",
    "\u00b1",
    "+/-",
    "\u00a0",
    "\u200b",
    "e",
    "#",
    "=",
    "sep=,",
    "%",
    "\u0301",
    "\u00e9",
)
_MARKDOWN = (
    "|",
    "-",
    "\n",
    " ",
    "*",
    "**",
    "***",
    "_",
    "__",
    "~~",
    "`",
    "[",
    "](",
    ")",
    "!",
    "<",
    ">",
)
_MARKDOWN += (
    "|-\n",
    "-\n",
    "|\n",
    "# ",
    "+",
    ":",
    "a",
    "_a ",
    "~~a ",
    "*a ",
    "\\",
    "\\|",
    "&lt;",
    "&",
    "(",
    "]",
)
_MARKDOWN += (
    "|---|---|\n",
    "|a|b|\n",
    "=",
    "\t",
    "1",
    '"',
    "**a",
    "a**",
    "a_",
    "[a](",
    "![",
    "[a]",
    "1 (",
)
_LATEX = (
    "{",
    "}",
    "[",
    "]",
    "\\",
    "\\\\",
    "&",
    "%",
    "$",
    "_",
    "^",
    "~",
    "\n",
    " ",
    "a",
    "1",
    "-",
    "(",
    ")",
)
_LATEX += (
    "\\begin{tabular}",
    "\\end{tabular}",
    "\\begin{tabular}{",
    "\\begin{table}",
    "\\end{table}",
)
_LATEX += (
    "\\begin",
    "\\begin{",
    "\\caption",
    "\\caption{",
    "\\caption[",
    "\\multicolumn{2}{c}{a}",
    "\\multicolumn{2}{c}{",
)
_LATEX += (
    "\\multicolumn{2}{",
    "\\multirow{9}{*}{",
    "\\multirow[",
    "\\cmidrule(",
    "\\cmidrule{",
    "\\rowcolor{",
    "\\hline",
)
_LATEX += (
    "\\textcolor[",
    "\\textcolor{",
    "\\cellcolor{",
    "\\footnote",
    "\\\\[",
    "\\\\*",
    '\\"a',
    "\\'{",
    "\\textbf{",
    "\\specialrule{",
)
_LATEX += (
    "\\multirow{9999}{*}{a} & ",
    "\\cr",
    "\\tabularnewline",
    "x & 1 \\\\\n",
    "{a & b}",
    "*",
    "\\captionof{a}",
    "\\noalign{{a}",
)
_JSON = (
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "\\",
    "1",
    "-",
    "e",
    ".",
    "a",
    "\n",
    " ",
    '"a":',
    "null",
    "\\u",
    "\\ud800",
)
_JSON += (
    '{"a":',
    "[1]",
    '{"a":1}',
    '{"a":1},',
    '\\"',
    "0",
    "true",
    '"x":1,',
    "[[",
    "{}",
    "{},",
    "[],",
    '{"doc_id":1}\n',
)
_ARFF = (
    "@attribute a numeric\n",
    "@attribute",
    "@attribute '",
    '@attribute "',
    "@data",
    "@data\n",
    "%",
    "'",
    '"',
    "\\",
)
_ARFF += (
    ",",
    "{",
    "}",
    "?",
    "\n",
    " ",
    "\t",
    "a",
    "1",
    "{0 1}",
    "{1 ",
    "@relation",
    "@",
    "% a\n",
    "\r",
    "'a'",
    '"a"',
)
_BLANKS = (
    " ",
    "  ",
    "\t",
    "\n",
    "a",
    "1",
    "0.5",
    "-",
    "=",
    "|",
    "+",
    "(",
    "[",
    "\u00b1",
    "+-",
    "Table 1. ",
    "\u2500",
    "a  1\n",
    "%",
    ":",
)
_HTML = (
    "<",
    ">",
    "&",
    "&amp;",
    "<b>",
    "</b>",
    "<!--",
    "-->",
    "&#",
    ";",
    '"',
    "=",
    " ",
    "\n",
    "a",
    "|",
    "&lt",
)

_TABLE = "|a|b|\n|---|---|\n|x|1|\n|y|2|\n"
_ROWS = "\\begin{tabular}{lcc}\nset & rf & svm \\\\\nx & 0.1 & 0.2 \\\\\ny & 0.3 & 0.4 \\\\\n"
_END = "\\end{tabular}\n"
_OF_ARFF = "@relation x\n@attribute set string\n@attribute rf numeric\n@attribute svm numeric\n"

FRAMES = (
    Frame("delimited, alone", "", "", _ANY),
    Frame("delimited, above", "#", "\nset,rf,svm\na,1,2\nb,2,3\n", _ANY),
    Frame("delimited, header", "set,rf,svm", "\na,1,2\nb,2,3\n", _ANY),
    Frame("delimited, rows", "set,rf,svm\na,1,2\n", "\nb,2,3\n", _ANY),
    Frame("delimited, cells", "set,rf,svm\na,1,2\n", ",2,3\nb,2,3\n", _ANY),
    Frame("delimited, numbers", "set,rf,svm\na,0.1,0.2\nb,", ",0.3\n", _ANY),
    Frame("semicolons", "set;rf;svm\na;0,1;0,2\n", "\nb;0,2;0,3\n", _ANY),
    Frame("tabs", "set\trf\tsvm\na\t1\t2\n", "\nb\t2\t3\n", _ANY),
    Frame("Markdown, alone", "|", "", _MARKDOWN),
    Frame("Markdown, heading", "# ", "\n" + _TABLE, _MARKDOWN),
    Frame("Markdown, paragraph", "a\n\n", "\n\n" + _TABLE, _MARKDOWN),
    Frame("Markdown, header", "|", "\n|---|---|\n|x|1|\n|y|2|\n", _MARKDOWN),
    Frame("Markdown, rule", "|a|b|\n|", "|\n|x|1|\n|y|2|\n", _MARKDOWN),
    Frame("Markdown, rows", _TABLE, "\n|z|3|\n", _MARKDOWN),
    Frame("Markdown, cells", _TABLE + "|", "|3|\n|z|4|\n", _MARKDOWN + _HTML),
    Frame("LaTeX, alone", "\\begin", "\n\\begin{tabular}", _LATEX),
    Frame("LaTeX, above", "\\begin{table}\n", "\n" + _ROWS + _END, _LATEX),
    Frame("LaTeX, caption", "\\begin{table}\n\\caption{", "\n" + _ROWS + _END, _LATEX),
    Frame("LaTeX, columns", "\\begin{tabular}{", "a & b \\\\\nx & 1 \\\\\ny & 2 \\\\\n", _LATEX),
    Frame("LaTeX, rows", _ROWS, "\nz & 1 & 2 \\\\\n" + _END, _LATEX),
    Frame("LaTeX, cells", _ROWS + "z & ", " & 2 \\\\\n" + _END, _LATEX),
    Frame("LaTeX, below", _ROWS + _END, "\n", _LATEX),
    Frame(
        "LaTeX, no environment", "set & rf & svm \\\\\na & 1 & 2 \\\\\n", "b & 1 & 2 \\\\\n", _LATEX
    ),
    Frame("JSON, alone", "[", "", _JSON),
    Frame("JSON, object", '{"', "", _JSON),
    Frame("JSON, value", '[{"a": "x", "b": ', "}]", _JSON),
    Frame("JSON, text", '[{"a": "x", "b": "', '"}]', _JSON),
    Frame("JSON, records", '[{"a": "x", "b": 1},', '{"a": "y", "b": 2}]', _JSON),
    Frame("JSON, lines", '{"a": "x", "b": 1}\n', '{"a": "y", "b": 2}', _JSON),
    Frame("JSON, log", '{"doc_id": 1, "doc": "a", "target": 1, "acc": 1}\n', "", _JSON),
    Frame("JSON, harness", '{"config": {}, "results": {"t": {"acc": 1, "', '": 2}}}', _JSON),
    Frame("ARFF, above", "", "\n" + _OF_ARFF + "@data\na,1,2\nb,3,4\n", _ARFF),
    Frame("ARFF, head", _OF_ARFF, "\n@data\na,1,2\nb,3,4\n", _ARFF),
    Frame("ARFF, data", _OF_ARFF + "@data\na,1,2\n", "\nb,3,4\n", _ARFF),
    Frame(
        "blanks, above", "Table 1. ", "\n\nset   rf   svm\na   0.1   0.2\nb   0.3   0.4\n", _BLANKS
    ),
    Frame("blanks, header", "set   rf   ", "\na   0.1   0.2\nb   0.3   0.4\n", _BLANKS),
    Frame("blanks, rows", "set   rf   svm\na   0.1   0.2\n", "\nb   0.3   0.4\n", _BLANKS),
    Frame("blanks, cells", "set   rf   svm\na   0.1   0.2\nb  ", "  0.3   0.4\n", _BLANKS),
    Frame("HTML", "<table>", "</table>", _HTML),
    Frame("HTML, below", "set,rf,svm\n", "<table>\n", _HTML),
)


class TooSlow(BaseException):
    """Raised when an input exceeds its time limit."""


def _late(*_):
    raise TooSlow


def answer(content: bytes) -> str:
    """Return the outcome of reading a text: "read", or the name of an intended error."""
    try:
        read_results(("growth.txt", content))
    except InternalError as error:
        raise error.__cause__ or error from None
    except FoldwiseError as error:
        return type(error).__name__
    return "read"


def seconds(content: bytes) -> float:
    """Return the processor seconds of reading a text, `_LEAST_SECONDS` or more."""
    start = time.process_time()
    answer(content)
    return max(time.process_time() - start, _LEAST_SECONDS)


def memory(content: bytes) -> float:
    """Return the peak of allocated bytes on reading a text, `_LEAST_BYTES` or more."""
    tracemalloc.start()
    try:
        answer(content)
        return max(tracemalloc.get_traced_memory()[1], _LEAST_BYTES)
    finally:
        tracemalloc.stop()


def growth(
    frame: Frame, tokens: tuple[str, ...], size: int, cost: Callable[[bytes], float] = seconds
) -> float:
    """Return the ratio of the costs of reading `FACTOR * size` and `size` bytes, the least of some."""
    small, large = (frame.text(tokens, n) for n in (size, FACTOR * size))
    ratios = []
    while not ratios or (min(ratios) > MOST_GROWTH and len(ratios) < _TIMES):
        ratios.append(cost(large) / cost(small))
    return min(ratios)


def sequences(
    frame: Frame, rng: np.random.Generator, triples: int, *, pairs: bool = True
) -> Iterator[tuple[str, ...]]:
    """Yield all single tokens of a frame, if requested all pairs, and random triples."""
    yield from ((token,) for token in frame.tokens)
    if pairs:
        yield from itertools.permutations(frame.tokens, 2)
    for _ in range(triples):
        yield tuple(rng.choice(frame.tokens, 3).tolist())


def finding_of(frame: Frame, tokens: tuple[str, ...], sizes: tuple[int, ...]) -> str:
    """Return how the costs of an input grow if this is more than allowed, "" if not."""
    signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, _MOST_SECONDS)
    try:
        for size in sizes:
            ratio = growth(frame, tokens, size)
            if ratio > MOST_GROWTH:
                return f"time x{ratio:.0f} from {size} to {FACTOR * size} bytes"
        ratio = growth(frame, tokens, sizes[0], memory)
        return f"memory x{ratio:.0f} to {FACTOR * sizes[0]} bytes" if ratio > MOST_GROWTH else ""
    except TooSlow:
        return f"more than {_MOST_SECONDS:g} processor seconds"
    except Exception as error:  # the search is for unexpected exceptions, too
        return f"{type(error).__name__}: {str(error)[:80]}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def read_odd_json() -> int:
    """Read all variants of small JSON documents, and print unexpected errors; return 1 for any."""
    errors = {}
    for name, document in test_odd_json.DOCUMENTS.items():
        for variant in test_odd_json.variants(document):
            text = json.dumps(variant)
            if error := test_odd_json.raised(("a.json", text.encode())):
                errors.setdefault(repr(error)[:200], text[:200])
        print(f"{name}: {len(errors)} errors so far", flush=True)
    print(*(f"{error}: {text}" for error, text in errors.items()), sep="\n")
    return int(bool(errors))


def main() -> int:
    """Search all frames and print what is found; return 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--triples", type=int, default=100, help="random triples per frame")
    parser.add_argument("--no-pairs", action="store_true")
    parser.add_argument("--only", default="", help="part of the name of the frames")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 8_000])
    parser.add_argument("--json", action="store_true", help="read JSON with odd parts instead")
    options = parser.parse_args()
    if options.json:
        return read_odd_json()
    rng, n, bad = np.random.default_rng(options.seed), 0, 0
    for frame in FRAMES:
        if options.only not in frame.name:
            continue
        start, slowest = time.process_time(), (0.0, ())
        for tokens in sequences(frame, rng, options.triples, pairs=not options.no_pairs):
            n, began = n + 1, time.process_time()
            if text := finding_of(frame, tokens, tuple(options.sizes)):
                bad += 1
                print(f"{frame.name}: {tokens}: {text}", flush=True)
            slowest = max(slowest, (time.process_time() - began, tokens))
        print(f"{frame.name}: {time.process_time() - start:.0f} s, slowest {slowest}", flush=True)
    print(f"{n} inputs, {bad} found")
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
