"""Views of the page Lab: power, level, plans, and simulated orders."""

from dataclasses import replace
from functools import partial
from math import comb

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from foldwise.figures.axis_parts import enable_zoom
from foldwise.figures.order_probability import alt_order_probability, caption_order_probability, order_probability
from foldwise.figures.simulation_figures import lab_drawings
from foldwise.figures.spec import BuiltSpec
from foldwise.figures.theme import Style
from foldwise.web import components, inputs, layout, session, simulation_jobs
from foldwise.web.session import Context
from foldwise.web.simulation_jobs import Asked
from foldwise.web.views import comparison_views, data_views
from stats_core.core.errors import FoldwiseError
from stats_core.data.settings import TUKEY, Settings, share_is_unknown
from stats_core.inference.multiplicity.corrections import CORRECTIONS
from stats_core.inference.paired.t_tests import FIVE_BY_TWO
from stats_core.ordering.one_sided_evidence import ONE_SIDED_FAMILIES
from stats_core.power.order_simulation import OrderProbabilities, rates_up_to
from stats_core.power.questions import CHUNK, ORDERS, SimulationPart
from stats_core.power.simulation import Simulation
from stats_core.report.power_text import describe_order_probabilities, describe_simulation
from stats_core.report.reproduce import simulation_script
from stats_core.report.tables.simulation_tables import lab_tables

ONE, MANY = "one data set", "many data sets"
SLOPES = {ONE: "2, 0, -2", MANY: "3, 1, -1, -3"}
TESTS = ("paired t", "Wilcoxon", "5x2 cv F", "5x2 cv t", "combined 5x2 cv t")
RUN = 2e-6  # estimated seconds per classifier, rate and run
SHIFT = 0.05  # largest shift of the error rates between data sets
HOW = (
    "Each line is the probability of one order. The x-axis is the difference between the error rates of "
    "the simulated classifiers: more expensive classifiers have lower error rates. At the left, all "
    "rates are equal and the order of cost is correct. At the right, the reverse order is correct."
)


def simulation(alpha: float) -> None:
    """Draw the widgets of a simulated experiment and the probability of each order."""
    st.markdown(
        "The simulated classifiers have known error rates. The simulation counts how often each order is obtained."
    )
    experiment = _ask()
    if experiment is None:
        return
    options, runs = experiment
    cost = RUN * 21 * len(options["slopes"]) * options.get("n_datasets", 1) * Simulation.begin
    try:
        query = Asked(ORDERS, "", Settings(alpha=alpha), tuple(options.items()))
        part = simulation_jobs.simulation_result(query, None, runs, cost)
    except FoldwiseError as error:
        components.show_refusal("This experiment cannot run.", error)
        return
    if part is not None:
        _draw(part.found)


