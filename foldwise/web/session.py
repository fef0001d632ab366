"""What one visitor's session holds: the chosen results, the choices about them, the selection."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePath

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.pages_manager import PagesManager

from foldwise.paths import installed_path
from stats_core.data.missing_counts import HoleCount
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.io.read import Mapping

SAMPLES = installed_path("sample_results")
# While a folder is called pages/, Streamlit serves the first request of a process from it, before
# app.py has said otherwise.
PagesManager.uses_pages_directory = False

# session keys; widgets bound to the address use their parameter's name as key
UPLOADS = "_uploads"  # tuple of (name, bytes)
MAPPINGS = "_mappings"  # digest of the uploads -> Mapping
HOLES = "_holes"  # chosen treatment of missing cells, "" while undecided
BASELINE = "_baseline"  # whose value stands for missing runs, where that is chosen
SAMPLE = "_sample"  # file name of the open sample, "" if uploads are open
PREVIOUS = "_previous"  # (uploads, sample, workspace) that were open before, to return to
REJECTED = "_rejected"  # why the last upload could not be opened, None if it could
CONTEXT = "_context"
MEMORY = "_memory"  # what was computed of the visitor's files
SELECTION = "_selection"
ASKED_THETA = "_asked_theta"  # by the link the session was opened with
NEXT = "_next"  # settings that a click chose, taken before widgets are drawn again
CLICKS = "_clicks"  # how many clicks on figures and tables were taken
CHIP = "_chip"  # whether this run has said what is selected
FAMILIES = "_families"  # what the visitor typed: algorithm -> family
TYPED = "_typed_names"  # what the visitor typed: {"algorithms": {name: shown as}, "datasets": ...}
SHORT = "_short_names"  # whether long names are shortened
SHOWN = "_shown_names"  # every name as read, with the one it is shown by
PRIOR = "_prior"  # the order the visitor typed, cheapest first
BUNDLE = "_bundle"  # the last zip of figures: (what was asked for, content)
DIGEST = "_digest"  # the files last read and their digest
WORKSPACE = "_workspace"  # where uploads and choices are kept, None where they are not
UNSAVED = "_unsaved"  # why they are not kept, "" where they are
DELETED = "_deleted"  # how many workspaces were deleted: each takes its box of uploads with it
STEPS = "_steps"  # the choices so far, for the way back
LINK = "_link"  # the parameters the session was opened with

HOLE_CHOICES = {
    "sets": "drop data sets",
    "algorithms": "drop algorithms",
    "folds": "drop folds",
    "worst": "worst rank",
    "baseline": "baseline",
    "present": "present",
    "zero": "undefined as 0",
    "one": "undefined as 1",
}


@dataclass(frozen=True, slots=True, weakref_slot=True, kw_only=True)
class Context:
    """What a page needs to know about this run.

    Attributes
    ----------
    source_key : str
        Identifies the open files.
    raw_key : str
        Identifies them at the threshold, before the choice about missing cells.
    key : str
        Identifies the results together with every choice about them; caches are keyed by it.
    read_key : str
        Identifies the results as read, together with what was said about columns.
    read : Results or None
        As read, before a threshold on scores; None while the files cannot be read.
    raw : Results or None
        At the threshold, before the choice about missing cells.
    results : Results or None
        After that choice.
    undecided : HoleCount or None
        What is missing of the measure among what is compared, while nothing was chosen about it.
    settings : Settings
        The shared settings of the sidebar.
    highlight : tuple of str
        Algorithms that keep their colour.
    error : Exception or None
        Why there are no results.
    tests : DeltaGenerator or None
        Where the sidebar names the tests of the pairs, once they are made.
    """

    source_key: str = ""
    read_key: str = ""
    read: Results | None = None
    raw_key: str = ""
    key: str = ""
    raw: Results | None = None
    results: Results | None = None
    undecided: HoleCount | None = None
    settings: Settings = field(default_factory=Settings)
    highlight: tuple[str, ...] = ()
    error: Exception | None = None
    tests: DeltaGenerator | None = None


def set_context(context: Context) -> None:
    """Make this run's context known to the page."""
    st.session_state[CONTEXT] = context


def context() -> Context:
    """Return this run's context.

    Without one the page runs bare. Then app.py is run instead.
    """
    if CONTEXT not in st.session_state:
        st.rerun()
    return st.session_state[CONTEXT]


