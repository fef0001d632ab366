"""Layout of all pages: CSS, sign-in, loading of results, sidebar, URL parameters."""

from importlib.util import find_spec
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from foldwise.figures import confusion, theme
from foldwise.web import browser, cache, choices, components, inputs, session
from foldwise.web.cache import cached
from foldwise.web.job_queue import JobCancelled
from foldwise.web.settings_registry import BASELINE, HOLES
from foldwise.web.texts import page_text
from foldwise.web.views import start_views, upload_views
from stats_core.comparison.kinds import instances
from stats_core.core.errors import FoldwiseError, InternalError, error_boundary
from stats_core.core.messages import message
from stats_core.curves import thresholds
from stats_core.data.missing import count_missing
from stats_core.data.published import DECISIONS
from stats_core.data.results import Results
from stats_core.data.settings import select
from stats_core.inference.pairwise import resolve_missing

NEEDS_RESULTS = ("Results", "Compare", "Explore", "Trade-offs", "Plan", "Export")
CHOSEN_TEXT = ("#005E94", "#6DB3E8")  # on a light and on a dark page
_SCRIPT = Path(__file__).with_name("figures.js").read_text(encoding="utf-8")
_CSS = Path(__file__).with_name("page.css").read_text(encoding="utf-8")


def page_css() -> str:
    """Return the CSS rules of all pages."""
    light, dark = theme.screen(), theme.screen(dark=True)
    colours = {
        "chosen": CHOSEN_TEXT,
        "second": (light.second, dark.second),
        "page": (light.page, dark.page),
    }
    roles = " ".join(f"--{role}: light-dark({', '.join(pair)});" for role, pair in colours.items())
    # popovers are outside the part of the page to which Streamlit gives a colour scheme
    return (
        f":root {{ color-scheme: {'dark' if components.is_dark() else 'light'}; {roles} }} {_CSS}"
    )


# The provider redirects to the first page: session storage keeps the address requested.
_LEAVE = "sessionStorage.setItem('foldwise', location.href)"
_RETURN = Path(__file__).with_name("sign_in.js").read_text(encoding="utf-8")


def require_sign_in() -> None:
    """Draw the sign-in page and stop, if sign-in is required; afterwards return to the requested URL."""
    if "is_logged_in" not in st.user:  # no sign-in is configured
        return
    if not st.user["is_logged_in"]:
        if find_spec("authlib") is None:
            st.error(page_text("layout.login_package"))
            st.stop()
        st.markdown(page_text("layout.sign_in"))
        st.button("Sign in", type="primary", icon=":material/login:", on_click=st.login)
        st.html(f"<script>{_LEAVE}</script>", unsafe_allow_javascript=True)
        st.stop()
    if session.LINK not in st.session_state or session.UNWARNED in st.session_state:
        st.html(f"<script>{_RETURN}</script>", unsafe_allow_javascript=True)


def signed_in() -> None:
    """Draw the signed-in user and a sign-out button in the sidebar; nothing without sign-in."""
    if not st.user.get("is_logged_in"):
        return
    user = st.user.get("email") or st.user.get("name") or st.user.get("sub")
    with st.sidebar.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"Signed in as {components.escape(str(user))}", width="content")
        st.button("Sign out", type="tertiary", on_click=st.logout, key="sign_out")


def unfit_pages(context: session.RunContext) -> frozenset[str]:
    """Return the names of pages that do not apply to the open results; none without results."""
    if not isinstance(context, session.Context):
        return frozenset()
    results = inputs.selected_results(context)
    published, two = results.published, len(results.algorithms) > 1
    has_results = published is None
    fit = {
        "compare": has_results and two and _can_compare(results),
        "explore": has_results and _can_explore(context, results),
        "tradeoffs": two
        and (published is None or (published.what == DECISIONS and published.sided)),
        "plan": has_results and two,
    }
    return frozenset(page for page, fits in fit.items() if not fits)


def _can_compare(results: Results) -> bool:
    """Return whether pairs differ on data sets, folds or instances."""
    return (
        len(results.datasets) > 1
        or bool(results.with_folds)
        or any(instances.can_test_cases(results, name) for name in results.datasets)
    )


def _can_explore(context: session.Context, results: Results) -> bool:
    """Return whether there are folds, scores, confusion matrices or instances to explore."""
    return bool(
        results.with_folds
        or not thresholds.needs_scores(context.read)
        or confusion.datasets_with_confusion(context.read)
        or inputs.datasets_with_items(results, context.settings.measure)
    )


def draw_page(page: StreamlitPage) -> None:
    """Draw a page with all around it; an unexpected error is logged, and drawn as a sentence.

    The visitor can then return, or open other files.
    """
    try:
        with error_boundary("This page"):
            try:
                _prepare_page(page.title)
                _run_page(page)
            except FoldwiseError as error:  # no part of the page expects it
                raise RuntimeError(str(error)) from error
    except InternalError as error:
        components.alert(error)
        if st.session_state.get(session.PREVIOUS):
            st.button("Back", key="after_error", on_click=session.back_to_previous)
        st.page_link("pages/data.py", label="Open other results")


