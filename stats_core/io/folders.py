"""Files of one name in several folders: what the folders name."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from stats_core.core.errors import DataError, Problem
from stats_core.core.formatting import join_names
from stats_core.data.predictions import same
from stats_core.io.parse_layout import FileTable
from stats_core.io.profile import file_stem
from stats_core.io.vocabulary import model_among, names_folds


def short_names(paths: Sequence[str]) -> list[str]:
    """Return the names of files, with the folders that differ where two files have one name.

    Examples
    --------
    >>> short_names(["out/rf/scores.csv", "out/svm/scores.csv"])
    ['rf/scores.csv', 'svm/scores.csv']
    >>> short_names(["out/rf.csv", "out/svm.csv"])
    ['rf.csv', 'svm.csv']
    """
    parts = [PurePosixPath(path.replace("\\", "/")).parts for path in paths]
    names = [one[-1] if one else "" for one in parts]
    if len(set(names)) == len(names):
        return names
    folders = [one[:-1] for one in parts]
    if len({len(one) for one in folders}) == 1:
        kept = [i for i in range(len(folders[0])) if len({one[i] for one in folders}) > 1]
        folders = [tuple(one[i] for i in kept) for one in folders]
    else:
        while all(folders) and len({one[0] for one in folders}) == 1:
            folders = [one[1:] for one in folders]
    return ["/".join((*folder, name)) for folder, name in zip(folders, names, strict=True)]


def keys_of_folders(names: Sequence[str], missing: set[str]) -> list[dict[str, str]]:
    """Return what the folders of each file name: the algorithm, the data set or the fold."""
    folders = [tuple(name.split("/")[:-1]) for name in names]
    if not any(folders):
        if "algorithm" in missing:
            _check_names(names)
            if "dataset" in missing:
                _check_crossed(names)
        return [{} for _ in names]
    if len({len(folder) for folder in folders}) > 1:
        levels = [["/".join(folder) for folder in folders]]
    else:
        levels = [list(level) for level in zip(*folders, strict=True)]
    keys: dict[str, list[str]] = {}
    for level in list(levels):
        free = [key for key in ("fold", "repetition") if key in missing and key not in keys]
        if free and names_folds(level):
            keys[free[0]] = level
            levels.remove(level)
    wanted = [key for key in ("algorithm", "dataset") if key in missing]
    if len(levels) == 2 and len(wanted) == 2:
        told = [bool(model_among(set(level))) for level in levels]
        if told[0] == told[1]:
            raise _unclear(names, levels)
        keys["algorithm"], keys["dataset"] = levels if told[0] else levels[::-1]
    elif levels and wanted:
        keys[wanted[0]] = ["/".join(parts) for parts in zip(*levels, strict=True)]
    return [{key: level[i] for key, level in keys.items()} for i in range(len(names))]


def _check_names(names: Sequence[str]) -> None:
    """Refuse files of one name where the names are all that tells the algorithms apart."""
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise DataError(
            [
                Problem(
                    file=twice[0],
                    must="needs a name of its own, since no column names the algorithm",
                    found=f'{names.count(twice[0])} files are called "{twice[0]}"',
                    do="Name each file after its algorithm, or add a column algorithm",
                )
            ]
        )


def _check_crossed(names: Sequence[str]) -> None:
    """Refuse names of files that cross two lists of words, as iris_rf, iris_svm, wine_rf ... do."""
    words = [re.split(r"[\s_\-.]+", file_stem(name)) for name in names]
    if len({len(one) for one in words}) > 1:
        return
    levels = [level for level in zip(*words, strict=True) if len(set(level)) > 1]
    if len(levels) == 2 and len(set(levels[0])) * len(set(levels[1])) == len(names):
        raise _unclear(names, levels, "names of the files")


def _unclear(
    names: Sequence[str], levels: Sequence[Sequence[str]], what: str = "folders"
) -> DataError:
    first, second = (join_names(list(dict.fromkeys(level)), 3) for level in levels)
    return DataError(
        [
            Problem(
                file=names[0],
                must="needs a column that names the algorithm or the data set",
                found=f"The {what} differ in two parts ({first}; {second}), and either may "
                "name the algorithms",
                do="Add a column algorithm, or a column dataset",
            )
        ]
    )


def name_by_folder(piece: FileTable, keys: dict[str, str]) -> None:
    """Give the rows of a piece what the folders of its file name."""
    for key, name in keys.items():
        if key not in piece.rows:
            predictions = piece.layout == "predictions"
            piece.rows[key] = same(name, len(piece.rows)) if predictions else name
            if key == "dataset":
                piece.tags = piece.tags.rename(index={"": name})


def shared_name(names: Sequence[str]) -> str:
    """Return what to call the one data set of several files, which name the algorithms.

    Examples
    --------
    >>> shared_name(["rf/scores.csv", "svm/scores.csv"]), shared_name(["rf.csv", "svm.csv"])
    ('scores', 'results')
    """
    stems = {file_stem(name) for name in names}
    return stems.pop() if len(stems) == 1 else "results"
