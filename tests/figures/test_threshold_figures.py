"""Tests of the figures of threshold sweeps with risk curves, and of cost curves."""

import itertools

import numpy as np
import pandas as pd
import pytest

from foldwise.figures import text, theme
from foldwise.figures.cost_curves import CostCurves, place_names
from foldwise.figures.label_placement import Plane
from foldwise.figures.loss_winners import LossWinners, SweepPlot, loss_words
from foldwise.figures.traces import series_styles
from stats_core.core.errors import SettingError
from tests.figures.conftest import STYLES
from tests.figures.drawn_figures import named, strict, unescaped

THETAS = np.linspace(0, 1, 21)
NAMES = ["knn", "<b>svm", "mdt & co"]


def risks_of(names):
    trivial = np.minimum(THETAS, 1 - THETAS)
    return pd.DataFrame({n: trivial * (0.3 + 0.01 * i) for i, n in enumerate(names)}, THETAS)


@pytest.fixture
def winners():
    table = pd.DataFrame("", ["knn / <b>svm", "knn / mdt & co"], THETAS)
    table.iloc[0, :14] = "knn"
    table.iloc[0, 18:] = "<b>svm"
    return table


@pytest.fixture
def tallies(winners):
    return pd.DataFrame(
        {"text": ["knn 14 : 3, p = 0.006", "0 : 0, p > 0.999"], "hover": ["14 of 21 <i>", ""]},
        winners.index,
    )


def cells(fig, name):
    """Return (row, theta) of every symbol of one algorithm."""
    return {
        (y, round(x, 2))
        for t in named(fig, name)
        if t.yaxis == "y2"
        for x, y in zip(t.x, t.y, strict=True)
    }


def words(fig, name):
    return [a.text for a in fig.layout.annotations if a.name == name]


def sizes(fig):
    """Return all text sizes of a figure in px."""
    found = [a.font.size for a in fig.layout.annotations if a.font.size]
    for axis in ("xaxis", "yaxis", "yaxis2"):
        found += [fig.layout[axis].tickfont.size] if axis in fig.layout else []
    return [s for s in found if s]


def test_a_cell_shows_the_symbol_of_its_winner(winners, style):
    fig = LossWinners(winners=winners, risks=risks_of(NAMES)).draw(style)
    (knn,) = (t for t in named(fig, "knn") if t.yaxis == "y2")
    (svm,) = (t for t in named(fig, "&lt;b&gt;svm") if t.yaxis == "y2")

    assert cells(fig, "knn") == {(0, round(t, 2)) for t in THETAS[:14]}
    assert cells(fig, "&lt;b&gt;svm") == {(0, 0.9), (0, 0.95), (0, 1.0)}
    assert len(cells(fig, "no difference")) == 2 * 21 - 17
    assert knn.marker.symbol == "circle"
    assert svm.marker.symbol == "square"
    assert knn.marker.opacity == 1


def test_cells_and_curves_carry_their_theta(winners, style):
    fig = LossWinners(winners=winners, risks=risks_of(NAMES)).draw(style)
    (bars,) = named(fig, "cells")

    np.testing.assert_allclose(bars.customdata, np.tile(THETAS, 2))
    np.testing.assert_allclose(bars.x, bars.customdata)
    for name in ("knn", "&lt;b&gt;svm", "mdt &amp; co"):
        (curve,) = (t for t in named(fig, name) if t.meta == "theta")
        np.testing.assert_allclose(curve.customdata, THETAS)
        np.testing.assert_allclose(curve.y, risks_of(NAMES)[unescaped(name)])


def test_hover_says_theta_lambda_and_what_the_page_adds_as_text(winners):
    hover = pd.DataFrame("<i>wins</i>\np = 0.004", winners.index, winners.columns)
    (plain,) = named(
        LossWinners(winners=winners, risks=risks_of(NAMES)).draw(STYLES["light"]), "cells"
    )
    fig = LossWinners(winners=winners, risks=risks_of(NAMES), hover=hover).draw(STYLES["light"])
    (said,) = named(fig, "cells")

    assert plain.hovertext[0] == (
        "<b>θ = 0, λ = 0</b><br>knn / &lt;b&gt;svm: knn wins<br>Click: set θ"
    )
    assert plain.hovertext[20].startswith("<b>θ = 1, λ = ∞</b><br>")
    assert "no significant difference" in plain.hovertext[21]
    assert (
        said.hovertext[16]
        == "<b>θ = 0.8, λ = 4</b><br>&lt;i&gt;wins&lt;/i&gt;<br>p = 0.004<br>Click: set θ"
    )


