"""Figures of several measures at once: clouds of folds, their difference, learned measures."""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from figures.clouds import alt_contours, caption_contours, contour_matrix, contours
from figures.difference_ellipse import alt_difference_ellipse, difference_ellipse
from figures.loadings import alt_loadings, loadings
from figures.qq import alt_qq, qq
from figures.theme import Style
from figures.tikz import clouds_tikz
from gallery.drawing import Drawing
from gallery.parts import Colours, fold_labels, hues, level, on_screen
from stats_core.analyse import OnMeasures, PairOnMeasures
from stats_core.assumptions import differences_qq
from stats_core.errors import FoldwiseError
from stats_core.learned import LearnedMeasures
from stats_core.multinormal import distances_qq

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
