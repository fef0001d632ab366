"""Views shared by pages: verdict with leave-one-out, alternative settings, agreement of two tests.

A long leave-one-out analysis runs in a worker process; the page is usable meanwhile and reruns at
its end.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from foldwise.figures import pair_panels, roc, spec
from foldwise.figures.theme import MARKERS
from foldwise.web import cache, clicks, components, inputs, session
from foldwise.web.cache import cached, session_cache
from foldwise.web.job_queue import CANCELLED, Job
from foldwise.web.session import Context
from foldwise.web.settings_registry import HOLES
from foldwise.web.texts import page_text
from foldwise.web.views import data_views, dataset_views, simulation_views
from stats_core.comparison.kinds.datasets import data_sets_needed
from stats_core.comparison.result import Comparison
from stats_core.core.errors import DegenerateError, FoldwiseError, MissingCells
from stats_core.core.formatting import format_count, measure_name, p_phrase, p_text
from stats_core.core.messages import Message
from stats_core.core.validation import significant
from stats_core.curves import curve_comparison
from stats_core.curves.curve_comparison import DataCurves
from stats_core.data.results import Results
from stats_core.data.settings import OVERLAPS, TUKEY, Settings
from stats_core.inference.fold_pairs import resampling_unit
from stats_core.inference.methods import PAIR_TESTS
from stats_core.report import advice, robustness_text, varied_verdicts
from stats_core.report.paper_sentence import copied_sentence
from stats_core.report.tables import robustness_tables
from stats_core.report.tables.table import pair_heads
from stats_core.report.verdict import Verdict, among_all, verdict
from stats_core.robustness import dataset_decisions, leave_one_out, other_measures
from stats_core.robustness.dataset_decisions import Agreement, Rule
from stats_core.robustness.other_measures import Finding

AT_ONCE = 0.2  # seconds; longer leave-one-out analyses run in a worker process
TICK = 1.0  # seconds between checks for a finished job
JOB, ENDED = "_robustness_job", "_robustness_ended"  # session keys


def leave_one_out_line(key: str, analysis: Comparison) -> None:
    """Draw the leave-one-out result as a line, the progress of its computation, or why it failed."""
    job_key = (
        cache.qualified_name(leave_one_out.repeated),
        *dataset_views.runs_key(key, analysis, "data set"),
    )
    call = partial(leave_one_out.repeated, analysis, "data set")
    running, job = st.session_state.get(JOB, (None, None))
    store = session_cache(key)
    if running == job_key and job is not None and job.done.is_set():
        del st.session_state[JOB]
        try:
            store.recall(job_key, job.result)
        except FoldwiseError as why:
            st.session_state.setdefault(ENDED, {})[job_key] = str(why)
    cost = cache.cost_of_resampling(call)
    if job_key in store or cost <= min(AT_ONCE, cache.HERE):
        dataset_views.repeat(key, analysis, "data set", dataset_views.LEAVING)
        text = robustness_text.describe_leave_one_out(leave_one_out.leave_one_out(analysis))
        st.markdown(components.escape(text), width=920)
    elif reason := st.session_state.get(ENDED, {}).get(job_key):
        components.caption(page_text("comparison_views.leave_one_out_failed", why=reason))
    elif running == job_key or cache.started(job_key, key, cost, "Leave-one-out"):
        job = cache.session_job(JOB, job_key, lambda: call, cost)
        job.keepers[id(store)] = lambda value: store.recall(job_key, lambda: value)
        with st.container(horizontal=True, vertical_alignment="center"):
            _watch(job)
            st.button(
                "Cancel",
                on_click=_cancel,
                args=(job_key, job),
                type="tertiary",
                key="cancel_leave_one_out",
            )


def _cancel(job_key: tuple, job: Job) -> None:
    cache.leave(job)
    st.session_state.pop(JOB, None)
    st.session_state.setdefault(ENDED, {})[job_key] = CANCELLED


@st.fragment(run_every=TICK)
def _watch(job: Job) -> None:
    """Draw the progress of a job; rerun the page when it finishes."""
    if job.done.is_set():
        session.run_again()
    progress = f": {job.so_far[0]} of {job.so_far[1]}" if job.so_far else ""
    st.caption(f"Leave-one-out is running{progress} ...", width="content")


def run_comparison(
    context: Context, settings: Settings, card: DeltaGenerator, *, title: str = ""
) -> Comparison:
    """Return the comparison; if there is none, draw the reason below a title, and end the page."""
    try:
        result = cache.analysis(context.key, settings, context.results)
    except FoldwiseError as error:
        with card:
            if title:
                st.title(title)
            _refuse(context, settings, error)
        st.stop()
    simulation_views.warn_inflated_error(context.key, settings)
    inputs.name_tests(context, result)
    return result


def _refuse(context: Context, settings: Settings, error: FoldwiseError) -> None:
    """Draw why no comparison is possible, and the remedy."""
    missing = isinstance(error, MissingCells)
    if missing:
        data_views.end_page_if_undecided(context)
    if isinstance(error, DegenerateError) and not settings.measures:
        components.show_refusal(page_text("comparison_views.no_variation"), str(error))
        return
    components.show_refusal(page_text("comparison_views.refused"), error)
    if missing and st.session_state.get(HOLES):
        data_views.choose_missing_treatment(context)


def show_verdict(
    context: Context,
    analysis: Comparison,
    card: DeltaGenerator,
    *,
    brief: bool = False,
    name: str = "verdict",
    own: Comparison | None = None,
) -> None:
    """Draw the verdict card with advice and alternative settings, then the verdict of `own`, if that is another.

    With `brief`, for a card that repeats the verdict of the page Results, everything but the
    headline is in a popover.
    """
    key = context.key
    words = cached(key, verdict, analysis)
    with card:
        components.verdict_card(
            words,
            advice.advice_on(analysis) if len(analysis.results.algorithms) > 1 else None,
            change=_changes(key, analysis),
            copied=cached(key, copied_sentence, analysis),
            brief=brief,
            key=name,
        )
        if own is not None and own is not analysis:
            _state_own(cached(key, verdict, own), own, words)
        if not brief:
            other_measures_note(key, analysis)


def remarks(context: Context, analysis: Comparison) -> DeltaGenerator:
    """Draw the first caution of a verdict unless its numbers hold one, and popovers with details; return their row."""
    words = cached(context.key, verdict, analysis)
    visible = words.notes[: 1 if data_sets_needed(analysis) is None else 0]
    row = _state_cautions(words, visible, "Details")
    with row:
        if (change := _changes(context.key, analysis)) is not None:
            components.in_popover("Other settings", "change", change)
    return row


def _state_cautions(
    words: Verdict, visible: Sequence[Message | str], details: str
) -> DeltaGenerator:
    """Draw the first sentences of notes, and the rest of a verdict in a popover with a label; return its row."""
    sentences = [components.first_sentence(note) for note in visible]
    components.caption(*sentences)
    folded = [
        line
        for line in (words.numbers if words.size else "", *words.notes)
        if line and str(line) not in sentences
    ]
    row = st.container(horizontal=True, vertical_alignment="center")
    if folded:
        with row, st.popover(details, type="tertiary"):
            components.caption(*folded)
    return row


def show_dataset_verdict(context: Context, own: Comparison, card: DeltaGenerator) -> None:
    """Draw the verdict that the page Results has for a data set, then that by the settings of this page if it differs."""
    settings = replace(context.settings, dataset=own.settings.dataset)
    shown = own
    with suppress(FoldwiseError):
        shown = cache.analysis(context.key, settings, context.results)
    words, own_words = (cached(context.key, verdict, each) for each in (shown, own))
    if _claims(words) == _claims(own_words):
        shown = own
    inputs.name_tests(context, shown)
    show_verdict(context, shown, card, own=own)


def _state_own(words: Verdict, own: Comparison, first: Verdict) -> None:
    """Draw the verdict by the settings of this page, labelled as such, with the first caution that `first` has not.

    A headline that repeats that of `first` is left out.
    """
    headline = "" if words.headline == first.headline else words.headline
    text = page_text(
        "comparison_views.own_settings",
        tests=own.test_name,
        counted=str(own.counted),
        verdict=f"{headline} {words.size}".strip() or words.headline,
    )
    st.markdown(components.escape(text), width=920)
    cautions = [note for note in words.notes if note not in first.notes]
    _state_cautions(words, cautions[:1], page_text("comparison_views.own_details"))


def other_measures_note(key: str, analysis: Comparison, pair: tuple[str, ...] = ()) -> None:
    """Draw a sentence on the measures that lead to other decisions, on all pairs or one, if there are any."""
    with suppress(FoldwiseError):
        doing, cost = "Other measures ...", cache.other_measures_seconds
        find = other_measures.decided_otherwise
        others = cached(key, find, analysis, pair=pair, doing=doing, cost=cost)
        if sentence := robustness_text.describe_other_measures(others):
            st.markdown(components.escape(sentence), width=920)


def show_pair_verdict(
    context: Context, own: Comparison, family: Settings, card: DeltaGenerator
) -> None:
    """Draw the verdict on a pair adjusted for all pairs, then its unadjusted test.

    If there are only two algorithms or all pairs cannot be compared, draw the verdict of `own`.
    """
    if family.control not in ("", *own.order):
        family = replace(family, control="", correction="")
    several = len(own.order) == 2 < len(inputs.selected_results(context).algorithms)
    in_family = _among_all(context, own, replace(family, test="")) if several else None
    if in_family is None:
        inputs.name_tests(context, own)
        show_verdict(context, own, card)
        return
    words, all_pairs = in_family
    inputs.name_tests(context, all_pairs)
    by_choice = _among_all(context, own, family) if family.test else None
    with card:
        components.verdict_card(words, advice.advice_on(all_pairs))
        if by_choice is not None and _claims(by_choice[0]) != _claims(words):
            _state_own(*by_choice, words)
        other_measures_note(context.key, all_pairs, tuple(own.order))
        st.caption(page_text("comparison_views.unadjusted"))


def _among_all(
    context: Context, own: Comparison, family: Settings
) -> tuple[Verdict, Comparison] | None:
    """Return the verdict on a pair among all pairs, and the comparison of these; None if it is refused or has none."""
    with suppress(FoldwiseError):
        all_pairs = cache.analysis(context.key, family, context.results)
        words = cached((context.key, family), partial(among_all, every=all_pairs), own)
        return None if words is None else (words, all_pairs)
    return None


def _claims(words: Verdict) -> tuple[str, str]:
    """Return what a verdict claims: headline and size of the difference."""
    return words.headline, words.size


def finding_link(finding: Finding) -> None:
    """Draw a link to the view that shows a finding on several measures."""
    parameters = {
        "look": "Several measures",
        "ds": finding.dataset,
        "together": ", ".join(finding.measures),
        "who": "two" if finding.pair else "all",
        "mtab_cliques": not finding.pair,
        **dict(zip(("a", "b"), finding.pair, strict=False)),
    }
    if st.button(
        components.escape(robustness_text.describe_finding(finding)),
        key="_".join(("finding", finding.dataset, finding.measure, *finding.pair)),
        type="tertiary",
        icon=":material/arrow_forward:",
        on_click=_show_finding,
        args=(finding, parameters),
    ):
        clicks.go_to("pages/explore.py", parameters)


def _show_finding(finding: Finding, parameters: dict[str, str]) -> None:
    """Set page Explore to show a finding."""
    st.session_state.update(parameters, measure=finding.measure)
    group = list(finding.group)
    if group and session.selection().get("ids") != group:
        session.select("group", group)


def _changes(key: str, analysis: Comparison) -> Callable[[], None] | None:
    """Return a function that draws the verdict under alternative settings; None for tests on instances or no test."""
    if analysis.shape.over in ("cases", "benchmarks", "nothing"):
        return None

    def draw() -> None:
        """Draw the verdicts under alternative settings that change something, and the number of the others."""
        table = cache.cached_repeats(
            key, varied_verdicts.sensitivity, analysis, doing="Other settings ..."
        )
        shown = table.loc[table["changed"], ["setting", "changes", "verdict then"]].copy()
        shown.loc[shown["verdict then"] == verdict(analysis).headline, "verdict then"] = "no change"
        if len(shown):
            shown.columns = ["setting", "pairs that change", "new headline"]
            st.table(shown.map(components.escape), hide_index=True)
        if unchanged := varied_verdicts.describe_unchanged(
            table
        ):  # settings that change nothing are only counted
            components.caption(unchanged)
        st.caption(page_text("comparison_views.settings"))

    return draw


# label -> the two measures whose tests are compared, and the panels of each picture
COMPARED = {
    "error and AUC": ("error", "auc", ("error", "auc", "roc")),
    "error and AUC-PR": ("error", "auc_pr", ("error", "auc_pr", "pr")),
    "AUC and AUC-PR": ("auc", "auc_pr", ("pr", "roc", "auc_pr", "auc")),
    "error, AUC, curves": ("error", "auc", ("error", "auc", "points", "roc", "pr")),
}
CORRECTED = {label: key == "corrected" for key, label in OVERLAPS.items()}
LABELS = {"error": "error", "auc": "AUC", "auc_pr": "AUC-PR"}
AT_A_TIME = 4


def four_cases(context: Context) -> None:
    """Draw the two-by-two agreement of two tests, and the pairs with one outcome."""
    with components.row():
        first_measure, second_measure, panels = inputs.page_option(
            "Measures", "case", COMPARED, width=240
        )
        overlap = True
        if context.read.with_folds:
            overlap = inputs.page_option("Training-set overlap", "cases", CORRECTED, width=220)
    first_rule = Rule(
        measure=first_measure,
        alpha=context.settings.alpha,
        overlap=overlap,
        test="" if overlap else "paired t",
    )
    rules = (first_rule, replace(first_rule, measure=second_measure))
    names = (LABELS[first_measure], LABELS[second_measure])
    with components.refusing(page_text("comparison_views.not_comparable")):
        result = agreement_of(
            inputs.selection_key(context), *rules, inputs.selected_results(context)
        )
        components.show_table(
            robustness_tables.agreement_table(result, *(f"{name} test" for name in names))
        )
        for dataset, why in result.skipped.items():
            components.caption(page_text("comparison_views.left_out", dataset=dataset, why=why))
        _gallery(context, result, names, panels)


def _gallery(
    context: Context, result: Agreement, names: tuple[str, str], panels: tuple[str, ...]
) -> None:
    """Draw figures of the pairs with one outcome, a few per page, or a note if there is no pair."""
    cells = {cell: result.cell(first=cell[0], second=cell[1]) for cell in CELLS.values()}
    by_label = {f"{_case(names, *cell)} ({len(pairs):,})": pairs for cell, pairs in cells.items()}
    filled = [text for text, pairs in by_label.items() if len(pairs)]
    apart = [
        text
        for text, cell in zip(by_label, cells, strict=True)
        if cell[0] != cell[1] and len(cells[cell])
    ]
    if len(result.reversed):
        opposite = page_text("comparison_views.opposite", n=len(result.reversed))
        by_label[opposite] = result.reversed
        apart = [opposite]
    outcome = _choose_outcome(list(by_label), (apart or filled)[-1 if apart else 0], "which_case")
    pairs = by_label[outcome]
    if pairs.empty:
        st.caption("No pair.")
        return
    pages = -(-len(pairs) // AT_A_TIME)
    page = st.pagination(pages, key=f"page_{outcome}") or 1 if pages > 1 else 1
    for _, row in pairs.iloc[AT_A_TIME * (page - 1) : AT_A_TIME * page].iterrows():
        _card(context, row, names, panels)


def _case(names: tuple[str, str], first_rejects: bool, second_rejects: bool) -> str:
    verdicts = ["p ≤ α" if rejects else "p > α" for rejects in (first_rejects, second_rejects)]
    return f"{names[0]}: {verdicts[0]}, {names[1]}: {verdicts[1]}"


def _card(
    context: Context, row: pd.Series, names: tuple[str, str], panels: tuple[str, ...]
) -> None:
    first, second, dataset = row["first"], row["second"], row["dataset"]
    hues = components.palette(context.read.algorithms, context.highlight)
    with components.refusing(prefix=f"{first} and {second} on {dataset}: "):
        key = (
            inputs.selection_key(context),
            tuple(row.items()),
            names,
            panels,
            context.settings.alpha,
            *hues.items(),
        )
        components.show_figure(cached(key, partial(_drawing, context, row, names, panels, hues)))
        inputs.offer_pair([first, second], dataset)


@spec.cached_figure
def _drawing(
    context: Context,
    row: pd.Series,
    names: tuple[str, str],
    panels: tuple[str, ...],
    hues: dict[str, str],
) -> pair_panels.PairPanels:
    """Return the figure of one pair on one data set."""
    first, second, dataset, repetition = row[["first", "second", "dataset", "repetition"]]
    symbols = {name: MARKERS[i % len(MARKERS)] for i, name in enumerate(context.read.algorithms)}
    suffix = "" if repetition in ("all", "1") else f", repetition {repetition}"
    return pair_panels.PairPanels(
        name=f"case_{dataset}_{first}_{second}_{repetition}_{len(panels)}",
        title=f"{first} and {second} on {dataset}{suffix}",
        panels=_panels(context, row, names, panels),
        first=first,
        second=second,
        colours=hues,
        symbols_of=symbols,
    )


def _panels(
    context: Context, row: pd.Series, names: tuple[str, str], kinds: tuple[str, ...]
) -> list[pair_panels.Panel]:
    """Return the panels of one pair's figure."""
    two, dataset = [row["first"], row["second"]], row["dataset"]
    alpha = context.settings.alpha
    notes = {
        name: f"{p_phrase(row[p], alpha)}, {'' if significant(row[p], alpha) else 'not '}significant"
        for name, p in zip(names, ("p one", "p other"), strict=True)
    }
    panels: list[pair_panels.Panel] = []
    unit = resampling_unit(context.read.design_of(dataset))
    if context.read.design_of(dataset) == "single":  # a histogram needs more than one result
        kinds = tuple(dict.fromkeys([*(kind for kind in kinds if kind not in LABELS), "points"]))
    for kind in kinds:
        if kind in LABELS:
            values = _folds(context, dataset, kind, row["repetition"])[two]
            panels.append(
                pair_panels.HistogramPanel(
                    label=LABELS[kind], values=values, note=notes.get(LABELS[kind], ""), unit=unit
                )
            )
        elif kind == "points":
            panels.append(_points(context, dataset, row["repetition"], two))
        else:
            panels.append(_curves(context, dataset, kind, row["repetition"], two))
    return panels


