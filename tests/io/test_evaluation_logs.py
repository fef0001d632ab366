"""Logs of language-model evaluations: lm-evaluation-harness, Inspect and SWE-bench; the files are of our own making."""

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.core.errors import DataError
from stats_core.data.settings import Settings
from stats_core.io.read import describe_columns, read_results

TIMES = {"org/a": "2024-05-01T10-00-00.1", "b": "2024-05-02T11-00-00.2"}
N = 24
RIGHT = {
    (model, task): np.random.default_rng(i).random(N) < 0.4 + 0.1 * i
    for i, (model, task) in enumerate([(m, t) for m in TIMES for t in ("arc", "gsm8k", "squad")])
}


def samples(model, task, *, filters=("none",), measures=("acc",), skipped=()):
    """Return one line per item and filter, in another order for each model."""
    records = [
        {
            "doc_id": i,
            "doc": {"question": f"{task}\u2028{i}?", "passage": f"{i // 2} " * 100},
            "arguments": {"gen_args_0": {"arg_0": "x" * 200_000 if i == 0 else "x"}},
            "filter": name,
            "metrics": list(measures),
            **{
                m: [-3.5, 7] if m == "ppl" else bool(RIGHT[model, task][i] ^ (k + j))
                for j, m in enumerate(measures)
            },
        }
        for k, name in enumerate(filters)
        for i in range(N)
        if i not in skipped
    ]
    order = np.random.default_rng(len(model)).permutation(len(records))
    return "\n".join(json.dumps(records[i], ensure_ascii=False) for i in order).encode()


def averages(model, better):
    """Return the results of lm-evaluation-harness, with a group of tasks."""
    scores = {
        "acc,none": 0.5 + 0.1 * len(model),
        "acc_stderr,none": 0.1,
        "odd,none": 2.0 + len(model),
    }
    return json.dumps(
        {
            "results": {"arc": scores, "gsm8k": {**scores, "acc,none": 0.3}, "all": scores},
            "group_subtasks": {"all": ["arc", "gsm8k"], "arc": []},
            "higher_is_better": {"arc": {"acc": True, "odd": better}, "gsm8k": {"acc": True}},
            "config": {"model": "hf", "model_args": f"pretrained={model},dtype=float16"},
            "model_name": model,
        }
    ).encode()


def name_of(task, model):
    return f"samples_{task}_{TIMES[model]}.jsonl"


