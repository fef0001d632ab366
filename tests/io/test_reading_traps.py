"""Tests of files that are easy to misread unnoticed."""

import pytest

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import DECIDED
from stats_core.core.errors import DataError, NeedsMapping
from stats_core.data.settings import Settings
from stats_core.io.read import read_results
from stats_core.report.verdict import verdict


def read(text, name="results.csv"):
    return read_results((name, text.encode()))


def rows(header, *lines):
    return "\n".join([header, *(",".join(map(str, line)) for line in lines)]) + "\n"


def cases(header, cell):
    """Return a CSV of six cases of two algorithms in one fold."""
    return rows(header, *((name, 1, i, *cell(name, i)) for name in ("rf", "svm") for i in range(6)))


# -- repetitions ----------------------------------------------------------------------------


def test_a_seed_beside_the_fold_numbers_repetitions_where_rows_need_it():
    text = rows(
        "dataset,model,seed,fold,accuracy",
        *(("iris", m, s, f, 0.9) for m in ("rf", "svm") for s in (7, 11) for f in (1, 2, 3)),
    )
    results = read(text)

    assert results.design == "r x k-fold"
    assert "column numbers repetitions" in [note.code for note in results.notes]


def test_a_run_that_differs_in_every_row_does_not_part_the_pairs():
    text = rows(
        "dataset,model,run,fold,accuracy",
        *(("iris", m, f"{m}{f}", f, 0.9) for m in ("rf", "svm") for f in (1, 2, 3)),
    )
    results = read(text)

    assert results.missing.empty
    assert results.design == "k-fold"
    assert any("run" in str(note) for note in results.notes)


def test_a_seed_that_means_nothing_is_not_used():
    text = rows(
        "dataset,model,fold,seed,accuracy",
        *(("iris", m, f, 100 * f + len(m), 0.9) for m in ("rf", "svm") for f in (1, 2, 3)),
    )
    assert read(text).missing.empty


# -- measures -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "direction"),
    [
        ("neg_log_loss", "higher"),
        ("neg_logloss", "higher"),
        ("test_neg_mean_squared_error", "higher"),
        ("logloss", "lower"),
        ("f1_macro", "higher"),
        ("test_f1_macro", "higher"),
        ("test_error", "lower"),
        ("Percent_correct", "higher"),
    ],
)
def test_direction_of_a_measure_by_its_name(name, direction):
    results = read(rows(f"dataset,model,fold,{name}", ("a", "x", 1, 0.3), ("a", "y", 1, 0.4)))
    assert results.direction(results.measures[0]) == direction


def test_an_average_over_classes_keeps_its_name():
    assert read(rows("model,fold,f1_macro", ("x", 1, 0.3), ("y", 1, 0.4))).measures == ("f1_macro",)


def test_a_number_of_correct_answers_is_no_accuracy():
    with pytest.raises(NeedsMapping, match='"correct" needs a direction'):
        read(rows("dataset,model,fold,correct", ("a", "x", 1, 45), ("a", "y", 1, 44)))


def test_times_of_day_and_settings_are_no_costs():
    text = rows(
        "model,fold,error,timestamp,start_time,parameters,train_time",
        ("x", 1, 0.1, "2019-04-15T12:49", "12:49", "{}", 3),
        ("y", 1, 0.2, "2019-04-15T12:50", "12:50", "{}", 4),
    )
    assert read(text).costs == ("train_time",)


def test_one_row_per_measure():
    text = rows(
        "dataset,model,fold,metric,value",
        *(
            ("iris", m, f, k, 0.5 + f / 10)
            for m in ("rf", "svm")
            for f in (1, 2)
            for k in ("auc", "logloss")
        ),
    )
    results = read(text)

    assert results.directions == {"auc": "higher", "logloss": "lower"}
    assert results.missing.empty
    assert results.averages("auc").loc["iris", "rf"] == pytest.approx(0.65)


