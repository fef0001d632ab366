"""The frame around every page: which results are open, the sidebar, and the address."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from foldwise.web import (
    cached_calls,
    choice_history,
    components,
    css,
    display_names,
    inputs,
    page_availability,
    session,
    sidebar,
    sign_in,
)
from foldwise.web.address import RECOMMENDED
from foldwise.web.job_queue import JobCancelled
from foldwise.web.session_cache import begin_run
from foldwise.web.views.order_inputs import ELSEWHERE
from stats_core.core.errors import FoldwiseError
from stats_core.core.messages import TO_USER
from stats_core.data.missing_counts import count_holes
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.corrections import CORRECTIONS
from stats_core.io.mapping import Mapping
from stats_core.io.score_predictions import areas_below_chance


def prepare_page(banner: DeltaGenerator, title: str) -> None:
    """Load the open results, draw banner and sidebar, and hand the page its context."""
    sign_in.require_sign_in()
    begin_run()
    first_run = session.LINK not in st.session_state
    st.session_state.update(st.session_state.pop(session.NEXT, {}))
    st.session_state[session.CHIP] = False
    if first_run:
        _open_link()
    st.html(f"<style>{css.page_css(components.is_dark())}</style>")
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
        if note.code == "areas below chance":  # every verdict would be upside down
            said = areas_below_chance(TO_USER, note["mean"], where="on Data")
            st.warning(components.escape(said), icon=":material/warning:")
    read_key, raw_key, raw = _at_threshold(as_read + named, read)
    slot = st.sidebar.container()
    settings, highlight, tests = sidebar.sidebar(raw, slot, title)
    found = {"source_key": key, "read_key": read_key, "read": read, "highlight": highlight}
    found["tests"] = tests
    _set_context(raw_key, raw, settings, slot, found)
    if marked := page_availability.mark_unavailable_pages(
        page_availability.unfit_pages(session.context())
    ):
        st.html(f"<style>{marked}</style>")
    sign_in.signed_in()
    _write_address(key)
    choice_history.record_choices(key)
    if first_run:
        _say_what_the_link_lost(raw, settings)


def run_page(page: StreamlitPage) -> None:
    """Run a page; where long work of it ended without an answer, say so."""
    try:
        page.run()
    except JobCancelled as why:
        components.show_refusal("There is no answer yet.", why)


def _read_key(key: str) -> str:
    """Return what identifies the files together with what was said about their columns."""
    mapping = known_mapping(key)
    return f"{key}/{hash(mapping) if mapping else ''}"


def _at_threshold(read_key: str, read: Results) -> tuple[str, str, Results]:
    """Let the threshold that the visitor moved decide which cases count as positive."""
    theta, scale = inputs.current_threshold(read)
    if theta is None:
        return read_key, read_key, read
    raw_key = f"{read_key}/{theta}/{scale}"
    return read_key, raw_key, cached_calls.at_threshold(raw_key, theta, scale, read)


def _set_context(
    results_key: str, raw: Results, settings: Settings, slot: DeltaGenerator, found: dict
) -> None:
    """Apply the choice about missing cells and hand everything to the page."""
    raw_key = results_key
    kept = cached_calls.kept(inputs.key_without(raw_key, settings), settings, raw)
    holes = count_holes(kept, settings.measure)
    choice = st.session_state.get(session.HOLES, "") if holes else ""
    baseline = st.session_state.get(session.BASELINE, "") if choice == "baseline" else ""
    if choice == "baseline" and not baseline:
        choice = ""
    results, error = raw, None
    if choice:
        results_key = inputs.key_without(f"{raw_key}/{choice}/{baseline}", settings)
        asked = (settings, session.HOLE_CHOICES[choice], baseline)
        try:
            results = cached_calls.decided(f"{results_key}/{settings.measure}", *asked, raw)
        except FoldwiseError as problem:
            results, error, choice = raw, problem, ""
        results_key = f"{results_key}/{settings.measure}"
    sidebar.say_missing(slot, holes, choice)
    session.set_context(
        session.Context(
            **found,
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
    """Return what is known about the columns: from the visitor, or from the catalogue."""
    said = session.mapping(key)
    sample = st.session_state.get(session.SAMPLE, "")
    if said is not None or not sample:
        return said
    measure = next(row["measure"] for row in cached_calls.catalogue() if row["file"] == sample)
    return Mapping(measure_name=measure)


def _open_link() -> None:
    """Take from the address what is not bound to a widget; the first sample is the default."""
    asked = st.query_params.to_dict()
    st.session_state[session.LINK] = {name: st.query_params.get_all(name) for name in asked}
    samples = {row["file"] for row in cached_calls.catalogue()}
    wanted = asked.get("sample", "")
    known = wanted in samples
    token = asked.get("w") or asked.get("v", "")
    opened = bool(token) and choice_history.open_link(token)
    if known or not opened:
        st.session_state[session.SAMPLE] = wanted if known else cached_calls.catalogue()[0]["file"]
    if asked.get("holes") in session.HOLE_CHOICES:
        st.session_state[session.HOLES] = asked["holes"]
        st.session_state[session.BASELINE] = asked.get("baseline", "")
    if asked.get("prior"):
        st.session_state[session.PRIOR] = tuple(st.query_params.get_all("prior"))
    display_names.open_link(asked.get("short", ""), st.query_params.get_all("rename"))
    _open_level(asked.get("alpha", ""))
    _open_theta(asked.get("theta", ""))
    if asked.get("ocost"):  # named for every page, also where it is not asked
        st.session_state["ocost"] = asked["ocost"]
    if asked.get(ELSEWHERE) == "true":
        st.session_state[ELSEWHERE] = True


def _open_level(asked: str) -> None:
    """Let a link name any level: `alpha=0.03` opens "other" with 0.03."""
    try:
        level = float(asked)
    except ValueError:
        return
    known = {float(option): option for option in sidebar.LEVELS[:-1]}
    if level in known:
        st.session_state["alpha"] = known[level]
    elif 0.0001 <= level <= 0.5:
        st.session_state["alpha"] = "other"
        st.session_state["level"] = level


def _open_theta(asked: str) -> None:
    """Let a link to any page name the threshold, also where no slider shows it."""
    try:
        theta = float(asked)
    except ValueError:
        return
    if 0 <= theta <= 1:
        st.session_state[session.ASKED_THETA] = round(theta, 2)


def _write_address(key: str) -> None:
    """Put back what names the results; a change of page drops unbound parameters."""
    sample, held = st.session_state.get(session.SAMPLE, ""), choice_history.workspace()
    wanted = {
        "sample": sample if sample != cached_calls.catalogue()[0]["file"] else "",
        "src": "" if sample or held else key[:12],
        "w": held.link if held else "",
        "v": held.view if held and not held.link else "",
        "holes": st.session_state.get(session.HOLES, ""),
        "short": "1" if st.session_state.get(session.SHORT) else "",
        "baseline": st.session_state.get(session.BASELINE, ""),
    }
    for name, value in wanted.items():
        if value and st.query_params.get(name) != value:
            st.query_params[name] = value
        elif not value and name in st.query_params:
            del st.query_params[name]
    prior = list(st.session_state.get(session.PRIOR, ()))
    if prior and st.query_params.get_all("prior") != prior:
        st.query_params["prior"] = prior
    typed = display_names.names_for_link()
    if typed and st.query_params.get_all("rename") != typed:
        st.query_params["rename"] = typed
    elif not typed and "rename" in st.query_params:
        del st.query_params["rename"]


def _say_what_the_link_lost(results: Results, settings: Settings) -> None:
    """Compare what the address asked for with what is used."""
    asked = {name: values for name, values in st.session_state[session.LINK].items() if values}
    lost = [
        *_lost_results(asked),
        *_lost_names(asked, "out", results.algorithms, "algorithm"),
        *_lost_names(asked, "hi", results.algorithms, "algorithm"),
        *_lost_names(asked, "outset", results.datasets, "data set"),
        *_lost_names(asked, "only", sidebar.groups_to_choose(results), "group"),
        *_lost_names(asked, "measure", results.measures, "measure"),
        *_lost_names(asked, "correction", (RECOMMENDED, *CORRECTIONS.values()), "correction"),
        *_lost_names(asked, "control", results.algorithms, "algorithm"),
    ]
    if "alpha" in asked and asked["alpha"][0] != "other" and not _same_level(asked, settings):
        lost.append(
            f'The link asks for the level "{asked["alpha"][0]}", which must lie between 0.0001 and '
            f"0.5. Using {settings.alpha:g}."
        )
    for sentence in lost:
        st.warning(components.escape(sentence), icon=":material/warning:")


def _lost_results(asked: dict[str, list[str]]) -> list[str]:
    if {"w", "v"} & set(asked) and choice_history.workspace() is None:
        return [choice_history.GONE]
    if "src" in asked and not session.uploads():
        return [
            f"This link was made with a file that is not here ({asked['src'][0]}). Upload that "
            "file on Data to see the same view; the settings are already in place."
        ]
    if "sample" in asked and asked["sample"][0] != st.session_state[session.SAMPLE]:
        return [f'The link names the sample "{asked["sample"][0]}", which does not exist.']
    return []


def _lost_names(asked: dict, parameter: str, known, what: str) -> list[str]:
    return [
        f'The link names the {what} "{name}", which these results do not have. It is ignored.'
        for name in asked.get(parameter, [])
        if name not in known
    ]


def _same_level(asked: dict[str, list[str]], settings: Settings) -> bool:
    try:
        return float(asked["alpha"][0]) == settings.alpha
    except ValueError:
        return False
