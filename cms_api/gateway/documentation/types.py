"""The contents of the API documentation: groups of operations, the records that they return, and webhook events."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from django.utils.safestring import SafeString

#: Stands for the address at which the page is opened, until the page is shown.
ORIGIN = "https://origin.invalid"


class Row(NamedTuple):
    """A parameter or a key of an object."""

    name: str
    type: str
    required: bool
    about: SafeString


class Record(NamedTuple):
    """A schema that responses and events refer to."""

    anchor: str
    title: str
    rows: list[Row]


class Field(NamedTuple):
    """An input of the form that sends a request: a parameter, or a part of a multipart body.

    `place` is `path`, `query`, `header` or `body`. `example` is shown in an empty input, never sent.
    """

    name: str
    place: str
    required: bool
    example: str = ""
    options: list[str] = []
    is_file: bool = False


@dataclass(frozen=True)
class Call:
    """A request of an operation, as samples and the form show it."""

    method: str
    #: The path with its parameters in braces.
    path: str
    needs_token: bool
    fields: list[Field]
    #: The example of the body; None if there is no body.
    body: Any = None
    is_multipart: bool = False


class Sample(NamedTuple):
    """The code of a request in a language."""

    language: str
    title: str
    code: str


class Operation(NamedTuple):
    """A method of a path, or a webhook event (whose `path` is its kind). Several `methods` if PUT and PATCH are the same.

    `record` is the `data` of a response or an event. Only operations have samples and a form, which is JSON.
    """

    anchor: str
    methods: list[tuple[str, str]]
    path: str
    summary: SafeString
    ability: str
    description: SafeString
    parameters: list[tuple[str, list[Row]]]
    body: list[Row]
    body_example: str
    record: Record | None
    answer_example: str
    statuses: list[tuple[str, SafeString]]
    samples: list[Sample]
    form: SafeString


class Group(NamedTuple):
    """A tag of the document with its operations."""

    anchor: str
    title: str
    description: str
    operations: list[Operation]


@dataclass(frozen=True)
class Documentation:
    """The contents of the page."""

    groups: list[Group]
    records: list[Record]
    events: list[Operation]
    #: The headers and keys that all events share.
    message: list[tuple[str, list[Row]]]

    @property
    def count(self) -> int:
        return sum(len(group.operations) for group in self.groups)
