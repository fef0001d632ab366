"""Tests of the recognition of layouts: tables are read, asked about or refused, and not by names alone.

Each table has the structure of a published one, named next to it, but other numbers.
"""

import numpy as np
import pytest

from stats_core import DataError, Mapping, NeedsMapping, read_results
from stats_core.io.read import describe_columns, explain

SETS = ("adult", "iris", "wine", "zoo", "glass", "car", "vote", "heart")
draw = np.random.default_rng(7)


def table(header, lines):
    return "\n".join([header, *(",".join(map(str, line)) for line in lines)]) + "\n"


def rates(n, low=0.6, high=0.99):
    return tuple(np.round(draw.uniform(low, high, n), 4))


def wide(header, low=0.6, high=0.99, names=SETS):
    return table(header, [(name, *rates(header.count(","), low, high)) for name in names])


TRUE = draw.integers(0, 2, 60)
SCORED = [(i, t, *np.round(0.4 * t + 0.5 * draw.random(2), 4)) for i, t in enumerate(TRUE)]
LABELLED = [
    (
        *("dog" if (t if draw.random() < 0.8 else 1 - t) else "cat" for _ in range(2)),
        "cat dog".split()[t],
    )
    for t in TRUE
]
ANSWERS = [
    (f"q{i}", model, "exam", answer, right, int(answer == right))
    for model in ("llama", "qwen", "gemma")
    for i, right in enumerate("ABCD" * 8)
    for answer in ["ABCD"[("ABCD".index(right) + (i * len(model) % 5 == 0)) % 4]]
]

NUMBERS = np.random.default_rng(3).normal(20, 4, size=(40, 3)) @ [
    [1, 0.9, 0.8],
    [0, 0.1, 0],
    [0, 0, 0.2],
]
OF_NUMBERS = {"rmse": "lower", "mae": "lower", "r2": "higher", "medae": "lower"}

