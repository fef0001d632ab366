"""How often each procedure errs where nothing differs: a dot per world, against its level."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import ink, text, theme
from foldwise.figures.theme import Style
from foldwise.figures.ticks import names_axis, tick_axis, ticks
from foldwise.figures.zoom import zooming
from stats_core.core.errors import DataError

COLUMNS = ("world", "procedure", "level", "se", "above")
_SYMBOLS = ("circle", "diamond", "square")  # one for each world, beside one another in a row
_MOST_LEFT = 0.45  # of the width, for names


def level_dots(table: pd.DataFrame, *, alpha: float, style: Style) -> go.Figure:
    """Draw the level of every procedure in every world, with two standard errors to either side.

    Parameters
    ----------
    table : DataFrame
        One row per world and procedure: ``world``, ``procedure``, ``level`` and its standard error
        ``se``, and whether it is ``above`` what it should be.
    alpha : float
        The level that is promised: a vertical line.
    style : Style
        Surface and width.

    Returns
    -------
    Figure
        A row per procedure, in the order of the table. Filled marks are above.

    Raises
    ------
    DataError
        A column is missing, or there are no rows.
    """
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
    left = max(text.width(word, style.tick_size, style.serif) for word in shown.values())
    pitch = (1.5 + 0.35 * (len(worlds) - 1)) * style.size
    pitch = text.height(shown.values(), style.tick_size, pitch)
    margin = {
        "l": left + style.px(16, 10),
        "r": style.px(16, 10),
        "t": (2.2 if len(worlds) > 1 else 1.2) * style.size,
        "b": 3.3 * style.size,
    }
    height = pitch * len(names)
    fig = theme.figure(style, margin["t"] + height + margin["b"], margin=margin)
    top = min(1.0, float((table["level"] + 2 * table["se"]).max()))
    top = max(top, 1.2 * alpha)
    ink.line(
        fig,
        [alpha, alpha],
        [-0.5, len(names) - 0.5],
        "alpha",
        style.ink,
        style.px(1.2, 0.7),
        dash="dot",
    )
    for place, world in enumerate(worlds):
        shift = 0.36 * ((place + 0.5) / len(worlds) - 0.5) * 2 if len(worlds) > 1 else 0.0
        _dots(fig, table[table["world"] == world], names, shift, _SYMBOLS[place], style)
    _key(fig, worlds, margin["l"], style)
    places, words = ticks(0.0, top, max(2, (style.width - margin["l"]) / (5 * style.size)))
    fig.update_layout(
        xaxis={**tick_axis(places, words, [-0.02 * top, 1.04 * top])}
        | {"title": {"text": "share of draws with a false rejection", "standoff": 4}},
        yaxis=names_axis(
            list(range(len(names))),
            [text.broken(shown[name]) for name in names],
            [len(names) - 0.5, -0.5],
        ),
    )
    return zooming(lambda _: fig, axes="x")(style)


def _dots(
    fig: go.Figure, rows: pd.DataFrame, names: list[str], shift: float, symbol: str, style: Style
) -> None:
    """Draw the marks of one world with their bars."""
    y = np.array([names.index(name) for name in rows["procedure"]]) + shift
    levels, reach = rows["level"].to_numpy(), 2 * rows["se"].to_numpy()
    low, high = np.maximum(levels - reach, 0), levels + reach
    ink.line(
        fig,
        [value for a, b in zip(low, high, strict=True) for value in (a, b, None)],
        [value for one in y for value in (one, one, None)],
        "two standard errors",
        style.second,
        style.px(1.2, 0.7),
    )
    fills = [
        style.accent if style.colour else style.ink,
        style.ground if style.printed else style.page,
    ]
    fig.add_scatter(
        x=levels,
        y=y,
        mode="markers",
        name=text.escape(str(rows["world"].iloc[0])),
        marker={
            "symbol": symbol,
            "size": style.px(8, 4.6),
            "color": [fills[0] if above else fills[1] for above in rows["above"]],
            "line": {"width": style.px(1.2, 0.7), "color": style.ink},
        },
        text=[
            f"<b>{text.escape(name)}</b><br>{text.escape(world)}<br>{level:.4f} ± {2 * se:.4f}"
            + ("<br>above its level" if above else "")
            for name, world, level, se, above in rows[
                ["procedure", "world", "level", "se", "above"]
            ].itertuples(index=False)
        ],
        hovertemplate="%{text}<extra></extra>",
        cliponaxis=False,
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
    ink.words(fig, said, 0, 1, style.size, **at)


def alt_level_dots(table: pd.DataFrame, alpha: float) -> str:
    """Return the alternative text of the figure, at most 300 characters.

    Examples
    --------
    >>> rows = [("labels", "Holm", 0.04, 0.01, False), ("labels", "none", 0.2, 0.01, True)]
    >>> alt_level_dots(pd.DataFrame(rows, columns=list(COLUMNS)), 0.05)
    'Level of 2 procedures against 0.05. Above it: none 0.2. Table below holds every value.'
    """
    above = table[table["above"]].sort_values("level", ascending=False)
    names = [
        f"{text.clip(text.plain(n), 40)} {v:.2g}"
        for n, v in zip(above["procedure"], above["level"], strict=True)
    ]
    many = table["procedure"].nunique()
    return text.clip(
        f"Level of {many} procedure{'s' * (many != 1)} against {alpha:g}. Above it: "
        f"{text.listed(names, 5) if names else 'none seen'}. Table below holds every value."
    )


def caption_level_dots() -> str:
    """Return what the marks mean, for the caption."""
    return (
        "How often each procedure rejects what is true, with two Monte-Carlo standard errors to "
        "either side; the dotted line is the level promised. Filled marks lie above it by more than "
        "chance explains."
    )
