"""Tests of tables exported from experiment trackers, searches and notebooks, and of tables in papers.

Each table has the structure of a published one, named next to it, but other numbers.
"""

import io
import json

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest

from stats_core import Mapping, NeedsMapping, read_results
from stats_core.io.read import describe_columns, explain
from stats_core.io.text_cells import spread_cells

draw = np.random.default_rng(11)
SETS = ("adult", "iris", "wine", "zoo")


def rate():
    return round(float(draw.uniform(0.6, 0.99)), 4)


def table(header, rows):
    return ("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n").encode()


def asked(name, content):
    with pytest.raises(NeedsMapping) as error:
        read_results((name, content))
    return error.value


def test_settings_of_runs_are_part_of_the_algorithm_if_the_user_says_so():
    # Weights and Biases, one row per run (Bowen-n/GNN-Kernel-Test, wandb_export)
    runs = table(
        "Name,State,Created,model,dataset,bn,batch_size,best_test_acc,best_val_acc",
        [
            (f"{m}_{s}_{b}", "finished", f"2025-01-0{i + 1}", m, s, b, 64, rate(), rate())
            for i, s in enumerate(SETS)
            for m in ("gcn", "sage")
            for b in ("true", "false")
        ],
    )

    error = asked("wandb.csv", runs)

    assert '"bn"' in error.question
    results = read_results(("wandb.csv", runs), mapping=error.guess)
    assert len(results.algorithms) == 4
    assert list(results.measures) == ["best_test_acc"]
    meaning = describe_columns(("wandb.csv", runs)).set_index("column")["reason"]
    assert "validation" in meaning["best_val_acc"]


def test_seeds_of_runs_are_repetitions():
    runs = table(
        "name,state,config.model,config.dataset,config.seed,summary.acc".replace("config.", ""),
        [
            (f"r{m}{s}{i}", "finished", m, s, i, rate())
            for m in "ab"
            for s in SETS
            for i in (1, 2, 3)
        ],
    )

    results = read_results(("runs.csv", runs))

    assert results.algorithms == ("a", "b")
    assert results.n_rows == 24
    assert results.directions == {"accuracy": "higher"}


def test_named_values_in_cells_get_columns_of_their_own():
    # Weights and Biases through its API: columns summary, config, name
    rows = [
        (
            f"run{i}",
            f"\"{{'acc': {rate()}, '_runtime': 3}}\"",
            f"\"{{'model': '{m}', 'seed': {k}}}\"",
        )
        for i, (m, k) in enumerate((m, k) for m in ("rf", "svm") for k in (1, 2, 3, 4))
    ]
    found = explain(("project.csv", table("name,summary,config", rows)))

    assert {"summary.acc", "config.model", "config.seed"} <= set(found.table.frame)
    assert "summary._runtime" not in found.table.frame


def test_runs_that_stand_for_folds_belong_to_the_run_above():
    # MLflow's search_runs (Phyke/AT82.03-ML-Car-Price-Prediction)
    header = "run_id,status,start_time,metrics.val_loss,metrics.avg_loss,params.lr,tags.mlflow.parentRunId,tags.mlflow.runName"
    rows = []
    for parent in ("slow", "fast"):
        rows += [
            (f"{parent}{i}", "FINISHED", f"2025-01-01 0{i}", rate(), "", 0.1, parent, f"Fold-{i}")
            for i in range(3)
        ]
        rows.append((parent, "FINISHED", "2025-01-01 09", "", rate(), 0.1, "", f"Reg-{parent}"))

    results = read_results(("mlflow_runs.csv", table(header, rows)))

    assert results.algorithms == ("Reg-fast", "Reg-slow")
    assert results.n_rows == 6
    assert list(results.directions.values()) == ["lower"]
    assert "nested runs" in [note.code for note in results.notes]


@pytest.mark.parametrize(
    "header", ["number,value,params_lr,params_depth,state", "number,state,val_acc,lr,hidden"]
)
def test_trials_of_a_search_are_no_comparison(header):
    # Optuna's trials_dataframe (yamanishibiz-netizen/signate_titanic, NoDarkNight/csci-e89-hw03)
    cells = {"number": range(12), "state": ["COMPLETE", "PRUNED"] * 6}
    rows = zip(*(cells.get(n, [rate() for _ in range(12)]) for n in header.split(",")), strict=True)

    error = asked("optuna_trials.csv", table(header, rows))

    assert error.about == "nothing"
    assert "12 trials of one hyperparameter search" in str(error)


def test_duels_are_no_scores():
    # battles of an arena (r-irbe/proof-skills, matches)
    rows = [(f"case{i}", "gpt", "claude", "a" if i % 3 else "draw") for i in range(9)]

    error = asked("battles.csv", table("case_id,model_a,model_b,winner", rows))

    assert error.about == "nothing"
    assert "9 paired comparisons" in str(error)


def test_scores_of_folds_in_one_cell_are_folds():
    # HoshenM/AI-Project, cv_results
    rows = [
        (m, rate(), 0.01, "[" + " ".join(str(rate()) for _ in range(5)) + "]")
        for m in ("LogisticRegression", "RandomForest", "SVM")
    ]
    content = table(",CV_Mean,CV_Std,CV_Scores", rows)

    error = asked("cv_results.csv", content)
    results = read_results(
        ("cv_results.csv", content),
        mapping=Mapping(roles=error.guess.roles, directions={"CV_Scores": "higher"}),
    )

    assert results.n_rows == 15
    assert len(results.algorithms) == 3


def test_lists_of_unequal_length_stay():
    found = explain(("x.csv", table("model,fold,acc", [("a", 1, 0.5), ("b", 1, 0.6)])))

    assert spread_cells(found.table)[1] == []


