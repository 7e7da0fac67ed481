"""The answers that operations share, in the OpenAPI document: errors, lists, and the envelope of a record."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from types import MappingProxyType
from typing import Any

from .examples import EXAMPLES

ERRORS = {
    400: "The body is not valid JSON or not an object, or the request could not be read.",
    401: "The token is missing, malformed, unknown, revoked or expired.",
    403: "The token lacks the ability; the body names it.",
    404: "Unknown route or record, or the feature is off.",
    405: "The route does not support this method; `Allow` lists those it does.",
    409: "A request with the same idempotency key is still running.",
    413: "The body is too large.",
    414: "The path and query are longer than 8,192 characters.",
    415: "The body's media type is not supported by the route, or its charset is not UTF-8.",
    422: "Validation failed: `errors` maps dotted paths to messages.",
    429: "The rate limit is exceeded; `Retry-After` is the number of seconds to wait.",
    500: "The server failed.",
    503: "The database, or something else that is needed, is unavailable; `Retry-After` is the number of seconds to wait.",
}

#: The name of each error's answer in the components.
_NAMES = {
    400: "BadRequest",
    401: "Unauthenticated",
    403: "MissingAbility",
    404: "NotFound",
    405: "MethodNotAllowed",
    409: "Conflict",
    413: "TooLarge",
    414: "UriTooLong",
    415: "UnsupportedMediaType",
    422: "ValidationFailed",
    429: "TooManyRequests",
    500: "ServerError",
    503: "Unavailable",
}
_TEXT = {"type": "string"}
_WHOLE_NUMBER = {"type": "integer", "minimum": 1}
_COUNT = {"type": "integer", "minimum": 0}
_URL = {"type": "string", "format": "uri"}
_LINK = {"type": ["string", "null"], "format": "uri"}
_CURSOR = {"type": ["string", "null"]}


def _object(properties: Mapping[str, Any], *, optional: frozenset[str] = frozenset(), description: str) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "description": description, "required": required, "properties": dict(properties)}


_MESSAGE = {**_TEXT, "description": "A sentence for people."}
_PAGES = {
    "current_page": {**_WHOLE_NUMBER, "description": "The number of this page."},
    "from": {"type": ["integer", "null"], "description": "The place of its first record in the list; null on an empty page."},
    "last_page": {**_WHOLE_NUMBER, "description": "The number of the last page."},
    "path": {**_URL, "description": "The address of the list without its query."},
    "per_page": {**_WHOLE_NUMBER, "description": "Records on a page."},
    "to": {"type": ["integer", "null"], "description": "The place of its last record in the list; null on an empty page."},
    "total": {**_COUNT, "description": "All records of the list."},
}
_CURSORS = {
    "next_cursor": {**_CURSOR, "description": "With `cursor`: that of the next part; null at the end."},
    "prev_cursor": {**_CURSOR, "description": "With `cursor`: that of the part before; null at the beginning."},
}
_FIRST, _LAST = "Of the first page.", "Of the last page; null with `cursor`."
_PREVIOUS, _NEXT = "Of the page before; null on the first.", "Of the next page; null on the last."

#: The schemas that are no resource and no body, by name.
COMPONENTS: dict[str, dict[str, Any]] = {
    "Error": _object({"message": _MESSAGE}, description="An error."),
    "MissingAbilityError": _object(
        {"message": _MESSAGE, "required_ability": {**_TEXT, "description": "The ability that the token lacks."}},
        description="The token lacks an ability.",
    ),
    "ValidationError": _object(
        {
            "message": {**_TEXT, "description": "The first error, and how many more there are."},
            "errors": {
                "type": "object",
                "description": "Sentences by the dotted path of the key, or by the name of the parameter.",
                "additionalProperties": {"type": "array", "items": _TEXT, "minItems": 1},
            },
        },
        description="The request is not valid, or the state of the record does not allow it.",
    ),
    "ListLinks": _object(
        {
            name: {**_LINK, "description": text}
            for name, text in {"first": _FIRST, "last": _LAST, "prev": _PREVIOUS, "next": _NEXT}.items()
        },
        description="The addresses of other pages of the list.",
    ),
    "PageMeta": _object(_PAGES, description="The place of a page in its list."),
    "ListMeta": _object(
        _PAGES | _CURSORS,
        # Numbered pages have all others but the cursors; parts that are read with a cursor have only that.
        optional=frozenset([*_PAGES, *_CURSORS]) - {"per_page"},
        description="The place of a page in its list: all but the cursors, or with `cursor`, the cursors and `per_page`.",
    ),
}
#: The headers of answers: the name in the components, the schema, and the description.
_HEADERS: dict[str, tuple[str, dict[str, Any], str]] = {
    "X-Request-Id": ("RequestId", _TEXT, "Names the request in the log of the server."),
    "ETag": ("ETag", _TEXT, "Names this version of the answer; send it as `If-None-Match`."),
    "X-RateLimit-Limit": ("RateLimitLimit", _COUNT, "Requests a minute."),
    "X-RateLimit-Remaining": ("RateLimitRemaining", _COUNT, "Requests that are left in this minute."),
    "X-RateLimit-Reset": ("RateLimitReset", _COUNT, "When the next minute begins, in Unix seconds."),
    "Retry-After": ("RetryAfter", _COUNT, "Seconds to wait."),
    "Idempotency-Replayed": (
        "IdempotencyReplayed",
        {**_TEXT, "const": "true"},
        "Sent with the first answer to the same key.",
    ),
    "Allow": ("Allow", _TEXT, "The methods of the route."),
    "WWW-Authenticate": ("WWWAuthenticate", _TEXT, "How to authenticate, and the ability that is required."),
}
_ALWAYS = ("X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining")
_OF_ERRORS = {
    401: ("WWW-Authenticate",),
    403: ("WWW-Authenticate",),
    405: ("Allow",),
    429: ("Retry-After", "X-RateLimit-Reset"),
    503: ("Retry-After",),
}
#: Parameters that are the same in all operations that have them: name to the name in the components.
_PARAMETERS = {"page": "Page", "per_page": "PerPage", "cursor": "Cursor", "Idempotency-Key": "IdempotencyKey"}
DELETED = {
    "type": "object",
    "required": ["id", "deleted"],
    "properties": {
        "id": {"type": "integer", "description": "The id that the record had."},
        "deleted": {"type": "boolean", "const": True, "description": "Always true."},
    },
}
_IGNORED = {"type": "array", "items": _TEXT, "description": "Dotted paths of the keys of the body that were dropped."}


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def error_schema(status: int) -> dict[str, str]:
    return _reference({403: "MissingAbilityError", 422: "ValidationError"}.get(status, "Error"))


def answer_of_list(record: Mapping[str, Any], *, has_cursors: bool) -> dict[str, Any]:
    """Return the schema of a list's envelope."""
    return {
        "type": "object",
        "required": ["data", "links", "meta"],
        "properties": {
            "data": {"type": "array", "items": record, "description": "The records of this page."},
            "links": _reference("ListLinks"),
            "meta": _reference("ListMeta" if has_cursors else "PageMeta"),
        },
        "additionalProperties": False,
    }