def packed(files):
    """Return files in a zip archive."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in files.items():
            opened.writestr(name, content)
    return archive.getvalue()


def test_samples_are_paired_by_item_and_named_by_the_results_of_the_same_time():
    files = [(name_of("arc", m), samples(m, "arc", measures=("acc", "acc_norm"))) for m in TIMES]
    results = read_results(
        *files, *((f"results_{TIMES[m]}.json", averages(m, True)) for m in TIMES)
    )

    assert (results.algorithms, results.datasets) == (("b", "org/a"), ("arc",))
    assert results.measures == ("accuracy", "acc_norm")
    accuracy = {m: RIGHT[m, "arc"].mean() for m in TIMES}
    assert results.averages("accuracy").loc["arc"].to_dict() == pytest.approx(accuracy)
    assert results.averages("acc_norm").loc["arc"].to_dict() == pytest.approx(
        {m: 1 - x for m, x in accuracy.items()}
    )
    assert results.item_texts["arc", 3] == "arc 3?"  # U+2028 ends no line and is shown as a blank
    assert analyse(results).n_clusters == N // 2


def test_a_folder_in_an_archive_names_the_model_and_filters_are_measures():
    files = {f"out/{m.replace('/', '__')}/{name_of('gsm8k', m)}": m for m in TIMES}
    filters = ("strict-match", "flexible-extract")
    contents = {
        path: samples(m, "gsm8k", filters=filters, measures=("exact_match",))
        for path, m in files.items()
    }
    archive = packed({**contents, "out/README.md": "# no table", "__MACOSX/out/x.json": "{"})
    results = read_results(("out.zip", archive))

    assert (results.algorithms, results.datasets) == (("b", "org/a"), ("gsm8k",))
    assert list(results.directions.values()) == ["higher"] * 2
    strict = results.averages("exact_match strict-match").loc["gsm8k"]
    assert strict.to_dict() == pytest.approx({m: RIGHT[m, "gsm8k"].mean() for m in TIMES})
    assert (
        describe_columns(("out.zip", archive)).set_index("column").loc["item", "meaning"]
        == "instance"
    )
    assert analyse(results, Settings(measure="exact_match flexible-extract")).way == "clusters"


def test_different_measures_of_benchmarks_are_one_accuracy_and_missing_items_are_missing():
    kinds = {"arc": ("acc", "acc_norm"), "gsm8k": ("exact_match",), "squad": ("ppl",)}
    files = [
        (
            f"{m}/{name_of(task, m)}",
            samples(
                m, task, measures=kinds[task], skipped=(5,) if m == "b" and task == "arc" else ()
            ),
        )
        for m in TIMES
        for task in kinds
    ]
    results = read_results(*files)

    assert (results.datasets, results.measures) == (("arc", "gsm8k"), ("accuracy",))
    assert {note.code for note in results.notes} >= {
        "accuracy of benchmarks",
        "data sets not measured",
    }
    assert results.missing[["dataset", "algorithm"]].to_numpy().tolist() == [["arc", "b"]]
    assert results.averages("accuracy").loc["gsm8k", "b"] == pytest.approx(
        RIGHT["b", "gsm8k"].mean()
    )


def test_runs_of_one_model_are_not_two_models_but_files_without_names_are():
    first, later = (samples("b", "arc"), samples("b", "gsm8k").replace(b"gsm8k", b"arc"))
    runs = [
        ("b/samples_arc_2024-01-01T01-00-00.jsonl", first),
        ("b/samples_arc_2024-02-01T01-00-00.jsonl", later),
    ]
    other = (f"a/{name_of('arc', 'org/a')}", samples("org/a", "arc"))
    named = [(f"{name}/results_x.json", averages(name, True)) for name in "ab"]

    results = read_results(*runs, other, *named)
    assert results.averages("accuracy").loc["arc", "b"] == pytest.approx(RIGHT["b", "gsm8k"].mean())
    assert "earlier runs left out" in {note.code for note in results.notes}
    assert len(read_results(*((name[2:], content) for name, content in runs)).algorithms) == 2


def test_files_of_different_questions_are_refused():
    files = [("a_arc.jsonl", samples("b", "arc")), ("b_gsm8k.jsonl", samples("b", "gsm8k"))]

    with pytest.raises(DataError, match="24 items have different texts"):
        read_results(*files)


def test_averages_of_tasks_are_results_on_data_sets_without_groups():
    results = read_results(*((f"{m[-1]}.json", averages(m, False)) for m in TIMES))

    assert (results.datasets, results.algorithms) == (("arc", "gsm8k"), ("b", "org/a"))
    assert results.directions == {"accuracy": "higher", "odd": "lower"}


def inspect(model, values, *, epochs=1, solver=None, created="2024-10-15"):
    """Return a log of Inspect as JSON, with one scorer."""
    log_samples = [
        {
            "id": f"q{i}",
            "epoch": epoch,
            "input": [
                {"role": "system", "content": "Answer."},
                {"role": "user", "content": f"How is {i}?"},
            ],
            "metadata": {"document": f"d{i // 2}"},
            "scores": {"judge": {"value": value, "answer": "no"}} if value else {},
        }
        for epoch in range(1, epochs + 1)
        for i, value in enumerate(values)
    ]
    about = {"task": "pop", "model": model, "solver": solver, "created": created, "task_args": {}}
    return {"version": 2, "status": "success", "eval": about, "samples": log_samples}


def as_eval(log, *, summaries):
    """Return a log of Inspect as the zip file that it writes by default."""
    head = {key: value for key, value in log.items() if key != "samples"}
    files = {f"samples/{s['id']}_epoch_{s['epoch']}.json": json.dumps(s) for s in log["samples"]}
    files |= {"summaries.json": json.dumps(log["samples"])} if summaries else {}
    return packed({"header.json": json.dumps(head), **files})


def grades(seed, letters="CI"):
    return np.random.default_rng(seed).choice(list(letters), N).tolist()


def test_grades_of_inspect_in_json_and_zip_files():
    first, second = grades(1), grades(2)
    files = [
        ("a.json", json.dumps(inspect("a", first)).encode()),
        ("b.eval", as_eval(inspect("b", second), summaries=True)),
    ]
    results = read_results(*files, ("c.eval", as_eval(inspect("c", first), summaries=False)))

    assert (results.algorithms, results.datasets, results.measures) == (
        ("a", "b", "c"),
        ("pop",),
        ("accuracy",),
    )
    shares = {"a": first.count("C") / N, "b": second.count("C") / N, "c": first.count("C") / N}
    assert results.averages("accuracy").loc["pop"].to_dict() == pytest.approx(shares)
    assert results.item_texts["pop", "q3"] == "How is 3?"
    assert analyse(results).n_clusters == N // 2


def test_partial_grades_epochs_and_missing_scores_of_inspect():
    partial = [*grades(3, "CIPN")[:-1], ""]
    logs = [inspect(m, partial if m == "a" else grades(4), epochs=2) for m in "ab"]
    results = read_results(*((f"{i}.json", json.dumps(log).encode()) for i, log in enumerate(logs)))

    comparison = analyse(results)
    assert (comparison.kind, comparison.cases.answers, comparison.n_cases) == ("cases", 2, N - 1)
    assert results.directions == {"judge": "higher"}
    expected = np.mean([{"C": 1, "P": 0.5}.get(grade, 0) for grade in partial[:-1]])
    assert comparison.values["a"] == pytest.approx(expected)


def test_solvers_of_one_model_are_different_models_of_inspect():
    logs = [inspect("a", grades(i), solver=solver) for i, solver in enumerate(("react", "plan"))]
    results = read_results(*((f"{i}.json", json.dumps(log).encode()) for i, log in enumerate(logs)))

    assert results.algorithms == ("a (solver=plan)", "a (solver=react)")


def test_data_frames_of_inspect_are_items():
    blocks = [
        pd.DataFrame(
            {
                "id": [f"q{i}" for i in range(N)],
                "model": m,
                "epoch": epoch,
                "score_judge": grades(10 * epoch + k),
            }
        )
        for k, m in enumerate("ab")
        for epoch in (1, 2)
    ]
    table = pd.concat(blocks).assign(
        sample_id=lambda t: [f"u{i}" for i in range(len(t))], target="yes", total_tokens=9
    )
    results = read_results(table)

    assert (results.design, results.measures) == ("single", ("accuracy",))
    assert results.repeated_answers
    share = (table["score_judge"] == "C").groupby(table["model"]).mean()
    assert results.averages("accuracy").iloc[0].to_dict() == pytest.approx(share.to_dict())


def test_solved_instances_of_swe_bench():
    known = [f"repo__x-{i}" for i in range(30)]
    solved = {"agent-1": known[:12], "agent-2": known[6:15]}
    reports = {
        name: {
            "total_instances": 31,
            "submitted_ids": known[:-1] if name == "agent-1" else known,
            "resolved_ids": ids,
        }
        for name, ids in solved.items()
    }
    results = read_results(
        *((f"{name}.json", json.dumps(value).encode()) for name, value in reports.items())
    )

    assert results.averages("accuracy").iloc[0].to_dict() == pytest.approx(
        {"agent-1": 12 / 30, "agent-2": 9 / 30}
    )
    assert "instances of no model" in {note.code for note in results.notes}
    comparison = analyse(results)
    assert (comparison.way, comparison.n_cases) == ("mcnemar", 30)
    lists = [
        (f"{name}/results/results.json", json.dumps({"resolved": ids}).encode())
        for name, ids in solved.items()
    ]
    listed = read_results(*lists, ("all.txt", "\n".join(known).encode()))
    assert listed.averages("accuracy").equals(results.averages("accuracy"))
