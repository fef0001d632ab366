"""Tests of instances that belong together: clusters by name, possible clusters, both answers."""

import numpy as np
import pandas as pd
import pytest

import foldwise as fw
from foldwise.cli.main import main
from stats_core.comparison.analyse import analyse
from stats_core.comparison.kinds.instances import pair_tests
from stats_core.core.errors import DataError
from stats_core.core.formatting import p_phrase
from stats_core.data.settings import Settings
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results

SURE = [
    "document",
    "doc",
    "patient_id",
    "conversationId",
    "cluster",
    "cluster_id",
    "passage",
    "user",
]
UNSURE = ["subject", "group", "topic", "source", "zork", "wing"]
CATEGORIES = [
    "difficulty",
    "language",
    "question_type",
    "category",
    "domain",
    "class",
    "year",
    "level",
]
OTHERS = ["status", "date", "experiment", "grade"]  # also names of bookkeeping


def items(n_clusters, *, size=12, name="document", wide=False):
    """Return marks of two models on items of documents in which either model is better."""
    rng = np.random.default_rng(20261129)
    document = np.repeat(np.arange(n_clusters), size)
    lead = rng.normal(0.1, 0.35, size=n_clusters)[document]
    marks = {
        m: (rng.random(len(document)) < 0.5 + s * lead).astype(int)
        for m, s in (("a", 1), ("b", -1))
    }
    table = pd.DataFrame({"item": [f"q{i}" for i in range(len(document))], name: document})
    table[name] = "d" + table[name].astype(str)
    if wide:
        return table.assign(gpt=marks["a"], llama=marks["b"])
    parts = [table.assign(model=m, correct=values) for m, values in marks.items()]
    return pd.concat(parts, ignore_index=True)


def read(table, **said):
    return read_results(("d.csv", table.to_csv(index=False).encode()), mapping=Mapping(**said))


def pvalue(results):
    (test,) = analyse(results).tests.values()
    return test.pvalue


def with_and_without(table, name):
    """Return the p-values with declared clusters, and for independent instances."""
    return [pvalue(read(table, roles={name: role})) for role in ("cluster", "ignore")]


def graded(table):
    """Return the wide table with scores in place of marks."""
    noise = np.random.default_rng(len(table)).random((len(table), 2)).round(3)
    return table.assign(
        gpt=table.gpt / 2 + noise[:, 0] / 2, llama=table.llama / 2 + noise[:, 1] / 2
    )


GRADED = {"measure_name": "score", "directions": {"score": "higher"}}


@pytest.mark.parametrize("said", [{}, {"site": "cluster"}], ids=["by name", "declared"])
def test_clusters_of_wide_tables_of_scores_are_units(said):
    name = next(iter(said), "document")
    table = graded(items(9, name=name, wide=True))
    results = read(table, roles={"item": "instance", **said}, **GRADED)
    alone = read(table, roles={"item": "instance", name: "ignore"}, **GRADED)
    (test,) = analyse(results).tests.values()
    assert test.n == 9
    assert test.pvalue != pvalue(alone)
    told = [note for note in results.notes if note.code == "items of clusters"]
    assert bool(told) == (not said)


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("values", [["easy", "hard"], ["dev", "test-a", "test-b"]], ids=str)
def test_words_in_a_column_called_split_are_categories_and_no_folds(values, wide):
    table = items(6, size=10, name="item no", wide=wide).drop(columns="item no")
    table["split"] = [values[int(item[1:]) % len(values)] for item in table["item"]]
    results = read(table)
    assert results.design == "single"
    (told,) = [note for note in results.notes if note.code == "categories"]
    assert (told["column"], told["n"]) == ("split", len(values))
    assert read(table, roles={"split": "fold"}).design == "k-fold"


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("form", ["{}", "fold{}"])
def test_numbers_in_a_column_called_split_are_folds_with_a_note(form, wide):
    table = items(6, size=10, name="item no", wide=wide).drop(columns="item no")
    table["split"] = [form.format(int(item[1:]) % 5 + 1) for item in table["item"]]
    results = read(table)
    assert results.design == "k-fold"
    (told,) = [note for note in results.notes if note.code == "column splits instances"]
    assert (told["column"], told["n"]) == ("split", 5)
    said = read(table, roles={"split": "fold"})
    assert "column splits instances" not in [note.code for note in said.notes]
    assert read(table, roles={"split": "ignore"}).design == "single"


