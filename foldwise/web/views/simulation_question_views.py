"""The lab's questions: what each asks, and how its answer is shown."""

from dataclasses import replace
from math import comb

import streamlit as st

from foldwise.figure_specs.simulation_figures import lab_drawings
from foldwise.figure_specs.simulation_tables import lab_tables
from foldwise.web import components, inputs, layout, session, simulation_jobs
from foldwise.web.session import Context
from foldwise.web.simulation_jobs import Asked
from foldwise.web.views import comparison_views, missing_views
from stats_core.core.errors import FoldwiseError
from stats_core.data.settings import ASKED_SOURCES, TUKEY, Settings, share_is_unknown
from stats_core.power.questions import (
    CHUNK,
    Simulation,
    SimulationPart,
    describe_simulation,
)
from stats_core.report.reproduce import simulation_script

DRAWS = tuple(CHUNK * 4**step for step in range(5))
EVERY_SET = "all data sets"
NO_COST = "no column"
FIRST = 1.5e-5  # seconds, roughly, for one comparison in one draw
LEAST_SETS = 4  # so that a draw can leave some out


def missing_treatment_open(context: Context) -> bool:
    """Ask what to do about missing cells, if that is open."""
    if not context.undecided:
        return False
    components.show_refusal(
        "Every algorithm needs a result everywhere.", f"{context.undecided}. Choose what to do."
    )
    missing_views.choose_missing_treatment(context)
    return True


