"""Test that every text of an error is used, and that every code has a text with the values it needs."""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXTS = tomllib.loads((ROOT / "stats_core/core/refusals.toml").read_text(encoding="utf-8"))


def uses():
    """Yield the code and the names of the values of every error that is created from a code."""
    for folder in ("stats_core", "foldwise", "pages"):
        for path in ROOT.glob(f"{folder}/**/*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                match node:
                    case ast.Call(
                        func=ast.Attribute(attr="of"), args=[ast.Constant(value=str(code))]
                    ):
                        if re.search("(Error|Cells|Cost|cls)$", ast.unparse(node.func.value)):
                            yield code, {keyword.arg for keyword in node.keywords}


def test_texts_and_codes_of_errors_agree():
    used = dict(uses())

    assert set(used) | {"internal"} == set(TEXTS)
    for code, given in used.items():
        if None not in given:  # no **values
            names = (
                r"\{\{ (\w+)|\{% if (\w+)"
                if "{{" in TEXTS[code] or "{%" in TEXTS[code]
                else r"\{(\w+)()"
            )
            assert {first or second for first, second in re.findall(names, TEXTS[code])} == given, (
                code
            )
