"""Tests of questions about suspicious values, each in one sentence with two answers."""

import numpy as np
import pytest

from foldwise.cli.main import main
from stats_core.core.errors import DataError, NeedsMapping
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results

HEAD = "dataset,algorithm,fold,accuracy\n"
VALUES = np.random.default_rng(17).uniform(0.5, 0.9, (4, 3, 5)).round(4)
KEYS = [(d, a, f) for d in range(4) for a in range(3) for f in range(5)]


def row(dataset, algorithm, fold, value):
    return f"{dataset},{algorithm},{fold},{value}\n"


def long(name=lambda d, a, f: ("pqrs"[d], ("rf", "svm", "nb")[a], f + 1)):
    return "".join(row(*name(d, a, f), VALUES[d, a, f]) for d, a, f in KEYS)


def wide(last):
    lines = [f"d{d},{','.join(map(str, VALUES[d, :, 0]))}" for d in range(4)]
    return "set,rf,svm,nb\n" + "\n".join([*lines, last]) + "\n"


BLEND = "".join(
    row("pqrs"[d], "blend", f + 1, f"{VALUES[d, :, f].mean():.4f}")
    for d in range(4)
    for f in range(5)
)
CASES = {
    "a data set called mean": ("sums", HEAD + row("Average", "rf", 1, 0.7) + long(), 60),
    "an algorithm called overall": (
        "sums",
        HEAD + long() + row("p", "overall", 1, VALUES[0, :, 0].mean().round(4)),
        60,
    ),
    "a fold called std": ("sums", HEAD + long() + row("p", "rf", "std", 0.01), 60),
    "an algorithm that is the mean of the others": ("sums", HEAD + long() + BLEND, 60),
    "folds under new numbers": (
        "copies",
        HEAD + long() + long(lambda d, a, f: ("pqrs"[d], ("rf", "svm", "nb")[a], f + 6)),
        60,
    ),
    "a data set under another name": (
        "copies",
        HEAD + long() + "".join(r.replace("p,", "z,", 1) + "\n" for r in long().split("\n")[:15]),
        60,
    ),
    "-999 in a long table": ("codes", HEAD + long().replace(str(VALUES[1, 1, 1]), "-999"), 60),
    "-1 among rates": ("codes", HEAD + long().replace(str(VALUES[1, 1, 1]), "-1"), 60),
    "-999 in a wide table": ("codes", wide("z,-999,0.6,0.7"), 15),
    "a negative time": (
        "signs",
        "dataset,algorithm,fold,accuracy,train_time\n"
        + "".join(f"{line},{-3 if i == 4 else i + 1}\n" for i, line in enumerate(long().split())),
        60,
    ),
    "a Cyrillic letter": (
        "look-alikes",
        HEAD
        + long(lambda d, a, f: ("pqrs"[d], ("rf", "svm" if d else "\u0455vm", "nb")[a], f + 1)),
        60,
    ),
}


@pytest.mark.parametrize("title", CASES)
def test_it_is_asked_and_both_answers_are_obeyed(title):
    kind, text, rows = CASES[title]
    source = ("accuracy.csv", text.encode())

    with pytest.raises(NeedsMapping) as asked:
        read_results(source)

    assert asked.value.about == "doubt"
    assert asked.value.fields == (kind,)
    assert asked.value.problems[0].row
    (_, left), (_, kept) = asked.value.options
    assert left == Mapping(doubts={kind: "leave"})
    assert read_results(source, mapping=left).n_rows == rows
    assert read_results(source, mapping=left).notes
    if kind == "codes":
        with pytest.raises(DataError, match="must lie between 0 and 1"):
            read_results(source, mapping=kept)
    else:
        assert read_results(source, mapping=kept).n_rows >= rows


@pytest.mark.parametrize(
    "text",
    [
        HEAD + long(),
        HEAD + "".join(row("p", a, f, int(f % 4 == 0)) for a in ("rf", "svm") for f in range(40)),
        HEAD + "".join(row(d, a, 1, 1.0) for d in "pqrstu" for a in ("rf", "svm", "nb")),
        "dataset,algorithm,fold,mcc\n"
        + "".join(row("p", a, f, v) for a in "xy" for f, v in ((1, -1), (2, 0.5), (3, 0.7))),
        "dataset,algorithm,fold,r2\n"
        + "".join(row("p", a, f, v) for a in "xy" for f, v in ((1, -0.5), (2, 0.5), (3, -3))),
    ],
    ids=["plain", "leave one out", "all solved", "a correlation of -1", "negative r2"],
)
def test_what_chance_may_explain_is_not_asked_about(text):
    assert read_results(("a.csv", text.encode()))


def test_the_command_names_the_option(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text(CASES["-1 among rates"][1])

    assert main(["analyse", str(path)]) == 1
    assert "If yes, add --suspicious codes=leave." in capsys.readouterr().err
    assert (
        main(["analyse", str(path), "--suspicious", "codes=leave", "--missing", "drop-data-sets"])
        == 0
    )


def test_letters_that_nobody_sees_are_left_out_and_said():
    text = HEAD + long().replace("q,svm", "q,s\u200bv\u00adm\ufeff").replace("r,nb", "r,nb\u00a0")

    results = read_results(("a.csv", text.encode()))

    assert results.algorithms == ("nb", "rf", "svm")
    assert [str(n) for n in results.notes] == [
        'Invisible characters were removed from 5 cells. For example, U+200B was removed from "svm".'
    ]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "cp1252"])
def test_an_encoding_that_is_guessed_is_said(encoding):
    text = (HEAD + long()).replace("p,", "caf\u00e9,")

    results = read_results(("a.csv", text.encode(encoding)))

    assert results.datasets[0] == "caf\u00e9"
    assert results.notes[0].code in ("not UTF-8", "UTF-16 without a mark")


def test_names_that_a_spreadsheet_would_run_are_safe_and_come_back():
    names = {"rf": "=cmd|' /C calc'!A0", "svm": "'@x", "nb": "-nb"}
    results = read_results(("a.csv", (HEAD + long()).encode())).rename(algorithms=names)

    text = results.to_csv()

    assert ",=" not in text
    assert ",-nb" not in text
    assert set(read_results(("b.csv", text.encode())).algorithms) == set(names.values())