def _folds(context: Context, dataset: str, measure: str, repetition: str) -> pd.DataFrame:
    """Return one measure on the folds of a data set, or of one of its repetitions, fold x algorithm."""
    matrix = inputs.selected_results(context).matrix(dataset, measure)
    if repetition != "all":
        matrix = matrix[matrix.index.get_level_values("repetition") == repetition]
    return spec.fold_labels(matrix)


def _points(context: Context, dataset: str, repetition: str, two: list[str]) -> pair_panels.Panel:
    """Return the scatter plot of two algorithms' folds on (fpr, tpr), with Gaussian contours."""
    rates = {m: _folds(context, dataset, m, repetition) for m in ("fpr", "tpr")}
    points = {n: pd.DataFrame({"x": rates["fpr"][n], "y": rates["tpr"][n]}) for n in two}
    rings = {
        name: ring
        for name, table in points.items()
        if (ring := pair_panels.gaussian_contours(table, list(rates))) is not None
    }
    return pair_panels.ScatterPanel(
        label="(fpr, tpr)",
        points=points,
        ellipses=rings,
        x_title="fpr",
        y_title="tpr",
        unit=resampling_unit(context.read.design_of(dataset)),
    )


def _curves(
    context: Context, dataset: str, kind: str, repetition: str, two: list[str]
) -> pair_panels.Panel:
    """Return the panel of ROC or precision-recall curves of two algorithms on a data set."""
    key = f"{context.read_key}/{dataset}"
    data = curves_of(key, dataset, context.read)
    paths = cached(key, roc.fold_paths, data, kind)
    averages = cached(
        key,
        curve_comparison.average_curves,
        data,
        kind,
        "vertical average",
        "one standard error",
        None,
    )
    fold_set = set(spec.fold_names(data.folds))
    if repetition != "all":
        fold_set = set(spec.fold_names(data.folds[data.folds["repetition"] == repetition]))
    titles = ("fpr", "tpr") if kind == "roc" else ("recall", "precision")
    return pair_panels.CurvePanel(
        label={"roc": "ROC", "pr": "PR"}[kind],
        folds={n: [c[["x", "y"]] for fold, c in paths[n].items() if fold in fold_set] for n in two},
        averages={n: averages[n][["x", "y"]] for n in two},
        x_title=titles[0],
        y_title=titles[1],
        unit=data.unit,
    )


