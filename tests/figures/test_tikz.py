"""TikZ figures: everything is in them, and pdflatex sets them whatever the names are."""

import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from foldwise.figures import text, theme
from foldwise.figures.bricks_bins import bin_edges
from foldwise.figures.cd_layout import cd_layout
from foldwise.figures.decimate import thinned
from foldwise.figures.ellipses import gaussian_radius
from foldwise.figures.tikz import (
    bricks_tikz,
    cd_tikz,
    clouds_tikz,
    curves_tikz,
    ordering_tikz,
    remarks_of,
    standalone,
)
from foldwise.figures.tikz.letters import latex, name_comments, printable
from foldwise.figures.tikz.parts import number
from foldwise.figures.tikz.scales import Scale, Ticks
from foldwise.figures.tikz.words import Face
from stats_core.core.errors import SettingError
from stats_core.papers import latex_letters

HOSTILE = [
    r"a_b & 100% {x} \cmd $y$ #1 ~ ^",
    'C4.5 "pruned" --deep, [v2]; ?`',
    "naïve Bayes (ß) Łódź Ǻ ǰ ệ",
    "随机森林",
    "支持 SVM 🌲",
    "α-β½ R² x₁ → ∞ ≤ ﬁ Ｗ",
    "line\nbreak\u2028\x7f",
    "}\\end{tikzpicture}\\input{secret}",
    "^^5cinput ^^M",
]
NUMBERS = r"-?\d+(?:\.\d+)?"


@pytest.fixture
def compiled(tmp_path):
    """A function that sets a figure and returns the width and height of its page in inches."""
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is not installed: apt-get install texlive-pictures")

    def run(source):
        # Uncompressed, so that the size of the page can be read.
        document = "\\pdfobjcompresslevel=0\n" + standalone(source)
        (tmp_path / "figure.tex").write_text(document, encoding="utf-8")
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "figure.tex"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=120,
        )
        log = (tmp_path / "figure.log").read_text(errors="replace")
        assert done.returncode == 0, log[-2500:]
        # Characters that a font lacks are only noted in the log.
        assert "Missing character" not in log
        assert "Overfull" not in log
        page = (tmp_path / "figure.pdf").read_bytes()
        box = re.search(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", page)
        return float(box[1]) / 72, float(box[2]) / 72

    return run


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def folds(rng, names, count=10, scale=0.02):
    return pd.DataFrame(0.9 + scale * rng.normal(size=(count, len(names))), columns=names)


def clouds(rng, names):
    return {name: 0.5 + 0.1 * rng.normal(size=(10, 2)) for name in names}


def curves(names):
    x = np.linspace(0, 1, 40)
    powers = np.linspace(0.1, 0.8, len(names))
    return {n: pd.DataFrame({"x": x, "y": x**p}) for n, p in zip(names, powers, strict=True)}


def every_figure(rng, names, **options):
    ranks = pd.Series(np.linspace(1.2, len(names) - 0.3, len(names)), index=names)
    groups = [tuple(names[:2]), (names[0], *names[2:4])]
    return {
        "cd": cd_tikz(ranks, groups, critical_difference=(1.1, "Nemenyi"), **options),
        "bricks": bricks_tikz(folds(rng, names), measure=HOSTILE[0], **options),
        "clouds": clouds_tikz(
            clouds(rng, names), x_title=HOSTILE[0], y_title=HOSTILE[3], **options
        ),
        "curves": curves_tikz(curves(names), **options),
        "ordering": ordering_tikz(names, [(names[0], names[-1])], order=names, **options),
    }


FIGURES = ("cd", "bricks", "clouds", "curves", "ordering")
# One drawn by TikZ and one by PGFPlots stand for the others.
SOME = [
    one if one in ("cd", "curves") else pytest.param(one, marks=pytest.mark.slow) for one in FIGURES
]


# --- letters ---


def test_commands_of_tex_are_printed_as_they_stand():
    # By hand, from the LaTeX names of the ten special characters; the dollar from a math font.
    assert latex(r"_&%{}\$#~^") == (
        r"\_\&\%\{\}\textbackslash{}$\mathdollar$\#\textasciitilde{}\textasciicircum{}"
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("é", r"\'{e}"),
        ("e\u0301", r"\'{e}"),  # the same letter in two characters
        ("ï", r"\"{\i}"),
        ("ç", r"\c{c}"),
        ("ą", "a"),  # Computer Modern has no ogonek
        ("α", r"$\alpha$"),
        ("R²", r"R$^{\mathrm{2}}$"),
        ("x₁", r"x$_{\mathrm{1}}$"),
        ("½", "1/2"),
        ("Ｗ", "W"),
        ("\u22121", "$-$1"),
        ("--", "-{}-"),
        ("?`", "?{}`"),
        ("机", ""),
    ],
)
def test_letters_have_a_form_in_plain_tex(name, expected):
    assert latex(name) == expected


