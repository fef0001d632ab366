import itertools
import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from foldwise.figures import cd_layout, ordering_strip, theme
from foldwise.figures.ordering_strip import OrderingStrip, StripFrame
from stats_core.data.settings import Settings
from tests.figures.conftest import STYLES
from tests.figures.drawn_figures import named
from tests.figures.sample_figures import UCI, made

MEANS = pd.Series(
    {
        "knn": 7.07,
        "rf": 5.87,
        "svm2": 6.28,
        "lda": 6.10,
        "qda": 6.30,
        "c4.5": 7.81,
        "mlp": 6.45,
        "svm1": 6.58,
    }
)
ORDER = ["rf", "lda", "svm2", "qda", "mlp", "svm1", "knn", "c4.5"]
GAPPED = [("rf", "lda", "qda"), ("lda", "svm2", "qda", "mlp", "svm1"), ("svm1", "knn")]
PLAIN = [("rf", "lda", "svm2"), ("svm2", "qda", "mlp", "svm1"), ("svm1", "knn"), ("c4.5",)]


def strip(means=MEANS, groups=PLAIN, style=STYLES["light"], **given):
    given = {"higher_is_better": False, "measure": "error (%)"} | given
    return OrderingStrip(means=means, groups=groups, **given).draw(style)


def alt_strip(means, groups, **fields):
    return OrderingStrip(means=means, groups=groups, **fields).alt


def caption_strip(means, groups, *, higher_is_better=False):
    strip = OrderingStrip(
        means=means, groups=groups, measure="error", higher_is_better=higher_is_better
    )
    return strip.caption(theme.screen())


def words(fig):
    """Yield text, x, y, colour and opacity of every text in text traces."""
    for trace in named(fig, "text"):
        yield from zip(
            trace.text,
            trace.x,
            trace.y,
            trace.textfont.color,
            [trace.opacity] * len(trace.x),
            strict=True,
        )


def printed(fig):
    return [w[0] for w in words(fig)] + [a.text for a in fig.layout.annotations]


def place(fig):
    return {w[0]: w[1] for w in words(fig)}


def segments(fig, name):
    """Yield (x0, x1, y) of every segment of the traces with a name, where x0 is the left end."""
    for trace in named(fig, name):
        for i in range(0, len(trace.x), 3):
            yield (*sorted(trace.x[i : i + 2]), trace.y[i])


def chinese(k):
    return [f"朴素贝叶斯{i}" for i in range(k)]


def wordy(k):
    return [f"Gradient boosting with feature selection ({i:02})" for i in range(k)]


@pytest.mark.parametrize("higher", [False, True])
@pytest.mark.parametrize("best", ["left", "right"])
def test_names_stand_by_the_direction_evenly_spaced(style, higher, best):
    fig = strip(style=style, higher_is_better=higher, best=best)
    x = [place(fig)[name] for name in ORDER]
    steps = np.diff(x)
    assert steps == pytest.approx([steps[0]] * 7)
    assert bool(steps[0] > 0) is (higher == (best == "right"))


def test_equal_means_keep_the_order_given():
    means = pd.Series({"b": 0.5, "a": 0.5, "c": 0.7, "d": 0.5})
    for higher, order in ((True, "cbad"), (False, "badc")):
        x = place(strip(means, [], higher_is_better=higher))
        assert "".join(sorted("abcd", key=x.get)) == order