# name of the file, its text, algorithms, number of data sets, some measures with directions
READ = {
    "predicted numbers in columns named as predictions": (
        "sales.csv",
        table(
            "Date,Actual,ARIMA_pred,KNN_pred",
            [(f"d{i}", *np.round(10 * draw.random(3), 3)) for i in range(30)],
        ),
        ("ARIMA", "KNN"),
        1,
        OF_NUMBERS,
    ),
    "predicted numbers close to the true ones": (
        "sales.csv",
        table("id,y,rf,ridge", [(i, *np.round(row, 3)) for i, row in enumerate(NUMBERS)]),
        ("rf", "ridge"),
        1,
        OF_NUMBERS,
    ),
    "fractions predicted for grades": (
        "wine.csv",
        table(
            "id,y,rf,ridge",
            [(i, int(row[0] / 4), *np.round(row[1:] / 4, 2)) for i, row in enumerate(NUMBERS)],
        ),
        ("rf", "ridge"),
        1,
        OF_NUMBERS,
    ),
    "predicted numbers in rows": (
        "sales.csv",
        table(
            "model,fold,case,true,pred",
            [
                (m, i % 4, i, *np.round(row[[0, j]], 2))
                for j, m in enumerate("ab", 1)
                for i, row in enumerate(NUMBERS)
            ],
        ),
        ("a", "b"),
        1,
        OF_NUMBERS,
    ),
    "a lone FP is a name (tsml-eval, table_c4)": (
        "accuracy.csv",
        wide("set,HC2,FP,RDST"),
        ("FP", "HC2", "RDST"),
        8,
        {"accuracy": "higher"},
    ),
    "names like costs (InceptionTime, svmRadialCost, yolov8_s)": (
        "auc.csv",
        wide("set,InceptionTime,TimesNet,svmRadialCost,yolov8_s"),
        ("InceptionTime", "svmRadialCost", "TimesNet", "yolov8_s"),
        8,
        {"auc": "higher"},
    ),
    "times, from the file name": (
        "fit_times.csv",
        wide("set,rf,svm", 0.01, 900),
        ("rf", "svm"),
        8,
        {"time": "lower"},
    ),
    "sizes beside results": (
        "acc.csv",
        table(
            "domain,set,ts_len,rf,svm",
            [("ab"[i % 2], s, 100 * i + 7, *rates(2)) for i, s in enumerate(SETS)],
        ),
        ("rf", "svm"),
        8,
        {"accuracy": "higher"},
    ),
    "four rows a data set are folds (jwainer/bbtcomp, ll.csv)": (
        "acc.csv",
        table("db,rf,svm", [(s, *rates(2)) for s in SETS for _ in range(4)]),
        ("rf", "svm"),
        8,
        {"accuracy": "higher"},
    ),
    "caret's resamples": (
        "resamples.csv",
        table(
            "Resample,rf~Accuracy,rf~Kappa,svm~Accuracy,svm~Kappa",
            [(f"Fold{i:02d}", *rates(4)) for i in range(1, 11)],
        ),
        ("rf", "svm"),
        1,
        {"accuracy": "higher", "kappa": "higher"},
    ),
    "tidymodels' metrics": (
        "metrics.csv",
        table(
            "wflow_id,id,.metric,.estimator,.estimate",
            [
                (m, f"Fold{i}", k, "binary", rates(1)[0])
                for m in ("glm", "rf")
                for i in range(1, 6)
                for k in ("accuracy", "roc_auc")
            ],
        ),
        ("glm", "rf"),
        1,
        {"accuracy": "higher", "auc": "higher"},
    ),
    "mlr3's benchmark": (
        "bmr.csv",
        table(
            "nr,task_id,learner_id,iteration,classif.acc",
            [
                (1, s, m, i, rates(1)[0])
                for s in SETS
                for m in ("ranger", "rpart")
                for i in range(1, 4)
            ],
        ),
        ("ranger", "rpart"),
        8,
        {"classif.acc": "higher"},
    ),
    "TabArena's results": (
        "results.csv",
        table(
            "dataset,fold,method,metric_error,time_train_s,metric",
            [
                (s, f, m, rates(1)[0], 2, "auc")
                for s in SETS
                for f in (0, 1)
                for m in ("CAT", "GBM")
            ],
        ),
        ("CAT", "GBM"),
        8,
        {"metric_error": "lower"},
    ),
    "train and test accuracy": (
        "r.csv",
        table(
            "dataset,model,train_acc,test_acc",
            [(s, m, 1.0, rates(1)[0]) for s in SETS for m in ("a", "b")],
        ),
        ("a", "b"),
        8,
        {"test_acc": "higher"},
    ),
    "one row per metric, data sets called instances (jMetal/SAES)": (
        "ml.csv",
        table(
            "Algorithm,Instance,MetricName,ExecutionId,MetricValue",
            [
                (m, s, k, i, rates(1)[0])
                for m in ("SVM", "kNN")
                for s in SETS[:3]
                for k in ("accuracy", "loss")
                for i in (1, 2)
            ],
        ),
        ("kNN", "SVM"),
        3,
        {"accuracy": "higher", "loss": "lower"},
    ),
    "scores of two models beside the truth": (
        "preds.csv",
        table("id,y,model_a,model_b", SCORED),
        ("model_a", "model_b"),
        1,
        {"auc": "higher"},
    ),
    "labels of two models, no case named (CompStats)": (
        "preds.csv",
        table("BoW,Dense,y", LABELLED),
        ("BoW", "Dense"),
        1,
        {"accuracy": "higher"},
    ),
    "seeds in rows, tasks in columns (tables of reinforcement learning)": (
        "accuracy.csv",
        table(
            "algorithm,seed,hop,run", [(m, s, *rates(2)) for m in ("sac", "td3") for s in (1, 2)]
        ),
        ("sac", "td3"),
        2,
        {"accuracy": "higher"},
    ),
    "a few small percentages": (
        "accuracy.csv",
        wide("set,rf,svm", 40, 99) + "hard,0.8,1.2\n",
        ("rf", "svm"),
        9,
        {"accuracy": "higher"},
    ),
}

READ["a column of another range among unbounded results"] = (
    "rmse.csv",
    table("set,a,b,c", [(s, i + 1.5, i + 2, 9 - i) for i, s in enumerate(SETS)]),
    ("a", "b", "c"),
    8,
    {"rmse": "lower"},
)

