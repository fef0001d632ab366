import pandas as pd
import pytest

from foldwise import cd_diagram
from foldwise.figures import theme
from foldwise.figures.cd_diagram import CDDiagram
from tests.figures.drawn_figures import named

# Garcia and Herrera 2008, table 2: average ranks of five classifiers on 30 data sets.
RANKS = pd.Series({"C4.5": 2.1, "NaiveBayes": 2.2, "CN2": 3.117, "1-NN": 3.25, "Kernel": 4.333})
GROUPS = [("C4.5", "NaiveBayes", "CN2"), ("NaiveBayes", "CN2", "1-NN"), ("1-NN", "Kernel")]
CD = (1.114, "Nemenyi, α = 0.05")
GAPPED = [("C4.5", "CN2"), ("NaiveBayes", "CN2"), ("Kernel",)]


def printed(fig):
    """Return all texts of a figure, in annotations and in text traces."""
    texts = [a.text for a in fig.layout.annotations]
    for trace in named(fig, "text"):
        texts += trace.text
    return texts


def test_names_and_ranks_are_printed(style):
    texts = printed(cd_diagram(RANKS, groups=GROUPS, style=style))
    assert {*RANKS.index, "2.10", "2.20", "3.12", "3.25", "4.33"} <= set(texts)
    assert {"1", "2", "3", "4", "5"} <= set(texts)


def test_the_ruler_has_words_on_the_screen_and_the_value_in_print(style):
    texts = printed(cd_diagram(RANKS, groups=GROUPS, style=style, critical_difference=CD))
    expected = "CD = 1.114" if style.printed else "CD = 1.114 (Nemenyi, α = 0.05)"
    assert expected in texts


def test_the_ruler_is_as_long_as_the_critical_difference():
    fig = cd_diagram(RANKS, groups=GROUPS, style=theme.paper(), critical_difference=CD)
    ruler, axis = named(fig, "critical difference")[0], named(fig, "axis")[0]
    assert (ruler.x[1] - ruler.x[0]) / (axis.x[1] - axis.x[0]) == pytest.approx(1.114 / 4)


def test_without_a_single_difference_there_is_no_ruler(style):
    fig = cd_diagram(RANKS, groups=GROUPS, style=style)
    assert not named(fig, "critical difference")
    assert not any("CD" in t for t in printed(fig))


def test_plain_groups_have_bars_without_dots(style):
    fig = cd_diagram(RANKS, groups=GROUPS, style=style)
    solid = named(fig, "groups")[0]
    assert solid.line.dash is None
    assert sum(v is None for v in solid.x) == len(GROUPS)
    assert not named(fig, "passed over")
    assert not named(fig, "members")
    assert len(named(fig, "caps")[0].x) == 2 * len(GROUPS)


def test_a_gap_is_dotted_and_all_members_get_dots(style):
    fig = cd_diagram(RANKS, groups=GAPPED, style=style)
    dotted = named(fig, "passed over")[0]
    assert dotted.line.dash == "dot"
    assert dotted.line.width < named(fig, "groups")[0].line.width
    assert len(named(fig, "members")[0].x) == 4
    assert not named(fig, "caps")


def test_marks_keep_full_strength(style):
    fig = cd_diagram(RANKS, groups=GAPPED, style=style)
    for trace in fig.data:
        if trace.type == "scatter" and trace.mode == "markers":
            assert trace.marker.opacity == 1
            assert trace.unselected.marker.opacity == 1


def test_clicks_name_groups_and_algorithms(style):
    fig = cd_diagram(RANKS, groups=GROUPS, style=style)
    assert fig.layout.clickmode == "event+select"
    bars = named(fig, "group targets")[0]
    assert sorted(map(tuple, bars.customdata)) == sorted(GROUPS)
    labels = named(fig, "label targets")[0]
    assert set(labels.customdata) == set(RANKS.index)
    assert labels.marker.size == 16
    members = named(fig, "member targets")[0]
    assert sorted({tuple(m) for m in members.customdata}) == sorted(GROUPS)


def test_customdata_survives_the_way_to_the_browser():
    import json

    fig = json.loads(cd_diagram(RANKS, groups=GROUPS, style=theme.screen()).to_json())
    bars = next(t for t in fig["data"] if t["name"] == "group targets")
    assert bars["customdata"][0] == list(GROUPS[0])


def test_hover_has_at_most_five_lines_and_names_p(style):
    p = pd.DataFrame(0.5, RANKS.index, RANKS.index)
    p.loc["C4.5", "CN2"] = p.loc["CN2", "C4.5"] = 0.21337
    fig = cd_diagram(RANKS, groups=GROUPS, style=style, pvalues=p)
    for trace in fig.data:
        for words in trace.hovertext or ():
            assert words.count("<br>") <= 4
    first = named(fig, "member targets")[0].hovertext[0]
    assert first.startswith("<b>C4.5 2.10</b>")
    assert "CN2, adjusted p = 0.213" in first


