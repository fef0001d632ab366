"""Tests of the launcher: set-up of environments, started commands, and error messages."""

import ast
import errno
import json
import os
import re
import shutil
import sys
from importlib.machinery import SourceFileLoader
from importlib.metadata import packages_distributions
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def launcher(monkeypatch, tmp_path):
    """The file `fw` as a module, whose root is a folder with a lock file only."""
    loader = SourceFileLoader("fw_launcher", str(ROOT / "fw"))
    module = module_from_spec(spec_from_loader("fw_launcher", loader))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "requirements.lock").write_text("numpy==2.2.0\n")
    return module


def make(launcher, root, python="#!/bin/sh\nexit 0\n"):
    """Create an environment as the launcher leaves it, whose Python is the script `python`."""
    path = Path(launcher.python_of(str(root)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(python)
    path.chmod(0o755)
    Path(launcher.stamp_of(str(root))).write_text(os.path.realpath(root / ".venv"))


@pytest.fixture
def made(monkeypatch, launcher, tmp_path):
    """A list of what is fetched during set-up, while stand-ins create environments and fetch nothing."""
    fetched = []

    def make_venv(command):
        assert command[1:] == ["-m", "venv", "--clear", str(tmp_path / ".venv")]
        shutil.rmtree(command[4], ignore_errors=True)
        make(launcher, tmp_path)
        Path(launcher.stamp_of(str(tmp_path))).unlink()
        return 0, ""

    monkeypatch.setattr(launcher, "run_and_read", make_venv)
    monkeypatch.setattr(launcher, "find_python", lambda: sys.executable)
    monkeypatch.setattr(launcher, "fetch", fetched.append)
    # uv cannot be fetched here, so pip installs all
    monkeypatch.setattr(
        launcher,
        "answers",
        lambda command: not {"install", "sync"} & set(command) and Path(command[0]).exists(),
    )
    return fetched


def test_a_complete_environment_is_ready(launcher, tmp_path):
    make(launcher, tmp_path)

    assert launcher.is_ready(str(tmp_path))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda venv, lock: os.rename(venv, venv.with_name("gone")),
        lambda venv, lock: next(venv.glob(".installed-*")).unlink(),
        lambda venv, lock: lock.write_text("numpy==2.3.0\n"),
        lambda venv, lock: (venv / "bin" / "python").unlink(),
        lambda venv, lock: (venv / "bin" / "python").write_text("#!/bin/sh\nexit 1\n"),
        lambda venv, lock: (venv / "bin" / "python").write_text("#!/nowhere/python\n"),
        lambda venv, lock: (venv / "bin" / "python").chmod(0o644),
        lambda venv, lock: next(venv.glob(".installed-*")).write_text("/elsewhere/.venv"),
    ],
    ids="none interrupted other-lock python-gone packages-gone base-gone no-program copied".split(),
)
def test_a_broken_environment_is_not_ready(launcher, tmp_path, spoil):
    make(launcher, tmp_path)
    spoil(tmp_path / ".venv", tmp_path / "requirements.lock")

    assert not launcher.is_ready(str(tmp_path))


def test_the_packages_are_those_of_the_requirements(launcher):
    run, tests = ((ROOT / f"requirements{kind}.txt").read_text() for kind in ("", "-dev"))
    homes = packages_distributions()
    named = {home.lower().replace("_", "-") for name in launcher.PACKAGES for home in homes[name]}

    assert (
        set(re.findall(r"([\w-]+)>=", run)) <= named <= set(re.findall(r"([\w-]+)>=", run + tests))
    )
    assert launcher.answers([sys.executable, "-I", "-c", launcher.CHECK % (launcher.PACKAGES,)])
    assert not launcher.answers([sys.executable, "-I", "-c", launcher.CHECK % (["no_such_thing"],)])


def test_it_is_set_up_once(launcher, tmp_path, made, capsys):
    assert launcher.set_up(str(tmp_path))
    assert not launcher.set_up(str(tmp_path))

    assert len(made) == 1
    assert made[0][-3:] == ["--require-hashes", "-r", str(tmp_path / "requirements.lock")]
    assert capsys.readouterr().err == "foldwise: setting up .venv (once, about a minute) ...\n"


