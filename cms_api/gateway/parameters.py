"""The query parameters of operations in the OpenAPI document."""

from drf_spectacular.utils import OpenApiParameter

from cms_api.http.endpoint import Operation
from cms_api.http.query import DEFAULT_PER_PAGE, MAX_PER_PAGE, Family, Param, Query


def query_parameters(operation: Operation) -> list[OpenApiParameter]:
    query: Query = operation.query
    found = [
        OpenApiParameter(name, param.as_schema(), required=param.required, description=param.help)
        for param in query.filters
        for name in _names(param)
    ]
    if query.sort:
        keys = [sign + key for key in query.sort.keys for sign in ("", "-")]
        found += [
            OpenApiParameter("page", {"type": "integer", "minimum": 1, "default": 1}, description="Which page."),
            OpenApiParameter(
                "per_page",
                {"type": "integer", "minimum": 1, "default": DEFAULT_PER_PAGE},
                description=f"Rows per page; more than {MAX_PER_PAGE} is read as {MAX_PER_PAGE}.",
            ),
            OpenApiParameter(
                "sort",
                {"type": "string", "enum": keys, "default": query.sort.default},
                description="`-` for descending; ties are broken by id.",
            ),
            OpenApiParameter(
                "cursor",
                {"type": "string"},
                description="Instead of `page`: empty for the first page, then the value in `links.next`. No total is counted.",
            ),
        ]
    if has_sparse_answers(operation):
        found.append(
            OpenApiParameter(
                "fields",
                {"type": "array", "minItems": 1, "items": {"type": "string", "enum": sorted(operation.field_names)}},
                description="Comma-separated top-level keys; `id` is always included.",
                style="form",
                explode=False,
            )
        )
    return found


def _names(param: Param) -> list[str]:
    return [f"{param.name}.{member}" for member in param.members()] if isinstance(param, Family) else [param.name]


def has_sparse_answers(operation: Operation) -> bool:
    """Return whether `fields=` is read, so that answers may have only some of a record's keys."""
    return operation.verb == "get" and operation.kind in {"one", "list", "rows"} and bool(operation.field_names)