def test_names_that_cannot_be_printed_stay_apart_and_are_explained():
    names = ["knn", "随机", "随机 knn", "森林 knn", "name 2", "机 knn", "a\nb", "a b"]
    shown = printable(names)
    assert list(shown) == names
    assert len(set(shown.values())) == len(names)
    assert shown["knn"] == "knn"
    assert "name 2" in shown["随机"]
    assert shown["name 2"] == "name 2"
    assert shown["a b"] == "a b"
    said = "\n".join(name_comments(shown))
    assert all(name in said for name in ["随机", "随机 knn", "森林 knn", "机 knn"])
    assert '"knn"' not in said
    name_comments({"\ud800": "name 1"})[0].encode()


def test_titles_that_cannot_be_printed_are_explained(rng):
    source = clouds_tikz(clouds(rng, ["svm"]), x_title="召回率", y_title="")
    assert r"{\dots{}};" in source
    assert '% "…" stands for "召回率".' in source
    assert source.count("anchor=base]") == 2  # one name, one title


def test_every_form_there_is_compiles(compiled):
    every = {latex_letters._form(chr(code)) for code in range(0x20, 0x30000)} - {None}
    assert len(every) > 700  # Latin with accents alone are as many
    assert all(form.isascii() for form in every)
    rows = "\n".join(rf"\setbox0\hbox{{{form}}}" for form in sorted(every))
    assert compiled(f"% \\usepackage{{tikz}}\n{rows}\n\\tikz \\draw (0,0) -- (1,1);")


# --- all figures ---


def test_figures_are_ascii_but_for_comments(rng):
    for source in every_figure(rng, HOSTILE[:7]).values():
        code = [line.split(" % ")[0] for line in source.splitlines() if not line.startswith("%")]
        assert "".join(code).isascii()


def test_braces_balance_with_hostile_names(rng):
    for source in every_figure(rng, HOSTILE).values():
        code = "\n".join(re.sub(r"(?<!\\)%.*", "", line) for line in source.splitlines())
        code = code.replace(r"\{", "").replace(r"\}", "")
        assert code.count("{") == code.count("}")
        assert code.count(r"\begin{") == code.count(r"\end{")
        assert r"\input" not in code.replace(r"\textbackslash{}input", "")


@pytest.mark.parametrize(
    ("figure", "colour"),
    [("cd", True), ("bricks", False), ("clouds", True), ("curves", False), ("ordering", True)],
)
@pytest.mark.few(3)
def test_hostile_names_compile_to_the_width_asked_for(rng, compiled, figure, colour):
    source = every_figure(rng, HOSTILE, colour=colour)[figure]
    assert compiled(source)[0] == pytest.approx(3.25, abs=0.01)


@pytest.mark.parametrize("figure", SOME)
def test_hostile_titles_compile_in_sizes_that_the_fonts_lack(rng, compiled, figure):
    look = {"title": " ".join(HOSTILE), "points": 8.5, "serif": False, "width_in": 5}
    source = every_figure(rng, HOSTILE, **look)[figure]
    assert compiled(source)[0] == pytest.approx(5, abs=0.01)


