"""Reads records from JSON and CSV files of any size, one after the other: nothing but the current record is in memory.

A record has a limited number of bytes, so that a worker may read files itself.
"""

import codecs
import csv
import io
from collections.abc import Iterator
from typing import Any, BinaryIO

import ijson
import orjson

from .cells import LocalCell

#: Bytes of a record, characters of a cell, and the beginning of a file by which its format is recognised. JSON may take fifty
#: times as much memory.
MAX_RECORD_BYTES = 2 * 1024 * 1024
MAX_CELL = 1_000_000
HEAD_BYTES = 64 * 1024
MAX_COLUMNS = 1000
#: Characters of the names that lead to a value.
MAX_PATH = 2000
#: Bytes that are parsed at once. The paths of what is nested in them are in memory together, so that they grow with its square.
#: A number of 4,300 digits, which ends the process of the parser by SIGSEGV, has at least one such part of digits alone.
PARSED_BYTES = 2048
DELIMITERS = ",;\t|"
#: The list of records in an answer of the RESO Web API.
LIST = "value"
#: Columns of a CSV file with photos, besides `Photo1`, `Photo2` and so on.
_URLS, _MEDIA = "MediaURL", "Media"
_BOM = b"\xef\xbb\xbf"
#: The errors of JSON parsers. A ValueError is one about an encoding, or a number of too many digits.
_BROKEN = (ijson.JSONError, ValueError, ArithmeticError, RecursionError)


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


class _Limited:
    """A file whose records and numbers are limited, read in parts of PARSED_BYTES bytes."""

    def __init__(self, file: BinaryIO, record: _Record) -> None:
        self._file, self._record = file, record

    def read(self, size: int) -> bytes:
        part = self._file.read(size)
        self._record.grow(len(part))
        if len(part) == PARSED_BYTES and part.isdigit():
            raise UnreadableFile(f"A number after record {self._record.number:,} is too long.")
        return part


def read_records(file: BinaryIO) -> Iterator[Any]:
    """Yield the records of a file: an answer of the RESO Web API, a list, or lines of JSON, or CSV. Raises UnreadableFile.

    Lines and items that are no records are yielded as they are, or as None.
    """
    file.seek(0)
    head = file.read(HEAD_BYTES).removeprefix(_BOM).lstrip()
    file.seek(len(_BOM) if _starts_with_bom(file) else 0)
    if not head:
        raise UnreadableFile("The file is empty.")
    if head[:1] == b"[":
        yield from _json_items(file, "item")
    elif head[:1] != b"{":
        yield from _csv_rows(file)
    elif _has_list(file):
        yield from _json_items(file, f"{LIST}.item")
    else:
        yield from _json_lines(file)


def _starts_with_bom(file: BinaryIO) -> bool:
    file.seek(0)
    return file.read(len(_BOM)) == _BOM


def _json_items(file: BinaryIO, prefix: str) -> Iterator[Any]:
    record = _Record()
    try:
        for item in ijson.items(_shallow_events(_Limited(file, record)), prefix):
            record.end()
            yield item
    except _BROKEN:
        raise UnreadableFile(f"The file is no valid JSON after record {record.number:,}.") from None


def _shallow_events(file: _Limited) -> Iterator[Any]:
    """Yield the events of a parser. Objects nested very deeply would crash the process."""
    for event in ijson.parse(file, buf_size=PARSED_BYTES):
        if len(event[0]) > MAX_PATH:
            raise UnreadableFile("The file is nested too deeply.")
        yield event


def _has_list(file: BinaryIO) -> bool:
    """Return whether the first object of a file has the list of records. The file is where it was afterwards."""
    start, depth, key = file.tell(), 0, ""
    found = False
    try:
        for event, value in ijson.basic_parse(_Limited(file, _Record()), buf_size=PARSED_BYTES):
            if depth == 1 and event == "start_array" and key == LIST:
                found = True
                break
            depth += {"start_map": 1, "start_array": 1, "end_map": -1, "end_array": -1}.get(event, 0)
            if event == "map_key" and depth == 1:
                key = value
            if depth == 0:
                break
    except _BROKEN:
        found = False
    file.seek(start)
    return found


def _json_lines(file: BinaryIO) -> Iterator[Any]:
    count = 0
    while line := file.readline(MAX_RECORD_BYTES + 1):
        if len(line) > MAX_RECORD_BYTES:
            raise UnreadableFile(f"A record after record {count:,} is too long.")
        if not line.strip():
            continue
        count += 1
        try:
            record = orjson.loads(line)
        except (orjson.JSONDecodeError, RecursionError):
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
            record[_MEDIA] = orjson.loads(media)
        except orjson.JSONDecodeError:
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
