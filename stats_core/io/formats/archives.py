"""Files in zip and tar archives, among them the zip files of Inspect."""

import io
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from stats_core.io import text_table, vocabulary
from stats_core.io.formats import is_excel, json_records
from stats_core.io.problems import current_limits, data_error

_ZIP, _GZIP = b"PK\x03\x04", b"\x1f\x8b"
_HEAD = 512  # bytes that tell an archive
_ZSTD = 93  # compression method that zipfile reads from Python 3.14 on
_BROKEN = (OSError, EOFError, RuntimeError, ValueError, tarfile.TarError, zipfile.BadZipFile, zlib.error)


def unpacked(sources: Sequence[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """Return files, with archives replaced by the tables and logs in them; logs of Inspect remain zip files."""
    return [file for name, content in sources for file in _files_of(name, content)]


def head_of(content: bytes) -> bytes:
    """Return the first bytes of a file, unpacked if it is a gzip file."""
    if not content.startswith(_GZIP):
        return content[:_HEAD]
    with suppress(zlib.error):
        return zlib.decompressobj(wbits=31).decompress(content[: 8 * _HEAD], _HEAD)
    return b""


def _files_of(name: str, content: bytes) -> list[tuple[str, bytes]]:
    """Return the file, or the files of an archive; raise DataError if the archive is broken or has none."""
    is_zip, is_tar = content.startswith(_ZIP) and not is_excel(content), head_of(content)[257:262] == b"ustar"
    if not is_zip and not is_tar:
        return [(name, content)]
    try:
        if is_zip and not {"header.json", "_journal/start.json"}.isdisjoint(_names(content)):
            return [(name, content)]
        files = list((_zip_members if is_zip else _tar_members)(name, content))
    except _BROKEN as error:
        raise data_error("broken archive", name, error=error) from None
    if not files:
        raise data_error("archive without tables", name)
    current_limits().check(name, "files", len(files))
    return files


def _names(content: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return packed.namelist()


def _is_wanted(path: str) -> bool:
    """Return whether a file of an archive may hold a table or a log, by its ending."""
    is_hidden = any(part.startswith((".", "__MACOSX")) for part in path.split("/"))
    return (
        not is_hidden and path.removesuffix(".gz").rpartition(".")[2].lower() in vocabulary.WORDS["files of archives"]
    )


def _zip_members(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the files in a zip archive that may hold tables, within the limits."""
    size = 0
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        for info in packed.infolist():
            if not info.is_dir() and _is_wanted(info.filename):
                size += info.file_size
                current_limits().check_unpacked(name, len(content), size)
                yield info.filename, _member(packed, content, info)


def _tar_members(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the files in a tar archive that may hold tables."""
    with tarfile.open(fileobj=io.BytesIO(text_table.decompress(name, content))) as packed:
        for member in packed:
            if member.isfile() and _is_wanted(member.name) and (file := packed.extractfile(member)):
                yield member.name, file.read()


def _member(packed: zipfile.ZipFile, content: bytes, info: zipfile.ZipInfo) -> bytes:
    """Return an unpacked file of a zip archive, also if it is compressed with Zstandard."""
    if info.compress_type != _ZSTD:
        return packed.read(info)
    import pyarrow as pa

    lengths = content[info.header_offset + 26 : info.header_offset + 30]  # of the name and of other data
    start = info.header_offset + 30 + sum(int.from_bytes(lengths[i : i + 2], "little") for i in (0, 2))
    with pa.CompressedInputStream(pa.BufferReader(content[start : start + info.compress_size]), "zstd") as stream:
        return stream.read(info.file_size)


def inspect_log(name: str, content: bytes) -> dict[str, Any] | None:
    """Return the zip file of an Inspect log as the object that its JSON format holds, None for another file."""
    if not content.startswith(_ZIP) or is_excel(content):
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            infos = {info.filename: info for info in packed.infolist()}
            head = next((n for n in ("header.json", "_journal/start.json") if n in infos), "")
            if not head:
                return None
            samples = [n for n in infos if n.startswith("samples/") and n.endswith(".json")]
            wanted = [head, *(["summaries.json"] if "summaries.json" in infos else samples)]
            current_limits().check_unpacked(name, len(content), sum(infos[n].file_size for n in wanted))
            values = [json_records.parsed(n, _member(packed, content, infos[n]).decode()) for n in wanted]
    except _BROKEN as error:
        raise data_error("broken archive", name, error=error) from None
    return {**values[0], "samples": values[1] if wanted[1:] == ["summaries.json"] else values[1:]}
