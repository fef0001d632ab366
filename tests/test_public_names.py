"""Tests of the documented names: which exist, where they are, and what they import."""

import base64
import doctest
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import foldwise
import stats_core
from stats_core.comparison.cards.method_card import CHAPTERS
from stats_core.core.messages import message
from stats_core.core.version import VERSION

ROOT = Path(__file__).parents[1]

DOCUMENTED = """
Advice Comparison DataError DegenerateError DesignError FoldwiseError MEASURES Mapping
NeedsMapping OrderRules Results SettingError Settings
adjust_control adjust_pairs advise analyse anova auc_interval auc_interval_from_errors cliques
confusion_measures corrected_t critical_difference cv52_f cv52_t delong friedman gate hotelling_paired
hotelling_two_sample iman_davenport learned_measures manova manova_dimension mardia mcnemar
multi2test multitest nemenyi order_of paired_t partial_auc post_hoc_z pr_auc pr_curve rank_intervals
read_results roc_auc roc_curve sign_test to_html to_json to_latex to_script to_text tukey underlines verdict
wilcoxon
""".split()


def test_the_library_offers_the_documented_names():
    assert stats_core.__all__ == sorted(DOCUMENTED)
    assert all(hasattr(stats_core, name) for name in DOCUMENTED)


def test_every_function_of_the_methods_page_is_where_the_page_says():
    functions = {
        name.rpartition(".")[2]: name
        for chapter in CHAPTERS
        for card in chapter.cards
        for name in card.runs
    }
    text = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    printed = {
        name
        for line in re.findall(r"^\* \*\*Functions:\*\* (.*)$", text, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", line)
    }

    assert printed == set(functions)
    for name, home in functions.items():
        module = foldwise.power if home.startswith("power.") else foldwise.stats
        assert getattr(module, name).__module__ == f"stats_core.{home.rpartition('.')[0]}", name
        assert name in dir(module)


def test_the_namespaces_offer_what_their_stubs_declare():
    for module in (foldwise.stats, foldwise.power, foldwise.io):
        assert all(getattr(module, name) is not None for name in module.__all__)
        with pytest.raises(
            AttributeError, match=f"module '{module.__name__}' has no attribute 'chain'"
        ):
            module.chain  # noqa: B018 - looking up the name is the test
    assert foldwise.__version__ == VERSION
    extra = {name for name in dir(foldwise) if not name.startswith("__")} - set(foldwise.__all__)
    assert extra == set()


def test_foldwise_offers_them_and_the_figures():
    figures = set(foldwise.__all__) - set(DOCUMENTED)

    assert {
        "cd_diagram",
        "compare",
        "contours",
        "drawings",
        "ordering_graph",
        "plot",
        "roc",
        "stats",
    } <= figures
    assert len(figures) >= 25
    assert foldwise.roc is foldwise.roc is pickle.loads(pickle.dumps(foldwise.roc))
    for name in foldwise.__all__:
        offered = getattr(foldwise, name)
        home = "stats_core" if name in DOCUMENTED else "foldwise"
        assert getattr(offered, "__module__", getattr(offered, "__name__", home)).startswith(
            home
        ), name
    assert not hasattr(foldwise, "chain")
    assert set(foldwise.__all__) <= set(dir(foldwise))


def loaded_after(*steps):
    """Return the large libraries that a new Python has loaded after each step of some code."""
    large = "{'jinja2', 'matplotlib', 'networkx', 'plotly', 'scipy', 'statsmodels', 'streamlit'}"
    show = f"print('loaded:', *sorted({large} & set(sys.modules)))"
    lines = output_of(
        "\n".join(["import sys", *(line for step in steps for line in (step, show))])
    ).splitlines()
    return [line.split()[1:] for line in lines if line.startswith("loaded:")]


def output_of(code):
    """Return the output of a new Python that runs `code`."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_names_are_loaded_when_they_are_used():
    packages, function, library, figure = loaded_after(
        "import foldwise, stats_core",
        "from foldwise import friedman",
        "from stats_core import *",
        "from foldwise import cd_diagram",
    )

    assert packages == []
    assert function == library == ["scipy"]
    assert "plotly" in figure
    assert "streamlit" not in figure


@pytest.mark.parametrize("arguments", ["--help", "--version", "", "analise"])
def test_help_is_printed_without_the_statistics(arguments):
    script = f"try:\n main({arguments.split()})\nexcept SystemExit: pass\nprint()"
    (loaded,) = loaded_after(f"from foldwise.__main__ import main\n{script}")

    assert not set(loaded) & {"matplotlib", "plotly", "scipy", "streamlit"}


def test_a_message_from_another_process_has_its_words():
    sent = base64.b64encode(pickle.dumps(message("few data sets", n=3))).decode()

    received = f"pickle.loads(base64.b64decode('{sent}'))"
    assert output_of(f"import base64, pickle; print({received})").startswith("With 3 data sets")


def test_the_session_in_the_readme_prints_what_it_shows():
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)

    assert result.attempted >= 5
    assert result.failed == 0
