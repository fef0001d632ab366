"""Tests of names of measures: any name can be given, and is shown as given."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stats_core as fw
from stats_core.core.errors import DataError, NeedsMapping, SettingError
from stats_core.core.formatting import measure_name
from stats_core.io.table_layout import RESERVED
from stats_core.io.vocabulary import direction_of
from stats_core.report.reproduce import to_json, to_script
from stats_core.report.text_report import to_text
from stats_core.report.verdict import verdict
from tests.measure_names import KNOWN, ORDINARY, UNDEFINED, WIDE, opposite, unknown_words

FILE = ("results.csv", WIDE.encode())


def read(*files, **said):
    return fw.read_results(*(files or [FILE]), mapping=fw.Mapping(**said))


@pytest.mark.parametrize(("name", "way"), KNOWN.items())
def test_a_known_measure_needs_no_direction_and_keeps_the_name_given(name, way):
    assert read(measure_name=name).directions == {name: way}


def test_the_direction_of_every_known_measure_is_that_of_its_definition():
    assert {name: direction_of(name) for name in KNOWN} == KNOWN


@pytest.mark.parametrize("name", [n for n in KNOWN if n not in UNDEFINED])
def test_a_direction_against_the_definition_is_refused(name):
    wrong = opposite(KNOWN[name])
    for said in ({name: wrong}, {name.upper(): wrong}, {"": wrong}):
        with pytest.raises(SettingError, match="by definition|values are better"):
            read(measure_name=name, directions=said)


@given(unknown_words, st.sampled_from(["higher", "lower"]))
def test_any_other_word_is_asked_for_its_direction_and_kept(name, way):
    with pytest.raises(NeedsMapping) as asked:
        read(measure_name=name)
    assert asked.value.about == "direction"
    assert asked.value.question == f"Are higher values of {name} better?"
    assert read(measure_name=name, directions={name: way}).directions == {name: way}
    assert read(measure_name=name, directions={"": way}).directions == {name: way}


@pytest.mark.parametrize(("name", "way"), ORDINARY.items())
def test_the_name_given_is_shown_everywhere_without_underscores(name, way):
    assert read(measure_name=name, directions={name: way}).directions == {name: way}
    assert read(measure_name=name, directions={"": way}).directions == {name: way}
    mapping = fw.Mapping(measure_name=name)
    analysis = fw.analyse(fw.read_results(FILE, mapping=mapping))

    assert repr(name) in to_script(analysis, [FILE[0]], mapping=mapping)
    for text in (
        to_text(analysis),
        verdict(analysis).headline,
        str(json.loads(to_json(analysis))["verdict"]),
    ):
        assert measure_name(name) in text  # such as "f1_score" as "f1 score"
    again = analysis.results.to_csv().encode()
    assert fw.read_results(("again.csv", again)).directions == analysis.results.directions


@pytest.mark.parametrize("name", RESERVED)
def test_the_name_of_a_column_of_results_is_refused_before_anything_is_asked(name):
    with pytest.raises(SettingError, match=f'"{name}" is a reserved name'):
        read(measure_name=name)


def test_other_spellings_of_the_name_choose_the_measure():
    results = read(measure_name="Accuracy")
    for spelling in ("Accuracy", "accuracy", "acc", "ACC"):
        assert fw.analyse(results, fw.Settings(measure=spelling)).results.measures == ("Accuracy",)
        assert results.direction(spelling) == "higher"


def test_the_guess_can_be_given_another_name():
    with pytest.raises(NeedsMapping, match="is not named") as asked:
        fw.read_results(FILE)
    guess = asked.value.guess

    assert asked.value.question == "What do the numbers measure, and are higher values better?"
    for name, way in [("Accuracy", "higher"), ("error", "lower")]:
        again = fw.read_results(FILE, mapping=replace(guess, measure_name=name))
        assert again.directions == {name: way}


@pytest.mark.parametrize(
    ("header", "said", "measure"),
    [
        ("score", "Accuracy", {"Accuracy": "higher"}),
        ("Wert", "log loss", {"log loss": "lower"}),
        ("acc", "Accuracy", {"Accuracy": "higher"}),
    ],
)
def test_the_only_measure_of_a_long_table_takes_the_name(header, said, measure):
    rows = "".join(f"d{i},{m},{0.5 + i / 10}\n" for i in range(4) for m in ("rf", "svm"))
    file = ("a.csv", f"dataset,algorithm,{header}\n{rows}".encode())
    roles = {"dataset": "dataset", "algorithm": "algorithm", header: "measure"}

    assert read(file, roles=roles, measure_name=said).directions == measure


def test_a_name_that_no_table_needs_is_not_ignored():
    file = ("a.csv", b"dataset,model,error\na,x,0.1\na,y,0.2\n")
    with pytest.raises(SettingError, match='The name "accuracy" .* has the measures error'):
        read(file, measure_name="accuracy")


def test_percentages_stay_percentages_under_a_name_with_the_unit():
    table = b"dataset,rf,svm\na,91.5,90\nb,72.25,60\n"
    plain = read(("t.csv", table), measure_name="accuracy")
    unit = read(("t.csv", table), measure_name="accuracy (%)")

    # the averages of the table by hand, as fractions and as they stand
    assert plain.averages("accuracy").loc["a", "rf"] == pytest.approx(0.915)
    assert unit.averages("accuracy (%)").loc["a", "rf"] == pytest.approx(91.5)


PLURALS = {
    "accuracies": "accuracy",
    "error_rates": "error",
    "aucs": "auc",
    "log_losses": "logloss",
    "balanced_accuracies": "balanced_accuracy",
    "mean-absolute-errors": "mae",
    "TestErrors": "error",
    "uci_kappas": "kappa",
    "f1_scores": "f",
}


@pytest.mark.parametrize(("file", "measure"), PLURALS.items())
def test_a_file_name_in_the_plural_is_evidence(file, measure):
    assert fw.read_results((f"{file}.csv", WIDE.encode())).measures == (measure,)


BODY = r"\begin{tabular}{lrr} Data & rf & svm \\ a & 91 & 80 \\ b & 70 & 60 \\ c & 80 & 50 \\ \end{tabular}"
CAPTIONS = {
    r"\begin{table}\caption{Accuracy (\%) on 30 UCI data sets}" + BODY + r"\end{table}": "accuracy",
    r"\begin{table*}"
    + BODY
    + r"\caption[Short]{\textbf{Error rates} of {\em two} learners}\end{table*}": "error",
    "# Accuracies per data set\n\n| Data | rf | svm |\n|---|---|---|\n| a | 91 | 80 |\n| b | 7 | 6 |": (
        "accuracy"
    ),
    "## AUC\n\n### On two sets\n\n| Data | rf | svm |\n|---|---|---|\n| a | .9 | .8 |\n| b | .7 | .6 |": (
        "auc"
    ),
    "Table 2: RMSE of both.\n\n| Data | rf | svm |\n|---|---|---|\n| a | 9 | 8 |\n| b | 7 | 6 |": "rmse",
}


@pytest.mark.parametrize(("text", "measure"), CAPTIONS.items())
def test_a_caption_or_a_heading_is_evidence_and_named(text, measure):
    results = fw.read_results(("pasted.txt", text.encode()))

    assert results.measures == (measure,)
    (told,) = [str(note) for note in results.notes if note.code == "measure in title"]
    assert f"The measure {measure} was" in told


SILENT = [
    r"\begin{table}\caption{Accuracy and AUC}" + BODY + r"\end{table}",
    r"\begin{table}\caption{Results (standard error in brackets)}" + BODY + r"\end{table}",
    r"\begin{table}\caption{Accuracy}\end{table}\begin{table}" + BODY + r"\end{table}",
    r"\begin{table}\caption{Accuracy}" + BODY.replace("91", "910") + r"\end{table}",
]


@pytest.mark.parametrize("text", SILENT)
def test_a_caption_that_cannot_be_meant_is_no_evidence(text):
    with pytest.raises(NeedsMapping, match="is not named"):
        fw.read_results(("pasted.txt", text.encode()))


def test_what_is_said_goes_before_the_caption_and_the_file_name():
    text = next(iter(CAPTIONS)).encode()
    assert read(("errors.txt", text), measure_name="F1").directions == {"F1": "higher"}
    with pytest.raises(NeedsMapping):  # the two contradict each other
        fw.read_results(("errors.txt", text))


@pytest.mark.parametrize("roles", [{"train_time": "cost"}])
def test_files_of_costs_without_a_measure_are_refused_in_words(roles):
    table = b"dataset,model,fold,train_time\n" + b"".join(
        f"{d},{m},{f},{f}.5\n".encode() for d in "ab" for m in ("rf", "svm") for f in (1, 2)
    )
    other = table.replace(b"rf", b"knn").replace(b"svm", b"lda")
    with pytest.raises(DataError, match=r"needs a column with a measure.*train_time"):
        read(("a.csv", table), ("b.csv", other), roles=roles)
