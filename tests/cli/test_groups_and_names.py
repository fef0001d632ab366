"""Tests of --by, --only, --rename and --short-names."""

import json
from pathlib import Path

import pytest

import stats_core as fw
from foldwise.cli.main import main

NAMES = ("SVC(C=1, tol=1)", "SVC(C=2, tol=1)", "MLPClassifier()")


@pytest.fixture
def file(tmp_path):
    """The path of errors on folds, with costs, of three algorithms on 16 data sets of two domains."""
    lines = ["dataset,algorithm,fold,error,train_s,domain"]
    lines += [
        f'd{i},"{name}",{fold},{0.2 + 0.05 * j * (i % 2) + (i * 7 + fold * 3 + j) % 5 / 200},{3 - j},'
        f"{'image' if i % 2 else 'text'}"
        for i in range(16)
        for j, name in enumerate(NAMES)
        for fold in range(4)
    ]
    path = tmp_path / "error.csv"
    path.write_text("\n".join(lines))
    return str(path)


def run(capsys, *arguments, code=0):
    assert main([*arguments]) == code
    printed = capsys.readouterr()
    return printed.err if code else printed.out


def test_the_same_by_group(capsys, file):
    said = run(capsys, "analyse", file, "--by", "domain")

    assert said.startswith("Comparisons by domain\n")
    assert [line.split()[0] for line in said.splitlines()[2:5]] == ["all", "image", "text"]
    assert "Each of the 2 groups is tested at" in said
    assert "Order by" not in said  # nobody named a cost
    assert "Cost-aware order by training time" in run(
        capsys, "order", file, "--by", "domain", "--cost", "train_s"
    )


def test_groups_as_data(capsys, file):
    found = json.loads(run(capsys, "analyse", file, "--by", "domain", "--json"))

    assert [row["data sets"] for row in found["groups"]] == [16, 8, 8]
    assert found["orders"] == {}


def test_orders_by_group_come_first_from_order(capsys, file):
    said = run(capsys, "order", file, "--by", "domain", "--format", "csv", "--short-names")

    assert said.splitlines()[0] == "rank,all data sets,image,text"
    assert {line.split(",")[2] for line in said.splitlines()[1:4]} == {
        "SVC(C=1)",
        "SVC(C=2)",
        "MLP",
    }


def test_an_order_by_group_needs_a_cost_too(capsys, file, tmp_path):
    plain = tmp_path / "plain_error.csv"
    text = Path(file).read_text().replace(", ", ";")
    lines = [line.split(",") for line in text.splitlines()]
    plain.write_text("\n".join(",".join([*cells[:4], cells[5]]) for cells in lines))

    assert "--prior" in run(capsys, "order", str(plain), "--by", "domain", code=1)


def test_only_one_group_under_short_names(capsys, file):
    said = run(
        capsys, "analyse", file, "--only", "domain=image", "--short-names", "--control", "MLP"
    )

    assert said.startswith("8 data sets with domain = image, 3 algorithms")
    assert "Classifier" not in said.split("Notes on the files:")[0]


def test_only_is_the_setting_of_the_library(capsys, file):
    settings = fw.Settings(only=("domain", "text"))

    said = run(capsys, "analyse", file, "--only", "domain=text", "--json")

    assert said == fw.to_json(fw.analyse(fw.read_results(file), settings)) + "\n"


def test_names_may_hold_equals_signs(capsys, file):
    rename = ["--rename", "SVC(C=1, tol=1)=svm (C=1)", "--rename", "d0=first"]
    script = run(capsys, "analyse", file, *rename, "--format", "script")

    assert "results.rename(algorithms={'SVC(C=1, tol=1)': 'svm (C=1)'}, datasets=" in script


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rename", "x=y"], "--rename needs OLD=NEW"),
        (
            ["--rename", "d0=d1"],
            'Two data sets cannot have the same name, but "d0" and "d1" would both become "d1"',
        ),
        (["--only", "domain=x"], "There is no domain"),
        (["--only", "x=y"], 'No column "x" groups the data sets. Choose one of domain.'),
        (["--by", "x"], 'No column "x" groups the data sets. Choose one of domain.'),
        (["--by", "domain", "--format", "script"], "--format script cannot be combined with --by"),
    ],
)
def test_what_there_is_not(capsys, file, arguments, said):
    assert said in run(capsys, "analyse", file, *arguments, code=1)


def test_a_report_holds_the_groups(capsys, file, tmp_path):
    folder = tmp_path / "report"
    run(capsys, "report", file, "--no-pdf", "-o", str(folder))

    assert (folder / "tables" / "by_group.csv").read_text().startswith("domain,number of data sets")
    assert "Each of the 2 groups is tested at" in (folder / "report.html").read_text()
