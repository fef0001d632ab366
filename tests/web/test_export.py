"""Tests of the page Export: article, figures, report and files."""

import io
import zipfile

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from foldwise.figures.registry import drawings
from foldwise.rendering.figure_files import file_stems
from foldwise.rendering.report_files import main_table_csv
from foldwise.web import cache
from foldwise.web.views.export_views import _columns
from stats_core.comparison.analyse import analyse
from stats_core.io.read import read_results
from tests.samples import shipped
from tests.web.conftest import copied, page, specs, texts, upload

TABS = ["Article", "Figures", "Report", "Files"]
ADDRESSED = {tab: {"etab": tab} for tab in TABS[:3]} | {
    "Files": {"etab": "Report", "report_files": "true"}  # a section of the report
}
FILES = [
    "uci38_5x2.csv",
    "twoclass_counts.csv",
    "twoclass_scores.csv.gz",
    "thesis_counts.csv",
    "garcia_herrera_2008_accuracy.csv",
    "demsar_2006_auc.csv",
]


def test_large_downloads_that_differ_in_one_number_have_addresses_of_their_own():
    """Streamlit would name files above 1 MiB by their size and 64 KiB at the beginning, in the middle and at the end."""
    table = b"".join(b"a%06d,0.%06d\n" % (i, i) for i in range(100_000))
    storage = MemoryMediaFileStorage("/media")

    names = {
        storage.load_and_get_id(content, "text/csv", MediaFileKind.DOWNLOADABLE, "pairs.csv")
        for content in (table, table.replace(b"a025000,0.025000", b"a025000,0.925000"))
    }
    assert len(names) == 2


@pytest.mark.parametrize(
    ("sample", "tab"),
    [
        (sample, TABS[(place + turn) % len(TABS)])
        for place, sample in enumerate(FILES)
        for turn in (0, 1)
    ],
)
def test_every_tab(app, sample, tab):
    app.query_params |= ADDRESSED[tab]
    page(app, sample, "export")

    assert not app.exception
    labels = [button.label for button in app.download_button]
    said = {
        "Article": {"copy_result_text", "copy_methods_latex", "copy_table_csv"} <= {*copied(app)},
        "Figures": any(label.endswith(" (zip)") for label in labels),
        "Report": "HTML (one file)" in labels,
        "Files": len(app.dataframe) > 1
        and "sha256" in texts(app)
        and any("import" in code.value for code in app.code),
    }
    assert said[tab]


ASKED = [
    ("uci38_5x2.csv", {"out": shipped("uci38_5x2.csv").algorithms[1:7]}),
    ("uci38_5x2.csv", {"eset": "optdigits"}),
    ("uci38_5x2.csv", {"compare": "Against a control", "control": "SVM (RBF)"}),
    ("twoclass_counts.csv", {"eset": "donors", "etogether": "fpr, tpr"}),
    ("twoclass_scores.csv.gz", {"eset": "pima"}),
    ("uci38_5x2.csv", {"ocost": "weights"}),
]


@pytest.mark.parametrize(
    ("sample", "asked", "tab"),
    [
        (*one, TABS[(place + turn) % len(TABS)])
        for place, one in enumerate(ASKED)
        for turn in (0, 1)
    ],
)
def test_every_kind_of_analysis(app, sample, asked, tab):
    app.query_params |= {**asked, **ADDRESSED[tab]}
    page(app, sample, "export")

    assert not app.exception


@pytest.mark.parametrize(
    ("venue", "p", "inches"), [("JMLR", "p = 0.047", 6.0), ("APA", "p = .047", 6.5)]
)
def test_the_venue_sets_the_numbers_and_the_width_of_the_figure(app, venue, p, inches):
    app.query_params["evenue"] = venue
    page(app, "demsar_2006_auc.csv", "export")
    copies = copied(app)

    assert p in texts(app)
    assert p in copies["copy_result_text"]
    assert f"${p}$" in copies["copy_result_latex"]
    assert "Demšar, 2006" in copies["copy_methods_text"]
    assert r"~\cite{" in copies["copy_methods_latex"]
    assert "{demsar2006," in copies["copy_references_bibtex"]
    assert r"\includegraphics{" in copies["copy_figure_latex"]
    assert r"\toprule" in copies["copy_table_latex"]
    assert specs(app)[0]["layout"]["width"] == 96 * inches
    app.query_params["etab"] = "Figures"
    assert app.run().selectbox(key="evenue").value == venue


def zipped(app):
    """Click the button for the zip of figures; return its label and the zip."""
    button = app.download_button(key="take_zip").click()
    app.run()
    assert not app.exception
    _, content = app.session_state["_bundle"]
    return button.label, zipfile.ZipFile(io.BytesIO(content()))


