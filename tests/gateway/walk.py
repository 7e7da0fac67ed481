"""A walk through every address of the admin: its URL patterns with records and with hostile values, and all that a view reads.

The names of the values that a view reads are not listed here: they are recorded while it answers.
"""

import itertools
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.core.signals import got_request_exception
from django.db import transaction
from django.db.models import Model
from django.http import QueryDict
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils.functional import cached_property
from wagtail.admin.views.bulk_action.registry import bulk_action_registry
from wagtail.models import Collection, Page, Revision, Task, UploadedFile, Workflow

from cms_api.media.models import MediaFile, MediaImage
from commerce.imports.models import ImportRun
from commerce.marketing.models import Enrolment, SequenceStep
from home.models import SharedRow

#: Hostile values, as they are sent.
VALUES = {
    "a NUL": "%00",
    "a NUL in a word": "a%00b",
    "invalid UTF-8": "%FF%FE",
    "a surrogate": "%ED%A0%80",
    "a number beyond 64 bits": "9223372036854775808",
    "a number of 30 digits": "9" * 30,
    "a number of 5,000 digits": "9" * 5000,
    "a negative number": "-1",
    "zero": "0",
    "one": "1",
    "no such number": "99999",
    "an Arabic digit": "%D9%A1",
    "a fraction": "1.5",
    "a word": "x",
    "nothing": "",
    "5,000 characters": "a" * 5000,
    "the first day": "0001-01-01",
    "the last day": "9999-12-31",
    "no day": "2024-02-30",
    "braces": "%7B%7D%7B0%7D%25s",
}
#: Values that a thorough walk sends in each name alone, at each address.
VALUES_OF_A_NAME = 5
#: Bodies that are no forms.
JSON = (b"", b"x", b"null", b"[1]", b'"x"', b"{}", b'{"a": "\\ud800"}', b'{"a": "\\u0000"}', b"[" * 2000)
#: Values in the place of a number in a path, and of a text.
NUMBERS = ("0", "1", "99999", "9223372036854775808", "9" * 30)
TEXTS = ("x", "1", "99999", "9" * 30, "%00", "%FF", "a" * 5000, "%D9%A1")

#: The addresses to which the admin sends people who may not open a page: its home and its sign-in page.
REFUSED = {"/admin/", "/admin/login/"}
#: Wagtail's page that fails so that one can see how failures are reported.
LEFT_OUT = {"admin/failwhale/"}

MODELS: dict[str, type[Model]] = {
    **dict.fromkeys(("page_id", "parent_page_id", "page_pk", "page_to_move_id", "destination_id"), Page),
    **{"image_id": MediaImage, "document_id": MediaFile, "doc_id": MediaFile, "collection_id": Collection},
    **{"workflow_pk": Workflow, "task_id": Task, "uploaded_file_id": UploadedFile, "revision_id": Revision},
}
#: Models by the beginning of an address, where neither the view nor the argument names one; the longest comes first.
PLACES: dict[str, type[Model]] = {
    **{"admin/marketing/sequences/steps": SequenceStep, "admin/marketing/subscribers/enrolments": Enrolment},
    **{"admin/workflows/tasks": Task, "admin/workflows": Workflow, "admin/imports": ImportRun, "admin/pages": Page},
    **{"admin/collections": Collection, "admin/snippets": SharedRow, "admin/api/main/^images": MediaImage},
    **{"admin/images": MediaImage, "admin/documents": MediaFile, "admin/api/main/^documents": MediaFile, "admin/api": Page},
}
WORDS = {
    **{"app_label": "home", "content_type_app_name": "home", "app_name": "home", "object_id": "1", "kind": "contacts"},
    **{"model_name": "standardpage", "content_type_model_name": "standardpage", "action_name": "approve"},
    **{"action": "delete", "filter_spec": "width-100", "row_slug": "x", "key": "image", "name": "event_rsvp"},
    **{"table": "sources", "revision_id_a": "live", "revision_id_b": "latest", "uidb64": "MQ", "token": "x-y"},
}


class Argument(NamedTuple):
    name: str
    is_number: bool
    value: str


@dataclass
class Address:
    """A URL pattern of the admin, and the values that fill it."""

    route: str
    view: Any
    arguments: list[Argument] = field(default_factory=list)

    def path(self, **changes: str) -> str:
        filled = self.route
        for argument in self.arguments:
            filled = filled.replace("\0", changes.get(argument.name, argument.value), 1)
        return "/" + filled

    @property
    def view_class(self) -> Any:
        return getattr(self.view, "view_class", self.view)


class Failure(NamedTuple):
    request: str
    reason: str


