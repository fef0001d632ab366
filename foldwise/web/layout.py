"""Layout of all pages: CSS, sign-in, loading of the open results, sidebar, and the address."""

from importlib.util import find_spec

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from foldwise.figures.theme import screen
from foldwise.web import cached_calls, choice_history, components, display_names, inputs, session, sidebar
from foldwise.web.job_queue import JobCancelled
from foldwise.web.session_cache import begin_run
from foldwise.web.settings_registry import ASKED_THETA, BASELINE, ELSEWHERE, HOLES, PRIOR, RECOMMENDED, RENAMED, SHORT
from stats_core.comparison.kinds.instances import can_test_cases
from stats_core.core.errors import FoldwiseError
from stats_core.core.messages import message
from stats_core.curves.thresholds import needs_scores
from stats_core.data.missing import count_holes
from stats_core.data.published import DECISIONS
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.corrections import CORRECTIONS
from stats_core.io.mapping import Mapping

# Streamlit shows selected options in the primary colour, often on a tint of it, and captions at an
# opacity of 0.6: contrasts below 4.5 to 1. These colours meet that contrast.
CHOSEN = (
    "button:is([data-variant=segmented_control], [data-variant=pills])"
    "[data-selected=true]:not([data-disabled]), [data-testid=stTab][aria-selected=true] p, "
    "[data-testid=stSliderThumbValue] p"
)
CHOSEN_TEXT = {True: "#6DB3E8", False: "#005E94"}  # key: whether the theme is dark
# Streamlit's greens and greys in code lack contrast: keywords and functions get one colour,
# everything else the text colour.
CODE = (
    "[data-testid=stCode] .token.token.token {{ color: {rest}; }} "
    "[data-testid=stCode] .token.token.token.token:is(.keyword, .function) {{ color: {words}; }}"
)
# Titles of figures are headings of level 2, with less space than Streamlit gives them.
HEADINGS = "[data-testid=stMarkdownContainer] h2 { padding: 0.25rem 0 0.5rem; }"
# Less space around verdict and tabs, so that the first figure is visible without scrolling.
CLOSER = ".st-key-verdict { padding-top: 0.5rem; padding-bottom: 0; } [role=tabpanel] { padding-top: 0.25rem; }"
FINDINGS = '[class*="st-key-finding_"] button { justify-content: flex-start; text-align: left; }'
SCRIPT = ".st-key-figures_script { display: none; }"  # invisible, without a gap
# Streamlit reserves 200 px beside the navigation, which hides pages in a menu in narrow windows;
# its page margins are too wide for tables there.
BAR = (
    "@media (max-width: 1200px) { "
    '[data-testid="stTopNav"] + div { min-width: 3rem; } '
    '[data-testid="stTopNav"] { padding-left: 8px; padding-right: 8px; } '
    '[data-testid="stTopNavLink"] { padding-left: 4px; padding-right: 4px; } } '
    "@media (min-width: 768px) and (max-width: 1200px) { "
    "[data-testid=stMainBlockContainer] { padding-left: 2rem; padding-right: 2rem; } } "
    '[data-testid="stPageLink-NavLink"] * { white-space: normal; }'
)
# In narrow windows, panels side by side scroll horizontally instead of shrinking, as tables do;
# a note says so, since browsers hide scroll bars.
PANELS = '[class*="st-key-figure_"]:is([class*="_panels"], [class*="figure_distances"])'
MORE = "::before {{ content: '{}'; position: sticky; left: 0; font-size: 0.8125rem; opacity: 0.85; }}"
PANELS_MORE = MORE.format("Scroll to the right for more.")
COLUMNS_MORE = MORE.format("Scroll to the right for more columns.")
NARROW = (
    f"@media (max-width: 640px) {{ {PANELS} {{ overflow-x: auto; }} {PANELS} > div {{ min-width: 560px; }} "
    f"{PANELS}{PANELS_MORE} [class*=st-key-some_columns]{COLUMNS_MORE} }} "
    f"@media (max-width: 1100px) {{ [class*=st-key-many_columns]{COLUMNS_MORE} }}"
)


def page_css(dark: bool) -> str:
    """Return the CSS rules of all pages for the light or the dark theme."""
    return " ".join(
        [
            f"{CHOSEN} {{ color: {CHOSEN_TEXT[dark]}; }}",
            CODE.format(rest=screen(dark).second, words=CHOSEN_TEXT[dark]),
            f"[data-testid=stCaptionContainer] {{ color: {screen(dark).second}; opacity: 1; }}",
            *(HEADINGS, CLOSER, FINDINGS, SCRIPT, BAR, NARROW),
        ]
    )


