"""Reviews on the pages of products, events and bookable services."""

from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string

from cms_api.http import page_cache
from cms_api.rows.additions import Added

from ..resources import pages
from ..selectors import aggregate_of, public_reviews
from ..types import Subject, SubjectKind

#: Reviews on the page of a record; there is a page with all of them.
SHOWN = 5
#: Search engines understand ratings of products and events, not of services.
MARKED_UP = (SubjectKind.PRODUCT, SubjectKind.EVENT)


def to_product(product: Any, request: HttpRequest | None) -> Added | None:
    return _added(Subject(SubjectKind.PRODUCT, product.pk, product.name))


def to_item(item: Any, request: HttpRequest | None) -> Added | None:
    """Add reviews to an event; other items have none."""
    return _added(Subject(SubjectKind.EVENT, item.pk, item.title)) if item.type.slug == "events" else None


def to_service(service: Any, request: HttpRequest | None) -> Added | None:
    return _added(Subject(SubjectKind.SERVICE, service.pk, service.name))


def _added(subject: Subject) -> Added | None:
    page_cache.shows(subject.tag)
    aggregate = aggregate_of(public_reviews(subject))
    summary = pages.summary_of(aggregate)
    if summary is None:
        return None
    rows = list(public_reviews(subject)[:SHOWN])
    context = {
        "summary": summary,
        "reviews": pages.shown(rows, names_subjects=False),
        "all_url": pages.subject_path(subject) if aggregate.count > SHOWN else "",
    }
    blocks = {"head": render_to_string("reviews/head.html", context), "below": render_to_string("reviews/below.html", context)}
    return Added(blocks, pages.linked_data(aggregate, rows) if subject.kind in MARKED_UP else {})