def test_the_document_needs_no_package_but_those_of_the_first_line():
    source = "% Needs \\usepackage[a]{b}, \\usetikzlibrary{c}\n% \\usepackage{d}\n\\x"
    document = standalone(source)
    head = document.split(r"\begin{document}")[0]
    assert head.splitlines()[1:3] == [r"\usepackage[a]{b}", r"\usetikzlibrary{c}"]
    assert r"\usepackage{d}" not in head
    assert r"\documentclass{article}" in head


@pytest.mark.parametrize(("points", "count"), [(6, 40), (6.5, 4), (7, 14), (9, 4)])
def test_fonts_have_the_size_asked_for_and_none_is_below_six_points(rng, points, count):
    names = [f"algorithm {i}" for i in range(count)]
    for figure, source in every_figure(rng, names, points=points, title="Title").items():
        sizes = [float(size) for size in re.findall(r"\\fontsize\{([\d.]+)\}", source)]
        assert min(sizes) >= 6, figure
        # Seven eighths of 6 points would be too small: crowded diagrams are 6 points then.
        assert max(sizes) == points, figure


@pytest.mark.parametrize(("serif", "family"), [(True, "rmfamily"), (False, "sffamily")])
def test_all_words_are_of_one_family(rng, serif, family):
    for figure, source in every_figure(rng, ["svm", "knn", "rf", "lda"], serif=serif).items():
        found = re.findall(r"\\(..family)?\\fontsize", source)
        assert set(found) == {family}, figure


def test_a_size_that_computer_modern_lacks_asks_for_a_package(rng):
    for points, asked in ((8, False), (8.5, True), (14, True)):
        for source in every_figure(rng, list("abcd"), points=points).values():
            assert (r"\usepackage{fix-cm}" in source.splitlines()[0]) == asked


@pytest.mark.parametrize("figure", SOME)
def test_a_title_makes_the_picture_higher_by_its_lines(rng, compiled, figure):
    """As above the Plotly figures: 1.25 of the text size per line, 0.35 in all."""
    names = ["svm", "knn", "rf", "lda"]
    heights = []
    for title in ("", "Short", "long word " * 30):
        source = every_figure(np.random.default_rng(7), names, title=title)[figure]
        heights.append(compiled(source)[1])
        assert source.count("Short") == (title == "Short")
    size = 8 / 72
    assert heights[1] - heights[0] == pytest.approx(1.6 * size, abs=0.005)
    assert heights[2] - heights[0] == pytest.approx(4.1 * size, abs=0.005)


def test_captions_are_told_what_had_no_room():
    names = [f"an algorithm with a rather long name {i}" for i in range(30)]
    ranks = pd.Series(np.linspace(1, 30, 30), index=names)
    said = remarks_of(cd_tikz(ranks, [(names[0], names[2])]))
    assert "A dotted stretch passes algorithms that are not in the group." in said
    assert said.startswith("Shortened names: ")
    short = dict(reversed(one.split(" = ")) for one in said[17:].split(". A ")[0].split("; "))
    assert list(short) == names
    for name, now in short.items():
        head, tail = now.split("…")
        assert name.startswith(head.strip())
        assert name.endswith(tail.strip())
    left_out = re.search(
        r"Not named for want of room: (.*?)\.", remarks_of(curves_tikz(curves(names)))
    )
    assert left_out[1].split(", ") == names[-len(left_out[1].split(", ")) :]


def test_names_without_room_in_a_graph_are_told():
    names = [f"alg{i}" for i in range(90)]
    source = ordering_tikz(names, [], order=names, width_in=3)
    printed = set(re.findall(r"\{(alg\d+)\\strut\}", source))
    said = re.search(r"Without their name, for want of room: (.*)\.", remarks_of(source))
    assert set(said[1].split(", ")) == set(names) - printed
    assert 0 < len(printed) < 90
    assert remarks_of(ordering_tikz(["a", "b"], [])) == ""


