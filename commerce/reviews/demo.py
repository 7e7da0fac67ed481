"""Demo reviews of every status and provider, and invitations of every state. Loading again adds nothing twice."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.content.selectors import all_types, published_items
from cms_api.core.demo import data_beside, pick
from commerce.booking.selectors.services import offered_services
from commerce.shop.selectors.products import published_products

from . import types
from .models import Invitation, OptOut, Review
from .services.moderation import invalidate
from .types import REMOVED, InvitationState, Provider, Source, Subject, SubjectKind, provider_key

DOMAIN = "reviewers.example"
DATA = data_beside(__file__)
PUBLIC, PENDING, HIDDEN, GONE = "public", "pending", "hidden", "gone"
#: Written on the site, at scale 1.
STATUSES = (*((PUBLIC,) * 14), *((PENDING,) * 4), *((HIDDEN,) * 3))
#: Of each provider.
SYNCED = (*((PUBLIC,) * 4), HIDDEN, GONE)


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the records that are missing."""
    about = _subjects()
    known = set(Review.objects.filter(author_email__endswith=f"@{DOMAIN}").values_list("author_email", flat=True))
    for number in range(len(STATUSES) * scale):
        if f"reviewer{number + 1}@{DOMAIN}" not in known:
            _write(number, pick(about, number))
            progress(1)
    keys = set(Review.objects.filter(provider_key__contains=":demo-").values_list("provider_key", flat=True))
    for place, provider in enumerate(types.SYNCED):
        for number in range(len(SYNCED) * scale):
            if provider_key(provider, f"demo-{number + 1}") not in keys:
                _sync(number + 3 * place, number, provider)
                progress(1)
    _invite(about, progress)
    invalidate(Review.objects.filter(author_email__endswith=f"@{DOMAIN}"))


def _subjects() -> list[Subject | None]:
    """Return products, events and services of the demo, and the business itself."""
    events = all_types().get("events")
    items = published_items(events)[:2] if events else []
    return [
        None,
        *(Subject(SubjectKind.PRODUCT, each.pk, each.name) for each in published_products().order_by("pk")[:3]),
        *(Subject(SubjectKind.EVENT, each.pk, each.title) for each in items),
        *(Subject(SubjectKind.SERVICE, each.pk, each.name) for each in offered_services().order_by("pk")[:1]),
    ]


def _texts(number: int, at: datetime) -> dict[str, Any]:
    times = {"left_at": at, "created_at": at, "updated_at": at}
    return {"author_name": pick(DATA["people"], number), **pick(DATA["texts"], number), **times}


def _state(status: str, at: datetime) -> dict[str, Any]:
    """Return the columns of a status; one that is not pending was decided on the next day."""
    if status == PENDING:
        return {"pending": True}
    if status == PUBLIC:
        return {"decided_at": at}
    if status == GONE:
        return {"is_visible": False, "hidden_reason": REMOVED, "removed_at": at}
    return {"is_visible": False, "hidden_reason": DATA["hidden_reason"], "decided_at": at}


@transaction.atomic
def _write(number: int, about: Subject | None) -> None:
    status = pick(STATUSES, number)
    days = number % 5 if status == PENDING else 6 + number * 13 % 240
    at = timezone.now() - timedelta(days=days, hours=1 + number % 9, minutes=number * 7 % 60)
    of: Mapping[str, Any] = {}
    if about:
        of = {"subject_kind": about.kind, "subject_id": about.id, "subject_name": about.name}
    reply = {"reply": DATA["reply"], "replied_at": at + timedelta(days=2)} if status == PUBLIC and number % 8 == 3 else {}
    review = Review.objects.create(
        **_texts(number, at),
        **of,
        **_state(status, at + timedelta(days=1)),
        **reply,
        author_email=f"reviewer{number + 1}@{DOMAIN}",
        received_points=status == PUBLIC and number % 6 == 2,
    )
    get_search_backend().add(review)


@transaction.atomic
def _sync(seed: int, number: int, provider: Provider) -> None:
    now = timezone.now()
    at = now - timedelta(days=4 + seed * 17 % 300, hours=seed % 11)
    review = Review.objects.create(
        **_texts(seed, at),
        **_state(pick(SYNCED, number), now - timedelta(days=3)),
        provider=provider,
        provider_key=provider_key(provider, f"demo-{number + 1}"),
        url=f"https://{provider}.example/reviews/demo-{number + 1}",
        synced_at=now - timedelta(hours=3),
    )
    get_search_backend().add(review)


def _invite(about: list[Subject | None], progress: Callable[[int], None]) -> None:
    """Create three invitations of each state, of orders that are not in the demo."""
    now = timezone.now()
    rows = []
    for number in range(9):
        state = list(InvitationState)[number % 3]
        due = now + timedelta(days=1 + number % 6) if state == InvitationState.WAITING else now - timedelta(days=2 + number)
        subject = pick(about, number)
        rows.append(
            Invitation(
                source=list(Source)[number % 2],
                # Negative, so that no record of the site has it.
                record_id=-number - 1,
                subjects=[{"kind": subject.kind, "id": subject.id, "name": subject.name}] if subject else [],
                name=pick(DATA["people"], number),
                email=f"customer{number + 1}@{DOMAIN}",
                state=state,
                reason="The order was refunded." if state == InvitationState.SKIPPED else "",
                due_at=due,
                sent_at=due if state == InvitationState.SENT else None,
                created_at=due - timedelta(days=7),
                updated_at=min(due, now),
            )
        )
    missing = 9 - Invitation.objects.filter(record_id__lt=0).count()
    Invitation.objects.bulk_create(rows, ignore_conflicts=True)
    OptOut.objects.bulk_create([OptOut(email=f"quiet@{DOMAIN}", created_at=now)], ignore_conflicts=True)
    progress(missing)
