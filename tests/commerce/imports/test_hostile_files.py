"""Files that are made to take much time or memory are refused with a sentence, and the process that serves does not read them."""

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from cms_api.core.errors import Invalid
from commerce.imports.models import ImportRun
from commerce.imports.services import runs
from commerce.imports.services.runs import first_rows, read_again
from commerce.imports.types import MAX_CELL, MAX_FILE_BYTES
from tests.memory import limited_memory

from .files import make_run

pytestmark = pytest.mark.django_db

HEADER = b"Email,Name\n"
SIZE = 4_000_000
#: The bytes that a file and its copies may take.
MEMORY_BYTES = 3 * SIZE


def filled(piece: bytes) -> bytes:
    """A header, and a piece again and again."""
    return HEADER + piece * (SIZE // len(piece))


CELL = "The row that begins on line {} has a cell of more than 131,072 characters"
WIDE = "The row that begins on line {} has more than 200 columns."
HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "quotation marks": (lambda: b'"' * SIZE, CELL.format(1)),
    "quotation marks below a header": (lambda: filled(b'"'), CELL.format(2)),
    "commas": (lambda: b"," * SIZE, WIDE.format(1)),
    "a row of millions of columns": (lambda: filled(b"a,"), WIDE.format(2)),
    "a row of millions of lines": (lambda: filled(b'"\n",'), WIDE.format(2)),
    "a blank row of millions of columns": (lambda: filled(b",") + b"\na@example.com,A", WIDE.format(2)),
    "lists of JSON": (lambda: b"[" * SIZE, CELL.format(1)),
    "half of a character in UTF-16": (lambda: b"\xff\xfe" + b"\0\xd8" * 1_000_000, "The file's encoding couldn't be read."),
    "half of a pair of bytes in UTF-16": (lambda: "Email\na@example.com\n".encode("utf-16") + b"\0", "The file's encoding"),
    "gzip": (lambda: b"\x1f\x8b" + b"\0" * 1000, "This is a compressed file."),
    "a ZIP file": (lambda: b"PK\x03\x04" + b"\0" * 1000, "This is an Excel or OpenDocument file."),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_works(name: str) -> None:
    make, sentence = HOSTILE[name]
    content = make()
    with limited_memory(MEMORY_BYTES), pytest.raises(Invalid) as refusal:
        make_run(content)
    assert list(refusal.value.errors) == ["file"]
    assert refusal.value.message.startswith(sentence)
    assert not ImportRun.objects.exists()


@pytest.mark.both_databases
def test_the_form_shows_the_sentence(manager: Client) -> None:
    answer = manager.post("/admin/imports/new/contacts/", {"file": SimpleUploadedFile("guests.csv", b"," * SIZE, "text/csv")})
    assert answer.status_code == 200
    assert WIDE.format(1) in answer.content.decode()


def test_another_delimiter_makes_no_wide_row() -> None:
    run = make_run(HEADER + b";" * MAX_CELL + b"\n")
    with limited_memory(MEMORY_BYTES), pytest.raises(Invalid) as refusal:
        read_again(run=run, encoding="utf-8", delimiter=";")
    assert refusal.value.message == WIDE.format(2)


def test_the_first_rows_are_short() -> None:
    cell = b"x" * MAX_CELL
    run = make_run(b"a,b,c\n" + b"%b,%b,%b\n" % (cell, cell, cell) * 12)
    with limited_memory(MEMORY_BYTES):
        rows = first_rows(run)
    assert [[len(cell) for cell in row] for row in rows] == [[100] * 3] * 10


def test_the_limits_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The positive control of all others: without memory, or time, nothing can be read."""
    monkeypatch.setattr(runs, "LIMITS", runs.Limits(memory_bytes=150_000_000))
    with pytest.raises(Invalid) as refusal:
        make_run(HEADER + b"a," * 10_000_000)
    assert refusal.value.message == "The file needs too much memory to read."
    monkeypatch.setattr(runs, "LIMITS", runs.Limits(cpu_seconds=1))
    with pytest.raises(Invalid) as refusal:
        make_run(b"a\n" + b"\r" * (MAX_FILE_BYTES - 2))
    assert refusal.value.message == "The file takes too long to read."
