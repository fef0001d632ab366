"""Critical-difference diagram of comparisons with a control."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, traces
from foldwise.figures.cd_diagram import slider_levels
from foldwise.figures.cd_layout import Form, Side, cd_layout, no_room
from foldwise.figures.cd_parts import DiagramLayout
from foldwise.figures.cd_slider import add_slider, draw_levels, of_one_level
from foldwise.figures.cd_traces import (
    TraceList,
    TraceStyle,
    draw_axis,
    draw_leaders,
    draw_ruler,
    draw_texts,
    make_canvas,
)
from foldwise.figures.spec import FigureSpec, SliderLevels, cached_figure, tested_line
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.control_and_pairs import ControlComparison
from stats_core.core.formatting import format_count
from stats_core.core.significance import significant

HOW_CONTROL = (
    "The diamond is the control at its average rank, 1 is best; a filled dot differs from it, a hollow "
    "one is not separated. Look which filled dots stand on the better side. Two dots are not "
    "compared with each other here, only each with the control."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class CDControlDiagram(FigureSpec):
    """Average ranks with the control as a diamond and the others as dots.

    Filled dots differ from the control, hollow ones are not separated from it. Marks and labels
    carry the pair with the control.

    Attributes
    ----------
    average_ranks : Series
        Average rank per algorithm, 1 is best.
    control : str
        The algorithm the others are compared with.
    pvalues : Series
        Adjusted p-value of every other algorithm against the control.
    alpha : float
        An algorithm differs if its adjusted p-value is at most this.
    critical_difference : (float, str), optional
        Value and origin, only if one number decides (Bonferroni-Dunn). Draws the ruler and a band
        of this half-width around the control, never over a dot that differs.
    best : {"left", "right"}
        The side of rank 1.
    form : {"automatic", "diagram", "list"}
        Classic diagram or one row per algorithm.
    levels : collection of float
        Other significance levels; on the screen a slider switches between them and `alpha`.
    levels_words : str
        Description of the levels in the caption.
    over : str
        The data in words, such as ``"38 data sets"``.
    tests : str
        The test, with its level.
    data : DataFrame
        The table of the comparisons.
    """

    average_ranks: pd.Series
    control: str
    pvalues: pd.Series
    alpha: float
    critical_difference: tuple[float, str] | None = None
    best: Side = "left"
    form: Form = "automatic"
    levels: Collection[float] = ()
    levels_words: str = ""
    over: str = ""
    tests: str = ""
    data: pd.DataFrame = field(default_factory=pd.DataFrame)
    how_to_read: ClassVar[str] = HOW_CONTROL

    @property
    def steps(self) -> SliderLevels | None:
        """The levels of the slider, with the algorithms that differ at each."""
        if not self.levels:
            return None
        said = {level: self._describe_level(level) for level in self.levels}
        return SliderLevels(of="Level", said=said, chosen=self.alpha)

    @property
    def _others(self) -> pd.Series:
        """The p-values of all but the control."""
        return self.pvalues.drop(self.control, errors="ignore")

    def _describe_level(self, level: float) -> str:
        """Return a sentence on which algorithms differ from the control."""
        differs = significant(self._others, level)
        differ, open_ = (", ".join(self._others.index[mask]) for mask in (differs, ~differs))
        return f"At {level:g} differ from {self.control}: {differ or 'none'}. Not separated: {open_ or 'none'}."

    def _layout(self, style: Style, **options: Any) -> DiagramLayout:
        """Return the layout without note."""
        usual: dict[str, Any] = {"best": self.best, "form": self.form, "bold": (self.control,)}
        return cd_layout(self.average_ranks, (), style=style, **usual, **options)

    def draw(self, style: Style) -> go.Figure:
        """Draw the diagram."""
        layout = self._layout(style, note="", dot_row=True, critical_difference=self.critical_difference)
        ranks = {str(name): float(rank) for name, rank in self.average_ranks.items()}
        pvalue_of = {str(name): float(value) for name, value in self.pvalues.items()}
        trace_style = TraceStyle(style, layout, list(ranks), (), (self.control,))
        if self.control in trace_style.colour:
            trace_style.colour[self.control] = style.accent
        fig = make_canvas(style, layout)
        positions = _places(layout)

        def differs_at(level: float) -> dict[str, bool]:
            others = [name for name in ranks if name != self.control]
            return {name: significant(pvalue_of.get(name, 1.0), level) for name in others}

        if self.critical_difference is not None:
            half_width = self.critical_difference[0] * _unit(layout, ranks)
            differs = differs_at(self.alpha)
            _draw_band(fig, layout, positions, self.control, differs, half_width, style)
        draw_axis(fig, trace_style)
        draw_leaders(fig, trace_style)
        traces_by_level = {}
        for level in sorted({self.alpha, *(() if style.printed else self.levels)}):
            traces_by_level[level] = trace_list = TraceList()
            if level == self.alpha:
                draw_ruler(trace_list, trace_style)
            hover = _Hover(self.control, ranks, differs_at(level), pvalue_of)
            _draw_dots(trace_list, positions, hover, layout, style)
        trace_positions = draw_levels(fig, traces_by_level, self.alpha)
        draw_texts(fig, trace_style)
        if len(traces_by_level) > 1:
            fixed = of_one_level(fig, layout)
            add_slider(fig, traces_by_level, self.alpha, trace_positions, fixed, style)
        return fig

    def form_in(self, style: Style) -> str:
        """Return the form used with a style, "diagram" or "list"."""
        return self._layout(style).form

    def caption(self, style: Style) -> str:
        """Return the caption: marks and shortened names."""
        layout = self._layout(style, note="")
        tests = f" ({self.tests})" if self.tests else ""
        differs = significant(self._others, self.alpha)
        sentences = [f"Algorithms at their average ranks, 1 is best. Diamond: {text.plain_text(self.control)}."]
        if self.levels and not style.printed:
            sentences.append(
                "At the level shown filled dots differ from it, hollow ones are not separated, which does "
                f"not make them equal. The slider's steps are {self.levels_words}; verdict and tables are at the "
                f"chosen level{tests}."
            )
        elif differs.any():
            sentences.append(f"Filled dots differ from it{tests}.")
        if (style.printed or not self.levels) and not differs.all():
            sentences.append(
                "Hollow dots are not separated from it, which does not make them equal"
                f"{'' if differs.any() else tests}."
            )
        sentences.append("Dots are not compared with each other.")
        sentences.append(no_room(layout.form, len(self.average_ranks), self.form, style))
        abbreviations = "; ".join(f"{short} = {text.plain_text(name)}" for name, short in layout.shortened.items())
        sentences.append(f"Shortened names: {abbreviations}." if abbreviations else "")
        return " ".join(filter(None, sentences))

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        ranks, rank = self.average_ranks, self.average_ranks[self.control]
        others = ranks.drop(self.control)
        differs = significant(self.pvalues[others.index], self.alpha)
        n_better = int((differs & (others < rank)).sum())
        n_worse = int(differs.sum()) - n_better
        head = f"Average ranks of {len(ranks)} algorithms" + (f" on {self.over}" if self.over else "")
        parts = [f"{int((~differs).sum())} not separated", f"{n_worse} worse"]
        parts += [f"{n_better} better"] if n_better else []
        against = f"Against {text.plain_text(self.control)} ({rank:.2f}): {', '.join(parts)}."
        return text.truncate_text(f"{head}. {against}")


def cd_diagram_control(
    average_ranks: pd.Series, control: str, pvalues: pd.Series, alpha: float, *, style: Style, **options: Any
) -> go.Figure:
    """Draw a diagram against a control; options are the attributes of `CDControlDiagram`."""
    return CDControlDiagram(average_ranks=average_ranks, control=control, pvalues=pvalues, alpha=alpha, **options).draw(
        style
    )


@cached_figure
def control_drawing(analysis: ControlComparison, **options: Any) -> CDControlDiagram:
    """Return the diagram of average ranks with the control marked."""
    alpha, measure = analysis.settings.alpha, analysis.settings.measure
    ruler = None
    if analysis.critical_difference is not None:
        ruler = (analysis.critical_difference, f"Bonferroni-Dunn, \u03b1 = {alpha:g}")
    levels, words = slider_levels(analysis.adjusted, alpha, "a dot changes")
    return CDControlDiagram(
        name=f"control_{measure}",
        title=f"Average ranks of {measure} against {analysis.control}",
        tested=tested_line(analysis),
        average_ranks=analysis.friedman.average_ranks,
        control=analysis.control,
        pvalues=analysis.adjusted,
        alpha=alpha,
        critical_difference=ruler,
        levels=levels,
        levels_words=words,
        over=format_count(analysis.friedman.n, "data set"),
        tests=f"{analysis.post}, \u03b1 = {alpha:g}",
        data=analysis.details().set_index("first"),
        **options,
    )


def _places(layout: DiagramLayout) -> dict[str, tuple[float, float]]:
    """Return the position of the mark of each algorithm."""
    if layout.form == "list":
        return {name: (x, y) for name, x, y in layout.marks}
    m = layout.measures
    y = layout.axis[1] + m.shoulder + 0.6 * m.pitch
    return {leader.name: (leader.points[1][0], y) for leader in layout.leaders}


def _unit(layout: DiagramLayout, ranks: dict[str, float]) -> float:
    """Return the width of one rank in px."""
    positions = {leader.name: leader.points[-1 if layout.form == "list" else 0][0] for leader in layout.leaders}
    low, high = min(ranks, key=ranks.__getitem__), max(ranks, key=ranks.__getitem__)
    rank_range = ranks[high] - ranks[low]
    return abs(positions[high] - positions[low]) / rank_range if rank_range else 0.0


def _draw_band(
    fig: go.Figure,
    layout: DiagramLayout,
    positions: dict[str, tuple[float, float]],
    control: str,
    differs: dict[str, bool],
    reach: float,
    style: Style,
) -> None:
    """Draw the band of ranks not separated from the control, clear of every dot that differs."""
    centre = positions[control][0]
    least_distance = style.px(8, 5.4) / 2 + 2
    low = max(centre - reach, layout.axis[0])
    high = min(centre + reach, layout.axis[2])
    for name, is_different in differs.items():
        x = positions[name][0]
        if is_different and centre < x < high + least_distance:
            high = min(high, x - least_distance)
        if is_different and low - least_distance < x < centre:
            low = max(low, x + least_distance)
    y = [position[1] for position in positions.values()]
    half = style.px(7, 4.5)
    top, bottom = min(y) - half, max(y) + half
    fig.add_shape(
        name="band",
        type="rect",
        x0=low,
        x1=high,
        y0=top,
        y1=bottom,
        layer="below",
        fillcolor=style.tint_worse,
        line_width=0,
    )


def _draw_dots(
    fig: TraceList, positions: dict[str, tuple[float, float]], hover: _Hover, layout: DiagramLayout, style: Style
) -> None:
    styles = {
        "differs": ("circle", style.ink, style.ink, style.px(8, 5.4)),
        "not separated": ("circle", style.page, style.ink, style.px(8, 5.4)),
        "control": ("diamond", style.accent, style.accent, style.px(10, 6)),
    }
    targets = {name: (x, y) for name, x, y in layout.targets}
    for kind, (symbol, fill, edge, size) in styles.items():
        members = [name for name in positions if hover.kind(name) == kind]
        if not members:
            continue
        alone = kind == "control"
        shared = {
            "customdata": members if alone else [[member, hover.control] for member in members],
            "meta": "algorithm" if alone else "pair",
            "hovertext": [hover.text(name) for name in members],
            "hoverinfo": "text",
            "mode": "markers",
            "unselected": {"marker": {"opacity": 1}},
            "cliponaxis": False,
        }
        line = {"width": style.px(1.4, 0.8), "color": edge}
        fig.add_scatter(
            x=[positions[member][0] for member in members],
            y=[positions[member][1] for member in members],
            name=kind,
            marker={"symbol": symbol, "color": fill, "size": size, "opacity": 1, "line": line},
            **shared,
        )
        fig.add_scatter(
            x=[targets[member][0] for member in members],
            y=[targets[member][1] for member in members],
            name=f"{kind} targets",
            marker={"size": 16, "color": "rgba(0,0,0,0)", "opacity": 1, "line": {"width": 0}},
            **shared,
        )


@dataclass(frozen=True)
class _Hover:
    """Kinds and hover texts of the marks at one level."""

    control: str
    ranks: dict[str, float]
    differs: dict[str, bool]
    pvalue_of: dict[str, float]

    def kind(self, name: str) -> str:
        """Return "control", "differs" or "not separated"."""
        if name == self.control:
            return "control"
        return "differs" if self.differs[name] else "not separated"

    def text(self, name: str) -> str:
        """Return the hover text of a mark."""
        rank = self.ranks[name]
        if name == self.control:
            hint = traces.click_hint("algorithm")
            return f"<b>{text.escape(name)} {rank:.2f}</b><br>control<br>{hint}"
        difference = text.format_signed(rank - self.ranks[self.control], 2)
        return "<br>".join(
            [
                f"<b>{text.escape(name)} vs {text.escape(self.control)}</b>: {self.kind(name)}",
                f"rank {rank:.2f}, difference {difference}",
                f"p adj {text.p_hover(self.pvalue_of.get(name, float('nan')))}",
                traces.click_hint("pair"),
            ]
        )
