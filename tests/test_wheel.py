"""Tests of Foldwise installed from a wheel, built from the sdist, into a separate environment."""

import re
import socket
import subprocess
import sys
import sysconfig
import tarfile
import urllib.request
import venv
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from zipfile import ZipFile

import pytest

from stats_core.core.version import VERSION

ROOT = Path(__file__).parents[1]
SCORES = "dataset,rf,svm,knn\n" + "".join(
    f"d{i},0.{i + 11},0.{i + 22},0.{i + 33}\n" for i in range(9)
)


def build(kind, source, folder):
    """Build an sdist or a wheel without a network, by the installed packages, and return its path."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    return next(folder.iterdir())


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The folder of the unpacked sdist."""
    folder = tmp_path_factory.mktemp("source")
    with tarfile.open(build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))) as archive:
        archive.extractall(folder, filter="data")
    return folder / f"foldwise-{VERSION}"


@pytest.fixture(scope="module")
def wheel(source, tmp_path_factory):
    """The path of the wheel, built from the sdist."""
    return build("wheel", source, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The folder of programs of an environment with the wheel, which borrows all other packages."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    home = folder / "bin"
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(home / "python"),
        "install",
        "--no-index",
        "--no-compile",
    ]
    subprocess.run([*install, "--no-deps", str(wheel)], check=True, capture_output=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    return home


@pytest.fixture
def run(installed, tmp_path):
    """A function that runs a program of the environment in an empty folder and returns its output."""

    def run(program, *arguments):
        command = [installed / program, *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env={"PATH": ""}, check=True, capture_output=True, text=True
        ).stdout

    return run


def test_the_wheel_holds_everything_that_is_not_code_too(wheel):
    names = set(ZipFile(wheel).namelist())

    data = [
        path for path in (ROOT / "stats_core").rglob("*") if path.suffix not in ("", ".py", ".pyc")
    ]
    shown = [f"docs/{name}.md" for name in ("methods", "formats", "scikit-learn")]
    beside = [path for folder in ("pages", "sample_results") for path in (ROOT / folder).iterdir()]
    beside = [path for path in beside if path.parent.name == "pages" or ".csv" in path.suffixes]
    expected = [path.relative_to(ROOT).as_posix() for path in data]
    expected += [
        f"foldwise/{path.relative_to(ROOT).as_posix()}" for path in beside if path.is_file()
    ]
    expected += [f"foldwise/{name}" for name in ("app.py", ".streamlit/config.toml", *shown)]
    expected += ["foldwise/py.typed", "foldwise/web/icon.png"]

    assert set(expected) <= names
    assert len(expected) > 25
    assert f"foldwise-{VERSION}.dist-info/licenses/LICENSE-data" in names
    assert {name.split("/")[0] for name in names} == {
        "foldwise",
        "stats_core",
        f"foldwise-{VERSION}.dist-info",
    }


def test_the_citation_names_this_version():
    assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text()


def test_links_of_the_description_work_outside_the_repository(wheel):
    with ZipFile(wheel) as archive:
        description = archive.read(f"foldwise-{VERSION}.dist-info/METADATA").decode()

    targets = re.findall(r"\]\(([^)]+)\)", description)
    assert len(targets) > 10
    assert [target for target in targets if not target.startswith(("https://", "#"))] == []


def needed(*names):
    """Return the distributions that distributions of these names require, however indirectly, and themselves."""
    found, waiting = {}, list(names)
    while waiting:
        name = waiting.pop()
        try:
            one = distribution(name)
        except PackageNotFoundError:  # for another platform
            continue
        if one.name not in found:
            found[one.name] = one
            waiting += [
                re.match(r"[\w.-]+", line)[0]
                for line in one.requires or ()
                if "extra ==" not in line
            ]
    return found.values()


def test_the_library_works_without_the_packages_of_the_app(source, wheel, tmp_path):
    """With the dependencies of the wheel alone, some tests of the sdist and all examples run.

    The packages are links to the installed ones, which are compiled already.
    """
    with ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
        metadata = archive.read(f"foldwise-{VERSION}.dist-info/METADATA").decode()
    dependencies = re.findall(r"^Requires-Dist: ([\w.-]+)[^;\n]*$", metadata, re.MULTILINE)
    assert "pandas" in dependencies
    for one in needed(*dependencies, "pytest", "hypothesis"):
        for top in {path.parts[0] for path in one.files} - {"..", "__pycache__"}:
            (tmp_path / top).symlink_to(one.locate_file(top))

    def run(*words):
        command = [sys.executable, "-S", *words]  # without the installed packages
        return subprocess.run(
            command, cwd=source, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True
        )

    absent = "from importlib.util import find_spec; print(*map(find_spec, ['streamlit', 'pyarrow', 'sklearn']))"
    assert run("-c", absent).stdout.split() == ["None"] * 3
    tests = ["stats_core", "foldwise/figures", "tests/rendering/test_figure_files.py"]
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)

    assert done.returncode == 0, done.stdout[-3000:]


def test_the_command_answers(run, tmp_path):
    (tmp_path / "accuracy.csv").write_text(SCORES)

    assert run("foldwise", "--version") == f"foldwise {VERSION}\n"
    assert "significantly better" in run(
        "foldwise", "analyse", "accuracy.csv", "--direction", "accuracy=higher"
    )


def test_a_report_is_written(run, tmp_path):
    (tmp_path / "accuracy.csv").write_text(SCORES)

    run("python", "-m", "foldwise", "report", "accuracy.csv", "--no-pdf", "-o", "report")

    assert (tmp_path / "report" / "report.html").stat().st_size > 100_000
    assert r"\begin{document}" in (tmp_path / "report" / "report.tex").read_text()


def test_the_app_starts(installed, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    server = subprocess.Popen(
        [installed / "foldwise", "run", f"--port={port}", "--headless"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        said = server.stdout.readline()
        url = f"http://localhost:{port}"
        assert said.startswith(f"Foldwise is at {url} ")
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=60) as answer:
            assert answer.read() == b"ok"  # the launcher has run the app once
        with urllib.request.urlopen(url, timeout=60) as page:
            assert b"<title>" in page.read()
    finally:
        server.terminate()
        server.communicate(timeout=20)
