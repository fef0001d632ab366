"""Tests that the fast reader of large predictions gives the same results as the general reader."""

import csv
import gzip
import hashlib
import io
import json
import math
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats_core.core.errors import FoldwiseError
from stats_core.data import measures
from stats_core.data.measures import LOSSES, case_losses
from stats_core.io import read
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from tests.strategies import few_examples

PLAIN = "dataset,algorithm,fold,label,score\n"
ROWS = [
    f"{d},{a},{fold},{i % 2},{(7 * i + 3 * fold + len(a)) % 10 / 10}"
    for d in ("iris", "wine")
    for a in ("rf", "svm")
    for fold in (1, 2)
    for i in range(4)
]
TEXT = PLAIN + "\n".join(ROWS) + "\n"


@contextmanager
def smallest(size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read, "_SMALLEST", size)
        yield


def outcome(content, mapping, *, quick):
    """Return everything that reading a file gives, or type and text of the error."""
    with smallest(0 if quick else float("inf")):
        try:
            results = read_results(("cases.csv", content), mapping=mapping)
        except FoldwiseError as error:
            return f"{type(error).__name__}: {error}"
    cases = results.predictions
    return {
        "frame": results.frame,
        "predictions": cases[sorted(cases.columns)].astype("str"),
        "said": (results.notes, results.measures, results.design, results.source, results.digest),
        "directions": results.directions,
    }


def assert_same(content, mapping=None):
    """Assert that both readers give the same; return what the general reader gives."""
    content = content if isinstance(content, bytes) else content.encode()
    mapping = mapping or Mapping()
    careful = outcome(content, mapping, quick=False)
    quick = outcome(content, mapping, quick=True)
    if isinstance(careful, str) or isinstance(quick, str):
        assert quick == careful
        return careful
    assert quick["said"] == careful["said"]
    assert quick["directions"] == careful["directions"]
    pd.testing.assert_frame_equal(quick["frame"], careful["frame"], check_exact=True)
    pd.testing.assert_frame_equal(quick["predictions"], careful["predictions"])
    return careful


def is_quick(content, mapping=None):
    """Return whether a file is read by the fast reader."""
    content = content if isinstance(content, bytes) else content.encode()
    with smallest(0):
        return read._quick_predictions("cases.csv", content, mapping or Mapping()) is not None


names = st.text(
    st.one_of(
        st.characters(codec="utf-8", exclude_categories=("C", "Z")),
        st.sampled_from("aeé\u0301 '\",;\t."),
    ),
    min_size=1,
    max_size=6,
)
labels = st.sampled_from(["1", "0", "1.0", "yes", "no", "+1", "NA", "a b", "é", "e\u0301"])
scores = st.one_of(
    st.floats(0, 1).map(repr),
    st.floats(-3, 3).map(repr),
    st.sampled_from(["", "NaN", "nan", "NA", "None", "null", "nAn", "0", "1", ".5", "1.", "1e-3"]),
    st.sampled_from(["+0.5", " 0.25", "0.25 ", "-0.0", "5e-324", "0.1" + "0" * 30 + "1"]),
    st.sampled_from(["0,5", "90%", "inf", "-Infinity", "high", "1_0", "0x1p3", "1d3"]),
)