def test_grey_unless_colour_is_asked_for(rng):
    names = ["svm", "knn", "rf"]
    grey = every_figure(rng, names)
    assert not any("definecolor" in source for source in grey.values())
    coloured = every_figure(rng, names, colour=True)
    for figure in ("bricks", "clouds", "curves"):
        assert r"\definecolor{foldwise1}{HTML}{0072B2}" in coloured[figure]


def test_colours_are_those_given(rng):
    """Knn has one of its own, rf none: mid-grey, as in the Plotly figures."""
    given = {"knn": "#123456", "svm": "#CC79A7"}
    names = ["svm", "knn", "rf"]
    look = {"colour": True, "colours": given}
    ranks = pd.Series([1.2, 2.0, 2.8], index=names)
    sources = [
        bricks_tikz(folds(rng, names), measure="error", **look),
        clouds_tikz(clouds(rng, names), x_title="x", y_title="y", **look),
        curves_tikz(curves(names), **look),
    ]
    defined = [re.findall(r"\\definecolor\{.*\}\{HTML\}\{(.*)\}", one) for one in sources]
    assert defined == [["CC79A7", "123456", theme.GREY[1:]]] * 3
    # In the diagram mid-grey counts as without colour.
    diagram = cd_tikz(ranks, [], **look)
    assert "123456" in diagram
    assert theme.GREY[1:] not in diagram


# --- critical difference ---

RANKS = pd.Series({"svm": 1.4, "knn": 2.1, "rf": 2.9, "lda": 4.0, "qda": 4.6})
GROUPS = [("svm", "knn"), ("knn", "lda"), ("qda",)]


def drawn(source, style):
    return [line for line in source.splitlines() if line.startswith(rf"\draw[{style}]")]


def test_diagram_has_the_stems_and_bars_of_the_page():
    source = cd_tikz(RANKS, GROUPS)
    layout = cd_layout(
        RANKS, GROUPS, style=theme.paper(serif=False), bold=list(RANKS.index), form="diagram"
    )
    stems = drawn(source, "cd stem")
    assert len(stems) == len(RANKS)
    for leader, line in zip(layout.leaders, stems, strict=True):
        places = re.findall(rf"\(({NUMBERS}),({NUMBERS})\)", line)
        assert np.allclose(np.array(places, float), leader.points, atol=0.006)
        assert line.endswith(f"% {leader.name}")
    assert sum(line.startswith("% not separated: ") for line in source.splitlines()) == 2
    assert "% not separated: knn, lda" in source
    # knn and lda are not neighbours in rank: their bar is dotted from end to end.
    assert len(drawn(source, "cd bar")) == 1
    assert len(drawn(source, "cd passed")) == 1
    assert "A dotted stretch passes" in source


def test_diagram_prints_names_and_ranks():
    source = cd_tikz(RANKS, GROUPS)
    for name, rank in RANKS.items():
        assert f"{{{name}}};" in source
        assert f"{{{rank:.2f}}};" in source


def test_ruler_is_as_long_as_its_value():
    source = cd_tikz(RANKS, GROUPS, critical_difference=(1.5, "Nemenyi"))
    axis = drawn(source, "cd axis")[0]
    (x0, x1), (a, b) = (
        [float(x) for x in re.findall(rf"\(({NUMBERS}),", line)[:2]]
        for line in (axis, drawn(source, "cd ruler")[0])
    )
    # Five algorithms: the axis runs from 1 to 5.
    assert (b - a) / (x1 - x0) == pytest.approx(1.5 / 4, abs=1e-3)
    assert "{CD = 1.500};" in source
    assert not drawn(cd_tikz(RANKS, GROUPS), "cd ruler")


def test_wide_names_get_wider_margins():
    # Computer Modern sets capitals at seven points a fifth wider than Arial.
    names = [f"ROCKET+HIVE-COTE {i}" for i in range(14)]
    ranks = pd.Series(np.linspace(1.5, 13.5, 14), index=names)
    source = cd_tikz(ranks, [], width_in=6.75)
    left = float(re.search(rf"boundingbox \(({NUMBERS}),", source)[1])
    ends = re.findall(rf"base east\] at \(({NUMBERS}),{NUMBERS}\) {{ROCKET", source)
    assert len(ends) == 7
    size = 7 * theme.PX_PER_POINT
    assert all(float(x) - 1.19 * text.width(names[6], size) > left for x in ends)