def power(context: Context) -> None:
    """Would a procedure find a difference? Draws of data sets favour one algorithm."""
    st.markdown(
        "Data sets are drawn, more and more of them such that one algorithm is better there. How "
        "many differences does each procedure find?"
    )
    names = inputs.best_first(context)
    sets = len(inputs.kept_input(context).datasets)
    if sets < LEAST_SETS:
        st.markdown(
            f"**Draws of data sets need at least {LEAST_SETS} data sets.** There are {sets}. Whether "
            "a test keeps its level is seen on the folds of one, too: the next tab."
        )
        return
    control = context.settings.control
    with st.container(horizontal=True, vertical_alignment="bottom"):
        others = [name for name in names if name != control]
        first = inputs.page_option("Draws favour", "lfirst", others)
        second = inputs.page_option(
            "over", "lsecond", [control] if control else names, begin=control or names[-1]
        )
        size = st.number_input(
            "Data sets per draw",
            *(2, sets - 1, sets // 2),
            key=f"lsets_{sets}",
            width=150,
        )
        draws = _draws()
    if first == second:
        components.show_refusal("Draws favour one algorithm over another.", f"Both are {first}.")
        return
    options = (("pair", (first, second)), ("n_sets", int(size)))
    _answer(context, "power", context.settings, options, draws, 21 * _comparisons(context))


def level_question(context: Context) -> None:
    """Does a procedure find what is not there? Worlds without differences, of these results."""
    st.markdown(
        "Worlds in which nothing differs are made of your results. How often does each procedure "
        "find a difference all the same?"
    )
    results, settings = inputs.kept_input(context), context.settings
    whole = [EVERY_SET] if len(results.datasets) > 1 else []
    with st.container(horizontal=True, vertical_alignment="bottom"):
        where = inputs.page_option(
            "On", "lset", [*whole, *inputs.datasets_with_folds(context)], width=220
        )
        if where != EVERY_SET:
            settings = _on_folds(context, where)
        elif len(results.algorithms) > 2:
            settings = replace(
                settings, source=comparison_views.choice("p-values from", "source", ASKED_SOURCES)
            )
        draws = _draws()
    if where == EVERY_SET:
        settings = comparison_views.allowed_settings(settings)
    _answer(context, "level", settings, (), draws, 2 * _comparisons(context))


def _on_folds(context: Context, dataset: str) -> Settings:
    """Ask which test is taken on the folds of a data set, as its page does."""
    settings = replace(context.settings, dataset=dataset, control="")
    ask = inputs.fold_test if len(inputs.kept_input(context).algorithms) == 2 else inputs.post_hoc
    settings = ask(context.results, dataset, settings)
    return replace(settings, correction="") if settings.test == TUKEY else settings


def plan_question(context: Context) -> None:
    """What would more data sets tell, and what more repetitions?"""
    st.markdown(
        "Your results are the pilot of a larger experiment. What would more data sets tell about "
        "two algorithms, and what more repetitions or folds?"
    )
    results, settings = inputs.kept_input(context), context.settings
    names = inputs.best_first(context)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = inputs.page_option("First (best on top)", "a", names)
        second = inputs.page_option("Second", "b", names, begin=names[1])
        more = {
            "more_sets": st.number_input(
                "More data sets", 1, 1000, 30, key="lmore_sets", width=140
            ),
            "more_repetitions": st.number_input(
                "More repetitions", 1, 1000, 10, key="lmore_repetitions", width=150
            ),
            "more_folds": st.number_input("More folds", 1, 1000, 10, key="lmore_folds", width=140),
        }
        difference = st.number_input(
            "Difference to find",
            *(0.0, None, 0.0, 0.01),
            key="ldifference",
            width=160,
            format="%g",
            help="In the measure's units. At 0 the chance is averaged over what your results leave open.",
        )
        cost = (
            inputs.page_option("Seconds are in", "lcost", (NO_COST, *results.costs))
            if results.costs
            else ""
        )
        draws = _draws()
    if first == second:
        components.show_refusal("A plan is about two different algorithms.", f"Both are {first}.")
        return
    folds = inputs.datasets_with_folds(context)
    if folds and share_is_unknown(context.results, folds[0]):
        settings = inputs.choose_test_fraction(context.results, folds[0], settings)
    options = {"pair": (first, second), **more}
    if cost not in ("", NO_COST):
        options["cost"] = cost
    if difference:
        options["difference"] = difference
    _answer(context, "plan", settings, tuple(options.items()), draws, 1)


def _draws() -> int:
    """Ask how many draws to make; a button beside the answer asks for more."""
    labels = [f"{draws:,}" for draws in DRAWS]
    return DRAWS[labels.index(inputs.page_option("Draws", "ldraws", labels, width=110))]


def _more(draws: int) -> None:
    st.session_state["ldraws"] = f"{draws:,}"


def _comparisons(context: Context) -> int:
    k = len(inputs.kept_input(context).algorithms)
    return k - 1 if context.settings.control else comb(k, 2)


def _answer(
    context: Context, question: str, settings: Settings, options: tuple, draws: int, work: int
) -> None:
    """Show what is known by now: in words, as a figure, and what a paper needs."""
    asked = Asked(question, context.key, settings, options)
    top = st.container()
    try:
        with top:
            part = simulation_jobs.simulation_result(
                asked, context.results, draws, FIRST * Simulation.begin * work
            )
    except FoldwiseError as error:
        components.show_refusal("This cannot be simulated here.", error)
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
            _take_away(context, asked, part)
            following = [more for more in DRAWS if more > draws]
            if part.draws >= draws and following:
                st.button(
                    f"More draws ({following[0]:,})",
                    on_click=_more,
                    args=(following[0],),
                    key=f"more_{question}",
                )
    first, *others = lab_drawings(part.found)
    components.show_figure(first)
    tables = st.expander("Tables", key=f"tables_{question}", on_change="rerun")
    if tables.open:
        with tables:
            for table in lab_tables(part.found):
                components.show_table(table)
    for one in others:
        more = st.expander(components.escape(one.title), key=f"other_{one.name}", on_change="rerun")
        if more.open:
            with more:
                components.show_figure(one)


def _take_away(context: Context, asked: Asked, part: SimulationPart) -> None:
    """Offer the paragraph for a paper, and the script that repeats the numbers."""
    with st.popover("Copy paragraph", type="tertiary"):
        words = describe_simulation(part.found)
        st.code(
            f"{words.headline} {words.detail} {words.paragraph}", language=None, wrap_lines=True
        )
    script = st.popover(
        "Script", type="tertiary", on_change="rerun", key=f"script_{asked.question}"
    )
    if script.open:
        with script:
            st.code(_script(context, asked, part), language="python", height=400)


def _script(context: Context, asked: Asked, part: SimulationPart) -> str:
    """Return the script that repeats a simulation, or why there is none."""
    try:
        return simulation_script(
            context.results,
            asked.question,
            asked.settings,
            dict(asked.options) | {"draws": part.draws},
            text=describe_simulation(part.found).text,
            files=session.file_names(),
            mapping=layout.known_mapping(context.source_key),
        )
    except FoldwiseError as error:
        return f"# {error}"