def test_one_click_downloads_every_figure_of_the_report_in_every_format(app, monkeypatch):
    monkeypatch.setattr(cache, "HERE", float("inf"))
    app.query_params["etab"] = "Figures"
    page(app, "demsar_2006_auc.csv", "export")
    n_figures = len(app.checkbox)
    label, archive = zipped(app)
    names = archive.namelist()
    captions = archive.read("captions.txt").decode()
    results = shipped("demsar_2006_auc.csv")
    stems = file_stems(drawings(analyse(results), results=results))

    assert label == f"Download {n_figures} figures (zip)"
    assert n_figures == len(stems) > 3
    assert {f"figures/{stem}.{end}" for stem in stems for end in ("pdf", "svg", "png", "tex")} <= {
        *names
    }
    assert {f"data/{stem}.csv" for stem in stems} <= {*names}
    assert all(stem in captions for stem in stems)
    assert "were significantly better than C4.5" in archive.read("sentence.txt").decode()
    app.checkbox[0].uncheck()
    app.session_state["eformats"] = ["HTML"]
    app.run()
    label, archive = zipped(app)
    assert label == f"Download {n_figures - 1} figures (zip)"
    assert sum(name.endswith(".html") for name in archive.namelist()) == n_figures - 1


def test_of_many_pairs_an_article_copies_some_and_offers_all(app):
    rng, k, n = np.random.default_rng(1), 21, 12  # 210 pairs
    scores = pd.DataFrame(
        rng.random((n, k)).round(4), columns=[f"a{i}" for i in range(k)]
    ).rename_axis("dataset")
    upload(app, ("scores_accuracy.csv", scores.to_csv().encode()))
    app.switch_page("pages/export.py").run()

    assert not app.exception
    as_csv, as_latex = (copied(app)[f"copy_table_{kind}"] for kind in ("csv", "latex"))
    assert len(as_csv.splitlines()) == 1 + 200
    assert "200 of 210 rows" in as_latex
    every = main_table_csv(
        analyse(read_results(("scores_accuracy.csv", scores.to_csv().encode())))
    ).decode()
    assert as_csv.splitlines() == every.splitlines()[:201]
    assert len(every.splitlines()) == 1 + 210
    assert any("210 rows" in button.label for button in app.get("download_button"))


def test_what_is_not_there_is_named_with_the_reason(app):
    app.query_params["etab"] = "Figures"
    page(app, "demsar_2006_auc.csv", "export")

    assert "no scores" in texts(app)


def test_the_words_are_those_of_results(app):
    app.query_params["etab"] = "Report"
    page(app, "uci38_5x2.csv", "export")
    said = texts(app)

    assert "18 of 28 pairs differ" in said
    assert "38 data sets" in said
    assert "@" not in said


def test_an_upload_with_holes_is_repeated_with_the_choice(app):
    rows = ["dataset,algorithm,fold,error"]
    for place, dataset in enumerate("uvwxyz"):
        for name in ("a", "b", "c"):
            for fold in (1, 2, 3):
                value = (
                    ""
                    if (dataset, name, fold) == ("u", "c", 1)
                    else f"0.{place}{fold}{ord(name) % 7}"
                )
                rows.append(f"{dataset},{name},{fold},{value}")
    app.run()
    upload(app, ("own.csv", "\n".join(rows).encode()))
    app.session_state["_holes"] = "sets"
    app.session_state["etab"], app.session_state["report_files"] = "Report", True
    app.switch_page("pages/export.py").run()

    assert not app.exception
    scripts = [item.value for item in app.code if "import stats_core" in item.value]
    assert len(scripts) == 1
    assert "drop data sets" in scripts[0]
    assert "own.csv" in scripts[0]


def test_one_algorithm_is_told_what_is_missing(app):
    app.query_params["out"] = ["C4.5+m", "C4.5+cf", "C4.5+m+cf"]
    page(app, "demsar_2006_auc.csv", "export")

    assert not app.exception
    assert "There was only one algorithm (C4.5), so no comparison was possible." in texts(app)


def test_hostile_names_are_text(app):
    rows = ["dataset,<b>x,a_b & 100%,=cmd|x"]
    rows += [f"d{i},0.{i}1,0.{9 - i}2,0.{i}3" for i in range(1, 9)]
    for tab in TABS:
        app.query_params["etab"] = tab
        app.run()
        upload(app, ("odd.csv", "\n".join(rows).encode()))
        app.switch_page("pages/export.py").run()

        assert not app.exception


def test_figures_stand_below_the_shorter_column():
    """Heights are 500, 100, 100, 100: the three low figures share a column."""
    drawn = [go.Figure(layout={"width": 336, "height": h}) for h in (500, 100, 100, 100)]
    assert _columns(drawn) == [[0], [1, 2, 3]]
    wide = [go.Figure(layout={"width": 648, "height": 100})] * 2
    assert _columns(wide) == [[0, 1]]
    assert _columns([]) == []


def test_a_report_without_an_order_says_why(app):
    rows = "\n".join(
        f"d{place},{name},{fold},{0.1 + (fold * 7 + len(name)) % 5 / 50},{cost}"
        for place in range(4)
        for name, cost in (("cheap", "2"), ("dearer", "-3"))
        for fold in range(1, 6)
    )
    upload(app, ("mine.csv", f"dataset,algorithm,fold,error,price\n{rows}".encode()))
    app.session_state["ocost"], app.session_state["oelsewhere"] = "price", True
    app.query_params["etab"] = "Report"
    app.switch_page("pages/export.py").run()

    assert not app.exception
    assert (
        "No cost-aware order. Costs must be nonnegative, but dearer has negative costs."
        in texts(app)
    )
