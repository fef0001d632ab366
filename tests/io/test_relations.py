"""Tests that columns get their roles from their relations to each other, not from their names."""

import numpy as np
import pytest

from stats_core import FoldwiseError, NeedsMapping, Results, read_results
from stats_core.io.read import describe_columns

SETS = tuple("abcdefgh")


def text(header, rows) -> bytes:
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]).encode()


def answered(*sources) -> Results:
    """Return the results of files, by the reader's own guess if it asks a question."""
    try:
        return read_results(*sources)
    except NeedsMapping as asked:
        return read_results(*sources, mapping=asked.guess)


def rates(rng, n, low=0.5, high=1.0):
    return rng.uniform(low, high, n).round(4).tolist()


def test_the_finer_of_two_names_is_the_data_set(rng):
    rows = [
        (archive, f"{archive}{i}", method, *rates(rng, 1))
        for archive in ("ecg", "nasa")
        for i in range(5)
        for method in ("isolation", "lof", "ocsvm")
    ]
    source = ("x.csv", text("dataset,recording,how,auc", rows))

    results = answered(source)

    assert set(results.algorithms) == {"isolation", "lof", "ocsvm"}
    assert results.n_datasets == 10


def test_a_measure_nobody_knows_among_known_ones_is_asked_about(rng):
    rows = [(s, m, *rates(rng, 3)) for s in SETS for m in ("rf", "svm")]

    with pytest.raises(NeedsMapping, match='"xyz_pr" needs a direction') as asked:
        read_results(("x.csv", text("dataset,model,auc_pr,xyz_pr,f1", rows)))

    assert "xyz_pr" not in asked.value.guess.directions


def test_the_direction_of_a_measure_is_guessed_from_its_correlation_with_known_ones(rng):
    rows = [
        (s, m, auc, 1 - auc + rng.normal(0, 0.01))
        for s in SETS
        for m in ("rf", "svm")
        for auc in rates(rng, 1)
    ]

    with pytest.raises(NeedsMapping, match='"xyz" needs a direction') as asked:
        read_results(("x.csv", text("dataset,model,auc,xyz", rows)))

    assert asked.value.guess.directions == {"xyz": "lower"}


def test_variants_crossed_with_measures_over_rows_of_models_are_no_comparison(rng):
    models = ("Ridge", "Lasso", "SVR", "RandomForest")
    rows = [(m, *rates(rng, 4)) for m in models]
    header = ",raw_MAE,raw_RMSE,scaled_MAE,scaled_RMSE"

    with pytest.raises(FoldwiseError, match="nothing can be tested"):
        read_results(("x.csv", text(header, rows)))


def test_an_algorithm_named_as_another_column_begins_is_one(rng):
    names = ("alpha", "alpha_plus", "beta", "beta_plus", "gamma")
    rows = [(s, *rates(rng, len(names))) for s in SETS]

    results = read_results(("accuracy.csv", text(",".join(["dataset", *names]), rows)))

    assert set(results.algorithms) == set(names)


def test_a_count_beside_each_column_is_no_algorithm(rng):
    rows = [(s, *rates(rng, 2), *rng.integers(2, 90, 2).tolist()) for s in SETS]

    results = read_results(("accuracy.csv", text("set,rf,svm,rf_n,svm_n", rows)))

    assert results.algorithms == ("rf", "svm")


def test_a_kappa_beside_percentages_is_no_algorithm(rng):
    rows = [(s, *rates(rng, 3, 40, 99), *rates(rng, 1, 0.2, 0.9)) for s in SETS]
    source = ("accuracy.csv", text("dataset,first,second,third,best kappa", rows))

    results = read_results(source)

    assert results.algorithms == ("first", "second", "third")
    reason = describe_columns(source).set_index("column")["reason"]["best kappa"]
    assert reason == "another measure, according to its name and scale"


@pytest.mark.parametrize("label", ["Mean ± Std", "Average +/- SD", "mean (std)", "Avg."])
def test_rows_that_sum_up_are_left_out_in_any_cell_format(rng, label):
    rows = [(s, *rates(rng, 3)) for s in SETS]
    means = np.mean([row[1:] for row in rows], axis=0).round(3)

    results = read_results(("accuracy.csv", text("set,rf,svm,nb", [*rows, (label, *means)])))

    assert results.datasets == SETS
    with pytest.raises(NeedsMapping, match="summary rows"):  # other numbers
        read_results(("accuracy.csv", text("set,rf,svm,nb", [*rows, (label, 0.1, 0.1, 0.1)])))


