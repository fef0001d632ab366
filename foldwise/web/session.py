"""Session state: open files, choices about them, selection."""

import csv
import hashlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePath
from typing import NoReturn

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime import memory_media_file_storage
from streamlit.runtime.pages_manager import PagesManager

from foldwise import paths
from foldwise.web.settings_registry import FAMILIES, HOLES, MAPPINGS, SELECTION, forget_choices
from stats_core.data.missing import CHOICES, HoleCount
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.io.mapping import Mapping

SAMPLES = paths.installed_path("sample_results")
OF_A_SAMPLE = "sample:"  # prefix of cache keys of samples
# Without this, Streamlit serves the first request of a process from the folder pages/, before
# app.py sets up the navigation.
PagesManager.uses_pages_directory = False
# Streamlit names downloads above 1 MiB by parts of them, so one could be another of the same size,
# even of another session.
memory_media_file_storage._PARTIAL_HASH_THRESHOLD = sys.maxsize  # type: ignore[misc] # Streamlit has no option for it

# session keys; widgets bound to the address use their parameter's name as key
UPLOADS = "_uploads"  # tuple of (name, bytes)
SAMPLE = "_sample"  # file name of the open sample, "" if uploads are open
PREVIOUS = "_previous"  # (uploads, sample, workspace) that were open before, to return to
REJECTED = "_rejected"  # why the last upload could not be opened, None if it could
CONTEXT = "_context"
MEMORY = "_memory"  # cache of computations
NEXT = "_next"  # settings chosen by a click, applied before widgets are drawn again
CLICKS = "_clicks"  # number of clicks handled on figures and tables
WARNED = "_warned"  # whether this run warned about the link
UNWARNED = "_unwarned"  # whether nothing was drawn yet, so that warnings about the link are due
HIDDEN_PAGES = "_hidden_pages"  # file names of the pages that the open results cannot support
STATISTICS = "_statistics"  # (page and tab, label of the box of statistics in the sidebar)
BUNDLE = "_bundle"  # the last zip of figures: (key of its contents, function that creates it)
DIGEST = "_digest"  # the files last read and their digest
WORKSPACE = "_workspace"  # workspace of the uploads, None if workspaces are disabled; without links until it is stored
UNSAVED = "_unsaved"  # WorkspaceSaveError if it or its last changes are not stored
NOT_OPENED = "_not_opened"  # why no workspace was opened: WorkspaceSaveError, "deleted", "expired" or "unknown"
DELETED = "_deleted"  # number of deleted workspaces, which makes the key of the upload box unique
STEPS = "_steps"  # undo history
LINK = "_link"  # the parameters the session was opened with

# word in links -> treatment of missing results
_WORDS = ("sets", "algorithms", "folds", "worst", "baseline", "present", "zero", "one")
HOLE_CHOICES = dict(zip(_WORDS, CHOICES, strict=True))


@dataclass(frozen=True, slots=True, weakref_slot=True, kw_only=True)
class RunContext:
    """Data of the current run; results only as a `Context`.

    Attributes
    ----------
    source_key : str
        Identifies the open files.
    error : Exception or None
        Why there are no results, or why the choice about missing cells was not applied.
    settings : Settings
        The shared settings of the sidebar.
    highlight : tuple of str
        Algorithms that keep their colour.
    """

    source_key: str = ""
    error: Exception | None = None
    settings: Settings = field(default_factory=Settings)
    highlight: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Context(RunContext):
    """Data of the current run that pages of results need.

    Attributes
    ----------
    read : Results
        As read, before a threshold on scores.
    raw : Results
        At the threshold, before the choice about missing cells.
    results : Results
        After that choice.
    read_key : str
        Identifies the results as read, together with the mapping of the columns.
    raw_key : str
        Identifies them at the threshold, before the choice about missing cells.
    key : str
        Identifies the results together with every choice about them; caches are keyed by it.
    undecided : HoleCount or None
        Counts of missing results of the measure, until the user chooses how to treat them.
    here : str
        Page, tab and data set, for which the line of statistics holds.
    tests : DeltaGenerator or None
        Place in the sidebar for the box of statistics, whose label names the level and the tests
        used.
    source : DeltaGenerator or None
        Place in the sidebar for the choice of the pairwise test.
    """

    read: Results
    raw: Results
    results: Results
    read_key: str = ""
    raw_key: str = ""
    key: str = ""
    undecided: HoleCount | None = None
    here: str = ""
    tests: DeltaGenerator | None = None
    source: DeltaGenerator | None = None


def set_context(context: RunContext) -> None:
    """Set the context of this run."""
    st.session_state[CONTEXT] = context


def context() -> RunContext:
    """Return the context of this run.

    Without one, the page was run directly; then app.py is run instead.
    """
    if CONTEXT not in st.session_state:
        st.rerun()
    return st.session_state[CONTEXT]


def uploads() -> tuple[tuple[str, bytes], ...]:
    """Return the user's files as (name, content); () while a sample is open."""
    return () if st.session_state.get(SAMPLE) else st.session_state.get(UPLOADS, ())


def file_names() -> list[str]:
    """Return the names of the open files, as used in scripts."""
    sample = st.session_state.get(SAMPLE, "")
    return (
        [f"sample_results/{sample}"] if sample else [PurePath(name).name for name, _ in uploads()]
    )


def open_sample(file: str) -> None:
    """Open a sample; uploaded files remain in the session."""
    forget_choices()
    st.session_state[REJECTED] = None
    st.session_state[SAMPLE] = file


