"""Chunks of a simulation on disk, so that it goes on where it was stopped."""

import os
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

Sums = dict[str, np.ndarray]


class ChunkFolder(MutableMapping[int, Sums]):
    """The sums of chunks by their number, one file each, below a folder for each simulation.

    A file is whole or not there: it is written beside its place and then moved. One that cannot
    be read counts as not there. Several processes may use the same folder.

    Parameters
    ----------
    folder : Path
        Of all simulations.
    key : str
        `Simulation.key`.
    """

    def __init__(self, folder: Path, key: str) -> None:
        self._folder = Path(folder) / key

    def _file(self, number: int) -> Path:
        return self._folder / f"{number}.npz"

    def __getitem__(self, number: int) -> Sums:
        try:
            with np.load(self._file(number), allow_pickle=False) as found:
                return {name: found[name] for name in found.files}
        except (OSError, ValueError, EOFError, BadZipFile):
            raise KeyError(number) from None

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
