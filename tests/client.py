"""The API client of the tests. It checks every answer against the OpenAPI document, and records the operations used."""

import fcntl
import json
import re
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django.db import connection, connections
from django.test import Client
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from cms_api.content.selectors import taxonomy_keys
from cms_api.core import registry
from cms_api.flags import selectors as flags
from cms_api.gateway import openapi
from cms_api.gateway.answers import inline_parts

#: Method, path template and status of every answer so far.
SEEN: set[tuple[str, str, int]] = set()


@contextmanager
def _alone() -> Iterator[None]:
    """Wait for the races of the other processes of this run: together they would need more connections than PostgreSQL has."""
    with (Path(tempfile.gettempdir()) / "races-of-the-tests.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def together(work: Callable[[int], Any], times: int) -> list[Any]:
    """Run `work` in parallel threads that begin at the same moment; each thread closes its connections."""
    begin = threading.Barrier(times)

    def run(number: int) -> Any:
        try:
            begin.wait(10)
            return work(number)
        finally:
            connections.close_all()

    with _alone() if connection.vendor == "postgresql" else nullcontext(), ThreadPoolExecutor(times) as pool:
        return list(pool.map(run, range(times)))


class Documented:
    """An OpenAPI document with its path templates and validators."""

    def __init__(self, raw: bytes) -> None:
        self.document: dict[str, Any] = inline_parts(json.loads(raw))
        resource = Resource(contents=self.document, specification=DRAFT202012)
        self._registry: Any = Registry().with_resource("urn:api", resource)
        self._validators: dict[tuple[str, str, int, bool, str], Draft202012Validator] = {}
        self._templates = [
            (re.compile(re.sub(r"\\{[^}]+\\}", "[^/]+", re.escape(template))), template)
            for template in sorted(self.document["paths"])
        ]

    def template(self, path: str) -> str | None:
        """The path template of a request path."""
        return next((template for pattern, template in self._templates if pattern.fullmatch(path.rstrip("/"))), None)

    def operation(self, method: str, path: str) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self.document["paths"].get(self.template(path), {}).get(method.lower())
        return found

    def validator(self, method: str, path: str, status: int, *, sparse: bool, restriction: str = "") -> Draft202012Validator:
        """The validator of an answer, whose references point to the document.

        Its records have some of their keys alone if it is `sparse`, and are those of tokens with a restriction if one is named.
        """
        key = (method, self.template(path) or "", status, sparse, restriction)
        if key not in self._validators:
            operation = self.operation(method, path)
            assert operation is not None
            described = operation["responses"].get(str(status))
            assert described is not None, f"{method} {path} answered {status}, which the document does not name."
            schema = deepcopy(described["content"]["application/json"]["schema"])
            restricted = operation.get("x-restricted-records", {})
            if status < 300 and restriction in restricted:
                schema["properties"]["data"] = restricted[restriction]
            if status < 300 and sparse:
                self._make_sparse(schema["properties"])
            text = json.dumps(schema).replace('"#/', '"urn:api#/')
            self._validators[key] = Draft202012Validator(json.loads(text), registry=self._registry)
        return self._validators[key]

    def _make_sparse(self, properties: dict[str, Any]) -> None:
        """Let the records in an answer have some of their keys alone, and no others."""
        data = properties["data"]
        parent, key = (data, "items") if "items" in data else (properties, "data")
        record = parent[key]
        if "$ref" in record:
            record = self.document["components"]["schemas"][record["$ref"].rpartition("/")[2]]
        has_known_keys = "properties" in record
        parent[key] = {**record, "required": []} | ({"additionalProperties": False} if has_known_keys else {})


_made: dict[Any, Documented] = {}


def documented() -> Documented:
    """The document for the installed modules and the features that are on."""
    state = (tuple(module.name for module in registry.modules()), tuple(flags.features().items()), tuple(taxonomy_keys()))
    if state not in _made:
        _made[state] = Documented(openapi.document())
    return _made[state]


#: Between the parts of the multipart bodies that the tests send.
BOUNDARY = b"part-of-the-tests"


def part(named: tuple[str, Any]) -> bytes:
    """One part of a multipart body: a field, or a file from a pair of its name and its bytes."""
    name, value = named
    disposition = f'form-data; name="{name}"'.encode()
    if isinstance(value, tuple):
        filename = value[0].encode() if isinstance(value[0], str) else value[0]
        disposition += b'; filename="' + filename + b'"\r\nContent-Type: application/octet-stream'
    content = value[1] if isinstance(value, tuple) else value if isinstance(value, bytes) else str(value).encode()
    return b"--" + BOUNDARY + b"\r\nContent-Disposition: " + disposition + b"\r\n\r\n" + content + b"\r\n"


class Api:
    """`api.get("/content-items", status="all")`; answers are Django responses with `.json()`."""

    def __init__(self, token: str = "", *, validate: bool = True, restriction: str = "") -> None:
        self.http = Client()
        self.token = token
        #: The name of the token's restriction, if it has one.
        self.restriction = restriction
        self.validate = validate

    def request(self, method: str, path: str, body: Any = None, *, query: dict[str, Any] | None = None, **headers: str) -> Any:
        url = "/api/v1" + path + ("?" + urlencode(query, doseq=True) if query else "")
        sent = {"HTTP_" + name.upper().replace("-", "_"): value for name, value in headers.items()}
        if self.token:
            sent.setdefault("HTTP_AUTHORIZATION", f"Bearer {self.token}")
        content = body if isinstance(body, bytes | str) else json.dumps(body) if body is not None else b""
        kind = sent.pop("HTTP_CONTENT_TYPE", "application/json")
        response = self.http.generic(method, url, content, content_type=kind if body is not None else "", **sent)
        if self.validate:
            sparse = "fields=" in url
            check_answer(method, "/api/v1" + path.partition("?")[0], response, sparse=sparse, restriction=self.restriction)
        return response

    def get(self, path: str, **query: Any) -> Any:
        return self.request("GET", path, query=query or None)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.request("POST", path, body if body is not None else {}, **headers)

    def upload(self, path: str, *parts: tuple[str, Any], **headers: str) -> Any:
        """Post a multipart body; a file is a pair of its name and its bytes."""
        body = b"".join(map(part, parts)) + b"--" + BOUNDARY + b"--\r\n"
        return self.request("POST", path, body, content_type=f"multipart/form-data; boundary={BOUNDARY.decode()}", **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.request("PATCH", path, body if body is not None else {}, **headers)

    def put(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.request("PUT", path, body if body is not None else {}, **headers)

    def delete(self, path: str, **headers: str) -> Any:
        return self.request("DELETE", path, **headers)

    def data(self, path: str, **query: Any) -> Any:
        """The `data` of a successful read."""
        response = self.get(path, **query)
        assert response.status_code == 200, (path, query, response.status_code, response.content[:500])
        return response.json()["data"]

    def walk(self, path: str, **query: Any) -> list[int]:
        """The ids of a whole list, page by page from cursor to cursor."""
        ids: list[int] = []
        cursor: str | None = ""
        while cursor is not None:
            answer = self.get(path, cursor=cursor, **query).json()
            ids += [row["id"] for row in answer["data"]]
            cursor = answer["meta"]["next_cursor"]
        return ids


def check_answer(method: str, path: str, response: Any, *, sparse: bool = False, restriction: str = "") -> None:
    """Fails where an answer is not what the document says of the operation."""
    assert response.headers["X-Request-Id"]
    if response.status_code == 304 or method == "HEAD":
        assert response.content == b""
        return
    assert response.headers["Content-Type"] == "application/json", response.content[:200]
    known = documented()
    if known.operation(method, path) is None:
        assert response.status_code in {404, 405}, (method, path, response.status_code)
        return
    SEEN.add((method, known.template(path) or "", response.status_code))
    validator = known.validator(method, path, response.status_code, sparse=sparse, restriction=restriction)
    errors = list(validator.iter_errors(response.json()))
    assert not errors, (method, path, response.status_code, [error.message for error in errors[:3]])