def _prepare_page(title: str) -> None:
    """Load the open results, draw the sidebar, and set the context of the page."""
    require_sign_in()
    cache.begin_run()
    first_run = session.LINK not in st.session_state
    st.session_state.update(st.session_state.pop(session.NEXT, {}))
    if title == "Compare":
        session.mark_chosen_pair()
    else:
        session.unmark_pair()
    if first_run:
        choices.open_address()
        st.session_state[session.UNWARNED] = True  # until a run is not repeated by `_hide_pages`
    else:
        choices.follow_history()
    st.html(f"<style>{page_css()}</style>")
    with st.container(key="figures_script"):  # keeps the zoom of figures across reruns
        browser.follow_theme()
        st.html(f"<script>{_SCRIPT}</script>", unsafe_allow_javascript=True)
    with st.sidebar:
        components.sample_banner()
    sources = session.open_files()
    key = session.digest(sources)
    if not first_run:
        choices.record_choices(key)
        choices.write_address(key)  # reading may take long, and the page may be reloaded meanwhile
    try:
        mapping = choices.known_mapping(key)
        read = cache.read_uploads(key, mapping, sources) if sources else None
    except FoldwiseError as error:
        session.set_context(session.RunContext(source_key=key, error=error))
        choices.write_address(key)
        choices.record_choices(key)
        return
    if read is None:
        session.set_context(session.RunContext())
        _hide_pages(frozenset({"compare", "explore", "tradeoffs", "plan", "export"}))
        if st.session_state.pop(session.UNWARNED, False) or choices.is_link_unavailable():
            choices.warn_of_lost_results()
        choices.write_address(key)
        return
    as_read = (
        f"{key}/{hash(mapping) if mapping else ''}"  # key of the files under their column mapping
    )
    named, read = choices.apply_display_names(as_read, read)
    for note in read.notes:
        if note.code == "areas below chance":  # they reverse every verdict
            components.warn(message(note.code, mean=note["mean"], where="on Data"))
    read_key, raw_key, raw = _at_threshold(as_read + named, read)
    slot = st.sidebar.container()
    fields = {
        "source_key": key,
        "read_key": read_key,
        "read": read,
        **inputs.sidebar(raw, slot, title),
    }
    _set_context(raw_key, raw, slot, fields)
    _hide_pages(unfit_pages(session.context()))
    choices.write_address(key)
    choices.record_choices(key)
    st.session_state[session.WARNED] = st.session_state.pop(session.UNWARNED, False)
    if st.session_state[session.WARNED]:
        choices.warn_of_lost_parameters(raw, fields["settings"])


def _hide_pages(pages: frozenset[str]) -> None:
    """Hide these pages in the navigation; rerun the app if other pages were hidden before."""
    if pages != st.session_state.get(session.HIDDEN_PAGES, frozenset()):
        st.session_state[session.HIDDEN_PAGES] = pages
        st.rerun()


def _run_page(page: StreamlitPage) -> None:
    """Run a page; or instead the start screen, or a question about the open files.

    A long computation that ended without a result is reported.
    """
    context = session.context()
    signed_in()
    try:
        if not isinstance(context, session.Context) and page.title in NEEDS_RESULTS:
            if context.error:
                upload_views.question(context, title=", ".join(session.file_names()))
            else:
                start_views.start()
            return
        if page.title != "Results":
            st.title(page.title)
        page.run()
        if page.title in NEEDS_RESULTS:
            components.selection_chip()
    except JobCancelled as why:
        if page.title == "Results":
            st.title(page.title)
        components.show_refusal(page_text("layout.no_result"), why)


def _at_threshold(read_key: str, read: Results) -> tuple[str, str, Results]:
    """Return the cache keys of results as read and at the user's score threshold, if any, and the results at it."""
    theta, scale = inputs.current_threshold(read)
    if theta is None:
        return read_key, read_key, read
    raw_key = f"{read_key}/{theta}/{scale}"
    return read_key, raw_key, cached(raw_key, thresholds.at_threshold, read, theta, scale)


def _set_context(results_key: str, raw: Results, slot: DeltaGenerator, fields: dict) -> None:
    """Treat missing results and set the context of the page."""
    raw_key, settings = results_key, fields["settings"]
    selected = cached(inputs.key_without(raw_key, settings), select, raw, settings)
    missing = count_missing(selected, settings.measure)
    choice = st.session_state.get(HOLES, "") if missing else ""
    baseline = st.session_state.get(BASELINE, "") if choice == "baseline" else ""
    if choice == "baseline" and not baseline:
        choice = ""
    results, error = raw, None
    if choice:
        results_key = inputs.key_without(f"{raw_key}/{choice}/{baseline}", settings)
        try:
            key = f"{results_key}/{settings.measure}"
            results = cached(
                key, resolve_missing, raw, settings, session.HOLE_CHOICES[choice], baseline
            )
        except FoldwiseError as problem:
            results, error, choice = raw, problem, ""
        results_key = f"{results_key}/{settings.measure}"
    are_averaged = bool(missing) and not choice and error is None and selected.runs_differ
    if are_averaged:  # every page compares averages of runs, so no run is missing
        results_key = f"{raw_key}/averaged runs"
        results = cached(results_key, raw.over_instances)
    else:
        inputs.say_missing(slot, missing, choice)
    session.set_context(
        session.Context(
            **fields,
            raw_key=raw_key,
            key=results_key,
            raw=raw,
            results=results,
            undecided=missing if missing and not (choice or are_averaged) else None,
            error=error,
        )
    )
