"""Workspaces in an SQLite file and as `.foldwise` files, and stored chunks of simulations."""

import errno
import hashlib
import io
import json
import logging
import os
import secrets
import shutil
import sqlite3
import time
import tomllib
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, MutableMapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import IO

import numpy as np

from foldwise.paths import installed_path
from stats_core.core.errors import DataError, FoldwiseError, Problem, SettingError
from stats_core.core.messages import TextCatalog
from stats_core.io.problems import current_limits

_store_text = TextCatalog("foldwise.workspaces", "texts.toml")

OFF = "off"
MEGABYTE = 1_000_000
DAY = 86_400  # seconds
MINUTE, HOUR = 60, 3_600
BUSY, BUSY_AGAIN = (
    10.0,
    0.2,
)  # seconds to wait for a lock of another process, and after a wait in vain
DELETED_DAYS = 365  # days for which the hashes of deleted links are stored
LONGEST_NAME = 80
_LOG = logging.getLogger("foldwise")


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
        Limit in megabytes of the cache of one session, and of the stored chunks of one workspace.
    memory_mb : int
        Limit in megabytes of the caches of all sessions of a process.
    """

    path: Path | None
    days: int = 30
    workspace_mb: int = 200
    store_mb: int = 5000
    session_mb: int = 256
    memory_mb: int = 2000


_NUMBERS = tuple(field.name for field in fields(WorkspaceLimits) if field.name != "path")


def limits(
    environment: Mapping[str, str] | None = None, file: Path | None = None
) -> WorkspaceLimits:
    """Return the limits of workspaces, from environment variables, else a file, else defaults; SettingError if invalid.

    Examples
    --------
    >>> limits({"FOLDWISE_WORKSPACES": "off", "FOLDWISE_DAYS": "7"})
    WorkspaceLimits(path=None, days=7, workspace_mb=200, store_mb=5000, session_mb=256, memory_mb=2000)
    """
    environment = os.environ if environment is None else environment
    names = ("workspaces", *_NUMBERS)
    from_environment = {name: environment.get(f"FOLDWISE_{name.upper()}") for name in names}
    settings = _of_file(file, names) | {
        name: value for name, value in from_environment.items() if value
    }
    home = (
        environment.get("XDG_DATA_HOME")
        or environment.get("LOCALAPPDATA")
        or Path("~", ".local", "share")
    )
    location = str(settings.pop("workspaces", "")) or str(
        Path(home) / "foldwise" / "workspaces.sqlite3"
    )
    return WorkspaceLimits(
        path=None if location.lower() in (OFF, "false", "no") else Path(location).expanduser(),
        **{name: _number(name, value) for name, value in settings.items()},
    )


def _of_file(file: Path | None, names: Collection[str]) -> dict:
    """Return the settings of the configuration file, {} without one; raise SettingError if it is invalid."""
    usual = (Path(".streamlit", "foldwise.toml"), installed_path(".streamlit", "foldwise.toml"))
    config_file = next(
        (candidate for candidate in ([file] if file else usual) if candidate.is_file()), None
    )
    if config_file is None:
        return {}
    try:
        settings = tomllib.loads(config_file.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise SettingError(_store_text("limits.not_toml", file=config_file, reason=error)) from None
    for name in set(settings) - set(names):
        raise SettingError(_store_text("limits.unknown", file=config_file, name=name, names=names))
    return settings


def _number(name: str, value: object) -> int:
    """Return a setting as a positive integer, or raise SettingError."""
    if not str(value).strip().isdecimal() or int(str(value)) < 1:
        raise SettingError(_store_text("limits.too_small", name=name, value=value))
    return int(str(value))


SCHEMA = Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")
SCHEMA_VERSION = (
    1  # PRAGMA user_version; files of version 0 lack some of the tables, and no columns
)
_BYTES = "COALESCE(SUM(size + LENGTH(choices)), 0)"  # of files and choices
_COLUMNS = [
    "link",
    "view",
    "owner",
    "name",
    "used",
    "size",
    "files",
    "choices",
]  # of workspaces, in every version
UNUSABLE = (
    "busy",
    "damaged",
    "not_written",
    "other_version",
)  # codes of errors that concern the file as a whole
_CODES = dict.fromkeys(
    (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL), "busy"
) | dict.fromkeys(
    (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB), "damaged"
)  # SQLite's other errors, such as a full disk, prevent writing


class WorkspaceSaveError(FoldwiseError):
    """Raised when the file of workspaces cannot be used, or a workspace may not be saved.

    Attributes
    ----------
    code : str
        One of `UNUSABLE`; "" if only this workspace is refused.
    cause : str
        The cause and the remedy, for the operator of the server; "" without a code.
    """

    cause = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """Uploaded files and the choices about them.

    Attributes
    ----------
    link : str
        Token that gives write access; "" if access is read-only, and before the workspace is saved.
    view : str
        Token that gives read access.
    name : str
        Name given by the owner, by default the names of the files.
    files : tuple of (str, bytes)
        The uploads.
    choices : dict
        Column mapping, settings with and without widgets, and undo steps, as JSON-compatible data.
    owner : str
        Identifier of the signed-in user; "" without sign-in.
    """

    link: str = ""
    view: str = ""
    name: str = ""
    files: tuple[tuple[str, bytes], ...] = ()
    choices: dict = field(default_factory=dict)
    owner: str = ""


class Store:
    """Workspaces of a server, in a file that several processes may share. The first change creates the file."""

    def __init__(self, limits: WorkspaceLimits, now: Callable[[], float] = time.time) -> None:
        if limits.path is None:
            raise ValueError("`limits.path` is None")
        self.limits, self.path, self._now = limits, Path(limits.path), now
        self._wait, self._logged = BUSY, dict[str, float]()

    def check(self, size: int = 0) -> None:
        """Raise WorkspaceSaveError if it is known, without writing, that `size` bytes cannot be stored now.

        The list of workspaces is read as a whole, so that its damage is found. The uploads are not.
        """
        with self._reading() as base:
            state = base.execute("PRAGMA quick_check('workspaces')").fetchone()[0]
            if state != "ok":
                raise self._failure(sqlite3.Error(state), "damaged")
        with self._raising_failures():
            folder = next(parent for parent in self.path.absolute().parents if parent.exists())
            changed = [folder, self.path] if self.path.exists() else [folder]
            if not (folder.is_dir() and all(os.access(path, os.W_OK) for path in changed)):
                raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(self.path))
            if shutil.disk_usage(folder).free < size + MEGABYTE:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))

    def save(self, workspace: Workspace) -> Workspace:
        """Store uploads and choices; return the workspace with its tokens, which are created when it is first saved.

        Raises WorkspaceSaveError if uploads are too large, the server is full, the workspace
        belongs to another user, or the file cannot be written.
        """
        for name in (workspace.name, *(name for name, _ in workspace.files)):
            if not is_plain(name):
                raise WorkspaceSaveError(_store_text("store.odd_name"))
        size = sum(len(content) for _, content in workspace.files)
        self._check_size(size + len(json.dumps(workspace.choices)))
        if not workspace.link:
            workspace = replace(
                workspace, link=secrets.token_urlsafe(24), view=secrets.token_urlsafe(24)
            )
        files = {_digest(content): zlib.compress(content, 1) for _, content in workspace.files}
        with self._writing() as base:
            self._delete_expired(base)
            self._write(base, workspace, size)
            base.execute("DELETE FROM contents WHERE link = ?", [workspace.link])
            rows = [(workspace.link, *digest_and_content) for digest_and_content in files.items()]
            base.executemany("INSERT INTO contents VALUES (?, ?, ?)", rows)
        return workspace

    def _check_size(self, size: int) -> None:
        """Raise WorkspaceSaveError if files and choices are too large for a workspace."""
        most = self.limits.workspace_mb
        if size > most * MEGABYTE:
            raise WorkspaceSaveError(
                _store_text("store.too_large", size=size / MEGABYTE, limit=most)
            )

    def _check_room(self, base: sqlite3.Connection, link: str, size: int) -> int:
        """Raise WorkspaceSaveError if a workspace does not fit; return the bytes of all with it."""
        query = f"SELECT {_BYTES} FROM workspaces WHERE link != ?"
        total = base.execute(query, [link]).fetchone()[0] + size
        if total > self.limits.store_mb * MEGABYTE:
            raise WorkspaceSaveError(_store_text("store.server_full", limit=self.limits.store_mb))
        return total

    def choose(self, link: str, choices: dict, owner: str = "") -> bool:
        """Store choices only; return whether the owner still has this workspace.

        Raises WorkspaceSaveError if the choices are too large.
        """
        text = json.dumps(choices)
        parameters = (text, self._now(), link, owner)
        with self._writing() as base:
            row = base.execute("SELECT size FROM workspaces WHERE link = ?", [link]).fetchone()
            size = len(text) + (row[0] if row else 0)
            self._check_size(size)
            self._check_room(base, link, size)
            query = "UPDATE workspaces SET choices = ?, used = ? WHERE link = ? AND owner = ?"
            cursor = base.execute(query, parameters)
        return cursor.rowcount > 0

    def rename(self, link: str, name: str, owner: str = "") -> None:
        """Rename a workspace of an owner, if it exists; names are cut to `LONGEST_NAME` characters."""
        query = "UPDATE workspaces SET name = ? WHERE link = ? AND owner = ?"
        with self._writing() as base:
            base.execute(query, (plain_name(name)[:LONGEST_NAME], link, owner))

    def delete(self, link: str, owner: str = "") -> None:
        """Delete a workspace of an owner with its files, if it exists."""
        with self._writing() as base:
            self._delete(base, "deleted", "link = ? AND owner = ?", link, owner)

    def open(self, token: str, owner: str = "") -> Workspace | None:
        """Return the workspace of a token, None if there is none for this user; anyone may use a read-only token.

        The visit is recorded if the file can be written.
        """
        if not is_plain(token):
            return None
        with self._reading() as base:
            row = base.execute(
                "SELECT link, view, name, files, choices, owner, used, size FROM workspaces "
                "WHERE (link = ? AND owner = ?) OR view = ?",
                (token, owner, token),
            ).fetchone()
            if row is None:
                return None
            link, view, name, files, choices, whose, used, size = row
            content_of = dict(
                base.execute("SELECT digest, content FROM contents WHERE link = ?", [link])
            )
            with self._decoding():
                contents = tuple(
                    (file, _decompressed(content_of[digest], size))
                    for file, digest in json.loads(files)
                )
                choices = json.loads(choices)
        if self._now() > used + HOUR:
            with suppress(WorkspaceSaveError), self._writing() as base:
                base.execute("UPDATE workspaces SET used = ? WHERE link = ?", (self._now(), link))
                self._delete_expired(base)
        link = link if token == link else ""
        return Workspace(
            link=link, view=view, name=name, files=contents, choices=choices, owner=whose
        )

    def has(self, link: str, owner: str = "") -> bool:
        """Return whether a workspace of an owner is stored."""
        with self._reading() as base:
            return bool(
                base.execute(
                    "SELECT 1 FROM workspaces WHERE link = ? AND owner = ?", (link, owner)
                ).fetchone()
            )

    def why_deleted(self, token: str, owner: str = "") -> str:
        """Return "deleted" or "expired" for a token of a deleted workspace, "" if no deletion is known."""
        if not is_plain(token):
            return ""
        with self._reading() as base:
            if not base.execute("PRAGMA user_version").fetchone()[0]:
                return ""
            query = "SELECT why FROM deleted WHERE digest IN (?, ?)"
            row = base.execute(
                query, (_digest(f"{token} {owner}".encode()), _digest(token.encode()))
            ).fetchone()
        return row[0] if row else ""

    def chunks(self, link: str, simulation: str) -> dict[int, bytes]:
        """Return the stored chunks of a simulation by number, from the workspace with this link or read-only link."""
        with self._reading() as base:
            link_of_view = "(SELECT link FROM workspaces WHERE view = ?)"
            query = f"SELECT number, content FROM chunks WHERE link IN (?, {link_of_view}) AND simulation = ?"
            return dict(base.execute(query, (link, link, simulation)))

    def keep_chunks(self, link: str, simulation: str, chunks: Mapping[int, bytes]) -> None:
        """Store chunks of a simulation, in place of other simulations of the workspace if the size limit requires it.

        Nothing is stored if the limits leave no room: chunks can be computed again.
        """
        new = sum(map(len, chunks.values()))
        with self._writing() as base:
            stored = _chunk_bytes(base, "WHERE link = ?", link)
            if stored + new > self.limits.session_mb * MEGABYTE:
                base.execute(
                    "DELETE FROM chunks WHERE link = ? AND simulation != ?", (link, simulation)
                )
                stored = _chunk_bytes(base, "WHERE link = ?", link)
            (files,) = base.execute(f"SELECT {_BYTES} FROM workspaces").fetchone()
            fits = stored + new <= self.limits.session_mb * MEGABYTE
            fits = fits and bool(
                base.execute("SELECT 1 FROM workspaces WHERE link = ?", [link]).fetchone()
            )
            if fits and files + _chunk_bytes(base) + new <= self.limits.store_mb * MEGABYTE:
                rows = [
                    (link, simulation, *number_and_content) for number_and_content in chunks.items()
                ]
                base.executemany("INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?)", rows)

    def of(self, owner: str) -> list[tuple[str, str]]:
        """Return (link, name) of a user's workspaces, the most recently used first; [] without sign-in."""
        query = (
            "SELECT link, name FROM workspaces WHERE owner = ? AND owner != '' ORDER BY used DESC"
        )
        with self._reading() as base:
            return base.execute(query, [owner]).fetchall()

    def summary(self) -> tuple[int, int, int]:
        """Return the number of workspaces, the size of their files in bytes, and the number of expired workspaces."""
        query = (
            "SELECT COUNT(*), COALESCE(SUM(size), 0), COALESCE(SUM(used < ?), 0) FROM workspaces"
        )
        with self._reading() as base:
            return base.execute(query, [self._now() - self.limits.days * DAY]).fetchone()

    def delete_expired(self, *, at_once: bool = False) -> int:
        """Delete workspaces not visited within the retention period; return how many.

        A clock that is wrong once deletes nothing: unless `at_once`, a workspace must have been due
        for a day, in which the clock was not set back.
        """
        if not os.path.exists(self.path):
            return 0
        with self._writing() as base:
            return self._delete_expired(base, at_once=at_once)

    def _delete_expired(self, base: sqlite3.Connection, *, at_once: bool = False) -> int:
        now = self._now()
        oldest = now - self.limits.days * DAY
        base.execute("DELETE FROM due WHERE since > ?", [now])  # the clock was ahead then
        base.execute(
            "DELETE FROM due WHERE link IN (SELECT link FROM workspaces WHERE used >= ?)",
            [oldest + DAY],
        )
        due = "used < ? AND (? OR link IN (SELECT link FROM due WHERE since <= ?))"
        n_deleted = self._delete(base, "expired", due, oldest, at_once, now - DAY)
        base.execute(
            "INSERT OR IGNORE INTO due SELECT link, ? FROM workspaces WHERE used < ?",
            (now, oldest + DAY),
        )
        base.execute("DELETE FROM deleted WHERE at < ?", [now - DELETED_DAYS * DAY])
        return n_deleted

    def _delete(self, base: sqlite3.Connection, why: str, condition: str, *values: object) -> int:
        """Delete the workspaces that meet a condition, and store hashes of their links; return how many."""
        rows = base.execute(
            f"SELECT link, view, owner FROM workspaces WHERE {condition}", values
        ).fetchall()
        hashes = [
            _digest(text.encode())
            for link, view, owner in rows
            for text in (f"{link} {owner}", view)
        ]
        entries = [(digest, why, self._now()) for digest in hashes]
        base.executemany("INSERT OR REPLACE INTO deleted VALUES (?, ?, ?)", entries)
        base.executemany("DELETE FROM workspaces WHERE link = ?", [row[:1] for row in rows])
        return len(rows)

    def _write(self, base: sqlite3.Connection, workspace: Workspace, size: int) -> None:
        """Insert or update a workspace; raise WorkspaceSaveError if it does not fit or belongs to another user."""
        choices = json.dumps(workspace.choices)
        total = self._check_room(base, workspace.link, size + len(choices))
        if total + _chunk_bytes(base) > self.limits.store_mb * MEGABYTE:
            base.execute("DELETE FROM chunks")  # chunks can be computed again, files cannot
        owner_row = base.execute("SELECT owner FROM workspaces WHERE link = ?", [workspace.link])
        if (row := owner_row.fetchone()) and row[0] != workspace.owner:
            raise WorkspaceSaveError(_store_text("store.other_user"))
        files = [(name, _digest(content)) for name, content in workspace.files]
        base.execute(
            "INSERT INTO workspaces VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (link) DO UPDATE SET "
            "name = excluded.name, used = excluded.used, size = excluded.size, "
            "files = excluded.files, choices = excluded.choices",
            (
                *(workspace.link, workspace.view, workspace.owner),
                *(workspace.name[:LONGEST_NAME], self._now(), size),
                *(json.dumps(files), choices),
            ),
        )

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that needs no permission to write, to an empty database if there is no file yet."""
        with self._raising_failures(), closing(self._connect(writes=False)) as base:
            yield base

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection in a transaction, rolled back on errors; create or update the file if needed."""
        with self._raising_failures():
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self.path.exists():
                self.path.touch(mode=0o600)
            identity = self._identity()
            with closing(self._connect(writes=True)) as base:
                base.execute("BEGIN IMMEDIATE")
                yield base
                base.execute("COMMIT")
            if (
                self._identity() != identity
            ):  # nothing is acknowledged that went into a deleted file
                raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), str(self.path))
            self._wait = BUSY

    def _identity(self) -> tuple[int, int]:
        status = self.path.stat()
        return status.st_dev, status.st_ino

    def _connect(self, *, writes: bool) -> sqlite3.Connection:
        """Return a connection; raise WorkspaceSaveError for a file of another version or program."""
        base = self._open(writes=writes)
        try:
            version = base.execute("PRAGMA user_version").fetchone()[0]
            columns = self._checked_columns(base, version)
            base.execute("PRAGMA synchronous = FULL")
            base.execute("PRAGMA foreign_keys = ON")
            base.execute("PRAGMA secure_delete = ON")
            if writes and version < SCHEMA_VERSION:
                base.execute("PRAGMA journal_mode = WAL")
                base.executescript(
                    f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT"
                )
        except BaseException:
            base.close()
            raise
        if not writes and not columns:
            base.close()
            base = sqlite3.connect(":memory:")
            base.executescript(SCHEMA)
        return base

    def _open(self, *, writes: bool) -> sqlite3.Connection:
        """Return a connection to the file that can read its version, or to memory if nothing is stored yet."""
        address = ":memory:"
        if writes or self.path.exists():
            address = f"{self.path.absolute().as_uri()}?mode=rw"
        base = sqlite3.connect(address, uri=True, timeout=self._wait, isolation_level=None)
        try:
            base.execute("PRAGMA user_version").fetchone()
        except BaseException as error:
            base.close()
            if writes or not self._lacks_index_only(error):
                raise
            base = sqlite3.connect(f"{address}&mode=ro&immutable=1", uri=True, isolation_level=None)
        return base

    def _lacks_index_only(self, error: BaseException) -> bool:
        """Return whether only the index of the log cannot be created, as on a full disk.

        It is not needed while the log is empty.
        """
        if not isinstance(error, sqlite3.Error) or error.sqlite_errorcode & 0xFF in _CODES:
            return False
        log = self.path.with_name(f"{self.path.name}-wal")
        return not (log.exists() and log.stat().st_size)

    def _checked_columns(self, base: sqlite3.Connection, version: int) -> list[str]:
        """Return the columns of the stored table, [] if there is none; raise for a file of another version or program."""
        columns = [name for _, name, *_ in base.execute("PRAGMA table_info(workspaces)")]
        if version > SCHEMA_VERSION or columns not in ([], _COLUMNS):
            raise self._failure(sqlite3.Error(f"user_version = {version}"), "other_version")
        if not columns and base.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise self._failure(sqlite3.Error("no such table: workspaces"), "damaged")
        return columns

    @contextmanager
    def _raising_failures(self) -> Iterator[None]:
        """Raise WorkspaceSaveError for errors of SQLite and the system, and for odd input.

        What a visitor sends is no fault of the file, so it is not logged.
        """
        try:
            yield
        except sqlite3.IntegrityError:
            raise WorkspaceSaveError(_store_text("store.link_in_use")) from None
        except (sqlite3.Error, OSError) as error:
            raise self._failure(error) from None
        except UnicodeEncodeError:
            raise WorkspaceSaveError(_store_text("store.odd_name")) from None

    @contextmanager
    def _decoding(self) -> Iterator[None]:
        """Raise WorkspaceSaveError for stored content that cannot be read."""
        try:
            yield
        except (zlib.error, KeyError, ValueError, TypeError, RecursionError) as error:
            raise self._failure(error, "damaged") from None

    def _failure(self, error: Exception, code: str = "") -> WorkspaceSaveError:
        """Return the error for visitors, and log its cause and remedy for the operator, at most once a minute."""
        state = code or _CODES.get(getattr(error, "sqlite_errorcode", -1) & 0xFF, "not_written")
        self._wait = BUSY_AGAIN if state == "busy" else BUSY
        failure = WorkspaceSaveError(_store_text(f"store.{state}"))
        failure.code = state
        failure.cause = _store_text(f"cause.{state}", path=self.path, reason=error)
        if time.monotonic() > self._logged.get(failure.cause, -MINUTE) + MINUTE:
            self._logged[failure.cause] = time.monotonic()
            _LOG.error("%s", failure.cause)
        return failure


