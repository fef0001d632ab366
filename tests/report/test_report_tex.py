"""Tests of the LaTeX of a report, compiled by pdflatex and bibtex."""

import re
import shutil
import subprocess
from types import SimpleNamespace

import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.ordering.order import order_of
from stats_core.report.latex_characters import printable_names, to_latex_text
from stats_core.report.latex_report import LatexReport, to_latex
from stats_core.report.methods_text import methods_pieces
from stats_core.report.references import REFERENCES, bibtex
from stats_core.report.report_content import ReportFigure, report_tables
from tests.report.report_cases import HOSTILE, KINDS, case, hostile

needs_tex = pytest.mark.skipif(
    not (shutil.which("pdflatex") and shutil.which("bibtex")),
    reason="needs pdflatex and bibtex (Debian: texlive-latex-recommended, texlive-pictures)",
)
needs_pdftotext = pytest.mark.skipif(
    not shutil.which("pdftotext"), reason="needs pdftotext (Debian: poppler-utils)"
)
TIKZ = (
    "% Needs \\usepackage{tikz}\n\\begin{tikzpicture}\n\\draw (0,0) -- (3,1);\n\\end{tikzpicture}"
)
# files of texlive-latex-base, -recommended and texlive-pictures in Debian 12
PACKAGES = {"array", "booktabs", "geometry", "graphicx", "tikz"}


def compiled(report: LatexReport, folder):
    """Run pdflatex, bibtex, pdflatex and pdflatex in a folder; return the log."""
    for name, text in report.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    tex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "report"]
    for command in (tex, ["bibtex", "report"], tex, tex):
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            timeout=120,
            env={"max_print_line": "9999", "PATH": "/usr/bin:/bin"},
        )
        said = done.stdout.decode("utf-8", "replace")
        assert done.returncode == 0, said[-3000:]
    return (folder / "report.log").read_text(encoding="utf-8", errors="replace")


def assert_clean(log, folder, bibliography):
    """Assert that there are no warnings, and that no box is overfull by more than 10 points."""
    assert "Warning" not in log, re.findall(r".*Warning.*", log)
    for points in re.findall(r"Overfull \\[hv]box \(([\d.]+)pt", log):
        assert float(points) <= 10
    if bibliography:
        found = (folder / "report.blg").read_text(encoding="utf-8", errors="replace")
        assert "Warning--" not in found, found
        assert "error message" not in found


def words_of(folder):
    """Return the text of the PDF on one line."""
    done = subprocess.run(
        ["pdftotext", "-layout", "report.pdf", "-"], cwd=folder, capture_output=True, check=True
    )
    return " ".join(done.stdout.decode("utf-8").split())


# Of these kinds another of their class is compiled.
ALIKE = (
    *("ranks by Nemenyi", "ranks by Wilcoxon", "ranks unadjusted", "control by Li"),
    *("folds 5x2", "folds by Wilcoxon", "pair 5x2", "cases of two"),
    *("wins limited", "wins of two", "thresholds of two"),
)


@needs_tex
@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=[pytest.mark.slow] if k in ALIKE else []) for k in KINDS]
)
def test_each_kind_compiles_without_warnings(kind, tmp_path):
    analysis, order = case(kind)
    report = to_latex(analysis, order=order)

    log = compiled(report, tmp_path)

    assert_clean(log, tmp_path, report.bibliography)


@needs_tex
@pytest.mark.parametrize(
    ("settings", "folds", "ordered"),
    [
        (Settings(), 3, True),
        pytest.param(Settings(control=HOSTILE[0]), 1, False, marks=pytest.mark.slow),
        pytest.param(Settings(pair=HOSTILE[3:5]), 1, False, marks=pytest.mark.slow),
        (Settings(dataset=HOSTILE[4]), 10, True),
        (Settings(dataset=HOSTILE[1], pair=HOSTILE[6:]), 10, False),
        (Settings(dataset=HOSTILE[0], measures=("err_%", "<i>other</i>")), 20, False),
        (
            Settings(dataset=HOSTILE[0], pair=HOSTILE[5:7], measures=("err_%", "<i>other</i>")),
            10,
            False,
        ),
    ],
)
def test_hostile_names_compile(settings, folds, ordered, tmp_path):
    results = hostile(n_folds=folds)
    analysis = analyse(results, settings)
    order = order_of(analysis.results, settings) if ordered else None
    figures = [
        ReportFigure(
            name="a & b",
            title=HOSTILE[0],
            caption=" ".join(HOSTILE),
            tikz=TIKZ.replace("3,", "30,"),
        ),
        ReportFigure(name="gone", title=HOSTILE[2], file="not_there.pdf"),
    ]
    report = to_latex(analysis, order=order, figures=figures, title=HOSTILE[5])

    log = compiled(report, tmp_path)

    assert_clean(log, tmp_path, report.bibliography)
    assert r"\input{/etc" not in report.results.replace(r"\textbackslash{}input", "")


