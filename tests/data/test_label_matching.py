"""Tests of predicted labels in other forms, and of answers that are no label."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stats_core.comparison.analyse import analyse
from stats_core.core.errors import DataError
from stats_core.data.label_matching import is_other_coding, matched_labels
from stats_core.data.settings import Settings
from stats_core.io.read import read_results

N = 60
CODINGS = {
    "case": ({"0": "ham", "1": "spam"}, {"0": "HAM", "1": "Spam"}),
    "bool": ({"0": "0", "1": "1"}, {"0": "False", "1": "True"}),
    "bool truth": ({"0": "false", "1": "true"}, {"0": "0", "1": "1"}),
    "floats": ({"0": "0", "1": "1"}, {"0": "0.0", "1": "1.0"}),
    "float truth": ({"0": "0.0", "1": "1.0"}, {"0": "0", "1": "1"}),
    "minus": ({"0": "0", "1": "1"}, {"0": "-1", "1": "+1"}),
    "minus truth": ({"0": "-1", "1": "1"}, {"0": "0", "1": "1"}),
    "words": ({"0": "neg", "1": "pos"}, {"0": "negative", "1": "positive"}),
}


def answers(rng, wrong=0.25):
    """Return true labels and two models' predictions of N instances, as texts 0 and 1."""
    truth = np.tile(["0", "1"], N // 2)
    flips = rng.random((2, N)) < wrong
    return truth, [np.where(flip, np.where(truth == "1", "0", "1"), truth) for flip in flips]


def table_of(truth, models, *, wide):
    """Return a table of predictions, with a column or with rows per model."""
    columns = {f"m{i}_pred": labels for i, labels in enumerate(models)}
    table = pd.DataFrame({"id": np.arange(N), "label": truth, **columns})
    if wide:
        return table
    long = table.melt(["id", "label"], var_name="model", value_name="predicted")
    return long.rename(columns={"id": "instance", "label": "true"}).replace(
        {f"{name}": name.removesuffix("_pred") for name in columns}
    )


def compared(table):
    results = read_results(("d.csv", table.to_csv(index=False).encode()))
    return results, analyse(results, Settings(measure="error"))


def p_of(right):
    """Return the p-value of the exact McNemar test (scipy)."""
    only_first, only_second = (right[0] & ~right[1]).sum(), (right[1] & ~right[0]).sum()
    return stats.binomtest(int(only_first), int(only_first + only_second)).pvalue


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("coding", CODINGS)
def test_labels_in_another_form_are_the_same_labels(rng, coding, wide):
    of_truth, of_predictions = CODINGS[coding]
    truth, models = answers(rng)
    right = [labels == truth for labels in models]
    written = [[of_predictions[label] for label in labels] for labels in models]

    results, found = compared(table_of([of_truth[t] for t in truth], written, wide=wide))

    (test,) = found.tests.values()
    assert test.pvalue == pytest.approx(p_of(right), rel=1e-12)
    assert found.n_cases == N
    said = [note for note in results.notes if note.code == "labels matched"]
    assert bool(said) == (not coding.startswith("float"))


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("unknown", ["refused", "", "I cannot tell", "-1"])
def test_an_answer_that_is_no_label_is_an_error_and_counted(rng, unknown, wide):
    truth, models = answers(rng)
    models = [labels.astype(object) for labels in models]
    places = [0, 1, 2, 7, 20, 31]  # of both classes
    models[1][places] = unknown
    right = [labels == truth for labels in models]

    results, found = compared(table_of(truth, models, wide=wide))

    (test,) = found.tests.values()
    assert test.pvalue == pytest.approx(p_of(right), rel=1e-12)
    assert found.values.to_dict() == pytest.approx(
        {name: 1 - part.mean() for name, part in zip(("m0", "m1"), right, strict=True)}
    )
    assert results.frame.set_index("algorithm")["error"].to_dict() == pytest.approx(
        found.values.to_dict()
    )
    (note,) = (note for note in found.notes if note.code == "labels unknown")
    assert note["counts"] == (("m1", 6),)
    assert "6 of m1" in str(note)


def test_labels_of_several_classes_may_be_unknown(rng):
    truth = np.tile(["a", "b", "c"], N // 3)
    models = [np.where(rng.random(N) < 0.3, "A", truth).astype(object) for _ in range(2)]
    models[0][:5] = "none of these"
    right = [(labels == truth) | ((labels == "A") & (truth == "a")) for labels in models]

    _, found = compared(table_of(truth, models, wide=False))

    assert found.values.to_dict() == pytest.approx(
        {name: 1 - part.mean() for name, part in zip(("m0", "m1"), right, strict=True)}
    )


@pytest.mark.parametrize("classes", [{"0": "ham", "1": "junk"}, {"0": "1", "1": "2"}])
def test_another_coding_of_the_classes_is_refused(rng, classes):
    truth, models = answers(rng)
    named = {"0": "ham", "1": "spam"} if "ham" in classes.values() else {"0": "0", "1": "1"}
    table = table_of(
        [named[t] for t in truth], [[classes[p] for p in m] for m in models], wide=False
    )

    with pytest.raises(DataError, match="need the same names of the classes"):
        compared(table)


def test_labels_match_by_their_form_only_if_that_is_clear():
    assert matched_labels(["a", "A"], ["a", "A"]) == {"a": "a", "A": "A"}
    assert matched_labels(["yes", "no"], ["True", "False"]) == {"yes": "True", "no": "False"}
    assert matched_labels(["-1", "0", "1"], ["-1", "1"]) == {"-1": "-1", "1": "1"}
    assert matched_labels(["true"], ["0", "1", "2"]) == {}
    assert not is_other_coding({"refused"}, {"0", "1"})
    assert is_other_coding({"x", "refused"}, {"0", "1"})
