"""Tests of analyses as JSON and as scripts: complete documents, and scripts that repeat the analysis."""

import json
import re
import runpy
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import stats_core as fw
from stats_core.core.errors import SettingError
from stats_core.core.serialize import dump_json, to_plain
from stats_core.curves.thresholds import at_threshold
from stats_core.data.results import CHOICES
from stats_core.inference.methods import PAIR_TESTS
from stats_core.inference.pairwise import resolve_missing
from stats_core.report.advice import advice_on
from stats_core.report.reproduce import VERSION, to_json, to_script, versions
from tests.samples import SAMPLES, shipped

ROOT = Path(__file__).parents[2]
Settings = fw.Settings
# svm has no positive prediction in fold 2 of x, so no precision there
COUNTS = (
    "dataset,algorithm,fold,tp,fp,tn,fn\n"
    "x,rf,1,5,1,5,1\nx,rf,2,6,0,5,1\nx,svm,1,4,2,4,2\nx,svm,2,0,0,5,7\n"
    "y,rf,1,5,1,5,1\ny,rf,2,6,0,5,1\ny,svm,1,4,2,4,2\ny,svm,2,3,1,4,4\n"
)
MORE_COUNTS = COUNTS + "".join(
    f"{dataset},{name},{fold},{tp},1,{6 - fold},{5 + fold - tp}\n"
    for dataset, names in (("x", ["knn"]), ("y", ["knn"]), ("z", ["rf", "svm", "knn"]))
    for tp, name in enumerate(names, 4)
    for fold in (1, 2)
)
GAPS = (
    "dataset,rf,svm,knn\na,0.1,0.2,0.3\nb,0.1,,0.2\nc,0.3,0.4,0.5\nd,0.2,0.3,0.1\ne,0.2,0.5,0.6\n"
)


