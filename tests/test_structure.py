"""What packages may use, beyond the import order that `./fw lint` checks."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
# what pages show of the tests: names to choose from, what was found, and what is possible
OF_INFERENCE = {
    *("CONTROL_CORRECTIONS", "CORRECTIONS", "FIVE_BY_TWO", "PAIR_TESTS", "Wins"),
    *(
        "contrast_estimation",
        "corrections_for",
        "max_df",
        "possible_tests",
        "fallback_message",
        "resolve_missing",
        "resampling_unit",
    ),
}
ARITHMETIC = {
    *("agg", "argmax", "argmin", "corr", "cov", "cumsum", "groupby", "idxmax", "idxmin", "mean"),
    *("median", "nunique", "quantile", "std", "sum", "value_counts", "var"),
}


@cache
def modules() -> dict[str, ast.Module]:
    """Return every module by its dotted name, parsed."""
    files = [*ROOT.glob("stats_core/**/*.py"), *ROOT.glob("foldwise/**/*.py")]
    files += [*ROOT.glob("pages/*.py"), ROOT / "app.py"]
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): ast.parse(
            path.read_text(encoding="utf-8")
        )
        for path in files
    }


def is_for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def executed(node: ast.AST) -> Iterator[ast.AST]:
    """Walk through what is run, that is, not through imports for types only."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not is_for_types_only(child):
            yield from executed(child)


def imports(name: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each module that a module imports, with the names it takes from it."""
    for node in executed(modules()[name]):
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            taken = [alias.name for alias in node.names]
            whole = [one for one in taken if f"{node.module}.{one}" in modules()]
            yield from ((f"{node.module}.{one}", ()) for one in whole)
            if names := tuple(one for one in taken if one not in whole):
                yield str(node.module), names


def within(*packages: str) -> list[str]:
    return [name for name in modules() if any(f"{name}.".startswith(f"{package}.") for package in packages)]


def test_no_private_name_crosses_a_module():
    crossed = [
        f"{name} takes {taken} from {module}"
        for name in modules()
        for module, names in imports(name)
        for taken in names
        if module in modules() and taken.startswith("_") and not taken.startswith("__")
    ]

    assert crossed == []


def test_pages_import_neither_arithmetic_nor_plotly():
    taken = {module.split(".")[0] for name in within("pages") for module, _ in imports(name)}

    assert not taken & {"numpy", "scipy", "plotly"}


def test_the_library_brings_neither_streamlit_nor_plotly():
    code = "import sys, stats_core; print(sorted({'streamlit', 'plotly'} & set(sys.modules)))"

    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


# what holds for every thread of the process, and so for every session
OF_THE_PROCESS = {
    *("catch_warnings", "filterwarnings", "option_context", "putenv", "reset_option", "seterr"),
    *("set_option", "set_start_method", "setlocale", "setrecursionlimit", "simplefilter", "umask"),
}
# to be said at import, or to move to a process of its own; the list only shrinks
STILL_THERE = {("stats_core.io.formats.excel", "catch_warnings"), ("stats_core.io.formats.excel", "simplefilter")}


def test_nothing_sets_what_holds_for_all_sessions_after_the_start():
    """In a function; at the top of a module it is set once, when the server starts."""
    found = {
        (name, called.attr)
        for name in within("stats_core", "foldwise.figures", "foldwise.rendering", "foldwise.web")
        for function in ast.walk(modules()[name])
        if isinstance(function, ast.FunctionDef)
        for called in ast.walk(function)
        if isinstance(called, ast.Attribute) and called.attr in OF_THE_PROCESS
    }

    assert found == STILL_THERE


def test_nothing_of_a_visitor_is_kept_for_all():
    """Pages and ui keep what they compute by `memory.keep`, never in a cache of the process."""
    found = {
        f"{name}: {ast.unparse(node)}"
        for name in within("foldwise.web", "pages")
        for node in ast.walk(modules()[name])
        if isinstance(node, ast.Attribute) and node.attr in ("cache_data", "cache_resource")
    }

    assert found == set()


def test_pages_run_no_tests():
    taken = {
        (name, one)
        for name in within("foldwise.web", "pages")
        for module, names in imports(name)
        if f"{module}.".startswith("stats_core.inference.")
        for one in names
    }

    assert sorted(one for one in taken if one[1] not in OF_INFERENCE) == []
    assert {one for _, one in taken} == OF_INFERENCE  # the list holds what is needed, no more


def test_pages_compute_nothing():
    for name in within("foldwise.web", "pages"):
        done = [
            f"{name}:{node.lineno} {ast.unparse(node)}"
            for node in ast.walk(modules()[name])
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ARITHMETIC
        ]
        assert done == []


def test_only_reading_touches_the_disk():
    """And what is read of the library itself: cards, measures, bibliography, the page of the report."""
    disk = {"open", "read_bytes", "read_text", "write_bytes", "write_text"}
    for name in within("stats_core"):
        called = {
            getattr(node.func, "attr", getattr(node.func, "id", ""))
            for node in ast.walk(modules()[name])
            if isinstance(node, ast.Call)
        }
        if not name.startswith(("stats_core.io.", "stats_core.report.")):
            assert not called & disk or ".cards." in name or name == "stats_core.data.measures", name


def test_the_readme_session_prints_what_it_says():
    """The library session in the README is run, and its output compared."""
    import doctest

    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)

    assert result.attempted >= 5
    assert result.failed == 0
