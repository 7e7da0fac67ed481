"""Reads CSV files of any origin: detects encoding and delimiter, and explains unreadable files in a sentence.

`survey` and `preview` read files that nobody has read yet, so they run apart, without settings. After a survey, `rows_of` reads
rows of limited width and length, and takes little memory.
"""

import csv
import io
import re
from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice

from cms_api.core.errors import Invalid
from cms_api.text.spreadsheets import plain_cell

from ..types import DELIMITERS, MAX_CELL, MAX_COLUMNS, MAX_FILE_BYTES, MAX_ROWS, MIB

#: Signatures of other file formats, and their names.
_OTHERS = {
    b"PK\x03\x04": "an Excel or OpenDocument file",
    b"\xd0\xcf\x11\xe0": "an old Excel file",
    b"%PDF-": "a PDF file",
    b"\x1f\x8b": "a compressed file",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"{\\rtf": "an RTF file",
}
#: Rows and characters sampled to detect the delimiter.
_SAMPLE_ROWS, _SAMPLE_CHARACTERS = 50, 200_000
#: Rows of the preview, and characters of their cells.
_PREVIEW_ROWS, _PREVIEW_CELL_CHARACTERS = 10, 100
#: Appended after the last line: it forms a row of its own unless a quotation mark is still open.
_END = "\0end of the file\0"
#: A first line that gives Excel the delimiter.
_SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Row:
    #: The line of the file on which the row begins.
    line: int
    cells: list[str]


@dataclass(frozen=True, slots=True)
class Layout:
    """How to read a file, and its contents."""

    encoding: str
    delimiter: str
    header: list[str]
    total: int


def survey(content: bytes, encoding: str = "", delimiter: str = "") -> Layout:
    """Read a whole file once, detecting encoding and delimiter if not given. Raises Invalid (`file`)."""
    _check_kind(content)
    encoding = encoding or _encoding_of(content)
    delimiter = delimiter or _delimiter_of(content, encoding)
    records = _records(content, encoding, delimiter)
    first = next(records, None)
    if first is None:
        raise _unreadable("The file is empty.")
    total = 0
    for _ in records:
        total += 1
        if total > MAX_ROWS:
            raise _unreadable(f"The file has more than {MAX_ROWS:,} rows. Split it into several files.")
    if not total:
        raise _unreadable("The file has a header and no rows below it.")
    return Layout(encoding, delimiter, [_shorten(cell) for cell in first.cells], total)


def preview(content: bytes, encoding: str, delimiter: str) -> list[list[str]]:
    """Return the beginnings of the cells of the first rows below the header. Raises Invalid (`file`)."""
    rows = islice(rows_of(content, encoding=encoding, delimiter=delimiter), _PREVIEW_ROWS)
    return [[cell[:_PREVIEW_CELL_CHARACTERS] for cell in row.cells] for row in rows]


def rows_of(content: bytes, *, encoding: str, delimiter: str, skipped: int = 0) -> Iterator[Row]:
    """Yield the rows below the header, without the first `skipped`. Raises Invalid (`file`)."""
    return islice(_records(content, encoding, delimiter), 1 + skipped, None)


def cells_of(row: Row, mapping: Mapping[str, int], width: int) -> dict[str, str]:
    """Return the text of each mapped column; cells missing from a short row are empty. Raises Invalid if the row is too long."""
    if any(cell.strip() for cell in row.cells[width:]):
        raise Invalid({"row": f"The row has {len(row.cells)} cells, but the header has only {width}."})
    return {name: row.cells[place] if place < len(row.cells) else "" for name, place in mapping.items()}


def join_sentences(refusal: Invalid) -> str:
    return " ".join(sentence for found in refusal.errors.values() for sentence in found)


def _check_kind(content: bytes) -> None:
    if len(content) > MAX_FILE_BYTES:
        raise _unreadable(f"The file may not be larger than {MAX_FILE_BYTES // MIB} MB.")
    if not content.strip():
        raise _unreadable("The file is empty.")
    for beginning, what in _OTHERS.items():
        if content.startswith(beginning):
            raise _unreadable(f"This is {what}. Open it and save it as “CSV UTF-8”.")


