"""Reads of reviews, of what they are about, and of invitations."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from django.db.models import Count, Q, QuerySet
from django.urls import reverse

from cms_api.content.selectors import find_type, published_items
from cms_api.core.records import filter_given
from cms_api.flags.selectors import get_setting, is_on
from cms_api.http.signed_links import SignedLink
from cms_api.text.search import matching
from commerce.booking.selectors.services import offered_services
from commerce.directory.selectors.listings import live_listings
from commerce.shop.selectors.products import published_products

from .models import COUNTED, HIDDEN, PENDING, PUBLIC, Invitation, OptOut, Review
from .types import Aggregate, Provider, ReviewStatus, Subject, SubjectKind

#: The links in an invitation: to its form, and to the page on which the customer declines further ones.
INVITATION_LINK = SignedLink("reviews.invitation", Invitation, view="review_invitation")
DECLINE_LINK = SignedLink("reviews.decline", Invitation, view="review_decline")

STATUSES: Mapping[str, Q] = {ReviewStatus.PUBLIC: PUBLIC, ReviewStatus.PENDING: PENDING, ReviewStatus.HIDDEN: HIDDEN}


def reviews(
    *,
    status: str | None = None,
    provider: str | None = None,
    min_rating: int | None = None,
    max_rating: int | None = None,
    since: datetime | None = None,
    search: str = "",
) -> QuerySet[Review]:
    """Return reviews; `since` is when they were left at the earliest."""
    found = Review.objects.all()
    if status is not None:
        found = found.filter(STATUSES[status])
    found = filter_given(found, provider=provider, rating__gte=min_rating, rating__lte=max_rating, left_at__gte=since)
    return matching(found, search) if search.strip() else found


def public_reviews(subject: Subject | None = None) -> QuerySet[Review]:
    """Return the reviews that the site shows, newest first: those of the site and what it offers, or those of a record."""
    if subject is None:
        found = Review.objects.filter(COUNTED)
    else:
        found = Review.objects.filter(PUBLIC, subject_kind=subject.kind, subject_id=subject.id)
    return found.order_by("-left_at", "-id")


def aggregate_of(found: QuerySet[Review]) -> Aggregate:
    """Return how often each rating was given (one statement)."""
    return Aggregate(dict(found.order_by().values_list("rating").annotate(Count("pk"))))


def find_subject(kind: str, pk: int) -> Subject | None:
    """Return a record with a public page that can be reviewed."""
    return subjects([(kind, pk)]).get((kind, pk))


def subjects(keys: Iterable[tuple[str, int]]) -> dict[tuple[str, int], Subject]:
    """Return the records with these kinds and ids that have public pages (one statement for each kind)."""
    wanted: dict[str, set[int]] = {}
    for kind, pk in keys:
        wanted.setdefault(kind, set()).add(pk)
    return {(kind, subject.id): subject for kind, pks in wanted.items() if kind in _READERS for subject in _READERS[kind](pks)}


def _products(pks: set[int]) -> list[Subject]:
    if not is_on("shop"):
        return []
    rows = published_products().filter(pk__in=pks).values_list("pk", "name", "slug")
    return [Subject(SubjectKind.PRODUCT, pk, name, reverse("shop_product", args=[slug])) for pk, name, slug in rows]


def _events(pks: set[int]) -> list[Subject]:
    events = find_type("events")
    if events is None:
        return []
    rows = published_items(events).filter(pk__in=pks).values_list("pk", "title", "slug")
    return [Subject(SubjectKind.EVENT, pk, title, reverse("item_detail", args=["events", slug])) for pk, title, slug in rows]


def _services(pks: set[int]) -> list[Subject]:
    if not is_on("booking"):
        return []
    rows = offered_services().filter(pk__in=pks).values_list("pk", "name", "slug")
    return [Subject(SubjectKind.SERVICE, pk, name, reverse("booking_service", args=[slug])) for pk, name, slug in rows]


def _listings(pks: set[int]) -> list[Subject]:
    if not is_on("directory"):
        return []
    rows = live_listings().filter(pk__in=pks).values_list("pk", "name", "slug")
    return [Subject(SubjectKind.LISTING, pk, name, reverse("directory_listing", args=[slug])) for pk, name, slug in rows]


_READERS: Mapping[str, Callable[[set[int]], list[Subject]]] = {
    SubjectKind.PRODUCT: _products,
    SubjectKind.EVENT: _events,
    SubjectKind.SERVICE: _services,
    SubjectKind.LISTING: _listings,
}


def synced_at_provider(provider: str) -> QuerySet[Review]:
    """Return the reviews of a provider that it still has, as far as is known."""
    return Review.objects.filter(provider=provider, removed_at=None).exclude(provider=Provider.SITE)


def invitations() -> QuerySet[Invitation]:
    return Invitation.objects.annotate(review_count=Count("reviews"))


def reviewed_with(invitation: Invitation) -> set[tuple[str, int | None]]:
    """Return the kinds and ids of what was reviewed by an invitation's link."""
    return set(Review.objects.filter(invitation=invitation).values_list("subject_kind", "subject_id"))


def bonus_text() -> str:
    """Return what members get for a review, whatever its rating; empty if that is nothing."""
    points = get_setting("loyalty.review_bonus_points") if is_on("loyalty") else 0
    return f"Members receive {points:,} loyalty points for a published review, whatever the rating." if points > 0 else ""


def is_opted_out(email: str) -> bool:
    return OptOut.objects.filter(email=email).exists()


def admin_url(pk: int) -> str:
    """Return the path of a review's page in the admin."""
    return reverse("reviews:inspect", args=[pk])