# name of the file, its text, about what, number of algorithms of the guess (0: it cannot be read
# yet)
ASKED = {
    "predicted numbers without names": (
        "sales.csv",
        table(
            "regressor,house,kwh,forecast",
            [
                (m, f"h{i}", *np.round(row[[0, j]], 2))
                for j, m in enumerate("ab", 1)
                for i, row in enumerate(NUMBERS)
            ],
        ),
        "columns",
        2,
    ),
    "what the numbers are": ("x.csv", wide("set,rf,svm", 1, 900), "direction", 0),
    "ranks (openml/automlbenchmark, tasks_leaderboard)": (
        "x.csv",
        table("task,a,b,c", [(s, *draw.permutation([1, 2, 3])) for s in SETS]),
        "direction",
        3,
    ),
    "rows or columns": (
        "acc.csv",
        wide(",iris,wine,zoo", names=("Random Forest", "SVM", "kNN")),
        "columns",
        3,
    ),
    "a leaderboard of models by tasks (LiveBench)": (
        "t.csv",
        wide("model,AMPS,cta,plot", names=("m1", "m2", "m3")),
        "direction",
        3,
    ),
    "seeds in rows, columns that nothing names as tasks or measures": (
        "runs.csv",
        table("algorithm,seed,a,b", [(m, s, *rates(2)) for m in ("sac", "td3") for s in (1, 2)]),
        "direction",
        2,
    ),
    "rows of cross_validate below one another": (
        "r.csv",
        table("fit_time,test_accuracy,model", [(1, *rates(1), m) for m in "ab" for _ in range(5)]),
        "rows",
        2,
    ),
    "a factor beside the algorithm (exreport)": (
        "r.csv",
        table(
            "method,problem,filter,fold,accuracy",
            [
                (m, s, k, f, *rates(1))
                for m in "ab"
                for s in SETS
                for k in ("no", "yes")
                for f in (1, 2)
            ],
        ),
        "columns",
        4,
    ),
    "levels of noise (srbench)": (
        "r.csv",
        table(
            "algorithm,dataset,noise,rmse",
            [(m, s, k, *rates(1)) for m in "ab" for s in SETS for k in (0.0, 0.1)],
        ),
        "columns",
        2,
    ),
    "answers in another language": (
        "r.csv",
        table("questao,modelo,prova,alternativa,gabarito,acertou", ANSWERS),
        "columns",
        3,
    ),
}

# its text, what is said of it
REFUSED = {
    "a finished test": (
        table("first,second,p_value,significant", [("a", "b", 0.1, False)] * 3),
        "output of a test",
    ),
    "epochs (Keras)": (
        table(
            "epoch,loss,acc,val_loss,val_acc",
            [(i, 1 / (i + 1), *rates(1), 1 / (i + 2), *rates(1)) for i in range(30)],
        ),
        "counts up, so this is a training curve",
    ),
    "epochs of two models": (
        table(
            "model,epoch,val_loss,val_acc",
            [(m, e, 1 / (e + 1), 1 - 1 / (e + 2)) for m in "ab" for e in range(20)],
        ),
        "counts up",
    ),
    "one number per model and measure (H2O)": (
        table("model_id,auc,logloss,rmse", [(f"m{i}", *rates(3)) for i in range(5)]),
        "nothing can be tested",
    ),
    "training data": (
        table(
            "age,chol,sex,target",
            [(30 + i % 40, 150 + 7 * i % 90, i % 2, int(i % 3 == 0)) for i in range(60)],
        ),
        "looks like training data",
    ),
    "properties of data sets": (
        table(
            "set,n_instances,n_features,n_classes",
            [(s, 100 + i, 4 + i, 2) for i, s in enumerate(SETS)],
        ),
        "properties of data sets",
    ),
    "labels without the truth (Kaggle)": (
        table("PassengerId,Survived", [(900 + i, i % 2) for i in range(40)]),
        "only one label per instance",
    ),
    "a matrix of similarities": (
        table(",a,b,c", [("a", 1, 0.3, 0.2), ("b", 0.3, 1, 0.5), ("c", 0.2, 0.5, 1)]),
        "same names",
    ),
    "two measures mixed by rows": (
        table(
            "type,task,a,b",
            [
                (
                    "binary" if i < 4 else "multi",
                    s,
                    *rates(2, *((0.5, 0.99) if i < 4 else (0.4, 6.0))),
                )
                for i, s in enumerate(SETS)
            ],
        ),
        "different measures",
    ),
    "one algorithm in resamples (tsml)": (
        table("Resamples:,0,1,2,3", [(s, *rates(4)) for s in SETS]),
        "only one algorithm",
    ),
}