def test_the_mean_stands_below_its_name(style):
    fig = strip(style=style)
    at = {w[0]: w[1:3] for w in words(fig)}
    for name, mean in (("rf", "5.87"), ("lda", "6.10"), ("c4.5", "7.81")):
        assert at[mean][0] == at[name][0]
        assert at[mean][1] > at[name][1]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([6.1, 5.0], ["5.0", "6.1"]),
        ([6.28, 6.3, 7.8], ["6.28", "6.30", "7.80"]),
        ([0.91, 0.71], ["0.71", "0.91"]),
        ([0.9123, 0.9124, 0.95], ["0.9123", "0.9124", "0.9500"]),
        ([0.3, 0.1 + 0.2, 1.3], ["0.3", "0.3", "1.3"]),
        ([0.912345, 0.912346], ["0.9123", "0.9123"]),
        ([-1.5, 2.0], ["2.0", "−1.5"]),
        ([0.5, 0.5], ["0.50", "0.50"]),
        ([2e-5, 3.21e-5], ["2e−05", "3.21e−05"]),
    ],
)
def test_means_have_the_decimals_that_tell_neighbours_apart(values, expected):
    means = pd.Series(values, [f"n{i}" for i in range(len(values))])
    texts = printed(strip(means, [tuple(means.index)], measure="error"))
    assert sorted(t for t in texts if not t.startswith("n")) == expected


@pytest.mark.parametrize("best", ["left", "right"])
def test_an_underline_covers_the_middle_of_its_end_cells(style, best):
    fig = strip(style=style, best=best)
    x = place(fig)
    cell = abs(x["lda"] - x["rf"])
    found = sorted(s[:2] for s in segments(fig, "groups"))
    expected = []
    for group in PLAIN[:3]:
        ends = sorted((x[group[0]], x[group[-1]]))
        expected.append((ends[0] - 0.38 * cell, ends[1] + 0.38 * cell))
    assert np.allclose(found, sorted(expected))
    assert not named(fig, "passed over")
    assert not named(fig, "members")
    assert not named(fig, "caps")


@pytest.mark.parametrize("best", ["left", "right"])
def test_a_skipped_algorithm_is_passed_dotted_and_all_members_get_dots(style, best):
    fig = strip(groups=GAPPED, style=style, best=best)
    x = place(fig)
    ((a, b, y),) = segments(fig, "passed over")
    dotted, solid = named(fig, "passed over")[0], named(fig, "groups")[0]
    assert dotted.line.dash == "dot"
    assert dotted.line.width == style.px(1, 0.6)
    assert solid.line.width == style.px(3, 1.8)
    assert a < x["svm2"] < b
    assert not any(a < x[name] < b for name in ORDER if name != "svm2")
    mine = [s for s in segments(fig, "groups") if s[2] == y]
    assert {a, b} <= {end for s in mine for end in s[:2]}
    assert not any(s[0] <= x["svm2"] <= s[1] for s in mine)
    dots = named(fig, "members")[0]
    assert len(dots.x) == sum(map(len, GAPPED))
    assert dots.marker.opacity == 1
    assert set(dots.x) == {x[name] for group in GAPPED for name in group}


@pytest.mark.parametrize("k", [4, 8, 12])
def test_underlines_in_one_row_never_overlap(style, k):
    rng = np.random.default_rng(k)
    names = [f"a{i}" for i in range(k)]
    means = pd.Series(np.arange(k) / 10, names)
    for _ in range(8):
        sizes = rng.integers(2, k, size=5)
        groups = [tuple(rng.choice(names, size, replace=False)) for size in sizes]
        fig = strip(means, groups, style)
        if named(fig, "ranks"):
            continue
        bars = named(fig, "group targets")[0]
        reach: dict[tuple, list] = {}
        for start, length, y, members in zip(
            bars.base, bars.x, bars.y, bars.customdata, strict=True
        ):
            reach.setdefault((tuple(members), y), []).extend([start, start + length])
        for (first, a), (second, b) in combinations(reach.items(), 2):
            if first[1] == second[1]:
                assert max(a) < min(b) or max(b) < min(a)


def test_rows_of_underlines_have_the_pitch_of_the_surface(style):
    fig = strip(style=style)
    rows = sorted({s[2] for s in segments(fig, "groups")})
    assert len(rows) == 2
    assert rows[1] - rows[0] == pytest.approx(style.px(9, 6))