def is_plain(text: str) -> bool:
    r"""Return whether a text has neither control characters nor halves of characters (surrogates).

    Examples
    --------
    >>> [is_plain(text) for text in ("a.csv", "été", "a\x1b.csv", "\ud800")]
    [True, True, False, False]
    """
    return plain_name(text) == text


def plain_name(text: str) -> str:
    """Return a text without control characters and halves of characters (surrogates)."""
    return "".join(letter for letter in text if unicodedata.category(letter) not in ("Cc", "Cs"))


def _decompressed(content: bytes, most: int) -> bytes:
    """Return decompressed content; raise ValueError if it is incomplete or longer than `most` bytes."""
    reader = zlib.decompressobj()
    text = reader.decompress(content, most + 1)
    if len(text) > most or not reader.eof:
        raise ValueError("the stated size of a file is wrong")
    return text


def _chunk_bytes(base: sqlite3.Connection, condition: str = "", *values: str) -> int:
    query = f"SELECT COALESCE(SUM(LENGTH(content)), 0) FROM chunks {condition}"
    return base.execute(query, values).fetchone()[0]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


ENDING = ".foldwise"
FORMAT = "foldwise workspace"
VERSION = 1
INDEX = "workspace.json"
MOST_FILES = 200
LARGEST_INDEX = MEGABYTE  # bytes
_ENTRY = b"PK\x01\x02"  # begins the entry of a file in the directory of a zip file


