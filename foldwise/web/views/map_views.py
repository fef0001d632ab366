"""The map: the scenarios and cases of the papers, where these results lie, and the ways there."""

import streamlit as st

from foldwise.web import components, inputs, session
from foldwise.web.address import ALL_SETS
from foldwise.web.page_availability import unfit_pages
from stats_core.comparison.plan import Cell, map_of_cases

ROWS = {
    (False, False): "One measure",
    (True, False): "Several measures together",
    (True, True): "Several measures at many thresholds",
}
COLUMNS = {
    (False, False): "Two algorithms, one data set",
    (True, False): "Several algorithms, one data set",
    (False, True): "Two algorithms, several data sets",
    (True, True): "Several algorithms, several data sets",
}
OVER = {"mtab": "Over data sets"}
SWEEP = {"ctab": "Thresholds and losses"}


def draw_map(context: session.Context) -> None:
    """Draw the map as cards, the one of the open results marked, each with the way to its page."""
    unfit = unfit_pages(context)
    results = None if context.results is None else inputs.kept_input(context)
    place = ()
    if results is not None and len(results.algorithms) > 1:
        place = (len(results.algorithms) > 2, results.n_datasets > 1)
        st.markdown(f"These results: **{COLUMNS[place].lower()}**.")
    cells = {(c.multivariate, c.thresholds, c.several, c.many): c for c in map_of_cases()}
    for row, title in ROWS.items():
        st.markdown(f"## {title}")
        for column, (which, words) in zip(st.columns(len(COLUMNS)), COLUMNS.items(), strict=True):
            if row == (True, True) and not cells[*row, *which].case:
                continue  # of these the papers have one only
            with column:
                here = which == place and row == (False, False)
                _card(cells[*row, *which], words, unfit, context, here=here)
    st.caption(
        "Scenarios: Irsoy, Yildiz and Alpaydin 2012, Table II. Cases: Aslan 2009, Figure 7.1. These are "
        "the tests of the papers; each page says which it takes for your results, and why. What holds for "
        "several holds for a part of them: leave algorithms or data sets out in the sidebar."
    )


def _card(
    cell: Cell, words: str, unfit: frozenset[str], context: session.Context, *, here: bool
) -> None:
    with st.container(border=True, height="stretch"):
        if here:
            st.badge("You are here", color="blue")
        st.markdown(f"**{words}**")
        for said in filter(None, (cell.scenario, cell.case)):
            st.caption(components.escape(said))
        if not cell.scenario and not cell.case:
            st.caption("In neither paper.")
        page, label, where = _way(cell, context)
        if page in unfit or context.results is None:
            st.caption(f"{label} needs other results.")
        else:
            st.page_link(f"pages/{page}.py", label=label, query_params=where)


def _way(cell: Cell, context: session.Context) -> tuple[str, str, dict[str, str]]:
    """Return the page about a cell, what it is called, and what is set there."""
    if cell.thresholds:
        return "curves", "Curves", SWEEP
    who = {"who": "all" if cell.several else "two"}
    if cell.multivariate:
        return "multivariate", "Multivariate", who | (OVER if cell.many else {})
    if cell.several:
        one = ("one_data_set", "One data set", {})
        return ("many_data_sets", "Many data sets", {}) if cell.many else one
    if cell.many:
        return "pair", "Pair", {"ds": ALL_SETS}
    folds = () if context.results is None else inputs.kept_input(context).with_folds
    return "pair", "Pair", {"ds": folds[0]} if folds else {}
