"""Figures of several measures: folds with contours, paired differences, learned measures."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures.axis_parts import enable_zoom
from foldwise.figures.cloud_parts import Window, axis_ranges, iso_words, largest_place, number_distinct_values
from foldwise.figures.clouds import Form, alt_contours, caption_contours, contour_matrix, contours, is_apart
from foldwise.figures.spec import (
    BuiltSpec,
    Colours,
    FigureSpec,
    cached_figure,
    colors_of,
    coverage_text,
    fold_labels,
    screen_selection,
)
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.measure_vectors import OnMeasures
from stats_core.inference.multivariate.learned_measures import LearnedMeasures

LEVELS = (0.5, 0.9)  # shares of folds inside the contours
ISO = {("fpr", "tpr"): "error", ("recall", "precision"): "F", ("tpr", "precision"): "F"}

HOW_CONTOURS = (
    "Each mark is one {unit}, a larger one several at one place; each ellipse holds the stated share "
    "of the {unit}s that a Gaussian fitted to that algorithm would give, and the shade is where its "
    "mean may lie. Look for clouds whose centres lie apart along a direction in which they are "
    "narrow. Ellipses and shades that overlap can still differ: {unit}s are paired."
)
HOW_LEARNED = (
    "Each mark is one {unit}, a larger one several at one place; each ellipse holds the stated share "
    "of the {unit}s that a Gaussian fitted to that algorithm would give. The measures were learned "
    "on these {unit}s, so clouds stand apart here too easily."
)


@cached_figure
def clouds_drawing(
    analysis: OnMeasures,
    *,
    levels: Sequence[float] = LEVELS,
    pooled: bool = False,
    form: Form = "automatic",
    highlight: Collection[str] = (),
    colours: Colours = None,
    selected: Collection[str] = (),
    lit: Collection[str] = (),
) -> FigureSpec:
    """Return the folds in two measures with contours, or a panel per pair of measures."""
    folds, covariances = _spread(analysis, pooled)
    shapes = {name: analysis.mean_region(name, pooled=pooled) for name in analysis.names}
    regions = {name: shape for name, shape in shapes.items() if shape is not None}
    iso, two = ISO.get(analysis.measures, "none"), len(analysis.measures) == 2
    share = analysis.positive_share if iso == "error" else None
    apart = two and (form == "apart" or (form == "automatic" and is_apart(folds, covariances)))
    window = axis_ranges(folds, covariances, regions, levels)
    look = {"highlight": highlight, "colours": colours, "selected": selected, "lit": lit}
    # in such panels no position depends on the ends of the axes
    free = not two or (apart and iso == "none")
    place = {"cells": number_distinct_values(folds, window)} if free else {"window": window}
    form = "apart" if apart else "together"

    def build(style: Style) -> go.Figure:
        options = {
            **_look(analysis, style, **look),
            "levels": levels,
            "regions": regions,
            "level": coverage_text(analysis),
        }
        if regions:
            same = {"levels": levels, "pooled": pooled, "form": form, **place, **look}
            options["base"] = unshaded_drawing(analysis, **same).figure(style)
        if not two:
            return contour_matrix(folds, covariances, **options, **place)
        variant = {"form": form, "iso": iso, "positive_share": share}
        return contours(folds, covariances, **variant, **options)

    return BuiltSpec(
        name=f"contours_{analysis.dataset}_{'_'.join(analysis.measures)}{'_panels' * apart}",
        title=f"{analysis.unit.capitalize()}s in {analysis.label}",
        how_to_read=HOW_CONTOURS.format(unit=analysis.unit),
        alt=alt_contours(folds, unit=analysis.unit),
        data=pd.concat(folds, names=["algorithm", analysis.unit]),
        build=enable_zoom(build),
        caption=lambda _: caption_contours(
            levels,
            unit=analysis.unit,
            level=coverage_text(analysis) if regions else "",
            widened=analysis.test_fraction is not None,
            several=len(folds) > 2,
            most=largest_place(folds, window) if two else 1,
            lines=iso_words(iso, window, share) if apart else "",
        ),
    )


@cached_figure(at_every_level=True)
def unshaded_drawing(
    analysis: OnMeasures,
    *,
    levels: Sequence[float] = LEVELS,
    pooled: bool = False,
    form: Form = "automatic",
    window: Window | None = None,
    cells: Mapping[str, np.ndarray] | None = None,
    **look: Any,
) -> FigureSpec:
    """Return the part of `clouds_drawing` that is the same at every level.

    Covariances replace the regions of the means; `contours` puts the regions into a copy.
    """
    folds, covariances = _spread(analysis, pooled)
    iso = ISO.get(analysis.measures, "none")
    share = analysis.positive_share if iso == "error" else None
    of_two = {"form": form, "window": window, "iso": iso, "positive_share": share}

    def build(style: Style) -> go.Figure:
        options = {**_look(analysis, style, **look), "levels": levels, "cells": cells}
        if len(analysis.measures) > 2:
            return contour_matrix(folds, covariances, regions=covariances, **options)
        return contours(folds, covariances, regions=covariances, **options, **of_two)

    return BuiltSpec(
        name=f"unshaded_{analysis.dataset}",
        title=f"{analysis.unit.capitalize()}s in {analysis.label}",
        how_to_read=HOW_CONTOURS.format(unit=analysis.unit),
        alt=alt_contours(folds, unit=analysis.unit),
        data=pd.concat(folds, names=["algorithm", analysis.unit]),
        build=build,
    )


def _spread(analysis: OnMeasures, pooled: bool) -> tuple[dict, dict]:
    """Return the folds of each algorithm, and their own or the pooled covariances."""
    folds = {name: fold_labels(analysis.cloud(name)) for name in analysis.names}
    if pooled:
        return folds, dict.fromkeys(folds, analysis.pooled)
    return folds, {name: analysis.covariance(name) for name in folds}


def _look(
    analysis: OnMeasures,
    style: Style,
    *,
    highlight: Collection[str] = (),
    colours: Colours = None,
    selected: Collection[str] = (),
    lit: Collection[str] = (),
) -> dict[str, Any]:
    """Return the keyword arguments of contours that do not depend on the level."""
    return {
        "style": style,
        "unit": analysis.unit,
        "colours": colors_of(colours, analysis.results.algorithms, highlight, style),
        "selected": screen_selection(selected, style),
        "lit": screen_selection(lit, style),
    }


def learned_folds(analysis: OnMeasures, model: LearnedMeasures) -> dict[str, pd.DataFrame]:
    """Return the scores of each algorithm on the first two learned measures, by fold."""
    columns = list(model.loadings.columns[:2])
    return {
        name: fold_labels(pd.DataFrame(model.scores[i][:, : len(columns)], index=analysis.folds, columns=columns))
        for i, name in enumerate(analysis.names)
    }


@cached_figure(at_every_level=True)
def learned_drawing(analysis: OnMeasures, model: LearnedMeasures, *, colours: Colours = None) -> FigureSpec | None:
    """Return the folds on two learned measures with contours; None with only one."""
    folds = learned_folds(analysis, model)
    if model.loadings.shape[1] < 2:
        return None
    covariances = {name: np.cov(table.to_numpy(), rowvar=False) for name, table in folds.items()}

    def build(style: Style) -> go.Figure:
        palette = colors_of(colours, analysis.results.algorithms, (), style)
        return contours(folds, covariances, style=style, unit=analysis.unit, colours=palette)

    return BuiltSpec(
        name=f"learned_{analysis.dataset}",
        title=f"{analysis.unit.capitalize()}s along the learned measures",
        how_to_read=HOW_LEARNED.format(unit=analysis.unit),
        alt=alt_contours(folds, unit=analysis.unit),
        data=pd.concat(folds, names=["algorithm", "fold"]),
        build=enable_zoom(build),
        caption=lambda _: caption_contours(unit=analysis.unit),
    )
