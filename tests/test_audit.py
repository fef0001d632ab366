"""The audit of the lock: known holes fail, what cannot be looked at is said."""

import time
import urllib.error
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCK = "good==1.0 \\\n    --hash=sha256:00\nbad==2.0 ; python_version < '3.12' \\\n    --hash=sha256:01\n"
HOLE = {"id": "PYSEC-1", "aliases": ["CVE-1"], "fixed_in": ["2.1"], "link": "", "withdrawn": None}


@pytest.fixture
def audit():
    loader = SourceFileLoader("audit", str(ROOT / ".ci" / "audit.py"))
    module = module_from_spec(spec_from_loader("audit", loader))
    loader.exec_module(module)
    return module


def pypi(**found):
    """What PyPI says of these packages; of a text that is raised."""

    def ask(address):
        name, _, version = address.partition("/")
        return {"info": {"version": version}, "vulnerabilities": found.get(name, [])}

    return ask


def test_every_version_of_the_lock_is_asked_about(audit):
    lock = (ROOT / "requirements.lock").read_text()

    assert audit.pinned(LOCK) == [("good", "1.0"), ("bad", "2.0")]
    assert len(audit.pinned(lock)) == sum(line[:1].isalnum() for line in lock.splitlines())
    assert {"streamlit", "numpy", "pandas"} <= {name for name, _ in audit.pinned(lock)}


def test_a_known_hole_fails(audit, capsys):
    assert audit.main(LOCK, pypi(bad=[HOLE])) == 1
    said = capsys.readouterr().out
    assert "known hole: bad 2.0: PYSEC-1 CVE-1 (mended in 2.1)" in said
    assert "1 known holes in 2 packages looked at" in said


def test_holes_that_are_withdrawn_or_accepted_do_not(audit, monkeypatch):
    assert audit.main(LOCK, pypi(bad=[HOLE | {"withdrawn": "2026"}])) == 0
    monkeypatch.setitem(audit.ACCEPTED, "CVE-1", "not reached from here")
    assert audit.main(LOCK, pypi(bad=[HOLE])) == 0


def test_a_mirror_that_knows_the_newest_version_alone(audit, capsys):
    def ask(address):
        if "/" in address:
            raise urllib.error.HTTPError(address, 404, "", {}, None)
        return {"info": {"version": "2.0"}, "vulnerabilities": [HOLE]}

    assert audit.main(LOCK, ask) == 1
    assert "could not look at 1 of 2 packages: good 1.0" in capsys.readouterr().out


def test_what_cannot_be_asked_is_said_and_fails_nothing(audit, capsys):
    def away(address):
        raise OSError("no network")

    def slow(address):
        time.sleep(0.3)
        raise OSError

    assert audit.main(LOCK, away) == 0
    assert "could not look at 2 of 2 packages: bad 2.0, good 1.0" in capsys.readouterr().out
    assert audit.main(LOCK, slow, seconds=0.05) == 0
    assert "0 known holes in 0 packages looked at" in capsys.readouterr().out
