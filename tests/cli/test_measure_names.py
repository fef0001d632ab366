"""Tests of how the command line finds the measure of a table, or asks for it."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foldwise.cli.main import ANSWERED, REFUSED, _parser, main
from foldwise.cli.options import results_from_options
from stats_core.core.errors import NeedsMapping
from stats_core.io.read import read_results
from tests.measure_names import KNOWN, WIDE, opposite, unknown_words
from tests.strategies import few_examples

PARSER = _parser()


@pytest.fixture
def wide(tmp_path):
    """The path of a wide table that does not name its measure."""
    path = tmp_path / "results.csv"
    path.write_text(WIDE)
    return str(path)


@pytest.fixture
def run(capsys):
    """A function that runs `foldwise analyse`, and returns its exit code, output and errors."""

    def run_command(*words):
        capsys.readouterr()
        code = main(["analyse", *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run_command


def measure_of(out):
    """Return the name and the direction of the measure in the JSON of an analysis."""
    (found,) = json.loads(out)["inputs"]["measures"].items()
    return found


@settings(few_examples, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([*KNOWN]))
def test_a_known_measure_is_named_by_the_option(wide, name):
    """All names are read in tests/io/test_measure_names.py."""
    arguments = PARSER.parse_args(["analyse", wide, f"--measure={name}"])

    assert results_from_options(arguments)[0].directions == {name: KNOWN[name]}


def test_the_analysis_is_of_the_measure_that_is_named(run, wide):
    code, out, _ = run(wide, "--measure=F1", "--json")

    assert code == ANSWERED
    assert measure_of(out) == ("F1", "higher")


LOWER, HIGHER = "--no-higher-is-better", "--higher-is-better"


@pytest.mark.parametrize(
    "direction", [LOWER, "--direction=accuracy=lower", "--direction=Accuracy=lower"]
)
def test_a_direction_against_the_definition_is_refused(run, wide, direction):
    code, out, err = run(wide, "--measure", "Accuracy", direction)

    assert (code, out) == (REFUSED, "")
    assert 'the direction of "accuracy" cannot be lower' in err.lower()


@settings(few_examples, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(unknown_words, st.sampled_from(["higher", "lower"]))
def test_any_other_word_is_asked_for_its_direction_and_kept(run, wide, name, way):
    code, _, err = run(wide, f"--measure={name}")
    assert code == REFUSED
    assert f"Are higher values of {name} better? Add --measure " in err
    *_, asked, higher, lower = err.splitlines()
    assert asked.endswith(f" {HIGHER} (or {LOWER}).")
    assert higher.endswith(f" {HIGHER}: 3 algorithms on 6 data sets, {name}: rf first")
    assert lower.endswith(f" {LOWER}: 3 algorithms on 6 data sets, {name}: knn first")
    for direction in (HIGHER if way == "higher" else LOWER, f"--direction={name}={way}"):
        code, out, _ = run(wide, f"--measure={name}", direction, "--json")
        assert code == ANSWERED
        assert measure_of(out) == (name, way)


def test_what_to_type_is_said_and_works(run, wide):
    code, _, err = run(wide)
    assert code == REFUSED
    assert "Add --measure NAME, such as --measure accuracy." in err
    assert "below" not in err
    assert run(wide, "--measure", "accuracy")[0] == ANSWERED


def test_a_column_whose_direction_no_name_tells(run, tmp_path):
    path = tmp_path / "long.csv"
    rows = "".join(f"d{i},{m},{i + k}.5\n" for i in range(6) for k, m in enumerate(("rf", "svm")))
    path.write_text(f"dataset,algorithm,my quality\n{rows}")
    code, _, err = run(str(path), "--roles", "measure=my quality")

    assert code == REFUSED
    assert "Add --direction 'my quality=higher' (or lower)." in err
    for said in ("--direction=my quality=lower", LOWER):
        out = run(str(path), "--roles", "measure=my quality", said, "--json")[1]
        assert measure_of(out) == ("my quality", opposite("higher"))


def test_a_measure_that_columns_name_is_not_replaced(run, tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("dataset,algorithm,error\na,rf,0.1\na,svm,0.2\nb,rf,0.1\nb,svm,0.3\n")
    code, _, err = run(str(path), "--measure", "accuracy")
    assert code == REFUSED
    assert "error" in err
    assert "`" not in err


def test_no_question_of_the_reader_points_below_on_the_command_line(run, tmp_path):
    """Each file raises another question of the reader."""
    files = {
        "kind.csv": "task,kind,fold,error\nx,p,1,0.1\nx,q,1,0.2\n",
        "cases.csv": "algorithm,true,score\na,x,0.9\na,y,0.1\na,z,0.2\n",
        "rows.csv": "algorithm,error\n"
        + "".join(f"{a},0.{i}\n" for a in "pq" for i in range(1, 9)),
        "wide.csv": WIDE,
        "turned.csv": ",iris,wine\nRandom Forest,0.9,0.8\nSVM,0.7,0.6\nkNN,0.7,0.5\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.write_text(text)
        with pytest.raises(NeedsMapping):
            read_results(path)
        code, _, err = run(str(path))
        assert code == REFUSED
        assert "below" not in err
        assert "`" not in err
