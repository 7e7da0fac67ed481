"""The API documentation on the site, for everybody while a setting says so: it says no more than the public OpenAPI document."""

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from cms_api.core.module import FooterLink
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.flags.selectors import get_setting, is_on
from cms_api.http import page_cache

from .rendering import page_context

TITLE = "API documentation"
DESCRIPTION = "Every operation of the API, with examples in curl, Python and JavaScript."


def is_public() -> bool:
    return is_on("api") and get_setting("api.public_documentation") is True


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    page_cache.enable()
    page_cache.depends_on(FLAGS)
    meta = {"title": TITLE, "description": DESCRIPTION}
    return render(request, "gateway/documentation/public.html", {"meta": meta, "api_is_on": True, **page_context(request)})


def footer_links() -> Iterator[FooterLink]:
    page_cache.depends_on(FLAGS)
    if is_public():
        yield FooterLink(TITLE, reverse("public_api_documentation"))
