"""Choices about the open files: displayed names, undo history, workspace, and URL parameters."""

import json
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Mapping as Dictionary
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from foldwise.web import components, session, settings_registry
from foldwise.web.cache import cached
from foldwise.web.texts import page_text
from foldwise.workspaces.store import (
    UNUSABLE,
    Store,
    Workspace,
    WorkspaceLimits,
    WorkspaceSaveError,
    limits,
)
from stats_core.core.errors import SettingError
from stats_core.core.formatting import measure_name
from stats_core.data import labels
from stats_core.data.results import Results
from stats_core.data.settings import Settings, groups_of, tags_with_groups
from stats_core.inference.multiplicity.adjust import CORRECTIONS, FALSE_DISCOVERY
from stats_core.io.mapping import Mapping

MOST_STEPS = 50  # undo steps in a session
KEPT_STEPS = 10  # undo steps stored in the workspace
# recorded choices without a widget that have a JSON form of their own type
ABOUT = tuple(key for key in settings_registry.UNBOUND if key != settings_registry.MAPPINGS)
SHOWN_BY = {"hole_choice": settings_registry.HOLES, "hole_baseline": settings_registry.BASELINE}


@cache
def _store(configured: WorkspaceLimits) -> Store:
    return Store(configured)


def workspace_store() -> Store | None:
    """Return the workspace store, None if workspaces are disabled."""
    configured = limits()
    return None if configured.path is None else _store(configured)


@contextmanager
def _noting_failure() -> Iterator[None]:
    """Catch errors of the workspace store in the block, and record them for display."""
    try:
        yield
    except WorkspaceSaveError as error:
        st.session_state[session.UNSAVED] = error


def signed_in_user() -> str:
    """Return the identifier of the signed-in user, "" without sign-in."""
    if not st.user.get("is_logged_in"):
        return ""
    subject = st.user.get("sub")
    return f"{st.user.get('iss', '')} {subject}" if subject else str(st.user.get("email", ""))


def workspace() -> Workspace | None:
    """Return the workspace of the uploads, None if there is none."""
    return st.session_state.get(session.WORKSPACE)


def why_unsaved() -> WorkspaceSaveError | None:
    """Return why the last changes are not stored or, before an upload, why files cannot be stored; None if they can."""
    error = st.session_state.get(session.UNSAVED)
    if error is None and (store := workspace_store()) is not None:
        try:
            store.check()
        except WorkspaceSaveError as problem:
            return problem
    return error


def retention_text(error: WorkspaceSaveError | None) -> str:
    """Return a sentence on how long this server stores uploaded files, given why they are not stored now."""
    configured, current = limits(), workspace()
    is_stored = (
        current is not None
        and current.link
        and error is not None
        and error.code in ("busy", "not_written")
    )
    if configured.path is None or (error is not None and not is_stored):
        return page_text("choices.session_only")
    if current is not None and not current.link:
        return page_text("choices.read_only")
    return page_text("choices.kept", signed_in=bool(signed_in_user()), days=configured.days)


def describe_unsaved(error: WorkspaceSaveError) -> str:
    """Return why files or changes are not stored, and what happens next."""
    current = workspace()
    is_saved = current is not None and bool(current.link)
    retried = error.code in UNUSABLE and session.uploads()
    return page_text("choices.unsaved", why=error, is_saved=is_saved) if retried else str(error)


def keep_uploads(
    files: tuple[tuple[str, bytes], ...], name: str = "", choices: dict | None = None
) -> None:
    """Store opened files as a new workspace if workspaces are enabled; record the error if that fails."""
    st.session_state[session.WORKSPACE] = st.session_state[session.UNSAVED] = None
    title = name or ", ".join(name for name, _ in files)
    unsaved = Workspace(name=title, files=files, choices=choices or {}, owner=signed_in_user())
    if (store := workspace_store()) is not None:
        st.session_state[session.WORKSPACE] = unsaved
        with _noting_failure():
            st.session_state[session.WORKSPACE] = store.save(unsaved)


