"""Declarations of tokens for a purpose: a choice of a module's abilities, and how far such tokens reach."""

from collections.abc import Mapping
from dataclasses import dataclass

Dotted = str


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
