"""Workspaces in one SQLite file: what was acknowledged is on the disk."""

import hashlib
import json
import secrets
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from foldwise.workspaces.workspace_config import MEGABYTE, WorkspaceLimits
from stats_core.core.errors import FoldwiseError

DAY = 86_400  # seconds
BUSY = 10  # seconds to wait for another process that writes
LONGEST_NAME = 80
SCHEMA = """
CREATE TABLE IF NOT EXISTS workspaces (
    link TEXT PRIMARY KEY, view TEXT UNIQUE NOT NULL, owner TEXT NOT NULL, name TEXT NOT NULL,
    used REAL NOT NULL, size INTEGER NOT NULL, files TEXT NOT NULL, choices TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS contents (
    link TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE, digest TEXT NOT NULL,
    content BLOB NOT NULL, PRIMARY KEY (link, digest)
);
CREATE TABLE IF NOT EXISTS chunks (
    link TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE, simulation TEXT NOT NULL,
    number INTEGER NOT NULL, content BLOB NOT NULL, PRIMARY KEY (link, simulation, number)
);
CREATE INDEX IF NOT EXISTS by_owner ON workspaces (owner, used);
"""


class WorkspaceSaveError(FoldwiseError):
    """A workspace could not be saved; the message says why and what becomes of the data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """Uploads and what was chosen about them.

    Attributes
    ----------
    link : str
        What opens it for changes; "" for one that is only looked at, and before it is saved.
    view : str
        What opens it to be looked at.
    name : str
        What its owner calls it.
    files : tuple of (str, bytes)
        The uploads.
    choices : dict
        Mapping, families and the settings of the address, as plain data for JSON.
    owner : str
        Whom the sign-in names; "" without sign-in.
    """

    link: str = ""
    view: str = ""
    name: str = ""
    files: tuple[tuple[str, bytes], ...] = ()
    choices: dict = field(default_factory=dict)
    owner: str = ""


class Store:
    """The workspaces of a server; several processes may use the same file."""

    def __init__(self, limits: WorkspaceLimits, now: Callable[[], float] = time.time) -> None:
        if limits.path is None:
            raise ValueError("`limits.path` must name a file; workspaces are off")
        self.limits, self.path, self._now = limits, Path(limits.path), now
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.touch(mode=0o600)
            with closing(self._connect()) as base:
                base.execute("PRAGMA journal_mode = WAL")
                base.executescript(SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise WorkspaceSaveError(_why(error)) from None
        self.forget_old()

    def save(self, workspace: Workspace) -> Workspace:
        """Write uploads and choices; when this returns they are on the disk."""
        size = sum(len(content) for _, content in workspace.files)
        if size > self.limits.workspace_mb * MEGABYTE:
            raise WorkspaceSaveError(
                f"A workspace may hold {self.limits.workspace_mb} MB. These files are "
                f"{size / MEGABYTE:.1f} MB: they leave with your session."
            )
        if not workspace.link:
            tokens = {"link": secrets.token_urlsafe(24), "view": secrets.token_urlsafe(24)}
            workspace = replace(workspace, **tokens)
        files = {_digest(content): zlib.compress(content, 1) for _, content in workspace.files}
        with self._writing() as base:
            self._write(base, workspace, size)
            base.execute("DELETE FROM contents WHERE link = ?", [workspace.link])
            rows = [(workspace.link, *one) for one in files.items()]
            base.executemany("INSERT INTO contents VALUES (?, ?, ?)", rows)
        return workspace

    def choose(self, link: str, choices: dict, owner: str = "") -> bool:
        """Write choices alone; tell whether the workspace is still there."""
        asked = (json.dumps(choices), self._now(), link, owner)
        with self._writing() as base:
            done = base.execute(
                "UPDATE workspaces SET choices = ?, used = ? WHERE link = ? AND owner = ?", asked
            )
        return done.rowcount > 0

    def rename(self, link: str, name: str, owner: str = "") -> None:
        """Call a workspace something else."""
        with self._writing() as base:
            base.execute(
                "UPDATE workspaces SET name = ? WHERE link = ? AND owner = ?",
                (name[:LONGEST_NAME], link, owner),
            )

    def delete(self, link: str, owner: str = "") -> None:
        """Delete a workspace with its files."""
        with self._writing() as base:
            base.execute("DELETE FROM workspaces WHERE link = ? AND owner = ?", (link, owner))

    def open(self, token: str, owner: str = "") -> Workspace | None:
        """Return the workspace behind a link, None if there is none for this user."""
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
            found = dict(
                base.execute("SELECT digest, content FROM contents WHERE link = ?", [link])
            )
        return Workspace(
            link=link if token == link else "",
            view=view,
            name=name,
            files=tuple((one, zlib.decompress(found[digest])) for one, digest in json.loads(files)),
            choices=json.loads(choices),
            owner=whose,
        )

    def chunks(self, link: str, simulation: str) -> dict[int, bytes]:
        """Return the chunks of a simulation that a workspace keeps, by their number."""
        with self._writing() as base:
            asked = "SELECT number, content FROM chunks WHERE link = ? AND simulation = ?"
            return dict(base.execute(asked, (link, simulation)))

    def keep_chunks(self, link: str, simulation: str, chunks: Mapping[int, bytes]) -> None:
        """Keep more of them, instead of those of other simulations where a session may not hold both.

        Where a file would have no place beside them they are not kept: they can be computed again.
        """
        new = sum(map(len, chunks.values()))
        with self._writing() as base:
            held = _chunk_bytes(base, "WHERE link = ?", link)
            if held + new > self.limits.session_mb * MEGABYTE:
                base.execute(
                    "DELETE FROM chunks WHERE link = ? AND simulation != ?", (link, simulation)
                )
                held = _chunk_bytes(base, "WHERE link = ?", link)
            (files,) = base.execute("SELECT COALESCE(SUM(size), 0) FROM workspaces").fetchone()
            every = files + _chunk_bytes(base) + new
            if held + new > self.limits.session_mb * MEGABYTE:
                return
            if every > self.limits.store_mb * MEGABYTE:
                return
            rows = [(link, simulation, *one) for one in chunks.items()]
            base.executemany("INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?)", rows)

    def of(self, owner: str) -> list[tuple[str, str]]:
        """Return links and names of a signed-in user's workspaces, the last used first."""
        if not owner:
            return []
        with closing(self._connect()) as base:
            return base.execute(
                "SELECT link, name FROM workspaces WHERE owner = ? ORDER BY used DESC", [owner]
            ).fetchall()

    def forget_old(self) -> None:
        """Delete what nobody has visited for as long as the limits say."""
        with self._writing() as base:
            self._forget_old(base)

    def _forget_old(self, base: sqlite3.Connection) -> None:
        oldest = self._now() - self.limits.days * DAY
        base.execute("DELETE FROM workspaces WHERE used < ?", [oldest])

    def _write(self, base: sqlite3.Connection, workspace: Workspace, size: int) -> None:
        others = "SELECT COALESCE(SUM(size), 0) FROM workspaces WHERE link != ?"
        (held,) = base.execute(others, [workspace.link]).fetchone()
        if held + size > self.limits.store_mb * MEGABYTE:
            raise WorkspaceSaveError(
                f"The workspaces of this server may hold {self.limits.store_mb} MB, and are full: "
                "your files leave with your session. Delete a workspace, or ask who runs the server."
            )
        if held + size + _chunk_bytes(base) > self.limits.store_mb * MEGABYTE:
            base.execute("DELETE FROM chunks")  # can be computed again, files cannot
        known = base.execute("SELECT owner FROM workspaces WHERE link = ?", [workspace.link])
        if (row := known.fetchone()) and row[0] != workspace.owner:
            raise WorkspaceSaveError(
                "This workspace belongs to someone else. Keep a copy of your own."
            )
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
        """Give a connection whose changes all come to the disk, or none."""
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
            raise WorkspaceSaveError(_why(error)) from None


def _chunk_bytes(base: sqlite3.Connection, where: str = "", *values: str) -> int:
    asked = f"SELECT COALESCE(SUM(LENGTH(content)), 0) FROM chunks {where}"
    return base.execute(asked, values).fetchone()[0]


def _why(error: Exception) -> str:
    return f"Workspaces cannot be written on this server ({error}): your files leave with your session."


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
