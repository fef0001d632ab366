"""Views of the page Plan: simulations of power, error rates, plans and orders.

Simulations run in parts in worker processes while the page shows intermediate results. A part takes
a few seconds; then other waiting jobs have a turn. The page requests the next part, so nothing runs
without an open page. Parts are stored in the cache of the session, their chunks also in the
workspace.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from math import comb
from typing import Any

import pandas as pd
import streamlit as st

from foldwise.figures import simulation_figures
from foldwise.figures.order_probability import OrderProbability
from foldwise.web import cache, choices, components, inputs, session
from foldwise.web.cache import session_cache
from foldwise.web.job_queue import CANCELLED, JobCancelled, shared_queue
from foldwise.web.session import Context
from foldwise.web.settings_registry import control, linked
from foldwise.web.texts import page_text
from foldwise.web.views import data_views
from foldwise.workspaces import store
from foldwise.workspaces.store import WorkspaceChunks
from stats_core.comparison import comparison_text
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_count
from stats_core.data.costs import cost_name
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference.methods import PAIR_TESTS
from stats_core.inference.multiplicity.adjust import CORRECTIONS
from stats_core.ordering.one_sided_evidence import ONE_SIDED_FAMILIES
from stats_core.power import item_planning, order_simulation, planning, questions
from stats_core.power.error_rates import LevelOnDesign
from stats_core.power.item_planning import ItemPlan
from stats_core.power.order_simulation import OrderProbabilities
from stats_core.power.planning import Plan
from stats_core.power.questions import CHUNK, ORDERS, SimulationPart, SimulationQuestion
from stats_core.power.simulation import Simulation
from stats_core.report import power_text, reproduce

SECONDS = 2.0  # seconds per part
TICK = 0.5  # seconds between checks for a finished part
UNASKED = 20.0  # estimated seconds of a part; nothing runs before the Start button is pressed
JOB, ENDED, ASKED, LAST = "_lab_job", "_lab_ended", "_lab_asked", "_lab_last"  # session keys


@dataclass(frozen=True)
class SimulationQuery:
    """Query for a simulation, which identifies it apart from its number of draws.

    Attributes
    ----------
    question : str
        One of `QUESTIONS`, or `ORDERS`.
    key : str
        Cache key of the results; "" for simulations without results.
    settings : Settings
        The settings of the simulated procedure.
    options : tuple of (str, Any)
        Keyword arguments of the question.
    power : float
        The requested power of a plan, which needs no other draws.
    """

    question: str
    key: str
    settings: Settings
    options: tuple[tuple[str, Any], ...] = ()
    power: float = field(default=0.8, compare=False)

    def about(self, results: Results | None) -> SimulationQuestion:
        """Return the question about these results, or without results."""
        return SimulationQuestion(
            name=self.question, results=results, settings=self.settings, options=dict(self.options)
        )


def simulation_result(
    query: SimulationQuery, results: Results | None, draws: int, cost: float
) -> SimulationPart | None:
    """Return the result so far and start the next part; None before the first part finishes."""
    _store_result()
    parts = _parts(query, draws)
    part = parts[-1] if parts else None
    n_done = part.draws if part else 0
    ended = st.session_state.setdefault(ENDED, {})
    if (
        part is None
        and query not in ended
        and query not in st.session_state.setdefault(ASKED, set())
    ):
        if (stored := _stored_chunks()) is not None:
            finished = questions.finished_part(query.about(results), draws=draws, stored=stored)
            if finished is not None:
                session_cache(query.key).recall(_cache_key(query, 0), lambda: finished)
                return simulation_result(query, results, draws, cost)
        ended[query] = page_text("simulation_views.slow", seconds=max(cost, 1))
    if n_done >= draws:
        ended.pop(query, None)
    elif query in ended:
        _offer(query, n_done)
    else:
        call = partial(_call, query, results, draws, parts)
        # a high cost makes it a long job, so that short ones are not delayed
        job = cache.session_job(JOB, (query, n_done), call, UNASKED)
        if job.done.wait(cache.PATIENCE if part is None else 0):
            return simulation_result(query, results, draws, cost)
        _watch(query, n_done, draws, part.each if part else 0.0)
    if part is not None:
        st.session_state.setdefault(LAST, {})[query.question] = query, n_done
    return part and _at_power(part, query)


def _at_power(part: SimulationPart, query: SimulationQuery) -> SimulationPart:
    """Return a plan for the power of the query; other results as they are."""
    return (
        replace(part, result=replace(part.result, power=query.power))
        if isinstance(part.result, Plan)
        else part
    )


def last_results(key: str, settings: Settings) -> list[tuple[SimulationQuery, SimulationPart]]:
    """Return the last query and result of each kind of simulation of these results and settings."""
    answers = []
    for query, draws in st.session_state.get(LAST, {}).values():
        if query.key == key and _relevant_settings(query.settings) == _relevant_settings(settings):
            parts = _parts(query, draws)
            answers += [(query, _at_power(parts[-1], query))] if parts else []
    return answers


def warn_inflated_error(key: str, settings: Settings) -> None:
    """Draw a warning if a simulation showed an inflated type I error rate of the procedure."""
    settings = replace(settings, wish=(), margin=None)
    for query, part in last_results(key, settings):
        level = part.result
        if isinstance(level, LevelOnDesign) and query.settings == settings:
            if power_text.decide_level(level).versus_alpha == "above":
                st.warning(
                    components.escape(power_text.describe_simulation(level).warning),
                    icon=":material/warning:",
                )
                components.link(
                    "plan",
                    page_text("simulation_views.level_link", n=level.draws),
                    ltab="Type I error",
                )


def _relevant_settings(settings: Settings) -> tuple:
    """Return the settings on which simulations depend."""
    return (
        *(settings.measure, settings.alpha, settings.only),
        *(settings.without_algorithms, settings.without_datasets),
    )


def _cache_key(query: SimulationQuery, done: int) -> tuple:
    return ("part", query.key, query, done)  # the second element names the results


def _parts(query: SimulationQuery, draws: int) -> list[SimulationPart]:
    """Return the cached parts of a simulation, in order."""
    parts: list[SimulationPart] = []
    cache, n_done = session_cache(query.key), 0
    while n_done < draws and (key := _cache_key(query, n_done)) in cache:
        parts.append(cache.recall(key, _gone))
        n_done = parts[-1].draws
    return parts


def _gone() -> None:
    raise JobCancelled(
        page_text("simulation_views.stopped")
    )  # evicted by another session since the last check


def _call(
    query: SimulationQuery, results: Results | None, draws: int, parts: list[SimulationPart]
) -> partial:
    """Return the call that computes the next part."""
    have = {number: sums for part in parts for number, sums in part.chunks.items()}
    lean = results and replace(results, predictions=None, undecided=None)
    seconds = SECONDS if parts else 0.0  # the first part is one chunk, for an early result
    return partial(
        questions.run_part,
        query.about(lean),
        draws=draws,
        seconds=seconds,
        have=have,
        stored=_stored_chunks(),
    )


def _stored_chunks() -> WorkspaceChunks | None:
    """Return the simulations stored in the workspace of the uploads; None without one."""
    workspace = choices.workspace()
    link = (
        ""
        if workspace is None or st.session_state.get(session.SAMPLE)
        else workspace.link or workspace.view
    )
    return WorkspaceChunks(store.limits(), link) if link else None


def _store_result() -> None:
    """Store the result of a finished job, or why it was cancelled; raise its other errors."""
    finished, job = st.session_state.get(JOB, (None, None))
    if job is None or not job.done.is_set():
        return
    del st.session_state[JOB]
    try:
        session_cache(finished[0].key).recall(_cache_key(*finished), job.result)
    except JobCancelled as why:
        st.session_state.setdefault(ENDED, {})[finished[0]] = str(why)


def _cancel(query: SimulationQuery) -> None:
    cancelled, job = st.session_state.pop(JOB, (None, None))
    if job is not None and cancelled[0] == query:
        cache.leave(job)
    st.session_state.setdefault(ENDED, {})[query] = (
        page_text("simulation_views.stopped") if cancelled else CANCELLED
    )


def _go_on(query: SimulationQuery) -> None:
    st.session_state.get(ENDED, {}).pop(query, None)
    st.session_state.setdefault(ASKED, set()).add(query)


def _offer(query: SimulationQuery, done: int) -> None:
    """Draw why the simulation stopped, with a button to continue."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(components.escape(st.session_state[ENDED][query]), width="content")
        label = "Continue" if done else "Start"
        st.button(
            label, on_click=_go_on, args=(query,), key=f"go_on_{query.question}", type="primary"
        )