# The provider redirects to the first page: session storage keeps the address requested.
_LEAVE = "<script>sessionStorage.setItem('foldwise', location.pathname + location.search)</script>"
_RETURN = """<script>
const asked = sessionStorage.getItem('foldwise')
sessionStorage.removeItem('foldwise')
if (asked && asked !== location.pathname + location.search) location.replace(asked)
</script>"""


def require_sign_in() -> None:
    """Draw the sign-in page if needed, and return to the requested address afterwards."""
    if "is_logged_in" not in st.user:  # no sign-in is configured
        return
    if not st.user["is_logged_in"]:
        if find_spec("authlib") is None:
            st.error("Sign-in needs an additional package. On the server, install foldwise[login].")
            st.stop()
        st.markdown("Sign in to upload results and to open your workspaces.")
        st.button("Sign in", type="primary", icon=":material/login:", on_click=st.login)
        st.html(_LEAVE, unsafe_allow_javascript=True)
        st.stop()
    if session.LINK not in st.session_state:
        st.html(_RETURN, unsafe_allow_javascript=True)


def signed_in() -> None:
    """Draw the signed-in user and a sign-out button in the sidebar."""
    if not st.user.get("is_logged_in"):
        return
    user = st.user.get("email") or st.user.get("name") or st.user.get("sub")
    with st.sidebar.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"Signed in as {components.escape(str(user))}", width="content")
        st.button("Sign out", type="tertiary", on_click=st.logout, key="sign_out")


def unfit_pages(context: session.Context) -> frozenset[str]:
    """Return the pages, by file name, that do not apply to the open results."""
    if context.read is None or context.results is None:
        return frozenset()
    results = inputs.kept_input(context)
    published, two = results.published, len(results.algorithms) > 1
    has_results, folds = published is None, bool(results.with_folds)
    several_datasets = len(results.datasets) > 1
    fit = {
        "pair": has_results
        and two
        and (several_datasets or folds or any(can_test_cases(results, name) for name in results.datasets)),
        "one_data_set": has_results and folds,
        "multivariate": has_results and folds and inputs.several_measures(results),
        "curves": has_results and not needs_scores(context.read),
        "many_data_sets": has_results and several_datasets and two,
        "ordering": two and (published is None or (published.what == DECISIONS and published.sided)),
    }
    return frozenset(page for page, fits in fit.items() if not fits)


def mark_unavailable_pages(pages: frozenset[str]) -> str:
    """Return the CSS that marks these pages in the navigation, also for screen readers.

    Examples
    --------
    >>> mark_unavailable_pages(frozenset())
    ''
    """
    if not pages:
        return ""
    links = ", ".join(f'[data-testid="stTopNavLink"][href$="/{page}"]' for page in sorted(pages))
    markers = ", ".join(f'[data-testid="stTopNavLink"][href$="/{page}"]::after' for page in sorted(pages))
    return (
        f"{links} {{ position: relative; font-style: italic; }} "
        f"{markers} {{ content: '\N{CIRCLED DIVISION SLASH}' / ' (needs other results)'; "
        "position: absolute; top: 0; right: -2px; font-size: 10px; }"
    )


def prepare_page(banner: DeltaGenerator, title: str) -> None:
    """Load the open results, draw banner and sidebar, and set the context of the page."""
    require_sign_in()
    begin_run()
    first_run = session.LINK not in st.session_state
    st.session_state.update(st.session_state.pop(session.NEXT, {}))
    st.session_state[session.CHIP] = False
    if first_run:
        _open_link()
    st.html(f"<style>{page_css(components.is_dark())}</style>")
    components.figures_script()
    with banner:
        components.sample_banner(title)
    sources = session.uploads() or cached_calls.open_sample()
    key = cached_calls.digest(sources)
    if not first_run:
        choice_history.record_choices(key)
    try:
        read = cached_calls.read_uploads(key, known_mapping(key), sources) if sources else None
    except FoldwiseError as error:
        session.set_context(session.Context(source_key=key, error=error))
        _write_address(key)
        choice_history.record_choices(key)
        return
    if read is None:
        session.set_context(session.Context())
        return
    as_read = _read_key(key)
    named, read = display_names.apply_display_names(as_read, read)
    for note in read.notes:
        if note.code == "areas below chance":  # they reverse every verdict
            warning = message(note.code, mean=note["mean"], where="on Data")
            st.warning(components.escape(str(warning)), icon=":material/warning:")
    read_key, raw_key, raw = _at_threshold(as_read + named, read)
    slot = st.sidebar.container()
    settings, highlight, tests = sidebar.sidebar(raw, slot, title)
    fields = {"source_key": key, "read_key": read_key, "read": read, "highlight": highlight}
    fields["tests"] = tests
    _set_context(raw_key, raw, settings, slot, fields)
    if marked := mark_unavailable_pages(unfit_pages(session.context())):
        st.html(f"<style>{marked}</style>")
    signed_in()
    _write_address(key)
    choice_history.record_choices(key)
    if first_run:
        _say_what_the_link_lost(raw, settings)


