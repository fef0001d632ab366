"""Type I error rates of procedures: of the family and of a pair, a dot per world, against alpha."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import enable_zoom, names_axis, tick_axis, ticks
from foldwise.figures.theme import Style
from stats_core.core.errors import DataError

#: Column -> what it is, in the order of the panels.
RATES = {"family": "family-wise error rate", "pair": "error rate per pair"}
COLUMNS = (
    *("world", "procedure"),
    *(f"{rate}{part}" for rate in RATES for part in ("", " se", " above")),
)
_SYMBOLS = ("circle", "diamond", "square")  # one for each world, beside one another in a row
_MOST_LEFT = 0.36  # of the width, for names


def level_dots(table: pd.DataFrame, *, alpha: float, style: Style) -> go.Figure:
    """Draw both error rates of every procedure in every world, with two standard errors."""
    lacking = [column for column in COLUMNS if column not in table]
    if lacking or table.empty:
        found = f"Missing: {', '.join(lacking)}" if lacking else "There are no rows"
        raise DataError(
            [f"Levels need the columns {', '.join(COLUMNS)} and at least one row. {found}."]
        )
    names = list(dict.fromkeys(table["procedure"]))
    worlds = list(dict.fromkeys(table["world"]))
    shown = text.shorten(
        names, _MOST_LEFT * style.width, style.tick_size, serif=style.serif, lines=2
    )
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
        where = {"row": 1, "col": column}
        ends = [-0.5, len(names) - 0.5]
        wide = style.px(1.2, 0.7)
        traces.add_line(fig, [alpha, alpha], ends, "alpha", style.ink, wide, dash="dot", **where)
        for place, world in enumerate(worlds):
            shift = 0.72 * ((place + 0.5) / len(worlds) - 0.5) if len(worlds) > 1 else 0.0
            rows = table[table["world"] == world]
            _dots(fig, rows, rate, names, shift, _SYMBOLS[place], style, where)
        top = min(1.0, float((table[rate] + 2 * table[f"{rate} se"]).max()))
        top = max(top, 1.2 * alpha)
        many = room * (1 - gap) / len(panels) / (5 * style.size)
        places, words = ticks(0.0, top, max(2, many))
        axis = tick_axis(places, words, [-0.02 * top, 1.04 * top])
        title = {"text": panels[rate], "standoff": 4}
        fig.update_xaxes(**axis | {"title": title}, **where)
    _key(fig, worlds, margin["l"], style)
    shorter = [text.shortened_markup(shown[name]) for name in names]
    rows = names_axis(list(range(len(names))), shorter, [len(names) - 0.5, -0.5])
    fig.update_yaxes(**rows)
    fig.update_yaxes(showticklabels=False, col=2)
    return enable_zoom(lambda _: fig, axes="x")(style)


def panels_of(table: pd.DataFrame) -> dict[str, str]:
    """Return the error rates to draw with their names: one where both are the same, as of one pair."""
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
    where: dict[str, int],
) -> None:
    """Draw one error rate in one world with its bars."""
    y = np.array([names.index(name) for name in rows["procedure"]]) + shift
    levels, reach = rows[rate].to_numpy(), 2 * rows[f"{rate} se"].to_numpy()
    low, high = np.maximum(levels - reach, 0), np.minimum(levels + reach, 1)
    traces.add_line(
        fig,
        [value for a, b in zip(low, high, strict=True) for value in (a, b, None)],
        [value for one in y for value in (one, one, None)],
        "two standard errors",
        style.second,
        style.px(1.2, 0.7),
        **where,
    )
    fills = [
        style.accent if style.colour else style.ink,
        style.ground if style.printed else style.page,
    ]
    above = rows[f"{rate} above"].to_numpy(dtype=bool)
    fig.add_scatter(
        x=levels,
        y=y,
        mode="markers",
        name=text.escape(str(rows["world"].iloc[0])),
        marker={
            "symbol": symbol,
            "size": style.px(8, 4.6),
            "color": [fills[0] if one else fills[1] for one in above],
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
        **where,
    )


def _key(fig: go.Figure, worlds: list[str], left: float, style: Style) -> None:
    """Say above the plot, and from the left edge on, which mark is which world."""
    if len(worlds) < 2:
        return
    signs = {
        "circle": "\N{WHITE CIRCLE}",
        "diamond": "\N{WHITE DIAMOND}",
        "square": "\N{WHITE SQUARE}",
    }
    said = "   ".join(
        f"{signs[s]} {text.escape(w)}" for s, w in zip(_SYMBOLS, worlds, strict=False)
    )
    at = {
        "refs": "paper, paper",
        "anchor": "left, bottom",
        "shift": (style.px(2, 2) - left, style.px(6, 4)),
    }
    traces.add_text(fig, said, 0, 1, style.size, **at)


def alt_level_dots(table: pd.DataFrame, alpha: float) -> str:
    """Return the alternative text of the figure, at most 300 characters.

    Examples
    --------
    >>> rows = [("labels", "Holm", 0.04, 0.01, False, 0.01, 0.01, False),
    ...         ("labels", "none", 0.2, 0.01, True, 0.05, 0.01, False)]
    >>> alt_level_dots(pd.DataFrame(rows, columns=list(COLUMNS)), 0.05)
    'Type I error rates of 2 procedures. Above 0.05: family-wise error rate: none 0.2; error rate per pair: none.'
    """
    many, panels = table["procedure"].nunique(), panels_of(table)
    told = []
    for rate, name in panels.items():
        above = table[table[f"{rate} above"].astype(bool)].sort_values(rate, ascending=False)
        worst = above.drop_duplicates("procedure")
        names = [
            f"{text.truncate_text(text.plain_text(one), 40)} {value:.2g}"
            for one, value in zip(worst["procedure"], worst[rate], strict=True)
        ]
        told.append(f"{name}: {text.join_escaped(names, 3) if names else 'none'}")
    return text.truncate_text(
        f"Type I error rates of {many} procedure{'s' * (many != 1)}. Above {alpha:g}: "
        f"{'; '.join(told)}."
    )


def caption_level_dots(table: pd.DataFrame, alpha: float) -> str:
    """Return what the panels show, for the caption."""
    what = (
        "Share of true hypotheses rejected"
        if len(panels_of(table)) == 1
        else "Family-wise error rate (left: any true hypothesis rejected) and error rate per pair "
        "(right: share of true hypotheses rejected)"
    )
    return f"{what}, with two Monte Carlo standard errors. Dotted: α = {alpha:g}."
