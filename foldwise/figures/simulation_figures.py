"""Figures of simulations: power, error rates and plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import power_curves, text, theme, traces
from foldwise.figures.axis_parts import names_axis, value_axis
from foldwise.figures.spec import FigureSpec, cached_figure, figure_text
from foldwise.figures.theme import Style
from stats_core.core.errors import DataError
from stats_core.core.formatting import format_count, format_number
from stats_core.power.error_rates import LevelOnDesign
from stats_core.power.item_planning import ItemPlan
from stats_core.power.planning import Plan
from stats_core.power.simulated_power import ProcedurePower

_MOST_ROWS = 12  # largest number of procedures in the first figure of levels
_NULL_NAMES = {
    "labels": "none differs",
    "pair": figure_text("simulation_figures.null_of_pair"),
    "folds": "none differs",
}
#: Column -> label, in the order of the panels.
RATES = {
    "family": "family-wise error rate",
    "pair": figure_text("simulation_figures.rate_per_pair"),
}
COLUMNS = (
    *("world", "procedure"),
    *(f"{rate}{part}" for rate in RATES for part in ("", " se", " above")),
)
_SYMBOLS = ("circle", "diamond", "square")  # one per null model, in a row
_SIGNS = {
    "circle": "\N{WHITE CIRCLE}",
    "diamond": "\N{WHITE DIAMOND}",
    "square": "\N{WHITE SQUARE}",
}
_MOST_LEFT = 0.36  # largest share of the width used by names


@dataclass(frozen=True, kw_only=True, eq=False)
class ErrorRates(FigureSpec):
    """Error rates of every procedure and null model, with two standard errors, relative to alpha.

    Attributes
    ----------
    table : DataFrame
        One row per procedure and null model, of which there are at most three, with `COLUMNS`: for
        each rate its value, standard error, and whether it exceeds alpha.
    alpha : float
        The significance level.
    text_below : str
        End of the caption.
    data : DataFrame, optional
        The numbers.
    """

    zoom: ClassVar[str] = "x"
    how_to_read: ClassVar[str] = figure_text("simulation_figures.how_to_read_error_rates")
    table: pd.DataFrame
    alpha: float
    data: pd.DataFrame | None = None

    def __post_init__(self) -> None:
        lacking = [column for column in COLUMNS if column not in self.table]
        if lacking or self.table.empty:
            values = {"columns": COLUMNS, "missing": lacking or ["rows"]}
            raise DataError([figure_text("simulation_figures.bad_columns", **values)])

    @property
    def rates(self) -> dict[str, str]:
        """Error rates to draw with their names; one if both are equal."""
        if np.allclose(self.table["family"], self.table["pair"]):
            return {"family": "type I error rate"}
        return RATES

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        table, rates = self.table, self.rates
        names = list(dict.fromkeys(table["procedure"]))
        hypotheses = list(dict.fromkeys(table["world"]))
        several = len(hypotheses) > 1
        short = text.shorten(
            names,
            _MOST_LEFT * style.width,
            style.tick_size,
            serif=style.serif,
            lines=2 if len(names) <= _MOST_ROWS else 1,
        )
        left = text.widest(short.values(), style.tick_size, style.serif) + style.px(16, 10)
        margin = {
            "l": left,
            "r": style.px(16, 10),
            "t": (2.6 if several else 1.6) * style.size,
            "b": 3.3 * style.size,
        }
        row = (1.5 + 0.35 * (len(hypotheses) - 1)) * style.size
        pitch = text.row_height(short.values(), style.tick_size, row)
        fig = theme.new_figure(style, margin["t"] + pitch * len(names) + margin["b"], margin=margin)
        room = style.width - margin["l"] - margin["r"]
        spacing = style.px(24, 14) / room if len(rates) > 1 else 0.0
        panel_width = room * (1 - spacing) / len(rates)
        fig.set_subplots(1, len(rates), shared_yaxes=True, horizontal_spacing=spacing)
        for col, (rate, title) in enumerate(rates.items(), 1):
            self._draw_level(fig, len(names), col, style)
            for position, hypothesis in enumerate(hypotheses):
                rows = table[table["world"] == hypothesis]
                y = np.array([names.index(name) for name in rows["procedure"]], dtype=float)
                if several:
                    share = (position + 0.5) / len(hypotheses) - 0.5
                    y += 0.72 * row / pitch * share
                _draw_dots(fig, rows, rate, y, _SYMBOLS[position], col, style)
            axis = self._rate_axis(rate, panel_width, style)
            fig.update_xaxes(title={"text": title, "standoff": 4}, **axis, row=1, col=col)
        if several:
            _write_key(fig, hypotheses, left, style)
        labels = [text.shortened_markup(short[name]) for name in names]
        names_at = names_axis(list(range(len(names))), labels, [len(names) - 0.5, -0.5])
        fig.update_yaxes(**{**names_at, "ticklabelstandoff": 4})
        return fig.update_yaxes(showticklabels=False, col=2)

    def _draw_level(self, fig: go.Figure, n_rows: int, col: int, style: Style) -> None:
        """Draw the line of the significance level in one panel, with its label."""
        alpha = self.alpha
        traces.add_line(
            fig,
            [alpha, alpha],
            [-0.5, n_rows - 0.5],
            "alpha",
            style.ink,
            style.px(1.2, 0.7),
            dash="dot",
            row=1,
            col=col,
        )
        traces.add_text(
            fig,
            power_curves.level_label(alpha),
            alpha,
            1,
            style.tick_size,
            style.second,
            refs=f"x{col if col > 1 else ''}, paper",
            anchor="left, bottom",
            shift=(0, 1),
        )

    def _rate_axis(self, rate: str, width: float, style: Style) -> dict[str, Any]:
        """Return the properties of an axis of error rates that is `width` px long."""
        upper_ends = self.table[rate] + 2 * self.table[f"{rate} se"]
        highest = max(min(1.0, float(upper_ends.max())), 1.2 * self.alpha)
        most = max(2, width / (5 * style.size))
        return {**value_axis(-0.02 * highest, 1.04 * highest, most, least=3)}

    def caption(self, style: Style) -> str:
        """Return the caption."""
        values = {"one": len(self.rates) == 1, "alpha": f"{self.alpha:g}", "more": self.text_below}
        return figure_text("simulation_figures.caption_error_rates", **values).rstrip()

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters.

        Examples
        --------
        >>> rows = [("labels", "Holm", 0.04, 0.01, False, 0.01, 0.01, False),
        ...         ("labels", "none", 0.2, 0.01, True, 0.05, 0.01, False)]
        >>> ErrorRates(table=pd.DataFrame(rows, columns=list(COLUMNS)), alpha=0.05).alt
        'Type I error rates of 2 procedures. Above 0.05: family-wise error rate none 0.2, error rate per pair none.'
        """
        n_procedures = self.table["procedure"].nunique()
        parts = []
        for rate, name in self.rates.items():
            above = self.table[self.table[f"{rate} above"].astype(bool)]
            worst = above.sort_values(rate, ascending=False).drop_duplicates("procedure")
            names = [
                f"{text.short_name(procedure, 40)} {value:.2g}"
                for procedure, value in zip(worst["procedure"], worst[rate], strict=True)
            ]
            parts.append(f"{name} {text.join_escaped(names, 3) if names else 'none'}")
        values = {"n": n_procedures, "alpha": self.alpha, "above": ", ".join(parts)}
        return text.truncate_text(figure_text("simulation_figures.alt_error_rates", **values))


