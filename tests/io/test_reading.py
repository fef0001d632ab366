"""Tests of reading: all layouts and spellings, and FoldwiseError for invalid files."""

import gzip
import io
import re
from contextlib import suppress

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats_core.core.errors import DataError, FoldwiseError, NeedsMapping, SettingError
from stats_core.io.mapping import Mapping
from stats_core.io.read import describe_columns, read_results
from tests.strategies import few_examples, long_tables

ASSUMED = "direction assumed"

LONG = """dataset,algorithm,fold,error
iris,rf,1,0.1
iris,rf,2,0.2
iris,svm,1,0.3
iris,svm,2,0.4
"""
COUNTS = """data,model,fold,TP,FP,TN,FN,train_s
d,a,1,8,2,88,2,0.5
d,b,1,9,0,90,1,0.7
d,a,2,0,0,90,10,0.5
d,b,2,5,5,85,5,0.7
"""


def read(text, name="results.csv", **options):
    return read_results((name, text if isinstance(text, bytes) else text.encode()), **options)


def test_fold_scores():
    results = read(LONG)

    assert (results.datasets, results.algorithms) == (("iris",), ("rf", "svm"))
    assert results.measures == ("error",)
    assert results.direction("error") == "lower"
    assert results.matrix("iris", "error").to_numpy().tolist() == [[0.1, 0.3], [0.2, 0.4]]
    assert results.design == "k-fold"
    assert not len(results.missing)


def test_confusion_counts_give_every_measure_and_0_of_0_is_a_hole():
    results = read(COUNTS)

    row = results.frame.set_index(["algorithm", "fold"]).loc[("a", "1")]
    assert row["error"] == pytest.approx(0.04)
    assert row["tpr"] == pytest.approx(0.8)
    assert row["fpr"] == pytest.approx(2 / 90)
    assert results.costs == ("train_s",)
    holes = results.missing
    assert holes[["algorithm", "fold", "measure"]].to_numpy().tolist() == [
        ["a", "2", "precision"],
        ["a", "2", "mcc"],
    ]
    assert holes["reason"].iloc[0] == "0/0: no positive prediction"
    assert results.matrix("d", "recall").equals(results.matrix("d", "tpr"))
    filled = results.resolve("undefined as 0", "precision")
    assert filled.averages("precision").loc["d", "a"] == pytest.approx(0.4)
    assert "(0/0) was replaced by 0, by your choice" in str(filled.choices[0])


def test_predictions_with_scores():
    results = read(
        "dataset,algorithm,fold,instance,true,score\n"
        "d,a,1,1,1,0.9\nd,a,1,2,0,0.5\nd,a,1,3,0,0.1\n"
        "d,b,1,1,1,0.2\nd,b,1,2,0,0.3\nd,b,1,3,0,0.1\n"
    )

    counts = results.frame.set_index("algorithm")[["tp", "fp", "tn", "fn"]]
    assert counts.loc["a"].tolist() == [1, 1, 1, 0]
    assert counts.loc["b"].tolist() == [0, 0, 2, 1]
    assert any("The positive class is 1 (33%" in str(note) for note in results.notes)
    assert any("score of at least 0.5" in str(note) for note in results.notes)
    assert len(results.predictions) == 6


def test_decision_values_are_cut_at_zero():
    results = read("algorithm,fold,true,score\na,1,yes,2.5\na,1,no,-1\na,1,no,0.4\n")

    assert results.frame[["tp", "fp", "tn", "fn"]].iloc[0].tolist() == [1, 1, 1, 0]


def test_scores_in_percent_are_fractions():
    results = read("algorithm,fold,true,score\na,1,1,90%\na,1,0,30%\n")

    assert results.averages("error").iloc[0, 0] == 0


def test_the_positive_class_can_be_chosen():
    text = "algorithm,fold,true,predicted\na,1,x,x\na,1,y,x\na,1,y,y\n"

    assert read(text).frame["tp"].item() == 1
    assert read(text, mapping=Mapping(positive="y")).frame["fn"].item() == 1
    with pytest.raises(DataError, match="positive class must be one of x and y"):
        read(text, mapping=Mapping(positive="z"))