def test_heights_are_those_measured():
    assert strip().layout.height == 66
    assert strip().layout.width is None
    paper = strip(style=theme.paper())
    assert (paper.layout.width, paper.layout.height) == (312, 48)
    assert strip(groups=[tuple(ORDER)]).layout.height == 57
    assert strip(letters=pd.Series(dict.fromkeys(ORDER, "a"))).layout.height > 66


def test_nothing_leaves_the_figure(every_style):
    for groups in (PLAIN, GAPPED, [], [tuple(ORDER)]):
        fig = strip(groups=groups, style=every_style, letters=pd.Series(dict.fromkeys(ORDER, "ab")))
        low, high = fig.layout.xaxis.range
        size = 0.5 * every_style.size
        for _, x, y, _, _ in words(fig):
            assert size <= y <= fig.layout.height - size
            assert low < x < high
        for a, b, y in segments(fig, "groups"):
            assert low <= a < b <= high
            assert y < fig.layout.height


def test_nothing_separated_is_one_bar_and_all_differ_is_said(style):
    assert len(list(segments(strip(groups=[tuple(ORDER)], style=style), "groups"))) == 1
    fig = strip(groups=[(n,) for n in ORDER], style=style)
    assert "All 28 pairs differ significantly." in printed(fig)
    assert not named(fig, "groups")
    assert not named(fig, "group targets")
    assert "All 28 pairs differ significantly." not in printed(strip(style=style))
    pair = pd.Series({"a": 0.2, "b": 0.3})
    assert "The pair differs significantly." in printed(strip(pair, [], style))


def test_letters_stand_above_the_names(style):
    letters = pd.Series({"rf": "ab", "c4.5": "d"})
    at = {w[0]: w[1:3] for w in words(strip(groups=[], style=style, letters=letters))}
    assert "All 28 pairs differ significantly." not in at
    for name, letter in letters.items():
        assert at[letter][0] == at[name][0]
        assert at[letter][1] < at[name][1] - style.tick_size


def test_groups_that_are_too_many_are_left_to_the_table(monkeypatch):
    analysis, style = made(UCI, Settings(dataset="australian"))[0], theme.paper(3.25)
    monkeypatch.setattr(ordering_strip, "_MOST_GROUPS", 0)
    one = ordering_strip.strip_drawing(analysis, title="many groups")
    assert (
        f"The {len(analysis.groups)} groups without significant differences are too many to be drawn."
        in one.caption(style)
    )
    assert not named(one.figure(style), "groups")
    assert not any("differ" in word for word in printed(one.figure(style)))


def test_clicks_name_groups_and_algorithms(style):
    fig = strip(groups=GAPPED, style=style)
    assert fig.layout.clickmode == "event+select"
    data = json.loads(fig.to_json())["data"]
    custom = {t["name"]: t["customdata"] for t in data if "customdata" in t}
    assert custom["label targets"] == ORDER
    assert {tuple(g) for g in custom["group targets"]} == set(GAPPED)
    assert sorted({tuple(g) for g in custom["member targets"]}) == sorted(GAPPED)
    # Two kinds of bars, each where it was put.
    assert fig.layout.barmode == "overlay"


def test_a_name_takes_the_pointer_where_it_stands(style):
    fig = strip(groups=GAPPED, style=style)
    at = {w[0]: w[1:3] for w in words(fig)}
    target = named(fig, "label targets")[0]
    below = min(s[2] for s in segments(fig, "groups"))
    for name, base, length, y, tall in zip(
        target.customdata, target.base, target.x, target.y, target.width, strict=True
    ):
        assert base < at[name][0] < base + length
        assert y - tall / 2 < at[name][1] < y + tall / 2 < below