def _ask() -> tuple[dict, int] | None:
    """Draw the widgets of the experiment; return the options of `orders_of` and the runs."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = inputs.page_option("Experiment", "skind", (ONE, MANY), width=160)
        test = inputs.page_option("One-sided test", "stest", TESTS, width=170)
        families = inputs.labels_of(ONE_SIDED_FAMILIES)
        start = "Holm" if kind == ONE else "none"
        families = {start: families[start]} | families
        family = inputs.page_option("Correction", f"sfamily_{kind[:3]}", families, width=150)
        post = "none"
        if kind == MANY:
            posts = {CORRECTIONS[key]: key for key in ("nemenyi", "holm", "bonferroni")}
            post = inputs.page_option("Test of average ranks", "spost", posts, width=150)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        slopes = st.text_input(
            "Error rates: 0.5 + λ ×",
            SLOPES[kind],
            key=f"slopes_{kind[:3]}",
            help="Two to six numbers, one per classifier, cheapest classifier first.",
            width=200,
        )
        most = st.number_input("Maximum λ", 0.01, 0.25, 0.1, 0.01, key="slambda", width=120)
        cases = st.number_input(
            "Instances per result", 2, 100_000, 100 if kind == ONE else 50, key=f"scases_{kind[:3]}", width=140
        )
        folds = st.number_input(
            "Results per algorithm", 2, 100, 10, key="sfolds", width=120, disabled=test in FIVE_BY_TWO
        )
        sets = 1
        if kind == MANY:
            sets = st.number_input("Data sets", 2, 200, 30, key="ssets", width=110)
        runs = st.number_input("Runs", 50, 20_000, 1000, 50, key="sruns", width=110)
    try:
        steep = tuple(float(number) for number in slopes.replace(";", ",").split(",") if number.strip())
    except ValueError:
        components.show_refusal("Error rates need one number per classifier.", f'Found "{slopes}". Type 2, 0, -2.')
        return None
    try:
        _say_rates(rates_up_to(steep, float(most), shift=SHIFT if kind == MANY else 0.0))
    except FoldwiseError as error:
        components.show_refusal("This experiment cannot run.", str(error))
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
    """Draw the error rates at both ends of the axis."""
    most = rates.index[-1]
    ends = ", ".join(f"{rate:.4g}" for rate in rates.loc[most])
    st.caption(
        f"Error rates at λ = 0: 0.5 for all. At λ = {most:g}: {ends} (cheapest first). Unlike real folds, "
        "the simulated folds are independent."
    )


def _draw(result: OrderProbabilities) -> None:
    st.markdown(f"**{components.escape(describe_order_probabilities(result))}**")

    def build(style: Style) -> go.Figure:
        return order_probability(
            result.probabilities, style=style, standard_error=result.standard_error, half_power=result.half_power
        )

    components.show_figure(
        BuiltSpec(
            name="order_probability",
            title="Probability of each order",
            how_to_read=HOW,
            alt=alt_order_probability(result.probabilities, prior=result.prior),
            data=result.probabilities,
            build=enable_zoom(build),
            caption=lambda _: f"{caption_order_probability()} {result.method}.",
        )
    )


DRAWS = tuple(CHUNK * 4**step for step in range(5))
EVERY_SET = "all data sets"
NO_COST = "no column"
FIRST = 1.5e-5  # estimated seconds per comparison and draw
LEAST_SETS = 4  # so that a draw can omit some


def _end_page_if_unfit(context: Context) -> None:
    """End the page if the open results cannot be simulated."""
    components.page_context("Simulations need results, not published summaries.")
    n_algorithms = len(inputs.kept_input(context).algorithms)
    if n_algorithms < 2:
        components.end_page(
            "Simulations need at least two algorithms.", f"{context.results.source} has {n_algorithms}."
        )
    data_views.end_page_if_undecided(context)


def power(context: Context) -> None:
    """Draw the power simulation: draws of data sets that favour one algorithm."""
    _end_page_if_unfit(context)
    st.markdown(
        "Data sets are resampled with increasing weight on those where one algorithm is better. The "
        "simulation estimates the power of each procedure."
    )
    names = inputs.best_first(context)
    sets = len(inputs.kept_input(context).datasets)
    if sets < LEAST_SETS:
        st.markdown(
            f"**This simulation needs at least {LEAST_SETS} data sets.** There are {sets}. The type I "
            "error can be simulated on the folds of one data set."
        )
        return
    control = context.settings.control
    with st.container(horizontal=True, vertical_alignment="bottom"):
        candidates = [name for name in names if name != control]
        first = inputs.page_option("Favoured algorithm", "lfirst", candidates)
        second = inputs.page_option(
            "Other algorithm", "lsecond", [control] if control else names, begin=control or names[-1]
        )
        size = st.number_input("Data sets per run", *(2, sets - 1, sets // 2), key=f"lsets_{sets}", width=150)
        draws = _draws()
    if first == second:
        components.show_refusal("Choose two different algorithms.", f"Both are {first}.")
        return
    options = (("pair", (first, second)), ("n_sets", int(size)))
    _answer(context, "power", context.settings, options, draws, 21 * _comparisons(context))


def level_question(context: Context) -> None:
    """Draw the level simulation: error rates without any true difference."""
    _end_page_if_unfit(context)
    st.markdown(
        "Results in which no algorithms differ are simulated from your results. The simulation counts "
        "how often each procedure reports a difference (type I error)."
    )
    results, settings = inputs.kept_input(context), context.settings
    all_sets = [EVERY_SET] if len(results.datasets) > 1 else []
    with st.container(horizontal=True, vertical_alignment="bottom"):
        subject = inputs.page_option("Data set", "lset", [*all_sets, *inputs.datasets_with_folds(context)], width=220)
        if subject != EVERY_SET:
            settings = _on_folds(context, subject)
        elif len(results.algorithms) > 2:
            settings = comparison_views.choose_pairwise_test(settings)
        draws = _draws()
    _answer(context, "level", settings, (), draws, 2 * _comparisons(context))


def _on_folds(context: Context, dataset: str) -> Settings:
    """Draw widgets for the test on the folds of a data set; return the settings."""
    settings = replace(context.settings, dataset=dataset, control="")
    ask = inputs.fold_test if len(inputs.kept_input(context).algorithms) == 2 else inputs.post_hoc
    settings = ask(context.results, dataset, settings)
    return replace(settings, correction="") if settings.test == TUKEY else settings


def plan_question(context: Context) -> None:
    """Draw the planning simulation: more data sets, repetitions or folds."""
    _end_page_if_unfit(context)
    st.markdown(
        "Your results serve as a pilot study. The simulation predicts the power for two algorithms with "
        "more data sets, repetitions or folds."
    )
    results, settings = inputs.kept_input(context), context.settings
    names = inputs.best_first(context)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = inputs.page_option("First algorithm", "a", names)
        second = inputs.page_option("Second algorithm", "b", names, begin=names[1])
        sizes = {
            "more_sets": st.number_input("More data sets", 1, 1000, 30, key="lmore_sets", width=140),
            "more_repetitions": st.number_input("More repetitions", 1, 1000, 10, key="lmore_repetitions", width=150),
            "more_folds": st.number_input("More folds", 1, 1000, 10, key="lmore_folds", width=140),
        }
        difference = st.number_input(
            "Difference to detect",
            *(0.0, None, 0.0, 0.01),
            key="ldifference",
            width=160,
            format="%g",
            help="In units of the measure. At 0, power is averaged over the uncertainty of your results.",
        )
        cost = inputs.page_option("Training-time column", "lcost", (NO_COST, *results.costs)) if results.costs else ""
        draws = _draws()
    if first == second:
        components.show_refusal("Choose two different algorithms.", f"Both are {first}.")
        return
    folds = inputs.datasets_with_folds(context)
    if folds and share_is_unknown(context.results, folds[0]):
        settings = inputs.choose_test_fraction(context.results, folds[0], settings)
    options = {"pair": (first, second), **sizes}
    if cost not in ("", NO_COST):
        options["cost"] = cost
    if difference:
        options["difference"] = difference
    _answer(context, "plan", settings, tuple(options.items()), draws, 1)


def _draws() -> int:
    """Draw a selectbox of the number of draws."""
    labels = {f"{draws:,}": draws for draws in DRAWS}
    return inputs.page_option("Simulation runs", "ldraws", labels, width=140)


def _more(draws: int) -> None:
    st.session_state["ldraws"] = f"{draws:,}"


def _comparisons(context: Context) -> int:
    k = len(inputs.kept_input(context).algorithms)
    return k - 1 if context.settings.control else comb(k, 2)


def _answer(context: Context, question: str, settings: Settings, options: tuple, draws: int, work: int) -> None:
    """Draw the result so far in words, as a figure and as tables."""
    query = Asked(question, context.key, settings, options)
    top = st.container()
    try:
        with top:
            part = simulation_jobs.simulation_result(query, context.results, draws, FIRST * Simulation.begin * work)
    except FoldwiseError as error:
        components.show_refusal("This simulation cannot run.", error)
        return
    if part is None:
        return
    words = describe_simulation(part.found)
    with st.container(border=True, key="answer", gap="xsmall"):
        st.markdown(f"**{components.escape(words.headline)}**", width=920)
        st.caption(components.escape(words.detail), width=920)
        if words.warning:
            st.warning(components.escape(words.warning), icon=":material/warning:")
        with st.container(horizontal=True, vertical_alignment="center"):
            _take_away(context, query, part)
            following = [more for more in DRAWS if more > draws]
            if part.draws >= draws and following:
                st.button(f"More runs ({following[0]:,})", on_click=_more, args=(following[0],), key=f"more_{question}")
    main_figure, *other_figures = lab_drawings(part.found)
    components.show_figure(main_figure)

    def draw_tables() -> None:
        for table in lab_tables(part.found):
            components.show_table(table)

    components.in_expander("Tables", f"tables_{question}", draw_tables)
    for spec in other_figures:
        show = partial(components.show_figure, spec)
        components.in_expander(spec.title, f"other_{spec.name}", show)


def _take_away(context: Context, query: Asked, part: SimulationPart) -> None:
    """Draw popovers with the paragraph for a paper and the script."""
    with st.popover("Copy paragraph", type="tertiary"):
        words = describe_simulation(part.found)
        st.code(f"{words.headline} {words.detail} {words.paragraph}", language=None, wrap_lines=True)

    def draw_script() -> None:
        st.code(_script(context, query, part), language="python", height=400)

    components.in_popover("Script", f"script_{query.question}", draw_script)


def _script(context: Context, query: Asked, part: SimulationPart) -> str:
    """Return the script that repeats a simulation, or a comment why there is none."""
    try:
        return simulation_script(
            context.results,
            query.question,
            query.settings,
            dict(query.options) | {"draws": part.draws},
            text=describe_simulation(part.found).text,
            files=session.file_names(),
            mapping=layout.known_mapping(context.source_key),
        )
    except FoldwiseError as error:
        return f"# {error}"
