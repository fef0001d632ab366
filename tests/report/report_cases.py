"""Analyses of each kind, made from samples, for tests of reports."""

from functools import cache

import numpy as np
import pandas as pd

from stats_core.comparison.analyse import analyse
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from stats_core.ordering.order import order_of
from stats_core.report.tables.table import ResultTable
from tests.samples import SAMPLES, shipped

TOGETHER = ("fpr", "tpr")
# kind -> (sample, settings); "order" in the name: the algorithms are put in order, too
KINDS = {
    "ranks": ("garcia_herrera_2008_accuracy.csv", Settings()),
    "ranks by Nemenyi": ("garcia_herrera_2008_accuracy.csv", Settings(correction="nemenyi")),
    "ranks by Wilcoxon": (
        "garcia_herrera_2008_accuracy.csv",
        Settings(source="wilcoxon", correction="holm", without_datasets=("Autos",)),
    ),
    "ranks unadjusted": (
        "garcia_herrera_2008_accuracy.csv",
        Settings(correction="none", alpha=0.01),
    ),
    "ranks with folds, order": ("uci38_5x2.csv", Settings()),
    "present": ("holes", Settings()),
    "present by sign test": ("holes", Settings(source="sign", correction="hommel")),
    "control": ("garcia_herrera_2008_accuracy.csv", Settings(control="CN2")),
    "control by Li": ("garcia_herrera_2008_accuracy.csv", Settings(control="CN2", correction="li")),
    "two": ("garcia_herrera_2008_accuracy.csv", Settings(pair=("C4.5", "CN2"))),
    "folds, order": ("twoclass_counts.csv", Settings(dataset="pima")),
    "folds 5x2": ("uci38_5x2.csv", Settings(dataset="zoo")),
    "folds by Tukey": ("uci38_5x2.csv", Settings(dataset="zoo", test="Tukey")),
    "folds by F": ("uci38_5x2.csv", Settings(dataset="zoo", test="5x2 cv F", correction="shaffer")),
    "folds by Wilcoxon": ("uci38_5x2.csv", Settings(dataset="zoo", test="Wilcoxon")),
    "folds of one test set": ("thesis_counts.csv", Settings(dataset="ada")),
    "folds of four classes": ("vehicle_scores.csv.gz", Settings(measure="logloss")),
    "folds of regression": ("heart_regression.csv", Settings()),
    "pair on folds": (
        "twoclass_counts.csv",
        Settings(dataset="pima", pair=("Random forest", "Decision tree")),
    ),
    "pair 5x2": ("uci38_5x2.csv", Settings(dataset="zoo", pair=("5-NN", "Multivariate tree"))),
    "pair by F": (
        "uci38_5x2.csv",
        Settings(dataset="zoo", pair=("5-NN", "Multivariate tree"), test="5x2 cv F"),
    ),
    "pair on measures": (
        "twoclass_counts.csv",
        Settings(dataset="pima", measures=TOGETHER, pair=("Random forest", "Decision tree")),
    ),
    "several on measures": (
        "twoclass_counts.csv",
        Settings(dataset="pima", measures=("tp", "fp", "tn", "fn")),
    ),
    "wins": ("thesis_counts.csv", Settings(measures=TOGETHER)),
    "wins limited": ("twoclass_counts.csv", Settings(measures=("tp", "fp"), correction="none")),
    "wins of two": (
        "twoclass_counts.csv",
        Settings(measures=TOGETHER, pair=("Random forest", "Decision tree")),
    ),
    "thresholds": ("twoclass_scores.csv.gz", Settings(thresholds=True)),
    "thresholds of two": (
        "twoclass_scores.csv.gz",
        Settings(thresholds=True, pair=("LDA", "SVM (degree 2)"), alpha=0.3),
    ),
    "cases": ("cases", Settings()),
    "cases against a control": ("cases", Settings(control="b")),
    "cases of two": ("cases", Settings(pair=("a", "b"))),
    "cases of four classes": (
        "vehicle_scores.csv.gz without folds",
        Settings(measure="macro_f1", pair=("Neural network", "Logistic regression")),
    ),
    "cases of regression": ("heart_regression.csv without folds", Settings()),
    "trainings": ("trainings", Settings()),
    "trainings of two": ("trainings", Settings(pair=("a", "b"))),
    "benchmarks": ("benchmarks", Settings()),
    "benchmarks of two": ("benchmarks", Settings(pair=("a", "b"))),
    "benchmarks against a control": ("benchmarks", Settings(control="b")),
    "benchmarks, sizes decide": ("benchmarks that differ", Settings()),
    "benchmarks of scores": ("scores of benchmarks", Settings(measure="score")),
    "untested": ("garcia_herrera_2008_accuracy.csv", Settings(dataset="Autos")),
    "one algorithm": (
        "garcia_herrera_2008_accuracy.csv",
        Settings(without_algorithms=("C4.5", "CN2", "Kernel", "1-NN")),
    ),
    "published ranks": ("published ranks", Settings()),
    "published ranks by Nemenyi": ("published ranks", Settings(correction="nemenyi")),
    "published wins": ("published wins", Settings()),
    "published wins of two": ("published wins", Settings(pair=("svm", "nb"))),
    "published decisions": ("published decisions", Settings()),
    "published differences": ("published differences", Settings()),
}
# what a paper may print instead of results
PUBLISHED = {
    "published ranks": (
        "algorithm,average rank,datasets\nsvm,1.5,20\nrf,1.7,20\nnb,3.05,20\n1nn,3.75,20\n"
    ),
    "published wins": (
        "row beats column,svm,rf,nb\nsvm,,9/3/8,17/1/2\nrf,8/3/9,,15/2/3\nnb,2/1/17,3/2/15,\n"
    ),
    "published decisions": "row beats column,svm,rf,nb\nsvm,0,0,1\nrf,0,0,1\nnb,0,0,0\n",
    "published differences": "differ,svm,rf,nb\nsvm,0,0,1\nrf,0,0,1\nnb,1,1,0\n",
}
HOSTILE = (
    r"\input{/etc/passwd}",
    "<script>alert(1)</script>",
    "{{ 7 * 7 }} {% raw %}",
    "随机森林",
    "支持向量机",
    "β_2 & 100% $x^2$ #~",
    "average rank",
    "gradient_boosting_with_a_very_long_name_that_fits_no_column_at_all",
)


