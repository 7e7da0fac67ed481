"""The root of the API: the token of a request, and the addresses of the groups."""

from typing import Any

from django.conf import settings
from rest_framework import serializers

from cms_api.auth.selectors import restriction_of
from cms_api.flags.selectors import first_paths
from cms_api.http import wire
from cms_api.http.serializers import Resource

from .routing import PREFIX


class ScopeResource(serializers.Serializer[Any]):
    type = serializers.CharField(help_text="The kind of record, such as `event`.")
    id = serializers.IntegerField()
    title = serializers.CharField(help_text="The record's title when the token was created.")


class TokenRestrictionResource(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="For example `ticket_scanner`.")
    summary = serializers.CharField(help_text="The only things that the token may do, as a sentence.")
    scope = ScopeResource(allow_null=True, help_text="The only record that the token may be used for; null for all.")


class TokenInUseResource(serializers.Serializer[Any]):
    name = serializers.CharField()
    abilities = serializers.ListField(child=serializers.CharField())
    restriction = TokenRestrictionResource(allow_null=True, help_text="A limit within its abilities; null for most tokens.")
    expires_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True, help_text="Written at most once a minute.")


class ApiRootResource(Resource):
    token = TokenInUseResource(help_text="The token of the request.")
    openapi = serializers.URLField(help_text="The description of the API.")
    groups = serializers.DictField(
        child=serializers.URLField(),
        help_text="The first address of each group whose feature is on, by the name in its abilities.",
    )

    example = {
        "token": {
            "name": "Website",
            "abilities": ["content:read", "media:read"],
            "restriction": None,
            "expires_at": "2027-03-01T18:30:00+00:00",
            "last_used_at": "2026-03-01T18:30:00+00:00",
        },
        "openapi": "https://example.com/api/v1/openapi.json",
        "groups": {"content": "https://example.com/api/v1/content-items", "media": "https://example.com/api/v1/media"},
    }


def root(token: Any) -> dict[str, Any]:
    return {
        "token": {
            "name": token.name,
            "abilities": token.abilities,
            "restriction": _restriction(token),
            "expires_at": wire.instant(token.expires_at),
            "last_used_at": wire.instant(token.last_used_at),
        },
        "openapi": address("openapi.json"),
        "groups": groups(),
    }


def _restriction(token: Any) -> dict[str, Any] | None:
    if not token.restriction:
        return None
    declared = restriction_of(token)
    scope = {"type": declared.scope if declared else "", "id": token.scope_id, "title": token.scope_title}
    return {
        "name": token.restriction,
        "summary": declared.summary if declared else "",
        "scope": None if token.scope_id is None else scope,
    }


def groups() -> dict[str, str]:
    """Return the address of each group's first list, by the name that the group has in abilities."""
    return {ability.partition(":")[0]: address(path) for ability, path in first_paths().items()}


def address(path: str) -> str:
    return f"{settings.BASE_URL}/{PREFIX}{path}"