def test_one_row_per_measure_and_the_same_twice():
    text = rows(
        "dataset,model,fold,metric,value",
        ("iris", "rf", 1, "auc", 0.5),
        ("iris", "rf", 1, "auc", 0.6),
        ("iris", "rf", 1, "error", 0.6),
    )
    with pytest.raises(
        DataError, match=r"row 2: .* combination of data set, algorithm, fold and meas"
    ):
        read(text)


def test_weka_counts_of_one_class_are_not_used():
    text = rows(
        "Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Percent_correct,Num_true_positives,"
        "Num_false_positives,Num_true_negatives,Num_false_negatives",
        ("iris", 1, 1, "J48", 93.3, 5, 0, 10, 0),
        ("iris", 1, 1, "SMO", 86.7, 5, 0, 10, 0),
    )
    results = read(text)

    assert results.measures == ("accuracy",)
    assert "counts of Weka" in [note.code for note in results.notes]


def test_measures_given_beside_the_counts_agree_with_them():
    text = rows(
        "model,fold,tp,fp,tn,fn,accuracy", ("x", 1, 4, 1, 2, 0, 0.86), ("y", 1, 4, 1, 2, 0, "")
    )
    assert read(text).averages("accuracy").iloc[0].tolist() == [6 / 7, 6 / 7]


# -- files ----------------------------------------------------------------------------------


def test_row_names_without_a_header_as_r_writes_them():
    text = '"model","fold","acc"\n"1","x",1,0.9\n"2","y",1,0.8\n'
    assert read(text).algorithms == ("x", "y")


def test_remarks_above_the_header_keep_the_line_numbers():
    text = "# made on Monday\nmodel,fold,acc\nx,1,0.9\ny,1,oops\n"
    with pytest.raises(DataError, match="row 4"):
        read(text)
    assert read(text.replace("oops", "0.8")).algorithms == ("x", "y")


@pytest.mark.parametrize("text", ["sep=;\n", "sep=;", "#\n#\n", "\n\n"])
def test_files_with_nothing_but_a_preface(text):
    with pytest.raises(DataError):
        read(text)


def test_easy_data_sets_may_have_errors_below_one_percent():
    text = rows(
        "dataset,model,fold,error",
        *(("mushroom", m, f, 0.2 + f / 10) for m in ("x", "y") for f in (1, 2)),
        *(("glass", m, f, 30 + f) for m in ("x", "y") for f in (1, 2)),
    )
    results = read(text)

    assert results.averages("error").loc["glass", "x"] == pytest.approx(0.315)
    assert any("(0.3 to 32)" in str(note) for note in results.notes)


def test_a_column_named_in_percent_may_hold_small_values():
    text = rows("model,fold,error (%)", ("x", 1, 0.4), ("y", 1, 5.2))
    assert read(text).averages("error").iloc[0].tolist() == pytest.approx([0.004, 0.052])


@pytest.mark.parametrize("name", ["row", "fold"])
def test_a_nameless_column_beside_one_of_the_name_it_would_get(name):
    text = rows(f",{name},dataset,model,acc", ("a", 1, "d", "x", 0.9), ("b", 1, "d", "y", 0.8))
    assert read(text).averages("accuracy").iloc[0].tolist() == [0.9, 0.8]


def test_empty_last_cells_are_no_short_rows():
    assert len(read("model,fold,error\nx,1,0.1\ny,1,\n").missing) == 1


# -- wide tables ----------------------------------------------------------------------------


@pytest.mark.parametrize("header", ["rf,svm,knn", ",rf,svm"])
def test_a_wide_table_without_names_of_data_sets_is_asked_about(header):
    first = ("0", "1", "2") if header.startswith(",") else ("0.9", "0.7", "0.5")
    text = rows(header, *((name, 0.9, 0.8) for name in first))
    with pytest.raises(NeedsMapping, match="No column names the rows, so the rows may be folds"):
        read(text)


