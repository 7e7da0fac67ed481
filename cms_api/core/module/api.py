"""Declared for the API: routes and the abilities that they need, token presets and webhook events."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .types import Dotted

#: Stated explicitly in a route's abilities if no token is needed.
PUBLIC = "public"
#: A route of this ability needs a token, whatever its abilities and its restriction.
ANY = "any"

#: The headings of the token dialog, in display order.
ABILITY_GROUPS = ("Content", "Forms", "Contacts", "Commerce", "Platform")


@dataclass(frozen=True)
class Route:
    """A path under /api/v1 and the ability each of its methods needs.

    `abilities` maps GET, POST, PATCH (which also answers PUT) and DELETE to an ability, ANY or PUBLIC.
    """

    path: str
    view: Dotted
    abilities: Mapping[str, str]
    #: Gates this route instead of the module's own feature.
    feature: str = ""

    @property
    def methods(self) -> tuple[str, ...]:
        """Every method the route answers, HEAD and PUT included."""
        implied = {"GET": ("GET", "HEAD"), "PATCH": ("PATCH", "PUT")}
        return tuple(method for declared in self.abilities for method in implied.get(declared, (declared,)))

    def ability(self, method: str) -> str:
        return self.abilities[{"HEAD": "GET", "PUT": "PATCH"}.get(method, method)]


@dataclass(frozen=True)
class Event:
    """A type of webhook event: its meaning, the function that builds its payload from a record, and the payload's shape.

    `document` is the Resource that describes the payload; its example, overridden by `sample`, is the payload of test
    deliveries and of the documentation.
    An event without a `resource` is announced: it is documented and can be subscribed to, but is not emitted yet.
    """

    kind: str
    summary: str
    document: Dotted
    resource: Dotted = ""
    #: Gates this event instead of the module's own feature.
    feature: str = ""
    #: Overrides of the document's example, so that the sample of a cancelled record looks cancelled.
    sample: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Restriction:
    """A limit that is stored with a token: it reaches a few routes, and each is answered by a view of its own.

    Tokens may be limited to one record, their scope, which the views check: `request.token.scope_id`.
    """

    #: Tokens store it, so never change it.
    name: str
    title: str
    #: A sentence on what such a token may do.
    summary: str
    #: The declared path of each route that it reaches, whatever the route's ability, to the view that answers it.
    views: Mapping[str, Dotted]
    #: The kind of record that a scope is (`event`), and a function that returns the ids and titles of those to choose from.
    scope: str = ""
    scope_choices: Dotted = ""


@dataclass(frozen=True)
class TokenPreset:
    """A choice of abilities for a purpose, which the token dialog offers as a button: its label, and the abilities.

    Tokens with a restriction are those that the preset was chosen for; others may have the same abilities.
    """

    title: str
    abilities: tuple[str, ...]
    restriction: Restriction | None = None


@dataclass(frozen=True)
class Api:
    """A module's part of the API."""

    #: The heading of its abilities in the token dialog, one of ABILITY_GROUPS.
    group: str = "Platform"
    #: Ability to description, as the token dialog shows it.
    abilities: Mapping[str, str] = field(default_factory=dict)
    #: Choices of its abilities that the token dialog offers.
    token_presets: tuple[TokenPreset, ...] = ()
    routes: tuple[Route, ...] = ()
    #: Paths of lists to the names of their records in ids of operations, if another module's have the same: `ticket_orders`.
    nouns: Mapping[str, str] = field(default_factory=dict)
    #: Types of webhook events that its services emit.
    events: tuple[Event, ...] = ()