@pytest.mark.parametrize("fails", ["", "pip", "uv"])
def test_uv_of_the_lock_installs_all_or_else_pip(monkeypatch, launcher, tmp_path, made, fails):
    lock_file, commands = tmp_path / "requirements.lock", []
    lock_file.write_text(
        "uvicorn==1.0 \\\n    --hash=sha256:a\nuv==2.0 \\\n    --hash=sha256:b \\\n    --hash=sha256:c\n"
    )

    def answers(command):
        if {"install", "sync"} & set(command):
            file = command[command.index("--require-hashes") + (2 if command[2] == "pip" else 1)]
            commands.append((command[2], Path(file).read_text().split("\n")))
            assert command[2] == "pip" or command[-2:] == ["--index-url", "https://mirror/simple"]
        return command[2] != fails

    monkeypatch.setattr(launcher, "answers", answers)
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror/simple")
    launcher.set_up(str(tmp_path))

    of_uv = ("pip", ["uv==2.0     --hash=sha256:b     --hash=sha256:c", ""])
    assert (
        commands == [of_uv, ("uv", lock_file.read_text().split("\n"))][: 1 if fails == "pip" else 2]
    )
    assert [command[-1] for command in made] == [str(lock_file)] * bool(fails)


def test_what_is_half_made_is_completed(monkeypatch, launcher, tmp_path, made):
    def interrupted(command):
        raise KeyboardInterrupt

    monkeypatch.setattr(launcher, "fetch", interrupted)
    assert launcher.main(["lint"]) == 130
    assert not launcher.is_ready(str(tmp_path))
    monkeypatch.setattr(launcher, "fetch", made.append)
    launcher.set_up(str(tmp_path))

    assert len(made) == 1
    assert launcher.is_ready(str(tmp_path))


def test_an_upgrade_changes_packages_in_place_and_one_that_fails_is_taken_up_again(
    monkeypatch, launcher, tmp_path, made, capsys
):
    make(launcher, tmp_path)
    kept = tmp_path / ".venv" / "kept"
    kept.write_text("package")
    (tmp_path / "requirements.lock").write_text("numpy==2.3.0\n")

    def fail(command):
        raise launcher.Refusal("no network")

    monkeypatch.setattr(launcher, "fetch", fail)
    assert launcher.main(["lint"]) == 1
    assert "no network" in capsys.readouterr().err
    assert not launcher.is_ready(str(tmp_path))

    monkeypatch.setattr(launcher, "fetch", made.append)
    launcher.set_up(str(tmp_path))
    assert "setting up .venv anew" in capsys.readouterr().err
    assert launcher.is_ready(str(tmp_path))
    assert kept.exists()
    assert [path.name for path in (tmp_path / ".venv").glob(".installed-*")] == [
        Path(launcher.stamp_of(str(tmp_path))).name
    ]


def test_a_copied_or_broken_environment_is_made_anew(launcher, tmp_path, made):
    for spoil in (
        lambda stamp: stamp.write_text("/elsewhere/.venv"),
        lambda stamp: Path(launcher.python_of(str(tmp_path))).unlink(),
    ):
        make(launcher, tmp_path)
        left = tmp_path / ".venv" / "left"
        left.write_text("package")
        spoil(Path(launcher.stamp_of(str(tmp_path))))
        launcher.set_up(str(tmp_path))
        assert launcher.is_ready(str(tmp_path))
        assert not left.exists()


def test_a_link_is_replaced_and_its_target_left_alone(launcher, tmp_path, made):
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "kept").write_text("mine")
    (tmp_path / ".venv").symlink_to(shared)

    launcher.set_up(str(tmp_path))

    assert (shared / "kept").read_text() == "mine"
    assert not (tmp_path / ".venv").is_symlink()
    assert launcher.is_ready(str(tmp_path))


def test_a_link_to_a_complete_environment_is_kept(launcher, tmp_path, made):
    (tmp_path / "shared").mkdir()
    (tmp_path / ".venv").symlink_to(tmp_path / "shared")
    make(launcher, tmp_path)

    launcher.set_up(str(tmp_path))

    assert made == []
    assert (tmp_path / ".venv").is_symlink()


def refusal(launcher, capsys, *arguments):
    """Assert that a command fails with a message, and return the message."""
    assert launcher.main(list(arguments)) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("foldwise: ")
    assert "Traceback" not in said
    return said


def test_a_folder_that_cannot_be_written(monkeypatch, launcher, tmp_path, made, capsys):
    monkeypatch.setattr(launcher.os, "access", lambda path, mode: False)

    said = refusal(launcher, capsys, "run")
    assert f"cannot write {tmp_path}, and .venv belongs there. Copy Foldwise" in said
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize(
    ("number", "words"), [(errno.EROFS, "cannot write"), (errno.ENOSPC, "could not set up .venv")]
)
def test_a_disk_that_refuses(monkeypatch, launcher, made, capsys, number, words):
    def refuse(command):
        raise OSError(number, os.strerror(number), command[4])

    monkeypatch.setattr(launcher, "run_and_read", refuse)

    assert words in refusal(launcher, capsys, "run")