def test_best_may_be_at_the_right():
    start = {}
    for side in ("left", "right"):
        stems = drawn(cd_tikz(RANKS, [], best=side), "cd stem")
        start[side] = {s.split("% ")[1]: float(s.split("(")[1].split(",")[0]) for s in stems}
    assert start["left"]["svm"] < start["left"]["qda"]
    assert start["right"]["svm"] > start["right"]["qda"]


def test_highlighted_names_are_bold_and_coloured_if_colour_may_be_used():
    """Blue is the first colour of the palette, for the first of the data."""
    grey = cd_tikz(RANKS, GROUPS, highlight=["svm"])
    assert r"{\textbf{svm}};" in grey
    assert "definecolor" not in grey
    coloured = cd_tikz(RANKS, GROUPS, highlight=["svm"], colour=True)
    assert r"\definecolor{foldwise1}{HTML}{0072B2}" in coloured
    assert r"text=foldwise1] at" in coloured
    assert coloured.count(r"\textbf") == 1


def test_all_pairs_differ_is_said_unless_told_otherwise():
    assert "{All 10 pairs differ.};" in cd_tikz(RANKS, [])
    assert "differ." not in cd_tikz(RANKS, [], note="")
    assert r"{my \_note};" in cd_tikz(RANKS, [], note="my _note")


@pytest.mark.parametrize(("k", "marks"), [(24, 0), (25, 1)])
def test_many_algorithms_are_a_list(k, marks, compiled):
    ranks = pd.Series(np.linspace(1.5, k - 0.5, k), index=[f"a{i}" for i in range(k)])
    source = cd_tikz(ranks, [tuple(ranks.index[:5])], width_in=6.75)
    assert source.count("% average ranks") == marks
    assert compiled(source)[0] == pytest.approx(6.75, abs=0.01)


# --- bricks ---


def bricks_of(source):
    pattern = rf"\(axis cs:({NUMBERS}),({NUMBERS})\) rectangle \(axis cs:({NUMBERS}),({NUMBERS})\)"
    return np.array(re.findall(pattern, source), dtype=float)


def test_one_brick_per_fold_in_shared_bins(rng):
    table = folds(rng, ["svm", "knn", "rf"])
    source = bricks_tikz(table, measure="accuracy", higher_is_better=True)
    bricks = bricks_of(source)
    assert len(bricks) == table.size
    edges = bin_edges(table.to_numpy())
    assert np.isin(bricks[:, [0, 2]].round(6), edges.round(6)).all()
    for row, name in zip(np.split(bricks, 3), table, strict=True):
        # As many bricks over each bin as numpy counts there, one on top of the other.
        heights = [len(set(row[np.isclose(row[:, 0], e), 1])) for e in edges[:-1]]
        assert heights == np.histogram(table[name], edges)[0].tolist()
    assert all(f"{{{name}}};" in source for name in table)
    assert "{accuracy, higher is better};" in source


def test_ticks_and_means_stand_at_the_values(rng):
    table = folds(rng, ["svm", "knn"])
    source = bricks_tikz(table, measure="accuracy", form="rows")
    marks = {
        kind: [
            [float(x) for x in re.findall(rf"\(({NUMBERS}),", line)]
            for line in source.splitlines()
            if line.startswith(rf"\addplot[fw {kind}]")
        ]
        for kind in ("folds", "mean")
    }
    for j, name in enumerate(table):
        assert np.allclose(marks["folds"][j], np.sort(table[name]), atol=1e-5)
        assert marks["mean"][j] == pytest.approx([table[name].mean()], abs=1e-5)