def many(k):
    """Return averages of k algorithms on five data sets, all different."""
    values = np.random.default_rng(7).permutation(5 * k).reshape(5, k) / (5 * k)
    return pd.DataFrame(values, columns=[f"a{i}" for i in range(k)], index=list("vwxyz"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The path of a folder with the files that together give every kind of analysis."""
    path = tmp_path_factory.mktemp("files")
    uci = pd.read_csv(SAMPLES / "uci38_5x2.csv", dtype=str)
    kept = uci["dataset"].isin(
        [*uci["dataset"].unique()[:12], "zoo"]
    )  # enough for the exact test, and quick
    uci[kept].to_csv(path / "uci.csv", index=False)
    counts = pd.read_csv(SAMPLES / "twoclass_counts.csv", dtype=str)
    counts[counts["repetition"] == "1"].to_csv(path / "all_counts.csv", index=False)
    for name, file in (("counts", "twoclass_counts.csv"), ("scores", "twoclass_scores.csv.gz")):
        table = pd.read_csv(SAMPLES / file, dtype=str)
        kept = table["algorithm"].isin(["Random forest", "LDA", "Decision tree"]) & (
            table["dataset"] == "pima"
        )
        table[kept].to_csv(path / f"{name}.csv", index=False)
    first = table[kept & (table["fold"] == "1")]
    first.drop(columns="fold").to_csv(path / "cases.csv", index=False)
    (path / "undefined.csv").write_text(MORE_COUNTS)
    return path


@pytest.fixture(scope="module")
def samples(folder):
    """The results of the files in `folder`, by name."""
    names = ("uci.csv", "counts.csv", "all_counts.csv", "scores.csv", "cases.csv")
    found = {name: fw.read_results(folder / name) for name in (*names, "undefined.csv")}
    found["undefined.csv"] = found["undefined.csv"].resolve("present", "precision")
    return found


OTHERS = shipped("uci38_5x2.csv").algorithms[1:]  # all of the sample but 5-NN
# kind -> the sample and the settings that lead to it
KINDS = {
    "RanksComparison": ("uci.csv", Settings(alpha=0.1, correction="holm", source="sign")),
    "PresentComparison": ("undefined.csv", Settings(measure="precision")),
    "TwoComparison": ("uci.csv", Settings(pair=("SVM (RBF)", "Neural network"))),
    "ControlComparison": ("uci.csv", Settings(control="5-NN", without_datasets=("zoo",))),
    "FoldsComparison": ("scores.csv", Settings(dataset="pima", test="Tukey")),
    "FoldPairComparison": ("scores.csv", Settings(dataset="pima", pair=("Random forest", "LDA"))),
    "SeveralOnMeasures": (
        "counts.csv",
        Settings(measures=("fpr", "tpr"), dataset="pima", overlap="ignored"),
    ),
    "PairOnMeasures": (
        "counts.csv",
        Settings(measures=("fpr", "tpr"), dataset="pima", pair=("Decision tree", "LDA")),
    ),
    "WinsComparison": (
        "all_counts.csv",
        Settings(measures=("fpr", "tpr"), correction="bonferroni"),
    ),
    "CasesComparison": ("cases.csv", Settings(measure="error", correction="holm")),
    "UntestedComparison": ("uci.csv", Settings(without_algorithms=OTHERS)),
}


@pytest.fixture(scope="module")
def analyses(samples):
    """An analysis of every kind, by kind."""
    return {kind: fw.analyse(samples[name], settings) for kind, (name, settings) in KINDS.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_json_holds_every_part_and_every_field(analyses, kind):
    analysis = analyses[kind]
    document = json.loads(to_json(analysis))

    assert list(document) == [
        *("format", "versions", "inputs", "settings", "advice", "verdict", "leave_one_out"),
        "analysis",
    ]
    assert document["format"] == 4
    assert document["inputs"]["sha256"] == analysis.results.digest
    assert document["inputs"]["algorithms"] == list(analysis.results.algorithms)
    assert list(document["settings"]) == [field.name for field in fields(Settings)]
    assert document["settings"]["alpha"] == analysis.settings.alpha
    assert document["advice"]["because"] == list(advice_on(analysis).because)
    assert document["verdict"]["headline"] == fw.verdict(analysis).headline
    assert (document["analysis"]["kind"], type(analysis).__name__) == (analysis.kind, kind)
    told = {"inputs", "results", "settings", "cache", "test_cache", "fold_data"}
    if kind == "FoldsComparison":  # `pairs` holds them
        told.add("estimates")
    if analysis.shape.several_measures:  # the vectors of all measures contain the matrix of one
        told.add("matrix")
    if kind == "CasesComparison":  # as large as the test set; the pairs hold their numbers
        told |= {"cases", "tests"}
    if kind == "WinsComparison":  # which holds the parts of its counts instead
        assert "counts" not in document["analysis"]
        assert {"wins", "total", "raw", "adjusted"} <= set(document["analysis"])
        told.add("counts")
    parts = (analysis, analysis.inputs, getattr(analysis, "fold_data", analysis))
    assert {field.name for part in parts for field in fields(part)} - told <= set(
        document["analysis"]
    )


def test_numbers_read_back_exactly(analyses):
    ranks = analyses["RanksComparison"]
    found = json.loads(to_json(ranks))["analysis"]

    assert found["omnibus"]["pvalue"] == ranks.omnibus.pvalue
    assert found["friedman"]["average_ranks"] == ranks.friedman.average_ranks.to_dict()
    assert found["adjusted"]["columns"] == list(ranks.adjusted.columns)
    assert found["adjusted"]["values"] == ranks.adjusted.to_numpy().tolist()
    assert found["pairs"] == ranks.pairs.with_guarantees().to_dict("records")
    assert found["groups"] == [list(group) for group in ranks.groups]

    pair = analyses["PairOnMeasures"]
    found = json.loads(to_json(pair))["analysis"]
    assert found["vectors"] == pair.vectors.tolist()
    assert found["folds"][0] == list(pair.folds[0])
    assert found["hotelling"]["direction"] == pair.hotelling.direction.to_dict()


def test_missing_numbers_are_null_and_reasons_are_texts(analyses):
    answers = json.loads(to_json(analyses["FoldPairComparison"]))["analysis"]["answers"]
    cv52 = next(answer for answer in answers if answer["key"] == "5x2 cv F")

    assert cv52["outcome"] is None
    assert cv52["low"] is None
    assert cv52["reason"].startswith("needs 5 repetitions")


@pytest.mark.parametrize("kind", KINDS)
def test_json_is_strict_and_the_same_for_the_same_analysis(samples, analyses, kind):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    text = to_json(analyses[kind])
    json.loads(text, parse_constant=refuse)

    assert text.isascii()
    assert json.loads(to_json(analyses[kind], indent=None)) == json.loads(text)
    name, settings = KINDS[kind]
    assert to_json(fw.analyse(samples[name], settings)) == text


def test_predictions_stay_out(samples, analyses):
    document = json.loads(to_json(analyses["FoldsComparison"]))
    n_cases = len(analyses["FoldsComparison"].results.predictions)

    def longest(value):
        """Return the length of the longest list in a value."""
        inner = value.values() if isinstance(value, dict) else value
        if not isinstance(value, dict | list):
            return 0
        return max([len(value), *(longest(item) for item in inner)])

    assert document["inputs"]["predictions"] == n_cases
    assert longest(document) < n_cases / 10


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_is_documented(analyses, kind):
    document = json.loads(to_json(analyses[kind]))
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    every, own_rows = page.split("## `analysis`")[1].split("| kind | when")
    start = f"| `{analyses[kind].kind}` | "
    row = next(line for line in own_rows.splitlines() if line.startswith(start))

    for part in ("versions", "inputs", "settings", "advice", "verdict"):
        text = page.split(f"## `{part}`")[1].split("\n## ")[0]
        assert set(document[part]) <= set(re.findall(r"`(\w+)`", text)), part
    common = set(re.findall(r"^\| `(\w+)` \|", every, re.MULTILINE))
    assert common <= set(document["analysis"])
    own = set(document["analysis"]) - common - {"kind", "higher_is_better", "scores"}
    assert set(re.findall(r"`(\w+)`", row.split(" | ", 2)[2])) == own


def test_infinities_and_strange_values_have_one_form():
    table = pd.DataFrame({"p": [np.nan, -np.inf]}, index=["a", "b"])

    assert to_plain(table)["values"] == [[None], ["-Infinity"]]
    assert to_plain([np.bool_(True), np.int64(3), pd.NA, True]) == [True, 3, None, True]
    assert json.loads(dump_json(to_plain({"a": [], "b": {}, "c": [[1], []]}), 2)) == {
        "a": [],
        "b": {},
        "c": [[1], []],
    }
    with pytest.raises(TypeError, match="JSON form: set"):
        to_plain({1})


def test_versions_are_those_of_the_packages():
    assert versions()["foldwise"] == VERSION
    assert versions()["numpy"] == np.__version__
    assert versions()["pandas"] == pd.__version__


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_has_one_row_per_comparison(analyses, kind):
    analysis = analyses[kind]
    k, n = len(analysis.results.algorithms), len(analysis.results.datasets)
    expected = {
        "TwoComparison": 2,
        "ControlComparison": k - 1,
        "FoldPairComparison": len(PAIR_TESTS)
        - 1,  # on ten folds, two corrected t tests are the same
        "PairOnMeasures": 2,
        "UntestedComparison": n,
    }

    assert len(analysis.table()) == expected.get(kind, k * (k - 1) // 2)


def test_the_table_of_two_says_which_test_decides(analyses):
    table = analyses["FoldPairComparison"].table().set_index("test")
    two = analyses["TwoComparison"].table().set_index("test")

    assert table.index[table["decides"]].tolist() == [analyses["FoldPairComparison"].chosen.name]
    assert two.loc["Wilcoxon", "p"] == analyses["TwoComparison"].wilcoxon.pvalue
    assert two.loc["sign test", "p"] == analyses["TwoComparison"].sign.pvalue


def with_choices(folder):
    """Yield analyses that needed a choice of columns, missing results or a threshold, and their scripts."""
    (folder / "holes.csv").write_text(COUNTS)
    (folder / "gaps_accuracy.csv").write_text(GAPS)
    (folder / "odd.csv").write_text("t,who,nr,q\nx,p,1,3\nx,q,1,2\ny,p,1,4\ny,q,1,7\n")
    many(31).to_csv(folder / "many_accuracy.csv", index_label="dataset")
    half = "dataset,algorithm,error\n{0},rf,0.1\n{0},svm,0.2\n"
    (folder / "one_error.csv").write_text(half.format("one"))
    (folder / "two_error.csv").write_text(half.format("two"))

    mapping = fw.Mapping(
        roles={"t": "dataset", "who": "algorithm", "nr": "fold", "q": "measure"},
        directions={"q": "lower"},
    )
    odd = fw.analyse(fw.read_results(folder / "odd.csv", mapping=mapping))
    yield odd, to_script(odd, mapping=mapping)

    counts = fw.read_results(folder / "holes.csv")
    choice = ("undefined as 0", "precision")
    zero = fw.analyse(counts.resolve(*choice), Settings(measure="precision"))
    yield zero, to_script(zero)

    accuracy = fw.Mapping(measure_name="accuracy")
    gaps = fw.read_results(folder / "gaps_accuracy.csv", mapping=accuracy)
    for choice in ("drop data sets", "drop algorithms", "worst rank"):
        analysis = fw.analyse(gaps.resolve(choice))
        yield analysis, to_script(analysis, mapping=accuracy)

    scores = fw.read_results(folder / "scores.csv")
    for theta in (0.8, 1 / 3):
        cut = at_threshold(scores, theta, "between the extremes")
        cut = fw.analyse(cut, Settings(dataset="pima", pair=("Random forest", "LDA")))
        yield cut, to_script(cut)

    replaced = fw.analyse(
        fw.read_results(folder / "many_accuracy.csv"), Settings(source="wilcoxon")
    )
    assert replaced.settings.correction == "shaffer"
    yield replaced, to_script(replaced)

    both = fw.analyse(fw.read_results(folder / "one_error.csv", folder / "two_error.csv"))
    yield both, to_script(both)


def test_scripts_of_every_kind_give_the_same_json(analyses, folder, monkeypatch, capsys):
    """Scripts run in the folder with the files; `tests/reports` runs one in a new interpreter."""
    monkeypatch.chdir(folder)
    for i, (analysis, script) in enumerate(
        [(a, to_script(a)) for a in analyses.values()] + [*with_choices(folder)]
    ):
        (folder / f"script{i}.py").write_text(script, encoding="utf-8")
        assert len(script.splitlines()) <= 50

        assert to_json(runpy.run_path(f"script{i}.py")["analysis"]) == to_json(analysis), script
        assert fw.to_text(analysis) in capsys.readouterr().out


def test_a_script_prints_the_text_and_the_table(analyses, folder, tmp_path, capsys):
    analysis = analyses["RanksComparison"]
    (tmp_path / "script.py").write_text(to_script(analysis, [str(folder / "uci.csv")]))

    runpy.run_path(str(tmp_path / "script.py"))

    table = analysis.table().to_string(index=False)
    assert capsys.readouterr().out == f"{fw.to_text(analysis)}\n\n{table}\n"


def test_a_script_stops_if_the_files_or_the_answer_are_others(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "gaps_accuracy.csv"
    file.write_text(GAPS.replace(",,", ",0.4,"))
    mapping = fw.Mapping(measure_name="accuracy")
    analysis = fw.analyse(fw.read_results(file, mapping=mapping))
    (tmp_path / "good.py").write_text(to_script(analysis, mapping=mapping))
    (tmp_path / "changed.py").write_text(to_script(analysis).replace("alpha=0.05", "alpha=0.0001"))

    runpy.run_path("good.py")
    with pytest.raises(SystemExit, match="The result differs") as stop:
        runpy.run_path("changed.py")
    assert fw.to_text(analysis) in str(stop.value)
    file.write_text(file.read_text().replace("0.6", "0.7"))
    with pytest.raises(SystemExit, match="has changed") as stop:
        runpy.run_path("good.py")
    assert "['gaps_accuracy.csv']" in str(stop.value)


def test_names_cannot_break_out_of_a_script(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = ['""")\nraise SystemExit(1)', "it's \\", "{measure} %s", "tab\there", "\u2028line"]
    rows = pd.DataFrame(
        [(d, name, (i * 7 + d * 3) % 11 / 11) for i, name in enumerate(names) for d in range(6)],
        columns=["dataset", "algorithm", "error"],
    )
    results = fw.Results.from_frame(rows)
    analysis = fw.analyse(results, Settings(without_algorithms=(names[4],)))
    rows.to_csv("a.csv", index=False)
    (tmp_path / "s.py").write_text(
        to_script(analysis, ["a.csv"]).replace(
            "results = fw.read_results(*FILES)",
            "import pandas as pd\nresults = fw.Results.from_frame(pd.read_csv('a.csv'))",
        ),
        encoding="utf-8",
    )

    again = runpy.run_path("s.py")["analysis"]

    assert again.results.algorithms == analysis.results.algorithms
    assert again.order == analysis.order


def test_numbers_and_names_of_numpy_are_written_as_those_of_python(samples):
    settings = Settings(
        alpha=np.float64(0.1), without_algorithms=tuple(np.array(["Multivariate tree"]))
    )
    script = to_script(fw.analyse(samples["uci.csv"], settings))

    assert "    alpha=0.1,\n" in script
    assert "    without_algorithms=('Multivariate tree',),\n" in script
    assert "    correction='bergmann_hommel',\n" in script


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("before", [{}, {"without_datasets": ("z",)}])
def test_a_script_repeats_every_choice_about_holes(choice, before, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("holes.csv").write_text(MORE_COUNTS)
    settings = Settings(measure="precision", **before)
    baseline = "rf" if choice == "baseline" else ""
    whole = fw.read_results("holes.csv")
    results = resolve_missing(whole, settings, choice, baseline)
    assert [said["choice"] for said in results.choices] == [choice]

    script = to_script(fw.analyse(results, settings))

    named = ", baseline='rf'" if baseline else ""
    assert f"results = results.resolve({choice!r}, 'precision'{named})\n" in script
    assert ("results = results.select(" in script) == bool(before)
    assert "resolve" not in to_script(fw.analyse(whole))
    Path("script.py").write_text(script)
    assert runpy.run_path("script.py")["results"].choices == results.choices


def test_choices_are_codes_in_json():
    gaps = fw.read_results(
        ("gaps_accuracy.csv", GAPS.encode()), mapping=fw.Mapping(measure_name="accuracy")
    )
    inputs = json.loads(to_json(fw.analyse(gaps.resolve("drop data sets", "accuracy"))))["inputs"]

    assert inputs["codes"] == [
        {
            "code": "based on",
            "choice": "drop data sets",
            "measure": "accuracy",
            "kept": 4,
            "of": 5,
            "gone": ["b"],
        }
    ]
    assert inputs["choices"][0].startswith("1 of 5 data sets was left out")


def test_a_script_repeats_a_threshold_and_what_came_after_it_in_their_order(samples):
    cut = at_threshold(samples["scores.csv"], 1 / 3, "share of cases")
    worst = at_threshold(samples["scores.csv"], 0.999).resolve("undefined as 0", "precision")

    script = to_script(fw.analyse(cut, Settings(dataset="pima")))
    assert f"results = at_threshold(results, {1 / 3!r}, 'share of cases')\n" in script
    script = to_script(fw.analyse(worst, Settings(dataset="pima")))
    assert script.index("results = at_threshold(results, 0.999") < script.index("results.resolve(")


def test_what_a_script_cannot_know_is_asked_for():
    table = fw.Results.from_frame(
        many(3).melt(var_name="algorithm", value_name="error").assign(dataset=list("vwxyz") * 3)
    )
    with pytest.raises(
        SettingError, match="come from a table in memory. Pass the file names as `files`"
    ):
        to_script(fw.analyse(table))
    assert "DIGEST" not in to_script(fw.analyse(table), ["table.csv"])

    files = [(f"{n}_error.csv", f"dataset,rf,svm\n{n},0.5,0.{n}\n".encode()) for n in range(1, 5)]
    several = fw.analyse(fw.read_results(*files))
    assert "FILES = ['1_error.csv', '2_error.csv', '3_error.csv', '4_error.csv']" in to_script(
        several
    )