@st.fragment(run_every=TICK)
def _watch(query: SimulationQuery, done: int, draws: int, each: float) -> None:
    """Draw the progress with a Cancel button; rerun the page when a part finishes."""
    running, job = st.session_state.get(JOB, (None, None))
    if running != (query, done) or job.done.is_set():
        st.rerun()
    n_before = shared_queue().position_of(job)
    drawn, total = job.so_far or (done, draws)
    remaining = f", about {each * (total - drawn):.0f} s left" if each else ""
    words = f"{drawn:,} of {format_count(total, 'run')}{remaining}" if drawn else "First runs ..."
    if n_before:
        words = page_text("simulation_views.queue", n=n_before, progress=words)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(drawn / total, text=words, width=480)
        st.button("Cancel", on_click=_cancel, args=(query,), key=f"cancel_{query.question}")


ONE, MANY = "one data set", "many data sets"
SLOPES = {ONE: "2, 0, -2", MANY: "3, 1, -1, -3"}
TESTS = tuple(
    key
    for key in order_simulation.SIMULATED
    if not PAIR_TESTS[key].corrects_overlap  # simulated folds do not overlap
)
RUN = 2e-6  # estimated seconds per classifier, rate and run
SHIFT = 0.05  # largest shift of the error rates between data sets


def simulation(alpha: float) -> None:
    """Draw a simulation of MultiTest orders: widgets, and the probability of each order or why there is none."""
    st.markdown(page_text("simulation_views.orders"))
    experiment = _ask()
    if experiment is None:
        return
    options, runs = experiment
    cost = RUN * 21 * len(options["slopes"]) * options.get("n_datasets", 1) * Simulation.begin
    try:
        query = SimulationQuery(ORDERS, "", Settings(alpha=alpha), tuple(options.items()))
        part = simulation_result(query, None, runs, cost)
    except FoldwiseError as error:
        components.show_refusal(page_text("simulation_views.refused"), error)
        return
    if part is not None:
        assert isinstance(part.result, OrderProbabilities)  # the question was `ORDERS`
        _draw(part.result)


