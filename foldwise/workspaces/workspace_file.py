"""Workspaces as `.foldwise` files: a zip of the uploads and a JSON file of the choices."""

import io
import json
import zipfile

from foldwise.workspaces.store import LONGEST_NAME, MEGABYTE, Workspace
from stats_core.core.errors import DataError, Problem

ENDING = ".foldwise"
FORMAT = "foldwise workspace"
VERSION = 1
INDEX = "workspace.json"
MOST_FILES = 200
LARGEST_INDEX = MEGABYTE  # bytes


def pack(workspace: Workspace) -> bytes:
    """Return a workspace as the bytes of a file that `unpack` reads."""
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
    """Return the workspace in a file; raise DataError if it is invalid or exceeds limits.

    Examples
    --------
    >>> workspace = Workspace(name="mine", files=(("a.csv", b"x"),), choices={"families": {}})
    >>> unpack("mine.foldwise", pack(workspace), most_mb=1) == workspace
    True
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            index = json.loads(_read(packed, INDEX, LARGEST_INDEX, name))
            return _understood(packed, index, most_mb * MEGABYTE, name)
    except DataError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, OSError, EOFError) as error:
        raise _refused(name, f"{type(error).__name__} while reading the file") from None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, RecursionError, zipfile.zlib.error):
        raise _refused(name, "the file is damaged or has another format") from None


def _understood(packed: zipfile.ZipFile, index: dict, most: int, name: str) -> Workspace:
    if index["format"] != FORMAT or index["version"] != VERSION:
        raise _refused(name, f"the format is {str(index['format'])[:40]} {index['version']!r:.20}")
    if len(index["files"]) > MOST_FILES:
        raise _refused(name, f"the workspace has {len(index['files'])} files (at most {MOST_FILES})")
    files, n_bytes = [], 0
    for file_name, path in index["files"]:
        content = _read(packed, str(path), most - n_bytes, name)
        n_bytes += len(content)
        files.append((str(file_name), content))
    choices = index["choices"]
    if not isinstance(choices, dict):
        raise _refused(name, "the settings are not a JSON object")
    return Workspace(name=str(index["name"])[:LONGEST_NAME], files=tuple(files), choices=choices)


def _read(packed: zipfile.ZipFile, at: str, most: int, name: str) -> bytes:
    """Return a member of the zip; its size is limited while reading, not by its header."""
    with packed.open(at) as member:
        content = member.read(most + 1)
    if len(content) > most:
        raise _refused(name, "the content exceeds the limits of this server")
    return content


def _refused(name: str, arrived: str) -> DataError:
    problem = Problem(
        file=name,
        must=f"This file is not a workspace of Foldwise, version {VERSION}",
        found=f"Problem: {arrived}",
        do="Download the workspace again, or upload the result files",
    )
    return DataError([problem])