def open_workspace_link(token: str) -> bool:
    """Open the workspace with a token, without its settings if the URL has some; return whether it exists."""
    opened, store = None, workspace_store()
    st.session_state[session.NOT_OPENED] = "unknown"
    try:
        if store is not None and (opened := store.open(token, signed_in_user())) is None:
            st.session_state[session.NOT_OPENED] = (
                store.why_deleted(token, signed_in_user()) or "unknown"
            )
    except WorkspaceSaveError as error:
        st.session_state[session.NOT_OPENED] = error
    if opened is None:
        return False
    has_settings = any(
        name in st.query_params
        for name in (*settings_registry.WIDGETS, *settings_registry.UNBOUND_PARAMETERS)
        if name not in "wv"
    )
    open_workspace(opened, settings=not has_settings)
    return True


def open_workspace(workspace: Workspace, *, settings: bool = True) -> None:
    """Open the files of a workspace and restore its choices, those of widgets only if `settings` is True."""
    session.open_uploads(workspace.files)
    st.session_state[session.WORKSPACE] = workspace
    key = session.digest(workspace.files)
    recorded = _understood(key, workspace.choices)
    for mapping in recorded.get(settings_registry.MAPPINGS, {}).values():
        session.set_mapping(key, mapping)
    for name, value in recorded.items():
        if name in ABOUT or (settings and name in settings_registry.WIDGETS):
            st.session_state[name] = value
    stored_steps = workspace.choices.get("steps")
    steps = (
        [_understood(key, step) for step in stored_steps] if isinstance(stored_steps, list) else []
    )
    steps = [step for step in steps if step][-KEPT_STEPS:]
    st.session_state[session.STEPS] = key, [*steps, recorded] if steps else []


def _understood(whose: str, plain: object) -> dict:
    """Return choices by session-state key from data written by `_plain`; invalid entries are left out."""
    fields = plain if isinstance(plain, dict) else {}
    mapping_fields, settings, about = (
        fields.get(name) for name in ("mapping", "settings", "about")
    )
    recorded: dict = {}
    if isinstance(mapping_fields, dict):
        with suppress(SettingError, TypeError, AttributeError, ValueError):
            mapping = Mapping(**mapping_fields)
            hash(mapping)
            recorded[settings_registry.MAPPINGS] = {whose: mapping}
    for name, value in settings.items() if isinstance(settings, dict) else ():
        if name in settings_registry.WIDGETS and _is_plain(name, value):
            recorded[name] = value
    open_results = about if isinstance(about, dict) else {}
    for name in ABOUT:
        if (
            isinstance(
                value := open_results.get(name), type(settings_registry.SETTINGS[name].default)
            )
            and value
        ):
            recorded[name] = value
    return recorded


def _is_plain(name: str, value: object) -> bool:
    """Return whether a value has the type that the setting requires."""
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return isinstance(value, str) or (
        isinstance(value, int | float) and not settings_registry.SETTINGS[name].names
    )


def open_packed(workspace: Workspace) -> None:
    """Open a workspace file and store it as a new workspace."""
    open_workspace(workspace)
    keep_uploads(workspace.files, workspace.name, workspace.choices)


def is_link_unavailable() -> bool:
    """Return whether nothing is open because the file of workspaces cannot be used, so that a reload may help."""
    return (
        isinstance(st.session_state.get(session.NOT_OPENED), WorkspaceSaveError)
        and not session.uploads()
    )


def record_choices(key: str) -> None:
    """Add the current choices to the undo history and, if the uploads have one, to their workspace.

    A workspace that is no longer stored is stored again, unless it was deleted.
    """
    _note(key)
    current, store, error = workspace(), workspace_store(), st.session_state.get(session.UNSAVED)
    if current is None or store is None or st.session_state.get(session.SAMPLE):
        return
    is_foreign = bool(current.view and not current.link)
    is_lost = error is not None and error.code not in UNUSABLE
    if is_foreign or is_lost:
        return
    changed = replace(current, choices=so_far(key))
    with _noting_failure():
        is_stored = error is None and _update_stored(store, current, changed)
        if not is_stored:
            changed = _store_again(store, changed)
        st.session_state.update({session.UNSAVED: None, session.WORKSPACE: changed})


