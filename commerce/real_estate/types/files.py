"""Reads records from JSON and CSV files of any size, one after the other: nothing but the current record is in memory.

A record has a limited number of bytes, so that a worker may read files itself.
"""

import codecs
import csv
import io
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from commerce.common.types.lenient import read_json

from .cells import LocalCell

#: Bytes of a record, characters of a cell, and the beginning of a file by which its format is recognised. JSON may take fifty
#: times as much memory.
MAX_RECORD_BYTES = 2 * 1024 * 1024
MAX_CELL = 1_000_000
HEAD_BYTES = 64 * 1024
MAX_COLUMNS = 1000
#: Brackets around a value.
MAX_DEPTH = 400
#: Bytes that are read of a file at once.
PART_BYTES = 64 * 1024
DELIMITERS = ",;\t|"
#: Columns of a CSV file with photos, besides `Photo1`, `Photo2` and so on.
_URLS, _MEDIA = "MediaURL", "Media"
_BOM = b"\xef\xbb\xbf"
#: The name of the list of records in an answer of the RESO Web API, before its bracket.
_LIST_NAME = re.compile(rb'(?<!\\)"value"\s*:\s*\Z')
_LONGEST_NAME = 200
_TEXT = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
#: A part of JSON without brackets outside of its texts, and one without commas there, too.
_WITHIN = re.compile(rb'(?:[^"\[\]{}]++|%b)*+' % _TEXT, re.DOTALL)
_BETWEEN = re.compile(rb'(?:[^",\[\]{}]++|%b)*+' % _TEXT, re.DOTALL)


class UnreadableFile(Exception):
    """The file cannot be read any further. The message is a sentence."""


class _Record:
    """Counts what is read of a file since its last record: one that never ends would fill the memory."""

    def __init__(self) -> None:
        self.number = self._size = 0

    def end(self) -> None:
        self.number += 1
        self._size = 0

    def grow(self, size: int) -> None:
        """Raises UnreadableFile if the record is too long."""
        self._size += size
        if self._size > MAX_RECORD_BYTES:
            raise UnreadableFile(f"A record after record {self.number:,} is too long.")


class _Json:
    """A file of JSON, of which no more than a record and a part of the file are in memory.

    Only texts and brackets are looked at to tell records apart, so that one which can't be read leaves the others.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._buffer = file, b""
        #: Where the record begins, and up to where it has been looked at.
        self._start = self._at = 0
        self._number = 0

    def find_list(self) -> bool:
        """Return whether the first object of the file has the list of records; then it goes on there. Raises UnreadableFile."""
        depth = 0
        while mark := self._skip(_WITHIN):
            named = max(0, self._at - _LONGEST_NAME)
            if mark == b"[" and depth == 1 and _LIST_NAME.search(self._buffer, named, self._at):
                return True
            depth += 1 if mark in b"[{" else -1
            self._at += 1
            if not 0 < depth <= MAX_DEPTH:
                break
        return False

    def records(self) -> Iterator[Any]:
        """Yield the items of the list that follows, None for one that can't be read. Raises UnreadableFile."""
        self._skip(_WITHIN)
        mark = b"["
        while mark != b"]":
            self._at += 1
            self._start = self._at
            mark = self._end_of_record()
            content = self._buffer[self._start : self._at]
            self._check(len(content))
            if mark == b"]" and not content.strip():
                return
            self._number += 1
            try:
                record = read_json(content)
            except ValueError:
                record = None
            yield record

    def _end_of_record(self) -> bytes:
        """Go to the comma or bracket after a record, and return it. Raises UnreadableFile."""
        depth = 0
        while mark := self._skip(_WITHIN if depth else _BETWEEN):
            if not depth and mark in b",]":
                return mark
            depth += 1 if mark in b"[{" else -1
            if depth > MAX_DEPTH:
                raise UnreadableFile("The file is nested too deeply.")
            if depth < 0:
                break
            self._at += 1
        raise UnreadableFile(f"The file is no valid JSON after record {self._number:,}.")

    def _skip(self, pattern: re.Pattern[bytes]) -> bytes:
        """Go to what ends a pattern, and return it; nothing at the end of the file, or in a text that does not end."""
        while True:
            found = pattern.match(self._buffer, self._at)
            self._at = found.end() if found else self._at
            mark = self._buffer[self._at : self._at + 1]
            # The rest of a text is in the next part.
            if mark not in (b"", b'"'):
                return mark
            self._check(len(self._buffer) - self._start)
            part = self._file.read(PART_BYTES)
            if not part:
                return b""
            self._buffer = self._buffer[self._start :] + part
            self._at -= self._start
            self._start = 0

    def _check(self, size: int) -> None:
        if size > MAX_RECORD_BYTES:
            raise UnreadableFile(f"A record after record {self._number:,} is too long.")


