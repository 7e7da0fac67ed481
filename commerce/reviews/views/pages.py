"""The pages with all public reviews, and with those of one record. They are cached: nothing depends on the visitor."""

from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from cms_api.core.not_found import found_or_404
from cms_api.http import page_cache

from ..models import Review
from ..resources import pages
from ..selectors import aggregate_of, find_subject, public_reviews
from ..types import RATINGS, Subject

PER_PAGE = 20


@require_safe
def show_reviews(request: HttpRequest) -> HttpResponse:
    """All public reviews, newest first; `?rating=` shows those with one rating."""
    pages.cache_reviews()
    return _show(request, public_reviews(), None)


@require_safe
def show_reviews_of(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """The public reviews of a record."""
    subject = found_or_404(find_subject(kind, pk))
    pages.cache_reviews()
    page_cache.shows(subject.tag)
    pages.depend_on([subject])
    return _show(request, public_reviews(subject), subject)


def _show(request: HttpRequest, found: QuerySet[Review], subject: Subject | None) -> HttpResponse:
    aggregate = aggregate_of(found)
    text = request.GET.get("rating", "")
    rating = next((each for each in RATINGS if str(each) == text), None)
    paginator = Paginator(found if rating is None else found.filter(rating=rating), PER_PAGE)
    # Known already; Django would count the rows once more.
    paginator.__dict__["count"] = aggregate.count if rating is None else aggregate.counts.get(rating, 0)
    page = paginator.get_page(request.GET.get("page"))
    context = {
        "subject": subject,
        "summary": pages.summary_of(aggregate),
        "rating": rating,
        "page": page,
        "pages": page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1),
        "kept": urlencode({"rating": rating}) if rating else "",
        "reviews": pages.show_reviews(page.object_list, names_subjects=subject is None),
        "path": request.path,
        "meta": pages.list_meta(page.number, subject=subject, is_filtered=rating is not None),
    }
    return render(request, "reviews/list.html", context)