def test_without_a_network(monkeypatch, launcher, capfd):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    failing = [sys.executable, "-c", "import sys; sys.exit('Traceback: many lines')"]

    with pytest.raises(launcher.Refusal, match="127.0.0.1:9/simple cannot be reached. Connect, or"):
        launcher.fetch(failing)
    assert capfd.readouterr().err == ""


def test_packages_that_cannot_be_fetched_for_another_reason(monkeypatch, launcher, capfd):
    monkeypatch.setattr(launcher, "is_reachable", lambda url: True)

    with pytest.raises(launcher.Refusal, match="the lines above say why"):
        launcher.fetch([sys.executable, "-c", "import sys; sys.exit('the hashes differ')"])
    assert capfd.readouterr().err == "the hashes differ\n"


def test_a_python_that_makes_no_environments(monkeypatch, launcher, made, capsys):
    monkeypatch.setattr(
        launcher, "run_and_read", lambda command: (1, "ensurepip is not available\n")
    )

    assert "On Debian: apt install python3-venv" in refusal(launcher, capsys, "run")
    assert made == []


def test_an_old_python_says_what_is_needed(monkeypatch, launcher, capsys):
    monkeypatch.setattr(launcher.sys, "version_info", (3, 8, 18))
    monkeypatch.setattr(launcher, "answers", lambda command: False)

    said = refusal(launcher, capsys, "run")
    assert "needs Python 3.11 or newer; this is 3.8, and no newer one was found. Install" in said


def test_an_old_python_hands_over_to_a_newer_one(monkeypatch, launcher, tmp_path):
    monkeypatch.setattr(launcher.sys, "version_info", (3, 8, 18))
    monkeypatch.setattr(launcher, "answers", lambda command: command[0] == "python3.12")
    monkeypatch.setattr(launcher.subprocess, "call", lambda command: command)

    assert launcher.main(["run", "--x"]) == ["python3.12", str(ROOT / "fw"), "run", "--x"]


def test_the_python_that_is_asked_for_comes_first(monkeypatch, launcher):
    monkeypatch.setenv("PYTHON", "/opt/python")
    tried = []
    monkeypatch.setattr(launcher, "answers", lambda command: tried.append(command[0]))

    with pytest.raises(launcher.Refusal):
        launcher.find_python()
    assert tried[0] == "/opt/python"
    assert not launcher.is_new_enough("/no/such/python")


def test_an_old_python_can_read_the_file():
    newer = (ast.JoinedStr, ast.NamedExpr, ast.Match, ast.AnnAssign, ast.Nonlocal, ast.Await)
    for node in ast.walk(ast.parse((ROOT / "fw").read_text(encoding="ascii"))):
        assert not isinstance(node, newer), node.lineno
        if isinstance(node, ast.FunctionDef):
            of = node.args
            kinds = [of.kwonlyargs, of.posonlyargs, node.returns]
            assert not any([*kinds, *(each.annotation for each in of.args)]), node.lineno
        if isinstance(node, ast.Raise):
            assert node.cause is None, node.lineno


@pytest.fixture
def started(monkeypatch, launcher):
    """A list of the commands that are started, while stand-ins for set-up and checks succeed."""
    commands = []

    def note(command):
        commands.append(command[1:])
        return 0

    for name in ("set_up", "set_up_browser", "begin_apt"):
        monkeypatch.setattr(launcher, name, lambda *_: None)
    monkeypatch.setattr(launcher, "first_wrong", lambda checks: 0)
    monkeypatch.setattr(launcher, "begin", lambda arguments: checked(0))
    monkeypatch.setattr(launcher.subprocess, "call", note)
    monkeypatch.setattr(launcher, "hand_over", note)
    return commands


def checked(code, text=b"types were read\n"):
    """Return a stand-in for a check that ran at the same time as the tests."""
    return SimpleNamespace(communicate=lambda: (text, None), kill=lambda: None, returncode=code)


def test_the_app_is_started(launcher, started):
    assert launcher.main([]) == 0
    assert launcher.main(["run", "--server.port=8600"]) == 0
    app = ["-m", "foldwise.web.launcher"]
    assert started == [app, [*app, "--server.port=8600"]]


