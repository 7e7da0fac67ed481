"""Every declared operation, with a path of no existing record, and every kind of token in a request."""

import re
from datetime import timedelta
from typing import NamedTuple

from django.utils import timezone

from cms_api.auth.models import ApiToken
from cms_api.auth.services.tokens import revoke_token
from cms_api.auth.types import digest, new_token
from cms_api.core import registry
from cms_api.core.module import ANY, PUBLIC, Api, Module, Route
from cms_api.core.vocabulary import ABILITIES
from tests.builders import make_token

UNKNOWN = {"id": "987654321", "ref": "no-such-thing"}
#: No ids, numbers, slugs, codes or addresses.
MISSPELLED = (
    *("0", "007", "-1", "1x", "1e3", "1.0", "9223372036854775808", "9" * 30, "INV-1", "Reyes-Ceramics"),
    *("%D9%A1", "%F0%9F%9B%92", "1%00", "a%00", "%FF", "%20"),
)


#: Stands for any module with a feature, also while none is installed.
PLANTED = Module(
    name="planted",
    title="Planted",
    description="A group of the tests.",
    feature="crm",
    api=Api(
        abilities={"crm:read": "Read", "crm:write": "Write"},
        routes=(
            Route("crm/planted", "cms_api.content.api.ContentItems", {"GET": "crm:read", "POST": "crm:write"}),
            Route(
                "crm/planted/<ref:item>",
                "cms_api.content.api.OneContentItem",
                {"GET": "crm:read", "PATCH": "crm:write", "DELETE": "crm:write"},
            ),
        ),
    ),
)


class Used(NamedTuple):
    """A method on a path; `feature` is required besides `api`, `ability` is required of the token."""

    method: str
    path: str
    ability: str
    feature: str

    @property
    def names_a_record(self) -> bool:
        return any(unknown in self.path for unknown in UNKNOWN.values())

    def misspelled(self) -> list[str]:
        """The path with texts that name no record in place of its parameters."""
        parts = re.split("|".join(UNKNOWN.values()), self.path)
        return [text.join(parts) for text in MISSPELLED]


def operations(modules: tuple[Module, ...] | None = None) -> list[Used]:
    return [
        Used(method, ("/" + filled(route.path)).rstrip("/"), route.ability(method), route.feature or module.feature)
        for module in modules or registry.modules()
        for route in module.api.routes
        for method in route.methods
    ]


def filled(path: str) -> str:
    """A declared path whose parameters are filled with valid values of no existing record."""
    return re.sub(r"<(?:(\w+):)?\w+>", lambda found: UNKNOWN[found[1] or "ref"], path)


def guarded() -> list[Used]:
    """Those that need an ability of their own."""
    return [used for used in operations() if used.ability not in {PUBLIC, ANY}]


def named(used: Used) -> str:
    return f"{used.method} {used.path}"


def refused_tokens() -> dict[str, str]:
    """Every kind of Authorization header that is treated as missing."""
    expired, revoked = make_token(*ABILITIES, name="expired"), make_token(*ABILITIES, name="revoked")
    ApiToken.objects.filter(digest=digest(expired)).update(expires_at=timezone.now() - timedelta(seconds=1))
    revoke_token(token=ApiToken.objects.get(digest=digest(revoked)))
    valid = make_token(*ABILITIES)
    mistyped = valid[:-1] + ("0" if valid[-1] != "0" else "1")
    return {
        "none": "",
        "empty": "Bearer ",
        "malformed": "Bearer swt_short",
        "mistyped": f"Bearer {mistyped}",
        "not ASCII": "Bearer swt_" + "\u0661" * 40,
        "another scheme": f"Basic {valid}",
        "no scheme": valid,
        "two tokens": f"Bearer {valid} {valid}",
        "unknown": f"Bearer {new_token()}",
        "expired": f"Bearer {expired}",
        "revoked": f"Bearer {revoked}",
    }


def tokens_of_all_kinds() -> dict[str, str]:
    """Every kind of Authorization header there is."""
    return {
        **refused_tokens(),
        "all abilities": f"Bearer {make_token(*ABILITIES)}",
        "another ability": f"Bearer {make_token('analytics:write')}",
    }
