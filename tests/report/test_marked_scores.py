"""Tests of scores per data set with marks of significant differences from a control, against scipy."""

import numpy as np
from scipy import stats

from foldwise.cli.main import main
from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from stats_core.report import html_report, latex_characters, latex_table
from stats_core.report.tables.table_registry import tables_of
from tests.samples import SAMPLES, shipped

UCI, CONTROL = "uci38_5x2.csv", "C4.5"


def sign_by_scipy(x, y, fraction=0.5, alpha=0.05):
    """Return " ∘" if errors x are significantly below errors y in the corrected t test, " •" if above, else ""."""
    difference = np.asarray(x) - np.asarray(y)
    n = len(difference)
    t = difference.mean() / np.sqrt((1 / n + fraction / (1 - fraction)) * difference.var(ddof=1))
    if 2 * stats.t.sf(abs(t), n - 1) > alpha:
        return ""
    return " ∘" if t < 0 else " •"


def test_marks_and_counts_are_those_of_scipy():
    results = shipped(UCI)
    comparison = analyse(results, Settings(control=CONTROL))
    (table,) = tables_of(comparison, "marked_scores")
    for name in comparison.others:
        signs = []
        for dataset in results.datasets:
            folds = results.matrix(dataset, "error")
            signs.append(sign_by_scipy(folds[name], folds[CONTROL]))
            text = f"{folds[name].mean():.4f} ± {folds[name].std(ddof=1):.4f}{signs[-1]}"
            assert table.texts.at[dataset, name] == text
        counts = "/".join(str(signs.count(sign)) for sign in (" ∘", "", " •"))
        assert table.texts.at["wins/ties/losses", name] == counts
    assert {" ∘", " •"} <= {
        sign for column in table.texts for sign in (c[-2:] for c in table.texts[column])
    }
    assert table.texts[CONTROL].str.endswith(("∘", "•")).sum() == 0


def test_best_scores_are_bold_in_latex_and_html():
    comparison = analyse(shipped(UCI), Settings(control=CONTROL))
    (table,) = tables_of(comparison, "marked_scores")
    best = comparison.scores.loc["twonorm"].idxmin()
    assert (
        rf"\textbf{{{latex_characters.to_latex_text(table.texts.at['twonorm', best])}}}"
        in latex_table.table_to_latex(table)
    )
    assert f"<b>{table.texts.at['twonorm', best]}</b>" in html_report.table_to_html(table)


def test_a_table_of_averages_has_no_marks():
    comparison = analyse(shipped("garcia_herrera_2008_accuracy.csv"), Settings(control="CN2"))
    assert tables_of(comparison, "marked_scores") == []


def test_the_command_line_prints_the_table(capsys):
    main(
        [
            "analyse",
            str(SAMPLES / UCI),
            "--control",
            CONTROL,
            "--table",
            "marked_scores",
            "--format",
            "csv",
        ]
    )
    assert "wins/ties/losses,," in capsys.readouterr().out
