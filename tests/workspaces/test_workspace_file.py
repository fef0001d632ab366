"""Tests of a workspace as one file: what is restored, and what is refused."""

import io
import json
import zipfile

import pytest

from foldwise.workspaces.store import INDEX, Workspace, pack, unpack
from stats_core.core.errors import DataError

MINE = Workspace(
    name="mine",
    files=(("../../etc/a.csv", b"dataset,rf\n1,2\n"), ("b.csv", b"")),
    choices={"mapping": None, "settings": {"out": ["\N{SNOWMAN}"]}},
)


def packed(index, files=()):
    """Return a zip with an index and files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(INDEX, index if isinstance(index, bytes) else json.dumps(index))
        for name, content in files:
            file.writestr(name, content)
    return out.getvalue()


def index(**changes):
    usual = {"format": "foldwise workspace", "version": 1, "name": "n", "files": [], "choices": {}}
    return usual | changes


def damaged(compression):
    """Return a workspace file with random bytes in the middle of its compressed index."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as file:
        file.writestr(INDEX, json.dumps(index(choices={"x": list(range(200))})))
    content = bytearray(out.getvalue())
    start = len(INDEX) + 30
    content[start + 9 : start + 60] = bytes(range(51))
    return bytes(content)


def of_version(version):
    """Return a workspace file whose directory asks for a later version of the zip format."""
    content = bytearray(packed(index()))
    content[content.rindex(b"PK\x01\x02") + 6] = version
    return bytes(content)


def test_all_comes_back_but_links_and_owner():
    kept = Workspace(
        **{f: getattr(MINE, f) for f in ("name", "files", "choices")}, link="x", owner="y"
    )

    assert unpack("mine.foldwise", pack(kept), most_mb=1) == MINE


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"dataset,rf\n",
        pack(MINE)[:-40],
        packed(b"\xff"),
        packed(b"[" * 100_000),
        packed([]),
        packed({}),
        packed(index(version=2)),
        packed(index(files=[["a.csv", "nowhere"]])),
        packed(index(files=[["a.csv"]])),
        packed(index(files=[["a.csv", "x"]] * 201), [("x", b"")]),
        packed(index(files=[["a.csv", "x"]]), [("x", b"0" * 3_000_000)]),
        packed(index(files=[["a.csv", "x"]] * 2), [("x", b"0" * 600_000)]),
        packed(index(choices=[])),
        packed(b" " * 2_000_000),
        damaged(zipfile.ZIP_LZMA),
        damaged(zipfile.ZIP_BZIP2),
        damaged(zipfile.ZIP_DEFLATED),
        of_version(99),
        packed(index(name="\ud800")),
        packed(index(name="a\x1bb")),
        packed(index(files=[["\ud800.csv", "x"]]), [("x", b"")]),
        packed(index(files=[["a\0.csv", "x"]]), [("x", b"")]),
        packed(index(choices={"settings": {"out": ["\udfff"]}})),
        packed(index(files={"a": 1})),
        packed(index(files=7)),
    ],
    ids="empty csv cut bytes deep list none newer lost short many large sum choices index "
    "lzma bzip2 deflate version half escape half-file nul-file half-choice dict number".split(),
)
def test_anything_else_is_refused_in_one_sentence(content):
    with pytest.raises(DataError) as refusal:
        unpack("x.foldwise", content, most_mb=1)

    said = str(refusal.value)
    assert said.startswith(
        "x.foldwise: The file cannot be opened as a workspace of Foldwise (version 1)."
    )
    assert len(said) < 300


FAR_LARGER = (
    packed(index(files=[["a.csv", "x"]]), [("x", bytes(30_000_000))]),
    packed(index(), [(str(i), b"") for i in range(500)]),
)


def test_a_file_that_unpacks_to_far_more_than_its_size_is_refused_before_it_is_unpacked(
    monkeypatch,
):
    """30 MB of zeros have 30 kB in the file; up to 20 MB any ratio is allowed, and 200 beyond."""
    unpacked, opened = [], zipfile.ZipFile.open
    monkeypatch.setattr(
        zipfile.ZipFile,
        "open",
        lambda file, member: unpacked.append(member) or opened(file, member),
    )

    for content in FAR_LARGER:
        with pytest.raises(DataError, match="exceeds the limits|contains 501 files"):
            unpack("x.foldwise", content, most_mb=200)

    assert unpacked == [INDEX]
