"""Ids of operations, after which generated clients name their functions: `contacts_list`, `orders_fulfill`."""

from collections.abc import Mapping

from cms_api.http.endpoint import Operation

_ONE = {"get": "get", "patch": "update", "put": "put", "post": "update", "delete": "delete"}


def operation_id(path: str, method: str, operation: Operation, nouns: Mapping[str, str]) -> str:
    """Return the id of an operation.

    `path` is that of its route, with parameters in braces; `nouns` are the names of records by the beginning of a path.
    """
    fixed, _, rest = path.partition("/{")
    noun = nouns.get(fixed, fixed.rpartition("/")[2])
    if not rest:
        return _id_of_collection(fixed, noun, method, operation)
    parts = [part for part in rest.split("/")[1:] if not part.startswith("{")]
    if not parts:
        return _join(noun, _ONE[method])
    if rest.endswith("}"):
        return _join(noun, *parts, _ONE[method])
    if method == "get":
        return _join(noun, *parts, "list" if operation.kind == "list" else "get")
    # A plural names records; else it is what is done, or an attribute that is set.
    is_plural = parts[-1].endswith("s") and not parts[-1].endswith("us")
    return _join(noun, *parts, *(["create"] if is_plural else []))


def _id_of_collection(fixed: str, noun: str, method: str, operation: Operation) -> str:
    if method == "post":
        return _join(noun, "create")
    if operation.kind == "list":
        return _join(noun, "list")
    # A report, or a document.
    return _join(*fixed.split("/")) if method == "get" else _join(noun, _ONE[method])


def _join(*words: str) -> str:
    return "_".join(words).replace("-", "_").replace(".", "_") or "root"