def test_names_are_text_everywhere(style):
    ranks = pd.Series({"<b>a</b>": 1.2, "b & c": 1.8})
    fig = cd_diagram(ranks, groups=[("<b>a</b>", "b & c")], style=style)
    assert "&lt;b&gt;a&lt;/b&gt;" in printed(fig)
    assert "b &amp; c" in printed(fig)
    hover = [h for t in fig.data for h in (t.hovertext or ())]
    assert hover
    assert not any("<b>a</b>" in h for h in hover)
    assert all(t.hovertemplate is None for t in fig.data)
    assert list(named(fig, "group targets")[0].customdata[0]) == ["<b>a</b>", "b & c"]


def test_all_different_is_said_and_draws_no_bar(style):
    ranks = pd.Series(range(1, 9), [f"a{i}" for i in range(8)], dtype=float)
    fig = cd_diagram(ranks, groups=[(n,) for n in ranks.index], style=style)
    assert "All 28 pairs differ significantly." in printed(fig)
    assert not named(fig, "groups")
    assert not named(fig, "group targets")


def test_nothing_different_is_one_bar_over_all(style):
    fig = cd_diagram(RANKS, groups=[tuple(RANKS.index)], style=style)
    assert sum(v is None for v in named(fig, "groups")[0].x) == 1


@pytest.mark.parametrize("groups", [[], [("a", "b")]])
def test_two_algorithms(style, groups):
    fig = cd_diagram(pd.Series({"a": 1.3, "b": 1.7}), groups=groups, style=style)
    assert ("The pair differs significantly." in printed(fig)) is (not groups)
    assert len(named(fig, "groups")) == len(groups)


def test_print_has_a_size_and_the_screen_stretches():
    paper = cd_diagram(RANKS, groups=GROUPS, style=theme.paper())
    assert paper.layout.width == 312
    assert paper.layout.height == pytest.approx(100, abs=15)
    screen = cd_diagram(RANKS, groups=GROUPS, style=theme.screen())
    assert screen.layout.width is None
    assert screen.layout.height == pytest.approx(130, abs=15)


@pytest.mark.parametrize("k", [3, 13])
def test_no_text_on_paper_is_below_six_points(k):
    ranks = pd.Series(range(1, k + 1), [f"a{i}" for i in range(k)], dtype=float)
    fig = cd_diagram(ranks, groups=[], style=theme.paper())
    assert min(named(fig, "text")[0].textfont.size) >= (9.3 if k > 12 else 10.6)


def test_the_best_side_turns_the_axis():
    left = cd_diagram(RANKS, groups=GROUPS, style=theme.paper())
    right = cd_diagram(RANKS, groups=GROUPS, style=theme.paper(), best="right")

    def x_of(fig, label):
        words = named(fig, "text")[0]
        return words.x[list(words.text).index(label)]

    assert x_of(left, "1") < x_of(left, "5")
    assert x_of(right, "1") > x_of(right, "5")
    assert x_of(right, "C4.5") > x_of(right, "Kernel")


def test_what_is_not_selected_fades():
    fig = cd_diagram(RANKS, groups=GROUPS, style=theme.screen(), selected=("1-NN", "Kernel"))
    strengths = {a.text: a.opacity for a in fig.layout.annotations}
    assert strengths["Kernel"] == 1
    assert strengths["C4.5"] == 0.25
    faint, strong = (named(fig, name)[0] for name in ("groups behind", "groups"))
    assert (faint.opacity, strong.opacity) == (0.25, 1)


def test_highlighted_names_are_bold_and_coloured_by_the_order_of_the_data():
    fig = cd_diagram(RANKS, groups=GROUPS, style=theme.screen(), highlight=["CN2"])
    (label,) = (a for a in fig.layout.annotations if "CN2" in a.text)
    assert label.text == "<b>CN2</b>"
    assert label.font.color == theme.PALETTE[2]
    paper = cd_diagram(RANKS, groups=GROUPS, style=theme.paper(), highlight=["CN2"])
    words = named(paper, "text")[0]
    assert words.textfont.color[list(words.text).index("<b>CN2</b>")] == "#000000"


def caption(ranks, groups, *, style, **fields):
    return CDDiagram(average_ranks=ranks, groups=groups, **fields).caption(style)


def alt(ranks, groups, **fields):
    return CDDiagram(average_ranks=ranks, groups=groups, **fields).alt


