"""Matrix of all pairs: effects in the upper triangle, adjusted p-values in the lower one."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from typing import TypedDict, Unpack

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import spec, text, theme, traces
from foldwise.figures.axis_parts import names_axis
from foldwise.figures.cd_layout import NARROWEST, REFERENCE_WIDTH
from foldwise.figures.theme import Style
from stats_core.comparison.kinds import (
    BenchmarksComparison,
    CasesComparison,
    ControlComparison,
    FoldPairComparison,
    FoldsComparison,
    PairOnMeasures,
    PresentComparison,
    PublishedDecisions,
    PublishedRanks,
    PublishedWins,
    RanksComparison,
    SeveralOnMeasures,
    TwoComparison,
    UntestedComparison,
    WinsComparison,
)
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import AT_MOST, format_count, p_phrase, p_text
from stats_core.core.result_types import cached
from stats_core.core.validation import significant
from stats_core.report import effect_text

#: Least text size on paper in px: six points.
_LEAST = 8.0
_UP, _DOWN = "\N{BLACK UP-POINTING TRIANGLE}", "\N{BLACK DOWN-POINTING TRIANGLE}"
_APART = "\N{BLACK CIRCLE}"  # significant, but without a direction
_LEADING_ZERO = re.compile(r"\b0\.")  # left out in narrow figures


@dataclass(frozen=True, kw_only=True, eq=False)
class PairMatrix(spec.FigureSpec):
    """Matrix of all pairs of algorithms: effect above and adjusted p-value below the diagonal.

    Upper triangle: the effect with a triangle up (row better) or down (row worse) and a tint if the
    pair differs, else a signed grey number. Lower triangle: p, bold and tinted if the pair differs.
    The customdata of a cell is ``[row, column]``.

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
        Measure, data and test as text.
    total : int
        Number of algorithms compared; `order` may hold only the best of them.
    more : str
        A further sentence on how to read the matrix.
    pairs : DataFrame or callable
        The table of the pairs drawn, or a function that returns it.
    whole : callable, optional
        Function that returns the table of all pairs.
    """

    title: str = "Pair matrix"
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
    pairs: pd.DataFrame | Callable[[], pd.DataFrame] = field(default_factory=pd.DataFrame)
    whole: Callable[[], pd.DataFrame] | None = None

    @cached_property
    def data(self) -> pd.DataFrame:
        """The table of the pairs drawn."""
        return self.pairs() if callable(self.pairs) else self.pairs

    def has_data(self) -> bool:
        """Return whether there is a table of numbers, without computing it."""
        return callable(self.pairs) or len(self.pairs) > 0

    def numbers(self) -> pd.DataFrame:
        """Return the table of all pairs, including pairs not drawn."""
        return self.data if self.whole is None else self.whole()

    @cached_property
    def _names(self) -> list[str]:
        return [str(name) for name in self.order]

    @cached_property
    def _cells(self) -> list[tuple[int, int]]:
        """Off-diagonal cells as (row, column)."""
        return list(permutations(range(len(self.order)), 2))

    @cached_property
    def _effects(self) -> np.ndarray:
        return spec.aligned(self.effects, self._names).astype(float)

    @cached_property
    def _pvalues(self) -> np.ndarray:
        return spec.aligned(self.pvalues, self._names).astype(float)

    @cached_property
    def _differs(self) -> np.ndarray:
        return significant(self._pvalues, self.alpha)

    @cached_property
    def _favours(self) -> np.ndarray:
        """Whether the row algorithm is better: by `beats` if given and `sided`, else by the sign of the effect."""
        if self.beats is None or not self.sided:
            return self._effects >= 0
        return spec.aligned(self.beats, self._names) > 0

    @cached_property
    def _wins(self) -> np.ndarray | None:
        return None if self.wins is None else spec.aligned(self.wins, self._names)

    @cached_property
    def _places(self) -> int:
        """Number of decimals of an effect."""
        return text.decimals_for(self._effects[self._upper].tolist())

    @property
    def _upper(self) -> tuple[np.ndarray, np.ndarray]:
        """Indices of the cells above the diagonal."""
        return np.triu_indices(len(self.order), 1)

    @property
    def _n_differing(self) -> int:
        """Number of significant pairs."""
        return int(self._differs[self._upper].sum())

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        sizes, k = self._sizes(style), len(self.order)
        layout = self._layout(style)
        fig = theme.new_figure(
            style, layout.height, margin=layout.margin, bargap=0, barmode="overlay"
        )
        if layout.note:
            traces.add_text(
                fig,
                spec.figure_text("pair_matrix.no_pair", alpha=self.alpha),
                0,
                1,
                style.size,
                style.ink,
                refs="paper, paper",
                anchor="left, bottom",
                shift=(4 - layout.margin["l"], layout.margin["t"] - 1.45 * style.size),
            )
        is_text = sizes.detail == "text"
        side = 0.98 if is_text else 0.96
        names = [[self._names[i], self._names[j]] for i, j in self._cells]
        self._add_cells(fig, self._cells, "pairs", style, side, meta="pair", customdata=names)
        self._add_cells(fig, [(i, i) for i in range(k)], "diagonal", style, side)
        if sizes.detail != "tint":
            self._add_labels(fig, sizes, style)
        ends = [-0.5, k - 0.5]
        if style.printed and not is_text:
            traces.add_line(fig, ends, ends, "diagonal line", style.leader, 0.5)
        positions = list(range(k))
        columns = names_axis(positions, layout.column_labels, ends, sizes.names)
        fig.update_xaxes(
            side="top",
            tickangle=-90 if layout.upright else 0,
            showticklabels=None if sizes.names_columns else False,
            **columns,
        )
        return fig.update_yaxes(**names_axis(positions, layout.row_labels, ends[::-1], sizes.names))

    def _layout(self, style: Style) -> _MatrixLayout:
        """Return the labels of rows and columns, and the space they take."""
        sizes, k = self._sizes(style), len(self.order)
        is_text = sizes.detail == "text"
        rows = text.shorten(
            self._names,
            style.px(0.25, 0.3) * style.width,
            sizes.names,
            serif=style.serif,
            lines=2 if is_text else 1,
        )
        left = text.widest(rows.values(), sizes.names, style.serif) + style.px(16, 10)
        column = _column(left, k, style)
        room = style.px(0.25, 0.46) * style.width
        columns = text.column_headers(self._names, column, room, sizes.names, serif=style.serif)
        head, upright = text.header_height(columns.values(), column, sizes.names, serif=style.serif)
        top = head + style.px(12, 8) if sizes.names_columns else 4
        edge = style.px(6, 4)
        note = 0.0 if is_text or self._n_differing else 1.6 * style.size
        cells = k * text.row_height(rows.values(), sizes.names, sizes.cell)
        return _MatrixLayout(
            row_labels=[text.shortened_markup(rows[name]) for name in self._names],
            column_labels=[text.shortened_markup(columns[name]) for name in self._names],
            upright=upright,
            margin={"l": left, "r": edge, "t": top + note, "b": edge},
            height=top + cells + edge + note,
            note=note,
        )

    @cached
    def _sizes(self, style: Style) -> _MatrixSizes:
        """Return cell and text sizes: numbers if they fit, else triangles or tints only."""
        k = len(self.order)
        least_size = style.px(9, _LEAST)
        wanted = style.px(12, _LEAST) if k > 12 else style.tick_size
        names = min(style.tick_size, max(wanted, least_size))
        shown = text.shorten(self._names, 0.25 * style.width, names, serif=style.serif)
        left = text.widest(shown.values(), names, style.serif) + style.px(16, 10)
        width = style.width if style.printed else min(style.width, REFERENCE_WIDTH)
        column = (width - left - style.px(6, 4)) / k
        return (
            self._text_sizes(column, style)
            or self._glyph_sizes(column, least_size, style)
            or self._tint_sizes(column, least_size, style)
        )

    def _text_sizes(self, column: float, style: Style) -> _MatrixSizes | None:
        """Return the sizes of a matrix of numbers; None if they do not fit."""
        k, is_narrow = len(self.order), style.width < 480
        font = style.px(11, _LEAST) if is_narrow else style.px(12, 9.3)
        if k > (8 if is_narrow else 12) or self._widest_label(font, style) > column - 2:
            return None
        cell = style.px(46, min(20, 0.75 * style.width / k))
        return _MatrixSizes("text", max(cell, 1.4 * font), font, style.tick_size, True)

    def _glyph_sizes(self, column: float, least_size: float, style: Style) -> _MatrixSizes | None:
        """Return the sizes of a matrix of triangles; None if they do not fit."""
        k, glyph = len(self.order), max(style.px(13.6, 8), _LEAST)
        if k > 30 or column < 1.05 * glyph:
            return None
        cell = style.px(22, max(min(13, 0.75 * style.width / k), 1.05 * _LEAST))
        font = max(min(0.62 * cell, 0.9 * column), _LEAST)
        names = min(style.tick_size, max(0.75 * cell, least_size))
        return _MatrixSizes("glyph", cell, font, names, column >= 1.05 * names)

    def _tint_sizes(self, column: float, least_size: float, style: Style) -> _MatrixSizes:
        """Return the sizes of a matrix of tints only; its named rows need the height of a name."""
        k = len(self.order)
        cell = style.px(14, max(1.05 * _LEAST, min(13, 0.75 * style.width / k)))
        names = min(style.tick_size, max(0.75 * cell, least_size))
        names_columns = style.printed and column >= 1.05 * names
        return _MatrixSizes("tint", cell, 0.0, names, names_columns)

    def _widest_label(self, font: float, style: Style) -> float:
        """Return the width in px of the widest cell text."""
        labels = (self._label(i, j, "text", style) for i, j in self._cells)
        plain = (html.unescape(label.replace("<b>", "").replace("</b>", "")) for label in labels)
        return text.widest(plain, font, style.serif, True)

    def _add_cells(
        self,
        fig: go.Figure,
        cells: list[tuple[int, int]],
        name: str,
        style: Style,
        side: float,
        **options: Unpack[traces.AreaOptions],
    ) -> None:
        fills = [self._fill(i, j, style) for i, j in cells]
        hover_texts = [self._hover(i, j) for i, j in cells]
        at = [(j, i) for i, j in cells]
        options["width"] = side
        traces.add_cells(fig, at, name, fills, hover_texts, height=side, **options)

    def _fill(self, row: int, column: int, style: Style) -> str:
        """Return the fill of a cell: a tint for a significant difference, grey on a screen's diagonal, else none."""
        if row == column:
            return "rgba(0,0,0,0)" if style.printed else style.blank
        if not self._differs[row, column]:
            return "rgba(0,0,0,0)"
        if row < column:
            return style.tint if self._favours[row, column] else style.tint_worse
        # A significant p-value is lighter than an effect.
        if style.printed and not style.colour:
            return "#F0F0F0"
        return "#122536" if style.dark else "#EAF1F8"

    def _hover(self, row: int, column: int) -> str:
        """Return the hover text of a cell, the same for both cells of a pair; the name on the diagonal."""
        if row == column:
            return f"<b>{text.escape(self._names[row])}</b>"
        cell = min(row, column), max(row, column)
        a, b = (text.escape(self._names[i]) for i in cell)
        effect = self._format_effect(self._effects[cell], self._places + 1)
        lines = [
            f"<b>{a} vs {b}</b>: {'' if self._differs[cell] else 'no '}significant difference",
            f"{text.escape(self.effect_name)} {effect}",
            p_phrase(float(self._pvalues[cell]), self.alpha, self.pvalue_name),
        ]
        if self._wins is not None:
            lines.append(f"W/T/L {text.escape(self._wins[cell])}")
        return "<br>".join([*lines, traces.click_hint("pair")])

    def _add_labels(self, fig: go.Figure, sizes: _MatrixSizes, style: Style) -> None:
        every = {cell: self._label(*cell, sizes.detail, style) for cell in self._cells}
        labels = {cell: label for cell, label in every.items() if label}
        offset = 0.07 * sizes.font / sizes.cell  # centres the digits, not the line
        x, y = [j for _, j in labels], [i + offset for i, _ in labels]
        inks = [style.ink if self._differs[cell] else style.faint for cell in labels]
        traces.add_cell_text(fig, x, y, "labels", list(labels.values()), sizes.font, inks)

    def _label(self, row: int, column: int, detail: str, style: Style) -> str:
        """Return the text of a cell: p below the diagonal and the effect above it, "n/a" without effect.

        With glyphs, the sign of a significant difference above the diagonal, "" in all other cells.
        """
        above, differs = row < column, self._differs[row, column]
        if detail == "glyph":
            return self._glyph(row, column) if differs and above else ""
        if above and np.isnan(self._effects[row, column]):
            return "n/a"
        label = self._effect_label(row, column) if above else self._p_label(row, column)
        is_narrow = style.width < 480
        if is_narrow and (not above or np.nanmax(abs(self._effects)) < 1):
            label = _LEADING_ZERO.sub(".", label)
        return f"<b>{label}</b>" if differs and not above else label

    def _glyph(self, row: int, column: int) -> str:
        """Return the sign of a significant difference."""
        if not self.sided:
            return _APART
        return _UP if self._favours[row, column] else _DOWN

    def _effect_label(self, row: int, column: int) -> str:
        effect = self._effects[row, column]
        if self._differs[row, column]:
            return f"{self._glyph(row, column)} {abs(effect):.{self._places}f}"
        return self._format_effect(effect, self._places)

    def _p_label(self, row: int, column: int) -> str:
        return text.escape(p_text(float(self._pvalues[row, column]), self.alpha))

    def _format_effect(self, effect: float, decimals: int) -> str:
        """Return an effect with its sign; a distance without sign."""
        return text.format_signed(effect, decimals) if self.sided else f"{effect:.{decimals}f}"

    def caption(self, style: Style) -> str:
        """Return the caption."""
        sizes = self._sizes(style)
        tests = "".join(f", {part}" for part in (self.tests, self.over) if part)
        return self.describe(
            "pair_matrix.caption",
            detail=sizes.detail,
            effect=self.effect_name,
            pvalue=self.pvalue_name,
            level=f"{self.pvalue_name} {AT_MOST} {self.alpha:g}{tests}",
            rows_better=self._favours[self._upper][self._differs[self._upper]].all(),
            colour=style.colour or not style.printed,
            n=self._n_differing,
            k=len(self.order),
            named=sizes.names_columns,
        )

    @property
    def how_to_read(self) -> str:
        """How to read the matrix."""
        usual = self.describe("pair_matrix.how_to_read")
        return f"{usual} {self.more}" if self.more else usual

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        largest = np.nan_to_num(np.abs(self._effects[self._upper])).argmax()
        i, j = (places[largest] for places in self._upper)
        first, second = (text.plain_text(self._names[position]) for position in (i, j))
        alt = spec.figure_text(
            "pair_matrix.alt",
            head=spec.alt_head("Pair matrix", len(self.order), self.measure, self.over),
            n=self._n_differing,
            of=len(self._upper[0]),
            effect=self.effect_name,
            largest=f"{abs(self._effects[i, j]):.{self._places}f}",
            first=first,
            second=second,
        )
        return text.truncate_text(alt)