def test_numbers_of_several_scales_without_names_are_refused():
    text = rows("a,b,c", *((i + 0.5, 100 * i + 7.5, 0.1) for i in range(5)))
    with pytest.raises(DataError, match="names the data set or the fold. .* only numbers"):
        read(text)


def test_numbers_that_may_name_data_sets_are_asked_about():
    with pytest.raises(NeedsMapping, match="names the data set") as caught:
        read(rows("id,rf,svm", (31, 0.9, 0.8), (37, 0.7, 0.6)))

    results = read_results(
        ("a.csv", rows("id,rf,svm", (31, 0.9, 0.8), (37, 0.7, 0.6)).encode()),
        mapping=caught.value.guess,
    )
    assert results.datasets == ("31", "37")


def test_averages_and_ranks_under_a_wide_table_are_no_data_sets():
    text = rows(
        "dataset,rf,svm",
        ("iris", 0.9, 0.8),
        ("zoo", 0.7, 0.9),
        ("Average", 0.8, 0.85),
        ("Avg. rank", 1.5, 1.5),
    )
    results = read(text, "auc.csv")

    assert results.datasets == ("iris", "zoo")
    assert any('"Average" and "Avg. rank"' in str(note) for note in results.notes)


def test_columns_that_describe_cost_or_sum_up_are_no_algorithms():
    text = rows(
        "dataset,#instances,features,rf,svm,Mean,time_s",
        ("iris", 150, 4, 0.9, 0.8, 0.85, 3),
        ("zoo", 101, 16, 0.7, 0.9, 0.80, 4),
    )
    results = read(text, "auc.csv")

    assert results.algorithms == ("rf", "svm")
    said = " ".join(str(note) for note in results.notes)
    for name in ("#instances", "features", "time_s", "Mean"):
        assert name in said


def test_an_algorithm_called_mean_stays():
    assert "mean" in read(rows("dataset,rf,svm,mean", ("a", 3.1, 3.3, 9.5)), "rmse.csv").algorithms


def test_an_algorithm_named_like_a_measure_stays():
    results = read(
        rows("dataset,rf,svm,MAE", ("a", 0.1, 0.2, 0.3), ("b", 0.1, 0.2, 0.3)), "auc.csv"
    )
    assert results.algorithms == ("MAE", "rf", "svm")


# -- predictions ----------------------------------------------------------------------------


def test_a_missing_score_is_a_hole_and_not_a_negative():
    text = cases(
        "algorithm,fold,instance,true,score",
        lambda name, i: (i % 2, "" if (name, i) == ("svm", 3) else i % 2),
    )
    results = read(text)

    assert set(results.missing["algorithm"]) == {"svm"}
    assert set(results.missing["reason"]) == {"no value"}
    assert results.averages("error").loc["results", "rf"] == 0


@pytest.mark.parametrize("i", [2, 3])
def test_an_empty_answer_on_the_only_test_set_is_an_error_and_not_a_negative(i):
    text = cases(
        "algorithm,fold,instance,true,predicted",
        lambda name, j: (j % 2, "" if (name, j) == ("svm", i) else j % 2),
    )
    averages = read(text).averages("error").loc["results"]

    assert averages.to_dict() == pytest.approx({"rf": 0, "svm": 1 / 6})


def test_labels_written_in_two_codings_are_refused():
    text = cases(
        "algorithm,fold,instance,true,predicted",
        lambda name, i: (["no", "yes"][i % 2], ["no", "maybe"][i % 2]),
    )
    with pytest.raises(
        DataError, match='rf predicts "maybe", but the true labels of results are no and yes'
    ):
        read(text)


def test_a_class_never_seen_in_a_fold_may_be_predicted():
    text = cases("algorithm,fold,instance,true,predicted", lambda name, i: (1, i % 2))
    assert read(text).averages("error").loc["results", "rf"] == 0.5


def test_a_case_given_twice_is_refused():
    text = rows("algorithm,fold,instance,true,predicted", ("rf", 1, 1, 0, 0), ("rf", 1, 1, 0, 1))
    with pytest.raises(
        DataError, match="row 3: .* combination of data set, algorithm, fold and instance"
    ):
        read(text)


