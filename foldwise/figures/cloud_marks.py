"""Folds as marks, counted by place: several at one place are one mark, whose area is their number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.cloud_parts import (
    Clouds,
    CloudStyle,
    Window,
    number_distinct_values,
    short_hover,
    trace_group_name,
)
from foldwise.figures.theme import FADED
from stats_core.core.formatting import format_count

#: With more folds their marks are smaller.
_MANY = 40
#: So many folds at one place are named in hover.
_TOLD = 6


def count_folds_by_position(clouds: Clouds) -> pd.DataFrame:
    """Return the folds by place.

    Returns
    -------
    DataFrame
        One row for the folds of one algorithm at one place, in the order in which they are drawn:
        owner, x, y (the middle of all at the place), labels, n (their number), within (n and the
        smaller numbers of others there), layer (0 for the outermost of its place), strong.
    """
    tables = clouds.folds.items()
    values = np.concatenate([table.to_numpy(dtype=float) for _, table in tables])
    cells = np.concatenate([clouds.cells[name] for name in clouds.folds])
    labels = [str(label) for _, table in tables for label in table.index]
    chosen = {str(label) for label in clouds.selected} & set(labels)
    rows = pd.DataFrame(
        {
            "owner": [name for name, table in tables for _ in table.index],
            "label": labels,
            "x": values[:, 0],
            "y": values[:, 1],
            "column": cells[:, 0],
            "row": cells[:, 1],
            "strong": [not chosen or label in chosen for label in labels],
        }
    )
    here = ["strong", "column", "row"]
    middle = rows.groupby(here)[["x", "y"]].transform("mean")
    rows[["x", "y"]] = middle.where(rows.duplicated(here, keep=False), rows[["x", "y"]])
    found = rows.groupby([*here, "owner"], sort=False, as_index=False).agg(
        x=("x", "first"), y=("y", "first"), labels=("label", list), n=("label", "size")
    )
    found = found.sort_values("n", kind="stable")
    found["within"] = found.groupby(here)["n"].cumsum()
    found["layer"] = found.groupby(here).cumcount(ascending=False)
    return found.sort_values(["strong", "layer"], kind="stable")


def largest_place(folds: Mapping[str, pd.DataFrame], window: Window) -> int:
    """Return how many folds of one algorithm lie at one place of two measures, at most."""
    cells = number_distinct_values(folds, window).values()
    return max(int(np.unique(each, axis=0, return_counts=True)[1].max()) for each in cells)


def draw_marks(fig: go.Figure, clouds: Clouds, *, small: bool = False, **where: int) -> None:
    """Draw the folds: light, and where several algorithms share a place around each other.

    What is seen of each has the area of its own number. A mark of one fold stands for the fold,
    one of several for its algorithm. Of folds that are selected `draw_selected` draws the marks.
    """
    found, style = count_folds_by_position(clouds), clouds.style
    largest = style.px(18, 10) if small else style.px(26, 15)
    crowd = 1.0 if len(next(iter(clouds.folds.values()))) <= _MANY else 0.7
    usual = style.px(5, 3) if small else style.px(8, 4.5)
    one = min(crowd * usual, largest / found["within"].max() ** 0.5)
    some = not found["strong"].all()
    edge = (style.px(0.7, 0.4), "" if style.colour else style.leader)
    fill = "light" if style.colour else style.blank
    weak = found[~found["strong"]] if some else found
    _draw(fig, clouds, weak, (one, fill, edge), FADED if some else 1.0, **where)


def draw_selected(fig: go.Figure, clouds: Clouds, **where: int) -> None:
    """Draw the marks of the selected folds, if any is, in full strength over all else."""
    if not clouds.selected:
        return
    found, style = count_folds_by_position(clouds), clouds.style
    if not found["strong"].all():
        look = (style.px(9, 5), "", (style.px(1, 0.6), style.ink))
        _draw(fig, clouds, found[found["strong"]], look, 1.0, **where)


def _draw(
    fig: go.Figure,
    clouds: Clouds,
    found: pd.DataFrame,
    look: tuple[float, str, tuple[float, str]],
    strength: float,
    **where: int,
) -> None:
    """Draw marks; `look` is the size of one fold, fill and edge, where "" is the own colour."""
    one, fill, (wide, edge) = look
    groups = clouds.by_look()
    place_of = {pen.name: place for place, pens in enumerate(groups) for pen in pens}
    keys = [
        "layer",
        found["owner"].map(place_of).rename("look"),
        (found["n"] == 1).rename("single"),
    ]
    for (_, place, single), part in found.groupby(keys):
        pens = groups[place]
        own = pens[0].colour
        traces.add_points(
            fig,
            part["x"].to_list(),
            part["y"].to_list(),
            trace_group_name(pens),
            (one * np.sqrt(part["within"])).round(2).to_list(),
            pens[0].symbol,
            theme.light_fill(own, clouds.style) if fill == "light" else fill or own,
            edge=(wide, edge or own),
            opacity=min(strength, pens[0].strength),
            **_said(part, pens, clouds, bool(single)),
            **where,
        )


def _said(part: pd.DataFrame, pens: Sequence[CloudStyle], clouds: Clouds, single: bool) -> dict:
    """Return what marks say and stand for."""
    kind = "fold" if single else "algorithm"
    offer = traces.click_hint(kind, noun=clouds.unit if single else "")
    first = part["labels"].str[0]
    heads = [
        f"{text.escape(owner)}, {clouds.unit} {text.escape(label)}"
        if single
        else f"{format_count(n, clouds.unit)} of {text.escape(owner)} here"
        for owner, label, n in zip(part["owner"], first, part["n"], strict=True)
    ]
    short = short_hover(pens, f"%{{x:.4~g}}, %{{y:.4~g}}<br>{offer}")
    x_name, y_name = map(text.escape, clouds.measures)
    tails = [
        f"{x_name} {x:.4g}, {y_name} {y:.4g}"
        + ("" if single else f"<br>{text.escape(text.join_escaped(labels, _TOLD))}")
        for x, y, labels in zip(part["x"], part["y"], part["labels"], strict=True)
    ]
    full = [f"<b>{head}</b><br>{tail}<br>{offer}" for head, tail in zip(heads, tails, strict=True)]
    return {
        "said": heads if short else full,
        "customdata": first.to_list() if single else [[owner] for owner in part["owner"]],
        "meta": kind,
        **short,
    }
