"""Tests of counts in sentences: singular forms, commas in thousands, names of designs."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.core.errors import DegenerateError, DesignError, NeedsMapping
from stats_core.data.results import Results
from stats_core.inference.paired import corrected_t, wilcoxon
from stats_core.io.mapping import Mapping
from stats_core.io.read import describe_columns, read_results
from stats_core.report.text_report import comparison_line


def rows(*lines: str) -> bytes:
    return "\n".join(lines).encode()


@pytest.mark.parametrize(("ties", "said"), [(0, "0 zeros"), (1, "1 zero ("), (2, "2 zeros")])
def test_zeros_of_wilcoxon_are_counted(ties, said):
    x = np.arange(1.0, 9.0)
    y = x + np.where(np.arange(8) < ties, 0.0, 0.5)

    assert said in str(wilcoxon(x, y).method)


def test_one_average_is_missing_and_thousands_have_a_comma():
    names = [f"a{i}" for i in range(41)]
    table = pd.DataFrame(0.5, index=[f"d{i}" for i in range(32)], columns=names)
    table += np.arange(41) / 100
    table.iloc[3, 4] = np.nan
    long = table.rename_axis(index="dataset", columns="algorithm").stack(future_stack=True)
    results = Results.from_frame(long.rename("accuracy").reset_index())

    with pytest.raises(
        DesignError,
        match=r"1 accuracy value of a4 is missing on 1 of 32 data sets \(1 of 1,312 cells\)",
    ):
        analyse(results)


@pytest.mark.parametrize(
    ("n", "said"), [(1, "1 other row was left out"), (2095, "2,095 other rows were left out")]
)
def test_rows_on_training_data_are_counted(n, said):
    lines = ["model,fold,split,error", *(f"rf,{i},test,0.1" for i in range(5))]
    lines += [f"rf,{i},train,0.05" for i in range(n)]

    assert any(said in str(note) for note in read_results(rows(*lines)).notes)


def test_a_design_without_a_name_is_said_in_words():
    unequal = ["dataset,model,rep,fold,error"]
    unequal += [
        f"iris,{m},{r},{f},0.{m}{f}" for m in "12" for r, n in ((1, 5), (2, 4)) for f in range(n)
    ]
    mixed = ["dataset,model,fold,error"]
    mixed += [f"iris,{m},{f},0.{m}{f}" for m in "12" for f in range(5)]
    mixed += [f"wine,{m},1,0.{m}" for m in "12"]

    first, second = read_results(rows(*unequal)), read_results(rows(*mixed))
    assert first.design == second.design == "unknown"
    assert "2 algorithms, unequal numbers of folds; measure error." in first.summary()
    assert "2 algorithms, several designs; measure error." in second.summary()


def test_a_constant_difference_has_a_minus():
    x = np.linspace(0.1, 0.3, 10)
    with pytest.raises(
        DegenerateError, match="Each of the 10 differences is \N{MINUS SIGN}0.01, so"
    ):
        corrected_t(x, x + 0.01, test_fraction=0.1)


def test_what_was_compared_says_what_became_of_missing_cells():
    lines = ["dataset,a,b,c", *(f"d{i},0.9,0.{i},0.2" for i in range(1, 9)), "d9,,0.5,0.3"]
    results = read_results(("accuracy.csv", rows(*lines)))

    said = {
        choice: comparison_line(analyse(results.resolve(choice)))
        for choice in ("drop data sets", "worst rank")
    }
    assert said["drop data sets"].endswith("α = 0.05, missing results left out")
    assert said["worst rank"].endswith("α = 0.05, missing results ranked worst")
    whole = read_results(("accuracy.csv", rows(*lines[:-1])))
    assert comparison_line(analyse(whole)).endswith("α = 0.05, no missing results")


FINNISH = rows(
    "Aineisto;Keino;Fold;Arvo",
    *(
        f"{d};{a};{f};0,{i}{f + 1}"
        for i, (d, a) in enumerate(product(("iris", "wine"), ("rf", "svm")), 1)
        for f in range(4)
    ),
)


def test_columns_of_few_texts_are_guessed_and_no_direction_is_made_up():
    with pytest.raises(NeedsMapping) as caught:
        read_results(FINNISH)

    guess = caught.value.guess
    assert guess.roles == {
        "Aineisto": "dataset",
        "Keino": "algorithm",
        "Fold": "fold",
        "Arvo": "measure",
    }
    assert guess.directions == {}
    table = describe_columns(FINNISH, guess).set_index("column")
    assert table.loc["Arvo", "direction"] == ""
    said = Mapping(roles=guess.roles, directions={"Arvo": "lower"})
    assert read_results(FINNISH, mapping=said).direction("Arvo") == "lower"
    assert describe_columns(FINNISH, said).set_index("column").loc["Arvo", "direction"] == "lower"


def test_a_known_measure_leaves_two_names_to_ask_for():
    with pytest.raises(NeedsMapping) as caught:
        read_results(FINNISH.replace(b"Arvo", b"error"))

    guess = 'The guess is "Aineisto" and "Keino".'
    assert caught.value.question == f"Which columns are the data set and algorithm? {guess}"


def test_texts_that_differ_in_every_row_are_no_names():
    lines = ["note;Keino;Fold;Arvo"]
    lines += [f"row{2 * f + i};{a};{f};0,{f + 1}{i}" for f in range(4) for i, a in enumerate("xy")]
    with pytest.raises(NeedsMapping) as caught:
        read_results(rows(*lines))

    assert caught.value.guess.roles == {
        "note": "ignore",
        "Keino": "algorithm",
        "Fold": "fold",
        "Arvo": "measure",
    }