def test_a_setting_beside_the_data_set_is_no_fold():
    # balintbiro/CGR_representation, cv_results
    rows = [
        (rate(), s, level, m)
        for s in SETS
        for level in ("low", "high")
        for m in ("custom", "resnet")
        for _ in range(4)
    ]

    error = asked("cv_results.csv", table("f1,dataset,level,model", rows))

    assert '"level"' in error.question
    assert 'differ in "level"' in error.question
    assert (
        read_results(
            ("cv_results.csv", table("f1,dataset,level,model", rows)), mapping=error.guess
        ).n_rows
        == 64
    )


def test_times_are_compared_where_nothing_else_is():
    # AliyaOrujova/intern-task-1, benchmark_results
    rows = [
        (n, m, n * k * 1e-6)
        for n in (10, 20, 30)
        for k, m in ((1, "merge"), (2, "quick"), (3, "heap"))
    ]

    error = asked("bench.csv", table("size,algorithm,average_time_seconds", rows))
    results = read_results(
        ("bench.csv", table("size,algorithm,average_time_seconds", rows)), mapping=error.guess
    )

    assert len(results.datasets) == 3
    assert results.directions == {"average_time_seconds": "lower"}


def test_deviations_are_no_measures_and_a_constant_name_is_the_algorithm():
    # spreadsheet-research/Metric-based-Fault-Prediction-for-Spreadsheets, comparison, decimal
    # commas
    rows = ["Name;Dataset;Precision Avg.;Precision Std."]
    rows += [f"RandomForestClassifier;{s};0,{80 + i};0,0{i}" for i, s in enumerate(SETS)]

    content = "\n".join(rows).encode()
    results = read_results(
        ("comparison.csv", content), mapping=asked("comparison.csv", content).guess
    )

    assert results.algorithms == ("RandomForestClassifier",)
    assert list(results.measures) == ["Precision Avg."]


def test_a_difference_of_two_columns_is_no_algorithm():
    # UKGovernmentBEIS/inspect_evals, air_bench results
    rows = [(s, a, b, round(b - a, 4)) for s in SETS for a, b in [(rate(), rate())]]

    found = explain(("accuracy.csv", table("set,paper,ours,delta", rows)))

    assert [n for n, role in found.roles.items() if role == "result"] == ["paper", "ours"]


def test_an_algorithm_called_like_a_measure_is_one_of_the_columns():
    # HuseynBagir/ROCKET-INCEPTION-HCF, all_results
    header = "dataset,ROCKET+ppv,ROCKET+mpv,ROCKET+lspv,accuracy_mean,accuracy,base"
    rows = [(s, *(rate() for _ in range(6))) for s in SETS]

    error = asked("all_results.csv", table(header, rows))

    assert len([n for n, role in error.guess.roles.items() if role == "result"]) == 6


HEADERS = [["", "rf", "", "svm", ""], ["dataset", "acc", "f1", "acc", "f1"]]


def two_headers():
    return [*HEADERS, *([s, rate(), rate(), rate(), rate()] for s in SETS)]


def test_merged_cells_of_a_workbook_group_the_columns():
    book = openpyxl.Workbook()
    for row in two_headers():
        book.active.append(row)
    book.active.merge_cells("B1:C1")
    book.active.merge_cells("D1:E1")
    buffer = io.BytesIO()
    book.save(buffer)

    results = read_results(("results.xlsx", buffer.getvalue()))

    assert results.algorithms == ("rf", "svm")
    assert len(results.measures) == 2
    assert "two header rows" in [note.code for note in results.notes]


def test_columns_of_pandas_in_two_levels():
    frame = pd.DataFrame(
        {(m, k): [rate() for _ in SETS] for m in ("rf", "svm") for k in ("acc", "f1")},
        index=pd.Index(SETS, name="dataset"),
    )

    results = read_results(("x.csv", frame.to_csv().encode()))

    assert results.algorithms == ("rf", "svm")
    assert results.datasets == tuple(sorted(SETS))


def test_groups_of_columns_in_latex_and_lines_in_its_cells():
    # colemanyu/time-series-classification-cleavage-paper, results
    lines = [
        rf"\multirow{{2}}{{*}}{{\makecell{{coding {c}\\(enc {c})}}}} & ROCKET & {rate()} & {rate()} \\"
        "\n"
        rf" & Hydra & {rate()} & {rate()} \\"
        for c in (1, 2, 3)
    ]
    text = (
        r"\begin{tabular}{llcc} \toprule & Classifier & \multicolumn{2}{c}{left} \\"
        "\n"
        r"& & Acc & MCC \\ \midrule" + "\n" + "\n".join(lines) + "\n" + r"\end{tabular}"
    )

    results = read_results(("results.tex", text.encode()))

    assert results.algorithms == ("Hydra", "ROCKET")
    assert len(results.datasets) == 3


def test_tables_of_helm():
    # HELM's groups: a header and rows of cells that are objects
    content = {
        "title": "Core",
        "header": [
            {"value": "Model"},
            *({"value": f"{s} - EM", "lower_is_better": False} for s in SETS),
        ],
        "rows": [
            [{"value": m, "href": "x"}, *({"value": rate()} for _ in SETS)]
            for m in ("GPT-4", "Llama 3", "Claude")
        ],
    }

    found = explain(("core.json", json.dumps(content).encode()))

    assert found.taken.layout == "transposed table"
    assert "3 algorithms" in found.sentence


def test_tables_of_pyarrow_are_read_as_those_of_pandas():
    columns = {
        "dataset": [*SETS, *SETS],
        "model": ["a"] * 4 + ["b"] * 4,
        "acc": [rate() for _ in range(8)],
    }

    one, other = read_results(pa.table(columns)), read_results(pd.DataFrame(columns))

    assert one.averages("accuracy").equals(other.averages("accuracy"))