def test_names_in_print_shrink_to_six_points_before_the_form_changes():
    forms = {}
    for inches in (3.25, 2.2, 1.7):
        style = theme.paper(inches)
        fig = cd_diagram(RANKS, groups=GROUPS, style=style)
        words = named(fig, "text")[0]
        assert min(words.textfont.size) >= theme.LEAST_POINTS * theme.PX_PER_POINT
        forms[inches] = CDDiagram(average_ranks=RANKS, groups=GROUPS).form_in(style)
        if forms[inches] == "diagram":
            whole = {word.replace("<br>", "") for word in words.text}
            assert set(RANKS.index) <= whole, "no name is cut"
    assert tuple(forms.values()) == ("diagram", "diagram", "list")


def test_the_list_form_has_a_row_per_algorithm():
    fig = cd_diagram(RANKS, groups=GROUPS, style=theme.screen(), form="list")
    ranks = named(fig, "ranks")[0]
    assert len(set(ranks.y)) == 5
    assert list(ranks.x) == sorted(ranks.x)
    assert len({x for x in named(fig, "groups")[0].x if x is not None}) == 3


def test_the_caption_explains_dots_and_short_names():
    said = caption(
        RANKS, GROUPS, style=theme.paper(), tests="Holm", critical_difference=(1.0, ""), total=70
    )
    assert said == (
        "Ranks are averages (1 = best). Bars connect algorithms that do not differ significantly (Holm). "
        "Two algorithms differ significantly if their average ranks differ by at least the critical difference (CD). "
        f"Only the {len(RANKS)} best of 70 algorithms are drawn."
    )
    assert "All pairs differ significantly." in caption(RANKS, [], style=theme.paper())
    dotted = "Dotted parts of a bar skip algorithms outside the group."
    assert caption(RANKS, GAPPED, style=theme.paper()).endswith(dotted)
    assert dotted not in said
    long = pd.Series({"a" * 80: 1.2, "b": 1.8})
    assert f"= {'a' * 80}." in caption(long, [], style=theme.paper())


def test_the_alternative_text_names_the_groups_and_stays_short():
    words = alt(RANKS, GROUPS, measure="accuracy", over="30 data sets")
    assert words == (
        "Critical-difference diagram of accuracy for 5 algorithms on 30 data sets. "
        "Lowest average rank: C4.5 (2.10). Highest: Kernel (4.33). "
        "No significant difference within: {C4.5, NaiveBayes, CN2}, {NaiveBayes, CN2, 1-NN}, {1-NN, Kernel}."
    )
    many = pd.Series(range(1, 41), [f"{'name ' * 10}{i}" for i in range(40)], dtype=float)
    assert len(alt(many, [tuple(many.index)])) <= 300


def shown(fig, step):
    """Return the groups drawn at a step of the slider, and the changes of the layout."""
    moved, seen, places = step.args
    bars = [fig.data[i].name for i in places].index("group targets")
    return {tuple(group) for group in moved["customdata"][bars]}, seen


@pytest.mark.parametrize("form", ["diagram", "list"])
def test_the_slider_moves_groups_and_nothing_else(form):
    levels = {0.001: [tuple(RANKS.index)], 0.05: GROUPS, 0.1: GAPPED, 0.2: []}
    about = {"levels": levels, "alpha": 0.05, "critical_difference": CD, "form": form}
    fig = cd_diagram(RANKS, groups=GROUPS, style=theme.screen(), **about)
    (slider,) = fig.layout.sliders
    assert [s.label for s in slider.steps] == ["0.001", "0.05, chosen", "0.1", "0.2"]
    assert slider.steps[slider.active].label == "0.05, chosen"
    for (level, groups), step in zip(levels.items(), slider.steps, strict=True):
        found, seen = shown(fig, step)
        assert found == {group for group in groups if len(group) > 1}
        assert set(seen.values()) == {level == 0.05}, "CD is of one level"
    # at the chosen level the step says what is drawn, and it is what is drawn without a slider
    moved, _, places = slider.steps[slider.active].args
    for place, x in zip(places, moved["x"], strict=True):
        assert list(fig.data[place].x or ()) == list(x)
    plain = cd_diagram(
        RANKS, groups=GROUPS, style=theme.screen(), critical_difference=CD, form=form
    )
    same = [sorted(named(one, "group targets")[0].customdata) for one in (fig, plain)]
    assert same[0] == same[1]
    paper = theme.paper()
    assert (
        cd_diagram(RANKS, groups=GROUPS, style=paper, **about).to_json()
        == cd_diagram(
            RANKS, groups=GROUPS, style=paper, critical_difference=CD, form=form
        ).to_json()
    )


def test_the_caption_describes_the_slider_on_the_screen_only():
    about = {"tests": "Holm, α = 0.05", "levels": {0.01: GAPPED}, "alpha": 0.05}
    said = caption(RANKS, GROUPS, style=theme.screen(), **about)
    assert "slider" in said
    assert "Dotted" in said, "a step has one"
    assert caption(RANKS, GROUPS, style=theme.paper(), **about) == caption(
        RANKS, GROUPS, style=theme.paper(), tests=about["tests"]
    )
