"""A figure with everything that goes with it: title, caption and numbers."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures.theme import Style


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawing:
    """A figure of an analysis, drawn when asked for.

    Attributes
    ----------
    name : str
        Start of its file names; unique within an analysis.
    title : str
        What is drawn, or the finding.
    how_to_read : str
        What one mark is, what to look for, what not to conclude.
    alt : str
        For screen readers.
    data : DataFrame
        The numbers drawn.
    build : callable
        Style in, Plotly figure out.
    caption : callable
        Style in, caption out.
    papers : tuple of str
        Keys of the publications that what is drawn rests on, if no methods paragraph cites them.
    """

    name: str
    title: str
    how_to_read: str
    alt: str
    data: pd.DataFrame
    build: Callable[[Style], go.Figure]
    caption: Callable[[Style], str] = lambda style: ""
    papers: tuple[str, ...] = ()
