"""The critical-difference diagram: average ranks, with bars over groups without a difference."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text
from foldwise.figures.cd_layout import Form, Side, cd_layout, no_room
from foldwise.figures.cd_parts import DiagramLayout, consecutive_runs, drawn_groups
from foldwise.figures.cd_slider import add_slider, draw_levels, of_one_level
from foldwise.figures.cd_traces import (
    Hover,
    TraceList,
    TraceStyle,
    draw_axis,
    draw_bars,
    draw_leaders,
    draw_marks,
    draw_ruler,
    draw_targets,
    draw_texts,
    make_canvas,
)
from foldwise.figures.spec import MOST_NAMES, Colours, FigureSpec, SliderLevels, cached_figure, tested_line
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.comparison.kinds.published_summaries import PublishedRanks
from stats_core.core.formatting import format_count, format_set
from stats_core.inference.multiplicity.cliques import cliques, split_levels
from stats_core.ordering.order import Order
from stats_core.report.tables.order_tables import order_test_name, score_name

# kind of rank -> meaning of rank 1, and terms for the best and the worst end
FIRST_OF = {"rank": "1 is best", "cost-aware rank": "1 = first in the cost-aware order"}
ENDS_OF = {"rank": ("Best", "worst"), "cost-aware rank": ("First", "last")}
#: Groups by significance level, ascending: the steps of the slider.
Levels = Mapping[float, Sequence[tuple[str, ...]]]
_DOTTED = "A dotted stretch passes algorithms that are not in the group."
_SLIDES = (
    " The slider shows the groups at other levels by the same test. A level that is chosen after seeing "
    "its groups does not bound the error rate."
)
#: More steps cannot be distinguished on a slider, which then has the usual levels.
_MOST_STEPS = 60
_USUAL = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
#: With more algorithms, the groups at all levels would make the page too large.
_MOST_SLIDING = 24
_MOST_SAID = 12  # largest number of groups in a sentence


@dataclass(frozen=True, kw_only=True, eq=False)
class CDDiagram(FigureSpec):
    """Average ranks on an axis, with a bar over each group without significant differences.

    A bar carries the list of its members as customdata, a label the name of its algorithm. A bar is
    solid over its members and dotted where it passes other algorithms.

    Attributes
    ----------
    average_ranks : Series
        Average rank per algorithm, 1 is best.
    groups : sequence of tuples of str
        Maximal groups in which no pair differs. Groups of one draw nothing.
    critical_difference : (float, str), optional
        Value and origin, such as ``(1.114, "Nemenyi, \N{GREEK SMALL LETTER ALPHA} = 0.05")``.
        Only if one number separates all pairs.
    pvalues : DataFrame, optional
        Adjusted p-values, algorithms by algorithms, symmetric; shown on hover.
    best : {"left", "right"}
        The side of rank 1.
    form : {"automatic", "diagram", "list"}
        Classic diagram, one row per algorithm, or the legible one of them.
    selected : collection of str
        Algorithms that keep full opacity while the others fade; empty means all. Print shows no
        selection unless its style keeps it.
    highlight : collection of str
        Algorithms drawn in their own colour (bold where print has no colour).
    colours : mapping, optional
        Colour per algorithm, for example by family; mid-grey counts as no colour.
    note : str, optional
        A line above the axis. By default a note if all pairs differ; "" means none.
    levels : mapping of float to groups, optional
        Groups at other significance levels, ascending; `groups` applies at the `chosen` level. On
        the screen a slider switches between them; print has none.
    levels_words : str
        Description of the levels in the caption.
    chosen : float
        The level of `groups`.
    what : {"rank", "cost-aware rank"}
        What is averaged.
    measure, over : str
        The measure and the data in words, such as ``"error"`` and ``"38 data sets"``.
    tests : str
        The test behind the groups, with its level.
    alpha : float, optional
        The level of the groups in the alternative text.
    total : int
        Number of algorithms compared, of which `average_ranks` may hold the best only.
    rank_label : str
        Heading of the ranks in the table of numbers.
    """

    average_ranks: pd.Series
    groups: Sequence[tuple[str, ...]]
    critical_difference: tuple[float, str] | None = None
    pvalues: pd.DataFrame | None = None
    best: Side = "left"
    form: Form = "automatic"
    selected: Collection[str] = ()
    highlight: Collection[str] = ()
    colours: Colours = None
    note: str | None = None
    levels: Levels | None = None
    levels_words: str = ""
    chosen: float = 0.05
    what: str = "rank"
    measure: str = ""
    over: str = ""
    tests: str = ""
    alpha: float | None = None
    total: int = 0
    rank_label: str = "average rank"

    @property
    def how_to_read(self) -> str:
        """How to read the diagram."""
        return (
            f"Each stem is an algorithm at its average {self.what} over the data sets; {FIRST_OF[self.what]}. "
            "A bar joins "
            "algorithms that do not differ significantly, so algorithms that share no bar do. No "
            "significant difference does not mean equal. Dotted parts of a bar skip algorithms outside "
            f"the group.{_SLIDES if self.levels else ''}"
        )

    @property
    def data(self) -> pd.DataFrame:
        """The average ranks, best first."""
        ranks = self.average_ranks.rename(self.rank_label).rename_axis("algorithm")
        return ranks.sort_values().to_frame()

    @property
    def steps(self) -> SliderLevels | None:
        """The levels of the slider, with the groups at each."""
        if not self.levels:
            return None
        groups = {level: describe_groups(groups, level) for level, groups in self.levels.items()}
        return SliderLevels(of="Level", said=groups, chosen=self.chosen)

    def draw(self, style: Style) -> go.Figure:
        """Draw the diagram."""
        groups_by_level = {self.chosen: self.groups}
        if self.levels and not style.printed:
            groups_by_level = {**self.levels, self.chosen: self.groups}
        layouts = self._layouts(groups_by_level, style)
        names = [str(name) for name in self.average_ranks.index]
        styles_by_level = {
            level: TraceStyle(style, layout, names, self.selected, self.highlight, self.colours)
            for level, layout in layouts.items()
        }
        trace_style = styles_by_level[self.chosen]
        fig = make_canvas(style, trace_style.layout)
        draw_axis(fig, trace_style)
        draw_leaders(fig, trace_style)
        draw_marks(fig, trace_style)
        traces_by_level = {}
        for level, level_style in styles_by_level.items():
            traces_by_level[level] = trace_list = TraceList()
            if level == self.chosen:
                draw_ruler(trace_list, level_style)
            draw_bars(trace_list, level_style)
            hover = Hover(self.average_ranks, level_style.layout.bars, self.pvalues)
            draw_targets(trace_list, level_style.layout, hover)
        positions = draw_levels(fig, traces_by_level, self.chosen)
        draw_texts(fig, trace_style)
        if len(groups_by_level) > 1:
            fixed = of_one_level(fig, trace_style.layout)
            add_slider(fig, traces_by_level, self.chosen, positions, fixed, style)
        return fig

    def _layout(self, groups: Sequence[tuple[str, ...]], style: Style, **options: Any):
        """Return the layout of the diagram with some groups."""
        usual: dict[str, Any] = {"note": self.note, "form": self.form, "best": self.best}
        usual |= {"critical_difference": self.critical_difference, "bold": self.highlight}
        return cd_layout(self.average_ranks, groups, style=style, **{**usual, **options})

    def _layouts(self, groups_by_level: Levels, style: Style) -> dict[float, DiagramLayout]:
        """Return the layout at each level, with equal space for bars so that nothing else moves."""
        first = self._layout(groups_by_level[self.chosen], style)
        if len(groups_by_level) == 1:
            return {self.chosen: first}
        note = next((item.string for item in first.texts if item.role == "note"), "")
        same: dict[str, Any] = {"note": note, "form": first.form}
        n_rows = max(self._layout(one, style, **same).rows for one in groups_by_level.values())
        return {
            level: self._layout(groups, style, least_rows=n_rows, **same)
            for level, groups in sorted(groups_by_level.items())
        }

    def form_in(self, style: Style) -> str:
        """Return the form used with a style, "diagram" or "list"."""
        return self._layout(self.groups, style).form

    def caption(self, style: Style) -> str:
        """Return the caption: positions, bars, dotted stretches, shortened names."""
        layout = cd_layout(self.average_ranks, self.groups, style=style, best=self.best, form=self.form)
        shown = self.levels if self.levels and not style.printed else {}
        names = list(self.average_ranks.sort_values(kind="stable").index)
        passes = any(_passes(names, groups) for groups in (self.groups, *shown.values()))
        abbreviations = "; ".join(f"{cut} = {text.plain_text(name)}" for name, cut in layout.shortened.items())
        parts = [
            self._describe_marks(self.levels_words if shown else ""),
            _DOTTED if passes else "",
            no_room(layout.form, len(names), self.form, style),
            f"Shortened names: {abbreviations}." if abbreviations else "",
        ]
        return " ".join(part for part in parts if part)

    def _describe_marks(self, steps: str) -> str:
        """Return the caption sentences on positions and bars, for both forms."""
        tests = f" ({self.tests})" if self.tests else ""
        sentences = [f"Algorithms at their average {self.what}s, {FIRST_OF[self.what]}."]
        if steps:
            sentences.append(
                "A bar joins those that are not separated at the level shown, which does not make them "
                f"equal. The slider's steps are {steps}; verdict and tables are at the chosen level{tests}."
            )
        elif any(len(group) > 1 for group in self.groups):
            sentences.append(f"A bar joins those that are not separated, which does not make them equal{tests}.")
        else:
            sentences.append(f"There is no bar, as all pairs differ{tests}.")
        if self.critical_difference is not None:
            subject = "At the chosen level two" if steps else "Two"
            sentences.append(f"{subject} differ if their average {self.what}s are farther apart than CD.")
        if self.total > len(self.average_ranks):
            sentences.append(f"Only the {len(self.average_ranks)} best of {self.total:,} are drawn.")
        return " ".join(sentences)

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        level = "" if self.alpha is None else f" at alpha {self.alpha:g}"
        ranks = self.average_ranks.sort_values(kind="stable")
        names = [text.plain_text(name) for name in ranks.index]
        head = "Critical-difference diagram" + (f" of {self.measure}" if self.measure else "")
        head += f" for {len(names)} algorithms" + (f" on {self.over}" if self.over else "") + ". "
        best, worst = ENDS_OF[self.what]
        head += f"{best} average {self.what} {names[0]} {ranks.iloc[0]:.2f}, {worst} {names[-1]} {ranks.iloc[-1]:.2f}. "
        shown = [
            "{" + ", ".join(text.plain_text(member) for member in group) + "}"
            for group in self.groups
            if len(group) > 1
        ]
        if not shown:
            return text.truncate_text(f"{head}All pairs differ{level}.")
        fallback = f"{head}{len(shown)} groups not separated{level}."
        return text.fit_alt_text(f"{head}Groups not separated{level}: ", shown, "; ", ".", fallback, " and ")


def cd_diagram(
    average_ranks: pd.Series, groups: Sequence[tuple[str, ...]], *, style: Style, **options: Any
) -> go.Figure:
    """Draw a critical-difference diagram; options are the attributes of `CDDiagram`."""
    return CDDiagram(average_ranks=average_ranks, groups=groups, **options).draw(style)


def _passes(names: Sequence[str], groups: Sequence[tuple[str, ...]]) -> bool:
    """Return whether any group skips an algorithm between its members."""
    return any(len(consecutive_runs(group)) > 1 for group in drawn_groups(names, groups))


def slider_levels(
    adjusted: pd.DataFrame | pd.Series, alpha: float, what: str = "a group splits"
) -> tuple[list[float], str]:
    """Return the levels of the slider and their description; none for many algorithms."""
    if len(adjusted) > _MOST_SLIDING:
        return [], ""
    levels: Collection[float] = split_levels(adjusted)
    words = f"the levels at which {what}"
    if len(levels) > _MOST_STEPS:
        levels, words = _USUAL, f"usual levels, as {what} at more than {_MOST_STEPS}"
    return sorted({_USUAL[0], alpha, *levels}), words


def describe_groups(groups: Iterable[Collection[str]], level: float) -> str:
    """Return a sentence that names the groups of which no pair is separated.

    Examples
    --------
    >>> describe_groups([("a", "b"), ("c",)], 0.05)
    'Groups not separated at 0.05: {a, b}'
    """
    real = [group for group in groups if len(group) > 1]
    named = " ".join(format_set(group) for group in real[:_MOST_SAID])
    omission = f" and {len(real) - _MOST_SAID} more" if len(real) > _MOST_SAID else ""
    return f"Groups not separated at {level:g}: {named or 'none'}{omission}"


def best_ranked(
    analysis: RanksComparison | PublishedRanks, most: int | None
) -> tuple[pd.Series, tuple[tuple[str, ...], ...]]:
    """Return the average ranks and groups of the `most` best algorithms."""
    ranks = analysis.friedman.average_ranks
    if most is None or len(ranks) <= most:
        return ranks, analysis.groups
    best = analysis.order[:most]
    among = cliques(analysis.adjusted.loc[best, best], analysis.settings.alpha)
    return ranks[best], tuple(sorted(among, key=lambda group: ranks[list(group)].mean()))


@cached_figure
def cd_drawing(
    analysis: RanksComparison | PublishedRanks, *, most: int | None = MOST_NAMES, **options: Any
) -> CDDiagram:
    """Return the critical-difference diagram of average ranks."""
    ranks, groups = best_ranked(analysis, most)
    measure, alpha = analysis.settings.measure, analysis.settings.alpha
    published = analysis.shape.published
    ruler = None
    if analysis.critical_difference is not None:
        ruler = (analysis.critical_difference, f"Nemenyi, \u03b1 = {alpha:g}")
    adjusted = analysis.adjusted.loc[ranks.index, ranks.index]
    levels, words = slider_levels(adjusted, alpha)
    return CDDiagram(
        name="average_ranks" if published else f"ranks_{measure}",
        title="Average ranks" if published else f"Average ranks of {measure}",
        tested=tested_line(analysis),
        average_ranks=ranks,
        groups=groups,
        critical_difference=ruler,
        pvalues=analysis.adjusted,
        levels={level: cliques(adjusted, level) for level in levels},
        levels_words=words,
        chosen=alpha,
        measure=measure,
        over=format_count(analysis.friedman.n, "data set"),
        tests=f"{analysis.post}, \u03b1 = {alpha:g}",
        alpha=alpha,
        total=len(analysis.order),
        **options,
    )


@cached_figure
def cd_diagram_of_order(order: Order) -> CDDiagram | None:
    """Return the diagram of average ranks with groups; None on one data set."""
    if order.second is None:
        return None
    ranks = order.second.average_ranks
    groups = [group for group in order.groups if len(group) > 1]
    over = format_count(len(order.second.positions), "data set")
    measure = "cost-aware ranks" if order.each else order.settings.measure
    rank_name = "cost-aware rank" if order.each else "rank"
    return CDDiagram(
        name=f"order_ranks_{order.settings.measure}",
        title=f"Average {rank_name}s over data sets",
        average_ranks=ranks,
        groups=groups,
        pvalues=order.second.adjusted,
        what=rank_name,
        measure=measure,
        over=over,
        tests=f"{order_test_name(order)}, \u03b1 = {order.settings.alpha:g}",
        rank_label=score_name(order),
    )
