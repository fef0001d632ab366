"""What the configuration says of workspaces: where, how long, how much, or none at all."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from foldwise.paths import installed_path
from stats_core.core.errors import SettingError

OFF = "off"
MEGABYTE = 1_000_000
# name in the file -> what it is, the least it may be, and its default
NUMBERS = {
    "days": ("days", 1, 30),
    "workspace_mb": ("megabytes", 1, 200),
    "store_mb": ("megabytes", 1, 5000),
    "session_mb": ("megabytes", 1, 256),
    "memory_mb": ("megabytes", 1, 2000),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceLimits:
    """What is kept, and for how long.

    Attributes
    ----------
    path : Path or None
        The SQLite file; None where nothing is ever written.
    days : int
        After so many days without a visit a workspace is deleted.
    workspace_mb, store_mb : int
        Megabytes that one workspace, and all together, may hold.
    session_mb : int
        Megabytes of what is computed that one session keeps in memory.
    memory_mb : int
        The same of all sessions of a process together.
    """

    path: Path | None
    days: int = 30
    workspace_mb: int = 200
    store_mb: int = 5000
    session_mb: int = 256
    memory_mb: int = 2000


def limits(
    environment: Mapping[str, str] | None = None, file: Path | None = None
) -> WorkspaceLimits:
    """What does the configuration say?

    Examples
    --------
    >>> limits({"FOLDWISE_WORKSPACES": "off", "FOLDWISE_DAYS": "7"})
    WorkspaceLimits(path=None, days=7, workspace_mb=200, store_mb=5000, session_mb=256, memory_mb=2000)
    """
    environment = os.environ if environment is None else environment
    said = _of_file(file) | {
        name: environment[f"FOLDWISE_{name.upper()}"]
        for name in ("workspaces", *NUMBERS)
        if environment.get(f"FOLDWISE_{name.upper()}")
    }
    where = str(said.pop("workspaces", "")) or str(_usual(environment))
    return WorkspaceLimits(
        path=None if where.lower() in (OFF, "false", "no") else Path(where).expanduser(),
        **{name: _number(name, value) for name, value in said.items()},
    )


def _of_file(file: Path | None) -> dict:
    """Return what the file says, {} without one."""
    usual = (Path(".streamlit", "foldwise.toml"), installed_path(".streamlit", "foldwise.toml"))
    found = next((one for one in ([file] if file else usual) if one.is_file()), None)
    if found is None:
        return {}
    try:
        said = tomllib.loads(found.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise SettingError(f"{found} must be a file of TOML that can be read. {error}.") from None
    for name in said:
        if name not in ("workspaces", *NUMBERS):
            known = ", ".join(("workspaces", *NUMBERS))
            raise SettingError(f'{found} may say {known}. It says "{name}".')
    return said


def _usual(environment: Mapping[str, str]) -> Path:
    """Return where data of a program belong on this system."""
    home = environment.get("XDG_DATA_HOME") or environment.get("LOCALAPPDATA")
    return Path(home or Path("~", ".local", "share")) / "foldwise" / "workspaces.sqlite3"


def _number(name: str, value: object) -> int:
    what, least, _ = NUMBERS[name]
    try:
        number = int(str(value))
    except ValueError:
        number = 0
    if number < least:
        raise SettingError(f'{name} must be {least} {what} or more. It is "{value}".')
    return number
