"""Stored chunks of simulations, in a folder or a workspace, to resume them later."""

import os
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO
from zipfile import BadZipFile

import numpy as np

from foldwise.workspaces.store import Store, WorkspaceLimits, WorkspaceSaveError

Sums = dict[str, np.ndarray]


@dataclass(frozen=True)
class WorkspaceChunks:
    """Chunks of simulations in a workspace; what cannot be stored is computed again.

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
        """Return the readable chunks of a simulation by number."""
        chunks = {}
        with suppress(WorkspaceSaveError):
            for number, content in Store(self.limits).chunks(self.link, key).items():
                with suppress(KeyError):
                    chunks[number] = _read(BytesIO(content), number)
        return chunks

    def save(self, key: str, chunks: Mapping[int, Sums]) -> None:
        """Store further chunks."""
        written = {}
        for number, sums in chunks.items():
            np.savez(file := BytesIO(), **sums)
            written[number] = file.getvalue()
        with suppress(WorkspaceSaveError):
            Store(self.limits).keep_chunks(self.link, key, written)


def _read(file: IO[bytes], number: int) -> Sums:
    """Return the arrays of a chunk; pickled objects are not loaded."""
    try:
        with np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError, EOFError, BadZipFile):
        raise KeyError(number) from None


class ChunkFolder(MutableMapping[int, Sums]):
    """Chunks of a simulation by number, one file each in a folder.

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
            return _read(file, number)

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
