"""Checks house rules on code that ruff and import-linter cannot check; `./fw lint` runs it.

``python -m tests.lint_rules [--list]`` reads ``[tool.foldwise]`` of pyproject.toml: rules are
patterns that no line of code may match, searched in code as Python itself writes it, without
comments and with long strings replaced by "…". Counts of private names and words, of long lines
and of modules that hold sentences for users may only fall; `documents` are typed texts, which must.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.visible_strings import codes, is_sentence, literals

ROOT = Path(__file__).parents[1]
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)
Report = dict[str, list[str]]  # what is counted -> where


class _Plain(ast.NodeTransformer):
    """Removes docstrings and the content of strings longer than two characters from code."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return ast.Pass() if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant("…") if isinstance(node.value, str) and len(node.value) > 2 else node


def plain_lines(tree: ast.AST) -> list[str]:
    """Return code in the form of `ast.unparse`, one statement per line; the tree is changed."""
    return ast.unparse(_Plain().visit(tree)).splitlines()


def names(nodes: list[ast.AST]) -> Iterator[str]:
    """Yield every name that a module defines: functions, classes, arguments, variables, attributes."""
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


def prose(text: str, nodes: list[ast.AST]) -> list[str]:
    """Return the lines of docstrings and comments."""
    lines, documented = text.splitlines(), set[int]()
    for node in nodes:
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node):
            documented |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    comments = [line.partition("# ")[2] for line in lines if re.match(r"[^'\"]*# ", line)]
    return [*comments, *(lines[n - 1] for n in sorted(documented))]


def matches(rule: dict, plain: dict[str, list[str]]) -> Iterator[str]:
    """Yield violations of a rule, and examples and exceptions that do not apply to it."""
    pattern, allowed = re.compile(rule["pattern"], re.VERBOSE), dict(rule.get("allowed", {}))
    for example in rule["examples"]:
        if not any(map(pattern.search, plain_lines(ast.parse(example)))):
            yield f"does not match {example!r}"
    for path, lines in plain.items():
        if path.startswith(tuple(rule["in"])) and not path.startswith(
            tuple(rule.get("except", ["-"]))
        ):
            hits = [line.strip() for line in lines if pattern.search(line)]
            fragment = allowed.pop(path, None) if hits else None
            yield from (
                f"{path}: {line}" for line in hits if fragment is None or fragment not in line
            )
    yield from (f"{path}: needs no exception any more" for path in allowed)


def main(arguments: list[str]) -> int:
    """Print what breaks a rule or, with --list, every count; return 1 if anything does, else 0."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    settings, longest = project["foldwise"], project["ruff"]["line-length"]
    report: Report = {limit: [] for limit in settings["max"]}
    plain = {}
    private_name = re.compile(settings["private_names"], re.VERBOSE)
    private_word = re.compile(settings["private_words"], re.VERBOSE)

    def count(limit: str, path: str, found: Iterable[str]) -> None:
        report[limit] += [f"{path}: {text.strip()}" for text in found]

    for file in (file for folder in settings["folders"] for file in sorted(ROOT.glob(folder))):
        path, text = file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        nodes = [*ast.walk(tree)]
        defined = (file.stem, *names(nodes))
        count("private names", path, filter(private_name.search, defined))
        count("private words", path, filter(private_word.search, prose(text, nodes)))
        count("long lines", path, (line for line in text.splitlines() if len(line) > longest))
        is_product = path.startswith(("stats_core/", "foldwise/", "pages/", "app.py"))
        is_document = path in settings["documents"]
        if is_product and not is_document and has_sentence(tree):
            report["files with sentences"].append(path)
        plain[path] = plain_lines(tree)
    broken = [
        f"{rule['name']}\n    {hit}" for rule in settings["rules"] for hit in matches(rule, plain)
    ]
    for limit, most in settings["max"].items():
        places = report[limit]
        if len(places) > most or "--list" in arguments:
            total = f"{limit}: {len(places)}, at most {most} (pyproject.toml, [tool.foldwise.max])"
            broken += [*places, total]
    print(*broken, *([] if broken else ["House rules kept."]), sep="\n")
    return int(bool(broken))


def has_sentence(tree: ast.AST) -> bool:
    """Return whether code holds a sentence for users."""
    return any(is_sentence(string) and string not in codes() for _, string in literals(tree))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