def _update_stored(store: Store, current: Workspace, changed: Workspace) -> bool:
    """Store the choices of a changed workspace; return whether the workspace is stored."""
    user = signed_in_user()
    if not current.link or not store.has(current.link, user):
        return False
    return changed == current or store.choose(current.link, changed.choices, user)


def _store_again(store: Store, workspace: Workspace) -> Workspace:
    """Store a workspace that is not stored; WorkspaceSaveError if it was deleted or is too large."""
    if workspace.link and (why := store.why_deleted(workspace.link, signed_in_user())):
        raise WorkspaceSaveError(page_text("choices.changes_lost", why=why))
    store.check(sum(len(content) for _, content in workspace.files))
    return store.save(workspace)


def so_far(key: str) -> dict:
    """Return current choices and recent undo steps as JSON-compatible data."""
    recorded = _plain(key, _now())
    recorded["settings"] = {
        name: value
        for name, value in recorded["settings"].items()
        if not settings_registry.is_default(name, value)
    }
    whose, steps = st.session_state.get(session.STEPS, ("", []))
    if whose == key and len(steps) > 1:
        recorded["steps"] = [_plain(key, step) for step in steps[:-1][-KEPT_STEPS:]]
    return json.loads(json.dumps(recorded, default=str))


def _plain(whose: str, recorded: dict) -> dict:
    """Return choices by session-state key as JSON-compatible data."""
    mapping = recorded.get(settings_registry.MAPPINGS, {}).get(whose)
    return {
        "mapping": mapping.to_dict() if mapping else None,
        "about": {name: recorded[name] for name in ABOUT if recorded.get(name)},
        "settings": {
            name: recorded[name] for name in settings_registry.WIDGETS if name in recorded
        },
    }


def _now() -> dict:
    state = st.session_state.to_dict()
    return {
        name: state[name]
        for name in (*settings_registry.WIDGETS, *settings_registry.UNBOUND)
        if name in state
    }


def _note(key: str) -> None:
    """Add the current choices to the undo history if any of them has changed."""
    current, (whose, steps) = _now(), st.session_state.get(session.STEPS, ("", []))
    if whose != key or not steps:
        st.session_state[session.STEPS] = key, [current]
        return
    previous = steps[-1]
    changed = any(
        (current.get(name) or "") != (previous.get(name) or "")
        for name in settings_registry.UNBOUND
    ) or any(
        current[name] != previous[name]
        for name in settings_registry.WIDGETS
        if name in current and name in previous
    )
    if changed:
        st.session_state[session.STEPS] = key, [*steps, current][-MOST_STEPS:]
    else:  # not a choice: widgets of a page drawn for the first time got their defaults
        steps[-1] = previous | current


def can_undo() -> bool:
    """Return whether there is a choice to undo."""
    return len(st.session_state.get(session.STEPS, ("", []))[1]) > 1


def undo() -> None:
    """Undo the last choice about reading or settings, if there is one."""
    key, steps = st.session_state[session.STEPS]
    if len(steps) < 2:
        return
    previous = steps[-2]
    st.session_state[session.STEPS] = key, steps[:-1]
    for name in settings_registry.UNBOUND:
        st.session_state[name] = previous.get(name) or settings_registry.SETTINGS[name].default
    for widget, name in SHOWN_BY.items():
        if widget in st.session_state:
            st.session_state[widget] = st.session_state[name] or None
    for name in settings_registry.WIDGETS:
        if name in previous and st.session_state.get(name) != previous[name]:
            st.session_state[name] = previous[name]