def _ask() -> tuple[dict, int] | None:
    """Draw the widgets of the simulated experiment; return options and number of runs, None for invalid rates."""
    with components.row():
        kind = inputs.page_option("Experiment", "skind", (ONE, MANY), width=160)
        test = inputs.page_option("One-sided test", "stest", TESTS, width=170)
        families = inputs.labels_of(ONE_SIDED_FAMILIES)
        start = "Holm" if kind == ONE else "none"
        families = {start: families[start]} | families
        family = inputs.page_option("Correction", f"sfamily_{kind[:3]}", families, width=150)
        post = "none"
        if kind == MANY:
            posts = {CORRECTIONS[key]: key for key in ("nemenyi", "holm", "bonferroni")}
            post = inputs.page_option("Post-hoc test", "spost", posts, width=150)
    with components.row():
        slopes = st.text_input(
            **control("slopes", **linked(f"slopes_{kind[:3]}", value=SLOPES[kind]))
        )
        most = st.number_input(**linked("slambda"))
        cases = st.number_input(
            **control("scases", **linked(f"scases_{kind[:3]}", value=100 if kind == ONE else 50))
        )
        folds = st.number_input(**linked("sfolds", disabled=PAIR_TESTS[test].five_by_two))
        sets = st.number_input(**linked("ssets")) if kind == MANY else 1
        runs = st.number_input(**linked("sruns"))
    try:
        steep = tuple(
            float(number) for number in slopes.replace(";", ",").split(",") if number.strip()
        )
    except ValueError:
        components.show_refusal(
            page_text("simulation_views.rates_needed"),
            page_text("simulation_views.found", text=slopes),
        )
        return None
    try:
        _say_rates(
            order_simulation.rates_up_to(steep, float(most), shift=SHIFT if kind == MANY else 0.0)
        )
    except FoldwiseError as error:
        components.show_refusal(page_text("simulation_views.refused"), str(error))
        return None
    options = {
        "slopes": steep,
        "most": float(most),
        "n_cases": int(cases),
        "n_results": 10 if PAIR_TESTS[test].five_by_two else int(folds),
        "test": test,
        "family": family,
    }
    if kind == MANY:
        options |= {"n_datasets": int(sets), "post_hoc": post, "shift": SHIFT}
    return options, int(runs)


