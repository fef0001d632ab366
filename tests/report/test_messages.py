"""Tests that every text in messages.toml is used, and that every message has a text."""

import pickle
import re
from pathlib import Path

import pytest

from stats_core.core.messages import IN_PAPER, TO_USER, message, read_texts

STATS_CORE = Path(__file__).parents[2] / "stats_core"
TEXTS = read_texts("report/messages.toml")
SOURCE = "\n".join(path.read_text(encoding="utf-8") for path in STATS_CORE.rglob("*.py"))


@pytest.mark.parametrize("code", [*TEXTS["messages"], *TEXTS["in_paper"]])
def test_texts_are_used(code):
    composed = code.removeprefix("correction replaced")
    assert f'"{code}"' in SOURCE or f'"{composed}"' in SOURCE
    assert code in TEXTS["messages"]


def test_messages_have_texts():
    codes = set(re.findall(r'\bmessage\(\s*"([^"{]+)"', SOURCE))

    assert len(codes) > 80
    assert all(message(code).code == code for code in codes)


def test_a_message_without_text_is_refused():
    with pytest.raises(KeyError, match="no text"):
        message("no such code")


def test_messages_are_equal_after_pickling():
    made = message("renamed", algorithms=(("rf", "forest"),), datasets=())

    assert pickle.loads(pickle.dumps(made)) == made
    assert made.said(TO_USER) == "1 algorithm (forest for rf) is renamed, by your choice."
    assert made.said(IN_PAPER) == "1 algorithm (forest for rf) was renamed."
    assert (
        message("no p", statistics=("Roy",), dimensions=2, df=1)
        .said(IN_PAPER)
        .endswith("2 dimensions.")
    )
