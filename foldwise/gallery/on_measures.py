"""Figures of several measures at once: clouds of folds, their difference, learned measures."""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures.clouds import alt_contours, caption_contours, contour_matrix, contours
from foldwise.figures.difference_ellipse import alt_difference_ellipse, difference_ellipse
from foldwise.figures.loadings import alt_loadings, loadings
from foldwise.figures.qq import alt_qq, qq
from foldwise.figures.theme import Style
from foldwise.figures.zoom import zooming
from foldwise.gallery.drawing import Drawing, kept
from foldwise.gallery.parts import Colours, fold_labels, hues, level, on_screen
from stats_core.comparison.kinds.measure_pair import PairOnMeasures
from stats_core.comparison.on_measures import OnMeasures
from stats_core.core.errors import FoldwiseError
from stats_core.inference.multivariate.learned import LearnedMeasures
from stats_core.inference.multivariate.multinormal import distances_qq

LEVELS = (0.5, 0.9)  # shares of folds the contours hold
MOST_DISTANCES = 6  # panels
ISO = {("fpr", "tpr"): "error", ("recall", "precision"): "F", ("tpr", "precision"): "F"}

HOW_CONTOURS = (
    "Each mark is one fold, each ellipse holds the stated share of the folds that a Gaussian fitted "
    "to that algorithm would give. Look for clouds whose centres lie apart along a direction in "
    "which they are narrow. Ellipses that overlap can still differ: folds are paired."
)
HOW_DIFFERENCE = (
    "Each circle is the difference of the two in one fold, the cross their mean, the ellipse the "
    "mean differences that the test does not rule out. Look whether the ring at no difference lies "
    "outside. A mean on the dashed line has the same error, whatever else differs."
)
HOW_LOADINGS = (
    "Each bar is the weight of a measure in a learned measure of unit length. Look for which measures "
    "pull which way. The measure was learned on these folds, so how well it separates them here is "
    "not a test; the two repairs below are."
)
HOW_DISTANCES = (
    "Each point is the distance of one fold from the mean, allowing for scale and correlation, "
    "against what a Gaussian would give; the band holds 95 % of simulated ones. Look for points "
    "above it. With ten folds only gross departures show."
)


@kept(at_every_level=True)
def clouds_drawing(
    analysis: OnMeasures,
    *,
    levels: Sequence[float] = LEVELS,
    pooled: bool = False,
    highlight: Collection[str] = (),
    colours: Colours = None,
    selected: Collection[str] = (),
    lit: Collection[str] = (),
) -> Drawing:
    """Return the folds in two measures with contours, or a panel for each pair of measures.

    Parameters
    ----------
    analysis : OnMeasures
    levels : sequence of float
        Shares of folds the contours hold.
    pooled : bool
        Whether all algorithms have the pooled covariance.
    highlight : collection of str
        Algorithms that keep their colour where there are too many.
    colours : mapping of str, optional
        Colours of all algorithms.
    selected, lit : collection of str
        Folds, and algorithms, selected on the screen.
    """
    folds = {name: fold_labels(analysis.cloud(name)) for name in analysis.names}
    covariances = {
        name: analysis.pooled if pooled else analysis.covariance(name) for name in analysis.names
    }
    iso = ISO.get(analysis.measures, "none")
    two = len(analysis.measures) == 2

    def build(style: Style) -> go.Figure:
        options = {
            "style": style,
            "levels": levels,
            "colours": hues(colours, analysis.results.algorithms, highlight, style),
            "selected": on_screen(selected, style),
            "lit": on_screen(lit, style),
        }
        if not two:
            return contour_matrix(folds, covariances, **options)
        share = analysis.positive_share if iso == "error" else None
        return contours(folds, covariances, iso=iso, positive_share=share, **options)

    return Drawing(
        name=f"contours_{analysis.dataset}_{'_'.join(analysis.measures)}",
        title=f"Folds in {analysis.label}",
        how_to_read=HOW_CONTOURS,
        alt=alt_contours(folds),
        data=pd.concat(folds, names=["algorithm", "fold"]),
        build=zooming(build),
        caption=lambda _: caption_contours(levels),
    )