def run_page(page: StreamlitPage) -> None:
    """Run a page; report a long computation that ended without a result."""
    try:
        page.run()
    except JobCancelled as why:
        components.show_refusal("There is no result yet.", why)


def _read_key(key: str) -> str:
    """Return the cache key of the files and the mapping of their columns."""
    mapping = known_mapping(key)
    return f"{key}/{hash(mapping) if mapping else ''}"


def _at_threshold(read_key: str, read: Results) -> tuple[str, str, Results]:
    """Apply the threshold on scores set by the user; return the cache keys and the results."""
    theta, scale = inputs.current_threshold(read)
    if theta is None:
        return read_key, read_key, read
    raw_key = f"{read_key}/{theta}/{scale}"
    return read_key, raw_key, cached_calls.at_threshold(raw_key, theta, scale, read)


def _set_context(results_key: str, raw: Results, settings: Settings, slot: DeltaGenerator, fields: dict) -> None:
    """Apply the treatment of missing results and set the context of the page."""
    raw_key = results_key
    selected = cached_calls.kept(inputs.key_without(raw_key, settings), settings, raw)
    holes = count_holes(selected, settings.measure)
    choice = st.session_state.get(HOLES, "") if holes else ""
    baseline = st.session_state.get(BASELINE, "") if choice == "baseline" else ""
    if choice == "baseline" and not baseline:
        choice = ""
    results, error = raw, None
    if choice:
        results_key = inputs.key_without(f"{raw_key}/{choice}/{baseline}", settings)
        arguments = (settings, session.HOLE_CHOICES[choice], baseline)
        try:
            results = cached_calls.decided(f"{results_key}/{settings.measure}", *arguments, raw)
        except FoldwiseError as problem:
            results, error, choice = raw, problem, ""
        results_key = f"{results_key}/{settings.measure}"
    sidebar.say_missing(slot, holes, choice)
    session.set_context(
        session.Context(
            **fields,
            raw_key=raw_key,
            key=results_key,
            raw=raw,
            results=results,
            undecided=holes if holes and not choice else None,
            settings=settings,
            error=error,
        )
    )


def known_mapping(key: str) -> Mapping | None:
    """Return the mapping of columns set by the user or given in the catalogue."""
    by_user = session.mapping(key)
    sample = st.session_state.get(session.SAMPLE, "")
    if by_user is not None or not sample:
        return by_user
    measure = next(row["measure"] for row in cached_calls.catalogue() if row["file"] == sample)
    return Mapping(measure_name=measure)


def _open_link() -> None:
    """Restore the choices in the address that are not bound to widgets."""
    parameters = st.query_params.to_dict()
    st.session_state[session.LINK] = {name: st.query_params.get_all(name) for name in parameters}
    renamed = {name: RENAMED[value] for name, value in parameters.items() if value in RENAMED}
    for name, value in renamed.items():
        parameters[name] = st.query_params[name] = st.session_state[name] = value
    samples = {row["file"] for row in cached_calls.catalogue()}
    sample = parameters.get("sample", "")
    sample_exists = sample in samples
    token = parameters.get("w") or parameters.get("v", "")
    opened = bool(token) and choice_history.open_link(token)
    if sample_exists or not opened:
        st.session_state[session.SAMPLE] = sample if sample_exists else cached_calls.first_sample()
    if parameters.get("holes") in session.HOLE_CHOICES:
        st.session_state[HOLES] = parameters["holes"]
        st.session_state[BASELINE] = parameters.get("baseline", "")
    if parameters.get("prior"):
        st.session_state[PRIOR] = tuple(st.query_params.get_all("prior"))
    display_names.open_link(parameters.get("short", ""), st.query_params.get_all("rename"))
    _open_level(parameters.get("alpha", ""))
    _open_theta(parameters.get("theta", ""))
    if parameters.get("ocost"):  # for pages that do not draw the widget
        st.session_state["ocost"] = parameters["ocost"]
    if parameters.get(ELSEWHERE) == "true":
        st.session_state[ELSEWHERE] = True


