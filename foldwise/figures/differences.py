"""Sorted differences of two algorithms over data sets, or of pairs of algorithms, with intervals."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import axis_parts, text, theme, traces
from foldwise.figures.label_placement import add_annotations
from foldwise.figures.spec import (
    FigureSpec,
    cached_figure,
    coverage_text,
    figure_text,
    pair_fields,
    tested_line,
)
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.datasets import TwoComparison
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.instances import PairsOfModels
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import capitalize_first, format_count
from stats_core.core.result_types import cached
from stats_core.report import effect_text
from stats_core.report.effect_text import BESIDE
from stats_core.robustness import dataset_decisions

#: With more data sets only dots are drawn, without names and intervals.
MOST_NAMED = 60
MOST_INTERVALS = 1_000  # largest number of pairs of folds drawn with intervals
_MOST_STEPS = 40  # more steps cannot be distinguished on a slider
_NARROW_WINDOW = 310  # px, width of a figure in a window of 390 px
_ROW = 1.4  # height of a row of labels above the plot, in text sizes
_MINUS = " \N{MINUS SIGN} "


@dataclass(frozen=True, kw_only=True, eq=False)
class Differences(FigureSpec):
    """Difference `first` minus `second` on every data set, sorted, with intervals.

    A dot per data set, hollow without an interval. The interval is heavier if the row differs
    significantly, or without column `differs` if it excludes zero. Infinite ends are arrowheads.
    More than `MOST_NAMED` rows are filled dots without names and intervals. The customdata of a
    mark is its data set.

    Attributes
    ----------
    table : DataFrame
        One row per data set (the index; of pairs two levels, first and second) with the columns
        `difference` and optionally `low` and `high`, NaN without an interval and infinite without a
        bound. An optional column `wins` holds strings such as ``"24/3/11"``: folds won, tied and
        lost by `first`. An optional column `differs` marks rows with a significant difference,
        and `interval` names the interval of each row.
    first, second : str
        The two algorithms.
    measure : str
        Name of the measure, for the axis.
    higher_is_better : bool
        Direction of the measure; it decides which algorithm is better on which side.
    region : float, optional
        Half-width of the equivalence region, drawn as a labelled light band around zero.
    answers : DataFrame, row x width, optional
        Equivalence result of each row of `table` at ascending margins, one of which is `region`. On
        the screen the results are printed at the right, and a slider selects the margin.
    click : str
        Effect of a click on a mark, the last line of its hover text; "" if marks are not clickable.
    whole : DataFrame, optional
        The table of numbers, by default `table`.
    row, effect, intervals : str
        Nouns for a row, a difference and an interval.
    best : str
        The algorithm that was chosen as the best on the same data, "" if none was chosen.
    how_to_read : str
        How to read the figure.
    """

    zoom: ClassVar[str] = "x"
    clicks: ClassVar[str] = "data set"  # kind of selection made by a click on a mark
    table: pd.DataFrame
    first: str
    second: str
    measure: str
    higher_is_better: bool
    region: float | None = None
    answers: pd.DataFrame | None = None
    click: str = ""
    whole: pd.DataFrame | None = None
    row: str = "data set"
    effect: str = "difference in means"
    intervals: str = "unadjusted confidence intervals"
    best: str = ""
    how_to_read: str = ""

    @property
    def data(self) -> pd.DataFrame:
        """Table of numbers: `whole`, by default `table`."""
        return self.table if self.whole is None else self.whole

    @cached_property
    def _rows(self) -> pd.DataFrame:
        """Rows of the table from top to bottom."""
        missing = [name for name in ("low", "high") if name not in self.table]
        rows = self.table.assign(**dict.fromkeys(missing, np.nan))
        ascending = not self.higher_is_better
        return rows.sort_values("difference", ascending=ascending, kind="stable")

    @cached_property
    def _ranged(self) -> np.ndarray:
        """Whether each row has an interval."""
        return self._rows[["low", "high"]].notna().all(axis=1).to_numpy()

    @cached_property
    def _span(self) -> tuple[float, float]:
        """Range of the axis, with zero, all differences, and the finite ends of intervals that are drawn."""
        drawn = ["difference", "low", "high"] if self._named else ["difference"]
        return span_of(self._rows[drawn])

    @property
    def _selected_by_rows(self) -> list[Any]:
        """Selection made by a click on each row's mark: its row label."""
        return list(map(_row_label, self._rows.index))

    def _name_rows(self, fig: go.Figure, style: Style) -> None:
        """Make the label of each row clickable on the screen, with the same effect as its mark, if that has one."""
        if self.click and self._named and not style.printed:
            labels = [text.shortened_markup(name) for name in self._row_names(style)]
            fig.update_traces(text=labels, selector={"name": "difference"})

    @property
    def _fades(self) -> np.ndarray:
        """Whether the interval of each row fades, because its algorithms are not selected."""
        return np.zeros(len(self._rows), dtype=bool)

    @property
    def _named(self) -> bool:
        return len(self.table) <= MOST_NAMED

    @cached_property
    def _places(self) -> int:
        return text.decimals_for(self._rows["difference"].to_numpy(dtype=float))

    @property
    def _ends(self) -> tuple[str, str]:
        """Algorithms that are better at the left and the right end of the axis."""
        return (self.second, self.first) if self.higher_is_better else (self.first, self.second)

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        n_rows = len(self._rows)
        answers = None if style.printed else self.answers
        margin, pitch = self._margins(style)
        title = self._axis_title(margin, style)
        if self._sides(margin, style).in_two_rows:
            margin["t"] += _ROW * style.size
        margin["b"] += text.LINE * style.size * title.count("\n")
        plot = max(pitch * n_rows, style.px(60, 44))
        fig = theme.new_figure(style, margin["t"] + plot + margin["b"], margin=margin)
        hues = traces.mark_colours(map(_row_label, self._rows.index), self.colours, style)
        has_intervals = self._ranged if self._named else np.ones(n_rows, dtype=bool)
        axis_parts.draw_region(fig, self.region, -0.5, n_rows - 0.5, style)
        axis_parts.draw_zero(fig, -0.5, n_rows - 0.5, style)
        if self._named:
            self._draw_intervals(fig, style)
        traces.add_points(
            fig,
            self._rows["difference"].to_list(),
            list(range(n_rows)),
            "difference",
            style.px(7, 4.6) if self._named else style.px(4, 2.6),
            ["circle" if filled else "circle-open" for filled in has_intervals],
            hues,
            edge=(style.px(1.2, 0.7), hues),
            hover_text=[self._hover(_row_label(name), row) for name, row in self._rows.iterrows()],
            customdata=self._selected_by_rows,
        )
        if self.click:
            fig.update_traces(meta=self.clicks, selector={"name": "difference"})
        self._draw_axes(fig, title, margin, style)
        self._name_rows(fig, style)
        self._write_labels(fig, margin, style)
        if answers is not None and self.region:
            self._add_slider(fig, answers.reindex(self._rows.index), margin["r"], style)
        return fig

    def _row_names(self, style: Style) -> list[str]:
        """Return the printed name of each row, on up to two lines if rows are few, a pair on one line per algorithm."""
        room = 0.3 * style.width
        size = style.tick_size
        serif = style.serif
        labels = [_row_label(row) for row in self._rows.index]
        if self._rows.index.nlevels == 1:
            lines = 2 if len(labels) <= 20 else 1
            short = text.shorten(labels, room, size, serif=serif, lines=lines)
            return [short[label] for label in labels]
        if text.widest(labels, size, serif) <= room:
            return [text.plain_text(label) for label in labels]
        algorithms = list(dict.fromkeys(str(name) for pair in self._rows.index for name in pair))
        minus = _MINUS.rstrip()
        room -= text.text_width(minus, size, serif)
        short = text.shorten(algorithms, room, size, serif=serif)
        return [f"{minus}\n".join(short[str(name)] for name in pair) for pair in self._rows.index]

    def _margins(self, style: Style) -> tuple[dict[str, float], float]:
        """Return the margins and the distance between rows in px."""
        font_size, rows = style.size, self._rows
        pitch = 1.5 * font_size if self._named else min(6.0, style.px(420, 300) / len(rows))
        left = right = style.px(12, 10)
        if self._named:
            shown = self._row_names(style)
            pitch = text.row_height(shown, style.tick_size, pitch)
            left = text.widest(shown, style.tick_size, style.serif) + style.px(16, 10)
            if "wins" in rows:
                column = [*map(str, rows["wins"]), "W/T/L"]
                right = text.widest(column, font_size, style.serif) + style.px(20, 14)
        if self.answers is not None and not style.printed:
            results = pd.unique(self.answers.to_numpy().ravel())
            heads = map(_width_label, self.answers.columns)
            widest = text.widest([*results, *heads], font_size, style.serif)
            right += widest + style.px(20, 14)
        bottom = style.px(4, 3) + 1.3 * style.tick_size + 1.6 * font_size
        return {"l": left, "r": right, "t": 3.1 * font_size, "b": bottom}, pitch

    def _axis_title(self, margin: dict[str, float], style: Style) -> str:
        """Return the axis title on at most three lines of the available width, names that do not fit shortened."""
        title = f"{self.measure}: {self.first}{_MINUS}{self.second}"
        centre = (style.width + margin["l"] - margin["r"]) / 2
        room = 2 * min(centre, style.width - centre) - style.px(8, 4)
        wrapped = text.shorten([title], room, style.size, serif=style.serif, lines=3)[title]
        if "".join(wrapped.split()) == "".join(text.plain_text(title).split()):
            return wrapped
        room -= text.text_width(_MINUS, style.size, style.serif)

        def shortened(part: str) -> str:
            return text.shorten([part], room, style.size, serif=style.serif)[part]

        first_two = f"{shortened(f'{self.measure}:')}\n{shortened(self.first)}"
        return f"{first_two}{_MINUS.rstrip()}\n{shortened(self.second)}"

    def _draw_intervals(self, fig: go.Figure, style: Style) -> None:
        """Draw the intervals, those of significant differences heavier."""
        low, high = (self._rows[name].to_numpy(dtype=float) for name in ("low", "high"))
        heavy = (low > 0) | (high < 0)
        if "differs" in self._rows:
            heavy = self._rows["differs"].to_numpy(dtype=bool)
        for is_heavy, fades in product((False, True), (True, False)):
            drawn = self._ranged & (heavy == is_heavy) & (self._fades == fades)
            traces.add_intervals(
                fig,
                [(low[row], high[row], row) for row in np.flatnonzero(drawn).tolist()],
                "heavy" if is_heavy else "light",
                style.ink if is_heavy else style.faint,
                style.px(2.4, 1.4) if is_heavy else style.px(1.2, 0.7),
                self._span,
                style,
                opacity=theme.FADED if fades else 1,
            )

    def _hover(self, name: str, row: pd.Series) -> str:
        """Return the hover text of a row: difference, interval, better algorithm, folds won, effect of a click."""
        value = float(row["difference"])
        value_text = text.format_signed(value, self._places)
        interval = text.format_interval(float(row["low"]), float(row["high"]), self._places)
        difference = f"{text.escape(self.first)}{_MINUS}{text.escape(self.second)}"
        lines = [f"<b>{text.escape(name)}</b>", f"{difference}: {value_text} {interval}".rstrip()]
        if row.get("interval"):
            lines.append(row["interval"])
        if value == 0:
            lines.append("no difference")
        else:
            left, right = self._ends
            lines.append(f"{text.escape(right if value > 0 else left)} better")
        if isinstance(row.get("wins"), str):
            lines.append(f"folds W/T/L {text.escape(row['wins'])}")
        if self.click:
            lines.append(self.click)
        return "<br>".join(lines)

    def _draw_axes(
        self, fig: go.Figure, title: str, margin: dict[str, float], style: Style
    ) -> None:
        """Configure both axes."""
        plot = style.width - margin["l"] - margin["r"]
        fig.update_xaxes(
            title={"text": text.shortened_markup(title), "standoff": 4},
            **axis_parts.value_axis(*self._span, max(plot / (6 * style.tick_size), 2), least=3),
        )
        names = []
        if self._named:
            names = [text.shortened_markup(name) for name in self._row_names(style)]
        span = [len(self._rows) - 0.5, -0.5]
        axis = axis_parts.names_axis(list(range(len(names))), names, span)
        fig.update_yaxes(**{**axis, "ticklabelstandoff": style.px(8, 5)})

    def _sides(self, margin: dict[str, float], style: Style) -> _Sides:
        """Return the side labels, shortened to fit above the plot and the names of the rows."""
        (left, right), font_size = self._ends, style.size
        plot = style.width - margin["l"] - margin["r"]
        above_names = margin["l"] - style.px(8, 4)

        def wide(words: str) -> float:
            return text.text_width(words, font_size, style.serif)

        # The shorter label is whole unless both are long.
        room = plot + above_names - 10 * font_size
        room = max(room / 2, room - min(wide(left), wide(right)), 30)
        names = [left, right]
        if self._named:
            names += [_row_label(row) for row in self._rows.index]
        short = text.shorten(list(dict.fromkeys(names)), room, font_size, serif=style.serif)
        labels = axis_parts.side_labels(short[left], short[right])
        needed = wide(labels[0]) + wide(labels[1]) + font_size
        narrow_plot = _NARROW_WINDOW - margin["l"] - margin["r"]
        return _Sides(
            labels=labels,
            start=-min(max(needed - plot, 0), above_names),
            in_two_rows=not style.printed and needed > narrow_plot,
        )

    def _write_labels(self, fig: go.Figure, margin: dict[str, float], style: Style) -> None:
        """Write side labels, the label of zero, and the column of wins."""
        sides = self._sides(margin, style)
        lifts = (2.3 * style.size, 0.85 * style.size)
        axis_parts.write_sides(fig, sides.labels, "middle", lifts, style, self.region, sides.start)
        if sides.in_two_rows:
            fig.layout.annotations[-3].yshift += _ROW * style.size
        if self._named and "wins" in self._rows:
            _write_column(fig, "W/T/L", map(text.escape, self._rows["wins"]), margin["r"], style)

    def _add_slider(
        self, fig: go.Figure, answers: pd.DataFrame, margin: float, style: Style
    ) -> None:
        """Write the equivalence result of every row, and add a slider for the margin if there are several."""
        assert self.region is not None
        label_of_zero = len(fig.layout.annotations) - 1
        _write_column(fig, _width_label(self.region), answers[self.region], margin, style)
        if len(answers.columns) < 2:
            return
        steps = []
        for width, column in answers.items():
            labels = [axis_parts.zero_label(width), _width_label(width), *column]
            written = {
                f"annotations[{number}].text": label
                for number, label in enumerate(labels, label_of_zero)
            }
            band = {"x": [[-width, width, width, -width]]}
            is_own = width == self.region
            steps.append(axis_parts.slider_step(width, is_own, [band, written, [0]]))
        active = list(answers.columns).index(self.region)
        axis_parts.add_slider(fig, steps, active, "Equivalence margin: \N{PLUS-MINUS SIGN}", style)

    def caption(self, style: Style) -> str:
        """Return the caption.

        Examples
        --------
        >>> table = pd.DataFrame({"difference": [0.1, -0.2]})
        >>> options = {"first": "a", "second": "b", "measure": "error", "higher_is_better": False}
        >>> Differences(table=table, row="pair", **options).caption(theme.screen())
        'Difference in means (a − b) for 2 pairs, sorted.'
        """
        drawn = self._named and self._ranged.any()
        return self.describe(
            "differences.caption",
            intervals=self.intervals if drawn else "",
            differs="differs" in self.table,
            open=drawn and np.isinf(self._rows[["low", "high"]].astype(float)).any(axis=None),
            hollow=drawn and not self._ranged.all(),
            n=len(self.table),
        )

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        values = self.table["difference"].dropna().astype(float)
        advantage = values if self.higher_is_better else -values
        sentences = self.describe(
            "differences.alt",
            n=len(values),
            wins=int((advantage > 0).sum()),
            losses=int((advantage < 0).sum()),
            ties=int((advantage == 0).sum()),
        )
        return text.truncate_text(f"{sentences}{self._clear_of_zero}")

    @property
    def _clear_of_zero(self) -> str:
        """Sentence on the number of intervals that exclude zero; "" without intervals."""
        ends = self._rows[["low", "high"]].dropna().astype(float)
        n_excluding = int(((ends["low"] > 0) | (ends["high"] < 0)).sum())
        if not len(ends):
            return ""
        return figure_text("differences.alt_intervals", excluding=n_excluding, n=len(ends))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sides:
    """The labels above both sides of a plot.

    Attributes
    ----------
    labels : (str, str)
        The left and the right label.
    start : float
        Where the left one begins, in px from the left end of the plot; it may be above the names.
    in_two_rows : bool
        Whether they are too long for one row of a narrow window.
    """

    labels: tuple[str, str]
    start: float
    in_two_rows: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class PairDifferences(Differences):
    """Differences of pairs of algorithms, optionally with a slider for the equivalence margin.

    Attributes
    ----------
    common : (str, str)
        The algorithm that is first in all pairs, and the one that is second in all, each "" if
        there is none.
    selected : collection of str
        The intervals with the most of these algorithms keep full opacity while the others fade.
    moved, fixed_text : str
        The caption of the conclusions at the right, with and without a slider.
    """

    clicks: ClassVar[str] = "pair"
    common: tuple[str, str]
    selected: Collection[str] = ()
    moved: str = ""
    fixed_text: str = ""

    def _pair(self, name: object) -> tuple[str, ...]:
        """Return the two algorithms of a row."""
        first, second = self.common
        named = name if isinstance(name, tuple) else (name,)
        return tuple(each for each in (first, *named, second) if each)

    @property
    def _selected_by_rows(self) -> list[Any]:
        return [list(map(str, self._pair(name))) for name in self._rows.index]

    @property
    def _fades(self) -> np.ndarray:
        pairs = map(self._pair, self._rows.index)
        n_selected = np.array([len({*pair} & {*self.selected}) for pair in pairs])
        return n_selected < n_selected.max(initial=0)

    @cached
    def with_selected(self, algorithms: tuple[str, ...]) -> PairDifferences:
        """Return the figure with selected algorithms, cached with this one."""
        return replace(self, selected=algorithms)

    def _name_rows(self, fig: go.Figure, style: Style) -> None:
        if self._rows.index.nlevels > 1:  # otherwise the label is the name of one algorithm
            super()._name_rows(fig, style)

    def fixed(self) -> PairDifferences:
        """Return the figure for its own equivalence margin, without a slider; itself if it shows no answers."""
        return self if self.answers is None else replace(self, answers=self.answers[[self.region]])

    def caption(self, style: Style) -> str:
        """Return the caption."""
        if self.answers is None or style.printed:
            return super().caption(style)
        has_slider = len(self.answers.columns) > 1
        return f"{super().caption(style)} {self.moved if has_slider else self.fixed_text}"

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters.

        Examples
        --------
        >>> table = pd.DataFrame({"difference": [-0.1, 0.2]}, index=["knn", "rf"])
        >>> options = {"first": "svm", "second": "other", "measure": "error", "higher_is_better": False}
        >>> PairDifferences(table=table, effect="difference in mean error", common=("svm", ""), **options).alt
        'Difference in mean error of 2 pairs. svm − knn: −0.10, svm − rf: 0.20.'
        """
        values = self._rows["difference"].dropna().astype(float)
        decimals = text.decimals_for(values.tolist())
        parts = []
        for name, value in values.items():
            label = _row_label(self._pair(name))
            parts.append(f"{text.plain_text(label)}: {text.format_minus(value, decimals)}")
        head = f"{capitalize_first(self.effect)} of {format_count(len(values), 'pair')}. "
        ending = f".{self._clear_of_zero}"
        return text.fit_alt_text(head, parts, ", ", ending, f"{head[:-2]}{ending}", " and ")


@cached_figure
def difference_drawing(analysis: TwoComparison, table: pd.DataFrame | None = None) -> Differences:
    """Return the sorted differences over data sets, by default of `by_dataset`, with intervals if there are folds."""
    table = dataset_decisions.by_dataset(analysis) if table is None else table
    has_folds = bool(table["wins"].any())
    columns = ["difference", "low", "high"]
    if has_folds:
        columns.append("wins")
    return Differences(
        name=f"differences_{analysis.settings.measure}",
        title=f"{analysis.first}{_MINUS}{analysis.second} by data set",
        how_to_read=figure_text(
            "differences.how_to_read_with_folds" if has_folds else "differences.how_to_read"
        ),
        table=table[columns],
        whole=table,
        effect=f"difference in mean {analysis.measure_name}",
        intervals=figure_text("differences.of_folds", level=coverage_text(analysis)),
        **pair_fields(analysis),
        click=traces.click_hint("data set") if has_folds else "",
    )


def _pairs_drawing(
    c: Comparison,
    table: pd.DataFrame,
    rows: pd.Index | None = None,
    *,
    name: str,
    title: str,
    first: str = "",
    second: str = "",
    best: str = "",
) -> PairDifferences:
    """Return the figure of pairwise differences with intervals."""
    answers = _answers_by_width(c, rows)
    of_one = bool(first or second)
    other = f"other {c.noun}" if of_one else ""
    return PairDifferences(
        name=name,
        title=title,
        best=best,
        how_to_read=figure_text("differences.how_to_read_of_pairs", slider=answers is not None),
        table=table,
        first=first or other or "first algorithm",
        second=second or other or "second algorithm",
        measure=c.measure_name,
        higher_is_better=c.higher_is_better,
        region=c.settings.margin,
        answers=None if answers is None else answers.set_axis(table.index),
        row=c.noun if of_one else "pair",
        effect=effect_text.estimate_label(c),
        intervals=effect_text.interval_words(c, table["differs"]),
        common=(first, second),
        click=traces.click_hint("pair"),
        moved="" if answers is None else effect_text.region_steps_caption(c),
        fixed_text="" if answers is None else effect_text.region_steps_caption(c, slider=False),
        tested=tested_line(c),
    )


def _answers_by_width(c: Comparison, rows: pd.Index | None = None) -> pd.DataFrame | None:
    """Return the equivalence result of each pair at several margins, pair x margin; None without region or interval."""
    margin = c.settings.margin
    if not margin or c.equivalence.ends is None:
        return None
    widths = c.equivalence.turning_widths(slice(None) if rows is None else rows)
    if len(widths) > _MOST_STEPS:
        positions = np.linspace(0, len(widths) - 1, _MOST_STEPS).round().astype(int)
        widths = [widths[position] for position in np.unique(positions)]
    columns = {
        width: [BESIDE[position] for position in c.equivalence.results_at(width)]
        for width in sorted({0.0, margin, *widths})
    }
    answers = pd.DataFrame(columns, index=c.pairs.decisions.index)
    return answers if rows is None else answers.loc[rows]


def from_one(analysis: Comparison, first: str) -> pd.DataFrame:
    """Return the differences of one algorithm from each other algorithm: difference, low, high and differs."""
    rows = analysis.pairs.decisions
    pairs = analysis.pairs.with_intervals(
        rows[(rows["first"] == first) | (rows["second"] == first)]
    )
    turned = pairs["second"] == first
    other_names = pairs["first"].where(turned, pairs["second"])
    columns = {
        "difference": pairs["estimate"].where(~turned, -pairs["estimate"]),
        "low": pairs["low"].where(~turned, -pairs["high"]),
        "high": pairs["high"].where(~turned, -pairs["low"]),
        "differs": pairs["separated"],
        "interval": _interval_names(analysis, pairs),
    }
    return pd.DataFrame(columns).set_axis(pd.Index(other_names, name="algorithm"))


@cached_figure
def from_best_drawing(analysis: Comparison) -> PairDifferences | None:
    """Return the differences of the best algorithm from the others; None without intervals or for many algorithms."""
    if len(analysis.order) > MOST_NAMED:
        return None
    best = analysis.order[0]
    pairs = analysis.pairs.decisions
    table = from_one(analysis, best)
    if table["low"].isna().all():
        return None
    return _pairs_drawing(
        analysis,
        table,
        pairs.index[(pairs["first"] == best) | (pairs["second"] == best)],
        first=best,
        best=best,
        name=f"from_best_{analysis.settings.measure}",
        title=f"Differences from {best}",
    )


@cached_figure
def intervals_drawing(analysis: Comparison) -> PairDifferences | None:
    """Return the figure of all tested differences; None without intervals or for more than `MOST_NAMED` pairs."""
    if len(analysis.pairs) > MOST_NAMED:
        return None
    name = f"intervals_{analysis.settings.measure}"
    pairs = analysis.pairs.frame
    if isinstance(analysis, ControlComparison | PairsOfModels) and analysis.control:
        title = f"Differences from {analysis.control}"
        return _all_intervals(analysis, pairs, name=name, title=title, second=analysis.control)
    return _all_intervals(analysis, pairs, name=name, title="Pairwise differences")


def of_models_drawing(analysis: Comparison) -> PairDifferences | None:
    """Return the differences from the control, or from the best algorithm without a control; None if not defined."""
    return intervals_drawing(analysis) if analysis.shape.control else from_best_drawing(analysis)


@cached_figure
def fold_intervals_drawing(analysis: FoldsComparison) -> PairDifferences | None:
    """Return the figure of all differences on a data set; None without intervals or for over `MOST_INTERVALS` pairs."""
    pairs = analysis.pairs.frame
    if len(pairs) > MOST_INTERVALS:
        return None
    name = f"intervals_{analysis.dataset}_{analysis.settings.measure}"
    return _all_intervals(analysis, pairs, name=name, title="Pairwise differences")


def _all_intervals(
    analysis: Comparison, pairs: pd.DataFrame, *, name: str, title: str, second: str = ""
) -> PairDifferences | None:
    """Return the differences of pairs, or from the `second`; None without intervals."""
    if pairs["low"].isna().all():
        return None
    rows = pairs.set_index(["first"] if second else ["first", "second"])
    table = rows[["estimate", "low", "high", "separated"]].rename(
        columns={"estimate": "difference", "separated": "differs"}
    )
    table["interval"] = _interval_names(analysis, pairs).to_numpy()
    return _pairs_drawing(analysis, table, name=name, title=title, second=second)


def _interval_names(c: Comparison, pairs: pd.DataFrame) -> pd.Series:
    """Return the name of the interval of each pair with what it guarantees, "" without one."""
    names = {differs: effect_text.interval_words(c, [differs]) for differs in (False, True)}
    return pairs["separated"].astype(bool).map(names).where(pairs["low"].notna(), "")


def span_of(values: pd.DataFrame) -> tuple[float, float]:
    """Return the range of an axis with zero and all finite values, and some room on both sides."""
    numbers = values.to_numpy(dtype=float)
    numbers = np.append(numbers[np.isfinite(numbers)], 0.0)
    pad = 0.06 * float(np.ptp(numbers)) or 1.0
    return float(numbers.min() - pad), float(numbers.max() + pad)


def _row_label(name: object) -> str:
    """Return the name of a row; for a pair, first minus second."""
    return _MINUS.join(map(str, name)) if isinstance(name, tuple) else str(name)


def _width_label(width: float) -> str:
    return f"\N{PLUS-MINUS SIGN}{width:g}"


def _write_column(
    fig: go.Figure, head: str, values: Iterable[str], margin: float, style: Style
) -> None:
    """Write a column of text at the right of the rows, below a heading."""
    common: dict[str, Any] = {
        "xref": "paper",
        "x": 1,
        "xanchor": "right",
        "xshift": margin - style.px(8, 6),
        "yanchor": "middle",
        "font": {"size": style.size},
    }
    rows = [{**common, "text": value, "yref": "y", "y": row} for row, value in enumerate(values)]
    heading = {**common, "text": head, "yref": "paper", "y": 1, "yshift": 0.85 * style.size}
    add_annotations(fig, [heading, *rows])
