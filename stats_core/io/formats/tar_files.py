"""Files in tar archives, read in one pass whose time is linear in their size.

The module `tarfile` searches headers with patterns that take quadratic time in several versions of
Python, and unpacks sparse files of any stated size.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from stats_core.io.formats import MOST_MEMBERS

_BLOCK = 512
_FILES = (b"0", b"\0", b"7")  # types of regular files
_LONG_NAME, _ONE, _ALL, _SPARSE = b"L", b"x", b"g", b"S"
_LONGEST_NUMBER = 20  # digits of the length of an extended header


class BrokenTar(ValueError):
    """The archive is damaged or too large; the text is a code of "archive" phrases."""


class Member(NamedTuple):
    """A regular file in a tar archive: its path and the place of its content."""

    path: str
    start: int
    size: int


def is_tar(content: bytes) -> bool:
    """Return whether content is a tar archive."""
    return content[257:262] == b"ustar"


def members(content: bytes) -> list[Member]:
    """Return the regular files in a tar archive; raise BrokenTar if it is damaged.

    Examples
    --------
    >>> members(bytes(1024))
    []
    """
    return list(_members(content))


def _members(content: bytes) -> Iterator[Member]:
    offset, n = 0, 0
    for_all: dict[str, str] = {}
    for_next: dict[str, str] = {}
    while head := content[offset : offset + _BLOCK].rstrip(b"\0"):
        n += 1
        if n > MOST_MEMBERS:
            raise BrokenTar("files")
        head = head.ljust(_BLOCK, b"\0")
        _check_sum(head)
        kind, start = head[156:157], offset + _BLOCK
        settings = {**for_all, **for_next}
        is_file = kind not in (_LONG_NAME, _ONE, _ALL)
        stated = settings.get("size", "") if is_file else ""
        size = int(stated) if _is_number(stated) else _number(head[124:136])
        if size > len(content) - start:
            raise BrokenTar("end")
        offset = start + -(-size // _BLOCK) * _BLOCK
        data = content[start : start + size] if not is_file else b""
        if kind == _LONG_NAME:
            for_next["path"] = _text(data)
        elif kind == _ONE:
            for_next |= _extended(data)
        elif kind == _ALL:
            for_all |= _extended(data)
        else:
            if kind == _SPARSE or any(key.startswith("GNU.sparse") for key in settings):
                raise BrokenTar("sparse")
            path = settings.get("path", "") or _path(head)
            if kind in _FILES and not path.endswith("/"):
                yield Member(path, start, size)
            for_next = {}


def _check_sum(head: bytes) -> None:
    """Raise BrokenTar if the sum of a header differs from the one stated in it."""
    total = sum(head) - sum(head[148:156]) + 8 * ord(" ")
    if total != _number(head[148:156]):
        raise BrokenTar("header")


def _number(field: bytes) -> int:
    """Return a number in octal digits, or in bytes behind a mark; BrokenTar for others."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b"\0 ")
    if not re.fullmatch(rb"[0-7]*", digits):
        raise BrokenTar("header")
    return int(digits or b"0", 8)


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "replace")


def _path(head: bytes) -> str:
    """Return the path in a header, of which POSIX stores the folders apart."""
    folders = _text(head[345:500]) if head[257:263] == b"ustar\0" else ""
    return f"{folders}/{_text(head[:100])}" if folders else _text(head[:100])


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER


def _extended(data: bytes) -> dict[str, str]:
    """Return the entries of an extended header, each "length key=value"."""
    entries: dict[str, str] = {}
    offset = 0
    while offset < len(data) and data[offset] != 0:
        end_of_length = data.find(b" ", offset, offset + _LONGEST_NUMBER)
        length = data[offset : max(end_of_length, offset)].decode("ascii", "replace")
        if not _is_number(length) or not offset + int(length) > end_of_length:
            raise BrokenTar("header")
        key, _, value = data[end_of_length + 1 : offset + int(length) - 1].partition(b"=")
        entries[key.decode("utf-8", "replace")] = value.decode("utf-8", "replace")
        offset += int(length)
    return entries
