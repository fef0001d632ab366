"""Sizes of Arrow and Parquet files, counted from their metadata before pyarrow builds anything.

Arrow files describe themselves in flatbuffers, whose parts may be referenced any number of times,
and Parquet pages in compact Thrift. Both are read here only as far as sizes need: what is counted
is what the references lead to, not what the file stores.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_BLOCK = struct.Struct("<qiiq")  # offset, bytes of metadata, padding, bytes of data
_MESSAGES = {2: "dictionary", 3: "rows"}
_MOST_FIELDS = 10  # nested fields per column that are allowed on average
_DEEPEST = 20  # levels of nested fields, or of Thrift structs


class Damaged(ValueError):
    """The metadata of a file leads outside of it, or repeats itself too often."""


@dataclass(kw_only=True)
class Sizes:
    """What a file would build.

    Attributes
    ----------
    columns, rows : int
        Size of the table.
    cells : int
        Values of all columns and of the dictionaries, nested ones included.
    size : int
        Bytes of all buffers, or pages, when unpacked.
    longest_name : int
        Bytes of the longest column name.
    can_repeat : bool
        Whether texts may be stored as differences from other texts.
    """

    columns: int = 0
    rows: int = 0
    cells: int = 0
    size: int = 0
    longest_name: int = 0
    can_repeat: bool = False


def _at(kind: str, content: bytes, offset: int) -> int:
    """Return the number at a place; raise Damaged outside of the content."""
    if not 0 <= offset <= len(content) - struct.calcsize(kind):
        raise Damaged
    return struct.unpack_from(kind, content, offset)[0]


class _Table:
    """A table of a flatbuffer; fields are numbered, and absent ones are 0, None or empty."""

    def __init__(self, content: bytes, offset: int) -> None:
        self._content = content
        self._offset = offset
        self._fields = offset - _at("<i", content, offset)
        self._n_fields = (_at("<H", content, self._fields) - 4) // 2

    @classmethod
    def root(cls, content: bytes) -> "_Table":
        return cls(content, _at("<I", content, 0))

    def _field(self, number: int) -> int:
        """Return the place of a field, 0 if it is absent."""
        if number >= self._n_fields:
            return 0
        distance = _at("<H", self._content, self._fields + 4 + 2 * number)
        return self._offset + distance if distance else 0

    def _target(self, number: int) -> int:
        """Return the place that a field refers to, 0 if it is absent."""
        offset = self._field(number)
        return offset + _at("<I", self._content, offset) if offset else 0

    def number(self, number: int, kind: str) -> int:
        offset = self._field(number)
        return _at(kind, self._content, offset) if offset else 0

    def table(self, number: int) -> "_Table | None":
        offset = self._target(number)
        return _Table(self._content, offset) if offset else None

    def length(self, number: int) -> int:
        """Return the length of a vector or text."""
        offset = self._target(number)
        return _at("<I", self._content, offset) if offset else 0

    def tables(self, number: int) -> Iterator["_Table"]:
        """Yield the tables of a vector, which may be the same one again and again."""
        start = self._target(number) + 4
        for i in range(self.length(number)):
            offset = start + 4 * i
            yield _Table(self._content, offset + _at("<I", self._content, offset))

    def structs(self, number: int, kind: struct.Struct) -> list[tuple]:
        """Return the structs of a vector, which lie one behind the other."""
        n, start = self.length(number), self._target(number) + 4
        if start + n * kind.size > len(self._content):
            raise Damaged
        return [kind.unpack_from(self._content, start + i * kind.size) for i in range(n)]

    def size_of_notes(self, number: int) -> int:
        """Return the bytes of a vector of keys and values."""
        return sum(note.length(0) + note.length(1) for note in self.tables(number))


_PAIR = struct.Struct("<qq")
_NUMBER = struct.Struct("<q")


def sizes_of_arrow(content: bytes, most_columns: int) -> Sizes:
    """Return what an Arrow file (Feather 2) would build; raise Damaged if its metadata is damaged.

    Dictionaries and batches count as often as the footer refers to them. Of more than
    `most_columns` columns only the number is counted.
    """
    footer_size = _at("<i", content, len(content) - 10)
    start = len(content) - 10 - footer_size
    if footer_size <= 0 or start < 0:
        raise Damaged
    footer = _Table.root(content[start:-10])
    schema = footer.table(1)
    if schema is None or schema.number(0, "<h"):  # numbers with the other order of bytes
        raise Damaged
    sizes = Sizes(columns=schema.length(1))
    if sizes.columns > most_columns:
        return sizes
    sizes.size += footer.size_of_notes(4) + schema.size_of_notes(2)
    left = _MOST_FIELDS * most_columns
    for field in schema.tables(1):
        sizes.longest_name = max(sizes.longest_name, field.length(0))
        left = _counted_fields(field, sizes, left, _DEEPEST)
    for number in (2, 3):
        for offset, _, _, data_size in footer.structs(number, _BLOCK):
            _add_message(content, offset, data_size, sizes)
    return sizes


def _counted_fields(field: _Table, sizes: Sizes, left: int, levels: int) -> int:
    """Add the texts of a field and of its nested fields; return how many may follow."""
    if left <= 0 or levels <= 0:
        raise Damaged
    sizes.size += field.length(0) + field.size_of_notes(6)
    left -= 1
    for child in field.tables(5):
        left = _counted_fields(child, sizes, left, levels - 1)
    return left


def _add_message(content: bytes, offset: int, data_size: int, sizes: Sizes) -> None:
    """Add what a batch of rows, or of a dictionary, builds."""
    has_mark = _at("<I", content, offset) == 0xFFFFFFFF  # absent from files of 2019 and before
    start = offset + (8 if has_mark else 4)
    end = start + _at("<i", content, start - 4)
    if not start < end <= len(content) or not 0 <= data_size <= len(content) - end:
        raise Damaged
    data = memoryview(content)[end : end + data_size]
    message = _Table.root(content[start:end])
    kind, batch = _MESSAGES.get(message.number(1, "<B")), message.table(2)
    if batch is not None and kind == "dictionary":
        batch = batch.table(1)
    if batch is None or kind is None:
        raise Damaged
    lengths = [length for length, _ in batch.structs(1, _PAIR)]
    rows = batch.number(0, "<q")
    if rows < 0 or min(lengths, default=0) < 0:
        raise Damaged
    sizes.rows += rows if kind == "rows" else 0
    sizes.cells += sum(lengths)
    sizes.size += message.size_of_notes(4)
    is_packed = batch.table(3) is not None
    for begin, length in batch.structs(2, _PAIR):
        if not 0 <= begin <= data_size - length or length < 0:
            raise Damaged
        sizes.size += max(_unpacked_size(data, begin, length) if is_packed else length, length)


def _unpacked_size(data: memoryview, begin: int, length: int) -> int:
    """Return the size of a compressed buffer, as it states in its first bytes."""
    return _NUMBER.unpack_from(data, begin)[0] if length >= _NUMBER.size else length


# ---- Parquet

_DELTA_TEXTS = 7  # encoding of texts as differences from the text before
_MOST_PAGES = 500_000
_MOST_PARTS = 1_000  # fields of a struct, or values of a list; the header of a page has few
_INT32, _TEXT, _STRUCT, _VARIABLE, _LISTS = 5, 8, 12, (4, 6), (9, 10)  # kinds of values
_FIXED = {1: 0, 2: 0, 3: 1, 7: 8}  # kinds -> bytes


def sizes_of_parquet(content: bytes, metadata: Any) -> Sizes:
    """Return what a Parquet file would build; raise Damaged if its pages are damaged.

    `metadata` is pyarrow's. Sizes are those in the headers of the pages, since those that the end
    of the file states are not binding.
    """
    sizes = Sizes(columns=metadata.num_columns, rows=metadata.num_rows)
    schema = metadata.schema
    columns = [schema.column(i) for i in range(metadata.num_columns)]
    widths = [column.length if column.physical_type[:5] == "FIXED" else 0 for column in columns]
    sizes.longest_name = max((len(column.path) for column in columns), default=0)
    pages = 0
    for i in range(metadata.num_row_groups):
        group = metadata.row_group(i)
        for width, j in zip(widths, range(metadata.num_columns), strict=True):
            chunk = group.column(j)
            sizes.cells += max(chunk.num_values, 0)
            sizes.size += max(chunk.num_values, 0) * width
            pages += _add_pages(content, chunk, sizes)
            if pages > _MOST_PAGES:
                raise Damaged
    return sizes


def _add_pages(content: bytes, chunk: Any, sizes: Sizes) -> int:
    """Add the pages of one column in one group of rows, as they are read; return their number."""
    offset = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < offset:
        offset = chunk.dictionary_page_offset
    end, values, pages = min(offset + chunk.total_compressed_size, len(content)), 0, 0
    while offset < end and values < chunk.num_values:
        header, data = _Thrift(content, offset).fields()
        unpacked, packed = (_whole(header, field) for field in (2, 3))
        if unpacked < 0 or packed < 0:
            raise Damaged
        sizes.size += unpacked
        for field, of_encoding in ((5, 2), (8, 4)):  # both versions of headers of data
            if isinstance(page := header.get(field), dict):
                values += _whole(page, 1)
                sizes.can_repeat |= _whole(page, of_encoding) == _DELTA_TEXTS
        offset = data + packed
        pages += 1
    return pages


def _whole(fields: dict[int, Any], number: int) -> int:
    """Return a field that must be a number, 0 if it is absent."""
    value = fields.get(number, 0)
    return value if isinstance(value, int) else 0


class _Thrift:
    """Reader of structs of numbers in Thrift's compact protocol."""

    def __init__(self, content: bytes, offset: int) -> None:
        self._content = content
        self._offset = offset

    def _byte(self) -> int:
        byte = _at("<B", self._content, self._offset)
        self._offset += 1
        return byte

    def _unsigned(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise Damaged

    def _signed(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)

    def fields(self, levels: int = _DEEPEST) -> tuple[dict[int, Any], int]:
        """Return numbers and structs by their field numbers, and the place behind."""
        fields: dict[int, Any] = {}
        number = 0
        for _ in range(_MOST_PARTS):
            head = self._byte()
            if not head:
                return fields, self._offset
            number = number + (head >> 4) if head >> 4 else self._signed()
            value = self._value(head & 15, levels - 1)
            if value is not None:
                fields[number] = value
        raise Damaged

    def _value(self, kind: int, levels: int) -> Any:
        """Return a struct or a number of 32 bits, and None for what sizes do not need."""
        if kind == _INT32:
            return self._signed()
        if kind == _STRUCT and levels > 0:
            return self.fields(levels)[0]
        if kind in _VARIABLE:
            self._signed()
        elif kind in _FIXED:
            self._offset += _FIXED[kind]
        elif kind == _TEXT:
            length = self._unsigned()
            self._offset += length
        elif kind in _LISTS and levels > 0:
            head = self._byte()
            n = self._unsigned() if head >> 4 == 15 else head >> 4
            for _ in range(min(n, _MOST_PARTS)):
                self._value(head & 15, levels - 1)
        else:
            raise Damaged
        return None
