"""Tests of all layouts: order of rows and columns, writing and reading again, damaged files."""

import io
from contextlib import suppress
from functools import cache

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats_core import read_results
from stats_core.core.errors import FoldwiseError
from tests.strategies import few_examples

RUNS = [(model, fold) for model in ("rf", "svm") for fold in (1, 2)]
CASES = [(model, fold, case) for model, fold in RUNS for case in range(4 * fold, 4 * fold + 4)]


def lines(header, rows):
    return "\n".join([header, *(",".join(str(cell) for cell in row) for row in rows), ""])


LAYOUTS = {
    "fold scores": lines(
        "dataset,model,fold,error,rent (cost)",
        [("iris", m, f, f"0.{f}{len(m)}", len(m)) for m, f in RUNS],
    ),
    "confusion counts": lines(
        "dataset,model,fold,tp,fp,tn,fn",
        [("iris", m, f, 4 + len(m), f, 9 - f, 6 - len(m)) for m, f in RUNS],
    ),
    "predictions with scores": lines(
        "model,fold,instance,true,score",
        [(m, f, c, c % 2, f"0.{(c * len(m)) % 10}") for m, f, c in CASES],
    ),
    "predictions with labels": lines(
        "model,fold,instance,true,predicted",
        [(m, f, c, "ny"[c % 2], "ny"[c % len(m) % 2]) for m, f, c in CASES],
    ),
    "predictions of three classes": lines(
        "model,fold,instance,true,predicted",
        [(m, f, c, "abc"[c % 3], "abc"[c % len(m)]) for m, f, c in CASES],
    ),
    "wide table": "dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.75\n",
    "wide folds": "dataset,fold,rf,svm\niris,1,0.9,0.8\niris,2,0.7,0.75\n",
    "wide predictions": "instance,y,rf,svm\n1,a,a,b\n2,b,b,b\n3,a,b,a\n",
    "cv_results_": "params,split0_test_acc,split1_test_acc\nC=1,0.9,0.8\nC=2,0.7,0.75\n",
    "Weka": lines(
        "Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Percent_correct",
        [("iris", r, f, m, 90 + r + f) for r in (1, 2) for m, f in RUNS],
    ),
    "AutoML benchmark": lines(
        "task,framework,fold,acc,duration", [("adult", m, f, f"0.8{f}", 60) for m, f in RUNS]
    ),
    "tsml": lines(
        "dataset,classifier,split,resample,accuracy,build_time_ms",
        [("GunPoint", m, part, f, f"0.9{f}", 5) for m, f in RUNS for part in ("test", "train")],
    ),
}
layouts = st.sampled_from(sorted(LAYOUTS))


@cache
def read(text, name="accuracy.csv"):
    return read_results((name, text.encode()))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_two_algorithms_are_found_without_holes(layout):
    results = read(LAYOUTS[layout])

    assert len(results.algorithms) == 2
    assert not results.averages(results.measures[0]).isna().any(axis=None)


@few_examples
@given(layouts, st.randoms(use_true_random=False))
def test_order_of_rows_means_nothing(layout, random):
    header, *rows = LAYOUTS[layout].splitlines()
    random.shuffle(rows)

    assert read("\n".join([header, *rows, ""])) == read(LAYOUTS[layout])


@few_examples
@given(layouts.filter(lambda name: name != "wide table"), st.randoms(use_true_random=False))
def test_order_of_columns_means_nothing(layout, random):
    table = pd.read_csv(io.StringIO(LAYOUTS[layout]), dtype=str)
    columns = list(table.columns)
    random.shuffle(columns)

    assert read(table[columns].to_csv(index=False)) == read(LAYOUTS[layout])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("separator", [";", "\t"])
def test_the_separator_means_nothing(layout, separator):
    assert read(LAYOUTS[layout].replace(",", separator)) == read(LAYOUTS[layout])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_written_reads_back_the_same(layout):
    results = read(LAYOUTS[layout])

    assert read(results.to_csv()) == results


@given(
    layouts,
    layouts,
    st.lists(
        st.tuples(
            st.integers(0, 500),
            st.integers(0, 5),
            st.sampled_from(
                [*',;"\n\r\t%-#|\0', "", "nan", "1e999", "inf", "fold", "true", "score", "seed"]
            ),
        ),
        max_size=6,
    ),
)
def test_damage_is_refused_or_survived_in_every_layout(first, second, edits):
    text = LAYOUTS[first] + LAYOUTS[second][: edits[0][0] if edits else 0]
    for place, length, insert in edits:
        place %= len(text) + 1
        text = text[:place] + insert + text[place + length :]

    with suppress(FoldwiseError):
        results = read(text)
        assert read(results.to_csv()) == results


def test_percent_signs_are_read_as_fractions():
    plain = LAYOUTS["wide folds"]
    signed = "dataset,fold,rf,svm\niris,1,90%,80%\niris,2,70%,75%\n"

    assert read(signed, "accuracy.csv") == read(plain, "accuracy.csv")


def test_each_file_may_have_a_scale_of_its_own():
    header = "dataset,model,fold,accuracy\n"
    files = [("a.csv", f"{header}iris,rf,1,0.9\n"), ("b.csv", f"{header}iris,svm,1,93\n")]

    results = read_results(*[(name, text.encode()) for name, text in files])

    assert results.matrix("iris", "accuracy").iloc[0].tolist() == pytest.approx([0.9, 0.93])
    assert any("percent" in str(note) for note in results.notes)


@pytest.mark.parametrize("name", ["NA", "None", "<b>rf</b>", "=1+1", 'a "x", b', "1", "01"])
def test_any_text_is_a_name(name):
    quoted = '"' + name.replace('"', '""') + '"'
    results = read(f"dataset,model,fold,error\n{quoted},{quoted},1,0.1\n{quoted},svm,1,0.2\n")

    assert results.datasets == (name,)
    assert set(results.algorithms) == {name, "svm"}
    assert read(results.to_csv()) == results