def test_a_case_with_two_labels_is_refused():
    text = rows("algorithm,fold,instance,true,predicted", ("rf", 1, 1, 0, 0), ("svm", 1, 1, 1, 1))
    with pytest.raises(DataError, match="row 3: Each instance needs one true label"):
        read(text)


@pytest.mark.parametrize("instance", [True, False])
def test_algorithms_on_other_cases_are_refused_with_many_classes(instance):
    lines = [("rf", 1, i, i % 3, i % 3) for i in range(6)]
    lines += [("svm", 1, i, i % 3, i % 3) for i in range(5)]
    header = "algorithm,fold,instance,true,predicted"
    if not instance:
        header = header.replace("instance", "remark")
    with pytest.raises(DataError, match="All algorithms need the same test instances. .*svm has 5"):
        read(rows(header, *lines))


def test_the_likeliest_class_counts_as_predicted():
    text = cases(
        "algorithm,fold,instance,true,p0,p1,p2",
        lambda name, i: (i % 3, *((0.6 if i % 3 == c else 0.2) for c in range(3))),
    )
    results = read(text)

    assert results.algorithms == ("rf", "svm")
    assert results.averages("error").loc["results"].tolist() == [0, 0]
    assert "likeliest class predicted" in [note.code for note in results.notes]


def test_resamples_are_no_common_test_set_though_cases_carry_the_same_numbers():
    text = rows(
        "algorithm,resample,instance,true,predicted",
        *((m, r, i, i % 2, 1) for m in ("x", "y") for r in range(3) for i in range(6)),
    )
    assert read(text).design == "holdout"


def test_columns_of_numbers_are_no_predicted_labels():
    with pytest.raises(DataError):
        read(rows("instance,y,width,height", (1, "a", 0.3, 1.7), (2, "b", 0.4, 1.8)))


# -- holes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", ["", "failed"])
def test_a_measure_beside_counts_without_a_value_is_not_called_undefined(cell):
    text = rows(
        "model,fold,tp,fp,tn,fn,auc",
        ("x", 1, 4, 1, 3, 2, cell),
        ("y", 1, 4, 1, 3, 2, 0.9),
        ("x", 2, 4, 1, 3, 2, 0.8),
        ("y", 2, 4, 1, 3, 2, 0.9),
    )
    results = read(text)

    assert results.missing["reason"].tolist() == ["no value"]
    assert len(results.resolve("undefined as 0").missing) == 1


def test_leaving_an_algorithm_out_hides_no_hole_of_the_others():
    text = rows("model,fold,error", ("x", 1, 0.1), ("y", 1, 0.1), ("z", 1, 0.1), ("z", 2, 0.1))
    left = read(text).select(algorithms=["x", "y"])

    assert len(left.missing) == 2
    assert left.averages("error").isna().all(axis=None)


def test_choosing_data_sets_hides_no_algorithm():
    text = rows("dataset,model,error", ("a", "x", 0.1), ("a", "y", 0.1), ("b", "x", 0.1))
    assert read(text).select(datasets=["b"]).algorithms == ("x", "y")


def test_runs_that_say_they_failed_are_holes_and_a_time_in_minutes_is_a_cost():
    lines = "".join(
        f"t{i},{a},{s},{0.5 + i / 50 + s * ('abc'.index(a) + 1) % 5 / 100},{10 + s}\n"
        for i in range(3)
        for a in "abc"
        for s in range(4)
    )
    file = ("runs.csv", f"task,model,seed,f1,train_minutes\n{lines}t3,a,0,OOM,\n".encode())
    results = read_results(file)
    assert results.costs == ("train_minutes",)
    assert len(results.missing) > 0
    assert results.design_of("t0") == "seeds"
    found = analyse(results, Settings(measure="f1", dataset="t0"))
    assert verdict(found).badge != DECIDED
    assert found.notes[0].code == "runs"