class _PairFields(TypedDict, total=False):
    """Fields of a matrix that differ from the usual ones."""

    over: str
    wins: pd.DataFrame
    more: str
    sided: bool
    measure: str
    effect_name: str
    pairs: pd.DataFrame | Callable[[], pd.DataFrame]
    whole: Callable[[], pd.DataFrame]


@spec.cached_figure
def matrix_of_pairs(c: Comparison) -> PairMatrix | None:
    """Return the matrix of all pairs of the `MOST_NAMES` best algorithms; None if not all pairs are compared."""
    order = list(c.order[: spec.MOST_NAMES])
    compared = _effects_of(c, order)
    if compared is None:
        return None
    effects, special = compared
    sided = special.get("sided", True)
    fields: _PairFields = {
        "effect_name": effect_text.estimate_label(c),
        "measure": c.measure_name,
        "over": spec.counted_in(c),
    }
    fields.update(special)
    if "pairs" not in fields:
        fields["pairs"] = _by_pair(c.pairs.frame)
    dataset = getattr(c, "dataset", "")
    on_dataset = [dataset] if dataset else []
    return PairMatrix(
        name="_".join(["pairs", *on_dataset, *c.measures_compared]),
        effects=effects,
        pvalues=c.adjusted_pvalues.loc[order, order],
        alpha=c.settings.alpha,
        order=order,
        beats=c.beats if sided else None,
        pvalue_name="adjusted p" if c.guarantee.adjusted else "unadjusted p",
        tests=c.test_name,
        total=len(c.order),
        tested=spec.tested_line(c),
        **fields,
    )