def read_records(file: BinaryIO) -> Iterator[Any]:
    """Yield the records of a file: an answer of the RESO Web API, a list, or lines of JSON, or CSV. Raises UnreadableFile.

    Lines and items that are no records are yielded as they are, or as None.
    """
    file.seek(0)
    head = file.read(HEAD_BYTES).removeprefix(_BOM).lstrip()
    file.seek(len(_BOM) if _starts_with_bom(file) else 0)
    if not head:
        raise UnreadableFile("The file is empty.")
    if head[:1] not in (b"[", b"{"):
        yield from _csv_rows(file)
        return
    start, found = file.tell(), _Json(file)
    if head[:1] == b"[" or found.find_list():
        yield from found.records()
    else:
        file.seek(start)
        yield from _json_lines(file)


def _starts_with_bom(file: BinaryIO) -> bool:
    file.seek(0)
    return file.read(len(_BOM)) == _BOM


def _json_lines(file: BinaryIO) -> Iterator[Any]:
    count = 0
    while line := file.readline(MAX_RECORD_BYTES + 1):
        if len(line) > MAX_RECORD_BYTES:
            raise UnreadableFile(f"A record after record {count:,} is too long.")
        if not line.strip():
            continue
        count += 1
        try:
            record = read_json(line)
        except ValueError:
            if count == 1:
                raise UnreadableFile("The file is no valid JSON.") from None
            record = None
        yield record


def _csv_rows(file: BinaryIO) -> Iterator[Any]:
    start = file.tell()
    encoding = _encoding(file)
    file.seek(start)
    # Detached in the end, so that the file stays open.
    text = io.TextIOWrapper(file, encoding=encoding, errors="replace", newline="")
    limit = csv.field_size_limit(MAX_CELL)
    try:
        first = text.readline(HEAD_BYTES)
        names = next(csv.reader([first], delimiter=(delimiter := _delimiter(first))), [])
        names = [name.strip() for name in names]
        if not {"ListingKey", "ListingKeyNumeric"} & set(names):
            raise UnreadableFile("The first line of the file must name the columns, among them ListingKey.")
        if len(names) > MAX_COLUMNS:
            raise UnreadableFile(f"The file has more than {MAX_COLUMNS:,} columns.")
        record = _Record()
        rows = csv.reader(_limited_lines(text, record), delimiter=delimiter)
        while True:
            try:
                row = next(rows)
            except StopIteration:
                break
            except csv.Error:
                record.end()
                yield None
                continue
            record.end()
            if any(cell.strip() for cell in row):
                yield _csv_record(names, row)
    finally:
        csv.field_size_limit(limit)
        text.detach()


def _limited_lines(text: io.TextIOWrapper, record: _Record) -> Iterator[str]:
    while line := text.readline(MAX_RECORD_BYTES + 1):
        record.grow(len(line))
        yield line


def _encoding(file: BinaryIO) -> str:
    """Return UTF-8, or Windows-1252 if the file is something else."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while part := file.read(1024 * 1024):
            decoder.decode(part)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _delimiter(line: str) -> str:
    return max(DELIMITERS[:3], key=line.count)


def _csv_record(names: list[str], row: list[str]) -> dict[str, Any]:
    """Return a row as a record of the RESO Web API, whose values are cells."""
    record: dict[str, Any] = {name: LocalCell(cell) for name, cell in zip(names, row, strict=False) if name and cell.strip()}
    urls = [(_photo_number(name), name) for name in names if _photo_number(name) >= 0]
    if not urls and _URLS not in names and _MEDIA not in names:
        record.pop(_MEDIA, None)
        return record
    media = str(record.pop(_MEDIA, ""))
    if media.lstrip().startswith("["):
        try:
            record[_MEDIA] = read_json(media)
        except ValueError:
            record[_MEDIA] = media
        return record
    cells = [media, record.pop(_URLS, ""), *(record.pop(name, "") for _, name in sorted(urls))]
    listed = [url.strip() for cell in cells for url in cell.split("|") if url.strip()]
    record[_MEDIA] = [{"MediaURL": url, "Order": place} for place, url in enumerate(listed)]
    return record


def _photo_number(name: str) -> int:
    """Return the number of a column such as `Photo12`; -1 for other columns."""
    number = name.removeprefix("Photo")
    return int(number) if number != name and number.isascii() and number.isdigit() and len(number) <= 3 else -1
