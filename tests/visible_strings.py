"""Finds strings that users read, and their faults by the style guide for texts.

``python -m tests.visible_strings [PATH ...]`` lists the faults in files whose path starts with
PATH; without a path, it counts all faults. `test_visible_strings.py` allows no word in `BANNED`;
the number of faults of `FALLING` and of long sentences may only fall.
"""

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODES = ("core/refusals", "io/messages", "io/columns", "report/messages")  # their keys are codes

# tables of words that are recognised or formatted, and no sentences; a page that is made from the
# cards
NO_TEXT = ("io/columns.toml", "latex_characters.toml", "data/measures.toml", "docs/methods.md")

#: Words that a journal would not print, by the term to use instead.
BANNED = {
    "differ significantly": r"\b(not )?separat(e|es|ed|ing)\b(?! (file|files|page|pages|column|columns|line|lines|process|processes|thread|cell|table|tables|test|tests|by a))",
    "significantly better": r"\bleads?\b(?! to\b)|\bis ahead\b",
    "top group": r"\bunbeaten\b|\bundefeated\b",
    "depends on": r"\bhangs? on\b|\bfragile\b",
    "median difference": r"\btypical (difference|advantage)\b",
    "minus": r"\bless (?:\{|<)|(?:\}|>) less\b",
    "confidence interval": r"\bnot ruled out\b|\brules? out\b",
    "excludes zero": r"\bleaves? out zero\b",
    "instances": r"\b(the|of|test|swapped|positive|negative|n|more|fewer|these|its|on) cases\b|\{x\} cases\b",
    "sphericity": r"\bvary alike\b",
    "multivariate normal": r"\bnormal together\b",
    "more expensive": r"\bcostl(y|ier|iest)\b|\bdearer\b",
    "adjusts for": r"\bpays? (only |for)\b",
    "assumed independent": r"\btaken? as independent\b",
    "recommended": r"\badvised?\b",
    "training runs": r"\btrainings\b",
    "fold, bar": r"\bbricks?\b",
    "missing result": r"\bholes?\b",
    "controls the type I error rate": r"\b(holds?|keeps?) (its|the|their) level\b",
    "liberal": r"\brejects? too (easily|often)\b|\btoo eager\b",
    "more powerful": r"\bsharper\b|\bfinds more\b",
    "simulated data sets": r"\bworlds?\b",
    "interim analyses": r"\blooks on the way\b",
    "predicted": r"\bsaid\b",
    "lower": r"\bless (risk|error|cost)\b",
    "<verb of a person>": r"\b(test|tests|file|files|column|table|figure|measure)s? (says?|speaks?|looks?|tells?|pays?|knows?|asks?|decides?)\b",
    "<name>": r"\bthe (one|other) (is|has|was|of the two)\b|\bthan which\b|\bof which (no|none)\b|\bof none of\b|\b(cheaper|more expensive) one\b",
    "equivalent": r"\b(are|is) equal(?! to| in|ly)\b",
}
#: Faults whose number may only fall.
FALLING = {
    "semicolon": r"(?<!\\)(?<!&lt)(?<!&gt)(?<!&amp);",
    "space before %": r"[\d}] %(?![\w(%])",  # but not a placeholder such as %s
    "p without sign": r"(?<!:)\bp (of )?\{|\bp \d",
}
NO_STRINGS = (
    ast.Name,
    ast.alias,
    ast.expr_context,
    ast.operator,
    ast.cmpop,
)  # parts of a tree without strings
LONGEST = 25  # words in a sentence
#: Strings that are no sentences: references, formulas in LaTeX, HTML, CSS and code.
NO_SENTENCE = re.compile(
    r"\b(1[89]|20)\d\d\b|reference\}|, (section|equation|chapter)s? |\\frac|<!doctype|\sstyle=|\{ [a-z-]+: |=> |= [\[{]|\bimport "
)


def is_sentence(text: str) -> bool:
    """Return whether a literal has at least four English words, and is neither SQL nor a regular expression."""
    if text.startswith(("SELECT ", "INSERT ", "UPDATE ", "DELETE ")) or re.search(
        r"\S\|\S|\(\?:|\[\^", text
    ):
        return False
    return len(re.findall(r"(?<![\w./<{=\-])[A-Za-z]{2,}(?![\w=(/>])", text)) >= 4