def test_labels_of_many_classes_give_the_error():
    results = read("algorithm,fold,true,predicted\na,1,x,x\na,1,y,x\na,1,z,z\na,1,z,z\n")

    assert results.measures == (
        "error",
        "accuracy",
        "balanced_accuracy",
        "mcc",
        "kappa",
        "macro_f1",
        "weighted_f1",
    )
    assert results.averages("error").iloc[0, 0] == 0.25


def test_the_same_instances_in_every_fold_are_a_common_test_set():
    rows = "".join(
        f"d,{a},{fold},{i},{i % 2},{i % 2}\n" for a in "ab" for fold in (1, 2) for i in range(4)
    )

    assert read(f"dataset,model,fold,instance,true,pred\n{rows}").design == "common test set"


def test_wide_table_of_averages():
    results = read("set,C4.5,1-NN\nx,0.9,0.8\ny,0.7,0.75\n", name="my_accuracy.csv")

    assert results.algorithms == ("1-NN", "C4.5")
    assert results.measures == ("accuracy",)
    assert results.design == "single"
    assert results.averages("accuracy").loc["x", "C4.5"] == 0.9


def test_which_values_are_better_is_asked_and_never_assumed():
    with pytest.raises(NeedsMapping, match="measure and its direction") as asked:
        read("set,a,b\nx,0.9,0.8\ny,0.7,0.75\n")

    assert asked.value.about == "direction"
    guessed = read("set,a,b\nx,0.9,0.8\ny,0.7,0.75\n", mapping=asked.value.guess)
    assert guessed.direction("score") == "higher"  # many in the upper half of 0 to 1
    with pytest.raises(NeedsMapping) as asked:
        read("set,a,b\nx,0.9,1.8\ny,2.7,0.75\n")
    assert asked.value.guess.directions == {}
    said = Mapping(measure_name="loss", directions={"loss": "lower"})
    assert read("set,a,b\nx,0.9,0.8\ny,0.7,0.75\n", mapping=said).direction("loss") == "lower"


def test_wide_folds():
    results = read("dataset,fold,a,b\nx,1,0.9,0.8\nx,2,0.7,0.6\n", name="f1.csv")

    assert results.layout == "wide folds"
    assert results.matrix("x", "f").shape == (2, 2)


def test_averages_with_their_spread_are_read_as_averages():
    results = read("set,a,b\nx,0.90 \u00b1 0.02,0.8\ny,0.7 (3),0.75\n", name="acc.csv")

    assert results.averages("accuracy")["a"].tolist() == [0.9, 0.7]
    assert any(
        "Only the number before" in str(note) and "2 cells" in str(note) for note in results.notes
    )


def test_wide_predictions():
    results = read("instance,y,A,B\n1,p,p,q\n2,q,q,q\n3,p,q,q\n")

    assert results.algorithms == ("A", "B")
    assert results.averages("error").iloc[0].tolist() == pytest.approx([1 / 3, 2 / 3])


def test_scikit_learn_cross_validate():
    frame = pd.DataFrame({"fit_time": [0.1, 0.2], "score_time": [0.01, 0.01]})
    frame["test_accuracy"] = [0.9, 0.8]
    joined = pd.concat([frame.assign(model="rf"), frame.assign(model="svm")])

    results = read(joined.to_csv())

    assert results.design == "k-fold"
    assert results.measures == ("test_accuracy",)
    assert results.direction("test_accuracy") == "higher"
    assert results.costs == ("fit_time", "score_time")


def test_scikit_learn_grid_search():
    results = read(
        "mean_fit_time,params,split0_test_score,split1_test_score,mean_test_score\n"
        "0.1,\"{'C': 1}\",0.9,0.8,0.85\n0.1,\"{'C': 10}\",0.7,0.6,0.65\n"
    )

    assert results.algorithms == ("{'C': 1}", "{'C': 10}")
    assert results.matrix(results.datasets[0], "test_score").shape == (2, 2)


