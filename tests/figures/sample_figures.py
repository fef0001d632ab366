from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import instance_figures
from foldwise.figures.order_probability import OrderProbability
from foldwise.figures.pair_panels import CurvePanel, HistogramPanel, PairPanels, ScatterPanel
from foldwise.figures.power_curves import PowerCurves
from foldwise.figures.registry import drawings
from foldwise.figures.simulation_figures import ErrorRates
from foldwise.figures.spec import FigureSpec
from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from stats_core.ordering.order import order_of
from tests.samples import shipped

UCI, CURVES, COUNTS = "uci38_5x2.csv", "twoclass_scores.csv.gz", "twoclass_counts.csv"


@cache
def read(file):
    return shipped(file)


@cache
def made(file, settings=Settings(), *, with_order=False):  # noqa: B008 - settings are frozen
    """Return the analysis of a sample, its order by cost or None, and its figures."""
    results = read(file)
    analysis = analyse(results, settings)
    order = order_of(analysis.results, analysis.settings) if with_order else None
    return analysis, order, drawings(analysis, order=order, results=results)


@dataclass(frozen=True, kw_only=True, eq=False)
class SimpleFigure(FigureSpec):
    """A figure specification with two bars and a table of two rows, for tests of exported figures."""

    name: str = "scores"
    title: str = "Scores"
    how_to_read: str = "Each bar."
    alt: str = "Bars."
    data: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(
            {"svm": [0.9, 0.8], "=knn": [0.7, 0.6]}, index=["=1+1", "b"]
        )
    )

    def draw(self, style):
        """Return a bar chart."""
        fig = go.Figure(go.Bar(x=["a", "b"], y=[1, 2]))
        return fig.update_layout(width=style.width, height=200, margin={"t": 10})

    def caption(self, style):
        """Return the caption."""
        return "Two bars."


def names_of(k, long):
    """Return k names, of 45 characters if `long`."""
    return [
        f"gradient boosting, {i + 1} trees, learning rate 0.".ljust(45, "1")
        if long
        else f"gb{i + 1}"
        for i in range(k)
    ]


def generated_results(k, long, n_sets, n_folds, holes=False):
    """Return counts and costs of k algorithms; false positives rise and false negatives fall from one to the next."""
    rng = np.random.default_rng(k)
    sets = [f"data set {i + 1} of the repository" if long else f"d{i + 1}" for i in range(n_sets)]
    index = pd.MultiIndex.from_product([sets, range(1, n_folds + 1), names_of(k, long)])
    place = np.tile(np.arange(k), n_sets * n_folds)
    table = index.to_frame(index=False, name=["dataset", "fold", "algorithm"])
    table["fp"], table["fn"] = rng.poisson(10 + place), rng.poisson(10 + 20 / (place + 1))
    table["tn"], table["tp"] = 100 - table["fp"], 100 - table["fn"]
    table["time_s"], table["energy"] = 2.0 + (7 * place) % k, 1.0 + place
    roles = {"time_s": "cost", "energy": "cost"}
    if n_sets > 1:
        levels = {name: f"{10 * (i % 3)}% of the labels" for i, name in enumerate(sets)}
        table["noise"], roles["noise"] = table["dataset"].map(levels), "group"
    if holes:
        table = table[(place > 1) | ~table["dataset"].isin(sets[:2])]
    return read_results(
        ("results.csv", table.to_csv(index=False).encode()), mapping=Mapping(roles=roles)
    )


def generated_scores(k, long):
    """Return predicted scores of k algorithms on three folds of one data set."""
    rng = np.random.default_rng(k)
    index = pd.MultiIndex.from_product([names_of(k, long), range(1, 4), range(60)])
    table = index.to_frame(index=False, name=["algorithm", "fold", "instance"])
    place = np.repeat(np.arange(k), 180)
    table["true"] = table["instance"] % 2
    table["score"] = 1 / (
        1 + np.exp(rng.normal(size=len(table)) - (2 - 1.5 * place / k) * (table["true"] - 0.5))
    )
    return read_results(("scores.csv", table.assign(dataset="d").to_csv(index=False).encode()))