def test_hover_names_mean_and_groups_in_at_most_five_lines():
    fig = strip(groups=GAPPED)
    hover = dict(zip(ORDER, named(fig, "label targets")[0].hovertext, strict=True))
    assert hover["lda"].startswith("<b>lda 6.10%</b><br>in groups 1 and 2<br>")
    assert "<br>in group 1<br>" in hover["rf"]
    assert "<br>differs significantly from all others<br>" in hover["c4.5"]
    assert "lower is better" in hover["rf"]
    bars = named(fig, "group targets")[0]
    said = {tuple(m): h for m, h in zip(bars.customdata, bars.hovertext, strict=True)}
    assert said[GAPPED[0]].startswith("<b>Group 1</b>: rf, lda, qda<br>no significant difference")
    member = named(fig, "member targets")[0]
    assert member.hovertext[0].startswith("<b>rf 5.87%</b><br><b>Group 1</b>")
    for trace in fig.data:
        assert trace.hovertemplate is None
        assert all(h.count("<br>") <= 4 for h in trace.hovertext or ())


@pytest.mark.parametrize("k", [2, 13])
def test_names_are_text_everywhere(style, k):
    names = ["<b>a</b>", "b & c", *[f"n{i}" for i in range(k - 2)]]
    means = pd.Series(np.arange(k) + 0.5, names)
    letters = pd.Series({"b & c": "<i>"})
    fig = strip(means, [tuple(names)], style, measure="<u>m</u>", letters=letters)
    assert {"&lt;b&gt;a&lt;/b&gt;", "b &amp; c", "&lt;i&gt;"} <= set(printed(fig))
    said = [h for t in fig.data for h in (t.hovertext or ())] + printed(fig)
    assert not any("<b>a</b>" in s or "b & c" in s or "<u>" in s or "<i>" in s for s in said)
    assert list(named(fig, "group targets")[0].customdata[0])[:2] == names[:2]


def test_what_is_not_selected_fades():
    fig = strip(selected=("svm1", "knn"))
    strength = {w[0]: w[4] for w in words(fig)}
    assert strength["knn"] == strength["7.07"] == strength["svm1"] == 1
    assert strength["rf"] == strength["5.87"] == 0.25
    assert [named(fig, f"groups{one}")[0].opacity for one in (" behind", "")] == [0.25, 1]


def test_highlight_is_bold_and_coloured_by_the_order_of_the_data():
    def colour(style=STYLES["light"], **given):
        found = {w[0]: w[3] for w in words(strip(style=style, highlight=["rf", "qda"], **given))}
        return found["<b>rf</b>"], found["<b>qda</b>"], found["lda"]

    ink = STYLES["light"].ink
    assert colour() == (theme.PALETTE[1], theme.PALETTE[4], ink)
    assert colour(STYLES["dark"])[1] == theme.PALETTE_DARK[4]
    assert colour(colours={"rf": "#123456"})[0] == "#123456"
    assert colour(theme.paper()) == ("#000000",) * 3


def test_a_bold_name_is_not_cut_where_a_plain_one_fits():
    fig = strip(highlight=["rf"], style=theme.screen(width=482))
    assert set(ORDER) - {"rf"} <= set(printed(fig))


@pytest.mark.parametrize(("k", "listed"), [(2, False), (12, False), (13, True), (34, True)])
def test_more_than_twelve_are_listed(k, listed):
    means = pd.Series(np.arange(k) / 10, [f"a{i}" for i in range(k)])
    fig = strip(means, [("a0", "a1")])
    assert bool(named(fig, "ranks")) is listed


def test_long_names_are_listed_unless_there_is_room():
    means = pd.Series(np.arange(5) / 10, wordy(5))
    groups = [tuple(means.index[:2])]
    assert named(strip(means, groups, theme.paper()), "ranks")
    assert not named(strip(means[:2], groups), "ranks")
    # One long name among short ones may be wider than a cell, but not at the edge.
    for names, whole in ((["a", "Gradient boosting", "c"], True), (["Gradient boosting"], False)):
        rest = [f"n{i}" for i in range(5 - len(names))]
        fig = strip(means.set_axis(names + rest), [], theme.paper(4.0))
        assert not named(fig, "ranks")
        assert ("Gradient boosting" in printed(fig)) is whole