def test_whole_numbers_may_be_headers(rng):
    rows = [(f"Split {i}", *rates(rng, 4)) for i in range(1, 6)]

    results = read_results(("x.csv", text("AUC,16,32,64,128", rows)))

    assert set(results.algorithms) == {"16", "32", "64", "128"}
    assert (results.n_datasets, results.n_rows, results.measures) == (1, 20, ("auc",))


def test_two_header_rows_may_end_in_numbers(rng):
    kinds, strengths = ("blur", "fog", "snow"), (1, 2, 3)
    first = ",".join(["", *(kind for kind in kinds for _ in strengths)])
    second = ("", *(s for _ in kinds for s in strengths))
    rows = [second, *((f"Team{i}", *rates(rng, 9)) for i in range(6))]

    results = answered(("accuracy.csv", text(first, rows)))

    assert results.algorithms == tuple(f"Team{i}" for i in range(6))
    assert results.n_datasets == 9


def test_lists_of_times_are_no_folds(rng):
    rows = [
        (s, m, *rates(rng, 1), f'"[{", ".join(map(str, rates(rng, 7)))}]"')
        for s in SETS
        for m in ("rf", "svm")
    ]

    results = read_results(("x.csv", text("dataset,model,accuracy,time_all", rows)))

    assert results.n_rows == len(rows)


def test_a_text_called_as_a_measure_may_part_the_algorithms(rng):
    rows = [
        (s, m, precision, *rates(rng, 1))
        for s in SETS
        for m in ("rf", "svm")
        for precision in ("FP32", "FP64")
    ]

    with pytest.raises(NeedsMapping, match='differ in "precision"'):
        read_results(("x.csv", text("dataset,model,precision,accuracy", rows)))


def test_a_column_that_is_the_same_in_each_file_names_its_algorithm(rng):
    sources = [
        (f"{name}.csv", text("detector,file,score (higher is better)", rows))
        for name in ("one", "two")
        for rows in [[(name.upper(), s, *rates(rng, 1, 0, 9)) for s in SETS]]
    ]

    results = answered(*sources)

    assert results.algorithms == ("ONE", "TWO")
    assert results.datasets == SETS


def test_param_in_a_name_takes_no_algorithm_away(rng):
    rows = [(s, *rates(rng, 3)) for s in SETS]

    results = read_results(("accuracy.csv", text("set,param_tuning,defaults,random", rows)))

    assert set(results.algorithms) == {"param_tuning", "defaults", "random"}


def test_words_of_measures_decide_within_names(rng):
    numbers = np.column_stack([np.arange(5), *(rates(rng, 5) for _ in range(3))])
    content = text("fold,outer_r2,outer_rmse,outer_mape", numbers)

    results = read_results(("rf.csv", content), ("svm.csv", content))

    assert results.directions == {
        "outer_r2": "higher",
        "outer_rmse": "lower",
        "outer_mape": "lower",
    }


def test_rows_named_as_forecasters_over_scalers_are_asked_about(rng):
    rows = [(m, *rates(rng, 3)) for m in ("Naive", "AutoETS", "CatBoost", "PatchTST")]

    with pytest.raises(NeedsMapping) as asked:
        read_results(("mae.csv", text(",Standard,Robust,Quantile", rows)))

    assert len(asked.value.options) == 2


def test_further_conditions_of_the_key_all_get_a_role(rng):
    rows = [(m, b, n, *rates(rng, 1)) for m in ("rf", "svm") for b in (1, 8) for n in (32, 64, 128)]

    with pytest.raises(NeedsMapping) as asked:
        read_results(("x.csv", text("model,batch,length,accuracy", rows)))

    assert asked.value.guess.roles["batch"] == "dataset"
    assert asked.value.guess.roles["length"] == "part of dataset"


def test_errors_of_optimizers_are_no_rates(rng):
    rows = [
        (f, m, r, 10 ** rng.uniform(1, 6))
        for f in ("f1", "f2")
        for m in ("de", "pso")
        for r in range(1, 6)
    ]

    results = read_results(("x.csv", text("problem,algorithm,run,error", rows)))

    assert results.directions == {"error": "lower"}