@cache
def read(name):
    """Return the results of a sample, or of a generated or published table, by name."""
    if name in PUBLISHED:
        return read_results((f"{name}.csv", PUBLISHED[name].encode()))
    if name == "cases":  # a is wrong on two of them, b and c on twelve and thirteen
        return predictions(a=range(2), b=range(12), c=range(1, 14))
    if name == "trainings":  # the same after five trainings, each with two errors of its own
        return trainings(a=range(2), b=range(12), c=range(1, 14))
    if name == "benchmarks":
        return benchmarks({"x": (60, 90, 70, 75), "y": (160, 190, 150, 155)}, (100, 200))
    if name == "benchmarks that differ":  # a is better on the larger one only
        return benchmarks({"x": (160, 110), "y": (20, 40)}, (200, 50))
    if name == "scores of benchmarks":
        return scores_of_benchmarks()
    if name.endswith(" without folds"):  # as if all instances were one test set
        name = name.removesuffix(" without folds")
        table = pd.read_csv(SAMPLES / name, dtype=str).drop(columns="fold")
        return read_results((name.removesuffix(".gz"), table.to_csv(index=False).encode()))
    if name == "holes":
        return with_holes().resolve("present")
    return shipped(name)


def benchmarks(right, sizes):
    """Return answers of models on several benchmarks, as many right ones of each model as given."""
    rng, tables = np.random.default_rng(8), []
    for (name, numbers), n in zip(right.items(), sizes, strict=True):
        for model, number in zip("abcd", numbers, strict=False):
            answers = rng.permutation(n) < number
            rows = {"dataset": name, "model": model, "correct": answers.astype(int)}
            tables.append(pd.DataFrame(rows).assign(question_id=[f"{name}{i}" for i in range(n)]))
    return read_results(("marks.csv", pd.concat(tables).to_csv(index=False).encode()))


