"""What a learned measure is made of: its loadings as signed bars, and as a formula."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from figures import text, theme
from figures.theme import Style

_MOST_TERMS = 8


def loadings(table: pd.DataFrame, shares: pd.Series, *, style: Style) -> go.Figure:
    """Draw the loadings of the first two components, largest of the first on top.

    Parameters
    ----------
    table : DataFrame, measure x component
        Signed loadings of unit length.
    shares : Series by component
        Share of the separation each carries.
    style : Style
        Surface and width.

    Returns
    -------
    Figure
        One panel per component; bars to the left are lighter.
    """
    shown = list(table.columns[:2])
    order = table[shown[0]].abs().sort_values(kind="stable").index
    names = [str(name) for name in order]
    short = text.shorten(names, 0.3 * style.width, style.tick_size, serif=style.serif)
    left = max(text.width(s, style.tick_size, style.serif) for s in short.values()) + 14
    pitch = style.px(26, 15)
    fig = theme.figure(
        style,
        pitch * len(names) + 5 * style.size,
        margin={"l": left, "r": style.px(24, 16), "t": 2.2 * style.size, "b": 2.2 * style.size},
    )
    fig.set_subplots(1, len(shown), shared_yaxes=True, horizontal_spacing=0.1)
    reach = style.px(1.3, 1.7) * float(table[shown].abs().max().max())
    for place, component in enumerate(shown):
        values = table.loc[order, component]
        where = {"row": 1, "col": place + 1}
        fig.add_bar(
            x=values.to_list(),
            y=list(range(len(names))),
            orientation="h",
            name=component,
            marker={
                "color": [style.ink if value > 0 else style.leader for value in values],
                "line": {"width": 0},
            },
            width=0.55,
            text=[text.signed(float(value), 2) for value in values],
            textposition="outside",
            textfont={"size": style.tick_size, "color": style.ink},
            cliponaxis=False,
            customdata=names,
            hovertext=[
                f"<b>{text.escape(name)} on {component}: {text.signed(float(value), 3)}</b>"
                for name, value in zip(names, values, strict=True)
            ],
            hoverinfo="text",
            **where,
        )
        fig.update_xaxes(range=[-reach, reach], fixedrange=True, nticks=5, **where)
        fig.add_annotation(
            text=f"{component} ({100 * shares[component]:.0f} %)",
            xref="x domain",
            yref="y domain",
            x=0.5,
            y=1,
            yanchor="bottom",
            yshift=4,
            font={"size": style.size},
            **where,
        )
    fig.update_yaxes(
        tickmode="array",
        tickvals=list(range(len(names))),
        ticktext=[text.escape(short[name]) for name in names],
        showline=False,
        ticks="",
        fixedrange=True,
    )
    fig.update_yaxes(zeroline=False)
    fig.update_xaxes(zeroline=True, zerolinecolor=style.ink, zerolinewidth=style.px(1.2, 0.7))
    return fig


def formula(component: pd.Series) -> str:
    """Return a component as a formula one can read, at most eight terms.

    Examples
    --------
    >>> import pandas as pd
    >>> formula(pd.Series({"fp": 0.73, "fn": -0.68}, name="M1"))
    'M1 = 0.73 fp − 0.68 fn'
    """
    terms = component[component.abs() >= 0.005]
    terms = terms.reindex(terms.abs().sort_values(ascending=False, kind="stable").index)
    words = []
    for name, value in terms.iloc[:_MOST_TERMS].items():
        sign = "\N{MINUS SIGN}" if value < 0 else "+"
        words.append(f"{sign} {abs(value):.2f} {text.plain(name)}")
    body = " ".join(words).removeprefix("+ ")
    if body.startswith("\N{MINUS SIGN} "):
        body = "\N{MINUS SIGN}" + body[2:]
    return f"{component.name} = {body}"


def alt_loadings(table: pd.DataFrame, shares: pd.Series) -> str:
    """Return the alternative text of the figure, at most 300 characters."""
    first = table.columns[0]
    largest = table[first].abs().sort_values(ascending=False, kind="stable").index[:2]
    return text.clip(
        f"Loadings of {len(table)} measures on learned measures. {first} carries "
        f"{100 * shares[first]:.0f} %; largest loadings {', '.join(text.plain(name) for name in largest)}."
    )