@needs_tex
def test_every_publication_compiles(tmp_path):
    document = (
        "\\documentclass{article}\n\\begin{document}\n\\nocite{*}\n"
        "\\bibliographystyle{plain}\n\\bibliography{references}\n\\end{document}\n"
    )
    files = {"report.tex": document, "references.bib": bibtex(REFERENCES)}

    log = compiled(SimpleNamespace(files=files), tmp_path)

    assert_clean(log, tmp_path, bibliography=True)
    listed = (tmp_path / "report.bbl").read_text(encoding="utf-8")
    assert listed.count("\\bibitem") == len(REFERENCES)


@needs_tex
@needs_pdftotext
def test_what_is_printed_is_what_the_analysis_says(tmp_path):
    analysis, _ = case("ranks")

    compiled(to_latex(analysis), tmp_path)
    words = words_of(tmp_path)

    for name, rank in analysis.friedman.average_ranks.items():
        assert name in words
        assert f"{rank:.2f}" in words
    for row in report_tables(analysis)[2].printed().texts.to_dict("records"):
        cells = [cell.replace("−", "-") for cell in row.values()]
        assert " ".join(cells) in words.replace("−", "-")
    assert re.search(r"Janez Dem\W*s\W*ar\b", words)  # the caron may be a letter of its own
    assert "[?]" not in words
    assert "??" not in words


@needs_tex
def test_figures_are_read_or_drawn(tmp_path):
    (tmp_path / "figures").mkdir()
    picture = "\\documentclass{article}\\begin{document}drawn elsewhere\\end{document}"
    (tmp_path / "figures" / "cd.tex").write_text(picture, encoding="ascii")
    subprocess.run(
        ["pdflatex", "cd"], cwd=tmp_path / "figures", capture_output=True, check=True, timeout=60
    )
    figures = [
        ReportFigure(name="cd", title="Ranks", caption="Lines join groups.", file="cd.pdf"),
        ReportFigure(name="tikz", title="Line", tikz=TIKZ, file="cd.pdf"),
        ReportFigure(name="page", title="Page", html="<p>no form for paper</p>"),
    ]
    report = to_latex(case("two")[0], figures=figures)

    log = compiled(report, tmp_path)

    assert_clean(log, tmp_path, report.bibliography)
    assert log.count("<use figures/cd.pdf") + log.count("<./figures/cd.pdf>") >= 1
    assert report.results.count(r"\includegraphics") == 2 - 1
    assert (
        r"See Figures~\ref{fig:cd} to~\ref{fig:tikz} and Table~\ref{tab:tests}." in report.results
    )
    assert "Page" not in report.results


TYPICAL = [
    "ranks with folds, order",
    "folds by Tukey",
    "thresholds of two",
    "untested",
    "published differences",
]


@pytest.mark.parametrize("kind", TYPICAL)
def test_only_common_packages_are_asked_for_and_what_is_cited_is_listed(kind):
    analysis, order = case(kind)
    report = to_latex(analysis, order=order)
    used = re.findall(r"\\usepackage(?:\[[^]]*\])?\{([^}]*)\}", report.document)

    assert {name for group in used for name in group.split(",")} <= PACKAGES
    for group in used:
        if group != "geometry":
            assert group in report.results.split("\\section")[0]
    cited = {
        key for keys in re.findall(r"\\cite\{([^}]*)\}", report.results) for key in keys.split(",")
    }
    assert (cited or {"foldwise"}) == set(re.findall(r"@\w+\{(\w+),", report.bibliography))


def test_every_citation_is_in_the_bibliography():
    cited = {key for kind in KINDS for piece in methods_pieces(*case(kind)) for key in piece.keys}

    assert len(cited) > 20
    assert cited == set(re.findall(r"@\w+\{(\w+),", bibtex(cited)))


def test_tables_hold_every_number_of_the_analysis():
    analysis, _ = case("ranks with folds, order")
    results = to_latex(analysis).results

    assert "part 2 of 2" in results  # the wide one; the others are whole and keep their captions
    assert "part 1 of 1" not in results
    for dataset, row in analysis.scores.iterrows():
        assert to_latex_text(dataset) in results
        for value in row:
            assert f"{value:.4f} $\\pm$" in results
    best = report_tables(analysis)[0].best["zoo"][0][0]
    assert rf"\textbf{{{analysis.scores.loc['zoo', best]:.4f} $\pm$" in results


def test_names_without_a_form_stay_apart():
    results = hostile()
    shown = printable_names(results.algorithms)
    report = to_latex(analyse(results))
    comments = [line for line in report.results.splitlines() if line.startswith("%")]
    text = "\n".join(line for line in report.results.splitlines() if not line.startswith("%"))

    assert len(set(shown.values())) == len(HOSTILE)
    assert text.isascii()
    for name in ("随机森林", "支持向量机"):
        assert f'% "{shown[name]}" stands for "{name}".' in comments
        assert shown[name] in text


@needs_tex
@needs_pdftotext
def test_names_that_tex_would_take_for_options_are_printed(tmp_path):
    names = ["[link](x)", "*star*", '"quoted"']
    table = pd.DataFrame(
        [(s, a, i + j / 10) for i, s in enumerate(names) for j, a in enumerate(names)],
        columns=["dataset", "algorithm", "error"],
    )
    report = to_latex(analyse(Results.from_frame(table)))
    compiled(report, tmp_path)

    said = words_of(tmp_path)
    for name in ("[link](x)", "*star*", "“quoted”"):
        assert said.count(name) >= 2 * len(names)