RECOMMENDED_TEST = "recommended test"
CELLS = {
    "both significant": (True, True),
    "only the first": (True, False),
    "only the second": (False, True),
    "neither": (False, False),
}
ADJUSTMENTS = {"none": "none", "Holm": "holm", "Bonferroni": "bonferroni"}


def agreement_tab(context: Context, settings: Settings) -> None:
    """Draw the choice of two tests, their agreement, and the pairs in a cell."""
    results = context.results
    presets = results.measures.index(settings.measure), _another(results.measures, settings.measure)
    first_rule = _rule(results.measures, settings, "1", presets[0])
    second_rule = _rule(
        results.measures, settings, "2", presets[1], correction=presets[0] == presets[1]
    )
    with components.refusing(page_text("comparison_views.not_comparable")):
        result = agreement_of(
            inputs.selection_key(context), first_rule, second_rule, inputs.selected_results(context)
        )
        first, second = _name(first_rule, second_rule)
        components.show_table(robustness_tables.agreement_table(result, first, second))
        components.caption(*result.notes)
        if result.skipped:
            skipped = "  \n".join(f"{name}: {reason}" for name, reason in result.skipped.items())
            with st.expander(f"{format_count(len(result.skipped), 'data set')} left out"):
                components.caption(skipped)
        draw = partial(_pairs_with_outcome, result, first, second)
        components.in_expander("Pairs by test result", "agreement_pairs", draw)