def read(name, text, **options):
    return read_results((name, text.encode()), **options)


@pytest.mark.parametrize(("name", "text", "algorithms", "sets", "ways"), READ.values(), ids=READ)
def test_what_the_table_tells_is_read(name, text, algorithms, sets, ways):
    results = read(name, text)

    assert results.algorithms == algorithms
    assert len(results.datasets) == sets
    assert ways.items() <= results.directions.items()


WHOLE = [
    (m, i, *row[[0, j]].astype(int)) for j, m in enumerate("ab", 1) for i, row in enumerate(NUMBERS)
]


def test_whole_numbers_may_be_class_labels():
    text = table("model,case,true,pred", WHOLE)
    with pytest.raises(NeedsMapping, match="seldom the same") as asked:
        read("counts.csv", text)

    (_, as_numbers), (_, as_labels) = asked.value.options
    assert dict(read("counts.csv", text, mapping=as_numbers).directions) == OF_NUMBERS
    assert "rmse" not in read("counts.csv", text, mapping=as_labels).directions


def test_whole_numbers_that_are_often_equal_are_class_labels():
    text = table(
        "model,case,true,pred", [(m, i, t, p if i % 5 == 0 else t) for m, i, t, p in WHOLE]
    )
    assert "rmse" not in read("letters.csv", text).directions


def test_a_text_among_predicted_numbers_is_a_problem():
    text = table(
        "model,case,true,pred",
        [("a", i, row[0], "high" if i == 7 else row[1]) for i, row in enumerate(NUMBERS)],
    )
    with pytest.raises(DataError, match='row 9.*"high"'):
        read("sales.csv", text)


@pytest.mark.parametrize(("name", "text", "about", "algorithms"), ASKED.values(), ids=ASKED)
def test_one_question_is_asked_and_its_guess_is_right(name, text, about, algorithms):
    with pytest.raises(NeedsMapping) as asked:
        read(name, text)

    assert asked.value.about == about
    assert "?" in asked.value.question
    if not algorithms:
        with pytest.raises(NeedsMapping, match="needs (the .*|a )direction"):
            read(name, text, mapping=asked.value.guess)
        return
    results = read(name, text, mapping=asked.value.guess)
    assert len(results.algorithms) == algorithms


@pytest.mark.parametrize(("text", "said"), REFUSED.values(), ids=REFUSED)
def test_what_holds_no_results_is_refused_with_the_reason(text, said):
    with pytest.raises(NeedsMapping, match=said) as refused:
        read("file.csv", text)

    assert refused.value.about == "nothing"


def test_ranks_are_lower_once_they_are_said_to_be_ranks():
    name, text, *_ = ASKED["ranks (openml/automlbenchmark, tasks_leaderboard)"]
    with pytest.raises(NeedsMapping, match="contains the ranks") as asked:
        read(name, text)

    assert read(name, text, mapping=asked.value.guess).directions == {"rank": "lower"}


def test_files_of_one_algorithm_each_make_one_table():
    """As published by tsml and aeon: one file per algorithm and measure, with resamples in columns."""
    files = [
        (
            f"{name}_{measure}.csv",
            table("Resamples:,0,1,2", [(s, *rates(3)) for s in SETS]).encode(),
        )
        for name in ("HC2", "FreshPRINCE")
        for measure in ("accuracy", "logloss")
    ]
    results = read_results(*files)

    assert results.algorithms == ("FreshPRINCE", "HC2")
    assert results.directions == {"accuracy": "higher", "logloss": "lower"}
    assert results.matrix("iris", "accuracy").shape == (3, 2)