def _open_level(text: str) -> None:
    """Set any level from a link: `alpha=0.03` selects "other" with 0.03."""
    try:
        level = float(text)
    except ValueError:
        return
    options = {float(option): option for option in sidebar.LEVELS[:-1]}
    if level in options:
        st.session_state["alpha"] = options[level]
    elif 0.0001 <= level <= 0.5:
        st.session_state["alpha"] = "other"
        st.session_state["level"] = level


def _open_theta(text: str) -> None:
    """Set the threshold from a link, also on pages without the slider."""
    try:
        theta = float(text)
    except ValueError:
        return
    if 0 <= theta <= 1:
        st.session_state[ASKED_THETA] = round(theta, 2)


def _write_address(key: str) -> None:
    """Write the parameters that identify the results; changing pages drops unbound ones."""
    sample, workspace = st.session_state.get(session.SAMPLE, ""), choice_history.workspace()
    values = {
        "sample": sample if sample != cached_calls.first_sample() else "",
        "src": "" if sample or workspace else key[:12],
        "w": workspace.link if workspace else "",
        "v": workspace.view if workspace and not workspace.link else "",
        "holes": st.session_state.get(HOLES, ""),
        "short": "1" if st.session_state.get(SHORT) else "",
        "baseline": st.session_state.get(BASELINE, ""),
    }
    for name, value in values.items():
        if value and st.query_params.get(name) != value:
            st.query_params[name] = value
        elif not value and name in st.query_params:
            del st.query_params[name]
    prior = list(st.session_state.get(PRIOR, ()))
    if prior and st.query_params.get_all("prior") != prior:
        st.query_params["prior"] = prior
    typed = display_names.names_for_link()
    if typed and st.query_params.get_all("rename") != typed:
        st.query_params["rename"] = typed
    elif not typed and "rename" in st.query_params:
        del st.query_params["rename"]


def _say_what_the_link_lost(results: Results, settings: Settings) -> None:
    """Warn about parameters of the link that could not be applied."""
    parameters = {name: values for name, values in st.session_state[session.LINK].items() if values}
    lost = [
        *_lost_results(parameters),
        *_lost_names(parameters, "out", results.algorithms, "algorithm"),
        *_lost_names(parameters, "hi", results.algorithms, "algorithm"),
        *_lost_names(parameters, "outset", results.datasets, "data set"),
        *_lost_names(parameters, "only", sidebar.groups_to_choose(results), "group"),
        *_lost_names(parameters, "measure", results.measures, "measure"),
        *_lost_names(parameters, "correction", (RECOMMENDED, *CORRECTIONS.values()), "correction"),
        *_lost_names(parameters, "control", results.algorithms, "algorithm"),
    ]
    if "alpha" in parameters and parameters["alpha"][0] != "other" and not _same_level(parameters, settings):
        lost.append(
            f'The significance level "{parameters["alpha"][0]}" in the link is not between 0.0001 and '
            f"0.5. Foldwise uses {settings.alpha:g}."
        )
    for sentence in lost:
        st.warning(components.escape(sentence), icon=":material/warning:")


def _lost_results(parameters: dict[str, list[str]]) -> list[str]:
    if {"w", "v"} & set(parameters) and choice_history.workspace() is None:
        return [choice_history.GONE]
    if "src" in parameters and not session.uploads():
        return [
            f"The file of this link is not on the server ({parameters['src'][0]}). Upload the file on "
            "Data to see the same view."
        ]
    if "sample" in parameters and parameters["sample"][0] != st.session_state[session.SAMPLE]:
        return [f'The example "{parameters["sample"][0]}" in the link does not exist.']
    return []


def _lost_names(parameters: dict, parameter: str, existing, noun: str) -> list[str]:
    return [
        f'The {noun} "{name}" in the link is not in these results, and was ignored.'
        for name in parameters.get(parameter, [])
        if name not in existing
    ]


def _same_level(parameters: dict[str, list[str]], settings: Settings) -> bool:
    try:
        return float(parameters["alpha"][0]) == settings.alpha
    except ValueError:
        return False
