"""Loadings of discriminant measures, as signed bars and as a formula."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import names_axis
from foldwise.figures.spec import FigureSpec, cached_figure, figure_text
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.measure_vectors import OnMeasures
from stats_core.core.formatting import format_count, measure_name

_MOST_TERMS = 8
_LEAST = 0.005  # smaller loadings would be printed as zero


@dataclass(frozen=True, kw_only=True, eq=False)
class Loadings(FigureSpec):
    """Loadings of the first two discriminant measures, sorted by absolute loading on the first.

    There is one panel per component, on a common scale; positive bars are filled, negative ones
    hollow.

    Attributes
    ----------
    table : DataFrame, measure x component
        Signed loadings of unit length.
    shares : Series by component
        Share of the between-algorithm variance that each component explains, 0 to 1.
    unit : str
        Source of one result per algorithm: "fold" or "run".
    """

    table: pd.DataFrame
    shares: pd.Series
    unit: str = "fold"

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        table = self.table
        shown = list(self.table.columns[:2])
        order = _by_size(table[shown[0]])[::-1]  # the y axis points upwards
        names = [measure_name(str(name)) for name in order]
        rows = list(range(len(names)))
        short = text.shorten(names, 0.27 * style.width, style.tick_size, serif=style.serif)
        left = math.ceil(text.widest(short.values(), style.tick_size, style.serif))
        margin = {
            "l": left + style.px(12, 8),
            "r": style.px(8, 4),
            "t": style.px(30, 22),
            "b": style.px(10, 6),
        }
        pitch = style.px(26, 15)
        fig = theme.new_figure(style, margin["t"] + pitch * len(names) + margin["b"], margin=margin)
        spacing = style.px(24, 14)
        width = style.width - margin["l"] - margin["r"]
        fig.set_subplots(1, len(shown), shared_yaxes=True, horizontal_spacing=spacing / width)
        span = _span(table[shown], (width - spacing * (len(shown) - 1)) / len(shown), style)
        filled = theme.transparent(style.ink, 0.78)
        hollow = theme.transparent(style.ink, 0.08)
        edge = {"width": style.px(1.2, 0.7), "color": style.ink}
        for position, component in enumerate(shown):
            values = [float(value) for value in table.loc[order, component]]
            fig.add_bar(
                x=values,
                y=rows,
                orientation="h",
                name=text.escape(component),
                marker={
                    "color": [filled if value >= 0 else hollow for value in values],
                    "line": edge,
                },
                width=0.58,
                text=[text.format_signed(value, 2) for value in values],
                textposition="outside",
                textangle=0,
                textfont={"size": _number_size(style), "color": style.ink},
                constraintext="none",
                cliponaxis=False,
                customdata=names,
                hovertext=[
                    f"<b>{text.escape(name)} on {text.escape(component)}: {text.format_minus(value, 3)}</b>"
                    for name, value in zip(names, values, strict=True)
                ],
                hoverinfo="text",
                row=1,
                col=position + 1,
            )
            number = position + 1 if position else ""
            share = _share(component, self.shares)
            traces.add_text(
                fig,
                text.escape(f"{component} ({share})" if share else component),
                0,
                1,
                style.size,
                refs=f"x{number}, y{number} domain",
                anchor="auto, bottom",
                shift=(0, style.px(6, 4)),
            )
        fig.update_xaxes(
            range=span,
            showline=False,
            ticks="",
            showticklabels=False,
            fixedrange=True,
            zeroline=True,
            zerolinecolor=style.ink,
            zerolinewidth=style.px(1.2, 0.8),
        )
        labels = [text.escape(short[name]) for name in names]
        axis = names_axis(rows, labels, [-0.5, len(names) - 0.5])
        return fig.update_yaxes(ticklabelstandoff=round(style.px(6, 4)), **axis)

    def caption(self, style: Style) -> str:
        """Return the caption."""
        return self.describe(
            "loadings.caption", n=len(self.table), shares=bool(self.shares.notna().any())
        )

    @property
    def data(self) -> pd.DataFrame:
        """Table of loadings."""
        return self.table.rename_axis("measure")

    @property
    def how_to_read(self) -> str:
        """Text on how to read the figure."""
        return self.describe("loadings.how_to_read")

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        first = self.table.columns[0]
        largest = [
            text.truncate_text(measure_name(text.plain_text(name)), 80)
            for name in _by_size(self.table[first])[:2]
        ]
        alt = figure_text(
            "loadings.alt",
            n=len(self.table),
            first=first,
            share=_share(first, self.shares),
            largest=largest,
        )
        return text.truncate_text(alt)


@cached_figure(at_every_level=True)
def loadings_drawing(analysis: OnMeasures) -> Loadings:
    """Return the figure of the loadings of discriminant measures."""
    return Loadings(
        name=f"loadings_{analysis.dataset}",
        title=f"Discriminant loadings on {analysis.dataset}",
        table=analysis.learned.loadings,
        shares=analysis.learned.shares,
        unit=analysis.unit,
        counted=f"{analysis.counted} of {format_count(len(analysis.names), 'algorithm')}",
    )


def _by_size(component: pd.Series) -> list[str]:
    """Return the measures by absolute loading, largest first, ties in their original order."""
    return list(component.abs().sort_values(ascending=False, kind="stable").index)


def _number_size(style: Style) -> float:
    return style.px(style.tick_size, 9)


def _share(component: object, shares: pd.Series) -> str:
    """Return the share of between-algorithm variance that a component explains as text; "" if unknown."""
    share = float(shares.get(component, math.nan))
    return "" if math.isnan(share) else f"{100 * share:.0f}%"


def _span(table: pd.DataFrame, width: float, style: Style) -> list[float]:
    """Return an x range that fits the bars and the numbers at their ends."""
    number = text.text_width("\N{MINUS SIGN}0.00", _number_size(style), style.serif)
    number += style.px(9, 6)  # and the space around it
    values = table.to_numpy(dtype=float)
    low = min(values.min(), 0.0)
    high = max(values.max(), 0.0)
    has_negative = low < 0
    room_for_bars = width - (2 * number if has_negative else number)
    per_px = ((high - low) or 1.0) / max(room_for_bars, 0.2 * width)
    # The title is centred at zero and needs some room at the left.
    left = number if has_negative else style.px(30, 26)
    return [low - per_px * left, high + per_px * number]


def formula(component: pd.Series) -> str:
    """Return a component as a formula of its at most eight largest loadings, without those below 0.005.

    Examples
    --------
    >>> import pandas as pd
    >>> formula(pd.Series({"tp": 0.05, "fp": 0.73, "fn": -0.68}, name="M1"))
    'M1 = 0.73 fp − 0.68 fn + 0.05 tp'
    """
    terms = [name for name in _by_size(component) if abs(component[name]) >= _LEAST]
    body = ""
    for name in terms[:_MOST_TERMS]:
        value = float(component[name])
        sign = "\N{MINUS SIGN}" if value < 0 else "+" if body else ""
        body += f" {sign} " if body else sign
        body += f"{abs(value):.2f} {text.plain_text(name)}"
    ellipsis = " + \N{HORIZONTAL ELLIPSIS}" if len(terms) > _MOST_TERMS else ""
    return f"{text.plain_text(component.name)} = {body or '0'}{ellipsis}"