def test_weka_experimenter():
    results = read(
        "Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Number_of_training_instances,"
        "Number_of_testing_instances,Percent_correct,UserCPU_Time_training\n"
        + "".join(
            f"iris,{run},{fold},{scheme},135,15,9{fold},0.1\n"
            for run in (1, 2)
            for fold in (1, 2)
            for scheme in ("J48", "SMO")
        )
    )

    assert results.algorithms == ("J48", "SMO")
    assert results.measures == ("accuracy",)
    assert results.averages("accuracy").loc["iris", "J48"] == pytest.approx(0.915)
    assert results.test_fraction("iris") == pytest.approx(0.1)


def test_automl_benchmark():
    results = read(
        "id,task,framework,fold,result,metric,auc,duration,seed\n"
        + "".join(f"o/1,adult,{f},{i},0.9,auc,0.9{i},12.5,{i}99\n" for f in "xy" for i in (0, 1))
    )

    assert results.datasets == ("adult",)
    assert results.measures == ("auc",)
    assert results.costs == ("duration",)
    assert results.design == "k-fold"


def test_tsml_results_keep_the_test_rows():
    results = read(
        "dataset,classifier,split,resample,accuracy\nc,a,test,0,0.9\nc,a,train,0,1.0\nc,a,test,1,0.8\nc,a,train,1,1.0\n"
    )

    assert results.averages("accuracy").iloc[0, 0] == pytest.approx(0.85)
    assert results.design == "holdout"
    assert any("2 other rows were left out" in str(note) for note in results.notes)


@pytest.mark.parametrize(
    "header",
    [
        "task,classifier,split,err",
        "Problem,MODEL,Fold,Error_Rate",
        "data set,learner,cv_fold,error",
        "benchmark,method,k-fold id,misclassification",
    ],
)
def test_other_spellings_of_columns(header):
    text = LONG.replace("dataset,algorithm,fold,error", header.replace("k-fold id", "fold_id"))

    assert read(text) == read(LONG)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_other_separators_with_decimal_commas(separator):
    text = LONG.replace(".", "\0").replace(",", separator).replace("\0", ",")

    results = read(text)

    assert results == read(LONG)
    assert "decimal commas" in [note.code for note in results.notes]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings(encoding):
    text = LONG.replace("iris", "\u00dcr\u00fcn").replace("rf", "\u9b5a")

    results = read(text.encode(encoding))

    assert results.datasets == ("\u00dcr\u00fcn",)
    assert results.algorithms == ("svm", "\u9b5a")


def test_windows_1252_is_read_and_said():
    results = read(LONG.replace("iris", "\u00dcr\u00fcn").encode("cp1252"))

    assert results.datasets == ("\u00dcr\u00fcn",)
    assert any("Windows-1252" in str(note) for note in results.notes)


def test_composed_and_decomposed_names_are_one():
    results = read("model,fold,error\ncaf\u00e9,1,0.1\ncafe\u0301,2,0.2\n")

    assert results.algorithms == ("caf\u00e9",)


def test_gzip_crlf_blank_lines_trailing_blanks_and_excel_hint():
    text = "sep=,\r\n" + LONG.replace("iris", " iris  ").replace("\n", " \r\n") + "\r\n\r\n"

    assert read(gzip.compress(text.encode())) == read(LONG)


def test_names_like_numbers_stay_as_written():
    results = read("dataset,algorithm,fold,error\n01,1,1,0.1\n1,1,1,0.2\n01,2,1.0,0.3\n1,2,1,0.4\n")

    assert results.datasets == ("01", "1")
    assert results.algorithms == ("1", "2")
    assert not len(results.missing)


def test_percent_becomes_a_fraction_and_is_said():
    results = read(LONG.replace("0.", "1").replace("error", "accuracy"))
    signs = read(re.sub(r"0\.(\d)", r"\g<1>0%", LONG))

    assert results.averages("accuracy").iloc[0, 0] == pytest.approx(0.115)
    said = "accuracy was given in percent (11 to 14) and converted to fractions."
    assert said in map(str, results.notes)
    assert signs.matrix("iris", "error").loc[("1", "1"), "rf"] == pytest.approx(0.1)


def test_spellings_that_differ_in_case_only():
    merged = read(LONG.replace("iris,rf,2", "Iris,RF,2"))
    apart = read(LONG.replace("svm", "RF"))

    assert merged.algorithms == ("RF", "svm")
    assert merged.datasets == ("Iris",)
    assert apart.algorithms == ("RF", "rf")
    assert "spellings kept apart" in [note.code for note in apart.notes]


