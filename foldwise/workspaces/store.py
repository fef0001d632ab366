"""Workspaces in an SQLite file and as `.foldwise` files, and stored chunks of simulations."""

import hashlib
import io
import json
import os
import secrets
import sqlite3
import time
import tomllib
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
BUSY = 10  # seconds to wait for a lock of another process
LONGEST_NAME = 80


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


def limits(environment: Mapping[str, str] | None = None, file: Path | None = None) -> WorkspaceLimits:
    """Return the limits of workspaces, from environment variables, else a file, else defaults; SettingError if invalid.

    Examples
    --------
    >>> limits({"FOLDWISE_WORKSPACES": "off", "FOLDWISE_DAYS": "7"})
    WorkspaceLimits(path=None, days=7, workspace_mb=200, store_mb=5000, session_mb=256, memory_mb=2000)
    """
    environment = os.environ if environment is None else environment
    names = ("workspaces", *_NUMBERS)
    from_environment = {name: environment.get(f"FOLDWISE_{name.upper()}") for name in names}
    settings = _of_file(file, names) | {name: value for name, value in from_environment.items() if value}
    home = environment.get("XDG_DATA_HOME") or environment.get("LOCALAPPDATA") or Path("~", ".local", "share")
    location = str(settings.pop("workspaces", "")) or str(Path(home) / "foldwise" / "workspaces.sqlite3")
    return WorkspaceLimits(
        path=None if location.lower() in (OFF, "false", "no") else Path(location).expanduser(),
        **{name: _number(name, value) for name, value in settings.items()},
    )


def _of_file(file: Path | None, names: Collection[str]) -> dict:
    """Return the settings of the configuration file, {} without one; raise SettingError if it is invalid."""
    usual = (Path(".streamlit", "foldwise.toml"), installed_path(".streamlit", "foldwise.toml"))
    config_file = next((candidate for candidate in ([file] if file else usual) if candidate.is_file()), None)
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