def _by_pair(details: pd.DataFrame) -> pd.DataFrame:
    return details.set_index(["first", "second"])


def _effects_of(c: Comparison, order: list[str]) -> tuple[pd.DataFrame, _PairFields] | None:
    """Return the effects, larger for better rows, and other fields; None if not all pairs are compared."""
    sign = 1 if c.higher_is_better else -1
    match c:
        case RanksComparison() | PublishedRanks():
            return _effects_of_ranks(c, order, sign)
        case PresentComparison():  # each pair on its shared data sets
            return sign * c.raw.estimates.loc[order, order], {
                "over": spec.figure_text("pair_matrix.shared", n=c.raw.n),
                "wins": _win_tie_loss_texts(c.raw.wins, c.raw.ties, order),
                "more": spec.figure_text("pair_matrix.how_to_read_of_present"),
            }
        case FoldsComparison():
            wins = _win_tie_loss_texts(c.wins, c.ties, order)
            return sign * c.estimates.loc[order, order], {"wins": wins}
        case CasesComparison() | BenchmarksComparison():
            return None if c.control else (sign * _pairwise_differences(c.values[order]), {})
        case SeveralOnMeasures():  # effects are distances
            half = _upper_half(c.pairs.frame, order)
            return half + half.T, {
                "sided": False,
                "measure": c.label,
                "effect_name": spec.figure_text("pair_matrix.effect_distances"),
                "more": spec.figure_text("pair_matrix.how_to_read_of_measures"),
            }
        case (
            ControlComparison()
            | TwoComparison()
            | FoldPairComparison()
            | PairOnMeasures()
            | WinsComparison()
            | UntestedComparison()
            | PublishedWins()
            | PublishedDecisions()
        ):
            return None
        case _:
            raise NotImplementedError(type(c).__name__)