def pack(workspace: Workspace) -> bytes:
    """Return a workspace as the content of a `.foldwise` file."""
    paths = [f"files/{number}" for number in range(len(workspace.files))]
    index = {
        "format": FORMAT,
        "version": VERSION,
        "name": workspace.name,
        "files": [[name, path] for (name, _), path in zip(workspace.files, paths, strict=True)],
        "choices": workspace.choices,
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(INDEX, json.dumps(index, ensure_ascii=False, indent=1))
        for path, (_, content) in zip(paths, workspace.files, strict=True):
            packed.writestr(path, content)
    return buffer.getvalue()


def unpack(name: str, content: bytes, *, most_mb: int) -> Workspace:
    """Return the workspace in a `.foldwise` file; raise DataError if it is invalid or too large.

    Nothing is unpacked before the stated sizes are checked; more than the stated size is never
    unpacked.

    Examples
    --------
    >>> workspace = Workspace(name="mine", files=(("a.csv", b"x"),), choices={"families": {}})
    >>> unpack("mine.foldwise", pack(workspace), most_mb=1) == workspace
    True
    """
    if (n := content.count(_ENTRY)) > 2 * MOST_FILES:
        raise _refused(name, _store_text("unpack.many_files", n=n, most=MOST_FILES))
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            if packed.getinfo(INDEX).file_size > LARGEST_INDEX:
                raise _refused(name, _store_text("unpack.too_large"))
            index = json.loads(_read_member(packed, INDEX))
            json.dumps(index, ensure_ascii=False).encode()  # fails for halves of characters
            most = min(most_mb * MEGABYTE, current_limits().largest_unpacked(len(content)))
            return _checked(packed, index, most, name)
    except (DataError, MemoryError):
        raise
    except (ValueError, KeyError, TypeError, AttributeError, OSError, EOFError) as error:
        raise _refused(name, _store_text("unpack.unreadable", kind=type(error).__name__)) from None
    except Exception:  # each of the ways to pack a file has errors of its own
        raise _refused(name, _store_text("unpack.damaged")) from None


def _checked(packed: zipfile.ZipFile, index: dict, most: int, name: str) -> Workspace:
    """Return the workspace in an open file; raise DataError if its version, size or content is not allowed."""
    if index["format"] != FORMAT or index["version"] != VERSION:
        form = {"format": str(index["format"])[:40], "version": f"{index['version']!r:.20}"}
        raise _refused(name, _store_text("unpack.other_format", **form))
    if len(index["files"]) > MOST_FILES:
        raise _refused(
            name, _store_text("unpack.many_files", n=len(index["files"]), most=MOST_FILES)
        )
    if sum(packed.getinfo(str(path)).file_size for _, path in index["files"]) > most:
        raise _refused(name, _store_text("unpack.too_large"))
    files = [
        (str(file_name), _read_member(packed, str(path))) for file_name, path in index["files"]
    ]
    if not all(map(is_plain, (str(index["name"]), *(file_name for file_name, _ in files)))):
        raise _refused(name, _store_text("unpack.odd_name"))
    choices = index["choices"]
    if not isinstance(choices, dict):
        raise _refused(name, _store_text("unpack.no_settings"))
    return Workspace(name=str(index["name"])[:LONGEST_NAME], files=tuple(files), choices=choices)


def _read_member(packed: zipfile.ZipFile, path: str) -> bytes:
    """Return a member of a zip file without unpacking more than its stated size."""
    with packed.open(path) as member:
        return member.read(packed.getinfo(path).file_size)


def _refused(name: str, reason: str) -> DataError:
    must = _store_text("unpack.must", version=VERSION)
    return DataError([Problem(file=name, must=must, found=reason, do=_store_text("unpack.do"))])


Sums = dict[str, np.ndarray]


@dataclass(frozen=True)
class WorkspaceChunks:
    """Simulation chunks stored in a workspace.

    Attributes
    ----------
    limits : WorkspaceLimits
        Limits of the store.
    link : str
        Link of the workspace.
    """

    limits: WorkspaceLimits
    link: str

    def load(self, key: str) -> dict[int, Sums]:
        """Return the readable chunks of a simulation by number; {} if the store cannot be used."""
        chunks = {}
        with suppress(WorkspaceSaveError):
            for number, content in Store(self.limits).chunks(self.link, key).items():
                with suppress(KeyError):
                    chunks[number] = _read_chunk(io.BytesIO(content), number)
        return chunks

    def save(self, key: str, chunks: Mapping[int, Sums]) -> None:
        """Store further chunks of a simulation, if the store can be used."""
        written = {}
        for number, sums in chunks.items():
            file = io.BytesIO()
            _write_chunk(file, sums)
            written[number] = file.getvalue()
        with suppress(WorkspaceSaveError):
            Store(self.limits).keep_chunks(self.link, key, written)


def _write_chunk(file: IO[bytes], sums: Sums) -> None:
    """Write the arrays of a chunk."""
    np.savez(file, **sums)  # type: ignore[arg-type] # no array is called `allow_pickle`


def _read_chunk(file: IO[bytes], number: int) -> Sums:
    """Return the arrays of a chunk without loading pickled objects; raise KeyError if it is unreadable."""
    try:
        with np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        raise KeyError(number) from None


class ChunkFolder(MutableMapping[int, Sums]):
    """Simulation chunks by number, stored as files in a folder.

    Files are written atomically, by renaming a temporary file. Unreadable files count as missing.
    Several processes may use the same folder.
    """

    def __init__(self, folder: Path, key: str) -> None:
        self._folder = Path(folder) / key

    def _file(self, number: int) -> Path:
        return self._folder / f"{number}.npz"

    def __getitem__(self, number: int) -> Sums:
        try:
            file = self._file(number).open("rb")
        except OSError:
            raise KeyError(number) from None
        with file:
            return _read_chunk(file, number)

    def __setitem__(self, number: int, sums: Sums) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        temporary = self._folder / f"{number}.{os.getpid()}.part"
        with temporary.open("wb") as file:
            _write_chunk(file, sums)
        temporary.replace(self._file(number))

    def __delitem__(self, number: int) -> None:
        try:
            self._file(number).unlink()
        except FileNotFoundError:
            raise KeyError(number) from None

    def __iter__(self) -> Iterator[int]:
        return iter(sorted(int(path.stem) for path in self._folder.glob("*.npz")))

    def __len__(self) -> int:
        return len(list(self._folder.glob("*.npz")))