def test_two_algorithms_face_each_other_with_a_line_per_fold():
    """Lower is better: a wins the first two folds, loses the third, ties in the fourth."""
    table = pd.DataFrame({"a": [0.1, 0.2, 0.5, 0.3], "b": [0.2, 0.4, 0.1, 0.3]})
    source = bricks_tikz(table, measure="error", higher_is_better=False)
    bricks = bricks_of(source)
    assert len(bricks) == 8
    up, down = bricks[:4], bricks[4:]
    assert (up[:, 1] < up[:, 3]).all()
    assert (down[:, 1] > down[:, 3]).all()
    assert up[:, 1].min() > down[:, 1].max()
    links = {
        kind: np.array(
            re.findall(rf"cs:({NUMBERS}),{NUMBERS}\) -- \(axis cs:({NUMBERS}),", line), float
        ).tolist()
        for kind in ("solid", "dashed", "dotted")
        for line in drawn(source, f"fw {kind}")
    }
    assert links == {
        "solid": [[0.1, 0.2], [0.2, 0.4]],
        "dashed": [[0.5, 0.1]],
        "dotted": [[0.3, 0.3]],
    }
    assert "{mean 0.28};" in source or "{mean 0.275};" in source
    assert source == bricks_tikz(table, measure="error", higher_is_better=False, form="overlaid")
    rows = bricks_tikz(table, measure="error", higher_is_better=False, form="rows")
    assert "fw solid" not in rows


@pytest.mark.parametrize("points", [6, 9, 16, 24])
@pytest.mark.parametrize("count", [1, 40, 200])
def test_facing_bricks_have_room_in_any_size(rng, points, count):
    table = folds(rng, ["svm", "knn"], count)
    source = bricks_tikz(table, measure="error", points=points, width_in=6)
    bricks = bricks_of(source)
    height = float(re.search(rf"ymax=({NUMBERS})", source)[1])
    assert bricks[:, [1, 3]].min() > 0
    assert bricks[:, [1, 3]].max() < height
    first = bricks[bricks[:, 3] > bricks[:, 1]]
    assert len(first) in (
        len(bricks) / 2,
        np.count_nonzero(np.histogram(table["svm"], bin_edges(table.to_numpy()))[0]),
    )


def test_black_bricks_have_white_edges(rng):
    names = [f"a{i}" for i in range(8)]
    source = bricks_tikz(folds(rng, names), measure="accuracy", colour=True)
    # The seventh colour of the palette is black.
    assert source.count("fill=foldwise7, draw=white") == 10
    assert source.count("draw=white") == 10


def test_many_folds_are_bars_and_many_algorithms_ticks(rng):
    table = folds(rng, ["svm"], 61)
    bars = bricks_of(bricks_tikz(table, measure="accuracy"))
    filled = np.histogram(table["svm"], bin_edges(table.to_numpy()))[0]
    assert len(bars) == (filled > 0).sum()
    many = bricks_tikz(folds(rng, [f"a{i}" for i in range(9)]), measure="accuracy")
    assert not len(bricks_of(many))
    assert many.count(r"\addplot[fw folds]") == 9


@pytest.mark.parametrize(
    "values",
    [
        np.full((10, 2), 0.25),
        pytest.param(np.zeros((1, 1)), marks=pytest.mark.slow),
        1e-9 * np.arange(1, 21.0).reshape(10, 2),
        pytest.param(2e7 + np.arange(20.0).reshape(10, 2), marks=pytest.mark.slow),
        -1e12 * np.arange(20.0).reshape(10, 2),
        pytest.param(0.98765 + 1e-6 * np.arange(20.0).reshape(10, 2), marks=pytest.mark.slow),
    ],
    ids=["constant", "one zero", "tiny", "far from zero", "huge", "close together"],
)
@pytest.mark.few(1)
def test_values_of_any_size_compile(values, compiled):
    table = pd.DataFrame(values, columns=list("ab")[: values.shape[1]])
    source = bricks_tikz(table, measure="time")
    assert not re.search(r"\d{6,}\.?\d*[,)]", "".join(re.findall(r"\(axis cs.*", source)))
    assert compiled(source)[0] == pytest.approx(3.25, abs=0.01)
    pairs = {name: np.column_stack([table[name], table[name]]) for name in table}
    assert compiled(clouds_tikz(pairs, x_title="x", y_title="y"))


