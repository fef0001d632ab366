"""Tests of predictions on one test set: cases without names, patients, and losses of probabilities."""

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import LIMITED
from stats_core.core.errors import DataError, NeedsMapping
from stats_core.data.settings import Settings
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from stats_core.io.vocabulary import names_clusters
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.verdict import verdict


def table(n=60, seed=1):
    """Return scores of two models on the same cases, four of each patient."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    blocks = [
        pd.DataFrame(
            {
                "model": name,
                "case": np.arange(n),
                "true": np.where(truth, "ill", "well"),
                "score": 1 / (1 + np.exp(-(sharp * (2 * truth - 1) + rng.normal(size=n)))),
                "patient": [f"p{i // 4}" for i in range(n)],
            }
        )
        for name, sharp in (("a", 1.5), ("b", 0.3))
    ]
    return pd.concat(blocks, ignore_index=True)


def read(frame, **said):
    return read_results(("d.csv", frame.to_csv(index=False).encode()), mapping=Mapping(**said))


def test_rows_are_paired_only_when_the_user_says_so_and_the_report_says_it():
    unnamed = table().drop(columns=["case", "patient"])
    with pytest.raises(NeedsMapping, match="No column contains instance IDs") as asked:
        read(unnamed)
    assert asked.value.about == "cases"
    yes, no = (
        analyse(read_results(("d.csv", unnamed.to_csv(index=False).encode()), mapping=mapping))
        for _, mapping in asked.value.options
    )

    named = analyse(read(table().drop(columns="patient")))
    assert yes.pairs.frame["p"].tolist() == named.pairs.frame["p"].tolist()
    assert "in the same order" in " ".join(map(str, verdict(yes).notes))
    assert "in the same order" in methods_paragraph(yes)
    assert (no.kind, verdict(no).badge) == ("untested", LIMITED)
    assert "Add a column" in verdict(no).numbers


def test_a_column_that_every_algorithm_shares_names_the_cases_whatever_it_is_called():
    named = table().rename(columns={"case": "tile"}).sample(frac=1, random_state=2)
    renamed, known = read(named), read(table())
    assert analyse(renamed).pairs.frame.equals(analyse(known).pairs.frame)

    other = named["model"].eq("b")
    with pytest.raises(NeedsMapping):  # the same names on other cases do not pair them
        read(table().rename(columns={"case": "tile"}).assign(tile=lambda t: range(len(t))))
    named.loc[other, "tile"] = named.loc[other, "tile"].to_numpy()[::-1]
    assert "instance" not in set(read(named, rows="apart").predictions.columns)


@pytest.mark.parametrize("how", ["other order", "other number", "sorted"])
def test_nobody_is_asked_where_little_speaks_for_it(how):
    frame = table().drop(columns="patient")
    if how == "sorted":
        frame = frame.sort_values(["model", "true"], kind="stable")
    elif how == "other order":
        frame = pd.concat([frame[:60], frame[60:].sample(frac=1, random_state=3)])
    else:
        frame = frame.drop(index=[3, 70, 71])
    frame = frame.drop(columns="case")
    if how == "other number":
        with pytest.raises(DataError, match="need the same test instances"):
            read(frame)
        return
    assert analyse(read(frame)).kind == "untested"
    if how == "other order":
        with pytest.raises(DataError, match="true labels differ"):
            read(frame, rows="cases")


def test_folds_are_tested_without_a_question():
    frame = table().drop(columns=["case", "patient"])
    frame["fold"] = frame.groupby("model").cumcount() % 5

    assert read(frame).design == "k-fold"
    assert "instance" not in read(frame).predictions
    paired = read(frame, rows="cases").predictions
    assert paired["instance"].nunique() == 60


def test_patients_are_clusters_unless_they_are_said_to_be_none():
    results = read(table())
    (said,) = (note for note in results.notes if note.code == "items of clusters")
    refused = read(table(), roles={"patient": "ignore"})

    assert (said["column"], said["n"]) == ("patient", 15)
    assert analyse(results, Settings(measure="error")).n_clusters == 15
    assert analyse(refused, Settings(measure="error")).n_clusters == 0
    assert not any("clusters" in note.code for note in refused.notes)


@pytest.mark.parametrize(
    "values",
    [
        lambda i: f"p{i}",  # one case each
        lambda i: f"{20 + i % 30}",  # a number by an unknown name that counts nothing
    ],
)
def test_other_columns_are_not_suggested(values):
    frame = table().drop(columns="patient").assign(wing=[values(i % 60) for i in range(120)])

    assert not any(note.code == "clusters suggested" for note in read(frame).notes)


@pytest.mark.parametrize("name", ["PatientID", "subject_id", "Users", "site"])
def test_names_of_clusters_are_known(name):
    assert names_clusters(name)


def test_losses_are_measures_where_scores_are_probabilities():
    frame = table()
    results = read(frame)
    p, positive = frame["score"].to_numpy()[:60], (frame["true"] == "ill").to_numpy()[:60]

    scores = {name: results.averages(name).loc["d", "a"] for name in ("brier", "logloss")}
    assert scores["brier"] == pytest.approx(np.mean((p - positive) ** 2))
    assert scores["logloss"] == pytest.approx(-np.mean(np.log(np.where(positive, p, 1 - p))))
    assert {results.direction(name) for name in scores} == {"lower"}
    found = analyse(results, Settings(measure="brier"))
    assert (found.kind, found.order) == ("cases", ["a", "b"])
    assert found.values["a"] == pytest.approx(scores["brier"])

    decision = read(frame.assign(score=4 * frame["score"] - 2))
    assert not {"brier", "logloss"} & set(decision.measures)
    sure = frame.assign(score=frame["score"].round())
    assert "brier" in read(sure).measures
    assert "logloss" not in read(sure).measures
    assert any(note.code == "no log loss" for note in read(sure).notes)


def test_the_only_column_of_two_values_that_all_scores_separate_may_be_the_true_label():
    wide = table(200).pivot(index="case", columns="model", values="score").reset_index()
    wide["b"] = (wide["a"] + wide["b"]) / 2
    wide["churned"] = table(200)["true"].eq("ill")[:200].astype(int)
    with pytest.raises(NeedsMapping, match="more often than by chance") as asked:
        read(wide)
    ((_, mapping),) = asked.value.options
    assert mapping.roles == {"case": "instance", "a": "result", "b": "result", "churned": "true"}
    assert read(wide, roles=mapping.roles).design_of("d") == "single"

    wide["c"] = np.random.default_rng(2).random(200)  # separates nothing, so no column is proposed
    with pytest.raises(NeedsMapping, match="contain only numbers"):
        read(wide)