def start_again() -> None:
    """Reset all choices about the open files; this can be undone."""
    widget_values = {
        name: st.session_state[name]
        for name in settings_registry.WIDGETS
        if name in st.session_state
    }
    about = session.context()
    settings_registry.forget_choices()
    session.forget_mapping(about.source_key)
    for name, value in widget_values.items():
        if settings_registry.SETTINGS[name].default is not None:
            st.session_state[name] = settings_registry.SETTINGS[name].default
        elif isinstance(value, list | tuple):
            st.session_state[name] = []
    st.session_state["alpha"] = "0.05"
    if isinstance(about, session.Context):
        st.session_state["measure"] = about.raw.measures[0]


def rename_workspace(name: str) -> None:
    """Rename the open workspace."""
    current, store = workspace(), workspace_store()
    if current is None or store is None:
        return
    st.session_state[session.WORKSPACE] = replace(current, name=name)
    with _noting_failure():
        store.rename(current.link, name, signed_in_user())


def other_workspaces() -> list[tuple[str, str]]:
    """Return (link, name) of the other workspaces of a signed-in user; [] without sign-in."""
    user, current, workspaces = signed_in_user(), workspace(), []
    with suppress(WorkspaceSaveError):  # reported by `why_unsaved`
        if user and (store := workspace_store()) is not None:
            workspaces = store.of(user)
    return [entry for entry in workspaces if current is None or entry[0] != current.link]


def delete_workspace() -> None:
    """Delete the open workspace and its stored files, and close the uploads; draw the error if that fails."""
    current, store = workspace(), workspace_store()
    try:
        if store is not None and current is not None and current.link:
            store.delete(current.link, signed_in_user())
    except WorkspaceSaveError as error:
        components.warn(page_text("choices.not_deleted", why=error))
        return
    for name in (
        session.UPLOADS,
        session.PREVIOUS,
        session.WORKSPACE,
        session.MEMORY,
        session.STEPS,
        session.UNSAVED,
    ):
        st.session_state.pop(name, None)
    session.open_sample("")
    st.session_state[session.DELETED] = st.session_state.get(session.DELETED, 0) + 1


KINDS = {"algorithms": "algorithm", "datasets": "data set"}
Names = dict[str, dict[str, str]]


def apply_display_names(key: str, read: Results) -> tuple[str, Results]:
    """Return the cache key of the displayed names, "" for the original names, and the results with these names."""
    short = bool(st.session_state.get(settings_registry.SHORT))
    typed = _present_names(typed_names(), read)
    names_key = json.dumps([short, typed], sort_keys=True)
    try:
        names = {kind: shortened(getattr(read, kind)) | typed.get(kind, {}) for kind in KINDS}
        changed = {
            kind: {old: new for old, new in pairs.items() if old != new}
            for kind, pairs in names.items()
        }
        rename = partial(
            Results.rename, algorithms=changed["algorithms"], datasets=changed["datasets"]
        )
        renamed = cached(f"{key}/{names_key}", rename, read)
    except SettingError as error:  # from an edited link
        components.warn(error)
        use_display_names({}, short=False)
        return apply_display_names(key, read) if short or typed else ("", read)
    _follow(names)
    st.session_state[settings_registry.SHOWN] = names
    return (names_key if short or typed else ""), renamed


def typed_names() -> Names:
    """Return the names typed by the user: kind -> original name -> displayed name."""
    return st.session_state.get(settings_registry.TYPED, {})


def rename_algorithm(displayed: str, name: str) -> None:
    """Change the displayed name of an algorithm, given its current displayed name."""
    original = next(
        (
            old
            for old, new in st.session_state[settings_registry.SHOWN]["algorithms"].items()
            if new == displayed
        ),
        displayed,
    )
    algorithms = {**typed_names().get("algorithms", {}), original: name}
    use_display_names(
        {**typed_names(), "algorithms": algorithms},
        short=bool(st.session_state.get(settings_registry.SHORT)),
    )


