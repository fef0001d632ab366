"""Registry of the app's settings, declared in settings.toml: default, URL parameter, undo, reset."""

import tomllib
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any

import streamlit as st

LEVELS = ("0.01", "0.05", "0.10", "other")  # of significance
COMPARE = ("All pairs", "Against a control")
RECOMMENDED = "recommended"  # the correction that suits the pairwise tests
NEUTRAL = 0.5  # the threshold at which both kinds of error cost the same
ALL_SETS = "all data sets"  # option of the data set selector that stands for all of them
EVERY_SET = "all"  # option of the group selector that stands for no filter

# session keys of settings without a widget bound to the address
HOLES = "_holes"  # chosen treatment of missing cells, "" while undecided
BASELINE = "_baseline"  # algorithm whose value replaces missing runs, if that is chosen
FAMILIES = "_families"  # typed by the user: algorithm -> family
TYPED = "_typed_names"  # typed by the user: {"algorithms": {name: displayed name}, "datasets": ...}
SHORT = "_short_names"  # whether long names are shortened
PRIOR = "_prior"  # the order the visitor typed, cheapest first
MAPPINGS = "_mappings"  # digest of the uploads -> Mapping
SELECTION = "_selection"
ASKED_THETA = "_asked_theta"  # threshold in the link that opened the session
ELSEWHERE = "oelsewhere"  # whether the first cost orders on other pages, too
SHOWN = "_shown_names"  # original name -> displayed name, by kind

# query parameters without a widget, which identify the results
UNBOUND_PARAMETERS = (
    "sample",
    "src",
    "w",
    "v",
    "holes",
    "baseline",
    "prior",
    "sel",
    "short",
    "rename",
    "family",
)


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting in the session state.

    Attributes
    ----------
    key : str
        Key in the session state; a linked setting has the same URL parameter.
    default : object
        Default value; None if it depends on the results.
    linked : bool
        Whether a copied link holds it.
    recorded : bool
        Whether undo and workspaces restore it.
    reset : bool
        Whether it is forgotten when other results are opened.
    names : {"", "algorithms", "datasets"}
        The kind of names that its value holds; empty if it holds none.
    """

    key: str
    default: Any = None
    _: KW_ONLY
    linked: bool = True
    recorded: bool = True
    reset: bool = False
    names: str = ""


_DECLARED = tomllib.loads(Path(__file__).with_name("settings.toml").read_text(encoding="utf-8"))
SETTINGS = {key: Setting(key, **fields) for key, fields in _DECLARED["settings"].items()}
LINKED = tuple(setting.key for setting in SETTINGS.values() if setting.linked)
# recorded settings, with and without widgets
WIDGETS = tuple(key for key, setting in SETTINGS.items() if setting.recorded and key[0] != "_")
UNBOUND = tuple(key for key, setting in SETTINGS.items() if setting.recorded and key[0] == "_")


def labels(name: str) -> dict[str, str]:
    """Return widget labels by key, from settings.toml."""
    return _DECLARED["labels"][name]


def control(name: str, **options: Any) -> dict[str, Any]:
    """Return the widget arguments declared in settings.toml, merged with `options`."""
    return {"key": name, **_DECLARED["controls"].get(name, {}), **options}


def linked(key: str, *, in_session: bool = True, **options: Any) -> dict[str, Any]:
    """Return the arguments of a widget that the URL records and whose value persists across pages."""
    persistent = {"persist_state": "session"} if in_session else {}
    return control(key, bind="query-params", **persistent, **options)


def is_default(key: str, value: Any) -> bool:
    """Return whether a value is empty or the setting's default, so that links can omit it."""
    return value in (None, "", [], ()) or value == SETTINGS[key].default


def unbound_parameters() -> dict[str, list[str]]:
    """Return the URL parameters of this page that no widget writes."""
    names = [name for name in UNBOUND_PARAMETERS if name in st.query_params]
    return {name: st.query_params.get_all(name) for name in names}


def forget_choices() -> None:
    """Remove the settings that depend on the open results from the session."""
    for key, setting in SETTINGS.items():
        if setting.reset:
            st.session_state.pop(key, None)