@cache
def codes() -> frozenset[str]:
    """Return the codes of messages and errors, which read like sentences."""
    tables = [
        tomllib.loads((ROOT / f"stats_core/{name}.toml").read_text("utf-8")) for name in CODES
    ]
    inner = (table for texts in tables for table in texts.values() if isinstance(table, dict))
    return frozenset(code for table in (*tables, *inner) for code in table)


def literals(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of every string of a module except docstrings; inserted values are written {x}."""
    nodes = [tree]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            parts = (
                part.value if isinstance(part, ast.Constant) else "{x}" for part in node.values
            )
            yield node.lineno, "".join(map(str, parts))
        elif not (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant | ast.JoinedStr)
        ):
            nodes += reversed(
                [child for child in ast.iter_child_nodes(node) if not isinstance(child, NO_STRINGS)]
            )


def leaves(entry: object) -> Iterator[str]:
    """Yield every text of a TOML table, without its keys."""
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, dict | list):
        for part in entry.values() if isinstance(entry, dict) else entry:
            yield from leaves(part)


def prose_of_markdown(text: str) -> Iterator[str]:
    """Yield the paragraphs of a Markdown file without code."""
    text = re.sub(r"```.*?```|<!--.*?-->|^    .*$", "", text, flags=re.DOTALL | re.MULTILINE)
    for paragraph in re.split(r"\n\s*\n|\n(?=[-*|#] )", text):
        yield re.sub(r"`[^`]*`|\]\([^)]*\)", "x", paragraph).replace("\n", " ")


def prose_of_template(text: str) -> Iterator[str]:
    """Yield the texts of a template between its statements, and sentences within code; inserted values are {x}."""
    text = re.sub(r"\{#.*?#\}", "", text, flags=re.DOTALL)
    for code in re.findall(r"\{\{.*?\}\}|\{%.*?%\}", text, flags=re.DOTALL):
        yield from (quoted for _, quoted in re.findall(r"""(["'])(.*?)\1""", code) if " " in quoted)
    text = re.sub(r"\{\{.*?\}\}", "{x}", text, flags=re.DOTALL)
    yield from re.split(r"\{%.*?%\}", text, flags=re.DOTALL)


def strings_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line, 0 if it is unknown, and text of each string of a file that users read."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        found = (
            (line, string) for line, string in literals(ast.parse(text)) if is_sentence(string)
        )
        yield from ((line, string) for line, string in found if string not in codes())
    elif path.suffix == ".toml":
        yield from (
            (0, part)
            for string in leaves(tomllib.loads(text))
            for part in prose_of_template(string)
        )
    elif path.suffix == ".md":
        yield from ((0, paragraph) for paragraph in prose_of_markdown(text))


def files() -> Iterator[Path]:
    """Yield the files with texts for users."""
    for pattern in (
        "stats_core/**/*",
        "foldwise/**/*",
        "pages/*",
        "app.py",
        "docs/*.md",
        "docs/site/*.md",
        "*.md",
        "sample_results/README.md",
    ):
        for path in sorted(ROOT.glob(pattern)):
            if path.suffix in (".py", ".toml", ".md") and not path.as_posix().endswith(NO_TEXT):
                yield path


def faults_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each fault of a string, and the text around it."""
    text = re.sub(r"\{[a-z_.]+(\.\w+|\[\w+\])*\}", "{x}", " ".join(text.split()))
    patterns = BANNED if NO_SENTENCE.search(text) else {**BANNED, **FALLING}
    for name, pattern in patterns.items():
        yield from (
            (name, text[max(found.start() - 60, 0) : found.end() + 60])
            for found in re.finditer(pattern, text)
        )
    if patterns is not BANNED:
        plain = re.sub(r"\{[^{}]*\}", "x", text).replace("**", "")
        for sentence in re.split(r"(?<=[.!?])\s+|\s\|\s|<br>", plain):
            if len(sentence.split()) > LONGEST:
                yield "long sentence", sentence


def all_faults() -> Iterator[tuple[str, str, str]]:
    """Yield file and line, name, and text of every fault."""
    for file in files():
        for line, text in strings_of(file):
            yield from (
                (f"{file.relative_to(ROOT).as_posix()}:{line}", *fault) for fault in faults_of(text)
            )


def main(paths: list[str]) -> int:
    """Print the faults in files whose path starts with one of `paths`, or without paths their numbers; return 0."""
    faults = list(all_faults())
    if paths:
        print(
            *(": ".join(fault) for fault in faults if fault[0].startswith(tuple(paths))), sep="\n"
        )
    else:
        print(
            *(f"{n:6} {name}" for name, n in Counter(name for _, name, _ in faults).most_common()),
            sep="\n",
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
