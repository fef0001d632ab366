"""The documented names: which there are, where they can be found, and what they bring along."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import foldwise
import stats_core

DOCUMENTED = """
Advice Analysis Comparison DataError DegenerateError DesignError FoldwiseError MEASURES Mapping
NeedsMapping OrderRules Results SettingError Settings
adjust_control adjust_pairs advise analyse anova auc_interval auc_interval_from_errors cliques
confusion_measures corrected_t critical_difference cv52_f cv52_t delong friedman hotelling_paired
hotelling_two_sample iman_davenport learned_measures manova manova_dimension mardia mcnemar
multi2test multitest nemenyi order_of paired_t partial_auc post_hoc_z pr_auc pr_curve read_results
roc_auc roc_curve sign_test to_html to_json to_latex to_script to_text tukey underlines verdict
wilcoxon
""".split()


def test_the_library_offers_the_documented_names():
    assert stats_core.__all__ == DOCUMENTED
    assert all(hasattr(stats_core, name) for name in DOCUMENTED)
    assert stats_core.Analysis is stats_core.Comparison


def test_foldwise_offers_them_and_the_figures():
    figures = set(foldwise.__all__) - set(DOCUMENTED)

    assert {"cd_diagram", "contours", "drawings", "ordering_graph", "roc"} <= figures
    assert len(figures) >= 25
    for name in foldwise.__all__:
        offered = getattr(foldwise, name)
        home = "stats_core" if name in DOCUMENTED else "foldwise"
        assert getattr(offered, "__module__", home).startswith(home), name
    assert not hasattr(foldwise, "chain")
    assert set(foldwise.__all__) <= set(dir(foldwise))


def loaded_after(code):
    """Return which of the large libraries a new Python has loaded after some code."""
    large = "{'jinja2', 'matplotlib', 'networkx', 'plotly', 'scipy', 'statsmodels', 'streamlit'}"
    code = f"import sys\n{code}\nprint(*sorted({large} & set(sys.modules)))"
    return ran(code).splitlines()[-1].split()


def ran(code):
    """Return what a new Python prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_names_are_loaded_when_they_are_used():
    assert loaded_after("import foldwise, stats_core") == []
    assert loaded_after("from stats_core import *") == ["scipy"]
    assert "plotly" not in loaded_after("from foldwise import friedman")
    assert "streamlit" not in loaded_after("from foldwise import cd_diagram")


@pytest.mark.parametrize("asked", ["--help", "--version", "", "analise"])
def test_help_is_said_without_the_statistics(asked):
    script = f"try:\n main({asked.split()})\nexcept SystemExit: pass\nprint()"
    loaded = loaded_after(f"from foldwise.__main__ import main\n{script}")

    assert not set(loaded) & {"matplotlib", "plotly", "scipy", "streamlit"}


def test_a_note_that_came_from_another_process_finds_its_words():
    code = "from stats_core.inference.ranks import few_data_sets as few; import pickle, base64"
    sent = ran(f"{code}; print(base64.b64encode(pickle.dumps(few(3)[0])).decode())")

    came = f"pickle.loads(base64.b64decode('{sent.strip()}'))"
    assert ran(f"import base64, pickle; print({came})").startswith("With 3 data sets")


def test_the_session_in_the_readme_prints_what_it_shows():
    result = doctest.testfile(str(Path(__file__).parents[1] / "README.md"), module_relative=False)

    assert result.attempted >= 5
    assert result.failed == 0
