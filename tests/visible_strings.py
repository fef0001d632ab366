"""Strings that users read, and what in them breaks the style guide for texts.

``python -m tests.visible_strings [PATH ...]`` lists the faults of files that start so; without a path it counts those of all.
`test_visible_strings.py` keeps the counts: none of the words in `BANNED`, and the rest may only fall.
"""

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)

# tables of words that are recognised or formatted, and no sentences
NO_TEXT = ("io/columns.toml", "latex_characters.toml", "data/measures.toml")

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
    "instances": r"\b(the|of|test|swapped|positive|negative|{n}|n|more|fewer|these|its|on) cases\b",
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
    "<verb of a person>": r"\b(test|tests|file|files|column|table|figure|measure)s? (says?|speaks?|looks?|tells?|pays?|knows?|asks?|decides?)\b",
    "<name>": r"\bthe (one|other) (is|has|was|of the two)\b|\bthan which\b|\bof which (no|none)\b|\bof none of\b",
    "equivalent": r"\b(are|is) equal(?! to| in|ly)\b",
}
#: Faults whose number may only fall.
FALLING = {"semicolon": r";", "space before %": r"\d %", "p without sign": r"\bp (of )?\{|\bp \d"}
LONGEST = 25  # words in a sentence


def is_sentence(text: str) -> bool:
    """Return whether a literal has four words or more of English, and is neither SQL nor a regular expression."""
    if text.startswith(("SELECT ", "INSERT ", "UPDATE ", "DELETE ")) or re.search(r"\S\|\S|\(\?:|\[\^", text):
        return False
    return len(re.findall(r"(?<![\w./<{=\-])[A-Za-z]{2,}(?![\w=(/>])", text)) >= 4


def literals(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of every string of a module that is no docstring; inserted values are written {x}."""
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in ast.walk(node) if part is not node}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "{x}" for part in node.values)
            yield node.lineno, "".join(map(str, parts))


def leaves(entry: object) -> Iterator[str]:
    """Yield every text of a TOML table, without its keys."""
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, dict | list):
        for part in entry.values() if isinstance(entry, dict) else entry:
            yield from leaves(part)


def prose_of_markdown(text: str) -> Iterator[str]:
    """Yield the paragraphs of a Markdown file without code."""
    text = re.sub(r"```.*?```|<!--.*?-->", "", text, flags=re.DOTALL)
    for paragraph in re.split(r"\n\s*\n|\n(?=[-*|#] )", text):
        yield re.sub(r"`[^`]*`|\]\([^)]*\)", "x", paragraph).replace("\n", " ")


def strings_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line, 0 where it is unknown, and the text of each string of a file that users read."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from ((line, string) for line, string in literals(ast.parse(text)) if is_sentence(string))
    elif path.suffix == ".toml":
        yield from ((0, string) for string in leaves(tomllib.loads(text)))
    elif path.suffix == ".jinja":
        yield from (
            (0, part)
            for part in re.split(
                r"\{%.*?%\}|\{#.*?#\}", re.sub(r"\{\{.*?\}\}", "{x}", text, flags=re.DOTALL), flags=re.DOTALL
            )
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
        "*.md",
        "sample_results/README.md",
    ):
        for path in sorted(ROOT.glob(pattern)):
            if path.suffix in (".py", ".toml", ".jinja", ".md") and not path.as_posix().endswith(NO_TEXT):
                yield path


def faults_of(text: str) -> Iterator[str]:
    """Yield the names of the faults of a string."""
    for name, pattern in (*BANNED.items(), *FALLING.items()):
        yield from [name] * len(re.findall(pattern, text))
    plain = re.sub(r"\{\{.*?\}\}|\{[^{}]*\}", "x", text)
    for sentence in re.split(r"(?<=[.!?])\s+|\n\n", plain):
        if len(sentence.split()) > LONGEST:
            yield "long sentence"


def main(paths: list[str]) -> int:
    """Print the faults in files whose path starts with one of these, or the number of each fault."""
    counts: Counter[str] = Counter()
    for file in files():
        name = file.relative_to(ROOT).as_posix()
        for line, text in strings_of(file):
            faults = list(faults_of(text))
            counts.update(faults)
            if faults and name.startswith(tuple(paths or ["-"])):
                print(f"{name}:{line}: {', '.join(sorted(set(faults)))}: {' '.join(text.split())[:300]}")
    if not paths:
        print(*(f"{n:6} {fault}" for fault, n in counts.most_common()), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
