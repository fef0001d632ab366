"""Tests of the documentation site: its code runs and prints what pages state, and its links have targets.

The notebooks are not run in Jupyter: the code of their cells runs in order, in one namespace.
"""

import inspect
import json
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import foldwise

DOCS = Path(__file__).parents[1] / "docs"
PAGES, NOTEBOOKS = (
    sorted((DOCS / "site").glob("*.md")),
    sorted((DOCS / "notebooks").glob("*.ipynb")),
)
_spec = spec_from_file_location("site_hook", DOCS / "site" / "site_hook.py")
site_hook = module_from_spec(_spec)
_spec.loader.exec_module(site_hook)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_prints_what_the_page_states(page, tmp_path):
    text = page.read_text(encoding="utf-8")
    blocks = site_hook.run_page(text, tmp_path)

    assert text.count("```text\n") == sum(stated is not None for *_, stated in blocks)
    for line, _, printed, stated in blocks:
        assert stated is None or printed.rstrip() == stated.rstrip(), f"{page.name}, line {line}"


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_the_cells_of_a_notebook_run_and_are_saved_without_outputs(notebook, tmp_path, monkeypatch):
    (tmp_path / "sample_results").symlink_to(
        DOCS.parent / "sample_results", target_is_directory=True
    )
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "notebook"}
    cells = [
        cell
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
    ]
    for cell in cells:
        assert cell["outputs"] == []
        printed, value = site_hook.run("".join(cell["source"]), names)
        assert value is None or printed or value.to_plotly_json()
    assert len(cells) >= 5


def test_every_relative_link_of_the_site_has_its_target():
    config = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"^ +- (?:[^:\n]+: )?([\w/-]+\.md)$", config, re.MULTILINE)
    generated = {path for path in listed if path.startswith("site/api-")}
    broken = [path for path in listed if path not in generated and not (DOCS / path).exists()]
    for page in PAGES:
        for target in re.findall(r"\]\(((?!https?:)[^)]+)\)", page.read_text(encoding="utf-8")):
            path, _, anchor = target.partition("#")
            file = page.parent / path if path else page
            if file.suffix != ".svg" and (
                not file.exists() or (anchor and anchor not in anchors_of(file))
            ):
                broken.append(f"{page.name}: {target}")
    assert broken == []
    assert {DOCS / path for path in listed} >= set(PAGES)
    assert generated == {
        f"site/api-{name}.md" for name in ("foldwise", "stats", "plot", "power", "io")
    }


def anchors_of(page):
    """Return the anchors of the headings of a page, as GitHub and MkDocs form them for plain headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


def test_pictures_are_svg_and_blocks_return_their_last_value():
    printed, value = site_hook.run("import foldwise as fw\nx = 2\nx", {})
    assert (printed, value) == ("2\n", 2)
    diagram = "fw.plot.cd_diagram({'a': 1.2, 'b': 1.8}, groups=[('a', 'b')])"
    printed, value = site_hook.run(f"import foldwise as fw\n{diagram}", {})
    assert printed == ""
    assert site_hook.svg(value).lstrip().startswith((b"<svg", b"<?xml"))


def test_every_public_function_is_on_a_page_of_the_interface():
    written = set()
    pages = {name: site_hook.api_page(name, written) for name in site_hook._NAMESPACES}
    public = [getattr(foldwise, name) for name in foldwise.__all__]
    described = [each for each in public if inspect.isfunction(each) or inspect.isclass(each)]

    assert [each.__name__ for each in described if each not in written] == []
    assert all(
        f"stats_core.report.gate.{name}" in pages["foldwise"] for name in ("gate", "GateResult")
    )