def agreement_of(key: str, first_rule: Rule, second_rule: Rule, results: Results) -> Agreement:
    """Return the agreement of two tests; p-values are cached for all levels."""
    rules = (replace(rule, alpha=0.05) for rule in (first_rule, second_rule))
    counted = cache.cached_repeats(
        key, dataset_decisions.agreement, results, *rules, doing="Counting decisions ..."
    )
    return counted.at_level(first_rule.alpha, second_rule.alpha)


def _choose_outcome(labels: list[str], preset: str, key: str) -> str:
    """Draw a selector for a joint outcome of both tests; return its label."""
    outcome = st.segmented_control("Test results", labels, default=preset, key=key, required=True)
    return outcome if outcome in labels else preset


def _another(measures: tuple[str, ...], measure: str) -> int:
    """Return the index of a second measure: AUC, F, AUC-PR or any other; that of `measure` if there is none."""
    for name in ("auc", "f", "auc_pr", *measures):
        if name in measures and {name, measure} not in ({name}, {"error", "accuracy"}):
            return measures.index(name)
    return measures.index(measure)


def _rule(
    measures: tuple[str, ...],
    settings: Settings,
    position: str,
    preset: int,
    *,
    correction: bool = False,
) -> Rule:
    """Draw the selectboxes for one of two tests, at first with or without a correction; return the test as a rule."""
    with components.row():
        ordinal = {"1": "First", "2": "Second"}[position]
        names = inputs.display_names(measures)
        measure = st.selectbox(
            f"{ordinal} measure",
            measures,
            key=f"m{position}",
            width=170,
            index=preset,
            format_func=lambda name: names.get(name, name),
        )
        test = st.selectbox(
            f"{ordinal} test", (RECOMMENDED_TEST, TUKEY, *PAIR_TESTS), key=f"t{position}", width=200
        )
        adjustment = st.selectbox(
            f"{ordinal} correction",
            list(ADJUSTMENTS),
            key=f"c{position}",
            index=int(correction),
            width=150,
        )
    return Rule(
        measure=measure,
        test="" if test == RECOMMENDED_TEST else test,
        correction=ADJUSTMENTS[adjustment],
        alpha=settings.alpha,
        test_fraction=settings.test_fraction,
    )