def use_display_names(names: Names, *, short: bool) -> None:
    """Set the displayed names for the next run."""
    st.session_state[settings_registry.TYPED] = {
        kind: renamed for kind, renamed in names.items() if renamed
    }
    st.session_state[settings_registry.SHORT] = short


def shortened(names: tuple[str, ...]) -> dict[str, str]:
    """Return the shortened name of each original name; the original if shortening is off."""
    if not st.session_state.get(settings_registry.SHORT):
        return {name: name for name in names}
    return cached(("", names), labels.short_names, names)


def _present_names(typed: Names, read: Results) -> Names:
    """Return the typed names whose originals occur in the results."""
    return {
        kind: {old: new for old, new in typed.get(kind, {}).items() if old in getattr(read, kind)}
        for kind in KINDS
        if typed.get(kind)
    }


def _follow(names: Names) -> None:
    """Apply changed display names of the same results to all session choices and the selection."""
    previous = st.session_state.get(settings_registry.SHOWN)
    if (
        previous is None
        or previous == names
        or any(set(previous[k]) != set(names[k]) for k in KINDS)
    ):
        return
    new_names = {
        kind: {previous[kind][old]: new for old, new in names[kind].items()} for kind in KINDS
    }
    for key, setting in settings_registry.SETTINGS.items():
        if setting.names and key in st.session_state:
            st.session_state[key] = _translated(st.session_state[key], new_names[setting.names])
    families = {
        new_names["algorithms"].get(n, n): family for n, family in session.families().items()
    }
    if families:
        st.session_state[settings_registry.FAMILIES] = families
    if selection := session.selection():
        to = new_names["datasets" if selection["kind"] == "data set" else "algorithms"]
        st.session_state[settings_registry.SELECTION] = selection | {
            "ids": _translated(selection["ids"], to)
        }


def _translated(value: Any, to: dict[str, str]) -> Any:
    if isinstance(value, str):
        return to.get(value, value)
    kind: Callable = tuple if isinstance(value, tuple) else list
    return kind(to.get(name, name) for name in value) if value else value


def _parsed(text: str) -> Any:
    """Return the JSON value in a URL parameter; ValueError if it is malformed or not Unicode."""
    value = json.loads(text)
    json.dumps(value, ensure_ascii=False).encode()
    return value


def _lists_from_link(name: str) -> Iterator[list[str]]:
    """Yield the lists of texts in a URL parameter; malformed entries are ignored."""
    for text in st.query_params.get_all(name):
        with suppress(ValueError, RecursionError):
            entries = _parsed(text)
            if isinstance(entries, list) and all(isinstance(entry, str) for entry in entries):
                yield entries


def _names_from_link() -> None:
    """Set displayed names and families from URL parameters."""
    typed: Names = {}
    for kind, old, new in (
        entry for entry in _lists_from_link("rename") if len(entry) == 3 and entry[0] in KINDS
    ):
        typed.setdefault(kind, {})[old] = new
    if {"short", "rename"} & set(st.query_params):
        use_display_names(typed, short=st.query_params.get("short") == "1")
    families = {
        name: family
        for family, *names in filter(None, _lists_from_link("family"))
        for name in names
    }
    if families:
        st.session_state[settings_registry.FAMILIES] = families


def known_mapping(key: str) -> Mapping | None:
    """Return the column mapping set by the user or listed in the sample catalogue, None if neither."""
    by_user = session.mapping(key)
    sample = st.session_state.get(session.SAMPLE, "")
    if by_user is not None or not sample:
        return by_user
    measure = next(row["measure"] for row in session.catalogue() if row["file"] == sample)
    return Mapping(measure_name=measure)