@kept
def ellipse_drawing(analysis: PairOnMeasures, *, selected: Collection[str] = ()) -> Drawing | None:
    """Return the paired differences of two measures with their region; None if there are more."""
    if len(analysis.measures) != 2:
        return None
    differences = fold_labels(analysis.differences)
    rejects = bool(analysis.hotelling.pvalue <= analysis.settings.alpha)
    region = analysis.hotelling.region(1 - analysis.settings.alpha)
    share = analysis.positive_share if analysis.measures == ("fpr", "tpr") else None
    about = {"first": analysis.first, "second": analysis.second, "rejects": rejects}

    def build(style: Style) -> go.Figure:
        return difference_ellipse(
            differences,
            region,
            **about,
            style=style,
            level=level(analysis),
            positive_share=share,
            selected=on_screen(selected, style),
        )

    return Drawing(
        name=f"difference_{analysis.dataset}_{'_'.join(analysis.measures)}",
        title="Paired difference",
        how_to_read=HOW_DIFFERENCE,
        alt=alt_difference_ellipse(differences, **about),
        data=differences,
        build=zooming(build),
    )


@kept
def loadings_drawing(analysis: OnMeasures, model: LearnedMeasures) -> Drawing:
    """Return what the learned measures are made of."""
    return Drawing(
        name=f"loadings_{analysis.dataset}",
        title="Loadings of the measures on what separates the algorithms",
        how_to_read=HOW_LOADINGS,
        caption=lambda _: (
            "Each column is a learned measure, the direction that separates the means "
            "most, then the next; bars are the weights of the measures in it."
        ),
        alt=alt_loadings(model.loadings, model.shares),
        data=model.loadings,
        build=lambda style: loadings(model.loadings, model.shares, style=style),
    )


def learned_folds(analysis: OnMeasures, model: LearnedMeasures) -> dict[str, pd.DataFrame]:
    """Return the folds of each algorithm along the first two learned measures."""
    columns = list(model.loadings.columns[:2])
    return {
        name: fold_labels(
            pd.DataFrame(model.scores[i][:, : len(columns)], index=analysis.folds, columns=columns)
        )
        for i, name in enumerate(analysis.names)
    }


@kept
def learned_drawing(
    analysis: OnMeasures, model: LearnedMeasures, *, colours: Colours = None
) -> Drawing | None:
    """Return the folds along M1 and M2 with contours; None where there is M1 only."""
    folds = learned_folds(analysis, model)
    if model.loadings.shape[1] < 2:
        return None
    covariances = {name: np.cov(table.to_numpy(), rowvar=False) for name, table in folds.items()}

    def build(style: Style) -> go.Figure:
        given = hues(colours, analysis.results.algorithms, (), style)
        return contours(folds, covariances, style=style, colours=given)

    return Drawing(
        name=f"learned_{analysis.dataset}",
        title="Folds along the learned measures",
        how_to_read=HOW_CONTOURS,
        alt=alt_contours(folds),
        data=pd.concat(folds, names=["algorithm", "fold"]),
        build=zooming(build),
        caption=lambda _: caption_contours(),
    )


@kept(at_every_level=True)
def distances_drawing(analysis: OnMeasures) -> Drawing | None:
    """Return the distances of the folds from their mean; None where nothing varies enough."""
    clouds = {name: analysis.cloud(name) for name in analysis.names[:MOST_DISTANCES]}
    if isinstance(analysis, PairOnMeasures):
        clouds = {"differences": analysis.differences}
    panels = {}
    for name, cloud in clouds.items():
        try:
            panels[name] = distances_qq(cloud.to_numpy(), list(fold_labels(cloud).index))
        except FoldwiseError:
            continue
    if not panels:
        return None
    return Drawing(
        name=f"distances_{analysis.dataset}",
        title="Distances of the folds from their mean",
        how_to_read=HOW_DISTANCES,
        caption=lambda _: (
            "Squared Mahalanobis distances of the folds, sorted, against those that "
            "multinormal results would have; results that are multinormal lie along the line."
        ),
        alt=alt_qq(panels),
        data=pd.concat(panels, names=["of", "fold"]),
        build=zooming(lambda style: qq(panels, notes={}, style=style, unit="squared distance")),
    )