@pytest.mark.parametrize("higher", [False, True])
@pytest.mark.parametrize("best", ["left", "right"])
def test_the_list_has_the_best_on_top_and_at_its_side(style, higher, best):
    values = np.linspace(0.61, 0.93, 13)
    means = pd.Series(values, [f"a{i:02}" for i in range(13)])
    fig = strip(means, [("a00", "a01")], style, measure="auc", higher_is_better=higher, best=best)
    marks = named(fig, "ranks")[0]
    assert list(marks.y) == sorted(marks.y)
    assert (marks.x[0] < marks.x[-1]) is (best == "left")
    texts = printed(fig)
    assert ("← better" if best == "left" else "better →") in texts
    assert {"auc", "0.61", "0.93"} <= set(texts)
    # Marks stand where their means lie between two labelled ticks.
    axis = named(fig, "axis")[0].y[0]
    ticks = {float(w[0]): w[1] for w in words(fig) if w[2] < axis and w[0][0] == "0"}
    ticks |= {float(a.text): a.x for a in fig.layout.annotations if a.y < axis and a.text[0] == "0"}
    scale = ticks[0.8] - ticks[0.7]
    span = (marks.x[0] - marks.x[-1]) * (1 if higher else -1)
    assert span / scale == pytest.approx(0.32 / 0.1)


def test_list_columns_carry_their_groups_and_stay_dotted_over_the_skipped():
    names = [f"a{i:02}" for i in range(13)]
    means = pd.Series(np.arange(13.0), names)
    groups = [("a00", "a02"), ("a01", "a02", "a03")]
    fig = strip(means, groups, letters=pd.Series(dict.fromkeys(names, "xy")))
    assert sorted({tuple(g) for g in named(fig, "group targets")[0].customdata}) == groups
    assert set(named(fig, "label targets")[0].customdata) == set(names)
    assert len(named(fig, "passed over")) == 1
    assert printed(fig).count("xy") == 13
    said = named(fig, "group targets")[0].hovertext
    assert {h.split("</b>")[0] for h in said} == {"<b>Group 1", "<b>Group 2"}