def open_address() -> None:
    """Restore choices from the URL that no widget restores."""
    parameters = st.query_params.to_dict()
    st.session_state[session.LINK] = {name: st.query_params.get_all(name) for name in parameters}
    sample = _linked_sample()
    token = parameters.get("w") or parameters.get("v", "")
    opened = bool(token) and open_workspace_link(token)
    if sample or not opened:
        st.session_state[session.SAMPLE] = sample
    _open_unbound()
    _open_numbers(parameters.get("alpha", ""), parameters.get("theta", ""))
    if parameters.get("ocost"):  # for pages that do not draw the widget
        st.session_state["ocost"] = parameters["ocost"]
    if parameters.get(settings_registry.ELSEWHERE) == "true":
        st.session_state[settings_registry.ELSEWHERE] = True


def _linked_sample() -> str:
    """Return the sample named by the URL, "" if it names none that exists."""
    sample = st.query_params.get("sample", "")
    return sample if sample in {row["file"] for row in session.catalogue()} else ""


def _open_unbound() -> None:
    """Restore choices without a widget bound to the URL."""
    if st.query_params.get("holes") in session.HOLE_CHOICES:
        st.session_state[settings_registry.HOLES] = st.query_params["holes"]
        st.session_state[settings_registry.BASELINE] = st.query_params.get("baseline", "")
    if "prior" in st.query_params:
        st.session_state[settings_registry.PRIOR] = tuple(st.query_params.get_all("prior"))
    _names_from_link()
    _select_from_link(st.query_params.get("sel", ""))


def _select_from_link(text: str) -> None:
    """Set the selection from a URL parameter; a malformed one is ignored."""
    with suppress(ValueError, TypeError, RecursionError):
        kind, ids, on = _parsed(text)
        if kind in ("algorithm", "pair", "group", "data set", "fold") and all(
            isinstance(name, str) for name in ids
        ):
            session.select(kind, ids, str(on))


def follow_history() -> None:
    """Restore sample and choices from the URL after the browser's Back or Forward."""
    run = get_script_run_ctx()
    if run is None or not run.is_history_navigation:
        return
    if (sample := _linked_sample()) != st.session_state.get(session.SAMPLE, ""):
        session.open_sample(sample)
    for key in (*ABOUT, settings_registry.SELECTION):
        st.session_state[key] = settings_registry.SETTINGS[key].default
    _open_unbound()


def _open_numbers(alpha: str, theta: str) -> None:
    """Set significance level and threshold from URL parameters.

    `alpha=0.03` selects "other" with 0.03. Invalid numbers are ignored.
    """
    with suppress(ValueError):
        level = float(alpha)
        if level in (
            options := {float(option): option for option in settings_registry.LEVELS[:-1]}
        ):
            st.session_state["alpha"] = options[level]
        elif 0.0001 <= level <= 0.5:
            st.session_state.update(alpha="other", level=level)
    with suppress(ValueError):
        if 0 <= float(theta) <= 1:
            st.session_state[settings_registry.ASKED_THETA] = round(float(theta), 2)


def write_address(key: str) -> None:
    """Write the URL parameters that no widget writes."""
    values: dict[str, Sequence[str]] = {
        **_source_parameters(key),
        **_state_parameters(),
        **_name_parameters(),
    }
    for name, texts in values.items():
        texts = [text for text in texts if text]
        if texts and st.query_params.get_all(name) != texts:
            st.query_params[name] = texts
        elif not texts and name in st.query_params:
            del st.query_params[name]


def _source_parameters(key: str) -> dict[str, list[str]]:
    """Return the URL parameters that say which results are open."""
    current, sample = workspace(), st.session_state.get(session.SAMPLE, "")
    is_linked = bool(sample or (current and current.view))
    source = {"sample": [sample], "src": [key[:12]] if session.uploads() and not is_linked else []}
    if current:
        return source | {"w": [current.link], "v": [] if current.link else [current.view]}
    # a link that cannot be opened now remains, so that a reload tries again
    unavailable = is_link_unavailable()
    return source | {
        name: st.query_params.get_all(name) if unavailable else [] for name in ("w", "v")
    }