def test_several_files_add_rows_or_columns():
    lines = LONG.splitlines(keepends=True)
    head, rows = lines[0], lines[1:]
    more = LONG.replace("error", "train_s").replace("0.", "3.")

    assert read_results(
        ("a.csv", (head + "".join(rows[:2])).encode()),
        ("b.csv", (head + "".join(rows[2:])).encode()),
    ) == read(LONG)
    both = read_results(("a.csv", LONG.encode()), ("b.csv", more.encode()))
    assert both.costs == ("train_s",)
    assert not both.frame.isna().to_numpy().any()


def test_several_files_of_one_algorithm_each():
    text = "dataset,fold,error\niris,1,0.1\niris,2,0.2\n"

    results = read_results(("rf.csv", text.encode()), ("svm.csv", text.encode()))

    assert results.algorithms == ("rf", "svm")


def test_a_column_that_tells_copies_apart_is_asked_about():
    text = "dataset,model,budget,fold,error\n" + "".join(
        f"{d},{m},{b},1,0.{i}\n" for d in "xy" for m in "pq" for i, b in enumerate(["1h", "4h"])
    )

    with pytest.raises(NeedsMapping) as caught:
        read(text)

    assert 'differ in "budget"' in caught.value.question
    assert read(text, mapping=caught.value.guess).algorithms == (
        "p / 1h",
        "p / 4h",
        "q / 1h",
        "q / 4h",
    )


def test_unknown_columns_are_asked_for_with_a_guess():
    with pytest.raises(NeedsMapping) as caught:
        read("task,who,fold,error\nx,a,1,0.1\nx,b,1,0.2\n")

    assert caught.value.question == 'Which column is the algorithm? The guess is "who".'
    assert caught.value.columns == ["task", "who", "fold", "error"]
    guess = caught.value.guess
    assert read("task,who,fold,error\nx,a,1,0.1\nx,b,1,0.2\n", mapping=guess).algorithms == (
        "a",
        "b",
    )


