"""Matrix of all pairs: effects above the diagonal, adjusted p-values below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import names_axis
from foldwise.figures.spec import (
    MOST_NAMES,
    FigureSpec,
    cached_figure,
    pairwise_differences,
    tested_line,
    win_tie_loss_texts,
)
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.control_and_pairs import PresentComparison
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.measure_vectors import SeveralOnMeasures
from stats_core.comparison.kinds.published_summaries import PublishedRanks
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import format_count, p_text
from stats_core.core.significance import significant

#: Least text size on paper in px: six points.
_LEAST = 8.0
_UP, _DOWN = "\N{BLACK UP-POINTING TRIANGLE}", "\N{BLACK DOWN-POINTING TRIANGLE}"
_APART = "\N{BLACK CIRCLE}"  # significant, but without a direction


HOW_MEASURES = (
    "A vector of measures has no direction. The table of means shows which algorithm is better in each measure."
)
HOW_PRESENT = (
    "Two algorithms are compared on the data sets that have results of both. The table lists how many these are."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class PairMatrix(FigureSpec):
    """Every pair twice: its effect and its adjusted p-value.

    Upper triangle: the effect with a triangle up (row better) or down (row worse) and a tint if the
    pair differs, else a signed grey number. Lower triangle: p, bold and tinted if the pair differs.
    Cells carry ``[row, column]``.

    Attributes
    ----------
    effects : DataFrame
        Effect of the row over the column, with the sign chosen so that **positive means the row is
        better** for either direction of the measure.
    pvalues : DataFrame
        Adjusted p-values, symmetric.
    alpha : float
        A pair differs if its adjusted p-value is at most this.
    order : sequence of str
        Algorithms from best to worst; rows and columns follow it.
    beats : DataFrame, optional
        Whether the decisive test finds the row better than the column; by default the sign of the
        effect decides.
    wins : DataFrame, optional
        Strings such as ``"24/3/11"``, row against column, for hover.
    effect_name, pvalue_name : str
        Names of effect and p-value.
    sided : bool
        Whether the effect has a direction; if not, it is a distance.
    measure, over, tests : str
        Measure, data and test in words.
    total : int
        Number of algorithms compared, of which `order` may hold the best only.
    more : str
        A further sentence on how to read it.
    data : DataFrame
        The table of the pairs drawn.
    whole : callable, optional
        Function that returns the table of all pairs.
    """

    title: str = "Pairwise comparisons"
    effects: pd.DataFrame
    pvalues: pd.DataFrame
    alpha: float
    order: Sequence[str]
    beats: pd.DataFrame | None = None
    wins: pd.DataFrame | None = None
    effect_name: str = "difference"
    pvalue_name: str = "adjusted p"
    sided: bool = True
    measure: str = ""
    over: str = ""
    tests: str = ""
    total: int = 0
    more: str = ""
    data: pd.DataFrame = field(default_factory=pd.DataFrame)
    whole: Callable[[], pd.DataFrame] | None = None

    def numbers(self) -> pd.DataFrame:
        """Return the table of all pairs, whether drawn or not."""
        return self.data if self.whole is None else self.whole()

    @property
    def _values(self) -> _Data:
        """The numbers of all cells in the same order."""
        order = [str(name) for name in self.order]
        effects = _aligned(self.effects, order)
        upper = effects[np.triu_indices(len(order), 1)]
        by_sign = self.beats is None or not self.sided
        return _Data(
            order=order,
            effects=effects,
            pvalues=_aligned(self.pvalues, order),
            alpha=self.alpha,
            favours=effects >= 0 if by_sign else _aligned(self.beats, order) > 0,
            wins=None if self.wins is None else self.wins.loc[order, order].to_numpy(),
            effect_name=self.effect_name,
            places=text.decimals_for(upper.tolist()),
            sided=self.sided,
        )

    def draw(self, style: Style) -> go.Figure:
        """Draw the matrix."""
        data = self._values
        sizes = _Sizes.of(data, style)
        margin, height, names = _frame(data.order, sizes, style)
        note = _note(data, sizes)
        if note:
            margin["t"] += 1.6 * style.size
            height += 1.6 * style.size
        fig = theme.new_figure(style, height, margin=margin, bargap=0, barmode="overlay")
        if note:
            _write_note(fig, note, style)
        _cells(fig, data, sizes, style)
        if sizes.detail != "tint":
            _labels(fig, data, sizes, style)
        _axes(fig, data.order, names, sizes, style)
        return fig

    def caption(self, style: Style) -> str:
        """Return the caption: both triangles in this style."""
        data = self._values
        sizes = _Sizes.of(data, style)
        level = f"{self.pvalue_name} \N{LESS-THAN OR EQUAL TO} {self.alpha:g}"
        level += f", {self.tests}" if self.tests else ""
        signs = f", {_UP} row better, {_DOWN} column better"
        if sizes.detail == "text":
            marks = signs if self.sided else f", {_APART} where significant"
            sentences = [
                f"Above the diagonal: {self.effect_name}{marks}. Below the diagonal: "
                f"{self.pvalue_name}. Bold and shaded: significant ({level})."
            ]
        elif sizes.detail == "glyph":
            directions = f" Above the diagonal{signs.replace(',', ':', 1)}." if self.sided else ""
            sentences = [f"Shaded: significant ({level}).{directions} Empty: no significant difference."]
        else:
            sentences = [
                f"Shaded: significant ({level}){_sides(data, style)}. Below the diagonal the same pairs "
                "are drawn again. Empty: no significant difference."
            ]
        if not data.differing():
            sentences.append("No pair differs significantly.")
        if self.total > len(data.order):
            sentences.append(f"Only the {len(data.order)} best of {self.total:,} algorithms are drawn.")
        if not sizes.names_columns:
            sentences.append("Columns stand in the order of the rows.")
        return " ".join(sentences)

    @property
    def how_to_read(self) -> str:
        """How to read the matrix."""
        directions = ", positive where the row is better" if self.sided else ""
        return (
            f"Above the diagonal: {self.effect_name}{directions}. Below the diagonal: {self.pvalue_name}. Shaded cells are "
            "significant. Effects and p-values answer different questions: a small p is not a large "
            f"difference. {self.more}"
        ).strip()

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        data, k = self._values, len(self.order)
        upper = [(i, j) for i in range(k) for j in range(i + 1, k)]
        i, j = max(upper, key=lambda cell: np.nan_to_num(abs(data.effects[cell])))
        head = "Pair matrix" + (f" of {self.measure}" if self.measure else "")
        head += f" for {k} algorithms" + (f" on {self.over}" if self.over else "")
        largest = f"{text.plain_text(data.order[i])} and {text.plain_text(data.order[j])}"
        largest += f" {abs(data.effects[i, j]):.{data.places}f}"
        return text.truncate_text(
            f"{head}. {data.differing()} of {len(upper)} pairs differ significantly. "
            f"Largest {self.effect_name}: {largest}."
        )


def pair_matrix(effects: pd.DataFrame, pvalues: pd.DataFrame, *, style: Style, **options: Any) -> go.Figure:
    """Draw a matrix of all pairs; options are the attributes of `PairMatrix`."""
    return PairMatrix(effects=effects, pvalues=pvalues, **options).draw(style)


def _matrix(
    c: Comparison,
    order: Sequence[str],
    effects: pd.DataFrame,
    details: pd.DataFrame,
    *,
    sided: bool = True,
    **fields: Any,
) -> PairMatrix:
    """Return the matrix of the algorithms in `order`, with the tests of a comparison."""
    return PairMatrix(
        effects=effects,
        pvalues=c.adjusted.loc[order, order],
        alpha=c.settings.alpha,
        order=list(order),
        beats=c.beats if sided else None,
        pvalue_name="adjusted p" if c.guarantee.adjusted else "unadjusted p",
        sided=sided,
        tests=c.post,
        total=len(c.order),
        tested=tested_line(c),
        data=details.set_index(["first", "second"]),
        **fields,
    )


@cached_figure
def matrix_of_ranks(analysis: RanksComparison | PublishedRanks, *, most: int = MOST_NAMES) -> PairMatrix:
    """Return the matrix of comparisons over data sets."""
    order, measure, wins = analysis.order[:most], analysis.settings.measure, None
    if analysis.shape.ranked_pairs:
        wins = win_tie_loss_texts(analysis.wins.loc[order, order], analysis.ties)
        rows = analysis.tested()
        pairs = analysis.detailed(rows[rows["first"].isin(order) & rows["second"].isin(order)])
    else:
        pairs = analysis.details()
    if analysis.shape.published or analysis.settings.source == "ranks":
        effects = -pairwise_differences(analysis.friedman.average_ranks[order])
        effect_name = "difference in average rank"
    else:
        estimates = pairs.set_index(["first", "second"])["estimate"].unstack()
        estimates = estimates.reindex(index=order, columns=order).fillna(0.0)
        sign = 1 if analysis.higher_is_better else -1
        effects, effect_name = sign * (estimates - estimates.T), analysis.effect
    return _matrix(
        analysis,
        order,
        effects,
        pairs,
        name=f"pairs_{measure}",
        effect_name=effect_name,
        measure=measure,
        over=format_count(analysis.friedman.n, "data set"),
        whole=lambda: analysis.details().set_index(["first", "second"]),
        wins=wins,
    )


@cached_figure
def matrix_of_present(analysis: PresentComparison, *, most: int = MOST_NAMES) -> PairMatrix:
    """Return the matrix of comparisons on the data sets that both algorithms have."""
    order, raw, measure = analysis.order[:most], analysis.raw, analysis.settings.measure
    sign = 1 if analysis.higher_is_better else -1
    return _matrix(
        analysis,
        order,
        sign * raw.estimates.loc[order, order],
        analysis.details(),
        name=f"pairs_{measure}",
        effect_name=analysis.effect,
        measure=measure,
        over=f"up to {raw.n} shared data sets",
        wins=win_tie_loss_texts(raw.wins.loc[order, order], raw.ties),
        more=HOW_PRESENT,
    )


@cached_figure
def matrix_of_folds(analysis: FoldsComparison, *, most: int = MOST_NAMES) -> PairMatrix:
    """Return the matrix of comparisons on one data set."""
    order, measure = analysis.order[:most], analysis.settings.measure
    sign = 1 if analysis.higher_is_better else -1
    return _matrix(
        analysis,
        order,
        sign * pairwise_differences(analysis.means[order]),
        analysis.details(),
        name=f"pairs_{analysis.dataset}_{measure}",
        effect_name=analysis.effect,
        measure=measure,
        over=str(analysis.counted),
        wins=win_tie_loss_texts(analysis.wins.loc[order, order], analysis.ties),
    )


@cached_figure
def matrix_of_measures(analysis: SeveralOnMeasures, *, most: int = MOST_NAMES) -> PairMatrix:
    """Return the matrix of comparisons on several measures: distances above the diagonal."""
    order, details = analysis.order[:most], analysis.details()
    half = details.pivot(index="first", columns="second", values="estimate")
    half = half.reindex(index=order, columns=order).fillna(0.0)
    return _matrix(
        analysis,
        order,
        half + half.T,
        details,
        sided=False,
        name=f"pairs_{analysis.dataset}_{'_'.join(analysis.measures)}",
        effect_name="Mahalanobis distance of the means",
        measure=analysis.label,
        over=str(analysis.counted),
        more=HOW_MEASURES,
    )


_Shown = tuple[dict[str, str], dict[str, str]]  # names printed beside rows, and above columns


@dataclass(frozen=True, slots=True)
class _Data:
    order: list[str]
    effects: np.ndarray
    pvalues: np.ndarray
    alpha: float
    favours: np.ndarray  # whether the row is better, if the pair differs
    wins: np.ndarray | None
    effect_name: str
    places: int  # decimals of an effect
    sided: bool

    def differs(self, row: int, column: int) -> bool:
        return significant(self.pvalues[row, column], self.alpha)

    def differing(self) -> int:
        """Return the number of pairs that differ significantly."""
        k = len(self.order)
        return sum(self.differs(i, j) for i in range(k) for j in range(i + 1, k))

    def pairs(self) -> list[tuple[int, int]]:
        k = len(self.order)
        return [(i, j) for i in range(k) for j in range(k) if i != j]


@dataclass(frozen=True, slots=True)
class _Sizes:
    detail: str  # "text", "glyph" or "tint"
    cell: float
    font: float
    names: float
    names_columns: bool  # if not, columns follow the order of the rows

    @staticmethod
    def of(data: _Data, style: Style) -> _Sizes:
        k = len(data.order)
        least_size = style.px(9, _LEAST)
        names = min(style.tick_size, max(style.px(12, _LEAST) if k > 12 else style.tick_size, least_size))
        shown = text.shorten(data.order, 0.25 * style.width, names, serif=style.serif)
        left = max(text.text_width(label, names, style.serif) for label in shown.values()) + style.px(16, 10)
        column = (style.px(min(style.width, 820), style.width) - left - style.px(6, 4)) / k
        font = style.px(12, _LEAST if style.width < 480 else 9.3)
        if k <= (8 if style.width < 480 else 12) and _widest(data, font, style) <= column - 2:
            cell = style.px(46, min(20, 0.75 * style.width / k))
            return _Sizes("text", max(cell, 1.4 * font), font, style.tick_size, True)
        glyph = max(style.px(13.6, 8), _LEAST)
        if k <= 30 and column >= 1.05 * glyph:
            cell = style.px(22, max(min(13, 0.75 * style.width / k), 1.05 * _LEAST))
            font = min(0.62 * cell, 0.9 * column)
            font = max(font, _LEAST)
            row_size = min(style.tick_size, max(0.75 * cell, least_size))
            return _Sizes("glyph", cell, font, row_size, column >= 1.05 * row_size)
        # Named rows need the height of a name, even with narrow columns.
        cell = style.px(14, max(1.05 * _LEAST, min(13, 0.75 * style.width / k)))
        row_size = min(style.tick_size, max(0.75 * cell, least_size))
        return _Sizes("tint", cell, 0.0, row_size, style.printed and column >= 1.05 * row_size)


def _aligned(table: pd.DataFrame, order: list[str]) -> np.ndarray:
    named = table.set_axis([str(name) for name in table.index], axis=0)
    named = named.set_axis([str(name) for name in table.columns], axis=1)
    return named.loc[order, order].to_numpy(dtype=float)


def _frame(order: list[str], sizes: _Sizes, style: Style) -> tuple[dict[str, float], float, _Shown]:
    """Return margins, height, and names of rows and columns (rotated if columns are narrow)."""
    k = len(order)
    lines = 2 if sizes.detail == "text" else 1
    share = style.px(0.25, 0.3)
    row_names = text.shorten(order, share * style.width, sizes.names, serif=style.serif, lines=lines)
    left = max(text.text_width(label, sizes.names, style.serif) for label in row_names.values()) + style.px(16, 10)
    room = style.px(0.25, 0.46) * style.width
    headers = text.column_headers(order, _column(left, k, style), room, sizes.names, serif=style.serif)
    widest = max(text.text_width(label, sizes.names, style.serif) for label in headers.values())
    upright = widest > _column(left, k, style) - 4
    header_height = text.row_height(headers.values(), sizes.names, sizes.names)
    top = (widest if upright else header_height) + style.px(12, 8) if sizes.names_columns else 4
    right = bottom = style.px(6, 4)
    margin = {"l": left, "r": right, "t": top, "b": bottom}
    cell = text.row_height(row_names.values(), sizes.names, sizes.cell)
    return margin, top + k * cell + bottom, (row_names, headers)


def _widest(data: _Data, font: float, style: Style) -> float:
    """Return the width of the widest text of a cell."""
    sizes = _Sizes("text", 1.0, font, font, True)
    labels = (_word(data, i, j, sizes, style) for i, j in data.pairs())
    plain = (label.replace("<b>", "").replace("</b>", "").replace("&lt;", "<") for label in labels)
    return max(text.text_width(label, font, style.serif, True) for label in plain)


def _note(data: _Data, sizes: _Sizes) -> str:
    """Return the note printed if no pair differs and all cells stay empty, else ""."""
    if sizes.detail == "text" or data.differing():
        return ""
    return f"No pair differs at \N{GREEK SMALL LETTER ALPHA} = {data.alpha:g}: every cell is empty."


def _write_note(fig: go.Figure, note: str, style: Style) -> None:
    fig.add_annotation(
        text=note,
        xref="paper",
        yref="paper",
        x=0,
        y=1,
        xanchor="left",
        yanchor="bottom",
        xshift=4 - fig.layout.margin.l,
        yshift=fig.layout.margin.t - 1.45 * style.size,
        font={"size": style.size, "color": style.ink},
    )


def _column(left: float, k: int, style: Style) -> float:
    """Return the width of a column in px."""
    return ((min(style.width, 820) if not style.printed else style.width) - left) / k


def _cells(fig: go.Figure, data: _Data, sizes: _Sizes, style: Style) -> None:
    """Draw one bar per cell, since heat map cells do not report clicks."""
    gap = 0.02 if sizes.detail == "text" else 0.04
    pairs = data.pairs()
    _bars(fig, data, pairs, gap, style, "pairs", meta="pair", customdata=_names(data, pairs))
    _bars(fig, data, [(i, i) for i in range(len(data.order))], gap, style, "diagonal")


def _names(data: _Data, cells: Sequence[tuple[int, int]]) -> list[list[str]]:
    return [[data.order[i], data.order[j]] for i, j in cells]


def _bars(
    fig: go.Figure,
    data: _Data,
    cells: Sequence[tuple[int, int]],
    gap: float,
    style: Style,
    name: str,
    **options: object,
) -> None:
    traces.add_areas(
        fig,
        [j for _, j in cells],
        [1 - gap] * len(cells),
        name,
        [_fill(data, i, j, style) for i, j in cells],
        [_hover(data, i, j) for i, j in cells],
        base=[i - 0.5 + gap / 2 for i, _ in cells],
        width=1 - gap,
        **options,
    )


def _fill(data: _Data, row: int, column: int, style: Style) -> str:
    if row == column:
        return "rgba(0,0,0,0)" if style.printed else style.blank
    if not data.differs(row, column):
        return "rgba(0,0,0,0)"
    if row > column:
        return _light(style)
    return style.tint if data.favours[row, column] else style.tint_worse


def _light(style: Style) -> str:
    """Return the fill of a significant p-value, lighter than the fill of an effect."""
    if style.printed and not style.colour:
        return "#F0F0F0"
    return "#122536" if style.dark else "#EAF1F8"


def _hover(data: _Data, row: int, column: int) -> str:
    if row == column:
        return f"<b>{text.escape(data.order[row])}</b>"
    first, second = min(row, column), max(row, column)
    a, b = data.order[first], data.order[second]
    effect, p = data.effects[first, second], data.pvalues[first, second]
    verdict = "differ" if data.differs(first, second) else "not separated"
    lines = [
        f"<b>{text.escape(a)} vs {text.escape(b)}</b>: {verdict}",
        f"{text.escape(data.effect_name)} {_written(data, effect, data.places + 1)}",
        f"p adjusted {text.p_hover(float(p))}",
    ]
    if data.wins is not None:
        lines.append(f"W/T/L {text.escape(data.wins[first, second])}")
    return "<br>".join([*lines, traces.click_hint("pair")])


def _labels(fig: go.Figure, data: _Data, sizes: _Sizes, style: Style) -> None:
    x, y, labels, inks = [], [], [], []
    for i, j in data.pairs():
        label = _word(data, i, j, sizes, style)
        if not label:
            continue
        x.append(j)
        y.append(i + 0.07 * sizes.font / sizes.cell)  # centres the digits, not the line
        labels.append(label)
        inks.append(style.ink if data.differs(i, j) else style.faint)
    traces.add_cell_text(fig, x, y, "labels", labels, sizes.font, inks)


def _word(data: _Data, row: int, column: int, sizes: _Sizes, style: Style) -> str:
    effect, differs = data.effects[row, column], data.differs(row, column)
    side = (_UP if data.favours[row, column] else _DOWN) if data.sided else _APART
    if sizes.detail == "glyph":
        return side if differs and row < column else ""
    if row > column:
        p = text.escape(p_text(float(data.pvalues[row, column]), data.alpha))
        p = p.replace("0.", ".", 1) if style.printed and style.width < 480 else p
        return f"<b>{p}</b>" if differs else p
    if np.isnan(effect):
        return "n/a"
    if not differs:
        return _written(data, effect, data.places)
    return f"{side} {abs(effect):.{data.places}f}"


def _written(data: _Data, effect: float, decimals: int) -> str:
    """Return an effect with its sign, or a distance without sign."""
    return text.format_signed(effect, decimals) if data.sided else f"{effect:.{decimals}f}"


def _axes(fig: go.Figure, order: list[str], shown: _Shown, sizes: _Sizes, style: Style) -> None:
    k = len(order)
    rows, columns = (
        {
            **names_axis(list(range(k)), [text.shortened_markup(names[name]) for name in order]),
            "tickfont": {"size": sizes.names, "color": style.ink},
            "ticklabelstandoff": 3,
        }
        for names in shown
    )
    widest = max(text.text_width(label, sizes.names, style.serif) for label in shown[1].values())
    angle = -90 if widest > _column(fig.layout.margin.l, k, style) - 4 else 0
    fig.update_xaxes(side="top", range=[-0.5, k - 0.5], tickangle=angle, **columns)
    if not sizes.names_columns:
        fig.update_xaxes(showticklabels=False)
    fig.update_yaxes(range=[k - 0.5, -0.5], **rows)


def _sides(data: _Data, style: Style) -> str:
    """Return the phrase that explains the two tints above the diagonal, "" if not needed."""
    if not data.sided:
        return ""
    upper = zip(*np.triu_indices(len(data.order), 1), strict=True)
    if all(data.favours[cell] for cell in upper if data.differs(*cell)):
        return ", above the diagonal the row is the better one"
    if style.printed and not style.colour:
        return ""
    return ", above the diagonal blue where the row is better and sand where the column is"