def _state_parameters() -> dict[str, Sequence[str]]:
    """Return the URL parameters of choices without a widget."""
    state, selected = st.session_state.get, session.linked_selection()
    return {
        "holes": [state(settings_registry.HOLES, "")],
        "short": ["1"] if state(settings_registry.SHORT) else [],
        "baseline": [state(settings_registry.BASELINE, "")],
        "prior": state(settings_registry.PRIOR, ()),
        "sel": [json.dumps(list(selected.values()), ensure_ascii=False)] if selected else [],
    }


def _name_parameters() -> dict[str, list[str]]:
    """Return the URL parameters of typed names and of families, as JSON."""
    renamed = [
        [kind, old, new] for kind, names in typed_names().items() for old, new in names.items()
    ]
    members: dict[str, list[str]] = {}
    for name, family in session.families().items():
        members.setdefault(family, [family]).append(name)
    return {
        "rename": [json.dumps(names, ensure_ascii=False) for names in renamed],
        "family": [json.dumps(names, ensure_ascii=False) for names in members.values()],
    }


def warn_of_lost_results() -> None:
    """Warn that the results of a link no longer exist."""
    for sentence in _lost_results(st.session_state[session.LINK]):
        components.warn(sentence)


def correction_labels(corrections: Dictionary[str, str]) -> dict[str, str]:
    """Return the key of each correction by its label, which states an error rate other than the family-wise one."""
    discovery = page_text("choices.false_discovery", name=CORRECTIONS[FALSE_DISCOVERY])
    return {discovery if key == FALSE_DISCOVERY else name: key for key, name in corrections.items()}


def warn_of_lost_parameters(results: Results, settings: Settings) -> None:
    """Warn about parameters of the link that could not be applied."""
    parameters = {name: values for name, values in st.session_state[session.LINK].items() if values}
    existing = {
        "out": ("algorithm", results.algorithms),
        "hi": ("algorithm", results.algorithms),
        "outset": ("data set", results.datasets),
        "only": ("group", groups_to_choose(results)),
        "measure": ("measure", (*results.measures, *map(measure_name, results.measures))),
        "correction": (
            "correction",
            (settings_registry.RECOMMENDED, *correction_labels(CORRECTIONS)),
        ),
        "control": ("algorithm", results.algorithms),
    }
    lost = _lost_results(parameters) + [
        page_text("choices.no_name", noun=noun, name=name)
        for parameter, (noun, names) in existing.items()
        for name in parameters.get(parameter, [])
        if name not in names
    ]
    level = parameters.get("alpha", ["other"])[0]
    if level != "other" and not _is_number(level, settings.alpha):
        lost.append(page_text("choices.no_level", level=level, alpha=settings.alpha))
    for sentence in lost:
        components.warn(sentence)


def _lost_results(parameters: dict[str, list[str]]) -> list[str]:
    if {"w", "v"} & set(parameters) and workspace() is None:
        why = st.session_state.get(session.NOT_OPENED, "unknown")
        unusable = isinstance(why, WorkspaceSaveError)
        return [
            page_text("choices.not_opened", why=why)
            if unusable
            else page_text(f"choices.link_{why}", days=limits().days)
        ]
    if "src" in parameters and not session.uploads():
        return [page_text("choices.no_file", digest=parameters["src"][0])]
    if "sample" in parameters and parameters["sample"][0] != st.session_state[session.SAMPLE]:
        return [page_text("choices.no_sample", name=parameters["sample"][0])]
    return []


def _is_number(text: str, number: float) -> bool:
    with suppress(ValueError):
        return float(text) == number
    return False


def groups_to_choose(results: Results) -> dict[str, tuple[str, ...]]:
    """Return (tag, value) of each group of data sets by its name in URLs; first all data sets, with ()."""
    return {settings_registry.EVERY_SET: ()} | {
        f"{tag} = {value}": (tag, value)
        for tag in tags_with_groups(results)
        for value in groups_of(results, tag)
    }