def test_the_source_may_be_a_path_bytes_or_a_file(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(LONG)
    with path.open("rb") as binary, path.open() as text:
        ways = [path, str(path), LONG.encode(), io.BytesIO(LONG.encode()), binary, text]

        assert all(read_results(way) == read(LONG) for way in ways)
    with pytest.raises(DataError, match="nowhere.csv: The file cannot be read"):
        read_results(tmp_path / "nowhere.csv")
    with pytest.raises(DataError, match="at least one file"):
        read_results()


def test_columns_are_described_as_understood():
    table = describe_columns(COUNTS.encode()).set_index("column")

    assert table["meaning"].to_dict() == {
        "data": "dataset",
        "model": "algorithm",
        "fold": "fold",
        "TP": "tp",
        "FP": "fp",
        "TN": "tn",
        "FN": "fn",
        "train_s": "cost",
    }
    wide = describe_columns(b"set,a,b\nx,0.1,0.2\n")
    assert wide["meaning"].tolist() == ["dataset", "result", "result"]
    assert wide["reason"].tolist()[1] == "the same scale as the adjacent columns"


def test_a_mapping_with_unknown_words_is_refused():
    with pytest.raises(SettingError, match="no role"):
        Mapping(roles={"x": "colour"})
    with pytest.raises(SettingError, match="lower or higher"):
        Mapping(directions={"x": "up"})


@few_examples
@given(long_tables(), st.randoms(use_true_random=False))
def test_order_of_rows_and_columns_changes_nothing(table, random):
    rows, columns = list(table.index), list(table.columns)
    random.shuffle(rows)
    random.shuffle(columns)

    shuffled = table.loc[rows, columns].to_csv(index=False)

    assert read(shuffled) == read(table.to_csv(index=False))


@few_examples
@given(long_tables())
def test_writing_and_reading_back_changes_nothing(table):
    results = read(table.to_csv(index=False))

    assert read(results.to_csv()) == results


def test_counts_and_design_survive_writing():
    declared = COUNTS.replace("train_s\n", "train_s,design\n")
    declared = declared.replace(".5\n", ".5,holdout\n").replace(".7\n", ".7,holdout\n")

    for results, design in [(read(COUNTS), "k-fold"), (read(declared), "holdout")]:
        assert results.design == design
        assert read(results.to_csv()) == results


@given(st.binary(max_size=300))
def test_no_bytes_crash_the_reader(content):
    with suppress(FoldwiseError):
        read_results(("x.csv", content))


@given(
    st.sampled_from([LONG, COUNTS, "set,a,b\nx,0.9,0.8\ny,0.7,0.75\n"]),
    st.lists(st.tuples(st.integers(0, 200), st.sampled_from(list(',;"\n\t\r\0.%-x1') + [""]))),
)
def test_no_damaged_file_crashes_the_reader(text, edits):
    for place, character in edits:
        place %= len(text)
        text = text[:place] + character + text[place + 1 :]
    with suppress(FoldwiseError):
        read(text)


@pytest.mark.parametrize(
    "name", ["loss", "validation_loss", "hingeLoss", "MAPE", "misclassified", "wer", "Fehler"]
)
def test_a_name_that_tells_is_believed(name):
    content = f"algorithm,fold,{name}\na,1,2\na,2,3\nb,1,4\nb,2,6\n".encode()
    results = read_results(content, mapping=Mapping(roles={name: "measure"}))

    assert results.direction(name) == "lower"
    assert not any(note.code == ASSUMED for note in results.notes)


def test_a_measure_whose_name_tells_nothing_is_asked_about():
    content = b"algorithm,fold,speed\na,1,2\na,2,3\nb,1,4\nb,2,6\n"

    with pytest.raises(NeedsMapping, match='measure "speed" needs a direction'):
        read_results(content, mapping=Mapping(roles={"speed": "measure"}))
    for said in (
        Mapping(directions={"speed": "lower"}),
        Mapping(roles={"speed": "measure"}, directions={"speed": "lower"}),
    ):
        assert read_results(content, mapping=said).directions == {"speed": "lower"}


@pytest.mark.parametrize(
    "mapping", [Mapping(roles={"speeed": "measure"}), Mapping(directions={"eror": "lower"})]
)
def test_a_slip_of_the_pen_is_not_passed_over(mapping):
    content = b"algorithm,fold,error\na,1,2\na,2,3\nb,1,4\nb,2,6\n"

    with pytest.raises(SettingError, match="one of algorithm, error and fold"):
        read_results(content, mapping=mapping)


@pytest.mark.parametrize(
    "times", [["fit_time"], ["train_s", "predict_s"], ["fit_time", "score_time"]]
)
@pytest.mark.parametrize("is_first", [False, True])
def test_a_file_of_times_beside_results_holds_their_costs(times, is_first):
    keys = [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    results = "algorithm,fold,accuracy\n" + "".join(f"{a},{n},0.8{n}\n" for a, n in keys)
    costs = f"algorithm,fold,{','.join(times)}\n" + "".join(
        f"{a},{n},{','.join(f'0.{n}{place}7' for place in range(len(times)))}\n" for a, n in keys
    )
    files = [("folds.csv", results.encode()), ("costs.csv", costs.encode())]

    both = read_results(*(files[::-1] if is_first else files))

    assert both.measures == ("accuracy",)
    assert set(both.costs) == set(times)


def test_files_of_times_alone_are_results_or_asked_about():
    def of(scale, *names):
        rows = [
            f"d{d},{n},{','.join(f'{scale * (d + n + i) / 7:.3f}' for i in range(len(names)))}"
            for d in range(3)
            for n in (1, 2)
        ]
        return "\n".join([f"dataset,fold,{','.join(names)}", *rows]).encode()

    one = read_results(("a.csv", of(1, "fit_time")), ("b.csv", of(2, "fit_time")))
    assert (one.measures, one.costs) == (("fit_time",), ())
    names = ("fit_time", "score_time")
    with pytest.raises(NeedsMapping, match='the guess is "fit_time" and "score_time"'):
        read_results(("a.csv", of(1, *names)), ("b.csv", of(2, *names)))