def _effects_of_ranks(
    c: RanksComparison | PublishedRanks, order: list[str], sign: int
) -> tuple[pd.DataFrame, _PairFields]:
    """Return effects and other fields of the matrix of comparisons over data sets."""
    fields: _PairFields = {
        "over": format_count(c.friedman.n, "data set"),
        "whole": lambda: _by_pair(c.pairs.frame),
    }
    if isinstance(c, RanksComparison):
        tested = c.pairs.decisions
        rows = tested[tested["first"].isin(order) & tested["second"].isin(order)]
        fields["wins"] = _win_tie_loss_texts(c.wins, c.ties, order)
        fields["pairs"] = lambda: _by_pair(c.pairs.with_intervals(rows))  # intervals are not drawn
        if c.settings.source != "ranks":
            half = _upper_half(c.estimates(rows), order)
            return sign * (half - half.T), fields
    fields["effect_name"] = spec.figure_text("pair_matrix.effect_ranks")
    return -_pairwise_differences(c.friedman.average_ranks[order]), fields


def _upper_half(pairs: pd.DataFrame, order: Sequence[str]) -> pd.DataFrame:
    """Return the estimates of pairs as an upper triangular matrix, 0 elsewhere and for missing estimates."""
    estimates = pairs.pivot(index="first", columns="second", values="estimate")
    return estimates.reindex(index=order, columns=order).fillna(0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _MatrixLayout:
    """Labels as markup, and sizes in px; `note` is the height of the sentence above the matrix."""

    row_labels: list[str]
    column_labels: list[str]
    upright: bool  # whether the labels of columns are rotated
    margin: dict[str, float]
    height: float
    note: float


@dataclass(frozen=True, slots=True)
class _MatrixSizes:
    detail: str  # "text", "glyph" or "tint"
    cell: float
    font: float
    names: float
    names_columns: bool  # if not, columns follow the order of the rows


def _column(left: float, k: int, style: Style) -> float:
    """Return the width of a column in px, on the screen in the narrowest page."""
    width = style.px(min(style.width, NARROWEST), style.width)
    return (width - left) / k


def _win_tie_loss_texts(
    wins: pd.DataFrame, ties: pd.DataFrame, order: Sequence[str]
) -> pd.DataFrame:
    """Return "won/tied/lost" of row against column algorithm, algorithm x algorithm."""
    won = spec.aligned(wins, order)
    tied = spec.aligned(ties, order)
    lost = won.T
    indices = range(len(order))
    cells = [[f"{won[i, j]}/{tied[i, j]}/{lost[i, j]}" for j in indices] for i in indices]
    return pd.DataFrame(cells, index=order, columns=order)


def _pairwise_differences(values: pd.Series) -> pd.DataFrame:
    """Return the differences of all values, row minus column."""
    array = values.to_numpy()
    return pd.DataFrame(array[:, None] - array, index=values.index, columns=values.index)
