"""Reviews and their summary as public pages show them, and their schema.org properties."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from cms_api.content.selectors import item_tag
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.flags.selectors import site_formats, site_timezone
from cms_api.http import page_cache
from commerce.booking.types.services import VERSION as SERVICES
from commerce.common.resources.pages import meta
from commerce.directory.types.listings import VERSION as LISTINGS
from commerce.shop.selectors.products import VERSION as PRODUCTS

from ..models import Review
from ..selectors import subjects
from ..types import HIGHEST_RATING, LOWEST_RATING, RATINGS, VERSION, Aggregate, Provider, Subject, SubjectKind, stars

TITLE = "Reviews"


@dataclass(frozen=True)
class ShownReview:
    id: int
    author: str
    rating: int
    stars: list[str]
    title: str
    body: str
    left_at: datetime
    reply: str
    #: Its subject, if that is not the business; without a path once that has no page any more.
    about: Subject | None
    #: The name and the page of the provider; empty for a review written on the site.
    provider: str
    url: str
    is_by_customer: bool
    received_points: bool


@dataclass(frozen=True)
class Bar:
    """How many reviews have a rating."""

    rating: int
    count: int
    percent: int


@dataclass(frozen=True)
class Summary:
    count: int
    #: With one decimal, as the site writes numbers.
    average: str
    stars: list[str]
    bars: list[Bar]


def show_reviews(rows: Iterable[Review], *, names_subjects: bool = True) -> list[ShownReview]:
    """Return reviews for a page, with links to what they are about unless the page is about that (a statement for each kind)."""
    rows = list(rows)
    found: dict[tuple[str, int], Subject] = {}
    if names_subjects:
        found = subjects((row.subject_kind, row.subject_id) for row in rows if row.subject_id is not None)
        depend_on(found.values())
    return [_show(row, _about(row, found) if names_subjects else None) for row in rows]


def _about(row: Review, found: dict[tuple[str, int], Subject]) -> Subject | None:
    if row.subject_id is None:
        return None
    return found.get((row.subject_kind, row.subject_id)) or Subject(row.subject_kind, row.subject_id, row.subject_name)


def _show(row: Review, about: Subject | None) -> ShownReview:
    is_synced = row.provider != Provider.SITE
    return ShownReview(
        row.pk,
        row.author_name,
        row.rating,
        stars(row.rating),
        row.title,
        row.body,
        row.left_at,
        row.reply,
        about,
        Provider(row.provider).label if is_synced else "",
        row.url,
        row.invitation_id is not None,
        row.received_points,
    )


def summary_of(aggregate: Aggregate) -> Summary | None:
    """Return the average and the ratings; None without reviews."""
    average = aggregate.average
    if average is None:
        return None
    bars = [Bar(rating, aggregate.counts.get(rating, 0), aggregate.percent(rating)) for rating in reversed(RATINGS)]
    return Summary(aggregate.count, site_formats().number(average, decimals=1), stars(average), bars)


def linked_data(aggregate: Aggregate, rows: Sequence[Review]) -> dict[str, Any]:
    """Return the schema.org properties of a reviewed record: its average, and the reviews that the page shows."""
    return {
        "aggregateRating": {
            "@type": "AggregateRating",
            "ratingValue": str(aggregate.average),
            "reviewCount": aggregate.count,
            "bestRating": HIGHEST_RATING,
            "worstRating": LOWEST_RATING,
        },
        "review": [_mark_up_review(row) for row in rows],
    }


def _mark_up_review(row: Review) -> dict[str, Any]:
    found = {
        "@type": "Review",
        "author": {"@type": "Person", "name": row.author_name[:99]},
        "datePublished": row.left_at.astimezone(site_timezone()).date().isoformat(),
        "name": row.title,
        "reviewBody": row.body,
        "reviewRating": {
            "@type": "Rating",
            "ratingValue": row.rating,
            "bestRating": HIGHEST_RATING,
            "worstRating": LOWEST_RATING,
        },
    }
    return {name: value for name, value in found.items() if value}


def subject_path(subject: Subject) -> str:
    """Return the path of the page with all reviews of a record."""
    return reverse("reviews_of", args=[subject.kind, subject.id])


def list_meta(number: int, *, subject: Subject | None = None, is_filtered: bool = False) -> meta.Meta:
    """Return the metadata of a page of reviews. There is no rating in it: a business may not mark up reviews of itself."""
    title = f"{TITLE} of {subject.name}" if subject else TITLE
    path = subject_path(subject) if subject else reverse("reviews")
    return meta.for_page(
        title=f"{title}, page {number}" if number > 1 else title,
        path=path + (f"?page={number}" if number > 1 else ""),
        above=[(subject.name, subject.path)] if subject else (),
        # The reviews of a record are on its own page as well.
        unlisted=is_filtered or subject is not None,
    )


def depend_on(named: Iterable[Subject]) -> None:
    """Declare that the page being rendered names records, whose names and addresses may change."""
    page_cache.depends_on(PRODUCTS, SERVICES, LISTINGS)
    page_cache.shows(*(item_tag(each.id) for each in named if each.kind == SubjectKind.EVENT))


def cache_reviews() -> None:
    """Declare that the page being rendered shows public reviews, and is the same for everybody."""
    page_cache.enable()
    page_cache.depends_on(VERSION, FLAGS)