def _name(first_rule: Rule, second_rule: Rule) -> tuple[str, str]:
    """Return names of two tests that state what distinguishes them."""
    names = []
    for rule in (first_rule, second_rule):
        correction = f"{rule.correction.title()} correction".replace("None", "no")
        named = {
            "measure": measure_name(rule.measure),
            "test": rule.test or RECOMMENDED_TEST,
            "correction": correction,
        }
        differing = [
            text
            for key, text in named.items()
            if getattr(first_rule, key) != getattr(second_rule, key)
        ]
        names.append(
            ", ".join(differing) or f"{measure_name(rule.measure)}, {rule.test or RECOMMENDED_TEST}"
        )
    return (names[0], names[1]) if names[0] != names[1] else (f"{names[0]} (1)", f"{names[1]} (2)")


def _pairs_with_outcome(result: Agreement, first: str, second: str) -> None:
    """Draw a table of the pairs with one joint outcome of both tests, or a note; a selected row gets a link."""
    cells = {
        name: result.cell(first=rejects[0], second=rejects[1]) for name, rejects in CELLS.items()
    }
    labels = {f"{name} ({len(pairs):,})": name for name, pairs in cells.items()}
    preset = list(labels)[list(CELLS).index("only the first")]
    pairs = cells[labels[_choose_outcome(list(labels), preset, "cell")]]
    if pairs.empty:
        st.caption("No pair.")
        return
    pairs = _page(pairs)
    table = pairs[["dataset", "repetition", "first", "second", "p one", "p other"]]
    table = table.set_axis(
        ["data set", "repetition", *pair_heads(), f"p ({first})", f"p ({second})"], axis=1
    )
    write = partial(p_text, alpha=None)
    event = st.dataframe(
        table.style.format(dict.fromkeys(table.columns[4:], write)),
        hide_index=True,
        height=min(420, 40 + 35 * len(table)),
        on_select="rerun",
        selection_mode="single-row",
        key="cell_pairs",
    )
    rows = event.selection.rows
    if rows and rows[0] < len(pairs):
        row = pairs.iloc[rows[0]]
        inputs.offer_pair([row["first"], row["second"]], row["dataset"])
    else:
        st.caption(page_text("comparison_views.select_row"))


def _page(pairs: pd.DataFrame) -> pd.DataFrame:
    """Draw a page-number widget if needed, and return that page of the pairs."""
    step = components.CELLS_SHOWN // pairs.shape[1]
    if len(pairs) <= step:
        return pairs
    n_pages = -(-len(pairs) // step)
    start = step * (min(st.pagination(n_pages, key="page_cell_pairs") or 1, n_pages) - 1)
    st.caption(f"Rows {start + 1:,} to {min(start + step, len(pairs)):,} of {len(pairs):,}")
    return pairs.iloc[start : start + step]


def curves_of(key: str, dataset: str, read: Results) -> DataCurves:
    """Return the curves of a data set; cached."""
    return cache.cached_instances(
        key, curve_comparison.curves_of_folds, read, dataset, doing="Drawing curves ..."
    )
