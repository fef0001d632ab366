"""A slider for the equivalence region of difference plots, with the answers at each width."""

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
    """Return the width in px of the column of answers at the right; 0 without one."""
    if answers is None or style.printed:
        return 0.0
    labels = [*pd.unique(answers.to_numpy().ravel()), *map(_head, answers.columns)]
    return max(text.text_width(label, style.size, style.serif) for label in labels) + style.px(
        20, 14
    )


def add_region_slider(
    fig: go.Figure, answers: pd.DataFrame, chosen: float, margin: float, style: Style
) -> None:
    """Write the answer of every row at its right, and add a slider for the region."""
    zero = len(fig.layout.annotations) - 1
    font_size, right = style.size, {"xref": "paper", "x": 1, "xanchor": "right"}
    common = {
        **right,
        "xshift": margin - style.px(8, 6),
        "yanchor": "middle",
        "font": {"size": font_size},
    }
    head = {**common, "text": _head(chosen), "yref": "paper", "y": 1, "yshift": 0.85 * font_size}
    rows = [
        {**common, "text": answer, "yref": "y", "y": row}
        for row, answer in enumerate(answers[chosen])
    ]
    add_annotations(fig, [head, *rows])
    steps = []
    for width, column in answers.items():
        words = {f"annotations[{zero}].text": no_matter(width)}
        words[f"annotations[{zero + 1}].text"] = _head(width)
        words |= {
            f"annotations[{zero + 2 + row}].text": answer for row, answer in enumerate(column)
        }
        steps.append(
            slider_step(width, width == chosen, [{"x": [band_corners(width)]}, words, [0]])
        )
    put_slider(fig, steps, list(answers.columns).index(chosen), _SHOWN, style)


def _head(width: float) -> str:
    return f"\N{PLUS-MINUS SIGN}{width:g}"
