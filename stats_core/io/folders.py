"""Keys of results taken from the folders and names of several files."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from stats_core.core.errors import DataError
from stats_core.core.formatting import join_names
from stats_core.data.predictions import same
from stats_core.io.parse_layout import FileTable
from stats_core.io.problems import data_error
from stats_core.io.profile import file_stem
from stats_core.io.vocabulary import model_among, names_folds


def short_names(paths: Sequence[str]) -> list[str]:
    """Return file names, with the folders that differ if two files share a name.

    Examples
    --------
    >>> short_names(["out/rf/scores.csv", "out/svm/scores.csv"])
    ['rf/scores.csv', 'svm/scores.csv']
    >>> short_names(["out/rf.csv", "out/svm.csv"])
    ['rf.csv', 'svm.csv']
    """
    parts = [PurePosixPath(path.replace("\\", "/")).parts for path in paths]
    names = [path_parts[-1] if path_parts else "" for path_parts in parts]
    if len(set(names)) == len(names):
        return names
    folders = [path_parts[:-1] for path_parts in parts]
    if len({len(path_parts) for path_parts in folders}) == 1:
        differing = [
            i for i in range(len(folders[0])) if len({path_parts[i] for path_parts in folders}) > 1
        ]
        folders = [tuple(path_parts[i] for i in differing) for path_parts in folders]
    else:
        while all(folders) and len({path_parts[0] for path_parts in folders}) == 1:
            folders = [path_parts[1:] for path_parts in folders]
    return ["/".join((*folder, name)) for folder, name in zip(folders, names, strict=True)]


def keys_of_folders(names: Sequence[str], missing: set[str]) -> list[dict[str, str]]:
    """Return the algorithm, data set or fold of each file according to its folders."""
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
        fold_keys = [key for key in ("fold", "repetition") if key in missing and key not in keys]
        if fold_keys and names_folds(level):
            keys[fold_keys[0]] = level
            levels.remove(level)
    open_keys = [key for key in ("algorithm", "dataset") if key in missing]
    if len(levels) == 2 and len(open_keys) == 2:
        names_models = [bool(model_among(set(level))) for level in levels]
        if names_models[0] == names_models[1]:
            raise _unclear(names, levels)
        keys["algorithm"], keys["dataset"] = levels if names_models[0] else levels[::-1]
    elif levels and open_keys:
        keys[open_keys[0]] = ["/".join(parts) for parts in zip(*levels, strict=True)]
    return [{key: level[i] for key, level in keys.items()} for i in range(len(names))]


def _check_names(names: Sequence[str]) -> None:
    """Refuse equal file names if only the names distinguish the algorithms."""
    duplicates = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if duplicates:
        raise data_error(
            "equal file names", duplicates[0], n=names.count(duplicates[0]), name=duplicates[0]
        )


def _check_crossed(names: Sequence[str]) -> None:
    """Refuse file names that cross two lists of words, as iris_rf, iris_svm, wine_rf."""
    words = [re.split(r"[\s_\-.]+", file_stem(name)) for name in names]
    if len({len(name_words) for name_words in words}) > 1:
        return
    levels = [level for level in zip(*words, strict=True) if len(set(level)) > 1]
    if len(levels) == 2 and len(set(levels[0])) * len(set(levels[1])) == len(names):
        raise _unclear(names, levels, "names of the files")


def _unclear(
    names: Sequence[str], levels: Sequence[Sequence[str]], what: str = "folders"
) -> DataError:
    first, second = (join_names(list(dict.fromkeys(level)), 3) for level in levels)
    return data_error("unclear folders", names[0], what=what, first=first, second=second)


def name_by_folder(piece: FileTable, keys: dict[str, str]) -> None:
    """Add the keys from the folders of a file to its rows."""
    for key, name in keys.items():
        if key not in piece.rows:
            predictions = piece.layout == "predictions"
            piece.rows[key] = same(name, len(piece.rows)) if predictions else name
            if key == "dataset":
                piece.tags = piece.tags.rename(index={"": name})


def shared_name(names: Sequence[str]) -> str:
    """Return the name of the only data set of several files that name algorithms.

    Examples
    --------
    >>> shared_name(["rf/scores.csv", "svm/scores.csv"]), shared_name(["rf.csv", "svm.csv"])
    ('scores', 'results')
    """
    stems = {file_stem(name) for name in names}
    return stems.pop() if len(stems) == 1 else "results"
