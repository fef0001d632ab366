"""Chunks of a simulation on disk or in a workspace, so that it goes on where it was stopped."""

import os
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO
from zipfile import BadZipFile

import numpy as np

from foldwise.workspaces.store import Store, WorkspaceSaveError
from foldwise.workspaces.workspace_config import WorkspaceLimits

Sums = dict[str, np.ndarray]


@dataclass(frozen=True)
class WorkspaceChunks:
    """The chunks that a workspace keeps; where it cannot, they are computed again.

    Attributes
    ----------
    limits : Limits
        Of the store.
    link : str
        Of the workspace.
    """

    limits: WorkspaceLimits
    link: str

    def load(self, key: str) -> dict[int, Sums]:
        """Return those of a simulation, without what cannot be read."""
        found = {}
        with suppress(WorkspaceSaveError):
            for number, content in Store(self.limits).chunks(self.link, key).items():
                with suppress(KeyError):
                    found[number] = _read(BytesIO(content), number)
        return found

    def save(self, key: str, chunks: Mapping[int, Sums]) -> None:
        """Keep some more."""
        written = {}
        for number, sums in chunks.items():
            np.savez(file := BytesIO(), **sums)
            written[number] = file.getvalue()
        with suppress(WorkspaceSaveError):
            Store(self.limits).keep_chunks(self.link, key, written)


def _read(file: IO[bytes], number: int) -> Sums:
    """Return the sums of a chunk, never an object that a file could make up."""
    try:
        with np.load(file, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except (OSError, ValueError, EOFError, BadZipFile):
        raise KeyError(number) from None


class ChunkFolder(MutableMapping[int, Sums]):
    """The sums of chunks by their number, one file each, below a folder for each simulation.

    A file is whole or not there: it is written beside its place and then moved. One that cannot
    be read counts as not there. Several processes may use the same folder.
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
            return _read(file, number)

    def __setitem__(self, number: int, sums: Sums) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        beside = self._folder / f"{number}.{os.getpid()}.part"
        with beside.open("wb") as file:
            np.savez(file, **sums)
        beside.replace(self._file(number))

    def __delitem__(self, number: int) -> None:
        try:
            self._file(number).unlink()
        except FileNotFoundError:
            raise KeyError(number) from None

    def __iter__(self) -> Iterator[int]:
        return iter(sorted(int(path.stem) for path in self._folder.glob("*.npz")))

    def __len__(self) -> int:
        return len(list(self._folder.glob("*.npz")))