def generated_answers(k, long):
    """Return correct and wrong answers of k models to 120 questions; accuracies fall from one to the next."""
    correct = np.random.default_rng(k).random((120, k)) < np.linspace(0.9, 0.4, k)
    table = (
        pd.DataFrame(correct.astype(int), columns=names_of(k, long))
        .rename_axis("question_id")
        .reset_index()
    )
    long_table = table.melt("question_id", var_name="model", value_name="correct")
    long_table["document"] = "document " + (long_table["question_id"] // 10).astype(str)
    return read_results(("answers.csv", long_table.to_csv(index=False).encode()))


def generated_publication(kind, k, long):
    """Return published average ranks, wins or decisions of k algorithms, depending on `kind`."""
    names, i = names_of(k, long), np.arange(k)
    if kind == "published ranks":
        table = pd.DataFrame(
            {"average rank": 1 + i.astype(float), "datasets": 20},
            index=pd.Index(names, name="algorithm"),
        )
    else:
        won = np.clip(10 + 2 * (i - i[:, None]), 0, 20)
        cells = won.astype(str) if kind == "published wins" else (won > 14).astype(int).astype(str)
        cells = (
            [[f"{n}/0/{20 - int(n)}" for n in row] for row in cells]
            if kind == "published wins"
            else cells
        )
        table = pd.DataFrame(cells, pd.Index(names, name="row beats column"), names)
        table = table.where(~np.eye(k, dtype=bool), "" if kind == "published wins" else "0")
    return read_results((f"{kind}.csv", table.to_csv().encode()))


def generated_classes(k, long):
    """Return the predictions of three classes by k algorithms in ten folds."""
    rng, rows = np.random.default_rng(k), []
    for fold in range(10):
        true = rng.integers(0, 3, 30)
        for i, name in enumerate(names_of(k, long)):
            predicted = np.where(rng.random(30) < 0.9 - 0.4 * i / k, true, rng.integers(0, 3, 30))
            of_fold = {
                "algorithm": name,
                "fold": fold,
                "instance": np.arange(30),
                "true": true,
                "predicted": predicted,
            }
            rows.append(pd.DataFrame(of_fold).replace({"true": CLASSES, "predicted": CLASSES}))
    return read_results(("classes.csv", pd.concat(rows).to_csv(index=False).encode()))


CLASSES = {0: "setosa", 1: "versicolor", 2: "virginica"}

#: Kind of analysis -> function of the number of algorithms, and of long names, that returns results
#: and settings.
GENERATED = {
    "data sets": lambda k, long: (generated_results(k, long, 12, 1), Settings(measure="error")),
    "control": lambda k, long: (
        generated_results(k, long, 12, 1),
        Settings(measure="error", control=names_of(k, long)[0]),
    ),
    "missing": lambda k, long: (
        generated_results(k, long, 12, 1, holes=True).resolve("present"),
        Settings(measure="error"),
    ),
    "folds": lambda k, long: (generated_results(k, long, 1, 10), Settings(measure="error")),
    "measures": lambda k, long: (
        generated_results(k, long, 1, 10),
        Settings(measures=("fpr", "tpr")),
    ),
    "wins": lambda k, long: (generated_results(k, long, 6, 10), Settings(measures=("fpr", "tpr"))),
    "scores": lambda k, long: (generated_scores(k, long), Settings(measure="auc")),
    "classes": lambda k, long: (generated_classes(k, long), Settings(measure="error")),
    "items": lambda k, long: (generated_answers(max(k, 3), long), Settings()),
    **{
        kind: lambda k, long, kind=kind: (generated_publication(kind, k, long), Settings())
        for kind in ("published ranks", "published wins", "published decisions")
    },
}


@cache
def generated(kind, k, long=True):
    """Return the figures of an analysis of k generated algorithms and, if there are costs, of their order."""
    results, settings = GENERATED[kind](k, long)
    analysis = analyse(results, settings)
    has_costs = kind in ("data sets", "folds")
    order = order_of(analysis.results, analysis.settings) if has_costs else None
    by = ("noise", "measure") if kind == "data sets" else ()
    of_items = (
        [instance_figures.difficulty_drawing, instance_figures.clusters_drawing]
        if kind == "items"
        else []
    )
    return [
        *drawings(analysis, order=order, results=results, by=by),
        *(draw(analysis) for draw in of_items),
    ]


def simulated(k):
    """Return figures of power and error rates of k procedures, of probabilities of k orders, and of a pair."""
    names, steps = names_of(k, long=True), np.arange(11)
    index = pd.MultiIndex.from_product([steps, names], names=["bias", "procedure"])
    place = np.tile(np.arange(k), len(steps))
    power = index.to_frame(index=False).assign(
        rejected=place * index.get_level_values(0) / 10, pvalue=0.8 / (1 + place)
    )
    rates = pd.DataFrame(
        [(world, name) for world in ("no pair differs", "one pair differs") for name in names]
    )
    rates = rates.set_axis(["world", "procedure"], axis=1)
    for rate in ("family", "pair"):
        rates[rate] = np.linspace(0.01, 0.2, len(rates)) / (1 + (rate == "pair"))
        rates[f"{rate} se"], rates[f"{rate} above"] = 0.01, rates[rate] > 0.05
    orders = pd.DataFrame(
        {name: np.exp(-np.abs(steps - 10 * i / k)) for i, name in enumerate(names)},
        index=pd.Index(steps / 10, name="lambda"),
    )
    rng = np.random.default_rng(k)
    folds = pd.DataFrame(rng.normal(0.1, 0.01, (10, 2)), columns=names[:2])
    curve = pd.DataFrame({"x": np.linspace(0, 1, 20), "y": np.linspace(0, 1, 20) ** 0.3})
    points = {name: folds.set_axis(["x", "y"], axis=1) for name in names[:2]}
    axes = {"x_title": "false positive rate", "y_title": "true positive rate"}
    panels = [
        HistogramPanel(
            label="error", values=folds, note="paired t test: p = 0.41, no significant difference"
        ),
        CurvePanel(label="ROC", folds={name: [curve] for name in names[:2]}, **axes),
        ScatterPanel(label="(fpr, tpr)", points=points, **axes),
    ]
    return [
        PowerCurves(name="power", table=power, alpha=0.05),
        ErrorRates(name="level", table=rates, alpha=0.05),
        OrderProbability(name="orders", probabilities=orders.div(orders.sum(axis=1), axis=0)),
        PairPanels(name="panels", panels=panels, first=names[0], second=names[1]),
    ]
