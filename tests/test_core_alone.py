"""Tests that the statistics need only the packages that they declare, without the app."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

from stats_core.core.version import VERSION

ROOT = Path(__file__).parents[1]
OTHERWISE_NAMED = {"PIL": "pillow", "sklearn": "scikit-learn"}  # module -> its package
NEEDED = {"pandas", "numpy", "scipy", "statsmodels", "networkx", "jinja2", "narwhals"}
ALONE = """
import importlib, json, pkgutil, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in REFUSED:
            raise ModuleNotFoundError(f"{name} is not there", name=name)

sys.meta_path.insert(0, Refuse())
import stats_core as fw

for module in pkgutil.walk_packages(fw.__path__, "stats_core."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
text = "dataset,rf,svm,knn\\n" + "".join(f"d{i},.{i+11},.{i+22},.{i+43}\\n" for i in range(12))
results = fw.read_results(("scores.csv", text.encode()), mapping=fw.Mapping(measure_name="error"))
analysis = fw.analyse(results)
writers = (fw.to_text, fw.to_json, fw.to_html, fw.to_latex, fw.to_script)
print(json.dumps([len(str(write(analysis))) for write in writers]))
"""


def plain(name):
    """Return the normalised name of a package."""
    return name.lower().replace("_", "-")


def needed_with_theirs(installed):
    """Return the packages that the statistics need, and their requirements among the installed ones."""
    found, waiting = set(), set(NEEDED)
    while waiting:
        name = waiting.pop()
        found.add(name)
        lines = [line for line in requires(name) or () if "extra ==" not in line]
        waiting |= {plain(re.match(r"[\w.-]+", line)[0]) for line in lines} & installed - found
    return found


def test_the_statistics_need_only_their_own_packages():
    homes = {module: {*map(plain, found)} for module, found in packages_distributions().items()}
    needed = needed_with_theirs(set().union(*homes.values()))
    others = {module for module, found in homes.items() if not found & needed} | {"foldwise"}
    assert {"streamlit", "plotly", "matplotlib", "PIL", "shapely", "sklearn", "pytest"} <= others

    code = f"REFUSED = {sorted(others - set(sys.stdlib_module_names))!r}\n{ALONE}"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert min(json.loads(done.stdout)) > 100


def test_what_is_declared_is_what_is_installed():
    """The wheel requires what requirements.txt lists, which includes all packages of the statistics."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [
        line
        for line in (ROOT / "requirements.txt").read_text().splitlines()
        if not line.startswith("#")
    ]
    recipe = (
        (ROOT / "conda" / "meta.yaml")
        .read_text()
        .replace("matplotlib-base", "matplotlib")
        .replace(" >=", ">=")
    )

    assert project["dependencies"] + project["optional-dependencies"]["app"] == listed
    assert {re.match(r"\w+", line)[0] for line in project["dependencies"]} >= NEEDED
    assert [line for line in listed if f"- {line}\n" not in recipe] == []
    assert f'version = "{VERSION}"' in recipe
    assert f"home: {project['urls']['Homepage']}\n" in recipe


def test_all_imported_packages_are_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = project["dependencies"] + sum(project["optional-dependencies"].values(), [])
    declared = {plain(re.match(r"[\w-]+", line)[0]) for line in lines}
    files = [
        ROOT / "app.py",
        *(f for name in ("pages", "stats_core", "foldwise") for f in (ROOT / name).rglob("*.py")),
    ]
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text()))]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    modules = (
        {name.partition(".")[0] for name in names}
        - sys.stdlib_module_names
        - {"stats_core", "foldwise"}
    )

    assert {"numpy", "fontTools", "pyarrow"} <= modules
    assert {OTHERWISE_NAMED.get(name, plain(name)) for name in modules} - declared == set()