@pytest.mark.parametrize("form", ["marks", "scores"])
@pytest.mark.parametrize("said", [{}, {"cluster": "document"}], ids=["by name", "declared"])
def test_rows_said_to_be_items_keep_their_clusters(said, form):
    table = items(9, wide=True)
    options = {"measure": "accuracy"}
    if form == "scores":
        table, options = graded(table), {"measure": "score", "higher_is_better": True}
    found = fw.compare(table, rows="items", **options, **said)
    (test,) = found.comparison.tests.values()
    assert test.n == 9
    assert "columns left out" not in [note.code for note in found.results.notes]


@pytest.mark.parametrize("form", ["marks", "scores"])
def test_rows_said_to_be_items_keep_their_data_sets(form):
    table = items(6, size=10, name="benchmark", wide=True).drop(columns="item")
    table["benchmark"] = [f"b{i % 3}" for i in range(len(table))]
    options = {"measure": "accuracy"}
    if form == "scores":
        table, options = graded(table), {"measure": "score", "higher_is_better": True}
    found = fw.compare(table, rows="items", **options)
    assert found.results.datasets == ("b0", "b1", "b2")
    assert found.comparison.kind == "benchmarks"
    assert "60 instances" in str(found)


@pytest.mark.parametrize("role", ["cluster", "answer", "time", "predicted", "score"])
def test_roles_of_instances_are_refused_for_results_of_folds(role):
    keys = [(s, m, f) for s in ("iris", "wine") for m in ("rf", "svm") for f in range(1, 6)]
    table = pd.DataFrame(keys, columns=["dataset", "algorithm", "fold"])
    table["site"] = [f"s{fold % 3}" for fold in table.fold]
    table["accuracy"] = np.random.default_rng(5).random(len(table)).round(3)
    assert read(table).layout == "fold scores"
    with pytest.raises(DataError, match=f'"site": The role {role} needs results of single inst'):
        read(table, roles={"site": role})


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("n", [2, 5, 9, 20])
@pytest.mark.parametrize("name", SURE)
def test_columns_named_as_units_are_clusters_however_few(name, n, wide):
    table = items(n, name=name, wide=wide)
    results = read(table)
    found = analyse(results)

    assert found.n_clusters == n
    (note,) = (each for each in results.notes if each.code == "items of clusters")
    assert (note["column"], note["n"]) == (name, n)
    (other,) = (each for each in found.notes if each.code == "other units")
    clustered, independent = with_and_without(table, name)
    assert pvalue(results) == clustered
    assert other["p"] == independent


@pytest.mark.parametrize("name", UNSURE)
def test_other_columns_are_named_with_both_answers(name):
    table = items(9, name=name)
    results = read(table)

    (note,) = (each for each in results.notes if each.code == "clusters suggested")
    assert note["column"] == name
    assert not any(each.code == "columns left out" for each in results.notes)
    (other,) = (each for each in analyse(results).notes if each.code == "other units")
    clustered, independent = with_and_without(table, name)
    assert (pvalue(results), other["p"]) == (independent, clustered)
    shown = fw.compare(table)
    assert any(f"9 clusters ({name})" in str(each) for each in shown.verdict.notes)


@pytest.mark.parametrize("name", [*SURE, *UNSURE])
def test_who_says_that_items_are_independent_is_asked_no_more(name):
    results = read(items(9, name=name), roles={name: "ignore"})

    assert analyse(results).n_clusters == 0
    assert not any("clusters" in each.code for each in results.notes)
    assert not any(each.code == "other units" for each in analyse(results).notes)


