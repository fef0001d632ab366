"""Many data sets: which algorithms differ in general."""

from dataclasses import replace

import streamlit as st

from stats_core.analyse import SOURCES, RanksAnalysis, TwoAnalysis
from stats_core.errors import FoldwiseError
from stats_core.wording import count, number, p_text
from ui import cached, show, state, views

context = state.context()
show.banner()
st.title("Many data sets")

if context.results is None:
    show.refusal("This page needs results.", "No file is open, or it could not be read.")
    st.stop()

settings = context.settings
several = len(context.results.algorithms) - len(settings.without_algorithms) > 2


def source_setting() -> str:
    """Ask where the pairs' p-values come from."""
    return st.selectbox(
        "p-values from",
        list(SOURCES),
        format_func=SOURCES.get,
        key="source",
        bind="query-params",
        persist_state="session",
    )


# The setting stands under the verdict, so its value is read before it is drawn.
source = st.session_state.get("source", "ranks") if several else "ranks"
if source != "ranks" and settings.correction == "nemenyi":
    settings = replace(settings, correction="holm")
    st.caption(
        "Nemenyi needs p-values from average ranks; Holm is used while they come from "
        f"{SOURCES[source]}."
    )
settings = replace(settings, source=source)

try:
    analysis = cached.analysis(context.key, settings, context.results)
except FoldwiseError as error:
    show.refusal("The comparison cannot run yet.", str(error))
    st.stop()

if not isinstance(analysis, RanksAnalysis | TwoAnalysis):
    sets, names = analysis.results.datasets, analysis.results.algorithms
    if len(sets) < 2:
        must = "This page needs at least two data sets."
        arrived = f"{analysis.results.source} has one ({', '.join(sets)})."
    else:
        must = "This page needs at least two algorithms."
        arrived = f"{analysis.results.source} has one ({', '.join(names)})."
    show.refusal(must, arrived, sample=cached.catalogue()[0]["file"])
    st.stop()

show.verdict_card(
    cached.words(context.key, analysis.settings, analysis),
    analysis.advice,
    {"pages/overview.py": "Overview"},
)

if isinstance(analysis, TwoAnalysis):
    differences, scatter = st.tabs(
        ["Differences", "One against the other"], key="two", on_change="rerun", bind="query-params"
    )
    if differences.open:
        with differences:
            views.difference_figure(analysis)
            test, sign = analysis.wilcoxon, analysis.sign
            st.markdown(
                f"Wilcoxon: W+ {number(test.w_plus, 1)}, W- {number(test.w_minus, 1)}, "
                f"p {p_text(test.pvalue, settings.alpha)}; rank-biserial correlation "
                f"{number(test.rank_biserial)}. Sign test: wins {sign.wins}, ties {sign.ties}, "
                f"losses {sign.losses}, p {p_text(sign.pvalue, settings.alpha)}."
            )
            st.caption(show.escape(f"{test.method}; {sign.method}."))
            views.differences_table(analysis)
    if scatter.open:
        with scatter:
            views.scatter_figure(analysis)
    st.stop()

diagram, pairs, ranks = st.tabs(
    ["Diagram", "Pairs", "Ranks by data set"], key="tab", on_change="rerun", bind="query-params"
)
if diagram.open:
    with diagram:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            source_setting()
            form = st.selectbox(
                "Form",
                ["automatic", "diagram", "list"],
                key="form",
                bind="query-params",
                persist_state="session",
            )
            best = st.selectbox(
                "Best on the",
                ["left", "right"],
                key="best",
                bind="query-params",
                persist_state="session",
            )
        show.selection_chip()
        views.cd_figure(analysis, context.highlight, form=form, best=best)
        views.omnibus_lines(analysis)
if pairs.open:
    with pairs:
        show.selection_chip()
        views.pairs_table(analysis)
        views.matrix_figure(analysis)
if ranks.open:
    with ranks:
        views.rank_figure(analysis)
        views.scores_table(analysis)
