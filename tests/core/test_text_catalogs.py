"""Test that catalogs contain exactly the texts that the code uses."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

from stats_core.core.messages import TextCatalog

ROOT = Path(__file__).parents[2]


@cache
def modules():
    """Return the syntax tree of every module, by dotted name."""
    paths = [
        *ROOT.glob("stats_core/**/*.py"),
        *ROOT.glob("foldwise/**/*.py"),
        *ROOT.glob("pages/*.py"),
        ROOT / "app.py",
    ]
    names = {
        path: ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in paths
    }
    return {name: ast.parse(path.read_text(encoding="utf-8")) for path, name in names.items()}


def catalogs():
    """Return the text catalogs, by module and name of the variable."""
    return {
        (module, node.targets[0].id): TextCatalog(*(argument.value for argument in node.value.args))
        for module, tree in modules().items()
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if ast.unparse(node.value.func) == "TextCatalog"
    }


@cache
def calls():
    """Return the first arguments of all calls, by module and name of the function."""
    found = defaultdict(list)
    for module, tree in modules().items():
        imported, arguments = {}, []
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                imported |= {
                    alias.asname or alias.name: (node.module, alias.name) for alias in node.names
                }
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                arguments.append((node.func.id, node.args[0]))
        for name, argument in arguments:
            found[imported.get(name, (module, name))].append(argument)
    return found


def patterns(key):
    """Return regular expressions for the keys that an expression may give."""
    match key:
        case ast.Constant(value=text):
            return [re.escape(text)]
        case ast.JoinedStr(values=parts):
            return [
                "".join(
                    re.escape(part.value) if isinstance(part, ast.Constant) else ".+"
                    for part in parts
                )
            ]
        case ast.IfExp(body=body, orelse=other):
            return [*patterns(body), *patterns(other)]
    return [".+"]


def test_catalogs_hold_the_texts_that_are_asked_for_and_no_others():
    missing, unused = [], []
    for (module, name), catalog in catalogs().items():
        texts = catalog.texts
        keys = {
            f"{table}.{key}"
            for table, entries in texts.items()
            if isinstance(entries, dict)
            for key in entries
        }
        keys |= {key for key, text in texts.items() if isinstance(text, str)}
        # parts of a key that are known at run time only match anything
        asked = {
            re.compile(pattern)
            for argument in calls()[module, name]
            for pattern in patterns(argument)
        }
        missing += [
            (module, name, key.pattern) for key in asked if not any(map(key.fullmatch, keys))
        ]
        unused += [
            (module, name, key)
            for key in keys
            if not any(pattern.fullmatch(key) for pattern in asked)
        ]

    assert catalogs()
    assert missing == []
    assert unused == []
