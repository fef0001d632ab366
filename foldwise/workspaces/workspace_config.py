"""Configuration of workspaces: location, retention period, limits."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from foldwise.paths import installed_path
from stats_core.core.errors import SettingError

OFF = "off"
MEGABYTE = 1_000_000
# name in the file -> unit, minimum, default
NUMBERS = {
    "days": ("days", 1, 30),
    "workspace_mb": ("megabytes", 1, 200),
    "store_mb": ("megabytes", 1, 5000),
    "session_mb": ("megabytes", 1, 256),
    "memory_mb": ("megabytes", 1, 2000),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceLimits:
    """Location, retention period and limits of workspaces.

    Attributes
    ----------
    path : Path or None
        The SQLite file; None if workspaces are disabled.
    days : int
        Days without a visit after which a workspace is deleted.
    workspace_mb, store_mb : int
        Limits in megabytes of one workspace, and of all together.
    session_mb : int
        Limit in megabytes of the cache of one session.
    memory_mb : int
        Limit in megabytes of the caches of all sessions of a process.
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
    """Return the configuration of workspaces from the environment and the file.

    Examples
    --------
    >>> limits({"FOLDWISE_WORKSPACES": "off", "FOLDWISE_DAYS": "7"})
    WorkspaceLimits(path=None, days=7, workspace_mb=200, store_mb=5000, session_mb=256, memory_mb=2000)
    """
    environment = os.environ if environment is None else environment
    settings = _of_file(file) | {
        name: environment[f"FOLDWISE_{name.upper()}"]
        for name in ("workspaces", *NUMBERS)
        if environment.get(f"FOLDWISE_{name.upper()}")
    }
    location = str(settings.pop("workspaces", "")) or str(_usual(environment))
    return WorkspaceLimits(
        path=None if location.lower() in (OFF, "false", "no") else Path(location).expanduser(),
        **{name: _number(name, value) for name, value in settings.items()},
    )


def _of_file(file: Path | None) -> dict:
    """Return the settings in the configuration file, {} without one."""
    usual = (Path(".streamlit", "foldwise.toml"), installed_path(".streamlit", "foldwise.toml"))
    config_file = next(
        (candidate for candidate in ([file] if file else usual) if candidate.is_file()), None
    )
    if config_file is None:
        return {}
    try:
        settings = tomllib.loads(config_file.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise SettingError(
            f"{config_file} must be a file of TOML that can be read. {error}."
        ) from None
    for name in settings:
        if name not in ("workspaces", *NUMBERS):
            names = ", ".join(("workspaces", *NUMBERS))
            raise SettingError(f'{config_file} may say {names}. It says "{name}".')
    return settings


def _usual(environment: Mapping[str, str]) -> Path:
    """Return the default path of the SQLite file on this system."""
    home = environment.get("XDG_DATA_HOME") or environment.get("LOCALAPPDATA")
    return Path(home or Path("~", ".local", "share")) / "foldwise" / "workspaces.sqlite3"


def _number(name: str, value: object) -> int:
    unit, least, _ = NUMBERS[name]
    try:
        number = int(str(value))
    except ValueError:
        number = 0
    if number < least:
        raise SettingError(f'{name} must be {least} {unit} or more. It is "{value}".')
    return number
