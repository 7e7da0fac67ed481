"""Search entries of pages. Wagtail updates that of a page whenever it is saved; here is what it does not see."""

from typing import Any

from wagtail.models import Page
from wagtail.search.backends import get_search_backend

from ..models import Row, SharedRow

#: Pages that are read at once.
BATCH = 100


def index_pages(pages: Any = None) -> None:
    """Update the search entries of pages, by default of all."""
    found = (Page.objects.all() if pages is None else pages).filter(depth__gt=1)
    ids = list(found.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(ids), BATCH):
        by_model: dict[Any, list[Any]] = {}
        for page in Page.objects.filter(pk__in=ids[start : start + BATCH]).specific():
            by_model.setdefault(type(page), []).append(page)
        for model, same in by_model.items():
            get_search_backend().add_bulk(model, same)


def index_pages_with(shared_row: SharedRow) -> None:
    """Update the search entries of the pages that embed a shared row."""
    uses = Row.objects.filter(embeds=shared_row, position__isnull=False)
    index_pages(Page.objects.filter(pk__in=uses.values("page_id")))
