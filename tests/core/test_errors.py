"""Tests that an unexpected error gives a sentence with a reference, and a traceback in the log."""

import re

import pytest

from foldwise.cli.main import main
from stats_core.core.errors import InternalError, SettingError, error_boundary
from stats_core.inference import pairwise
from stats_core.io import read

GOOD = b"dataset,algorithm,fold,error\niris,rf,1,0.1\niris,svm,1,0.2\n"


@pytest.mark.unforeseen
def test_a_mistake_gets_a_sentence_and_its_traceback_goes_to_the_log(nothing_unforeseen):
    with (
        pytest.raises(InternalError, match=r"reference [0-9a-f]{8} in the log") as told,
        error_boundary("This"),
    ):
        raise KeyError("secret")

    assert "secret" not in str(told.value)
    assert told.value.reference in nothing_unforeseen[0].getMessage()
    assert nothing_unforeseen[0].exc_info[0] is KeyError


def test_refusals_and_interruptions_pass():
    for kind in (SettingError, KeyboardInterrupt):
        with pytest.raises(kind), error_boundary("This"):
            raise kind("as it is")


@pytest.mark.unforeseen
@pytest.mark.parametrize(("module", "name"), [(read, "table_of"), (pairwise, "resolve_settings")])
def test_the_command_says_it_without_a_traceback(module, name, monkeypatch, tmp_path, capsys):
    def broken(*given, **named):
        raise RuntimeError("out of order")

    monkeypatch.setattr(module, name, broken)
    path = tmp_path / "a.csv"
    path.write_bytes(GOOD)

    assert main(["analyse", str(path)]) == 1

    said = capsys.readouterr().err
    assert re.search("reference [0-9a-f]{8} in the log", said)
    assert "Traceback" not in said
    assert "out of order" not in said