def _write_key(fig: go.Figure, hypotheses: Sequence[str], left: float, style: Style) -> None:
    """Write the signs of the hypotheses at the left edge, `left` px from the plot."""
    words = [
        f"{_SIGNS[symbol]} {text.escape(hypothesis)}"
        for symbol, hypothesis in zip(_SYMBOLS, hypotheses, strict=False)
    ]
    traces.add_text(
        fig,
        "   ".join(words),
        0,
        1,
        style.size,
        refs="paper, paper",
        anchor="left, bottom",
        shift=(style.px(2, 2) - left, 1.3 * style.size),
    )


def _draw_dots(
    fig: go.Figure,
    rows: pd.DataFrame,
    rate: str,
    y: np.ndarray,
    symbol: str,
    col: int,
    style: Style,
) -> None:
    """Draw one error rate under one null model, with error bars."""
    levels = rows[rate].to_numpy()
    errors = rows[f"{rate} se"].to_numpy()
    low = np.maximum(levels - 2 * errors, 0)
    high = np.minimum(levels + 2 * errors, 1)
    bar_x: list[float | None] = []
    bar_y: list[float | None] = []
    for start, end, height in zip(low.tolist(), high.tolist(), y.tolist(), strict=True):
        bar_x += [start, end, None]
        bar_y += [height, height, None]
    thin = style.px(1.2, 0.7)
    traces.add_line(fig, bar_x, bar_y, "two standard errors", style.second, thin, row=1, col=col)
    filled = style.accent if style.colour else style.ink
    hollow = style.ground if style.printed else style.page
    above = rows[f"{rate} above"].to_numpy(dtype=bool)
    fig.add_scatter(
        x=levels,
        y=y,
        mode="markers",
        name=text.escape(str(rows["world"].iloc[0])),
        marker={
            "symbol": symbol,
            "size": style.px(8, 4.6),
            "color": [filled if is_above else hollow for is_above in above],
            "line": {"width": thin, "color": style.ink},
        },
        text=_hover_texts(rows, rate),
        hovertemplate="%{text}<extra></extra>",
        cliponaxis=False,
        row=1,
        col=col,
    )


