"""Tests that marks with a click hint have customdata, and that pages handle clicks on them."""

from pathlib import Path

import plotly.graph_objects as go
import pytest

from foldwise.figures import axis_parts, theme, traces
from foldwise.web import clicks
from stats_core.data.settings import Settings
from tests.figures.sample_figures import COUNTS, made
from tests.figures.test_registry import CASES

ROOT = Path(__file__).parents[2]


def promises(trace):
    """Return whether the hover text of a trace has a click hint."""
    said = [trace.hovertemplate, trace.hovertext]
    return "Click" in str([list(one) if isinstance(one, tuple) else one for one in said])


@pytest.mark.parametrize("kind", CASES)
def test_every_promise_of_a_click_is_kept(kind):
    (file, settings), with_order, _ = CASES[kind]
    analysis, _, drawn = made(file, settings, with_order=with_order)
    known = {*analysis.results.algorithms, *analysis.results.datasets}
    seen = set()
    for drawing in drawn:
        fig = drawing.figure(theme.screen())
        listed = {(what, frozenset(names)) for what, names in clicks.selectable_marks(fig).values()}
        for trace in fig.data:
            printed = (
                trace.name == "names"
            )  # these are underlined where the pointer is, see page.css
            assert promises(trace) == (trace.meta in traces.CLICK_ACTIONS and not printed), (
                drawing.name,
                trace.name,
            )
            if printed:
                assert len(trace.text) == len(trace.customdata)
                assert {(trace.meta, frozenset([name])) for name in trace.customdata} <= listed
            if not promises(trace):
                continue
            assert clicks.answers_clicks(fig)
            assert trace.type == "bar" or "markers" in trace.mode, "Plotly picks no point of a line"
            picks = [clicks.selection_of_mark(trace.meta, one) for one in trace.customdata]
            asked = [one for one in trace.hovertext or () if "Click" in one]
            assert len([one for one in picks if one]) >= len(asked), (drawing.name, trace.name)
            for what, names in filter(None, picks):
                assert what in traces.CLICK_ACTIONS
                assert what in ("fold", "theta") or set(names) <= known
                assert (what, frozenset(names)) in listed, "whoever cannot click has a list"
                seen.add(what)
        assert not any(promises(trace) for trace in traces.without_offers(fig).data), drawing.name
    assert seen, "no figure of this kind answers a click"


@pytest.mark.parametrize("start", ["rank_map_", "wins_", "ranks_", "from_best_", "pairs_"])
def test_names_of_algorithms_and_data_sets_can_be_clicked(start):
    wins = (COUNTS, Settings(measures=("fpr", "tpr"), correction="bonferroni"))
    analysis, _, drawn = made(*(wins if start == "wins_" else CASES["several over data sets"][0]))
    drawing = next(each for each in drawn if each.name.startswith(start))
    names, sets = analysis.order, analysis.results.datasets
    fig = drawing.in_colours(theme.colours(names)).figure(theme.screen())

    marks = list(
        fig.select_traces(
            lambda trace: trace.type == "scatter" and trace.mode == "markers" and trace.text
        )
    )
    connected = {(trace.meta, name) for trace in marks for name in trace.customdata}
    expected = {name for name in names if start != "from_best_" or name != names[0]}
    assert {name for kind, name in connected if kind != "data set"} == expected
    assert {name for kind, name in connected if kind == "data set"} == (
        set(sets) if start == "rank_map_" else set()
    )
    labels = {
        label
        for axis in (*fig.select_xaxes(), *fig.select_yaxes())
        for label in axis.ticktext or ()
    }
    labels |= {note.text for note in fig.layout.annotations}
    assert all(set(trace.text) <= labels for trace in marks), "figures.js compares them"
    assert not any(trace.name == "names" for trace in drawing.figure(theme.paper(3.25)).data)


def test_names_at_curves_and_in_text_can_be_clicked_and_numbers_only_on_axes_of_names():
    fig = go.Figure(layout={"annotations": [{"text": "rf"}, {"text": "5"}, {"text": "rf better"}]})
    fig.add_scatter(mode="text", text=["<b>svm</b>", "0.3"], x=[1, 2], y=[1, 2])
    fig.update_xaxes(**axis_parts.names_axis([0, 1], ["5", "7"])).update_yaxes(
        **axis_parts.tick_axis([5], ["5"])
    )
    traces.connect_names(fig, theme.colours(["rf", "svm", "5", "7"]), theme.screen())

    (names,) = (trace for trace in fig.data if trace.name == "names")
    assert sorted(names.customdata) == ["5", "7", "rf", "svm"]
    assert fig.layout.yaxis.ticktext == ("5",)


def test_only_one_place_says_what_a_click_does_and_one_listens_to_it():
    sources = [*ROOT.glob("foldwise/**/*.py"), *ROOT.glob("pages/*.py")]
    assert len(sources) > 50
    assert [one.name for one in sources if "Click:" in one.read_text("utf-8")] == ["traces.py"]
    listening = [one.name for one in sources if 'selection_mode="points"' in one.read_text("utf-8")]
    assert listening == ["components.py"], "there a list stands beside the figure"


@pytest.mark.parametrize(
    ("kind", "customdata", "expected"),
    [
        ("group", ["a", "b"], ("group", ("a", "b"))),
        ("group", "a", ("algorithm", ("a",))),
        ("pair", ["a", "b"], ("pair", ("a", "b"))),
        ("pair", ["a", "a"], None),
        ("data set", ["iris", "a"], ("data set", ("iris",))),
        ("algorithm", [["a"]], ("algorithm", ("a",))),
        ("theta", 0.3, ("theta", (0.3,))),
        (None, "a", None),
    ],
)
def test_a_mark_stands_for_what_its_trace_says(kind, customdata, expected):
    assert clicks.selection_of_mark(kind, customdata) == expected


@pytest.mark.parametrize("kind", CASES)
def test_what_is_continuous_can_be_enlarged_on_the_screen_only(kind):
    (file, settings), with_order, _ = CASES[kind]
    *_, drawn = made(file, settings, with_order=with_order)
    known = (
        "differences",
        "difference_",
        "intervals",
        "scatter",
        "paired",
        "roc",
        "contours",
        "qq",
    )
    for drawing in drawn:
        fig = drawing.figure(theme.screen())
        axes = [*fig.select_xaxes(), *fig.select_yaxes()]
        assert axis_parts.can_zoom(fig) == any(axis.fixedrange is False for axis in axes)
        assert axis_parts.can_zoom(fig) or not drawing.name.startswith(known), drawing.name
        if axis_parts.can_zoom(fig):
            assert not axis_parts.can_zoom(drawing.figure(theme.paper(3.25))), drawing.name
        for axis in axes:
            turned = "more ticks than a window has room for are turned, over the title of the axis"
            assert axis.plotly_name[0] == "y" or axis.nticks in (None, 6), turned
            for stop in axis.tickformatstops:
                step = stop.dtickrange[0] or 1.0
                numbers = [format(i * step / 0.99, stop.value) for i in range(1, 4)]
                assert len(set(numbers)) == 3, "the decimals of a step tell its ticks apart"