def test_both_ways_to_read_are_offered():
    name, text, *_ = ASKED["rows or columns"]
    with pytest.raises(NeedsMapping) as asked:
        read(name, text)

    found = {read(name, text, mapping=way).algorithms for _, way in asked.value.options}
    assert found == {("iris", "wine", "zoo"), ("kNN", "Random Forest", "SVM")}


def test_every_column_has_a_role_and_a_reason():
    _, text, *_ = READ["sizes beside results"]
    columns = describe_columns(("acc.csv", text.encode())).set_index("column")

    assert columns["meaning"].to_dict() == {
        "domain": "group",
        "set": "dataset",
        "ts_len": "group",
        "rf": "result",
        "svm": "result",
    }
    assert (columns["reason"] != "").all()
    assert "a different scale" in columns.at["ts_len", "reason"]


def test_any_role_can_be_said():
    _, text, *_ = READ["sizes beside results"]
    said = Mapping(roles={"ts_len": "result"}, measure_name="x", directions={"x": "lower"})
    with pytest.raises(NeedsMapping):
        read("acc.csv", text, mapping=said)  # one algorithm alone is no wide table

    both = Mapping(
        roles={"svm": "ignore", "ts_len": "result", "rf": "result"},
        measure_name="x",
        directions={"x": "lower"},
    )
    assert read("acc.csv", text, mapping=both).algorithms == ("rf", "ts_len")


def test_named_repetitions_and_folds_are_no_data_sets():
    """As of tidymodels' `collect_metrics(summarize = FALSE)`."""
    keys = [(m, f"Repeat{r}", f"Fold{f}") for m in "ab" for r in (1, 2, 3) for f in range(1, 6)]
    rows = [(*key, round(0.8 + 0.01 * np.sin(7 * i), 4)) for i, key in enumerate(keys)]
    for columns in ((0, 1, 2, 3), (0, 2, 1, 3)):
        lines = [",".join(str(row[i]) for i in columns) for row in rows]
        results = read("m.csv", "\n".join(["wflow_id,id,id2,accuracy", *lines]))
        assert len(results.datasets) == 1
        assert results.design_label == "3 × 5-fold cross-validation"


@pytest.mark.parametrize("date", ["2024-{:02d}", "2024-{:02d}-15"])
def test_dates_are_folds_of_one_series_and_no_data_sets(date):
    """As of backtests, in which a window has one date, and perhaps a number."""
    keys = [(m, f, date.format(f + 1)) for m in ("naive", "ets") for f in range(8)]
    rows = [(*key, round(0.1 + 0.01 * np.sin(5 * i), 4)) for i, key in enumerate(keys)]
    lines = [f"{m},{f},{cutoff},{error}" for m, f, cutoff, error in rows]
    assert read("b.csv", "\n".join(["model,fold,cutoff,mae", *lines])).datasets == ("b",)

    lines = [f"{m},{cutoff},{error}" for m, f, cutoff, error in rows]
    with pytest.raises(NeedsMapping) as asked:
        read("b.csv", "\n".join(["model,cutoff,mae", *lines]))
    assert asked.value.guess.roles["cutoff"] == "fold"


def test_the_evidence_is_told():
    found = explain(("acc.csv", READ["a lone FP is a name (tsml-eval, table_c4)"][1].encode()))

    assert found.sentence == (
        "One column per algorithm: 3 algorithms (HC2, FP and RDST) on 8 data sets named in the column set "
        "(adult, iris, wine and 5 others). Measure: accuracy (higher is better)."
    )
    assert any("share one scale" in str(one.note) for one in found.evidence)


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_rows_and_columns_tells_nothing(seed):
    """Rows and columns of these tables may be in any order."""
    some = np.random.default_rng(seed)
    for key in ("train and test accuracy", "scores of two models beside the truth"):
        name, text, *_ = READ[key]
        lines = [line.split(",") for line in text.splitlines()]
        columns = some.permutation(len(lines[0]))
        rows = [0, *(1 + some.permutation(len(lines) - 1))]
        mixed = "\n".join(",".join(lines[r][c] for c in columns) for r in rows) + "\n"

        assert (
            read(name, mixed)
            .averages("auc" if "id" in text[:3] else "test_acc")
            .equals(read(name, text).averages("auc" if "id" in text[:3] else "test_acc"))
        )