def _hover_texts(rows: pd.DataFrame, rate: str) -> list[str]:
    """Return the hover texts of an error rate of each procedure."""
    hovers = []
    for row in rows.to_dict("records"):
        lines = [
            f"<b>{text.escape(row['procedure'])}</b>",
            text.escape(row["world"]),
            f"{RATES[rate]} {row[rate]:.4f} ± {2 * row[f'{rate} se']:.4f}",
        ]
        if row[f"{rate} above"]:
            lines.append("above alpha")
        hovers.append("<br>".join(lines))
    return hovers


@cached_figure
def lab_drawings(result: object) -> list[FigureSpec]:
    """Return the figures of a result of `power_of`, `level_of`, `plan_of` or `items_of`; raise TypeError for others."""
    return _drawings(result)


@singledispatch
def _drawings(result: object) -> list[FigureSpec]:
    raise TypeError(f"{type(result).__name__} has no figures")


@_drawings.register
def _power(result: ProcedurePower) -> list[FigureSpec]:
    """Return the figures of power: rejections over all pairs, and power for one pair, by procedure."""
    short = {procedure.name: short_name(procedure.name) for procedure in result.procedures}
    frame = result.frame.replace({"procedure": short})
    a, b = result.pair
    values = {
        "a": a,
        "b": b,
        "counted": format_count(result.draws, "simulation"),
        "sets": result.n_sets,
        "alpha": result.alpha,
    }
    how_to_read = figure_text("power_curves.how_to_read")
    papers = ("garcia2008",)
    return [
        power_curves.PowerCurves(
            name="power",
            title=figure_text("power_curves.title", n=result.comparisons),
            how_to_read=how_to_read,
            table=frame.drop(columns=[name for name in frame if name.startswith("pair ")]),
            alpha=result.alpha,
            text_below=figure_text("power_curves.caption", **values),
            papers=papers,
        ),
        power_curves.PowerCurves(
            name="power_of_the_pair",
            title=figure_text("power_curves.title_of_pair", a=a, b=b),
            how_to_read=how_to_read,
            table=frame.drop(columns=["rejected", "rejected se", "pvalue", "pvalue se"]),
            curves=power_curves.PAIR,
            alpha=result.alpha,
            text_below=figure_text("power_curves.caption_of_pair", **values),
            papers=papers,
        ),
    ]


@_drawings.register
def _level(result: LevelOnDesign) -> list[FigureSpec]:
    """Return the figure of error rates; for many procedures, one of the highest rates and one of all."""
    names = list(dict.fromkeys(result.frame["procedure"]))
    if len(names) <= _MOST_ROWS:
        return [_levels(result, names, "level", figure_text("simulation_figures.title_rates"))]
    worst = result.frame.groupby("procedure")["family"].max()
    listed = sorted(names, key=lambda name: (name != result.chosen, -worst[name]))[:_MOST_ROWS]
    displayed = [name for name in names if name in listed]
    title_of_listed = figure_text("simulation_figures.title_highest_rates", n=_MOST_ROWS)
    title_of_all = figure_text("simulation_figures.title_all_rates", n=len(names))
    return [
        _levels(result, displayed, "level", title_of_listed),
        _levels(result, names, "level_of_all", title_of_all),
    ]