@pytest.mark.parametrize("values", [[[np.nan]], [[np.inf]], np.empty((0, 2))])
def test_bricks_refuse_holes(values):
    with pytest.raises(SettingError, match="finite"):
        bricks_tikz(pd.DataFrame(values), measure="x")


# --- clouds ---


def test_contours_are_the_ellipses_of_the_folds(rng):
    table = rng.multivariate_normal([0.2, 0.8], [[0.002, 0.001], [0.001, 0.003]], 15)
    source = clouds_tikz({"svm": table}, x_title="fpr", y_title="tpr")
    lines = source.splitlines()
    for level in (0.5, 0.9):
        line = lines[lines.index(f"% contour of {100 * level:g} %") + 1]
        ring = np.array(re.findall(rf"\(({NUMBERS}),({NUMBERS})\)", line), dtype=float)
        away = ring - table.mean(axis=0)
        squared = np.einsum("ij,jk,ik->i", away, np.linalg.inv(np.cov(table.T)), away)
        assert np.allclose(squared, gaussian_radius(level) ** 2, rtol=0.01)
        assert f"({number(table[0, 0], 5)},{number(table[0, 1], 5)})" in source
    assert "{svm};" in source
    assert "{fpr};" in source
    assert "{tpr};" in source


def test_algorithms_differ_in_mark_and_dash(rng):
    source = clouds_tikz(clouds(rng, list("abcdef")), x_title="x", y_title="y")
    assert len(set(re.findall(r"only marks, (mark=[^,]*, .*?), mark options", source))) >= 6
    assert len(set(re.findall(r"no marks, black, line width=0.45bp, ([^\]]*)\]", source))) == 6
    # As in the Plotly figure, colour takes the place of dashes, not that of marks.
    source = clouds_tikz(clouds(rng, list("abcdef")), x_title="x", y_title="y", colour=True)
    dashes = re.findall(r"no marks, foldwise\d, line width=0.45bp, ([^\],]*)", source)
    assert dashes == ["solid"] * 6
    assert len(set(re.findall(r"only marks, mark=([^,]*), mark size=1.65bp", source))) == 6


def test_names_stand_inside_the_figure(rng):
    source = clouds_tikz(clouds(rng, ["svm", "knn", "rf"]), x_title="", y_title="")
    box = re.search(rf"\(({NUMBERS}),({NUMBERS})\) rectangle \(({NUMBERS}),({NUMBERS})\)", source)
    left, bottom, right, top = (float(side) for side in box.groups())
    places = re.findall(rf"fw name, anchor=base\] at \(({NUMBERS}),({NUMBERS})\)", source)
    assert len(places) == 3
    for x, y in np.array(places, dtype=float):
        assert left < x < right
        assert bottom < y < top


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "of none"),
        ({"a": np.zeros((3, 3))}, "two columns"),
        ({"a": np.array([[np.nan, 1.0]])}, "finite"),
    ],
)
def test_clouds_refuse_what_cannot_be_drawn(given, words):
    with pytest.raises(SettingError, match=words):
        clouds_tikz(given, x_title="x", y_title="y")


def test_shares_are_between_nothing_and_all():
    with pytest.raises(SettingError, match="between 0 and 1"):
        clouds_tikz({"a": np.eye(2)}, x_title="x", y_title="y", levels=(90,))


# --- curves ---


def test_curves_are_the_points_given():
    given = curves(["svm", "knn"])
    source = curves_tikz(given)
    for name, table in given.items():
        line = source.splitlines()[source.splitlines().index(f"% {name}") + 1]
        places = np.array(re.findall(rf"\(({NUMBERS}),({NUMBERS})\)", line), dtype=float)
        assert np.allclose(places, table.to_numpy(), atol=5e-5)
        assert max(len(n.partition(".")[2]) for n in re.findall(NUMBERS, line)) <= 4
        assert rf"\addlegendentry{{{name}\strut}}" in source
    assert source.count("% guessing") == 1