def uploads() -> tuple[tuple[str, bytes], ...]:
    """Return the files the visitor brought, () while a sample is open."""
    return () if st.session_state.get(SAMPLE) else st.session_state.get(UPLOADS, ())


def file_names() -> list[str]:
    """Return the names of the open files as a script finds them."""
    sample = st.session_state.get(SAMPLE, "")
    if sample:
        return [f"sample_results/{sample}"]
    return [PurePath(name).name for name, _ in uploads()]


def open_sample(file: str) -> None:
    """Open a shipped sample; the visitor's own files stay within reach."""
    forget_choices()
    st.session_state[REJECTED] = None
    st.session_state[SAMPLE] = file


def open_uploads(files: tuple[tuple[str, bytes], ...]) -> None:
    """Open the visitor's own files; what was open before is kept."""
    forget_choices()
    st.session_state[REJECTED] = None
    st.session_state[PREVIOUS] = (
        st.session_state.get(UPLOADS, ()),
        st.session_state.get(SAMPLE, ""),
        st.session_state.get(WORKSPACE),
    )
    st.session_state[UPLOADS] = files
    st.session_state[SAMPLE] = ""


def back_to_uploads() -> None:
    """Leave the sample for the files brought before."""
    forget_choices()
    st.session_state[SAMPLE] = ""


def back_to_previous() -> None:
    """Return to what was open before the last upload."""
    forget_choices()
    uploads, sample, workspace = st.session_state.pop(PREVIOUS)
    st.session_state.update({UPLOADS: uploads, SAMPLE: sample, WORKSPACE: workspace})


def set_mapping(digest: str, mapping: Mapping) -> None:
    """Remember what the visitor said about the columns of these files."""
    st.session_state[MAPPINGS] = {**st.session_state.get(MAPPINGS, {}), digest: mapping}
    st.session_state[HOLES] = ""


def forget_mapping(digest: str) -> None:
    """Forget what the visitor said about the columns of these files."""
    said = st.session_state.get(MAPPINGS, {})
    st.session_state[MAPPINGS] = {key: one for key, one in said.items() if key != digest}


def mapping(digest: str) -> Mapping | None:
    """Return what the visitor said about the columns of these files."""
    return st.session_state.get(MAPPINGS, {}).get(digest)


def families() -> dict[str, str]:
    """Return the families the visitor gave to algorithms; they share a colour."""
    return st.session_state.get(FAMILIES, {})


def selection() -> dict:
    """Return the one selected thing: its kind, as in `ink.OFFERS`, its names, and on which data set."""
    return st.session_state.get(SELECTION, {})


def is_selected(kind: str, ids: Iterable[str]) -> bool:
    """Tell whether this is what is selected; the order of names does not matter."""
    chosen = selection()
    return chosen.get("kind") == kind and set(chosen["ids"]) == set(ids)


def highlighted() -> tuple[str, ...]:
    """Return the algorithms that are selected, alone, as a pair or as a group."""
    chosen = selection()
    return tuple(chosen["ids"]) if chosen.get("kind") in ("group", "algorithm", "pair") else ()


def select(kind: str, ids: list[str], on: str = "") -> None:
    """Select one thing, or clear the selection if it is selected already."""
    chosen = {"kind": kind, "ids": list(ids), "on": on}
    st.session_state[SELECTION] = {} if is_selected(kind, ids) else chosen


def clear_selection() -> None:
    """Select nothing."""
    st.session_state[SELECTION] = {}


def forget_choices() -> None:
    """Settings that name things of other results do not survive a change of results."""
    st.session_state[HOLES] = ""
    st.session_state[BASELINE] = ""
    st.session_state[SELECTION] = {}
    st.session_state.pop(ASKED_THETA, None)
    for kept in (FAMILIES, PRIOR, TYPED, SHORT, SHOWN):
        st.session_state.pop(kept, None)
    for key in (
        "measure",
        "control",
        "compare",
        "out",
        "outset",
        "only",
        "groupby",
        "hi",
        "ds",
        "a",
        "b",
        "test",
        "posthoc",
        "fraction",
        "together",
        "own",
        "theta",
        "afold",
        "dfold",
        "ocost",
        "oset",
        "otest",
        "other_measure",
        *("lfirst", "lsecond", "lset", "lcost", "ldifference"),
        *("w1", "w2", "w3", "w4", "w5"),
    ):
        st.session_state.pop(key, None)
