"""Tests of repeated answers to each instance, which are averaged by instance."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from foldwise.cli.main import main
from stats_core.comparison.analyse import analyse
from stats_core.core.formatting import p_phrase
from stats_core.data.settings import Settings
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.verdict import verdict

N, ANSWERS = 30, 4


@pytest.fixture
def marks(rng):
    """Return marks of two models, answer x item x model, with items of different difficulty."""
    chance = rng.beta(0.8, 0.8, size=N)
    return (
        rng.random((ANSWERS, N, 2)) < np.stack([chance, np.clip(chance + 0.1, 0, 1)], 1)
    ).astype(int)


def long(marks, answer="epoch", item="question_id", value="correct"):
    """Return one row per answer."""
    index = pd.MultiIndex.from_product([range(len(marks)), range(N), ["a", "b"]])
    table = pd.Series(marks.ravel(), index=index).reset_index()
    return table.set_axis([answer, item, "model", value], axis=1)


def read(table, **said):
    return read_results(("d.csv", table.to_csv(index=False).encode()), mapping=Mapping(**said))


def paired_t(marks):
    """Return p of the t test over the means of items (scipy)."""
    means = marks.mean(axis=0)
    return stats.ttest_rel(means[:, 0], means[:, 1]).pvalue


@pytest.mark.parametrize(
    "name", ["epoch", "attempt", "trial", "sample", "sample_idx", "answer_id", "repeat", "k"]
)
def test_answers_are_averaged_by_item_whatever_their_column_is_called(marks, name):
    found = analyse(read(long(marks, name)))

    assert (found.kind, found.way, found.n_cases) == ("cases", "answers", N)
    assert found.tests["a", "b"].pvalue == pytest.approx(paired_t(marks), rel=1e-9)
    assert found.values.to_dict() == pytest.approx(
        dict(zip("ab", marks.mean(axis=(0, 1)), strict=True))
    )
    assert f"Each model answered each instance {ANSWERS} times." in [
        sentence + "." for note in verdict(found).notes for sentence in str(note)[:-1].split(". ")
    ]


def test_answers_in_a_row_per_item_and_answer_with_a_column_per_model(marks):
    table = long(marks).pivot(index=["question_id", "epoch"], columns="model", values="correct")
    names = {"a": "gpt-4o", "b": "llama-3"}

    found = analyse(read(table.rename(columns=names).reset_index()))

    assert found.way == "answers"
    (test,) = found.tests.values()
    assert test.pvalue == pytest.approx(paired_t(marks), rel=1e-9)


def test_graded_answers_are_averaged(marks, rng):
    scores = (0.6 * marks + 0.4 * rng.random(marks.shape)).round(3)
    found = analyse(read(long(scores, value="reward"), directions={"reward": "higher"}))

    assert found.tests["a", "b"].pvalue == pytest.approx(paired_t(scores), rel=1e-9)


@pytest.mark.parametrize("name", ["run", "seed"])
def test_runs_are_shared_by_the_items_unless_they_are_said_to_be_answers(marks, name):
    shared, said = read(long(marks, name)), read(long(marks, name), roles={name: "answer"})

    assert analyse(shared).way == "two-way"
    (note,) = (n for n in analyse(shared).notes if n.code == "answers instead")
    assert note["p"] == pytest.approx(paired_t(marks), rel=1e-9)
    assert analyse(said).tests["a", "b"].pvalue == pytest.approx(paired_t(marks), rel=1e-9)
    epochs = read(long(marks), roles={"epoch": "repetition"})
    assert analyse(epochs).way == "two-way"


@pytest.mark.parametrize("measure", ["error", "accuracy", "f", "mcc"])
def test_predicted_labels_of_repeated_answers(rng, measure):
    truth = rng.integers(0, 2, size=N)
    answers = np.where(rng.random((ANSWERS, N, 2)) < 0.75, truth[:, None], 1 - truth[:, None])
    table = long(answers, item="instance", value="predicted")
    table["true"] = truth[table["instance"]]

    found = analyse(read(table), Settings(measure=measure))

    (test,) = found.tests.values()
    averages = read(table).averages(measure).iloc[0]
    assert found.values.to_dict() == pytest.approx(averages.to_dict())
    assert found.kind == "cases"
    if measure in ("error", "accuracy"):
        right = answers == truth[:, None]
        assert test.pvalue == pytest.approx(paired_t(right), rel=1e-9)
    else:
        assert 0 < test.pvalue < 1
        assert test.n == N


def lacking(rng, n_answers=ANSWERS):
    """Return whether each answer is there, answer x item x model; all of the first are."""
    there = rng.random((n_answers, N, 2)) < 0.8
    there[0] = True
    return there


@pytest.mark.parametrize("graded", [True, False])
@pytest.mark.parametrize("which", ["model", "item", "answer"])
def test_answers_that_are_there_are_averaged_by_item(marks, rng, which, graded):
    """One model has fewer answers, some items have fewer, or any answer is lacking."""
    there = {
        "model": np.arange(ANSWERS)[:, None, None] < np.broadcast_to([ANSWERS, 2], (N, 2)),
        "item": np.arange(ANSWERS)[:, None, None] < np.where(np.arange(N) % 3, ANSWERS, 2)[:, None],
        "answer": lacking(rng),
    }[which] & np.ones(marks.shape, dtype=bool)
    values = (0.6 * marks + 0.4 * rng.random(marks.shape)).round(3) if graded else marks
    name = "reward" if graded else "correct"
    table = long(np.where(there, values, np.nan), value=name).dropna()
    means = np.nanmean(np.where(there, values, np.nan), axis=0)

    results = read(table, directions={name: "higher"} if graded else {})
    found = analyse(results)

    assert (found.way, found.n_cases, found.cases.left_out) == ("answers", N, 0)
    expected = stats.ttest_rel(means[:, 0], means[:, 1]).pvalue
    assert found.tests["a", "b"].pvalue == pytest.approx(expected, rel=1e-9)
    assert found.values.tolist() == pytest.approx(means.mean(axis=0))
    assert results.averages(results.measures[0]).iloc[0].tolist() == pytest.approx(
        means.mean(axis=0)
    )
    counts = there.sum(axis=0)
    text = " ".join(str(note) for note in found.notes)
    assert f"each instance {counts.min()} to {ANSWERS} times." in text
    n = int((counts < ANSWERS).any(axis=1).sum())
    assert f"For {n} instances, a model has fewer than {ANSWERS} answers." in text
    assert "had fewer than" in methods_paragraph(found)


def test_an_item_without_any_answer_of_a_model_is_left_out_and_counted(marks):
    table = long(marks)
    table = table[(table["question_id"] > 1) | (table["model"] == "a")]
    means = marks.mean(axis=0)[2:]

    found = analyse(read(table))

    assert (found.n_cases, found.cases.left_out) == (N - 2, 2)
    expected = stats.ttest_rel(means[:, 0], means[:, 1]).pvalue
    assert found.tests["a", "b"].pvalue == pytest.approx(expected, rel=1e-9)
    assert any("2 instances without a prediction" in str(note) for note in found.notes)


@pytest.mark.parametrize("n_sets", [2, 8])
def test_numbers_of_answers_may_differ_on_several_benchmarks(marks, n_sets):
    """The number of answers of a model has no influence on the weight of an item or a benchmark."""
    table = long(marks)
    fewer = table[(table["model"] == "a") | (table["epoch"] < 2)]
    results = read(
        pd.concat([fewer.assign(benchmark=f"t{i}") for i in range(n_sets)], ignore_index=True)
    )

    assert analyse(results).order
    assert not len(results.missing)
    expected = [marks[..., 0].mean(), marks[:2, :, 1].mean()]
    for values in results.averages("accuracy").to_numpy():
        assert values.tolist() == pytest.approx(expected)


def test_a_measure_that_is_no_mean_uses_the_runs_with_answers_of_every_model(rng):
    truth = rng.integers(0, 2, size=N)
    answers = np.where(rng.random((ANSWERS, N, 2)) < 0.75, truth[:, None], 1 - truth[:, None])
    table = long(answers, item="instance", value="predicted")
    table["true"] = truth[table["instance"]]
    fewer = table[(table["model"] == "a") | (table["epoch"] < 2)]

    found, of_two = (
        analyse(read(each), Settings(measure="f")) for each in (fewer, table[table["epoch"] < 2])
    )

    assert found.tests["a", "b"].pvalue == of_two.tests["a", "b"].pvalue
    assert any("measures of the 2 runs with answers of every model" in str(n) for n in found.notes)


@pytest.mark.parametrize("name", ["repeat", "trial", "epoch", "sample"])
def test_repetitions_of_folds_are_no_answers(rng, name):
    index = pd.MultiIndex.from_product([range(3), range(N), ["a", "b"]])
    table = pd.DataFrame(index=index).reset_index().set_axis([name, "instance", "model"], axis=1)
    table["fold"] = (table["instance"] + table[name]) % 5
    table["true"] = table["instance"] % 2
    table["predicted"] = np.where(rng.random(len(table)) < 0.8, table["true"], 1 - table["true"])
    roles = {name: "repetition", "instance": "instance"}

    results = read(table, roles=roles)

    assert not results.repeated_answers
    assert not read(table[table[name] == 0]).repeated_answers
    if name == "repeat":
        assert not read(table).repeated_answers


def test_answers_are_no_folds(marks):
    results = read(long(marks))

    assert (results.design, results.with_folds, results.noun) == ("single", (), "model")
    assert results.label_of("d") == f"one test set, {ANSWERS} answers to each instance"
    assert analyse(results, Settings(test="paired t")).kind == "cases"


def test_equal_answers_count_once(marks):
    """Copies of one answer add no information: the test is that of the one answer."""
    once = marks[:1]
    copies = np.repeat(once, ANSWERS, axis=0)

    found = analyse(read(long(copies)))

    assert found.tests["a", "b"].pvalue == pytest.approx(paired_t(once), rel=1e-9)


def test_answers_of_items_in_documents_are_tested_over_documents(marks):
    table = long(marks).assign(document=lambda rows: "d" + (rows["question_id"] % 12).astype(str))

    found = analyse(read(table))

    assert (found.way, found.n_clusters) == ("clusters", 12)


def test_epochs_in_logs_of_inspect_are_answers(marks):
    def log(model, column):
        samples = [
            {
                "id": f"q{i}",
                "epoch": epoch + 1,
                "input": f"Question {i}?",
                "scores": {"match": {"value": "C" if marks[epoch, i, column] else "I"}},
            }
            for i in range(N)
            for epoch in range(ANSWERS)
        ]
        return {"eval": {"model": model, "task": "t", "created": ""}, "samples": samples}

    files = [(f"{m}.json", json.dumps(log(m, i)).encode()) for i, m in enumerate("ab")]
    found = analyse(read_results(*files))

    assert found.tests["a", "b"].pvalue == pytest.approx(paired_t(marks), rel=1e-9)


@pytest.mark.parametrize("name", ["epoch", "run", ""])
def test_no_text_states_a_training_that_the_table_does_not_show(marks, name):
    table = long(marks, name or "epoch")
    found = analyse(read(table if name else table[table["epoch"] == 0].drop(columns="epoch")))
    told = verdict(found)

    texts = [told.headline, told.size, told.numbers, methods_paragraph(found)]
    texts += [str(note) for note in told.notes if note.code != "answers instead"]
    assert not [text for text in texts if "train" in text.lower()]


@pytest.mark.parametrize("n_models", [2, 3])
def test_figures_and_tables_of_repeated_answers_have_one_result_per_item(rng, n_models):
    marks = (rng.random((ANSWERS, N, n_models)) < 0.6).astype(int)
    index = pd.MultiIndex.from_product([range(ANSWERS), range(N), ["a", "b", "c"][:n_models]])
    table = pd.Series(marks.ravel(), index=index).reset_index()
    found = analyse(read(table.set_axis(["epoch", "question_id", "model", "correct"], axis=1)))

    models = found.models()
    means = marks.mean(axis=0)
    for i, name in enumerate("abc"[:n_models]):
        low, high = stats.t.interval(0.95, N - 1, means[:, i].mean(), stats.sem(means[:, i]))
        assert models.loc[name, ["low", "high"]].tolist() == pytest.approx([low, high])
    assert (found.rank_intervals() is None) == (n_models == 2)


def with_unequal_runs(rng, numbers, form="marks", column="seed", n_sets=1):
    """Return a table of runs of the same items, of which model i has `numbers[i]`."""
    parts = []
    for model, number in zip("abc", numbers, strict=False):
        for run in range(number):
            table = pd.DataFrame({column: run, "item": range(N * n_sets), "model": model})
            right = rng.random(N * n_sets) < 0.6
            table["true"] = table["item"] % 2
            if n_sets > 1:
                table["benchmark"] = [f"s{i % n_sets}" for i in table["item"]]
            if form == "marks":
                table = table.assign(correct=right.astype(int)).drop(columns="true")
            elif form == "graded":
                table = table.assign(f1=rng.random(len(table)).round(3)).drop(columns="true")
            else:
                table["predicted"] = np.where(right, table["true"], 1 - table["true"])
            parts.append(table)
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize("numbers", [(3, 5), (1, 4), (3, 5, 2)])
@pytest.mark.parametrize("form", ["marks", "graded", "labels"])
@pytest.mark.parametrize("column", ["seed", "run", "fold"])
def test_runs_of_different_number_are_averaged_and_tested_over_items(rng, column, form, numbers):
    """p is that of scipy's paired t test of the means of items, and runs are fixed."""
    table = with_unequal_runs(rng, numbers, form, column)
    settings = Settings(measure={"marks": "accuracy", "graded": "f1", "labels": "accuracy"}[form])
    found = analyse(read(table), settings)

    if form == "labels":
        table["correct"] = table["true"] == table["predicted"]
    value = "f1" if form == "graded" else "correct"
    means = table.assign(v=table[value].astype(float)).pivot_table(
        index="item", columns="model", values="v", aggfunc="mean"
    )
    for pair, test in found.tests.items():
        assert test.pvalue == pytest.approx(stats.ttest_rel(*(means[m] for m in pair)).pvalue)
    text = " ".join(map(str, verdict(found).notes))
    assert f"The models have {min(numbers)} to {max(numbers)} runs." in text
    assert "Variability between runs is not assessed." in text
    assert ("exclude the runs that not every model has" in text) == (min(numbers) > 1)
    assert "The runs are fixed" in methods_paragraph(found)


