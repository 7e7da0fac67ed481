"""The minimum cost of such an API: a bare WSGI program with one token look-up, one SELECT and orjson, on SQLite.

`python -m benchmarks.floor COUNT` fills its file; the project's web server serves `benchmarks.floor.application`.
"""

import hashlib
import json
import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import astuple
from pathlib import Path

import orjson

from benchmarks.dataset import article

TOKEN = "floor-token"
COLUMNS = "id, title, slug, excerpt, body, category, event_start, event_end, image, published_at"
SELECT = f"SELECT {COLUMNS} FROM article"
NEWEST = "ORDER BY published_at DESC LIMIT 20"

_local = threading.local()


def connection() -> sqlite3.Connection:
    """Return the thread's connection, configured like the project's."""
    if not hasattr(_local, "database"):
        _local.database = sqlite3.connect(Path(os.environ["VAR_DIR"]) / "floor.sqlite3", timeout=20, isolation_level=None)
        _local.database.executescript(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32000; PRAGMA mmap_size=268435456"
        )
    return _local.database


def application(environ: dict, start_response: Callable) -> Iterable[bytes]:
    """`/` the newest twenty, `/category/NAME`, `/search/WORD`, `/NUMBER`; POST creates."""
    database = connection()
    token = hashlib.sha256(environ.get("HTTP_AUTHORIZATION", "").removeprefix("Bearer ").encode()).hexdigest()
    if database.execute("SELECT 1 FROM token WHERE hash = ?", (token,)).fetchone() is None:
        return answer(start_response, "401 Unauthorized", {"message": "Unauthenticated."})
    if environ["REQUEST_METHOD"] == "POST":
        item = orjson.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
        row = [item.get(column.strip()) for column in COLUMNS.split(",")]
        number = insert(database, [row])
        return answer(start_response, "201 Created", {"data": {**item, "id": number}})
    kind, _, value = environ["PATH_INFO"].strip("/").rpartition("/")
    if kind == "category":
        rows = database.execute(f"{SELECT} WHERE category = ? {NEWEST}", (value,))
    elif kind == "search":
        rows = database.execute(f"{SELECT} WHERE id IN (SELECT rowid FROM word WHERE word MATCH ?) {NEWEST}", (value,))
    elif value:
        rows = database.execute(f"{SELECT} WHERE id = ?", (value,))
    else:
        rows = database.execute(f"{SELECT} {NEWEST}")
    names = [column[0] for column in rows.description]
    return answer(start_response, "200 OK", {"data": [dict(zip(names, row, strict=True)) for row in rows]})


def answer(start_response: Callable, status: str, content: object) -> list[bytes]:
    body = orjson.dumps(content)
    start_response(status, [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
    return [body]


def insert(database: sqlite3.Connection, rows: Iterable[Iterable[object]]) -> int:
    """Insert all rows in one transaction; return the id of the last."""
    number = 0
    database.execute("BEGIN IMMEDIATE")
    for row in rows:
        number, title, _, excerpt, body, *_ = database.execute(
            f"INSERT INTO article ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING {COLUMNS}", tuple(row)
        ).fetchone()
        database.execute("INSERT INTO word (rowid, title, excerpt, body) VALUES (?, ?, ?, ?)", (number, title, excerpt, body))
    database.execute("COMMIT")
    return number


def seed(count: int) -> dict[str, object]:
    database = connection()
    database.executescript(
        f"""
        CREATE TABLE token (hash TEXT PRIMARY KEY);
        CREATE TABLE article ({COLUMNS.replace("id", "id INTEGER PRIMARY KEY", 1)});
        CREATE INDEX newest ON article (published_at);
        CREATE INDEX newest_of_category ON article (category, published_at);
        CREATE VIRTUAL TABLE word USING fts5(title, excerpt, body, content='');
        """
    )
    database.execute("INSERT INTO token VALUES (?)", (hashlib.sha256(TOKEN.encode()).hexdigest(),))
    insert(database, ([number + 1, *map(_stored, astuple(article(number))[1:])] for number in range(count)))
    database.execute("ANALYZE")
    return {"first": 1, "token": TOKEN}


def _stored(value: object) -> object:
    return value if isinstance(value, str | int | None) else str(value)


if __name__ == "__main__":
    print(json.dumps(seed(int(sys.argv[1]))))