def _say_rates(rates: pd.DataFrame) -> None:
    """Draw the error rates at the largest lambda."""
    most = rates.index[-1]
    ends = ", ".join(f"{rate:.4g}" for rate in rates.loc[most])
    st.caption(page_text("simulation_views.rates", most=most, ends=ends))


def _draw(result: OrderProbabilities) -> None:
    """Draw a sentence on the probabilities of orders, and their figure."""
    components.paragraph(power_text.describe_order_probabilities(result), bold=True)

    components.show_figure(
        OrderProbability(
            name="order_probability",
            title=page_text("simulation_views.order_probability_title"),
            how_to_read=page_text("simulation_views.order_probability"),
            probabilities=result.probabilities,
            standard_error=result.standard_error,
            half_power=result.half_power,
            prior=result.prior,
            method=result.method,
        )
    )


DRAWS = tuple(CHUNK * 4**step for step in range(5))
EVERY_SET = "all data sets"
NO_COST = "no column"
FIRST = 1.5e-5  # estimated seconds per comparison and draw
LEAST_SETS = 4  # so that a draw can omit some


def _end_page_if_unfit(context: Context) -> None:
    """End the page if the open results do not allow simulations."""
    components.page_context(page_text("simulation_views.needs_results"))
    n_algorithms = len(inputs.selected_results(context).algorithms)
    if n_algorithms < 2:
        components.end_page(
            page_text("simulation_views.needs_two"),
            page_text("simulation_views.has", source=context.results.source, n=n_algorithms),
        )
    data_views.end_page_if_undecided(context)


SAMPLE_SIZE, POWER, TYPE_I_ERROR = "Sample size", "Power", "Type I error"
_QUESTION_OF = {SAMPLE_SIZE: "plan", POWER: "power", TYPE_I_ERROR: "level"}  # tab -> question


def first_possible_tab(context: Context) -> str:
    """Return the first tab that the results allow; Sample size, with its reason, if they allow none."""
    allowed = (tab for tab, question in _QUESTION_OF.items() if _is_possible(context, question))
    return next(allowed, SAMPLE_SIZE)


def _is_possible(context: Context, question: str) -> bool:
    """Return whether the results and settings of the other pages allow a simulation."""
    results = inputs.selected_results(context)
    if results is None or context.undecided or len(results.algorithms) < 2:
        return False
    if question == "plan" and results.is_one_test_set:
        return True  # the number of instances, by a formula
    if question == "power" and len(results.datasets) < LEAST_SETS:
        return False
    query = SimulationQuery(question, context.key, context.settings)
    check = partial(questions.check_question, query.about(context.results))
    try:
        cache.cached((context.key, "possible", question, context.settings), check)
    except FoldwiseError:
        return False
    return True


def power_tab(context: Context) -> None:
    """Draw a simulation of power: of pairwise comparisons, or of cost-aware orders."""
    draw = {
        "pairwise comparisons": partial(power, context),
        "cost-aware orders": partial(simulation, context.settings.alpha),
    }
    inputs.page_option("Power of", "power_of", draw, width=220)()


