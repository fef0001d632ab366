"""Figures of simulations: power, error rates and plans."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import ClassVar

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
        table, alpha, rates, size = self.table, self.alpha, self.rates, style.tick_size
        names, hypotheses = (
            list(dict.fromkeys(table[column])) for column in ("procedure", "world")
        )
        several = len(hypotheses) > 1
        lines = 1 + (len(names) <= _MOST_ROWS)
        shown = text.shorten(names, _MOST_LEFT * style.width, size, serif=style.serif, lines=lines)
        left = text.widest(shown.values(), size, style.serif) + style.px(16, 10)
        row = (1.5 + 0.35 * (len(hypotheses) - 1)) * style.size
        pitch = text.row_height(shown.values(), size, row)
        top = (2.6 if several else 1.6) * style.size
        margin = {"l": left, "r": style.px(16, 10), "t": top, "b": 3.3 * style.size}
        fig = theme.new_figure(style, margin["t"] + pitch * len(names) + margin["b"], margin=margin)
        room = style.width - margin["l"] - margin["r"]
        spacing = style.px(24, 14) / room if len(rates) > 1 else 0.0
        fig.set_subplots(1, len(rates), shared_yaxes=True, horizontal_spacing=spacing)
        for column, (rate, title) in enumerate(rates.items(), 1):
            subplot = {"row": 1, "col": column}
            ends, line = [-0.5, len(names) - 0.5], {"dash": "dot", **subplot}
            traces.add_line(
                fig, [alpha, alpha], ends, "alpha", style.ink, style.px(1.2, 0.7), **line
            )
            at = {
                "refs": f"x{column if column > 1 else ''}, paper",
                "anchor": "left, bottom",
                "shift": (0, 1),
            }
            traces.add_text(
                fig, power_curves.level_label(alpha), alpha, 1, style.tick_size, style.second, **at
            )
            for position, hypothesis in enumerate(hypotheses):
                shift = (
                    0.72 * row / pitch * ((position + 0.5) / len(hypotheses) - 0.5)
                    if several
                    else 0.0
                )
                rows = table[table["world"] == hypothesis]
                y = np.array([names.index(name) for name in rows["procedure"]]) + shift
                _draw_dots(fig, rows, rate, y, _SYMBOLS[position], style, subplot)
            highest = max(
                min(1.0, float((table[rate] + 2 * table[f"{rate} se"]).max())), 1.2 * alpha
            )
            most = max(2, room * (1 - spacing) / len(rates) / (5 * style.size))
            axis = value_axis(-0.02 * highest, 1.04 * highest, most, least=3)
            fig.update_xaxes(title={"text": title, "standoff": 4}, **axis, **subplot)
        if several:  # a key of the hypotheses, aligned with the left edge of the figure
            words = [
                f"{_SIGNS[symbol]} {text.escape(hypothesis)}"
                for symbol, hypothesis in zip(_SYMBOLS, hypotheses, strict=False)
            ]
            at = {
                "refs": "paper, paper",
                "anchor": "left, bottom",
                "shift": (style.px(2, 2) - left, 1.3 * style.size),
            }
            traces.add_text(fig, "   ".join(words), 0, 1, style.size, **at)
        labels = [text.shortened_markup(shown[name]) for name in names]
        fig.update_yaxes(
            ticklabelstandoff=4,
            **names_axis(list(range(len(names))), labels, [len(names) - 0.5, -0.5]),
        )
        return fig.update_yaxes(showticklabels=False, col=2)

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
        n_procedures, parts = self.table["procedure"].nunique(), []
        for rate, name in self.rates.items():
            above = self.table[self.table[f"{rate} above"].astype(bool)].sort_values(
                rate, ascending=False
            )
            worst = above.drop_duplicates("procedure")
            names = [
                f"{text.short_name(procedure, 40)} {value:.2g}"
                for procedure, value in zip(worst["procedure"], worst[rate], strict=True)
            ]
            parts.append(f"{name} {text.join_escaped(names, 3) if names else 'none'}")
        values = {"n": n_procedures, "alpha": self.alpha, "above": ", ".join(parts)}
        return text.truncate_text(figure_text("simulation_figures.alt_error_rates", **values))


def _draw_dots(
    fig: go.Figure,
    rows: pd.DataFrame,
    rate: str,
    y: np.ndarray,
    symbol: str,
    style: Style,
    subplot: dict[str, int],
) -> None:
    """Draw one error rate under one null model, with error bars."""
    levels, errors = rows[rate].to_numpy(), rows[f"{rate} se"].to_numpy()
    low, high = np.maximum(levels - 2 * errors, 0), np.minimum(levels + 2 * errors, 1)
    bar_x = [value for a, b in zip(low, high, strict=True) for value in (a, b, None)]
    bar_y = [value for height in y for value in (height, height, None)]
    traces.add_line(
        fig, bar_x, bar_y, "two standard errors", style.second, style.px(1.2, 0.7), **subplot
    )
    filled, hollow = (
        style.accent if style.colour else style.ink,
        style.ground if style.printed else style.page,
    )
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
            "line": {"width": style.px(1.2, 0.7), "color": style.ink},
        },
        text=[
            f"<b>{text.escape(name)}</b><br>{text.escape(hypothesis)}<br>{RATES[rate]} "
            f"{level:.4f} ± {2 * error:.4f}" + ("<br>above alpha" if is_above else "")
            for name, hypothesis, level, error, is_above in zip(
                rows["procedure"], rows["world"], levels, errors, above, strict=True
            )
        ],
        hovertemplate="%{text}<extra></extra>",
        cliponaxis=False,
        **subplot,
    )


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
    }
    values["alpha"] = result.alpha
    common = {
        "how_to_read": figure_text("power_curves.how_to_read"),
        "papers": ("garcia2008",),
        "alpha": result.alpha,
    }
    return [
        power_curves.PowerCurves(
            name="power",
            title=figure_text("power_curves.title", n=result.comparisons),
            table=frame.drop(columns=[name for name in frame if name.startswith("pair ")]),
            text_below=figure_text("power_curves.caption", **values),
            **common,
        ),
        power_curves.PowerCurves(
            name="power_of_the_pair",
            title=figure_text("power_curves.title_of_pair", a=a, b=b),
            table=frame.drop(columns=["rejected", "rejected se", "pvalue", "pvalue se"]),
            curves=power_curves.PAIR,
            text_below=figure_text("power_curves.caption_of_pair", **values),
            **common,
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