@st.composite
def files(draw):
    """Draw a small file of predictions in one of many forms."""
    usual = draw(st.booleans())  # a file without surprises among the scores
    some = st.floats(0, 1).map(repr) if usual else scores
    classes = draw(st.lists(labels, min_size=2, max_size=2, unique=True))
    columns = ["algorithm", "label", "score", "fold"]
    columns += [c for c in ("dataset", "repetition", "case", "remark") if draw(st.booleans())]
    if draw(st.booleans()):
        columns.append("predicted")
    if draw(st.integers(0, 5)) == 0:
        columns.remove("score" if "predicted" in columns else "fold")
    case = draw(
        st.sampled_from(["{}", "0{}", "case {}", "e\u0301{}", "{}.5", "{}000000000", " {} "])
    )
    fold = draw(st.sampled_from(["{}", "{}.0", "fold {}", " {}"]))
    rows = []
    for algorithm in draw(st.lists(names, min_size=1, max_size=3)):
        for i in range(draw(st.sampled_from([4, 4, 4, 3]))):
            cells = {
                "dataset": "iris",
                "algorithm": algorithm,
                "repetition": "1.0",
                "fold": fold.format(1 + i % 2),
                "case": case.format(i),
                "remark": draw(st.sampled_from(["", "x", '"', "a,b", "12"])),
                "label": classes[i // 2],
                "predicted": draw(st.sampled_from([*classes, classes[0], ""])),
                "score": draw(some),
            }
            rows.append([cells[name] for name in columns])
    if draw(st.booleans()):
        rows = draw(st.permutations(rows))
    return written(draw, columns, rows)


def written(draw, columns, rows):
    """Return a table as bytes, in a drawn dialect of CSV."""
    text = io.StringIO()
    end = draw(st.sampled_from(["\n", "\r\n"]))
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    mark = draw(st.sampled_from([",", ",", ";", "\t"]))
    writer = csv.writer(text, delimiter=mark, lineterminator=end, quoting=quoting)
    pad = draw(st.sampled_from(["", "", " "]))
    writer.writerow(columns)
    for row in rows:
        writer.writerow([f"{pad}{cell}{pad}" for cell in row])
        if draw(st.integers(0, 7)) == 0:
            text.write(draw(st.sampled_from([end, f"  {end}", mark * (len(columns) - 1) + end])))
    content = text.getvalue()
    if draw(st.booleans()):
        content = content.removesuffix(end)
    return draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"])) + content.encode()


@given(files())
def test_both_ways_find_the_same_or_refuse_in_the_same_words(content):
    assert_same(content)


@few_examples
@given(files(), st.sampled_from(["1", "yes", "0"]), st.sampled_from(["", "lower", "higher"]))
def test_both_ways_follow_the_user_alike(content, positive, direction):
    assert_same(content, Mapping(positive=positive, score_direction=direction))


@few_examples
@given(st.lists(st.floats(0, 1), min_size=4, max_size=4), st.booleans())
def test_every_digit_of_a_score_counts(values, long):
    digits = "{:.25f}" if long else "{!r}"
    rows = [f"d,a,1,{i % 2},{digits.format(value)}" for i, value in enumerate(values)]

    assert_same(PLAIN + "\n".join(rows) + "\n")


@pytest.mark.parametrize(
    "content",
    [
        TEXT,
        TEXT.replace("\n", "\r\n"),
        TEXT.replace(",", ";"),
        TEXT.replace(",", "\t"),
        "\ufeff" + TEXT,
        TEXT.replace("label", "y_true").replace("score", "probability"),
        TEXT.replace("rf", '"random, forest"'),
        TEXT.replace("rf", "  rf "),
        TEXT.replace(",", " , "),
        TEXT.replace("rf", "Wald é"),
        TEXT.replace("iris,rf,1,0,0.5", "iris,rf,1,0,"),
        TEXT.replace("\n", "\n\n"),
        TEXT.removesuffix("\n"),
        TEXT.replace(",1,", ",1.0,"),
        TEXT.replace("rf,", "rf,0").replace("svm,", "svm,0"),  # folds 01 and 02
        PLAIN + "\n".join(reversed(ROWS)) + "\n",
    ],
)
def test_plain_files_are_read_the_quick_way(content):
    assert is_quick(content)
    assert not isinstance(assert_same(content), str)


@pytest.mark.parametrize(
    "content",
    [
        TEXT.replace("algorithm", "kind"),  # no algorithm
        TEXT.replace("score", "prob_0").replace("label", "true,prob_1").replace(",0.", ",0.5,0."),
        "# made yesterday\n" + TEXT,
        "sep=,\n" + TEXT,
        "\n" + TEXT,
        TEXT.replace("iris,rf,1,0,0.5", "iris,rf,1,0,oops"),
        TEXT.replace("iris,rf,1,0,0.5", "iris,rf,1,0,50%"),
        TEXT.replace("iris,rf,1,0,0.5", "iris,rf,1,0,inf"),
        TEXT.replace("iris,rf,1,0,0.5", "iris,rf,1,0,12.5"),
        TEXT.replace("iris,rf,1,0,0.5", "iris,rf,1,0"),
        TEXT.replace("iris,rf,1,0,0.5", "iris,rf,1,0,0.5,7"),
        TEXT.replace("iris,rf,1,0,0.5", "iris,,1,0,0.5"),
        TEXT.replace("iris,rf,1,0,0.5", "iris,rf,1,,0.5"),
        TEXT.replace("iris,rf,1,0,0.5", 'iris,"r\nf",1,0,0.5'),
        TEXT.replace("fold", "design").replace(",1,", ",holdout,").replace(",2,", ",holdout,"),
        TEXT.replace("fold", "set"),
        TEXT.encode("utf-16"),
        TEXT.replace("rf", "Wald é").encode("cp1252"),
        PLAIN,
        "",
    ],
)
def test_unusual_files_are_left_to_the_careful_reader(content):
    assert_same(content)
    assert not is_quick(content)


@pytest.mark.parametrize(
    "content",
    [
        TEXT.replace("iris,rf,1,0,0.5", "iris,rf,1,NA,0.5"),  # a case without a label
        TEXT.replace("iris,rf,1,0,0.5\n", ""),  # other cases for one algorithm
        TEXT.replace("iris,rf,1,0,0.5", "iris,rf,1,0,0.5\niris,rf,1,third,0.5"),
        TEXT.replace("fold", "case"),  # a case given twice
        TEXT.replace("fold", "case").replace("score", "predicted"),
        TEXT.replace("rf", "RF").replace("svm", "rf"),  # names that differ only in case
        TEXT.replace("score", "predicted"),  # labels never seen
    ],
)
def test_broken_files_are_refused_in_the_same_words(content):
    assert_same(content)


@pytest.mark.parametrize("case", ["{}", "{:03}", "c{}", "-{}", "{}.5", "1970-01-0{}", "{}e3", ""])
def test_cases_keep_their_names(case):
    rows = [f"{row},{case.format(1 + i % 4)}" for i, row in enumerate(ROWS)]
    content = PLAIN.replace("\n", ",case\n") + "\n".join(rows) + "\n"

    assert_same(content)


def test_cases_that_leading_zeros_tell_apart_are_two():
    rows = ["d,a,1,1,0.9,1", "d,a,1,0,0.2,01", "d,b,1,1,0.7,1", "d,b,1,0,0.3,01"]

    assert not isinstance(assert_same(PLAIN.replace("\n", ",case\n") + "\n".join(rows)), str)


def test_names_written_in_two_ways_of_unicode_are_one():
    two = ("\u00e9", "e\u0301")
    rows = [row.replace("rf", two[i % 2]) for i, row in enumerate(ROWS)]
    by_case = [f"{row},{two['svm' in row]}{i % 4}" for i, row in enumerate(ROWS)]

    assert_same(PLAIN + "\n".join(rows))
    assert_same(PLAIN.replace("\n", ",case\n") + "\n".join(by_case))


@pytest.mark.parametrize("name", ['a "b" c', '"', "a,b", "a;b", "a\tb", " a ", "a\rb", "a\u00a0b"])
def test_quoted_names_are_read_alike(name):
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(PLAIN.strip().split(","))
    writer.writerows([cell.replace("rf", name) for cell in row.split(",")] for row in ROWS)

    assert_same(text.getvalue())
    assert_same(TEXT.replace(",rf,", ', "rf",'))


def test_line_breaks_in_columns_without_a_part_are_read_alike():
    rows = [f'{row},"line {i}\nd,a,1,1,0.5,x"' for i, row in enumerate(ROWS)]

    assert_same(PLAIN.replace("\n", ",remark\n") + "\n".join(rows))


def test_blocks_change_nothing_and_progress_is_told_after_each(monkeypatch):
    monkeypatch.setattr(read, "_SMALLEST", 0)
    monkeypatch.setattr(read, "_BLOCK", 64)
    told = []

    results = read_results(
        ("cases.csv", TEXT.encode()), progress=lambda done, expected: told.append((done, expected))
    )

    done = [rows for rows, _ in told]
    assert len(told) > 3
    assert done == sorted(set(done))
    assert told[-1] == (len(ROWS), len(ROWS))
    assert all(abs(expected - len(ROWS)) < 8 for _, expected in told)
    monkeypatch.setattr(read, "_SMALLEST", float("inf"))
    assert results == read_results(("cases.csv", TEXT.encode()))


def test_blocks_in_which_cases_look_different_are_read_alike(monkeypatch):
    monkeypatch.setattr(read, "_BLOCK", 64)
    rows = [f"{row},{'' if i % 4 < 2 else 'c'}{i % 4}" for i, row in enumerate(ROWS)]
    content = PLAIN.replace("\n", ",case\n") + "\n".join(rows) + "\n"

    assert not isinstance(assert_same(content), str)


def test_runs_that_all_failed_are_read_alike():
    rows = [row.rsplit(",", 1)[0] + "," for row in ROWS]

    assert_same(PLAIN + "\n".join(rows))


def test_small_files_are_read_carefully():
    assert read._quick_predictions("cases.csv", TEXT.encode(), Mapping()) is None
    assert is_quick(TEXT)


def test_several_files_may_be_read_in_different_ways():
    first = TEXT
    second = "# later\n" + TEXT.replace("rf", "knn").replace("svm", "nb")
    sources = [("a.csv", first.encode()), ("b.csv", second.encode())]

    with smallest(0):
        both = read_results(*sources)
    careful = read_results(*sources)

    assert both == careful
    assert both.algorithms == ("knn", "nb", "rf", "svm")
    assert (both.notes, both.digest) == (careful.notes, careful.digest)
    assert both.predictions.astype("str").equals(careful.predictions.astype("str"))


def test_sums_of_losses_hang_on_no_order_of_rows_and_agree_with_exact_sums(rng, monkeypatch):
    monkeypatch.setattr(measures, "_ROWS", 1000)
    group, actual, said = rng.integers(0, 3, 4000), rng.random(4000) < 0.5, rng.random(4000) ** 40
    order = rng.permutation(4000)

    for name in LOSSES:
        found = measures._loss_sums(name, group, actual, said)

        again = measures._loss_sums(name, group[order], actual[order], said[order])
        assert (found == again).all()
        losses = case_losses(name, actual, said)
        exact = [math.fsum(losses[group == one]) for one in range(3)]
        np.testing.assert_allclose(found, exact, rtol=1e-14)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cases.csv", TEXT.encode()),
        ("later.csv", ("# later\n" + TEXT).encode()),
        ("cases.csv.gz", gzip.compress(TEXT.encode())),
        (
            "cases.json",
            json.dumps(
                [dict(zip(PLAIN.strip().split(","), row.split(","), strict=True)) for row in ROWS]
            ),
        ),
    ],
)
def test_files_mapped_into_memory_are_read_like_their_bytes(tmp_path, name, content):
    content = content if isinstance(content, bytes) else content.encode()
    path = tmp_path / name
    path.write_bytes(content)

    with smallest(0):
        mapped = read_results(path)
    careful = read_results((name, content))

    assert mapped == careful
    assert (
        mapped.digest
        == careful.digest
        == hashlib.sha256(TEXT.encode() if name.endswith("gz") else content).hexdigest()
    )


def test_blocks_with_longer_labels_than_the_first_are_read_alike(monkeypatch):
    monkeypatch.setattr(read, "_BLOCK", 64)
    monkeypatch.setattr(read, "_HEAD", 120)
    later = [row.replace(",0,0.", ",no,0.") for row in ROWS]

    assert not isinstance(
        assert_same(PLAIN + "\n".join([*ROWS[:8], *later[8:]]) + "\n", Mapping(positive="1")), str
    )
