"""The slider below differences: which of them matter, at other widths of the region that does not."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text
from foldwise.figures.axis_parts import band_corners, no_matter
from foldwise.figures.label_placement import add_annotations
from foldwise.figures.slider import put_slider, slider_step
from foldwise.figures.theme import Style

_SHOWN = "Region shown: \N{PLUS-MINUS SIGN}"


def answers_width(answers: pd.DataFrame | None, style: Style) -> float:
    """Return the px that the column of answers takes at the right; 0 without one."""
    if answers is None or style.printed:
        return 0.0
    said = [*pd.unique(answers.to_numpy().ravel()), *map(_head, answers.columns)]
    return max(text.text_width(one, style.size, style.serif) for one in said) + style.px(20, 14)


def add_region_slider(
    fig: go.Figure, answers: pd.DataFrame, chosen: float, margin: float, style: Style
) -> None:
    """Write the answer to every row at its right, and let a slider move the region."""
    zero = len(fig.layout.annotations) - 1
    em, right = style.size, {"xref": "paper", "x": 1, "xanchor": "right"}
    place = {**right, "xshift": margin - style.px(8, 6), "yanchor": "middle", "font": {"size": em}}
    head = {**place, "text": _head(chosen), "yref": "paper", "y": 1, "yshift": 0.85 * em}
    rows = [
        {**place, "text": said, "yref": "y", "y": at} for at, said in enumerate(answers[chosen])
    ]
    add_annotations(fig, [head, *rows])
    steps = []
    for width, column in answers.items():
        words = {f"annotations[{zero}].text": no_matter(width)}
        words[f"annotations[{zero + 1}].text"] = _head(width)
        words |= {f"annotations[{zero + 2 + at}].text": said for at, said in enumerate(column)}
        steps.append(
            slider_step(width, width == chosen, [{"x": [band_corners(width)]}, words, [0]])
        )
    put_slider(fig, steps, list(answers.columns).index(chosen), _SHOWN, style)


def _head(width: float) -> str:
    return f"\N{PLUS-MINUS SIGN}{width:g}"
