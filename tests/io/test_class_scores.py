"""Tests of score columns next to a true label: of several models, or of the classes of one model."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats_core import DataError, Mapping, NeedsMapping, read_results
from stats_core.io.read import describe_columns, explain

N = 80
FAMILIES = ("prob_", "proba_", "probability_", "p_", "score_", "pred_", "confidence_", "")


def text_of(labels, scores, names) -> bytes:
    """Return a CSV file with one row per case: id, label and scores."""
    header = ",".join(["id", "label", *names])
    rows = zip(labels, scores, strict=True)
    lines = [f"{i},{y}," + ",".join(f"{p:.3f}" for p in ps) for i, (y, ps) in enumerate(rows)]
    return "\n".join([header, *lines]).encode()


def of_models(rng, names, labels=("0", "1")):
    """Return labels and one score per model, between 0 and 1 and higher for the last label."""
    truth = rng.integers(0, len(labels), N)
    logits = rng.normal(size=(N, len(names))) + 3 * (truth == len(labels) - 1)[:, None] - 1.5
    return [labels[y] for y in truth], 1 / (1 + np.exp(-logits))


def of_classes(rng, labels):
    """Return labels and one probability per class; those of a case sum to 1."""
    truth = rng.integers(0, len(labels), N)
    logits = rng.normal(size=(N, len(labels))) + 3 * np.eye(len(labels))[truth]
    whole = np.exp(logits)
    return [labels[y] for y in truth], whole / whole.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("names", [("m1", "m2", "m3"), ("rf", "svm"), ("a", "b", "c", "d")])
def test_scores_named_after_other_things_than_the_labels_are_of_models(rng, family, names):
    labels, scores = of_models(rng, names)

    results = read_results(("x.csv", text_of(labels, scores, [family + n for n in names])))

    assert results.algorithms == names
    assert results.predictions is not None


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("labels", [("0", "1"), ("no", "yes"), ("a", "b", "c")])
def test_scores_named_after_the_labels_that_sum_to_one_are_of_classes(rng, family, labels):
    truth, scores = of_classes(rng, labels)
    content = text_of(truth, scores, [family + label for label in labels])

    results = read_results(("x.csv", content))

    assert results.algorithms == ("x",)
    likeliest = np.array(labels)[scores.round(3).argmax(axis=1)]
    right = np.mean(likeliest == np.array(truth))  # counted from the scores themselves
    assert results.frame["error"].iloc[0] == pytest.approx(1 - right)


def test_numbered_columns_that_sum_to_one_are_classes_in_their_order(rng):
    truth, scores = of_classes(rng, ("a", "b", "c"))

    results = read_results(("x.csv", text_of(truth, scores, ["p1", "p2", "p3"])))

    assert results.algorithms == ("x",)
    assert "class columns" in [note.code for note in results.notes]


def test_numbered_columns_that_do_not_sum_to_one_are_models(rng):
    for names in (("prob_1", "prob_2", "prob_3"), ("prob_0", "prob_1")):
        labels, scores = of_models(rng, names)

        results = read_results(("x.csv", text_of(labels, scores, names)))

        assert results.algorithms == tuple(name.removeprefix("prob_") for name in names)


@pytest.mark.parametrize("pattern", ["{m}_{c}", "prob_{m}_{c}", "{c}_{m}", "{m}_prob_{c}"])
def test_scores_of_each_class_and_model_are_of_the_models(rng, pattern):
    truth, scores = of_classes(rng, ("cat", "dog"))
    names = [pattern.format(m=m, c=c) for m in ("rf", "svm") for c in ("cat", "dog")]

    results = read_results(("x.csv", text_of(truth, np.hstack([scores, scores]), names)))

    assert results.algorithms == ("rf", "svm")
    assert results.frame["auc"].min() > 0.9  # the score is that of the class it is named after


def test_a_model_no_better_than_chance_is_a_model(rng):
    labels, scores = of_models(rng, ("a", "b", "c"))
    scores[:, 1] = rng.random(N)

    results = read_results(("x.csv", text_of(labels, scores, ["prob_a", "prob_b", "prob_c"])))

    assert results.algorithms == ("a", "b", "c")


def test_more_probabilities_than_classes_are_refused_in_words(rng):
    labels, scores = of_classes(rng, ("0", "1"))
    third = np.column_stack([scores / 2, np.full(N, 0.5)])

    with pytest.raises(DataError, match="one column of probabilities. There are 3 columns"):
        read_results(("x.csv", text_of(labels, third, ["prob_x", "prob_y", "prob_z"])))


def test_one_score_per_model_for_three_classes_is_refused_in_words(rng):
    labels, scores = of_models(rng, ("m1", "m2"), ("a", "b", "c"))

    with pytest.raises(NeedsMapping, match='"label" has 3 classes.*predicted labels of each model'):
        read_results(("x.csv", text_of(labels, scores, ["prob_m1", "prob_m2"])))


@given(
    family=st.sampled_from(FAMILIES),
    kind=st.sampled_from(["models", "classes"]),
    labels=st.sampled_from([("0", "1"), ("no", "yes"), ("0", "1", "2")]),
    seed=st.integers(0, 10_000),
)
def test_described_columns_agree_with_what_is_read(family, kind, labels, seed):
    rng = np.random.default_rng(seed)
    names = [family + name for name in (labels if kind == "classes" else ("m1", "m2"))]
    if kind == "classes":
        content = text_of(*of_classes(rng, labels), names)
    else:
        content = text_of(*of_models(rng, ("m1", "m2"), ("0", "1")), names)

    results = read_results(("x.csv", content))

    roles = describe_columns(("x.csv", content)).set_index("column")["meaning"]
    left = {
        c for n in results.notes if n.code == "columns left out" for c in dict(n.values)["columns"]
    }
    assert left == set(roles.index[roles == "ignore"])
    assert roles[names].isin(["score", "result"]).all()  # all are used, and none is left out
    found = explain(("x.csv", content))
    assert found is not None
    assert dict(found.columns().set_index("column")["meaning"]) == dict(roles)


def test_the_user_said_only_what_the_reader_would_not_have(rng):
    labels, scores = of_models(rng, ("m1", "m2"))
    content = text_of(labels, scores, ["prob_m1", "prob_m2"])
    alone = describe_columns(("x.csv", content)).set_index("column")
    guess = alone["meaning"].to_dict()

    accepted = describe_columns(("x.csv", content), Mapping(roles=guess)).set_index("column")
    changed = describe_columns(
        ("x.csv", content), Mapping(roles={**guess, "prob_m2": "ignore"})
    ).set_index("column")

    assert accepted["reason"].equals(alone["reason"])
    assert changed["reason"]["prob_m2"] == "role set by you"
    assert "role set by you" not in set(changed["reason"].drop("prob_m2"))
