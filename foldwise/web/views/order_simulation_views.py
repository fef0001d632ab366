"""Does it work? Orders of simulated classifiers whose error rates are known."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from foldwise.figure_specs.figure_spec import FigureSpec
from foldwise.figures.order_probability import (
    alt_order_probability,
    caption_order_probability,
    order_probability,
)
from foldwise.figures.theme import Style
from foldwise.figures.zoom import enable_zoom
from foldwise.web import components, inputs, simulation_jobs
from foldwise.web.simulation_jobs import Asked
from stats_core.core.errors import FoldwiseError
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.corrections import CORRECTIONS
from stats_core.inference.paired.cv52 import FIVE_BY_TWO
from stats_core.ordering.one_sided_evidence import ONE_SIDED_FAMILIES
from stats_core.power.order_error_rates import rates_up_to
from stats_core.power.order_simulation import OrderProbabilities
from stats_core.power.questions import ORDERS, Simulation

ONE, MANY = "one data set", "many data sets"
SLOPES = {ONE: "2, 0, -2", MANY: "3, 1, -1, -3"}
TESTS = ("paired t", "Wilcoxon", "5x2 cv F", "5x2 cv t", "combined 5x2 cv t")
RUN = 2e-6  # seconds, roughly, for one classifier at one rate in one run
SHIFT = 0.05  # data sets differ in how hard they are by up to this
HOW = (
    "Simulated classifiers err at known rates that move apart to the right, the costlier ones better. "
    "Each line is one order, its height how often it comes out. At the left all rates are the same and the order of cost should come "
    "out; at the right the reverse. In between, see how large a difference must be."
)


def simulation(alpha: float) -> None:
    """Ask for an experiment, run it, and draw how often each order comes out."""
    st.markdown(
        "Here the truth is known: each classifier errs at its own rate. Is the order found when it "
        "should be, and not when it should not?"
    )
    asked = _ask()
    if asked is None:
        return
    options, runs = asked
    cost = RUN * 21 * len(options["slopes"]) * options.get("n_datasets", 1) * Simulation.begin
    try:
        question = Asked(ORDERS, "", Settings(alpha=alpha), tuple(options.items()))
        part = simulation_jobs.simulation_result(question, None, runs, cost)
    except FoldwiseError as error:
        components.show_refusal("This experiment cannot be run.", error)
        return
    if part is not None:
        _draw(part.found)


def _ask() -> tuple[dict, int] | None:
    """Ask for rates, sizes and test, the options of `orders_of`; and for runs."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = inputs.page_option("Experiment", "skind", (ONE, MANY), width=160)
        test = inputs.page_option("One-sided test", "stest", TESTS, width=170)
        families = {label: key for key, label in ONE_SIDED_FAMILIES.items()}
        start = "Holm" if kind == ONE else "none"
        names = [start, *(name for name in families if name != start)]
        family = families[
            inputs.page_option("Adjusted by", f"sfamily_{kind[:3]}", names, width=150)
        ]
        post = "none"
        if kind == MANY:
            posts = {CORRECTIONS[key]: key for key in ("nemenyi", "holm", "bonferroni")}
            post = posts[inputs.page_option("Average ranks by", "spost", list(posts), width=150)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        slopes = st.text_input(
            "Rates: 0.5 + lambda times",
            SLOPES[kind],
            key=f"slopes_{kind[:3]}",
            help="One number per classifier, cheapest first, two to six of them.",
            width=200,
        )
        most = st.number_input("lambda up to", 0.01, 0.25, 0.1, 0.01, key="slambda", width=120)
        cases = st.number_input(
            "Cases per result",
            2,
            100_000,
            100 if kind == ONE else 50,
            key=f"scases_{kind[:3]}",
            width=140,
        )
        folds = st.number_input(
            "Results each", 2, 100, 10, key="sfolds", width=120, disabled=test in FIVE_BY_TWO
        )
        sets = 1
        if kind == MANY:
            sets = st.number_input("Data sets", 2, 200, 30, key="ssets", width=110)
        runs = st.number_input("Runs", 50, 20_000, 1000, 50, key="sruns", width=110)
    try:
        steep = tuple(float(part) for part in slopes.replace(";", ",").split(",") if part.strip())
    except ValueError:
        components.show_refusal(
            "Rates need one number per classifier.", f'Found "{slopes}". Try 2, 0, -2.'
        )
        return None
    try:
        _say_rates(rates_up_to(steep, float(most), shift=SHIFT if kind == MANY else 0.0))
    except FoldwiseError as error:
        components.show_refusal("This experiment cannot be run.", str(error))
        return None
    options = {
        "slopes": steep,
        "most": float(most),
        "n_cases": int(cases),
        "n_results": 10 if test in FIVE_BY_TWO else int(folds),
        "test": test,
        "family": family,
    }
    if kind == MANY:
        options |= {"n_datasets": int(sets), "post_hoc": post, "shift": SHIFT}
    return options, int(runs)


def _say_rates(rates: pd.DataFrame) -> None:
    """Say in plain numbers what the two ends of the axis are."""
    most = rates.index[-1]
    ends = ", ".join(f"{rate:.4g}" for rate in rates.loc[most])
    st.caption(
        f"At lambda 0 all err at 0.5, so the order of cost is right; at lambda {most:g} they err at "
        f"{ends}, the cheapest first. Cases are drawn independently: folds here do not share "
        "training cases, as real ones do."
    )


def _draw(found: OrderProbabilities) -> None:
    st.markdown(f"**{components.escape(found.text)}**")

    def build(style: Style) -> go.Figure:
        return order_probability(
            found.probabilities,
            style=style,
            standard_error=found.standard_error,
            half_power=found.half_power,
        )

    components.show_figure(
        FigureSpec(
            name="order_probability",
            title="How often each order comes out",
            how_to_read=HOW,
            alt=alt_order_probability(found.probabilities, prior=found.prior),
            data=found.probabilities,
            build=enable_zoom(build),
            caption=lambda _: f"{caption_order_probability()} {found.method}.",
        )
    )