def test_files_or_their_rows_may_be_the_algorithms(rng):
    lines = [
        "\n".join(
            ["vropax,error", *(f"{name},{rng.uniform():.3f}" for name in ("dus", "gli", "kel"))]
        )
    ] * 3
    sources = [
        (f"{file}.csv", content.encode())
        for file, content in zip(("one", "two", "six"), lines, strict=True)
    ]

    with pytest.raises(NeedsMapping, match="algorithms or data sets") as asked:
        read_results(*sources)

    read = [
        read_results(*sources, mapping=mapping).algorithms for _, mapping in asked.value.options
    ]
    assert read == [("one", "six", "two"), ("dus", "gli", "kel")]


def test_numbers_that_repeat_may_name_data_sets_beside_columns_of_folds(rng):
    rows = [(number, name, *rates(rng, 3)) for number in (12, 1377, 220) for name in ("pax", "wep")]

    results = read_results(("accuracy.csv", text("flijiv,system,split_1,split_2,split_3", rows)))

    assert (results.algorithms, results.n_datasets, results.n_rows) == (("pax", "wep"), 3, 18)


def test_an_algorithm_named_like_a_summary_stays_if_its_numbers_are_none(rng):
    rows = [
        (name, *rates(rng, 3, low, low + 0.05))
        for name, low in (("CRAP", 0.5), ("HULH", 0.7), ("RANK", 0.9))
    ]

    results = read_results(("accuracy.csv", text("model,split_1,split_2,split_3", rows)))

    assert "RANK" in results.algorithms


def test_a_counter_that_completes_the_keys_is_no_algorithm(rng):
    rows = [
        (s, k, m, round(rng.uniform(0.1, 4), 3))
        for s in SETS
        for k in (1, 2, 3)
        for m in ("pax", "wep")
    ]

    with pytest.raises(NeedsMapping) as asked:
        read_results(("x.csv", text("series,k,vrofob,mibsnu", rows)))

    assert all(
        mapping.roles["k"] != "result"
        for mapping in (asked.value.guess, *(m for _, m in asked.value.options))
    )


@pytest.mark.parametrize("ranks", ["1.00,2.00", "1.25,1.75"])
def test_mean_ranks_of_two_algorithms_are_no_data_set(ranks):
    higher = 8 if ranks == "1.00,2.00" else 6
    rows = [
        (s, *((0.5 * i + 0.125, 0.5 * i + 0.25)[:: 1 if i < higher else -1]))
        for i, s in enumerate(SETS)
    ]
    rows = [(s, f"{a:.3f}", f"{b:.3f}") for s, a, b in rows]

    results = read_results(
        ("rmse.csv", text("dataset,pax,wep", rows) + f"\nzorkel,{ranks}".encode())
    )

    assert results.n_datasets == 8


def test_an_unknown_measure_beside_a_constant_column_is_asked_about(rng):
    values = iter(np.exp(rng.normal(3, 1, 960)).round(1))
    keys = [(s, m, k, "node7") for s in SETS for m in "pq" for k in range(60)]
    rows = [(*key, round(rng.uniform(1, 9), 1), next(values)) for key in keys]

    with pytest.raises(NeedsMapping, match='"dwesnu" needs a direction'):
        read_results(("x.csv", text("dataset,model,fold,host,mae,dwesnu", rows)))


def test_columns_of_a_file_named_after_another_measure_are_algorithms(rng):
    rows = [(s, *rates(rng, 2)) for s in SETS]

    assert read_results(("log_loss.csv", text("task,run_jiv,error_mib", rows))).algorithms == (
        "error_mib",
        "run_jiv",
    )


@pytest.mark.parametrize(("measure", "role"), [("crahulgor", "result"), ("accuracy", "ignore")])
def test_numbers_above_one_beside_numbers_below_are_of_an_algorithm_unless_rates(
    rng, measure, role
):
    rows = [
        (round(rng.uniform(1.1, 1.6), 3), *(round(x, 3) for x in rng.uniform(0.7, 1, 2)))
        for _ in range(5)
    ]
    rows[0] = (1.581, 0.746, 0.984)

    with pytest.raises(NeedsMapping) as asked:
        read_results((f"{measure}.csv", text("DweBno,TuzFob,PQen", rows)))

    assert asked.value.guess.roles == {"DweBno": role, "TuzFob": "result", "PQen": "result"}
