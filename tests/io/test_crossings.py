"""Readings that the design of a table allows when names say nothing."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import stats_core as sc
from stats_core.core.errors import DataError, NeedsMapping
from stats_core.io import read
from stats_core.io.layouts.crossings import designs
from stats_core.io.layouts.wide_table import share_measure
from stats_core.io.mapping import Mapping
from stats_core.io.profile import Profile


def table(header, rows):
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    return ("results.csv", "\n".join(lines).encode())


def asked(source):
    with pytest.raises(NeedsMapping) as question:
        sc.read_results(source)
    return question.value


@pytest.fixture
def rng():
    return np.random.default_rng(20261129)


def rates(rng, n):
    return rng.uniform(0.6, 0.9, n).round(3).tolist()


def test_levels_that_cross_name_data_sets_and_the_variant_the_algorithms(rng):
    keys = product(("ackley", "sphere", "griewank"), (2, 5, 10), ("plain", "restart"))
    source = table("fun,dim,variant,auc", [(*key, *rates(rng, 1)) for key in keys])

    question = asked(source)
    results = sc.read_results(source, mapping=question.guess)

    assert set(results.algorithms) == {"plain", "restart"}
    assert results.n_datasets == 9
    assert "plain and restart" in question.options[0][0]


@pytest.mark.parametrize("seed", range(12))
def test_one_of_the_offered_readings_is_right_whatever_the_names(seed):
    rng = np.random.default_rng(seed)
    names = rng.permutation(["zor", "pax", "wib", "quen", "mul", "fip"])
    sets = [f"{names[0]}{letter}" for letter in "abcdefg"]
    algorithms = [f"{names[1]}-{letter}" for letter in "kmt"]
    keys = [*product(sets, algorithms)]
    frame = pd.DataFrame(keys, columns=[names[2], names[3]])
    frame["auc"] = rng.uniform(0.5, 0.9, len(keys)).round(4)
    frame = frame.sample(frac=1, random_state=seed)[rng.permutation(frame.columns)]

    question = asked(("table.csv", frame.to_csv(index=False).encode()))

    roles = [options.roles for _, options in question.options]
    assert any(own[names[2]] == "dataset" and own[names[3]] == "algorithm" for own in roles)


def test_names_that_belong_to_one_data_set_are_no_algorithms(rng):
    keys = [(s, f"{s}-{variant}", level) for s in "pqr" for variant in "xyz" for level in "ab"]
    source = table("dataset,experiment,level,f1", [(*key, *rates(rng, 1)) for key in keys])
    profile = Profile(read._table(*source, Mapping(), 1), Mapping(), False)

    algorithms = {design.algorithm for design in designs(profile)}

    assert "level" in algorithms
    assert "experiment" not in algorithms


def test_numbers_without_a_name_are_no_algorithms(rng):
    keys = product(("p", "q", "r"), (64, 128))
    source = table("corpus,width,f1", [(*key, *rates(rng, 1)) for key in keys])

    question = asked(source)

    assert all(guess.roles.get("width") != "algorithm" for _, guess in question.options)


def test_levels_at_which_slow_algorithms_stop_are_data_sets():
    keys = [("greedy", n) for n in range(5, 25)] + [("exhaustive", n) for n in range(5, 20)]
    rows = [(name, n, n * (2 if name == "greedy" else 3) / 1000, n**2) for name, n in keys]
    source = table("algorithm,n,time_seconds,optimum", rows)

    question = asked(source)

    assert question.guess.roles["n"] == "dataset"
    assert question.guess.roles["optimum"] == "ignore"  # the same for both algorithms


@pytest.mark.parametrize("name", ["gap", "zorkel", "train - test"])
def test_a_column_that_is_the_difference_of_two_others_is_no_measure(rng, name):
    keys = [*product("abcdef", ("rf", "svm"))]
    train, test = np.array(rates(rng, len(keys))), np.array(rates(rng, len(keys))) - 0.3
    rows = [
        (*key, a, b, round(a - b, 3)) for key, a, b in zip(keys, train, test.round(3), strict=True)
    ]

    results = sc.read_results(table(f"dataset,model,train_r2,test_r2,{name}", rows))

    assert results.measures == ("test_r2",)


def test_a_column_of_differences_is_no_algorithm(rng):
    rows = [(i, a, b, round(b - a, 4)) for i, a, b in ((1, 0.5911, 0.75), (2, 0.4948, 0.7682))]
    rows += [(3, 0.5599, 0.7502, 0.1903)]

    results = sc.read_results(("accuracy.csv", table("fold,cnn,cnn2,zorkel", rows)[1]))

    assert set(results.algorithms) == {"cnn", "cnn2"}


def test_two_rows_do_not_show_that_a_column_is_a_difference():
    rows = [("a", 0.7, 0.4, 0.3), ("b", 0.8, 0.5, 0.3)]

    results = sc.read_results(("error.csv", table("dataset,rf,svm,knn", rows)[1]))

    assert set(results.algorithms) == {"rf", "svm", "knn"}


@pytest.mark.parametrize(
    ("names", "measure"),
    [
        (["Baseline_AUC", "Tuned_AUC"], "auc"),
        (["raw_sage_acc", "best_svd_acc", "best_fca_acc_mean"], "accuracy"),
        (["macro_f1", "micro_f1"], ""),  # two measures
        (["rf", "svm"], ""),
        (["raw_acc", "raw_auc"], ""),
        (["raw_acc"], ""),
    ],
)
def test_columns_that_speak_of_one_measure_are_algorithms(names, measure):
    assert share_measure(names) == measure


def test_descriptions_beside_the_algorithms_are_none(rng):
    algorithms = [f"alg{letter}" for letter in "abcdefgh"]
    rows = [
        (f"s{i}", *rates(rng, 8), 10_000 + 37 * i, 3 + i, 40.5 + i, *rates(rng, 1))
        for i in range(12)
    ]
    header = "series," + ",".join(algorithms) + ",length,events,mean event,ratio"

    results = sc.read_results(("accuracy.csv", table(header, rows)[1]))

    assert set(results.algorithms) == set(algorithms)


def test_the_same_list_in_every_row_is_a_setting(rng):
    rows = [(s, m, '"[0.1, 0.5, 0.9]"', *rates(rng, 1)) for s in "abcdef" for m in ("rf", "svm")]

    results = sc.read_results(table("dataset,model,quantile_levels,accuracy", rows))

    assert results.n_rows == 12
    assert results.measures == ("accuracy",)


def test_the_only_word_among_decimals_marks_missing_results(rng):
    rows = [[f"s{i}", *rates(rng, 3)] for i in range(8)]
    rows[1][1] = rows[4][3] = rows[5][3] = "X"

    results = sc.read_results(("accuracy.csv", table("dataset,rf,svm,knn", rows)[1]))

    assert len(results.missing) == 3
    assert any('"X"' in str(note) for note in results.notes)


def test_two_words_among_decimals_are_a_problem(rng):
    rows = [[f"s{i}", *rates(rng, 3)] for i in range(8)]
    rows[1][1], rows[4][3] = "X", "later"

    with pytest.raises(DataError, match="must be a number"):
        sc.read_results(("accuracy.csv", table("dataset,rf,svm,knn", rows)[1]))


def test_two_columns_may_name_the_rows_of_a_wide_table(rng):
    keys = product(("intent", "review", "news", "topic"), ("de", "en", "fr"))
    rows = [(*key, *(100 * np.array(rates(rng, 3))).round(1)) for key in keys]
    source = table("Dataset,Language,LASER,MUSE,XLM", rows)

    question = asked(source)
    roles = question.guess.roles

    assert (roles["Dataset"], roles["Language"]) == ("dataset", "part of dataset")
    assert [roles[name] for name in ("LASER", "MUSE", "XLM")] == ["result"] * 3


def test_images_of_data_sets_are_instances(rng):
    keys = product(("cells", "nuclei"), (f"t{i:02}.tif" for i in range(9)), ("otsu", "unet"))
    rows = [(*key, *rates(rng, 1)) for key in keys]

    question = asked(table("dataset,image,method,Dice", rows))

    assert question.guess.roles["image"] == "instance"
    assert "2 data sets (cells and nuclei)" in question.options[0][0]


def test_an_answer_that_cannot_be_read_is_not_offered(rng):
    keys = [*product(("a", "b"), ("m1", "m2"), ("x", "y"))]
    rows = [(*key, *rates(rng, 1)) for key in keys] + [("a", "m1", "x", 0.5)]

    question = asked(table("zor,pax,wib,auc", rows))

    for _, guess in question.options:
        sc.read_results(table("zor,pax,wib,auc", rows), mapping=guess)
