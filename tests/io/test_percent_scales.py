"""Tests of percentages and fractions in one table: refused with their place, or read correctly."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats_core import DataError, read_results

SETS = ("iris", "wine", "glass", "sonar", "vowel", "heart")
ALGORITHMS = ("rf", "svm", "knn", "nb")
BLOCKS = {
    "algorithm": lambda rows: rows["algorithm"] == "svm",
    "data set": lambda rows: rows["dataset"] == "wine",
    "algorithm on a data set": lambda rows: (
        (rows["algorithm"] == "svm") & (rows["dataset"] == "wine")
    ),
    "an algorithm and part of another on a data set": lambda rows: (
        (rows["dataset"] == "wine")
        & ((rows["algorithm"] == "rf") | (rows["algorithm"] == "svm") & (rows["fold"] <= 3))
    ),
    "most of a data set": lambda rows: (rows["dataset"] == "wine") & (rows["algorithm"] != "nb"),
}


def percentages(rng, measure: str, folds: int) -> pd.DataFrame:
    """Return errors, or 100 minus errors, in percent for each data set, algorithm and fold."""
    keys = pd.MultiIndex.from_product(
        [SETS, ALGORITHMS, range(1, folds + 1)], names=["dataset", "algorithm", "fold"]
    )
    rows = keys.to_frame(index=False)
    hard = dict(zip(SETS, rng.uniform(6, 40, len(SETS)), strict=True))
    error = rows["dataset"].map(hard) * rng.uniform(0.7, 1.1, len(rows))
    return rows.assign(**{measure: (error if measure == "error" else 100 - error).round(2)})


def as_wide(rows: pd.DataFrame, measure: str) -> tuple[str, bytes]:
    table = rows.pivot(index=["dataset", "fold"], columns="algorithm", values=measure)
    return f"{measure}.csv", table.reset_index().to_csv(index=False).encode()


@pytest.mark.parametrize("layout", ["long", "wide"])
@pytest.mark.parametrize(
    ("measure", "block"),
    [
        *((measure, block) for measure in ("accuracy", "auc", "f1") for block in BLOCKS),
        # errors below one percent are common, so that a part of a data set tells nothing
        *(("error", block) for block in ("algorithm", "data set", "algorithm on a data set")),
    ],
)
def test_fractions_among_percentages_are_refused_with_their_place(rng, block, measure, layout):
    rows = percentages(rng, measure, folds=10)
    inside = BLOCKS[block](rows)
    rows[measure] = rows[measure].where(~inside, rows[measure] / 100)
    content = rows.to_csv(index=False).encode()
    source = ("x.csv", content) if layout == "long" else as_wide(rows, measure)

    with pytest.raises(DataError, match=r"between 0 and 1.*Use one scale") as refusal:
        read_results(source)

    (problem,) = refusal.value.problems
    assert str(int(inside.sum())) in problem.found  # as many values as were divided
    for key in ("algorithm", "dataset"):
        if rows.loc[inside, key].nunique() == 1:
            assert rows.loc[inside, key].iloc[0] in problem.found
    if layout == "long":  # lines count from the header on
        assert problem.row == int(np.flatnonzero(inside)[0]) + 2


@given(measure=st.sampled_from(["accuracy", "error"]), seed=st.integers(0, 9999))
def test_percentages_alone_are_read(measure, seed):
    rng = np.random.default_rng(seed)
    rows = percentages(rng, measure, folds=3)
    hard = rows["dataset"] == "vowel"  # most are wrong there, or none
    rows.loc[hard, measure] = rng.uniform(0.4, 9, hard.sum()).round(2)

    averages = read_results(("x.csv", rows.to_csv(index=False).encode())).averages(measure)

    expected = rows.groupby(["dataset", "algorithm"])[measure].mean().unstack() / 100
    pd.testing.assert_frame_equal(
        averages, expected.loc[averages.index, averages.columns], check_names=False
    )


@pytest.mark.parametrize("measure", ["accuracy", "error"])
def test_fractions_alone_are_read(rng, measure):
    rows = percentages(rng, measure, folds=3)
    rows[measure] /= 100

    averages = read_results(("x.csv", rows.to_csv(index=False).encode())).averages(measure)

    expected = rows.groupby(["dataset", "algorithm"])[measure].mean().unstack()
    pd.testing.assert_frame_equal(
        averages, expected.loc[averages.index, averages.columns], check_names=False
    )


def test_what_the_refusal_advises_is_read(rng):
    rows = percentages(rng, "accuracy", folds=2)
    rows.loc[rows["dataset"] == "wine", "accuracy"] = 0.5  # a percentage of this data set
    advised = rows.rename(columns={"accuracy": "accuracy (%)"})
    table = rows.assign(accuracy=rows["accuracy"].map("{:g}%".format))

    for source in (("x.csv", advised.to_csv(index=False).encode()), as_wide(table, "accuracy")):
        assert read_results(source).averages("accuracy").loc["wine"].eq(0.005).all()
