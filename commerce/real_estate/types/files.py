"""Reads records from JSON and CSV files of any size, one after the other: nothing but the current record is in memory."""

import codecs
import csv
import io
from collections.abc import Iterator
from typing import Any, BinaryIO

import ijson
import orjson

#: Bytes of a line of JSON, characters of a cell, and the beginning of a file by which its format is recognised.
MAX_LINE = 10 * 1024 * 1024
MAX_CELL = 1_000_000
HEAD = 64 * 1024
MAX_COLUMNS = 1000
#: Characters of the names that lead to a value.
MAX_PATH = 2000
#: Bytes that are parsed at once. The paths of what is nested in them are in memory together, so that they grow with its square.
PARSED = 4096
DELIMITERS = ",;\t|"
#: The list of records in an answer of the RESO Web API.
LIST = "value"
#: Columns of a CSV file with photos, besides `Photo1`, `Photo2` and so on.
_URLS, _MEDIA = "MediaURL", "Media"
_BOM = b"\xef\xbb\xbf"


class UnreadableFile(Exception):
    """The file cannot be read any further. The message is a sentence."""


def read_records(file: BinaryIO) -> Iterator[Any]:
    """Yield the records of a file: an answer of the RESO Web API, a list, or lines of JSON, or CSV. Raises UnreadableFile.

    Lines and items that are no records are yielded as they are, or as None.
    """
    file.seek(0)
    head = file.read(HEAD).removeprefix(_BOM).lstrip()
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
    count = 0
    try:
        for record in ijson.items(_shallow_events(file), prefix):
            count += 1
            yield record
    except (ijson.JSONError, UnicodeDecodeError, ArithmeticError, RecursionError):
        raise UnreadableFile(f"The file is no valid JSON after record {count:,}.") from None


def _shallow_events(file: BinaryIO) -> Iterator[Any]:
    """Yield the events of a parser. Objects nested very deeply would crash the process."""
    for event in ijson.parse(file, buf_size=PARSED):
        if len(event[0]) > MAX_PATH:
            raise UnreadableFile("The file is nested too deeply.")
        yield event


def _has_list(file: BinaryIO) -> bool:
    """Return whether the first object of a file has the list of records. The file is where it was afterwards."""
    start, depth, key = file.tell(), 0, ""
    found = False
    try:
        for event, value in ijson.basic_parse(file):
            if depth == 1 and event == "start_array" and key == LIST:
                found = True
                break
            depth += {"start_map": 1, "start_array": 1, "end_map": -1, "end_array": -1}.get(event, 0)
            if event == "map_key" and depth == 1:
                key = value
            if depth == 0:
                break
    except (ijson.JSONError, UnicodeDecodeError, ArithmeticError, RecursionError):
        found = False
    file.seek(start)
    return found


def _json_lines(file: BinaryIO) -> Iterator[Any]:
    count = 0
    while line := file.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE:
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
        first = text.readline(HEAD)
        names = next(csv.reader([first], delimiter=(delimiter := _delimiter(first))), [])
        names = [name.strip() for name in names]
        if not {"ListingKey", "ListingKeyNumeric"} & set(names):
            raise UnreadableFile("The first line of the file must name the columns, among them ListingKey.")
        if len(names) > MAX_COLUMNS:
            raise UnreadableFile(f"The file has more than {MAX_COLUMNS:,} columns.")
        rows = csv.reader(text, delimiter=delimiter)
        while True:
            try:
                row = next(rows)
            except StopIteration:
                break
            except csv.Error:
                yield None
                continue
            if any(cell.strip() for cell in row):
                yield _csv_record(names, row)
    finally:
        csv.field_size_limit(limit)
        text.detach()


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
    """Return a row as a record of the RESO Web API."""
    record: dict[str, Any] = {name: cell for name, cell in zip(names, row, strict=False) if name and cell.strip()}
    urls = [(_photo_number(name), name) for name in names if _photo_number(name) >= 0]
    if not urls and _URLS not in names and _MEDIA not in names:
        record.pop(_MEDIA, None)
        return record
    media = record.pop(_MEDIA, "")
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
