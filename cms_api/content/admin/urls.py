"""URLs of item views that include a type."""

from django.urls import reverse
from wagtail.admin.utils import set_query_params

from ..models import ContentType

URLS = "content_items"


def list_url(item_type: ContentType | None = None) -> str:
    url = reverse(f"{URLS}:list")
    return set_query_params(url, {"type": item_type.slug}) if item_type else url


def add_url(item_type: ContentType) -> str:
    return set_query_params(reverse(f"{URLS}:add"), {"type": item_type.slug})


def edit_url(pk: int) -> str:
    return reverse(f"{URLS}:edit", args=[pk])