def _levels(result: LevelOnDesign, names: list[str], name: str, title: str) -> ErrorRates:
    """Return the figure of error rates of the named procedures."""
    frame = result.frame[result.frame["procedure"].isin(names)].reset_index(drop=True)
    displayed = frame.assign(
        world=frame["world"].map(_NULL_NAMES), procedure=frame["procedure"].map(short_name)
    )
    below = figure_text("simulation_figures.counted", n=result.draws)
    return ErrorRates(
        name=name, title=title, table=displayed, alpha=result.alpha, text_below=below, data=frame
    )


@_drawings.register
def _plan(plan: Plan) -> list[FigureSpec]:
    """Return the figures of power by number of data sets, and of half-width and power by number of runs."""
    a, b = plan.pair
    shown = plan.growth[plan.growth["more_sets"] <= max(20, 1.5 * plan.needed)]
    last_rows = {way: rows.iloc[-1] for way, rows in plan.frame.groupby("way", sort=False)}
    ends = ", ".join(
        f"{way} {format_number(row['half_width'], 4)}" for way, row in last_rows.items()
    )
    return [
        power_curves.PowerCurves(
            name="plan",
            title=figure_text("simulation_figures.title_growth"),
            how_to_read=figure_text("simulation_figures.how_to_read_growth"),
            alt_text=figure_text("simulation_figures.alt_growth", plan=plan, last=shown.iloc[-1]),
            table=shown.assign(power=shown["chance"], pair=f"{a} \N{MINUS SIGN} {b}"),
            numbers_of=plan.growth,
            curves=power_curves.GROWTH,
            text_below=figure_text("simulation_figures.caption_growth", plan=plan, a=a, b=b),
            power=plan.power,
            marked=plan.needed,
        ),
        power_curves.PowerCurves(
            name="plan_of_sizes",
            title=figure_text("simulation_figures.title_plan"),
            how_to_read=figure_text("simulation_figures.how_to_read_plan", difference=plan.target),
            alt_text=figure_text("simulation_figures.alt_plan", n=len(last_rows), ends=ends),
            table=_on_one_axis(plan.frame),
            numbers_of=plan.frame,
            curves=power_curves.PLANS,
            text_below=figure_text(
                "simulation_figures.caption_plan",
                a=a,
                b=b,
                algorithms=plan.algorithms,
                sets=plan.n_sets,
            ),
        ),
    ]


@_drawings.register
def _items(plan: ItemPlan) -> list[FigureSpec]:
    """Return the figure of detectable difference and power by number of instances; none if neither is defined."""
    panels = tuple(
        panel for panel in power_curves.ITEMS.panels if plan.curve[panel[0]].notna().any()
    )
    if not panels:
        return []
    a, b = plan.pair
    return [
        power_curves.PowerCurves(
            name="plan",
            title=figure_text("simulation_figures.title_items"),
            how_to_read=figure_text("simulation_figures.how_to_read_items"),
            alt_text=figure_text("simulation_figures.alt_items", plan=plan, a=a, b=b),
            table=plan.curve.assign(pair=f"{a} \N{MINUS SIGN} {b}"),
            numbers_of=plan.curve,
            curves=replace(power_curves.ITEMS, panels=panels),
            text_below=figure_text(
                "simulation_figures.caption_items",
                plan=plan,
                a=a,
                b=b,
                drawn=[column for column, _ in panels],
            ),
            power=plan.power,
            marked=plan.variance.n,
            papers=("connor1987",) if plan.exact else (),
        )
    ]


def _on_one_axis(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the half-widths and powers of a plan, interpolated at common numbers of runs."""
    wide = frame.pivot(index="trainings", columns="way", values=["half_width", "power"])
    filled = wide.interpolate("index", limit_area="inside")
    return (
        filled.stack("way", future_stack=True)
        .dropna()
        .reset_index()[list(power_curves.PLANS.columns)]
    )


def short_name(procedure: str) -> str:
    """Return a shortened name of a procedure for figures.

    Examples
    --------
    >>> short_name("pairwise tests of average ranks with Holm adjustment"), short_name("Nemenyi")
    ('Holm, ranks', 'Nemenyi')
    """
    tests, _, adjusted = procedure.partition(" with ")
    correction = adjusted.partition(" ")[0]
    short = (
        figure_text(f"short_tests.{tests}") if tests in figure_text.texts["short_tests"] else tests
    )
    return f"{correction}, {short}" if correction else procedure