class WorkspaceSaveError(FoldwiseError):
    """Raised when the file of workspaces cannot be used, or a workspace may not be saved."""


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
    """Workspaces of a server, in a file that several processes may share."""

    def __init__(self, limits: WorkspaceLimits, now: Callable[[], float] = time.time) -> None:
        """Create the file if needed, and delete expired workspaces; raise WorkspaceSaveError if that fails."""
        if limits.path is None:
            raise ValueError("`limits.path` is None")
        self.limits, self.path, self._now = limits, Path(limits.path), now
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.touch(mode=0o600)
            with closing(self._connect()) as base:
                base.execute("PRAGMA journal_mode = WAL")
                base.executescript(SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise WorkspaceSaveError(_store_text("store.not_written", reason=error)) from None
        self.forget_old()

    def save(self, workspace: Workspace) -> Workspace:
        """Store uploads and choices; return the workspace with its tokens, which are created when it is first saved.

        Raises WorkspaceSaveError if uploads are too large, the server is full, the workspace belongs to another
        user, or the file cannot be written.
        """
        size = sum(len(content) for _, content in workspace.files)
        if size > self.limits.workspace_mb * MEGABYTE:
            most = self.limits.workspace_mb
            raise WorkspaceSaveError(_store_text("store.too_large", size=size / MEGABYTE, limit=most))
        if not workspace.link:
            tokens = {"link": secrets.token_urlsafe(24), "view": secrets.token_urlsafe(24)}
            workspace = replace(workspace, **tokens)
        files = {_digest(content): zlib.compress(content, 1) for _, content in workspace.files}
        with self._writing() as base:
            self._write(base, workspace, size)
            base.execute("DELETE FROM contents WHERE link = ?", [workspace.link])
            rows = [(workspace.link, *digest_and_content) for digest_and_content in files.items()]
            base.executemany("INSERT INTO contents VALUES (?, ?, ?)", rows)
        return workspace

    def choose(self, link: str, choices: dict, owner: str = "") -> bool:
        """Store choices only; return whether the owner still has this workspace."""
        parameters = (json.dumps(choices), self._now(), link, owner)
        with self._writing() as base:
            query = "UPDATE workspaces SET choices = ?, used = ? WHERE link = ? AND owner = ?"
            cursor = base.execute(query, parameters)
        return cursor.rowcount > 0

    def rename(self, link: str, name: str, owner: str = "") -> None:
        """Rename a workspace of an owner, if it exists; names are cut to `LONGEST_NAME` characters."""
        query = "UPDATE workspaces SET name = ? WHERE link = ? AND owner = ?"
        with self._writing() as base:
            base.execute(query, (name[:LONGEST_NAME], link, owner))

    def delete(self, link: str, owner: str = "") -> None:
        """Delete a workspace of an owner with its files, if it exists."""
        with self._writing() as base:
            base.execute("DELETE FROM workspaces WHERE link = ? AND owner = ?", (link, owner))

    def open(self, token: str, owner: str = "") -> Workspace | None:
        """Return the workspace of a token, None if there is none for this user; anyone may use a read-only token."""
        with self._writing() as base:
            self._forget_old(base)
            row = base.execute(
                "SELECT link, view, name, files, choices, owner FROM workspaces "
                "WHERE (link = ? AND owner = ?) OR view = ?",
                (token, owner, token),
            ).fetchone()
            if row is None:
                return None
            link, view, name, files, choices, whose = row
            base.execute("UPDATE workspaces SET used = ? WHERE link = ?", (self._now(), link))
            content_of = dict(base.execute("SELECT digest, content FROM contents WHERE link = ?", [link]))
        contents = tuple((file, zlib.decompress(content_of[digest])) for file, digest in json.loads(files))
        link = link if token == link else ""
        return Workspace(link=link, view=view, name=name, files=contents, choices=json.loads(choices), owner=whose)

    def chunks(self, link: str, simulation: str) -> dict[int, bytes]:
        """Return the stored chunks of a simulation by number."""
        with self._writing() as base:
            query = "SELECT number, content FROM chunks WHERE link = ? AND simulation = ?"
            return dict(base.execute(query, (link, simulation)))

    def keep_chunks(self, link: str, simulation: str, chunks: Mapping[int, bytes]) -> None:
        """Store chunks of a simulation, in place of other simulations of the workspace if the size limit requires it.

        Nothing is stored if the limits leave no room: chunks can be computed again.
        """
        new = sum(map(len, chunks.values()))
        with self._writing() as base:
            stored = _chunk_bytes(base, "WHERE link = ?", link)
            if stored + new > self.limits.session_mb * MEGABYTE:
                base.execute("DELETE FROM chunks WHERE link = ? AND simulation != ?", (link, simulation))
                stored = _chunk_bytes(base, "WHERE link = ?", link)
            (files,) = base.execute("SELECT COALESCE(SUM(size), 0) FROM workspaces").fetchone()
            fits = stored + new <= self.limits.session_mb * MEGABYTE
            if fits and files + _chunk_bytes(base) + new <= self.limits.store_mb * MEGABYTE:
                rows = [(link, simulation, *number_and_content) for number_and_content in chunks.items()]
                base.executemany("INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?)", rows)

    def of(self, owner: str) -> list[tuple[str, str]]:
        """Return (link, name) of a user's workspaces, the most recently used first; [] without sign-in."""
        query = "SELECT link, name FROM workspaces WHERE owner = ? AND owner != '' ORDER BY used DESC"
        with closing(self._connect()) as base:
            return base.execute(query, [owner]).fetchall()

    def forget_old(self) -> None:
        """Delete workspaces not visited within the retention period."""
        with self._writing() as base:
            self._forget_old(base)

    def _forget_old(self, base: sqlite3.Connection) -> None:
        oldest = self._now() - self.limits.days * DAY
        base.execute("DELETE FROM workspaces WHERE used < ?", [oldest])

    def _write(self, base: sqlite3.Connection, workspace: Workspace, size: int) -> None:
        """Insert or update a workspace; raise WorkspaceSaveError if it does not fit or belongs to another user."""
        query = "SELECT COALESCE(SUM(size), 0) FROM workspaces WHERE link != ?"
        (stored,) = base.execute(query, [workspace.link]).fetchone()
        if stored + size > self.limits.store_mb * MEGABYTE:
            raise WorkspaceSaveError(_store_text("store.server_full", limit=self.limits.store_mb))
        if stored + size + _chunk_bytes(base) > self.limits.store_mb * MEGABYTE:
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
                *(json.dumps(files), json.dumps(workspace.choices)),
            ),
        )

    def _connect(self) -> sqlite3.Connection:
        base = sqlite3.connect(self.path, timeout=BUSY, isolation_level=None)
        base.execute("PRAGMA synchronous = FULL")
        base.execute("PRAGMA foreign_keys = ON")
        base.execute("PRAGMA secure_delete = ON")
        return base

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection in a transaction, rolled back on errors; raise WorkspaceSaveError for SQLite's."""
        try:
            with closing(self._connect()) as base:
                base.execute("BEGIN IMMEDIATE")
                try:
                    yield base
                except BaseException:
                    base.execute("ROLLBACK")
                    raise
                base.execute("COMMIT")
        except sqlite3.Error as error:
            raise WorkspaceSaveError(_store_text("store.not_written", reason=error)) from None


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

    Nothing is unpacked before the stated sizes are checked; more than the stated size is never unpacked.

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
            most = min(most_mb * MEGABYTE, current_limits().largest_unpacked(len(content)))
            return _checked(packed, index, most, name)
    except DataError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, OSError, EOFError) as error:
        raise _refused(name, _store_text("unpack.unreadable", kind=type(error).__name__)) from None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, RecursionError, zipfile.zlib.error):
        raise _refused(name, _store_text("unpack.damaged")) from None


def _checked(packed: zipfile.ZipFile, index: dict, most: int, name: str) -> Workspace:
    """Return the workspace in an open file; raise DataError if its version, size or content is not allowed."""
    if index["format"] != FORMAT or index["version"] != VERSION:
        form = {"format": str(index["format"])[:40], "version": f"{index['version']!r:.20}"}
        raise _refused(name, _store_text("unpack.other_format", **form))
    if len(index["files"]) > MOST_FILES:
        raise _refused(name, _store_text("unpack.many_files", n=len(index["files"]), most=MOST_FILES))
    if sum(packed.getinfo(str(path)).file_size for _, path in index["files"]) > most:
        raise _refused(name, _store_text("unpack.too_large"))
    files = [(str(file_name), _read_member(packed, str(path))) for file_name, path in index["files"]]
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
            np.savez(file := io.BytesIO(), **sums)
            written[number] = file.getvalue()
        with suppress(WorkspaceSaveError):
            Store(self.limits).keep_chunks(self.link, key, written)


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
            np.savez(file, **sums)
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