def test_tests_run_on_all_cores_and_the_slow_ones_when_asked_for(monkeypatch, launcher, started):
    cores = ["-m", "pytest", "-n", launcher.workers(), "--dist", "worksteal"]
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")

    assert launcher.main(["test", "-x", "tests/core"]) == 0
    assert launcher.main(["test", "-x", "--all"]) == 0
    assert started == [[*cores, "-x", "tests/core"], [*cores, "-m", "", "-x"]]
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ
    assert 1 <= int(launcher.workers()) <= os.cpu_count()


def test_tests_do_not_start_where_the_style_is_wrong(monkeypatch, launcher, started):
    monkeypatch.setattr(launcher, "first_wrong", lambda checks: 1)

    assert launcher.main(["test"]) == 1
    assert launcher.main(["lint"]) == 1
    assert started == []


def test_types_are_checked_beside_the_tests_and_count_as_much(
    monkeypatch, launcher, started, capsys
):
    monkeypatch.setattr(launcher, "begin", lambda arguments: checked(1))
    assert launcher.main(["test"]) == 1
    assert capsys.readouterr().err.endswith("types were read\n")

    monkeypatch.setattr(launcher, "begin", lambda arguments: checked(0))
    monkeypatch.setattr(launcher.subprocess, "call", lambda command: 2)
    assert launcher.main(["test"]) == 2


def test_the_audit_runs_beside_the_tests_when_asked_for(monkeypatch, launcher, started, capsys):
    begun = {"mypy": checked(0), "audit": checked(1, b"a vulnerability\n")}
    monkeypatch.setattr(launcher, "begin", lambda arguments: begun[arguments[-1]])

    assert launcher.main(["test"]) == 0
    assert launcher.main(["test", "--audit"]) == 1
    assert capsys.readouterr().err.endswith("types were read\na vulnerability\n")
    assert "--audit" not in started[-1]


def test_in_a_new_environment_one_process_compiles_all_modules(monkeypatch, launcher, started):
    begun = []
    monkeypatch.setattr(
        launcher, "begin", lambda arguments: begun.append(arguments[-1]) or checked(0)
    )
    monkeypatch.setattr(launcher, "set_up", lambda root: True)

    assert launcher.main(["test"]) == 0
    assert begun == ["--collect-only", "mypy"]


def test_without_chromium(monkeypatch, launcher, capsys):
    monkeypatch.setattr(launcher, "set_up", lambda root: None)
    monkeypatch.setattr(launcher.shutil, "which", lambda name: None)
    monkeypatch.setattr(launcher, "printed_by", lambda command: "")
    monkeypatch.setattr(launcher, "begin", lambda arguments: checked(0))
    monkeypatch.setattr(launcher.subprocess, "call", lambda command: command[2] == "playwright")

    assert "set CHROMIUM to its path" in refusal(launcher, capsys, "test")


def test_the_browser_that_is_asked_for_comes_first(monkeypatch, launcher, tmp_path):
    monkeypatch.setenv("CHROMIUM", sys.executable)

    launcher.set_up_browser()

    assert os.environ["CHROMIUM"] == sys.executable