def scores_of_benchmarks():
    """Return graded scores of three models on the instances of two benchmarks."""
    rng, tables = np.random.default_rng(9), []
    for name, n in {"x": 12, "y": 30}.items():
        hard = rng.normal(size=n)
        for place, model in enumerate("abc"):
            score = hard + 0.5 * place + 0.3 * rng.normal(size=n)
            rows = {"dataset": name, "model": model, "score": score}
            tables.append(pd.DataFrame(rows).assign(question_id=[f"{name}{i}" for i in range(n)]))
    mapping = Mapping(directions={"score": "higher"})
    return read_results(
        ("scores.csv", pd.concat(tables).to_csv(index=False).encode()), mapping=mapping
    )


def with_holes():
    """Return results of four algorithms on 14 data sets of 3 folds; b and c lack some."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        [
            (f"d{i}", name, fold, 0.3 + 0.02 * place + 0.02 * rng.normal())
            for i in range(14)
            for place, name in enumerate("abcd")
            for fold in range(3)
        ],
        columns=["dataset", "algorithm", "fold", "error"],
    )
    lost = (table["algorithm"] == "b") & table["dataset"].isin(["d1", "d2", "d5"])
    table.loc[lost & (table["fold"] > 0), "error"] = np.nan
    lost = (table["algorithm"] == "c") & table["dataset"].isin(["d2", "d7"])
    return Results.from_frame(table[~lost])


def trainings(**wrong):
    """Return predictions of five training runs on 40 cases of one test set, with one more error in each run."""
    runs = [
        table_of_predictions(
            {n: [*cases, 15 + 3 * fold + len(cases) % 3] for n, cases in wrong.items()}
        ).assign(fold=fold)
        for fold in range(1, 6)
    ]
    return read_results(("d.csv", pd.concat(runs).to_csv(index=False).encode()))


def predictions(**wrong):
    """Return predictions on 40 cases of one test set; each model is wrong on the given cases."""
    return read_results(("d.csv", table_of_predictions(wrong).to_csv(index=False).encode()))


def table_of_predictions(wrong):
    """Return a table of predictions on 40 cases; each model is wrong on the given cases."""
    true = np.tile([0, 1], 20)
    runs = []
    for name, cases in wrong.items():
        said = true.copy()
        said[list(cases)] = 1 - said[list(cases)]
        runs.append(
            pd.DataFrame(
                {
                    "dataset": "d",
                    "algorithm": name,
                    "instance": range(40),
                    "true": true,
                    "predicted": said,
                }
            )
        )
    return pd.concat(runs)


def tables_in(report):
    """Return the tables of a report, in order."""
    return [
        node for section in report.page for node in section.nodes if isinstance(node, ResultTable)
    ]


@cache
def case(kind):
    """Return an analysis of a kind, and its order or None."""
    name, settings = KINDS[kind]
    analysis = analyse(read(name), settings)
    return analysis, order_of(analysis.results, settings) if "order" in kind else None


@cache
def hostile(n_algorithms=8, n_sets=8, n_folds=1):
    """Return results whose algorithms and data sets have names with markup and special characters."""
    rng = np.random.default_rng(8)
    rows = [
        (
            dataset,
            algorithm,
            fold,
            0.05 * place + 0.02 * rng.random(),
            0.5 * rng.random(),
            1 + place,
        )
        for dataset in HOSTILE[::-1][:n_sets]
        for place, algorithm in enumerate(HOSTILE[:n_algorithms])
        for fold in range(1, n_folds + 1)
    ]
    names = ["dataset", "algorithm", "fold", "err_%", "<i>other</i>", "cost_$"]
    table = pd.DataFrame(rows, columns=names)
    return Results.from_frame(
        table, costs=["cost_$"], directions=dict.fromkeys(names[3:5], "lower")
    )