def cli_output(path, capsys, *options):
    """Return the output of `foldwise analyse`, which succeeds."""
    assert main(["analyse", str(path), *options]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("numbers", [True, False])
@pytest.mark.parametrize("name", [*CATEGORIES, *OTHERS])
def test_columns_of_any_name_have_both_answers_and_an_option_that_runs(
    name, numbers, wide, tmp_path, capsys
):
    """Whatever is printed runs as printed, and gives the announced result."""
    table = items(8, size=15, name=name, wide=wide)
    if numbers and not (wide and name in OTHERS):  # a column of numbers may be a model
        table[name] = 1 + table[name].str[1:].astype(int)
    results = read(table)

    code = "categories" if name in CATEGORIES else "clusters suggested"
    (note,) = (each for each in results.notes if each.code == code)
    assert (note["column"], note["n"], note["cases"]) == (name, 8, 120)
    assert not any(each.code == "columns left out" for each in results.notes)
    (other,) = (each for each in analyse(results).notes if each.code == "other units")
    clustered, independent = with_and_without(table, name)
    assert (pvalue(results), other["p"]) == (independent, clustered)
    path = tmp_path / "d.csv"
    table.to_csv(path, index=False)
    option = f"--cluster {name}"
    assert option in cli_output(path, capsys)
    answered = cli_output(path, capsys, *option.split())
    assert "8 clusters of instances" in answered
    assert p_phrase(clustered, 0.05) in answered
    ignored = cli_output(path, capsys, "--roles", f"ignore={name}")
    assert "clusters" not in ignored


def two_columns():
    """Return marks on 24 documents with items of two types, of 6 sources each of 4 documents."""
    table = items(24)
    number = table["document"].str[1:].astype(int)
    types = {name: f"t{i % 2}" for i, name in enumerate(table["item"].unique())}
    return table.assign(hospital="s" + (number % 6).astype(str), type=table["item"].map(types))


@pytest.mark.parametrize("used", ["document", "hospital", "type", None])
def test_every_column_that_is_not_used_has_its_own_answer(used, tmp_path, capsys):
    """One column is used, and the others are named with their results and options."""
    table = two_columns()
    columns = ["document", "hospital", "type"]
    roles = {"document": "ignore"} if used is None else {used: "cluster"}
    if used is None:
        columns.remove("document")
    results = read(table, roles=roles)
    found = analyse(results)

    others = {each["column"]: each["p"] for each in found.notes if each.code == "other units"}
    expected = {n: pvalue(read(table, roles={n: "cluster"})) for n in columns if n != used}
    assert others == pytest.approx(expected)
    assert found.n_clusters == (table[used].nunique() if used else 0)
    path = tmp_path / "d.csv"
    table.to_csv(path, index=False)
    options = ["--roles", "ignore=document"] if used is None else ["--cluster", used]
    text = cli_output(path, capsys, *options)
    assert all(f"add --cluster {n}." in text for n in expected)
    assert ("treated as independent" in text) == (used is None)


def test_an_undeclared_column_is_used_beside_another_with_its_answer():
    table = two_columns()
    found = analyse(read(table))

    others = {
        each["column"]: each["clusters"] for each in found.notes if each.code == "other units"
    }
    assert found.n_clusters == 24
    assert others == {"document": 0, "hospital": 6, "type": 2}
    texts = [str(each) for each in found.notes]
    assert any("With 6 clusters (hospital) instead of 24 clusters" in text for text in texts)


def test_many_columns_are_all_named_and_the_same_groups_once():
    rng = np.random.default_rng(8)
    table = items(20, size=10)
    values = {f"zork{i}": rng.integers(0, 8, size=200) for i in range(6)}
    table = table.assign(**{n: [f"v{i}" for i in np.tile(v, 2)] for n, v in values.items()})
    table["document_name"] = "the " + table["document"]

    notes = read(table).notes

    named = [each["column"] for each in notes if each.code == "other clusters"]
    (more,) = (each["columns"] for each in notes if each.code == "more possible clusters")
    assert sorted([*named, *more]) == sorted(values)  # document_name groups as document does


@pytest.mark.parametrize("blank", ["", "nan"])
def test_a_column_with_blank_cells_is_named_with_both_answers(blank):
    table = items(9, name="patient")
    table.loc[table["item"].isin(["q3", "q40"]), "patient"] = blank
    found = analyse(read(table))

    (other,) = (each for each in found.notes if each.code == "other units")
    assert (found.n_clusters, other["column"], other["clusters"]) == (0, "patient", 10)
    assert other["p"] == pvalue(read(table, roles={"patient": "cluster"}))


def test_domains_that_number_their_items_are_data_sets():
    """Items that only the domain distinguishes belong to several benchmarks."""
    table = items(3, name="domain", size=30)
    table["item"] = table.groupby(["domain", "model"]).cumcount()

    assert len(read(table).datasets) == 3


@pytest.mark.parametrize("n_items", [1, 40])
def test_columns_that_are_not_shared_or_vary_within_items_are_no_clusters(n_items):
    table = items(9)
    column = [
        f"{m}{i}" if n_items == 1 else i for i, m in zip(table["item"], table["model"], strict=True)
    ]

    results = read(table.assign(document=column))

    assert not any("clusters" in each.code for each in results.notes)


@pytest.mark.parametrize("name", ["patient", "zork"])
def test_predictions_of_several_models_have_possible_clusters_too(rng, name):
    truth, unit = rng.integers(0, 2, size=60), np.arange(60) // 6
    parts = [
        pd.DataFrame(
            {"instance": np.arange(60), "true": truth, name: [f"p{i}" for i in unit]}
        ).assign(model=m, predicted=np.where(rng.random(60) < 0.8, truth, 1 - truth))
        for m in "ab"
    ]
    found = analyse(read(pd.concat(parts)))

    (other,) = (each for each in found.notes if each.code == "other units")
    assert (found.n_clusters, other["clusters"]) == ((10, 0) if name == "patient" else (0, 10))


def test_clusters_of_several_pairs_give_the_number_of_significant_pairs(rng):
    table = items(9, wide=True).assign(mistral=rng.integers(0, 2, size=108))
    found = analyse(read(table))

    (other,) = (each for each in found.notes if each.code == "other units")
    alone = analyse(read(table, roles={"document": "ignore"}))
    assert other["p"] is None
    assert (other["n"], other["pairs"]) == (int(alone.pairs.decisions["separated"].sum()), 3)


def test_items_numbered_within_documents_are_distinct_items():
    table = items(9)
    numbered = table.assign(item=table.groupby(["document", "model"]).cumcount())

    found = analyse(read(numbered))

    assert (found.n_cases, found.n_clusters) == (108, 9)
    assert pvalue(read(numbered)) == pvalue(read(table))


@pytest.mark.parametrize("measure", ["dice", "accuracy"])
def test_one_patient_with_several_organs_is_one_patient(rng, measure):
    patient, organ = (
        np.repeat(np.arange(20), 4),
        np.tile(["liver", "spleen", "kidney", "colon"], 20),
    )
    effect = rng.normal(0, 0.05, size=20)[patient]
    parts = [
        pd.DataFrame({"patient_id": [f"case_{i}" for i in patient], "organ": organ}).assign(
            method=m,
            **{measure: np.clip(0.8 + s * effect + rng.normal(0, 0.02, 80), 0, 1).round(4)},
        )
        for m, s in (("unet", 1), ("swin", -1))
    ]
    table = pd.concat(parts, ignore_index=True)
    roles = {"patient_id": "cluster", "organ": "instance"}

    found = analyse(read(table))

    assert (found.n_cases, found.n_clusters) == (80, 20)
    declared = analyse(read(table, roles=roles))
    assert next(iter(declared.tests.values())).pvalue == next(iter(found.tests.values())).pvalue
    assert pair_tests(found.cases, measure, found.names, 0.95)[tuple(found.tests)[0]].n == 20


def test_the_command_names_the_option_and_takes_it(tmp_path, capsys):
    path = tmp_path / "d.csv"
    items(9, name="zork").to_csv(path, index=False)

    assert main(["analyse", str(path)]) == 0
    asked = capsys.readouterr().out
    assert main(["analyse", str(path), "--cluster", "zork"]) == 0
    answered = capsys.readouterr().out

    assert "For clusters, add --cluster zork." in asked
    assert "9 clusters of instances" in answered
    assert "--cluster" not in answered
    assert "not needed for the comparison" not in asked + answered


@pytest.mark.parametrize(
    ("name", "n", "size", "numbers"),
    [
        ("topic", 12, 17, False),
        ("source", 9, 22, False),
        ("category", 12, 17, True),
        ("unit", 4, 50, False),
        ("unit", 4, 50, True),
    ],
)
def test_few_values_of_any_column_have_both_answers_and_the_option(
    name, n, size, numbers, tmp_path, capsys
):
    table = items(n, size=size, name=name)
    if numbers:  # such as identifiers of patients
        table[name] = 101 + 37 * table[name].str[1:].astype(int)
    path = tmp_path / "d.csv"
    table.to_csv(path, index=False)

    assert main(["analyse", str(path)]) == 0
    asked = capsys.readouterr().out
    clustered, independent = (p_phrase(p, 0.05) for p in with_and_without(table, name))

    assert f"For clusters, add --cluster {name}." in asked
    assert (
        f"With {n} clusters ({name}) instead of independent instances, the result would be {clustered}."
        in asked
    )
    assert independent in asked
    assert "not needed for the comparison" not in asked


def lesions(kind, unit="patient", item="item"):
    """Return 20 units with 4 items of the same names each, by marks, scores or predicted labels."""
    rng = np.random.default_rng(7)
    number = np.arange(80)
    parts = []
    for model, chance in (("unet", 0.8), ("swin", 0.6)):
        table = pd.DataFrame({unit: [f"p{i // 4}" for i in number], item: number % 4 + 1})
        right = rng.random(80) < chance
        if kind == "marks":
            table["correct"] = right.astype(int)
        elif kind == "scores":
            table["accuracy"] = np.clip(rng.normal(chance, 0.2, 80), 0.01, 0.99).round(3)
        else:
            table["true"] = number // 3 % 2
            table["predicted"] = np.where(right, table["true"], 1 - table["true"])
        parts.append(table.assign(model=model))
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize("kind", ["marks", "scores", "labels"])
@pytest.mark.parametrize("unit", ["patient", "document"])
def test_units_that_number_items_and_are_ignored_leave_independent_items(kind, unit):
    """The items of an ignored unit are those of a table in which each item has its own name."""
    table = lesions(kind, unit)
    named = table.assign(item=table[unit] + "-" + table["item"].astype(str)).drop(columns=unit)
    measure = {"measure": "accuracy"}

    clustered = analyse(read(table), Settings(**measure))
    ignored = read(table, roles={unit: "ignore"})
    found, expected = (analyse(each, Settings(**measure)) for each in (ignored, read(named)))

    assert (clustered.n_cases, clustered.n_clusters) == (80, 20)
    assert (found.n_cases, found.n_clusters, found.way) == (80, 0, expected.way)
    assert pvalue_of(found) == pytest.approx(pvalue_of(expected), abs=2e-3)
    other = next(each for each in clustered.notes if each.code == "other units")
    assert other["p"] == pytest.approx(pvalue_of(found), abs=2e-3)
    assert any(f'"{unit}" only distinguishes instances' in str(each) for each in ignored.notes)
    assert not any("left out" in str(each) for each in ignored.notes)


def pvalue_of(found):
    """Return the p-value of the only pair."""
    (test,) = found.tests.values()
    return test.pvalue


def test_ignored_columns_that_number_answers_do_not_multiply_items():
    """Repeated answers to four items are averaged, and are no 80 independent items."""
    found = analyse(read(lesions("marks", unit="attempt"), roles={"attempt": "ignore"}))

    assert found.n_cases == 4


@pytest.mark.parametrize("n_models", [2, 3])
@pytest.mark.parametrize("name", ["document", "zork"])
def test_over_several_benchmarks_both_units_have_a_result(name, n_models):
    """The result in other units is that of the table with the other role of the column."""
    rng = np.random.default_rng(3)
    table = pd.concat(
        [items(n, name=name, size=6).assign(benchmark=f"t{n}") for n in (12, 15)], ignore_index=True
    )
    if n_models == 3:
        third = table[table["model"] == "a"].assign(model="c")
        third["correct"] = rng.integers(0, 2, size=len(third))
        table = pd.concat([table, third], ignore_index=True)

    found = analyse(read(table))
    roles = {name: "ignore" if name == "document" else "cluster"}
    other = analyse(read(table, roles=roles))

    (note,) = (each for each in found.notes if each.code == "other units")
    assert (found.kind, note["column"]) == ("benchmarks", name)
    assert note["clusters"] == (0 if name == "document" else 27)
    rows = other.pairs.frame
    assert note["n"] == int(rows["separated"].sum())
    if n_models == 2:
        assert note["p"] == pytest.approx(rows["p"].iloc[0], rel=1e-9)
    declared = analyse(read(table, roles={name: "cluster"}))
    assert not any(each.code == "other units" for each in declared.notes)


def test_the_values_of_a_column_are_counted_once_for_all_data_sets():
    rows = [
        (dataset, model, f"{dataset}{i}", "easy mid hard".split()[i % 3], int((i + shift) % 5 > 1))
        for dataset in ("gsm", "arc")
        for shift, model in enumerate(("a", "b"))
        for i in range(30)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "model", "item", "difficulty", "correct"])
    results = read_results(("answers.csv", frame.to_csv(index=False).encode()))

    (note,) = [note for note in results.notes if note.code == "categories"]
    assert note["n"] == 3  # not the six clusters, three on each data set