def test_areas_of_runs_of_different_number_use_the_runs_of_every_model(rng):
    table = with_unequal_runs(rng, (3, 5), "labels")
    table["score"] = (0.3 * table.pop("predicted") + 0.7 * rng.random(len(table))).round(3)
    settings = Settings(measure="AUC")
    found = analyse(read(table), settings)

    shared = table[table["seed"] < 3].rename(columns={"seed": "attempt"})
    expected = analyse(read(shared, roles={"attempt": "answer"}), settings)
    assert found.tests["a", "b"].pvalue == expected.tests["a", "b"].pvalue
    assert "The measures of the 3 runs of every model are averaged" in " ".join(
        map(str, found.notes)
    )


def test_the_option_of_the_runs_of_every_model_runs_as_printed(rng, tmp_path, capsys):
    """It gives the two-way test of these runs."""
    table = with_unequal_runs(rng, (3, 5))
    path = tmp_path / "d.csv"
    table.to_csv(path, index=False)

    assert main(["analyse", str(path)]) == 0
    assert "the 3 runs of every model, add --missing drop-folds." in capsys.readouterr().out
    assert main(["analyse", str(path), "--missing", "drop-folds"]) == 0
    shared = analyse(read(table[table["seed"] < 3]))
    assert shared.kind == "trainings"
    assert p_phrase(shared.tests["a", "b"].pvalue, 0.05) in capsys.readouterr().out


def test_models_with_equal_numbers_of_runs_keep_the_two_way_test(rng):
    table = with_unequal_runs(rng, (4, 4, 2))

    pair = analyse(read(table).select(algorithms=["a", "b"]))
    expected = analyse(read(table[table["model"] != "c"]))
    assert (pair.kind, analyse(read(table)).kind) == ("trainings", "cases")
    assert pair.tests["a", "b"].pvalue == expected.tests["a", "b"].pvalue


def test_several_benchmarks_with_runs_of_different_number_have_a_result(rng):
    found = analyse(read(with_unequal_runs(rng, (3, 5), n_sets=2)))

    assert (found.kind, found.n_cases) == ("benchmarks", 2 * N)
