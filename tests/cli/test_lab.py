"""Tests of `foldwise power`, `level` and `plan`: the numbers of the library, all output formats, stored results."""

import io
import json
import runpy

import pandas as pd
import pytest

from foldwise.cli.main import ANSWERED, REFUSED, main
from foldwise.figures import theme
from foldwise.figures.simulation_figures import lab_drawings
from stats_core.data.settings import Settings
from stats_core.power.error_rates import level_of
from stats_core.power.planning import plan_of
from stats_core.power.simulated_power import power_of
from tests.samples import SAMPLES, shipped

PUBLISHED = str(SAMPLES / "garcia_herrera_2008_accuracy.csv")
UCI = str(SAMPLES / "uci38_5x2.csv")
PAIR = ("SVM (RBF)", "Multivariate tree")


@pytest.fixture
def said(capsys):
    """A function that runs a command, and returns its exit code and output, or its errors if it failed."""

    def run(*arguments):
        code = main([*arguments, "--workers", "1"])
        out, err = capsys.readouterr()
        return code, out if code == ANSWERED else err

    return run


def test_power_prints_what_the_library_finds_and_draws_it(said, tmp_path):
    figure = tmp_path / "power.tex"
    asked = (
        "power",
        PUBLISHED,
        "--simulations",
        "40",
        "--procedure",
        "holm on z",
        "--most-bias",
        "10",
    )

    code, out = said(*asked, "--format", "csv", "--figure", str(figure))

    found = power_of(
        shipped("garcia_herrera_2008_accuracy.csv"),
        procedures=["holm on z"],
        biases=[step / 2 for step in range(21)],
        draws=40,
    )
    assert code == ANSWERED
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(out)), found.frame, rtol=1e-9)
    assert "mean rejections" in figure.read_text()
    assert "selectfont power}" in (tmp_path / "power_power_of_the_pair.tex").read_text()


def test_a_level_that_was_kept_is_not_simulated_again(said, tmp_path):
    asked = ("level", PUBLISHED, "--simulations", "60", "--json", "--keep", str(tmp_path))

    _, first = said(*asked)
    (chunk,) = tmp_path.glob("*/0.npz")
    written = chunk.stat().st_mtime_ns
    _, again = said(*asked)

    found = level_of(shipped("garcia_herrera_2008_accuracy.csv"), draws=60)
    told = json.loads(first)
    assert again == first
    assert chunk.stat().st_mtime_ns == written
    assert told["question"] == "level"
    assert [row["level"] for row in told["frame"]] == pytest.approx(found.frame["level"].tolist())
    assert told["said"]["headline"].startswith("The family-wise type I error rate of Wilcoxon")


def test_a_plan_is_repeated_by_its_script(said, tmp_path, monkeypatch, capsys):
    asked = ("plan", UCI, "--pair", *PAIR, "--simulations", "20", "--interim-analyses", "2")

    _, text = said(*asked)
    _, script = said(*asked, "--format", "script")

    path = tmp_path / "again.py"
    path.write_text(script)
    runpy.run_path(str(path))
    assert capsys.readouterr().out.split("\n\n")[0] == text.split("\n\n")[0]
    assert text.startswith("No more data sets are needed. With 38 data sets, the power is ")
    assert "averaged over the differences between SVM (RBF)" in text
    # another answer than the one it was made from is told
    path.write_text(script.replace("draws=20", "draws=30"))
    with pytest.raises(SystemExit, match="The result differs"):
        runpy.run_path(str(path))


def test_a_plan_of_instances_is_drawn_and_repeated_by_its_script(said, tmp_path, capsys):
    path, again = tmp_path / "marks.csv", tmp_path / "again.py"
    marks = [(1, 1)] * 50 + [(1, 0)] * 9 + [(0, 1)] * 4 + [(0, 0)] * 17
    path.write_text("item,a,b\n" + "".join(f"{i},{a},{b}\n" for i, (a, b) in enumerate(marks)))
    asked = ("plan", str(path), "--difference", "0.05")

    _, text = said(*asked, "--figure", str(tmp_path / "plan.tex"))
    _, script = said(*asked, "--format", "script")

    again.write_text(script)
    runpy.run_path(str(again))
    assert "539 instances are needed for 80% power" in text
    assert capsys.readouterr().out.startswith("539 instances are needed")
    assert "detectable difference" in (tmp_path / "plan.tex").read_text()


def test_what_cannot_be_simulated_is_refused_in_options(said, tmp_path):
    code, err = said("power", PUBLISHED, "--n-sets", "30", "--simulations", "10")
    assert code == REFUSED
    assert err.startswith("--n-sets must be below the number of data sets")
    code, err = said("power", PUBLISHED, "--most-bias", "0")
    assert code == REFUSED
    assert "--most-bias must be a positive number" in err
    code, err = said("plan", PUBLISHED)
    assert code == REFUSED
    assert "needs at least 2 results on each data set" in err
    code, err = said(
        "level", PUBLISHED, "--simulations", "4", "--figure", str(tmp_path / "level.gif")
    )
    assert code == REFUSED
    assert "--figure needs a file name that ends in" in err


def test_every_simulation_has_figures_with_numbers():
    results = shipped("uci38_5x2.csv")
    found = [
        power_of(results, pair=PAIR, draws=4, biases=[0.0, 9.0], procedures=["nemenyi"]),
        level_of(results, Settings(dataset=results.datasets[0]), draws=4),
        plan_of(results, pair=PAIR, draws=4),
    ]

    for drawing in (one for simulation in found for one in lab_drawings(simulation)):
        assert len(drawing.data)
        assert 0 < len(drawing.alt) <= 300
        for style in (theme.screen(), theme.paper()):
            assert drawing.figure(style).data
            assert drawing.caption(style).endswith(".")


def test_no_option_is_blamed_that_was_not_given(said, tmp_path):
    """Ten of four data sets cannot be sampled, so the default depends on the number of data sets."""
    path = tmp_path / "accuracy.csv"
    path.write_text("dataset,a,b\nw,0.9,0.8\nx,0.7,0.6\ny,0.5,0.6\nz,0.4,0.3\n")

    code, out = said("power", str(path), "--simulations", "20")

    assert code == ANSWERED
    assert "2 of 4 data sets were sampled" in out
    code, refused = said("power", str(path), "--simulations", "20", "--n-sets", "10")
    assert code == REFUSED
    assert refused.startswith("--n-sets must be below the number of data sets")