@pytest.fixture
def bare(monkeypatch, launcher):
    """A list of the installations begun by a stand-in for an administrator of Debian without browser and TeX."""
    begun = []

    def begin(command, **_):
        begun.append(command[-1].split("; "))
        return SimpleNamespace(
            wait=lambda: begun.append("installed"), kill=lambda: begun.append("killed")
        )

    there = {"apt-get": "/usr/bin/apt-get"}
    monkeypatch.setattr(launcher.os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(launcher.shutil, "which", there.get)
    monkeypatch.setattr(launcher, "printed_by", lambda command: "")
    monkeypatch.setattr(launcher.subprocess, "Popen", begin)
    monkeypatch.setattr(launcher, "set_up", lambda root: begun.append("set up"))
    return begun


def test_the_system_is_completed_while_packages_are_fetched(monkeypatch, launcher, bare):
    monkeypatch.setattr(launcher.subprocess, "call", lambda command: bare.append(command[2]) or 1)

    assert launcher.main(["test"]) == 1
    (update, browser, tex), *after = bare
    assert update.startswith("apt-get update")
    assert browser.endswith(" chromium fonts-liberation")
    assert " texlive-latex-recommended " in tex
    assert after == ["set up", ["mypy"], "ruff", "installed", "killed"]


def test_the_system_is_waited_for_where_packages_cannot_be_fetched(
    monkeypatch, launcher, bare, capsys
):
    def refuse(root):
        raise launcher.Refusal("needs the network")

    monkeypatch.setattr(launcher, "set_up", refuse)

    assert "needs the network" in refusal(launcher, capsys, "test")
    assert bare[1:] == ["installed"]


def test_only_what_is_missing_is_installed_and_only_by_an_administrator(
    monkeypatch, launcher, bare
):
    there = {name: name for name in ("apt-get", "chromium", "bibtex")}
    monkeypatch.setattr(launcher.shutil, "which", there.get)
    assert launcher.missing() == [launcher.TEX]
    there["pdflatex"] = "pdflatex"
    assert launcher.missing() == []

    assert launcher.begin_apt([]) is None
    monkeypatch.setattr(launcher.os, "geteuid", lambda: 1000, raising=False)
    assert launcher.begin_apt([launcher.TEX]) is None
    assert bare == []


def test_without_tex_the_tests_that_need_it_are_left_out(monkeypatch, launcher, started, capsys):
    monkeypatch.setattr(launcher.shutil, "which", lambda name: None)

    assert launcher.main(["test"]) == 0
    assert "will be left out" in capsys.readouterr().err


def test_help_and_what_it_does_not_know(launcher, capsys):
    assert launcher.main(["--help"]) == 0
    assert "./fw run " in capsys.readouterr().out
    assert refusal(launcher, capsys, "walk").endswith(
        "knows run, test, lint, audit and lock, not 'walk'."
    )


GOOD = {"name": "good", "version": "1.0", "vulns": []}
VULNERABLE = {
    "name": "bad",
    "version": "2.0",
    "vulns": [{"id": "PYSEC-1", "aliases": ["CVE-1"], "fix_versions": ["2.1"]}],
}
SKIPPED, NEWEST, OPEN, GONE = (
    {
        "name": name,
        "skip_reason": f"Dependency not found on PyPI and could not be audited: {name} ({version})",
    }
    for name, version in (("odd", "3.0"), ("new", "3.1"), ("open", "4.0"), ("gone", "5.0"))
)
NEWEST_VERSIONS = {
    "odd": {"info": {"version": "3.1"}, "vulnerabilities": []},
    "new": {
        "info": {"version": "3.1"},
        "vulnerabilities": [{"id": "PYSEC-3", "fixed_in": [], "withdrawn": "2026"}],
    },
    "open": {
        "info": {"version": "4.0"},
        "vulnerabilities": [{"id": "PYSEC-2", "fixed_in": ["4.1"]}],
    },
}


@pytest.mark.parametrize(
    ("packages", "code", "words"),
    [
        ([GOOD], 0, "0 known vulnerabilities in 1 packages"),
        ([GOOD, VULNERABLE], 1, "bad 2.0: PYSEC-1 (fixed in 2.1)"),
        (
            [GOOD, SKIPPED],
            1,
            "1 of 2 packages were not looked up, since https://pypi.org/pypi does not answer for their",
        ),
        (
            [SKIPPED],
            0,
            "1 of 1 packages were not looked up, since https://pypi.org/pypi does not answer for single",
        ),
        ([GOOD, NEWEST], 0, "0 known vulnerabilities in 2 packages"),
        ([OPEN], 1, "open 4.0: PYSEC-2 (fixed in 4.1)"),
        ([GONE], 0, "1 of 1 packages were not looked up"),
    ],
    ids="none known one-not-found a-mirror newest newest-of-a-mirror gone".split(),
)
def test_the_audit_fails_on_what_is_known_and_what_is_not_found(
    monkeypatch, launcher, tmp_path, capsys, packages, code, words
):
    found = {
        f"{launcher.ADVISORIES}/{name}/json": document for name, document in NEWEST_VERSIONS.items()
    }
    monkeypatch.setattr(launcher, "read_json", lambda url: found.get(url, {}))
    report = json.dumps({"dependencies": packages})
    make(launcher, tmp_path, f"#!/bin/sh\nif [ $2 = pip_audit ]; then echo '{report}'; fi\n")

    assert launcher.main(["audit"]) == code
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("code", [0, 1], ids=["offline", "online"])
def test_an_audit_without_an_answer_fails_only_online(
    monkeypatch, launcher, tmp_path, capsys, code
):
    make(launcher, tmp_path, "#!/bin/sh\nif [ $2 = pip_audit ]; then echo why >&2; exit 1; fi\n")
    monkeypatch.setattr(launcher, "is_reachable", lambda url: bool(code))

    assert launcher.main(["audit"]) == code
    assert ("why" if code else "no vulnerability was looked up") in capsys.readouterr().err