def test_the_question_names_what_would_be_compared():
    text = "model,taskA,taskB\nbig-7b,70,80\nsmall-1b,20,90\ntiny,10,11\nmid-3b,50,60\nold,30,31\n"
    with pytest.raises(NeedsMapping, match=r"big-7b has the highest average, and tiny the lowest"):
        read_results(("table.csv", text.encode()))


def scored(won, scale=20, shift=0.0, lost=()):
    """Return a CSV of 20 cases, labels by two models, and a column whose positives win `won` of 100 pairs."""
    truth = [1] * 10 + [0] * 10
    below = [won // 10 + (i < won % 10) for i in range(10)]  # negatives under each positive
    values = [n + 0.5 + i / 100 for i, n in enumerate(below)] + [i + 1.0 for i in range(10)]
    cells = ["" if i in lost else f"{v / scale + shift:.4f}" for i, v in enumerate(values)]
    said = [(t if i % 5 else 1 - t, t if i % 4 else 1 - t) for i, t in enumerate(truth)]
    rows = zip(range(20), truth, said, cells, strict=True)
    return table("case,true,rf,svm,x3", [(i, t, *both, cell) for i, t, both, cell in rows])


def stepped(value):
    """Return a CSV of 9 cases, two models without errors, and a column of few values."""
    return table("case,true,rf,svm,x3", [(i, *[i % 2] * 3, value(i) / 5) for i in range(9)])


def rare(positives, lost):
    """Return a CSV of 20 cases, the first `positives` positive, two models without errors, and an increasing column."""
    rows = [(i, *[int(i < positives)] * 3, "" if i < lost else i / 20) for i in range(20)]
    return table("case,true,rf,svm,x3", rows)


def test_a_column_is_a_score_where_it_goes_with_two_classes():
    columns = {
        "apart": scored(61),
        "as chance may have it": scored(60),
        "apart the other way round": scored(39),
        "as chance may have it the other way round": scored(40),
        "from 0": scored(100, scale=11, shift=-1 / 11),
        "to 1": scored(0, scale=10),
        "decision values": scored(90, shift=-0.3),
        "above 1": scored(90, shift=1.0),
        "from 0 to above 1": scored(100, scale=5, shift=-0.2),
        "below 0": scored(90, shift=-2.0),
        "to 0": scored(0, scale=10, shift=-1),
        "two missing": scored(90, lost=(0, 19)),
        "three missing": scored(90, lost=(0, 1, 19)),
        "one positive": rare(1, 0),
        "no positive known": rare(2, 2),
        "two values": stepped(lambda i: i % 2),
        "three values": stepped(lambda i: i % 2 * (1 + (i > 4))),
    }
    found = {name: explain(("cases.csv", text.encode())) for name, text in columns.items()}

    assert [name for name in columns if found[name].roles["x3"] == "result"] == [
        *("apart", "apart the other way round", "from 0", "to 1", "decision values"),
        *("two missing", "one positive", "three values"),
    ]


def test_german_headers_need_no_mapping():
    rows = [
        f"{dataset};{name};{run};{fold};0,{run}{fold}{level}"
        for dataset in ("Iris", "Wein")
        for level, name in enumerate(("Entscheidungsbaum", "SVM"))
        for run in (1, 2)
        for fold in (1, 2, 3)
    ]
    table = "\n".join(["Datensatz;Verfahren;Wiederholung;Fold;Fehler", *rows])

    results = read_results(("ergebnisse.csv", table.encode()))

    assert results.algorithms == ("Entscheidungsbaum", "SVM")
    assert results.datasets == ("Iris", "Wein")
    assert results.direction("Fehler") == "lower"
    assert results.design_of("Iris") == "r x k-fold"