def answer_of_record(
    data: Mapping[str, Any], meta: Mapping[str, Any] = MappingProxyType({}), *, may_ignore: bool = False
) -> dict[str, Any]:
    """Return the schema of the answer with a single record or rows; `meta` are the schemas of the keys beside it."""
    beside = {**meta, **({"ignored": _IGNORED} if may_ignore else {})}
    described = {
        "type": "object",
        "description": "Facts beside the record.",
        "required": list(meta),
        "properties": beside,
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "required": ["data", *(["meta"] if meta else [])],
        "properties": {"data": data, **({"meta": described} if beside else {})},
        "additionalProperties": False,
    }


def headers(*names: str) -> dict[str, Any]:
    """Return references to the headers of every answer, and to these."""
    return {name: {"$ref": f"#/components/headers/{_HEADERS[name][0]}"} for name in (*_ALWAYS, *names)}


def error_reference(status: int) -> dict[str, str]:
    return {"$ref": f"#/components/responses/{_NAMES[status]}"}


def share_parts(document: dict[str, Any]) -> None:
    """Add the components that operations refer to, and move the parameters there that many of them have."""
    parameters: dict[str, Any] = {}
    for operation in _operations(document):
        for place, parameter in enumerate(operation.get("parameters", ())):
            name = _PARAMETERS.get(parameter["name"])
            # A report has a filter that is called `page`, too.
            if name and parameters.setdefault(name, parameter) == parameter:
                operation["parameters"][place] = {"$ref": f"#/components/parameters/{name}"}
    components = document["components"]
    components["schemas"] |= deepcopy(COMPONENTS)
    components["parameters"] = parameters
    components["headers"] = {name: {"description": text, "schema": schema} for name, schema, text in _HEADERS.values()}
    components["responses"] = {name: _error(status) for status, name in _NAMES.items()}


def _error(status: int) -> dict[str, Any]:
    content = {"schema": error_schema(status), "examples": {"Example": {"value": EXAMPLES[status]}}}
    return {
        "description": ERRORS[status],
        "headers": headers(*_OF_ERRORS.get(status, ())),
        "content": {"application/json": content},
    }


def inline_parts(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document with the parameters and responses of its operations in the place of references to them."""
    whole = deepcopy(dict(document))

    def resolve(part: dict[str, Any]) -> dict[str, Any]:
        _, _, kind, name = part.get("$ref", "///").split("/")
        return whole["components"][kind][name] if kind in {"parameters", "responses"} else part

    for operation in _operations(whole):
        operation["parameters"] = [resolve(each) for each in operation.get("parameters", ())]
        operation["responses"] = {status: resolve(each) for status, each in operation.get("responses", {}).items()}
    return whole


def _operations(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    return (operation for methods in document.get("paths", {}).values() for operation in methods.values())