@pytest.mark.parametrize(
    ("k", "scale", "names"),
    [
        (2, 1, wordy),
        (5, 100, chinese),
        (8, 0, wordy),
        (12, 1e-7, chinese),
        (13, 1e12, chinese),
        (34, 1e-7, wordy),
    ],
)
def test_all_sizes_can_be_drawn(style, k, scale, names):
    means = pd.Series((np.arange(k) // 2 + 80) / 100 * scale, names(k))
    groups = [tuple(means.index[i : i + 3]) for i in range(0, k, 2)]
    fig = strip(means, groups, style, measure="a measure with a rather long name " * 3)
    json.loads(fig.to_json())
    assert len(set(printed(fig))) >= k


def test_what_cannot_be_ordered_is_refused():
    with pytest.raises(ValueError, match="at least two algorithms, but got 1"):
        strip(pd.Series({"a": 1.0}), [])
    with pytest.raises(ValueError, match="mean of 'b' is not"):
        strip(pd.Series({"a": 1.0, "b": np.nan}), [])


def test_the_caption_explains_dots():
    assert caption_strip(MEANS, PLAIN) == ""
    sentence = "Dotted parts of a line skip algorithms outside the group."
    assert caption_strip(MEANS, GAPPED) == sentence
    tied = pd.Series({"a": 1.0, "b": 2.0, "c": 2.0})
    assert caption_strip(tied, [("a", "c")]) == sentence
    assert caption_strip(tied, [("a", "c")], higher_is_better=True) == ""


def test_the_alternative_text_names_order_and_groups():
    said = alt_strip(MEANS, GAPPED, measure="error (%)", higher_is_better=False)
    assert said == (
        "Ordering of 8 algorithms by mean error (%), best rf 5.87%, worst c4.5 7.81%. "
        "Order: rf, lda, svm2, qda, mlp, svm1, knn, c4.5. Underlined together: {rf, lda, qda}, "
        "{lda, svm2, qda, mlp, svm1}, {svm1, knn}."
    )
    upside = alt_strip(MEANS, [], measure="score", higher_is_better=True)
    assert upside.endswith(
        "Order: c4.5, knn, svm1, mlp, qda, svm2, lda, rf. All 28 pairs differ significantly."
    )


@pytest.mark.parametrize("k", [2, 12, 34])
def test_the_alternative_text_stays_short(k):
    means = pd.Series(np.arange(k) / 10, [f"{'name ' * 9}{i}" for i in range(k)])
    for groups in ([], [tuple(means.index)], list(combinations(means.index, 2))[:20]):
        said = alt_strip(means, groups, measure="m" * 90, higher_is_better=False)
        assert len(said) <= 300
        assert said.startswith(f"Ordering of {k} algorithms")


def test_the_alternative_text_keeps_whole_statements_when_it_must_drop_some():
    means = pd.Series(np.arange(34) / 10, [f"algorithm {i}" for i in range(34)])
    groups = [tuple(means.index[i : i + 4]) for i in range(30)]
    said = alt_strip(means, groups, measure="error", higher_is_better=False)
    assert len(said) <= 300
    assert "more. Underlined together: {" in said
    assert said.endswith("more.")


@pytest.mark.parametrize("k", [14, 30])
def test_ticks_stay_apart_on_the_narrowest_page(k):
    """In a window of 1024 px with a sidebar, a figure is 560 px wide, with unchanged margins."""
    means = pd.Series(
        {f"gradient boosting with early stopping {i:02}": 0.06 + 0.3 / k * i for i in range(k)}
    )
    style = theme.screen()
    strip = OrderingStrip(means=means, groups=[], higher_is_better=False, measure="error")
    layout = StripFrame(strip, [], style).layout()
    labels = sorted((t.x, t.width) for t in layout.texts if t.role == "tick")
    squeeze = (560 - layout.left - layout.right) / layout.plot
    assert len(labels) >= 2
    for (a, wide_a), (b, wide_b) in zip(labels, labels[1:], strict=False):
        assert squeeze * (b - a) > (wide_a + wide_b) / 2


def test_names_have_the_colours_of_their_algorithms():
    hues = theme.colours(list(MEANS.index))
    drawn = {word: hue for word, *_, hue, _ in words(strip(colours=hues)) if word in hues}
    assert drawn == hues


@pytest.mark.parametrize("width", [342, 980])
def test_a_list_of_many_algorithms_names_its_measure_in_full(width):
    means = pd.Series({f"a long name of an algorithm {i}": 0.9 - i / 100 for i in range(40)})
    fig = strip(
        means, [], theme.screen(width=width), measure="balanced accuracy", higher_is_better=True
    )
    title, arrow = (
        next(a for a in fig.layout.annotations if word in a.text) for word in ("balanced", "better")
    )

    assert title.text == "balanced accuracy"
    assert (title.y == arrow.y) == (width == 980)


def test_names_of_neighbours_do_not_touch_in_the_narrowest_window():
    for k, length in itertools.product((3, 6, 8, 10), range(4, 16, 2)):
        means = pd.Series({f"{i}" + "m" * length: i / 100 for i in range(k)})
        spec = OrderingStrip(means=means, groups=[], measure="error", higher_is_better=False)
        layout = StripFrame(spec, [], theme.screen(width=980)).layout()

        shrunk = (cd_layout.NARROWEST - layout.left - layout.right) / layout.plot
        for a, b in itertools.pairwise(word for word in layout.texts if word.role == "name"):
            assert layout.form == "list" or (b.x - a.x) * shrunk > (a.width + b.width) / 2