def _encoding_of(content: bytes) -> str:
    """Detect the encoding.

    Without a byte order mark, zero bytes mean UTF-16; other files that are not UTF-8 are read as Windows-1252.
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    head = content[:2000]
    if head.count(0) * 3 > len(head):
        if min(head[0::2].count(0), head[1::2].count(0)) * 10 > len(head):
            raise _unreadable("This isn't a text file. Save the table as “CSV UTF-8” and try again.")
        return "utf-16"
    return "utf-8" if _is_utf8(content) else "cp1252"


def _is_utf8(content: bytes) -> bool:
    """Check for UTF-8 in chunks: the whole text would take several times the file's size in memory."""
    decoder = getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(content), MIB):
            decoder.decode(content[start : start + MIB])
        decoder.decode(b"", final=True)
    except UnicodeError:
        return False
    return True


def _kind_of_utf16(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    head = content[:2000]
    return "utf-16-be" if head[0::2].count(0) > head[1::2].count(0) else "utf-16-le"


def _text(content: bytes, encoding: str) -> io.TextIOWrapper:
    """Return a stream that decodes the file as it is read and preserves line endings."""
    names = {"utf-8": "utf-8-sig", "utf-16": _kind_of_utf16(content)}
    return io.TextIOWrapper(io.BytesIO(content), encoding=names.get(encoding, encoding), newline="")


def _delimiter_of(content: bytes, encoding: str) -> str:
    """Return the delimiter that splits the first rows into the most columns, equally many in as many rows as possible."""
    try:
        sample = _text(content, encoding).read(_SAMPLE_CHARACTERS)
    except UnicodeError:
        raise _undecodable() from None
    declared = _SEPARATOR_LINE.match(sample)
    if declared and declared[1] in DELIMITERS:
        return declared[1]
    best, most = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        try:
            widths = [len(record.cells) for record in islice(_split(io.StringIO(sample, newline=""), delimiter), _SAMPLE_ROWS)]
        except Invalid:
            continue
        if widths and widths[0] > 1:
            alike = widths.count(widths[0]) / len(widths)
            if (alike, widths[0]) > most:
                best, most = delimiter, (alike, widths[0])
    return best


def _records(content: bytes, encoding: str, delimiter: str) -> Iterator[Row]:
    """Yield the header and all rows. Raises Invalid (`file`)."""
    try:
        for row in _split(_text(content, encoding), delimiter):
            if len(row.cells) > MAX_COLUMNS:
                raise _unreadable(f"The row that begins on line {row.line} has more than {MAX_COLUMNS} columns.")
            yield row
    except UnicodeError:
        raise _undecodable() from None


def _split(lines: Iterator[str], delimiter: str) -> Iterator[Row]:
    """Yield the records of lines, without blank ones and the line that gives Excel the delimiter. Wide ones are not blank."""
    first = next(lines, "").removeprefix("\ufeff")
    has_separator_line = bool(_SEPARATOR_LINE.fullmatch(first))
    reader = csv.reader(chain(() if has_separator_line else (first,), lines, (_END,)), delimiter=delimiter)
    while True:
        begins = reader.line_num + 1 + has_separator_line
        try:
            cells = next(reader)
        except csv.Error as problem:
            raise _unreadable(_sentence(problem, begins)) from None
        if cells and cells[-1].endswith(_END):
            if cells != [_END]:
                raise _unreadable(f"The row that begins on line {begins} has an opening quotation mark that is never closed.")
            return
        if len(cells) > MAX_COLUMNS or any(map(str.strip, cells)):
            yield Row(begins, [plain_cell(cell) for cell in cells])


def _sentence(problem: csv.Error, line: int) -> str:
    if "field limit" in str(problem):
        return (
            f"The row that begins on line {line} has a cell of more than {MAX_CELL:,} characters: "
            "maybe an opening quotation mark is never closed."
        )
    return f"The row that begins on line {line} cannot be read."


def _shorten(cell: str) -> str:
    return " ".join(cell.replace("\0", "").split())[:100]


def _unreadable(sentence: str) -> Invalid:
    return Invalid({"file": sentence})


def _undecodable() -> Invalid:
    return _unreadable("The file's encoding couldn't be read. Save it as “CSV UTF-8” and try again.")
