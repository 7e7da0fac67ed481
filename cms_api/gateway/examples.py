"""Examples of answers in the OpenAPI document."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiExample
from rest_framework.serializers import BaseSerializer

from cms_api.core.outages import DatabaseUnavailable
from cms_api.http.endpoint import Operation

#: The bodies of refusals, by status.
EXAMPLES = {
    400: {"message": "The request body is not valid JSON."},
    401: {"message": "Unauthenticated."},
    403: {"message": "This token is missing the required ability: content:write.", "required_ability": "content:write"},
    404: {"message": "Not Found."},
    405: {"message": "Method Not Allowed"},
    409: {"message": "A request with this idempotency key is still running."},
    413: {"message": "The request body is too large."},
    414: {"message": "The path and query may not be longer than 8192 characters."},
    415: {"message": "The request body must be application/json."},
    422: {"message": "The title field is required.", "errors": {"data.title": ["The title field is required."]}},
    429: {"message": "Too Many Attempts."},
    500: {"message": "Server Error"},
    503: {"message": DatabaseUnavailable.message},
}


def success_examples(operation: Operation, path: str) -> list[OpenApiExample]:
    """Return the example of a success at a path."""
    if operation.kind == "deleted":
        return [OpenApiExample("Example", value={"data": {"id": 7, "deleted": True}})]
    example = getattr(operation.answer, "example", None)
    if not example or operation.kind not in {"one", "list", "rows"}:
        return []
    if operation.kind != "list":
        beside = {name: _example(found) for name, found in operation.meta.items()}
        data = example if operation.kind == "one" else [example]
        return [OpenApiExample("Example", value={"data": data, **({"meta": beside} if beside else {})})]
    url = settings.BASE_URL + path
    links = {"first": f"{url}?page=1", "last": f"{url}?page=1", "prev": None, "next": None}
    meta = {"current_page": 1, "from": 1, "last_page": 1, "path": url, "per_page": 15, "to": 1, "total": 1}
    return [OpenApiExample("Example", value={"data": [example], "links": links, "meta": meta})]


def _example(found: type[BaseSerializer[Any]] | Mapping[str, Any]) -> Any:
    return found["examples"][0] if isinstance(found, Mapping) else getattr(found, "example", {})
