"""Tests of figures with many marks as sent to the browser: the same texts and clicks in fewer bytes."""

import base64
import re

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise import pair_matrix, wins_table
from foldwise.figures import payload, theme
from foldwise.web import clicks

K = 30
NAMES = ["<b>%{x}", "a & b", *(f"algorithm {i}" for i in range(2, K))]


def drawn():
    rng = np.random.default_rng(1)
    counts = pd.DataFrame(rng.integers(0, 3, (K, K)), NAMES, NAMES)
    won = {(a, b): [f"set {i}" for i in range(counts.loc[a, b])] for a in NAMES for b in NAMES}
    style, ps = theme.screen(), pd.DataFrame(0.04, NAMES, NAMES)
    yield wins_table(counts, ps < 1, counts.sum(axis=1), style=style, won=won, n_sets=9), "cells"
    yield pair_matrix(counts - counts.T, ps, alpha=0.05, style=style, order=NAMES), "pairs"


def said(trace):
    """Return the hover text of each mark, with the template filled in as by Plotly."""
    template = trace["hovertemplate"].removesuffix("<extra></extra>")
    field = re.compile(r"%\{customdata\[(\d+)\]\}")
    marks = [
        field.sub(lambda at, own=own: own[int(at[1])], template) for own in trace["customdata"]
    ]
    return [words.replace("&#123;", "{") for words in marks]


def test_many_marks_say_and_stand_for_what_they_did_in_half_the_bytes():
    for fig, name in drawn():
        light = payload.compact_figure(fig)
        (place,) = [i for i, trace in enumerate(fig.data) if trace.name == name]
        full, trace = fig.data[place], light.to_dict()["data"][place]

        assert said(trace) == list(full.hovertext)
        points = [{"curve_number": place, "point_index": 7, "customdata": trace["customdata"][7]}]
        assert clicks.picked_selection(fig, points) == ("pair", tuple(full.customdata[7]))
        places = np.frombuffer(base64.b64decode(trace["base"]["bdata"]), "<f4")
        np.testing.assert_allclose(places, full.base, rtol=1e-6)
        assert len(str(light.to_dict())) < 0.6 * len(str(fig.to_dict()))
        assert payload.compact_figure(fig) is light


def test_what_few_marks_or_a_slider_say_is_sent_as_it_is():
    few = go.Figure(go.Scatter(y=[1, 2], hovertext=["a", "b"], customdata=["a", "b"]))
    assert payload.compact_figure(few).to_dict() == few.to_dict()
    assert (
        payload.compact_figure(few).to_dict() is payload.compact_figure(few).to_dict()
    )  # prepared once
    many = go.Figure(
        go.Bar(y=[1] * 500, hovertext=["a"] * 500, customdata=["x"] * 500, meta="pair")
    )
    many.update_layout(sliders=[{"steps": []}])
    (trace,) = payload.compact_figure(many).to_dict()["data"]
    assert list(trace["customdata"]) == ["x"] * 500
    assert "hovertemplate" not in trace


def test_a_picture_has_no_words_for_the_pointer():
    fig, _ = next(drawn())
    assert not any(
        key in trace
        for trace in payload.compact_figure(fig, speaks=False).to_dict()["data"]
        for key in ("hovertext", "hovertemplate", "customdata")
    )
