"""Dot plot of family-wise and per-pair type I error rates of procedures, against alpha."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import enable_zoom, names_axis, tick_axis, ticks
from foldwise.figures.theme import Style
from stats_core.core.errors import DataError

#: Column -> label, in the order of the panels.
RATES = {"family": "family-wise error rate", "pair": "error rate per pair"}
COLUMNS = (*("world", "procedure"), *(f"{rate}{part}" for rate in RATES for part in ("", " se", " above")))
_SYMBOLS = ("circle", "diamond", "square")  # one per simulated world, side by side in a row
_MOST_LEFT = 0.36  # largest share of the width used by names


def level_dots(table: pd.DataFrame, *, alpha: float, style: Style) -> go.Figure:
    """Draw both error rates of every procedure and simulated world, with two standard errors."""
    lacking = [column for column in COLUMNS if column not in table]
    if lacking or table.empty:
        problem = f"Missing: {', '.join(lacking)}" if lacking else "There are no rows"
        raise DataError([f"Levels need the columns {', '.join(COLUMNS)} and at least one row. {problem}."])
    names = list(dict.fromkeys(table["procedure"]))
    worlds = list(dict.fromkeys(table["world"]))
    shown = text.shorten(names, _MOST_LEFT * style.width, style.tick_size, serif=style.serif, lines=2)
    left = max(text.text_width(word, style.tick_size, style.serif) for word in shown.values())
    pitch = (1.5 + 0.35 * (len(worlds) - 1)) * style.size
    pitch = text.row_height(shown.values(), style.tick_size, pitch)
    margin = {
        "l": left + style.px(16, 10),
        "r": style.px(16, 10),
        "t": (2.2 if len(worlds) > 1 else 1.2) * style.size,
        "b": 3.3 * style.size,
    }
    fig = theme.new_figure(style, margin["t"] + pitch * len(names) + margin["b"], margin=margin)
    panels = panels_of(table)
    room = style.width - margin["l"] - margin["r"]
    gap = style.px(24, 14) / room if len(panels) > 1 else 0.0
    fig.set_subplots(1, len(panels), shared_yaxes=True, horizontal_spacing=gap)
    for column, rate in enumerate(panels, 1):
        subplot = {"row": 1, "col": column}
        ends = [-0.5, len(names) - 0.5]
        line_width = style.px(1.2, 0.7)
        traces.add_line(fig, [alpha, alpha], ends, "alpha", style.ink, line_width, dash="dot", **subplot)
        for position, world in enumerate(worlds):
            shift = 0.72 * ((position + 0.5) / len(worlds) - 0.5) if len(worlds) > 1 else 0.0
            rows = table[table["world"] == world]
            _dots(fig, rows, rate, names, shift, _SYMBOLS[position], style, subplot)
        top = min(1.0, float((table[rate] + 2 * table[f"{rate} se"]).max()))
        top = max(top, 1.2 * alpha)
        n_ticks = room * (1 - gap) / len(panels) / (5 * style.size)
        positions, labels = ticks(0.0, top, max(2, n_ticks))
        axis = tick_axis(positions, labels, [-0.02 * top, 1.04 * top])
        title = {"text": panels[rate], "standoff": 4}
        fig.update_xaxes(**axis | {"title": title}, **subplot)
    _key(fig, worlds, margin["l"], style)
    shorter = [text.shortened_markup(shown[name]) for name in names]
    rows = names_axis(list(range(len(names))), shorter, [len(names) - 0.5, -0.5])
    fig.update_yaxes(**rows)
    fig.update_yaxes(showticklabels=False, col=2)
    return enable_zoom(lambda _: fig, axes="x")(style)


def panels_of(table: pd.DataFrame) -> dict[str, str]:
    """Return the error rates to draw and their names; a single one if both are equal."""
    if np.allclose(table["family"], table["pair"]):
        return {"family": "type I error rate"}
    return RATES


def _dots(
    fig: go.Figure,
    rows: pd.DataFrame,
    rate: str,
    names: list[str],
    shift: float,
    symbol: str,
    style: Style,
    subplot: dict[str, int],
) -> None:
    """Draw one error rate in one world with its bars."""
    y = np.array([names.index(name) for name in rows["procedure"]]) + shift
    levels, reach = rows[rate].to_numpy(), 2 * rows[f"{rate} se"].to_numpy()
    low, high = np.maximum(levels - reach, 0), np.minimum(levels + reach, 1)
    traces.add_line(
        fig,
        [value for a, b in zip(low, high, strict=True) for value in (a, b, None)],
        [value for height in y for value in (height, height, None)],
        "two standard errors",
        style.second,
        style.px(1.2, 0.7),
        **subplot,
    )
    fills = [style.accent if style.colour else style.ink, style.ground if style.printed else style.page]
    above = rows[f"{rate} above"].to_numpy(dtype=bool)
    fig.add_scatter(
        x=levels,
        y=y,
        mode="markers",
        name=text.escape(str(rows["world"].iloc[0])),
        marker={
            "symbol": symbol,
            "size": style.px(8, 4.6),
            "color": [fills[0] if height else fills[1] for height in above],
            "line": {"width": style.px(1.2, 0.7), "color": style.ink},
        },
        text=[
            f"<b>{text.escape(name)}</b><br>{text.escape(world)}<br>{RATES[rate]} "
            f"{level:.4f} ± {2 * se:.4f}" + ("<br>above alpha" if high else "")
            for name, world, level, se, high in zip(
                rows["procedure"], rows["world"], levels, rows[f"{rate} se"], above, strict=True
            )
        ],
        hovertemplate="%{text}<extra></extra>",
        cliponaxis=False,
        **subplot,
    )


def _key(fig: go.Figure, worlds: list[str], left: float, style: Style) -> None:
    """Write the legend of worlds above the plot, aligned with the left edge of the figure."""
    if len(worlds) < 2:
        return
    signs = {"circle": "\N{WHITE CIRCLE}", "diamond": "\N{WHITE DIAMOND}", "square": "\N{WHITE SQUARE}"}
    legend = "   ".join(
        f"{signs[symbol]} {text.escape(world)}" for symbol, world in zip(_SYMBOLS, worlds, strict=False)
    )
    placement = {"refs": "paper, paper", "anchor": "left, bottom", "shift": (style.px(2, 2) - left, style.px(6, 4))}
    traces.add_text(fig, legend, 0, 1, style.size, **placement)


def alt_level_dots(table: pd.DataFrame, alpha: float) -> str:
    """Return the alternative text of the figure, at most 300 characters.

    Examples
    --------
    >>> rows = [("labels", "Holm", 0.04, 0.01, False, 0.01, 0.01, False),
    ...         ("labels", "none", 0.2, 0.01, True, 0.05, 0.01, False)]
    >>> alt_level_dots(pd.DataFrame(rows, columns=list(COLUMNS)), 0.05)
    'Type I error rates of 2 procedures. Above 0.05: family-wise error rate: none 0.2; error rate per pair: none.'
    """
    n_procedures, panels = table["procedure"].nunique(), panels_of(table)
    parts = []
    for rate, name in panels.items():
        above = table[table[f"{rate} above"].astype(bool)].sort_values(rate, ascending=False)
        worst = above.drop_duplicates("procedure")
        names = [
            f"{text.truncate_text(text.plain_text(procedure), 40)} {value:.2g}"
            for procedure, value in zip(worst["procedure"], worst[rate], strict=True)
        ]
        parts.append(f"{name}: {text.join_escaped(names, 3) if names else 'none'}")
    return text.truncate_text(
        f"Type I error rates of {n_procedures} procedure{'s' * (n_procedures != 1)}. Above {alpha:g}: "
        f"{'; '.join(parts)}."
    )


def caption_level_dots(table: pd.DataFrame, alpha: float) -> str:
    """Return the caption sentence that says which rates the panels show."""
    quantity = (
        "Share of true hypotheses rejected"
        if len(panels_of(table)) == 1
        else "Family-wise error rate (left: any true hypothesis rejected) and error rate per pair "
        "(right: share of true hypotheses rejected)"
    )
    return f"{quantity}, with two Monte Carlo standard errors. Dotted: α = {alpha:g}."