def power(context: Context) -> None:
    """Draw the simulation of the power of pairwise comparisons; a note if there are too few data sets."""
    _end_page_if_unfit(context)
    st.markdown(page_text("simulation_views.power"))
    names = inputs.best_first(context)
    sets = len(inputs.selected_results(context).datasets)
    if sets < LEAST_SETS:
        st.markdown(page_text("simulation_views.few_datasets", least=LEAST_SETS, n=sets))
        return
    control = context.settings.control
    with components.row():
        candidates = [name for name in names if name != control]
        first = inputs.page_option("Favoured algorithm", "lfirst", candidates)
        others = [control] if control else [name for name in names if name != first]
        second = inputs.page_option("Other algorithm", "lsecond", others, begin=others[-1])
        if not 2 <= st.session_state.get("lsets", 2) < sets:
            del st.session_state["lsets"]
        size = st.number_input("Data sets drawn", *(2, sets - 1, sets // 2), **linked("lsets"))
        draws = _draws()
    options = (("pair", (first, second)), ("n_sets", int(size)))
    settings = replace(context.settings, source=inputs.pairwise_test_of_results(context))
    _answer(context, "power", settings, options, draws, 21 * _comparisons(context))


def level_question(context: Context) -> None:
    """Draw the simulation of type I error rates; a note for a single data set without folds."""
    _end_page_if_unfit(context)
    st.markdown(page_text("simulation_views.level"))
    results, settings = inputs.selected_results(context), context.settings
    subjects = [
        *([EVERY_SET] if len(results.datasets) > 1 else []),
        *inputs.datasets_with_folds(context),
    ]
    if not subjects:
        st.markdown(page_text("simulation_views.one_test_set"))
        return
    with components.row():
        subject = inputs.page_option("Data set", "lset", subjects, width=220)
        if subject != EVERY_SET:
            settings = _on_folds(context, subject)
        elif len(results.algorithms) > 2:
            settings = inputs.choose_pairwise_test(settings)
        draws = _draws()
    _answer(context, "level", settings, (), draws, 2 * _comparisons(context))


def _on_folds(context: Context, dataset: str) -> Settings:
    """Draw widgets for the test on folds; return the settings."""
    settings = replace(context.settings, dataset=dataset, control="")
    ask = (
        inputs.fold_test
        if len(inputs.selected_results(context).algorithms) == 2
        else inputs.post_hoc
    )
    settings = ask(context.results, dataset, settings)
    return replace(settings, correction="") if settings.test == TUKEY else settings


def plan_question(context: Context) -> None:
    """Draw the planning simulation: more data sets, repetitions or folds."""
    _end_page_if_unfit(context)
    if inputs.selected_results(context).is_one_test_set:
        _items_question(context)
        return
    st.markdown(page_text("simulation_views.plan"))
    results, settings = inputs.selected_results(context), context.settings
    names = inputs.best_first(context)
    with components.row():
        first, second = inputs.choose_two(names)
        power = st.slider(**linked("lpower"))
        more = components.options("More")
    with more:
        difference = st.number_input(**linked("ldifference", value=None))
        added = [f"more_{noun}" for noun in ("sets", "repetitions", "folds")]
        sizes = {name: st.number_input(**linked(f"l{name}")) for name in added}
        cost = (
            inputs.page_option(
                "Training-time column", "lcost", (NO_COST, *results.costs), name_of=cost_name
            )
            if results.costs
            else ""
        )
        draws = _draws()
        if folds := inputs.datasets_with_folds(context):
            settings = inputs.choose_test_fraction(context.results, folds[0], settings)
    options = {"pair": (first, second), **sizes}
    if cost not in ("", NO_COST):
        options["cost"] = cost
    if difference:
        options["difference"] = difference
    say_test = partial(_say_test_of_plan, context, results)
    items = tuple(options.items())
    _answer(context, "plan", settings, items, draws, 1, power=power, before=say_test)


def _say_test_of_plan(context: Context, results: Results) -> None:
    """Draw the test that a plan is for, and how many more data sets the pairwise test of other pages needs."""
    settings = replace(context.settings, source=inputs.pairwise_test_of_results(context))
    source, ratio = planning.relative_size_of_analysis(results, settings)
    tests = comparison_text(f"tests.{source}", plural=True)
    components.caption(page_text("simulation_views.test_of_plan", tests=tests, more=ratio - 1))


def _items_question(context: Context) -> None:
    """Draw the numbers of instances needed to detect a difference of two models."""
    st.markdown(page_text("simulation_views.items"))
    row = components.row()
    with row:
        pair = inputs.choose_two(inputs.best_first(context))
        power = st.slider(**linked("lpower"))
    settings = replace(context.settings, test="")
    query = SimulationQuery("items", context.key, settings, (("pair", pair), ("power", power)))
    with components.refusing(page_text("simulation_views.refused")):
        plan = _items_plan(context, query)
        assert isinstance(plan.result, ItemPlan)
        observed = f"{plan.result.difference:.3g}"
        with row:
            difference = st.number_input(**linked("litems", value=None, placeholder=observed))
        if difference:
            query = replace(query, options=(*query.options, ("difference", difference)))
            plan = _items_plan(context, query)
        st.session_state.setdefault(LAST, {})[query.question] = query, plan.draws
        _draw_part(context, query, plan)


def _items_plan(context: Context, query: SimulationQuery) -> SimulationPart:
    """Return a plan of numbers of instances in the form of a simulation; cached."""
    return session_cache(query.key).recall(
        _cache_key(query, 0), partial(_items_part, context, query)
    )


def _items_part(context: Context, query: SimulationQuery) -> SimulationPart:
    """Return a plan of numbers of instances in the form of a simulation."""
    comparison = cache.analysis(
        inputs.selection_key(context), query.settings, inputs.selected_results(context)
    )
    plan = item_planning.plan_items(comparison, **dict(query.options))
    return SimulationPart(result=plan, draws=1, chunks={}, each=0.0)


def _draws() -> int:
    """Draw a selectbox for the number of draws; return the number."""
    labels = {f"{draws:,}": draws for draws in DRAWS}
    return inputs.page_option("Simulation runs", "ldraws", labels, width=140)


def _comparisons(context: Context) -> int:
    k = len(inputs.selected_results(context).algorithms)
    return k - 1 if context.settings.control else comb(k, 2)


def _answer(
    context: Context,
    question: str,
    settings: Settings,
    options: tuple,
    draws: int,
    work: int,
    *,
    power: float = 0.8,
    before: Callable[[], None] | None = None,
) -> None:
    """Draw the result so far, if any, as text, figure and tables, or why there can be none.

    `before` draws what stands above a possible simulation.
    """
    query = SimulationQuery(question, context.key, settings, options, power)
    check = partial(questions.check_question, query.about(context.results))
    try:
        cache.cached((context.key, query), check)
        if before is not None:
            before()
        part = simulation_result(query, context.results, draws, FIRST * Simulation.begin * work)
    except FoldwiseError as error:
        components.show_refusal(page_text("simulation_views.refused"), error)
        return
    if part is not None:
        _draw_part(context, query, part, draws)


def _draw_part(
    context: Context, query: SimulationQuery, part: SimulationPart, draws: int = DRAWS[-1]
) -> None:
    """Draw a result as text, figure and tables; more runs than `draws` are offered."""
    inputs.name_methods(context, *power_text.methods_of(part.result))
    words = power_text.describe_simulation(part.result)
    with st.container(border=True, key="answer", gap="xsmall"):
        st.markdown(f"**{components.escape(words.headline)}**", width=920)
        if words.warning:
            components.warn(words.warning)
        with st.container(horizontal=True, vertical_alignment="center"):
            with st.popover("Details", type="tertiary"):
                components.caption(words.detail)
            _take_away(context, query, part)
            following = [more for more in DRAWS if more > draws]
            if part.draws >= draws and following:
                st.button(
                    f"More runs ({following[0]:,})",
                    key=f"more_{query.question}",
                    on_click=st.session_state.update,
                    args=({"ldraws": f"{following[0]:,}"},),
                )
    figures = simulation_figures.lab_drawings(part.result)
    for spec in figures[:1]:
        components.show_figure(spec)

    def draw_tables() -> None:
        for table in power_text.lab_tables(part.result):
            components.show_table(table)

    components.in_expander("Tables", f"tables_{query.question}", draw_tables)
    for spec in figures[1:]:
        show = partial(components.show_figure, spec)
        components.in_expander(spec.title, f"other_{spec.name}", show)


def _take_away(context: Context, query: SimulationQuery, part: SimulationPart) -> None:
    """Draw popovers with the paragraph for a paper and the script."""
    with st.popover("Copy paragraph", type="tertiary"):
        words = power_text.describe_simulation(part.result)
        st.code(
            f"{words.headline} {words.detail} {words.paragraph}", language=None, wrap_lines=True
        )

    def draw_script() -> None:
        st.code(_script(context, query, part), language="python", height=400)

    components.in_popover("Script", f"script_{query.question}", draw_script)


def _script(context: Context, query: SimulationQuery, part: SimulationPart) -> str:
    """Return the script that repeats a simulation, or a comment on why there is none."""
    options = dict(query.options) | (
        {"draws": part.draws} if query.question in questions.QUESTIONS else {}
    )
    if isinstance(part.result, Plan):
        options["power"] = query.power
    try:
        return reproduce.simulation_script(
            context.results,
            questions.QUESTIONS.get(query.question, item_planning.items_of),
            query.settings,
            options,
            text=power_text.describe_simulation(part.result).text,
            files=session.file_names(),
            mapping=choices.known_mapping(context.source_key),
        )
    except FoldwiseError as error:
        return f"# {error}"
