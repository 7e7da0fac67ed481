"""The API client of the tests: checks every answer against the OpenAPI document, and notes which operations were used."""

import json
import re
from functools import cache
from typing import Any

from django.test import Client
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

#: (method, path template, status) of every answer the suite has seen.
SEEN: set[tuple[str, str, int]] = set()


@cache
def openapi_document(raw: bytes) -> dict[str, Any]:
    return json.loads(raw)


def current_document() -> dict[str, Any]:
    from cms_api.gateway.openapi import document

    return openapi_document(document())


@cache
def _paths(raw: str) -> list[tuple[re.Pattern[str], str]]:
    templates = json.loads(raw)
    return [(re.compile(re.sub(r"\\{[^}]+\\}", "[^/]+", re.escape(template))), template) for template in templates]


def find_template(document: dict[str, Any], path: str) -> str | None:
    """The path template of the document that a request path belongs to."""
    for pattern, template in _paths(json.dumps(sorted(document["paths"]))):
        if pattern.fullmatch(path.rstrip("/")):
            return template
    return None


class Api:
    """`api.get("/content-items", status="all")`; answers are Django responses with `.json()`."""

    def __init__(self, token: str = "", *, validate: bool = True) -> None:
        self.http = Client()
        self.token = token
        self.validate = validate

    def request(self, method: str, path: str, body: Any = None, *, query: dict[str, Any] | None = None, **headers: str) -> Any:
        from urllib.parse import urlencode

        url = "/api/v1" + path + ("?" + urlencode(query, doseq=True) if query else "")
        sent = {"HTTP_" + name.upper().replace("-", "_"): value for name, value in headers.items()}
        if self.token:
            sent.setdefault("HTTP_AUTHORIZATION", f"Bearer {self.token}")
        content = body if isinstance(body, bytes | str) else json.dumps(body) if body is not None else b""
        kind = sent.pop("HTTP_CONTENT_TYPE", "application/json")
        response = self.http.generic(method, url, content, content_type=kind if body is not None else "", **sent)
        if self.validate:
            check_answer(method, "/api/v1" + path, response, sparse=bool(query and "fields" in query))
        return response

    def get(self, path: str, **query: Any) -> Any:
        return self.request("GET", path, query=query or None)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.request("POST", path, body if body is not None else {}, **headers)

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


def check_answer(method: str, path: str, response: Any, *, sparse: bool = False) -> None:
    """Fails where an answer is not what the document says of the operation."""
    assert response.headers["X-Request-Id"]
    if response.status_code == 304 or method == "HEAD":
        assert response.content == b""
        return
    assert response.headers["Content-Type"] == "application/json", response.content[:200]
    document = current_document()
    template = find_template(document, path)
    operation = document["paths"].get(template, {}).get(method.lower()) if template else None
    if operation is None:
        assert response.status_code in {404, 405}, (method, path, response.status_code)
        return
    SEEN.add((method, template or "", response.status_code))
    described = operation["responses"].get(str(response.status_code))
    assert described is not None, f"{method} {template} answered {response.status_code}, which the document does not name."
    schema = described["content"]["application/json"]["schema"]
    errors = list(_validator(document, schema).iter_errors(response.json()))
    if sparse:
        errors = [error for error in errors if error.validator != "required"]
    assert not errors, (method, path, response.status_code, [error.message for error in errors[:3]])


def _validator(document: dict[str, Any], schema: dict[str, Any]) -> Draft202012Validator:
    resource = Resource(contents=document, specification=DRAFT202012)
    registry: Any = Registry().with_resource("urn:api", resource)
    return Draft202012Validator(_absolute(schema), registry=registry)


def _absolute(schema: Any) -> Any:
    """The schema with its references pointed at the document."""
    text = json.dumps(schema).replace('"#/', '"urn:api#/')
    return json.loads(text)
