"""Reviews on the pages of products, events, bookable services and listings of the directory."""

from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse

from cms_api.http import page_cache
from cms_api.rows.additions import Added

from ..resources import pages
from ..selectors import aggregate_of, public_reviews
from ..types import OPEN_KINDS, Subject, SubjectKind

#: Reviews on the page of a record; there is a page with all of them.
SHOWN_REVIEWS = 5
#: Search engines understand ratings of products, events and other businesses, not of services.
MARKED_UP = (SubjectKind.PRODUCT, SubjectKind.EVENT, SubjectKind.LISTING)


def to_product(product: Any, request: HttpRequest | None) -> Added | None:
    return _build_added(Subject(SubjectKind.PRODUCT, product.pk, product.name))


def to_item(item: Any, request: HttpRequest | None) -> Added | None:
    """Add reviews to an event; other items have none."""
    return _build_added(Subject(SubjectKind.EVENT, item.pk, item.title)) if item.type.slug == "events" else None


def to_service(service: Any, request: HttpRequest | None) -> Added | None:
    return _build_added(Subject(SubjectKind.SERVICE, service.pk, service.name))


def to_listing(listing: Any, request: HttpRequest | None) -> Added | None:
    return _build_added(Subject(SubjectKind.LISTING, listing.pk, listing.name))


def _build_added(subject: Subject) -> Added | None:
    page_cache.shows(subject.tag)
    aggregate = aggregate_of(public_reviews(subject))
    summary = pages.summary_of(aggregate)
    new_url = f"{reverse('review_new')}?listing={subject.id}" if subject.kind in OPEN_KINDS else ""
    if summary is None:
        return Added({"below": render_to_string("reviews/below.html", {"new_url": new_url})}) if new_url else None
    rows = list(public_reviews(subject)[:SHOWN_REVIEWS])
    context = {
        "summary": summary,
        "reviews": pages.show_reviews(rows, names_subjects=False),
        "new_url": new_url,
        "all_url": pages.subject_path(subject) if aggregate.count > SHOWN_REVIEWS else "",
    }
    blocks = {"head": render_to_string("reviews/head.html", context), "below": render_to_string("reviews/below.html", context)}
    return Added(blocks, pages.linked_data(aggregate, rows) if subject.kind in MARKED_UP else {})