def test_theta_ticks_have_lambda_below(winners, style):
    axis = LossWinners(winners=winners, risks=risks_of(NAMES)).draw(style).layout.xaxis
    # lambda = theta / (1 - theta): 0, 1 and infinity at 0, 0.5 and 1 (formulas, 6.16).
    lines = dict(zip(np.round(axis.tickvals, 2), axis.ticktext, strict=True))
    assert lines[0.0].startswith("0<br>")
    assert ">0</span>" in lines[0.0]
    assert ">∞</span>" in lines[1.0]
    assert loss_words(0.75) == "θ = 0.75, λ = 3"


@pytest.mark.parametrize("count", [1, 3, 21])
def test_theta_labels_never_overlap(winners, every_style, count):
    some = winners.iloc[:, :: 20 // max(count - 1, 1)] if count > 1 else winners.iloc[:, :1]
    risks = risks_of(NAMES).loc[some.columns]
    plot = SweepPlot(LossWinners(winners=some, risks=risks), every_style)
    axis = LossWinners(winners=some, risks=risks).draw(every_style).layout.xaxis
    per_px = 2 * plot.half / plot.column
    for (a, left), (b, right) in itertools.pairwise(zip(axis.tickvals, axis.ticktext, strict=True)):
        half = [
            max(
                text.text_width(w, every_style.tick_size, every_style.serif)
                for w in strip(t).split("<br>")
            )
            / 2
            for t in (left, right)
        ]
        assert (b - a) / per_px > sum(half)


def strip(ticktext):
    """Return both lines of a tick label, without the colour of the second."""
    first, second = ticktext.split("<br>")
    return f"{first}<br>{second.partition('>')[2].removesuffix('</span>')}"


def test_tallies_stand_beside_their_rows_and_inside_the_figure(winners, tallies, style):
    fig = LossWinners(winners=winners, risks=risks_of(NAMES), tallies=tallies).draw(style)
    notes = {a.y: a for a in fig.layout.annotations if a.name == "tally"}

    assert notes[0].text == "knn 14 : 3, p = 0.006"
    assert notes[0].hovertext == "<b>knn / &lt;b&gt;svm</b><br>14 of 21 &lt;i&gt;"
    assert notes[1].hovertext is None
    margin = fig.layout.margin
    plot = style.width - margin.l - margin.r
    for note in notes.values():
        end = margin.l + note.x * plot + note.xshift
        assert end + text.text_width(note.text, note.font.size, style.serif) <= style.width


def test_long_names_leave_room_for_the_cells(every_style):
    long = ["a very long algorithm name of a careful author", "another one that is as long"]
    rows = pd.DataFrame(long[0], [" / ".join(long)], THETAS)
    tally = pd.DataFrame({"text": [f"{long[0]} 21 : 0, p < 0.001"]}, rows.index)
    fig = LossWinners(winners=rows, risks=risks_of(long), tallies=tally).draw(every_style)
    margin = fig.layout.margin

    assert every_style.width - margin.l - margin.r > 0.28 * every_style.width
    (label,) = fig.layout.yaxis2.ticktext
    assert "…" in label or every_style.width > 400
    assert len(set(words(fig, "key"))) == 2
    # The name gives way, the numbers do not.
    (told,) = words(fig, "tally")
    assert told.startswith("a ve")
    assert told.endswith(" 21 : 0, p &lt; 0.001")


def test_the_current_theta_is_framed(winners, style):
    fig = LossWinners(winners=winners, risks=risks_of(NAMES), theta=0.8).draw(style)
    (box,) = fig.layout.shapes
    assert (box.x0, box.x1) == pytest.approx((0.775, 0.825))
    assert not LossWinners(winners=winners, risks=risks_of(NAMES)).draw(style).layout.shapes


def test_undefined_risks_are_gaps(winners, style):
    risks = risks_of(NAMES)
    risks.iloc[3, 0] = np.nan
    risks.iloc[4, 0] = np.inf
    risks["mdt & co"] = np.nan
    fig = LossWinners(winners=winners, risks=risks).draw(style)
    (curve,) = (t for t in named(fig, "knn") if t.meta == "theta")

    assert curve.y[3] is None
    assert curve.y[4] is None
    assert "undefined" in curve.hovertext[3]
    strict(fig)


def test_numbers_of_wins_where_columns_hold_them_and_dots_of_their_size_where_not():
    names = [f"a{i}" for i in range(34)]
    rng = np.random.default_rng(0)
    counts = pd.DataFrame(rng.integers(0, 34, (34, 21)), names, THETAS)
    wide = LossWinners(winners=counts, risks=risks_of(names)).draw(theme.screen())
    (numbers,) = named(wide, "wins")
    shown = {
        (y, round(x, 2)): w for x, y, w in zip(numbers.x, numbers.y, numbers.text, strict=True)
    }
    assert len(shown) == int((counts > 0).to_numpy().sum())
    bold = [w for w in numbers.text if w.startswith("<b>")]
    assert len(bold) == int(counts.eq(counts.max()).to_numpy().sum())

    narrow = LossWinners(winners=counts, risks=risks_of(names)).draw(theme.paper())
    (dots,) = named(narrow, "wins")
    assert dots.mode == "markers"
    assert dots.marker.opacity == 1
    most = counts.to_numpy().max()
    areas = np.square(dots.marker.size)
    expected = [counts.iloc[y, round(20 * x)] / most for x, y in zip(dots.x, dots.y, strict=True)]
    # The smallest marks stay visible, so only the larger ones are in proportion.
    large = np.array(expected) > 0.1
    np.testing.assert_allclose((areas / areas.max())[large], np.array(expected)[large], rtol=1e-6)
    assert "wins against" in named(narrow, "cells")[0].hovertext[0]


def test_print_without_colour_is_ink_white_and_grey(winners):
    fig = LossWinners(winners=winners, risks=risks_of(NAMES), theta=0.5).draw(theme.paper())
    greys = {"#000000", "#FFFFFF", theme.paper().leader, theme.paper().faint}
    for trace in fig.data:
        if trace.type == "scatter":
            assert {trace.marker.color, trace.line.color} - {None} <= greys
    fills = {
        t.marker.color
        for name in ("knn", "&lt;b&gt;svm")
        for t in named(fig, name)
        if t.mode == "markers"
    }
    assert fills == {"#000000", "#FFFFFF"}


def test_lines_in_print_differ_by_dash():
    names = [f"a{i}" for i in range(6)]
    dashes = {look.dash for look in series_styles(names, theme.paper()).values()}
    assert len(dashes) == 6


def test_algorithms_keep_the_look_of_other_pages(winners):
    fig = LossWinners(
        winners=winners,
        risks=risks_of(NAMES),
        colours={"knn": "#123456"},
        symbols_of={"knn": "star"},
    ).draw(theme.screen())
    (marks,) = (t for t in named(fig, "knn") if t.yaxis == "y2")
    assert (marks.marker.color, marks.marker.symbol) == ("#123456", "star")


def test_with_many_algorithms_only_highlighted_ones_are_in_the_key(every_style):
    names = [f"a{i}" for i in range(40)]
    counts = pd.DataFrame(1, names, THETAS)
    hues = theme.colours(names, ["a3", "a7"], every_style.dark)
    fig = LossWinners(winners=counts, risks=risks_of(names), colours=hues).draw(every_style)
    assert sorted(words(fig, "key")) == ["a3", "a7"]


def test_names_of_the_key_never_overlap(every_style):
    names = [f"a{i}" for i in range(8)]
    fig = LossWinners(winners=pd.DataFrame("", ["a0 / a1"], THETAS), risks=risks_of(names)).draw(
        every_style
    )
    notes = [a for a in fig.layout.annotations if a.name == "key"]
    height = fig.layout.height - fig.layout.margin.t - fig.layout.margin.b
    px = height * fig.layout.yaxis.domain[1] / fig.layout.yaxis.range[1]
    places = sorted(a.y * px for a in notes)
    # Print has room for seven of the eight curves or more, the screen for all.
    assert len(places) >= 6
    assert min(np.diff(places)) >= 1.1 * notes[0].font.size


def test_a_figure_of_one_cell_can_be_drawn(style):
    fig = LossWinners(
        winners=pd.DataFrame([["a"]], ["a / b"], [0.5]), risks=risks_of("ab").loc[[0.5]]
    ).draw(style)
    assert cells(fig, "a") == {(0, 0.5)}
    strict(fig)


def test_text_in_print_has_six_points_or_more(winners, tallies):
    for style in (STYLES["column"], STYLES["page"]):
        fig = LossWinners(winners=winners, risks=risks_of(NAMES), tallies=tallies).draw(style)
        assert min(sizes(fig)) >= 8


def test_sweeps_that_do_not_fit_are_refused(winners):
    with pytest.raises(SettingError, match="2 rows and 0 columns"):
        LossWinners(winners=winners.iloc[:, :0], risks=risks_of(NAMES)).draw(STYLES["light"])
    with pytest.raises(SettingError, match="different thresholds"):
        LossWinners(winners=winners, risks=risks_of(NAMES).iloc[1:]).draw(STYLES["light"])


def test_the_sweep_in_words(winners):
    def sweep(table):
        return LossWinners(winners=table, risks=pd.DataFrame(index=table.columns))

    # 14 and 3 cells of the first row were set above.
    assert sweep(winners.iloc[:1]).alt == (
        "Threshold sweep of 1 pair at 21 thresholds. knn wins at 14 of 21 thresholds, <b>svm at 3."
    )
    assert "no significant difference at any threshold" in sweep(winners).alt
    counts = pd.DataFrame([[1, 0], [2, 3]], ["a", "b"], [0.0, 1.0])
    assert "Total wins: b 5, a 1." in sweep(counts).alt
    many = pd.DataFrame("x" * 90, [f"{'y' * 90} {i}" for i in range(30)], THETAS)
    assert len(sweep(many).alt) <= 300
    assert "λ" in sweep(winners).caption(theme.screen())
    assert "Number" in sweep(counts).caption(theme.screen())


PC = np.linspace(0, 1, 41)


def envelope(share):
    return pd.DataFrame({"pc": PC, "cost": share * np.minimum(PC, 1 - PC)})


@pytest.fixture
def envelopes():
    return {"knn": envelope(0.3), "<b>svm": envelope(0.8)}


def test_envelopes_lie_under_the_triangle_of_the_trivial_classifiers(envelopes, style):
    fig = CostCurves(envelopes=envelopes).draw(style)
    for name, share in (("knn", 0.3), ("&lt;b&gt;svm", 0.8)):
        (curve,) = (t for t in named(fig, name) if t.mode == "lines")
        np.testing.assert_allclose(curve.y, share * np.minimum(PC, 1 - PC))
        assert curve.customdata[0] == [name.replace("&lt;", "<").replace("&gt;", ">")]
    (negative,), (positive,) = (named(fig, f"always {c}") for c in ("negative", "positive"))
    assert (negative.y, positive.y) == ((0, 1), (1, 0))
    assert set(words(fig, "trivial")) <= {
        "always negative",
        "always positive",
        "always<br>negative",
        "always<br>positive",
    }
    assert fig.layout.yaxis.range[1] >= 0.5


def test_operating_points_are_lines_from_fpr_to_fnr(envelopes, style):
    # NE = fnr PC + fpr (1 - PC): fpr at PC 0, fnr at PC 1 (formulas, 6.16).
    lines = {"knn": pd.DataFrame({"fpr": [0.1, np.nan], "fnr": [0.3, 0.2]})}
    fig = CostCurves(envelopes=envelopes, lines=lines, at=0.3).draw(style)
    (drawn,) = named(fig, "knn operating points")
    assert (drawn.x, drawn.y) == ((0, 1, None), (0.1, 0.3, None))
    (mark,) = named(fig, "at")
    assert mark.x == (0.3, 0.3)
    strict(fig)


def test_costs_above_one_half_widen_the_axis(style):
    table = pd.DataFrame({"pc": [0.0, 1.0], "cost": [0.1, 0.9]})
    top = CostCurves(envelopes={"bad": table}).draw(style).layout.yaxis.range[1]
    assert top > 0.9


def test_names_stand_clear_of_every_curve(envelopes, every_style):
    fig = CostCurves(envelopes=envelopes).draw(every_style)
    assert set(words(fig, "algorithm")) == {"knn", "&lt;b&gt;svm"}
    margin = fig.layout.margin
    total = min(every_style.width, every_style.px(600, every_style.width))
    width = total - margin.l - margin.r
    height = fig.layout.height - margin.t - margin.b
    for note in (a for a in fig.layout.annotations if a.name == "algorithm"):
        half = text.text_width(unescaped(note.text), every_style.size, every_style.serif) / 2
        for trace in fig.data:
            if trace.mode != "lines":
                continue
            xs = np.linspace(0, 1, 400)
            ys = np.interp(xs, trace.x, trace.y)
            near = np.abs(xs - note.x) * width < half
            gap = np.abs((ys[near] - note.y) * height / fig.layout.yaxis.range[1] + note.ay)
            assert note.ax == 0
            assert gap.min() > 0.4 * every_style.size


def test_curves_too_close_for_names_get_a_key(style):
    close = {f"a{i}": envelope(0.30 + 0.002 * i) for i in range(8)}
    fig = CostCurves(envelopes=close).draw(style)
    assert words(fig, "algorithm") == []
    assert [t.name for t in fig.data if t.showlegend] == list(close)
    roomy = CostCurves(envelopes={"a": envelope(0.3)}).draw(style)
    assert fig.layout.margin.t > roomy.layout.margin.t
    assert fig.layout.height - fig.layout.margin.t == pytest.approx(
        roomy.layout.height - roomy.layout.margin.t, abs=1
    )


def test_low_curves_have_an_axis_of_their_own(style):
    """On an axis up to 0.53, costs of at most 0.06 would be indistinguishable."""
    low = {"knn": envelope(0.12), "svm": envelope(0.06)}
    fig = CostCurves(envelopes=low).draw(style)
    assert 0.06 < fig.layout.yaxis.range[1] <= 0.1


def test_a_name_finds_no_place_in_a_plot_smaller_than_it():
    plane = Plane(x=(0, 1), y=(0, 1), width=20, height=20)
    curve = {"a": np.array([[0, 0.5], [1, 0.5]])}
    assert place_names({"a": "a long name"}, curve, [], plane, theme.paper()) is None


def test_cost_curves_in_words(envelopes):
    # The largest costs are 0.3 / 2 and 0.8 / 2.
    spec = CostCurves(envelopes=envelopes)
    many = CostCurves(envelopes={f"{'n' * 80}{i}": envelope(0.3) for i in range(30)})
    lines = {"knn": pd.DataFrame({"fpr": [0.1], "fnr": [0.2]})}

    assert spec.alt == "Cost curves of 2 algorithms. Largest expected cost: knn 0.15, <b>svm 0.4."
    assert len(many.alt) <= 300
    assert "Thin" in CostCurves(envelopes=envelopes, lines=lines).caption(theme.screen())
    assert "Thin" not in spec.caption(theme.screen())


def test_no_envelope_is_refused():
    with pytest.raises(SettingError, match="`envelopes` is empty"):
        CostCurves(envelopes={}).draw(STYLES["light"])


def test_undefined_costs_leave_a_figure(style):
    holes = envelope(0.3)
    holes.loc[5:9, "cost"] = np.nan
    fig = CostCurves(envelopes={"a": holes}).draw(style)
    (curve,) = (t for t in named(fig, "a") if t.mode == "lines")
    assert curve.y[5] is None
    strict(fig)