def addresses() -> list[Address]:
    """Every address of the admin; bulk actions have one for each of them."""
    found = []
    for route, pattern in _patterns(get_resolver().url_patterns):
        if route.startswith("admin/") and route not in LEFT_OUT and not route.endswith(".*/$"):
            found.append(_address(route, pattern))
    bulk_action_registry._scan_for_bulk_actions()
    for app, models in bulk_action_registry.actions.items():
        for model, actions in models.items():
            for name, action in actions.items():
                found.append(Address(reverse("wagtail_bulk_action", args=[app, model, name])[1:], action))
    return found


def _patterns(patterns: Any, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _patterns(pattern.url_patterns, route)
        else:
            yield route, pattern


def _address(route: str, pattern: URLPattern) -> Address:
    arguments = []
    parameter = r"\(\?P<(?P<a>\w+)>[^)]*\)|<(?:(?P<kind>\w+):)?(?P<b>\w+)>"
    for match in re.finditer(parameter, route):
        name = match["a"] or match["b"]
        value = WORDS.get(name) or _record(route, name, pattern.callback)
        arguments.append(Argument(name, match["kind"] in {"int", "id"}, value))
    route = re.sub(parameter, "\0", route)
    return Address(re.sub(r"\\Z|[\\^$]", "", route), pattern.callback, arguments)


def _record(route: str, name: str, view: Any) -> str:
    """The id of a record that the view can show."""
    place = next((model for start, model in PLACES.items() if route.startswith(start)), None)
    named = getattr(view, "view_initkwargs", {}).get("model") or getattr(getattr(view, "view_class", None), "model", None)
    model: Any = MODELS.get(name) or (named if isinstance(named, type) else None) or place
    if model is None:
        return "1"
    records = model._default_manager.order_by("pk")
    record = records.filter(depth=3).first() if model is Page else records.last()
    return str(record.pk) if record else "1"


class Recorded(QueryDict):
    """Notes the names that are read; copies do not."""

    read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return super().__getitem__(name)

    def __contains__(self, name: Any) -> bool:
        self.read.add(name)
        return super().__contains__(name)

    def get(self, name: str, *default: Any) -> Any:
        self.read.add(name)
        return super().get(name, *default)

    def getlist(self, name: str, *default: Any) -> Any:
        self.read.add(name)
        return super().getlist(name, *default)


class Names:
    """The names that the last view read, in its query and its form."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.query: set[str] = set()
        self.form: set[str] = set()

        def recorded(values: QueryDict, names: set[str]) -> Recorded:
            found = Recorded("", mutable=True, encoding=values.encoding)
            for name, several in values.lists():
                found.setlist(name, several)
            found.read, found._mutable = names, False
            return found

        query, load = WSGIRequest.GET.func, WSGIRequest._load_post_and_files

        def load_recorded(request: Any) -> None:
            load(request)
            if not isinstance(request._post, Recorded):
                request._post = recorded(request._post, self.form)

        property_of_query = cached_property(lambda request: recorded(query(request), self.query))
        property_of_query.__set_name__(WSGIRequest, "GET")
        patch.setattr(WSGIRequest, "GET", property_of_query)
        patch.setattr(WSGIRequest, "_load_post_and_files", load_recorded)


class Walker:
    """Sends requests, each of which is undone, and collects those that fail."""

    def __init__(self, client: Client, names: Names) -> None:
        self.client, self.cookies, self._names = client, dict(client.cookies), names
        client.raise_request_exception = False
        self.failures: list[Failure] = []
        self.statuses: dict[str, int] = {}
        self.count = 0
        #: The address to which the last answer leads.
        self.location = ""
        self._reason = ""
        got_request_exception.connect(self._note)

    def _note(self, **named: Any) -> None:
        problem = sys.exc_info()[1]
        at = problem.__traceback__ if problem else None
        while at and at.tb_next:
            at = at.tb_next
        place = f"{at.tb_frame.f_globals.get('__name__')}:{at.tb_lineno}" if at else ""
        self._reason = f"{type(problem).__name__}: {str(problem)[:100]} ({place})"

    def send(self, method: str, path: str, body: bytes = b"", kind: str = "application/x-www-form-urlencoded") -> int:
        """Send a request and undo it; returns the status."""
        self.client.cookies.clear()
        self.client.cookies.update(self.cookies)
        self._names.query.clear()
        self._names.form.clear()
        self._reason = ""
        self.count += 1
        around = transaction.atomic()
        # As that of a test case, it does not count where transactions are refused.
        around._from_testcase = True  # type: ignore[attr-defined]
        with around:
            answer = self.client.generic(method, path, body, content_type=kind)
            status = answer.status_code
            self.location = answer.headers.get("Location", "").partition("?")[0]
            try:
                for _ in answer.streaming_content if answer.streaming else ():
                    pass
            except Exception as problem:
                status, self._reason = 500, f"{type(problem).__name__}: {problem} (while it was streamed)"
            transaction.set_rollback(True)
        if status >= 500:
            self.failures.append(Failure(f"{method} {path[:200]} {body[:200]!r}", self._reason))
        return status

    def is_admitted(self, path: str) -> bool:
        """Open an address; tells whether this person may."""
        self.statuses[path] = self.send("GET", path)
        return self.statuses[path] != 403 and self.location not in REFUSED

    @property
    def read_names(self) -> set[str]:
        """The names of the query that the last view read."""
        return set(self._names.query)

    def read(self, path: str, query: str = "") -> set[str]:
        """Send a GET request; returns the names that the view read."""
        self.send("GET", f"{path}?{query}" if query else path)
        return self.read_names

    def post(self, path: str, names: set[str], value: str = "", query: str = "") -> set[str]:
        """Send a form with this value in every field; returns the names that the view read."""
        self.send("POST", f"{path}?{query}", encoded(names, value).encode())
        return set(self._names.form)


def encoded(names: set[str], value: str) -> str:
    return "&".join(f"{quote(name)}={value}" for name in sorted(names))


#: In addition to what views read at first: some read more once they have a value.
ALWAYS = {"id", "p", "q"}
ALL = slice(None)


def walk(walkers: list[Walker], found: list[Address], *, part: slice = ALL, thoroughly: bool = False) -> None:
    """Visit the addresses with records and with hostile values.

    Every walker opens each address; one of those who may, in turn, sends the hostile values to those of this part.

    Thoroughly, every value is sent in all names at once, five of the values in each name alone, in turn, and every value in each
    argument. Otherwise each address has a value in all names at once, one in the name that was tried the least so far, and one in
    each argument, in turn; an address that nobody may open is left.
    """
    turn, numbers, texts = itertools.cycle(VALUES.values()), itertools.cycle(NUMBERS), itertools.cycle(TEXTS)
    tried: dict[str, int] = dict.fromkeys(ALWAYS, 0)
    hostile = range(len(found))[part]
    for number, address in enumerate(found):
        path = address.path()
        admitted, read = [], set(ALWAYS)
        for walker in walkers:
            if walker.is_admitted(path):
                admitted.append(walker)
                read |= walker.read_names
        if not admitted or number not in hostile:
            continue
        walker = admitted[hostile.index(number) % len(admitted)]
        posted = walker.post(path, set())
        for value in VALUES.values() if thoroughly else [next(turn)]:
            read = _one_row(read | walker.read(path, encoded(read, value)))
            posted = _one_row(posted | walker.post(path, posted, value, encoded({"next"} & read, value)))
        names = sorted(read, key=lambda name: (tried.get(name, 0), name))
        for name in names if thoroughly else names[:1]:
            for value in _in_turn(tried, name, VALUES_OF_A_NAME if thoroughly else 1):
                walker.read(path, encoded({name}, value))
        for argument in address.arguments:
            walker.read(address.path(**{argument.name: next(numbers if argument.is_number else texts)}))
        if thoroughly:
            _walk_thoroughly(walker, address, posted, tried)


def _in_turn(tried: dict[str, int], name: str, number: int) -> list[str]:
    """So many of the values for a name: those that follow the values that it was tried with last."""
    values, start = list(VALUES.values()), tried.get(name, 0)
    tried[name] = start + number
    return [values[place % len(values)] for place in range(start + 1, start + number + 1)]


def _one_row(names: set[str]) -> set[str]:
    """The names without those of further rows of a form: a view that is sent a number of rows reads thousands of them."""
    first: dict[str, str] = {}
    for name in sorted(names, key=lambda name: (len(name), name)):
        first.setdefault(re.sub(r"\d+", "0", name), name)
    return set(first.values())


def _walk_thoroughly(walker: Walker, address: Address, posted: set[str], tried: dict[str, int]) -> None:
    path = address.path()
    for name in sorted(posted):
        for value in _in_turn(tried, f"posted {name}", VALUES_OF_A_NAME):
            walker.send("POST", path, f"{encoded(posted - {name}, '1')}&{encoded({name}, value)}".encode())
    for method, body in itertools.product(("POST", "PUT", "PATCH", "DELETE"), JSON):
        walker.send(method, path, body, "application/json")
    for argument in address.arguments:
        for value in NUMBERS if argument.is_number else TEXTS:
            walker.read(address.path(**{argument.name: value}))
            walker.post(address.path(**{argument.name: value}), posted, "1")
