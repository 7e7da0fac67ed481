"""Creates and revokes tokens and records their use; each action of a person or a command is in the audit log."""

import time
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from django.db.models import Q
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core import outages, registry, versions
from cms_api.core.errors import ErrorCollector, invalid_choice, required_message
from cms_api.core.vocabulary import ABILITIES

from ..models import ApiToken
from ..selectors import VERSION, restriction_choices
from ..types import LIFETIMES, Grant, digest, new_token

#: The minimum interval between writes of `last_used_at`.
STAMP_SECONDS = 60

_stamped: dict[int, float] = {}


@transaction.atomic
def create_token(
    *, name: str, abilities: list[str], lifetime: str = "never", restriction: str = "", user: User | None = None
) -> tuple[ApiToken, str]:
    """Create a token; return it with its plaintext, which cannot be retrieved later. Raises Invalid.

    A `restriction`, as `restriction_choices` names it, decides the abilities, which may be left out.
    """
    name = name.strip()
    collector = ErrorCollector()
    choice = next((each for each in restriction_choices() if each[0] == restriction), None) if restriction else None
    restricted_to = restriction.partition(":")[0] if choice else ""
    if choice:
        abilities = _abilities_of(restricted_to, abilities, collector)
    elif restriction:
        collector.add("restriction", f"Unknown restriction, or unknown record to limit it to: {restriction}.")
    if not name:
        collector.add("name", required_message("name"))
    elif len(name) > 100:
        collector.add("name", "The name may not be greater than 100 characters.")
    unknown = sorted(set(abilities) - set(ABILITIES))
    if not abilities:
        collector.add("abilities", required_message("abilities"))
    elif unknown:
        collector.add("abilities", f"Unknown ability: {', '.join(unknown)}.")
    if lifetime not in LIFETIMES:
        collector.add("expires", invalid_choice("expiry", LIFETIMES))
    collector.raise_if_any()
    duration = LIFETIMES[lifetime]
    plaintext = new_token()
    token = ApiToken.objects.create(
        name=name,
        digest=digest(plaintext),
        last_four=plaintext[-4:],
        abilities=[ability for ability in ABILITIES if ability in set(abilities)],
        restriction=restricted_to,
        scope_id=int(restriction.partition(":")[2]) if choice and ":" in restriction else None,
        scope_title=choice[2][:255] if choice else "",
        expires_at=timezone.now() + duration if duration else None,
        created_by=user,
        creator_name=user.get_username() if user else "",
    )
    data = {"abilities": token.abilities, **({"restriction": restriction} if restriction else {})}
    log(instance=token, action="wagtail.create", user=user, data=data)
    return token, plaintext


def _abilities_of(restriction: str, chosen: list[str], collector: ErrorCollector) -> list[str]:
    _, preset = registry.restrictions()[restriction]
    if chosen and set(chosen) != set(preset.abilities):
        collector.add("abilities", f"A token with this restriction has no other ability than {', '.join(preset.abilities)}.")
    return list(preset.abilities)


@transaction.atomic
def revoke_token(*, token: ApiToken, user: User | None = None) -> bool:
    """Revoke a token immediately in every process; False if it was already revoked."""
    revoked = ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()) == 1
    if revoked:
        log(instance=token, action="tokens.revoke", user=user)
        versions.bump(VERSION)
    return revoked


def stamp_use(grant: Grant) -> None:
    """Record that a token was used, at most once a minute across all processes; while the disk is full, not at all."""
    now = time.monotonic()
    if now - _stamped.get(grant.id, -STAMP_SECONDS) < STAMP_SECONDS:
        return
    _stamped[grant.id] = now
    moment = timezone.now()
    stale = Q(last_used_at=None) | Q(last_used_at__lt=moment - timedelta(seconds=STAMP_SECONDS))
    try:
        ApiToken.objects.filter(stale, pk=grant.id).update(last_used_at=moment)
    except DatabaseError as problem:
        if outages.find(problem) is not outages.DiskFull:
            raise