def test_precision_and_recall_have_the_share_of_positives_instead_of_the_diagonal():
    source = curves_tikz(curves(["svm"]), kind="pr", baseline=0.25)
    assert "(0,0.25) (1,0.25)" in source
    assert "{share of positives 0.25};" in source
    assert "{recall};" in source
    assert "% guessing" not in curves_tikz(curves(["svm"]), kind="pr")


def test_the_legend_keeps_out_of_the_way():
    x = np.linspace(0, 1, 50)
    low = pd.DataFrame({"x": x, "y": 0.3 * (1 - x)})
    assert "anchor=south east" in curves_tikz({"svm": pd.DataFrame({"x": x, "y": x**0.2})})
    assert "anchor=north" in curves_tikz({"svm": low, "knn": low / 2}, kind="pr")


def test_the_legend_does_not_cover_the_share_of_positives():
    """High curves leave the corners at the left to the legend, a line through them does not."""
    x = np.linspace(0, 1, 50)
    high = {f"algorithm {i}": pd.DataFrame({"x": x, "y": 1 - x**8 / (i + 2)}) for i in range(6)}
    source = curves_tikz(high, kind="pr", baseline=0.3)
    at = re.search(rf"legend style=.at=.\(({NUMBERS}),({NUMBERS})\)., anchor=(\w+)", source)
    side = float(re.search(rf"width=({NUMBERS})bp, height", source)[1])
    low, tall = float(at[2]), 6 * 1.35 * 8 / side
    assert at[3] == "south"
    assert low > 0.3 or low + tall < 0.3


def test_curves_without_points_are_left_out():
    empty = pd.DataFrame({"x": [0.0, 1.0], "y": [np.nan, np.nan]})
    assert "{none}" not in curves_tikz({**curves(["svm"]), "none": empty})
    with pytest.raises(SettingError, match="at least one algorithm"):
        curves_tikz({"none": empty})


def test_many_curves_have_marks_and_count_who_has_no_entry(compiled):
    given = curves([f"a{i}" for i in range(40)])
    tables = thinned(list(given.values()))
    source = curves_tikz(dict(zip(given, tables, strict=True)))
    entries = re.findall(r"\\addlegendentry\{(a\d+|and (\d+) more)\\strut\}", source)
    assert int(entries[-1][1]) + len(entries) - 1 == 40
    assert source.count("only marks") == 40
    assert compiled(source)


def test_other_kinds_are_refused():
    with pytest.raises(SettingError, match='"roc" or "pr"'):
        curves_tikz(curves(["a"]), kind="lift")


# --- scales ---


@pytest.mark.parametrize(
    ("low", "high"), [(0.8, 0.95), (-1e-9, 3e-9), (1e6, 1e6 + 3), (-4e11, 2e11), (0.98, 0.9801)]
)
def test_coordinates_are_those_that_tex_can_hold(low, high):
    scale = Scale.of(low, high)
    written = [float(scale.write(value)) for value in (low, (low + high) / 2, high)]
    # TeX's largest number is 16383; a thousandth of the axis is less than half a px.
    assert max(map(abs, written)) < 16383
    assert np.allclose(np.diff(written), (high - low) / 2 * scale.factor, rtol=2e-3)


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.8, 1.0, ["0.80", "0.85", "0.90", "0.95", "1.00"]),
        (-2, 2, ["−2", "−1", "0", "1", "2"]),
        (2730, 4730, ["3,000", "3,500", "4,000", "4,500"]),
    ],
)
def test_ticks_are_round(low, high, labels):
    # By hand: 200 px at 10 px text leave room for four to six labels.
    ticks = Ticks.along(low, high, 200, Face(10), 0.0, 20)
    assert list(ticks.labels) == labels


def test_ticks_of_tiny_values_share_a_power_of_ten():
    ticks = Ticks.along(0, 4e-10, 300, Face(10), 0.0, 30)
    assert ticks.written[0].startswith("0")
    assert ticks.written[-1] == r"4$\cdot10^{-10}$"
