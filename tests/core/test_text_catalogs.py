"""Every text that code asks for is in its catalog, and every text of a catalog is asked for."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from stats_core.core.messages import TextCatalog

ROOT = Path(__file__).parents[2]


@cache
def modules():
    """Return the syntax tree of every module by its dotted name."""
    paths = [
        *ROOT.glob("stats_core/**/*.py"),
        *ROOT.glob("foldwise/**/*.py"),
        *ROOT.glob("pages/*.py"),
        ROOT / "app.py",
    ]
    names = {path: ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in paths}
    return {name: ast.parse(path.read_text(encoding="utf-8")) for path, name in names.items()}


def catalogs():
    """Return the catalogs by the module and the name they are assigned to."""
    return {
        (module, node.targets[0].id): TextCatalog(*(argument.value for argument in node.value.args))
        for module, tree in modules().items()
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("TextCatalog(")
    }


def names_of(module, name):
    """Yield the trees in which a catalog is known, with its name there."""
    yield modules()[module], name
    for tree in modules().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == module:
                yield from ((tree, alias.asname or name) for alias in node.names if alias.name == name)


def keys_asked(module, name):
    """Yield each key that is asked for, as a pattern: parts known at run time only match anything."""
    for tree, local in names_of(module, name):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == local:
                yield from patterns(node.args[0])


def patterns(key):
    """Return the patterns of the keys that an expression may have."""
    match key:
        case ast.Constant(value=text):
            return [re.escape(text)]
        case ast.JoinedStr(values=parts):
            return ["".join(re.escape(part.value) if isinstance(part, ast.Constant) else ".+" for part in parts)]
        case ast.IfExp(body=body, orelse=other):
            return [*patterns(body), *patterns(other)]
    return [".+"]


@pytest.mark.parametrize(("module", "name"), catalogs())
def test_a_catalog_holds_the_texts_that_are_asked_for(module, name):
    texts = catalogs()[module, name].texts
    keys = {f"{table}.{key}" for table, entries in texts.items() if isinstance(entries, dict) for key in entries}
    keys |= {key for key, text in texts.items() if isinstance(text, str)}
    asked = set(keys_asked(module, name))

    assert not [pattern for pattern in asked if not any(re.fullmatch(pattern, key) for key in keys)], "no such text"
    assert not [key for key in keys if not any(re.fullmatch(pattern, key) for pattern in asked)], "text without use"