def open_uploads(files: tuple[tuple[str, bytes], ...]) -> None:
    """Open uploaded files; the results open before are stored for `back_to_previous`."""
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
    """Close the sample, forget choices made on it and return to the uploaded files."""
    forget_choices()
    st.session_state[SAMPLE] = ""


def back_to_previous() -> None:
    """Return to the results open before the last upload."""
    forget_choices()
    uploads, sample, workspace = st.session_state.pop(PREVIOUS)
    st.session_state.update({UPLOADS: uploads, SAMPLE: sample, WORKSPACE: workspace})


def set_mapping(digest: str, mapping: Mapping) -> None:
    """Store the user's column mapping of the files with this digest, and reset the choice about missing results."""
    st.session_state[MAPPINGS] = {**st.session_state.get(MAPPINGS, {}), digest: mapping}
    st.session_state[HOLES] = ""


def forget_mapping(digest: str) -> None:
    """Remove the user's column mapping of the files with this digest."""
    mappings = st.session_state.get(MAPPINGS, {})
    st.session_state[MAPPINGS] = {
        key: mapping_of_key for key, mapping_of_key in mappings.items() if key != digest
    }


def mapping(digest: str) -> Mapping | None:
    """Return the user's column mapping of the files with this digest, None if there is none."""
    return st.session_state.get(MAPPINGS, {}).get(digest)


def families() -> dict[str, str]:
    """Return the family of each algorithm, as assigned by the user; a family has one colour."""
    return st.session_state.get(FAMILIES, {})


def selection() -> dict:
    """Return the selection as a dict: kind, names, and data set; {} if there is none."""
    return st.session_state.get(SELECTION, {})


def is_selected(kind: str, ids: Iterable[str]) -> bool:
    """Return whether these names are selected, in any order."""
    current = selection()
    return current.get("kind") == kind and set(current["ids"]) == set(ids)


def highlighted() -> tuple[str, ...]:
    """Return the selected algorithm, pair or group; () for other selections or none."""
    current = selection()
    return tuple(current["ids"]) if current.get("kind") in ("group", "algorithm", "pair") else ()


def select(kind: str, ids: list[str], on: str = "") -> None:
    """Select names, or clear the selection if they are already selected."""
    selected = {"kind": kind, "ids": list(ids), "on": on}
    st.session_state[SELECTION] = {} if is_selected(kind, ids) else selected


def mark_pair(first: str, second: str) -> None:
    """Select the pair that the page compares, unless something other than a pair is selected.

    If the list of algorithms shows another selection, the page runs again.
    """
    marked = set(highlighted())
    if selection().get("kind") in (None, "pair"):
        st.session_state[SELECTION] = {
            "kind": "pair",
            "ids": [first, second],
            "on": "",
            "compared": True,
        }
        if marked != {first, second}:
            run_again()


def mark_chosen_pair() -> None:
    """Select the pair in the widgets of the page Compare, if the page selected the pair before."""
    names = [st.session_state.get(key) for key in ("a", "b")]
    if selection().get("compared") and all(names):
        st.session_state[SELECTION] = selection() | {"ids": names}


def run_again() -> NoReturn:
    """Run the page again, with its warnings."""
    if st.session_state.get(WARNED):
        st.session_state[UNWARNED] = True
    st.rerun()


def unmark_pair() -> None:
    """Clear a selection that another page's comparison made."""
    if selection().get("compared"):
        clear_selection()


def linked_selection() -> dict:
    """Return the selection for the URL; {} if the page itself made it."""
    current = selection()
    return {} if current.get("compared") else current


def clear_selection() -> None:
    """Clear the selection."""
    st.session_state[SELECTION] = {}


@cache
def catalogue() -> tuple[dict[str, str], ...]:
    """Return the rows of catalog.csv, one per sample."""
    with (SAMPLES / "catalog.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def first_sample() -> str:
    """Return the file of the first sample."""
    return catalogue()[0]["file"]


def sample_title(file: str) -> str:
    """Return the title of a sample, or the file name if it is not in the catalogue."""
    return next((row["title"] for row in catalogue() if row["file"] == file), file)


@cache
def sample_bytes(file: str) -> bytes:
    """Return the content of a sample; raise KeyError for a file not listed in the catalogue."""
    if file not in {row["file"] for row in catalogue()}:
        raise KeyError(file)
    return (SAMPLES / file).read_bytes()


def open_files() -> tuple[tuple[str, bytes], ...]:
    """Return (name, content) of the open files: uploads or a sample."""
    file = st.session_state.get(SAMPLE, "")
    return ((file, sample_bytes(file)),) if file else uploads()


def digest(sources: tuple[tuple[str, bytes], ...]) -> str:
    """Return the cache key of files: a hash of names and contents, after `OF_A_SAMPLE` for the open sample."""
    known_sources, digest_text = st.session_state.get(DIGEST, (None, ""))
    if known_sources is sources:
        return digest_text
    sha256 = hashlib.sha256()
    for name, content in sources:
        sha256.update(name.encode(errors="surrogatepass") + b"\0")
        sha256.update(content)
    is_sample = bool(st.session_state.get(SAMPLE)) and sources == open_files()
    digest_text = (OF_A_SAMPLE if is_sample else "") + sha256.hexdigest()
    st.session_state[DIGEST] = sources, digest_text
    return digest_text
