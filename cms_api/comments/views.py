"""Public views of comments; they work without scripts.

An item's page shows its comments and links to a separate page with the form. The item's page is therefore the same for
everybody and can be cached: a form would need each visitor's own token and timestamp in it. It also sets no cookie for
people who only read.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from cms_api.auth.services.visitors import Visit
from cms_api.content.models import ContentItem
from cms_api.core.not_found import found_or_404
from cms_api.forms.services.answering import answer_form, stamp_of
from cms_api.forms.types import FormField, visitor_sentence
from cms_api.forms.types.inputs import ShownInput
from cms_api.http import page_cache

from . import selectors
from .services import PURPOSE, submit_comment
from .types import MAX_BODY

#: Query parameters of an item's page: the page of comments, and that the visitor has just sent one.
NUMBER, SENT = "comments", "commented"


FIELDS = (
    FormField("name", "Your name", "text", required=True),
    FormField("email", "Your email address", "email", required=True, help_text="Not published."),
    FormField(
        "comment",
        "Your comment",
        "textarea",
        required=True,
        help_text=f"Plain text, up to {MAX_BODY:,} characters. Comments are moderated.",
    ),
)
_NUMBER = re.compile("[1-9][0-9]{0,6}")


@dataclass(frozen=True)
class ShownForm:
    """The comment form as its page renders it."""

    action: str
    stamp: str
    inputs: list[ShownInput]
    #: Error message and id of the input at fault.
    errors: list[tuple[str, str]] = field(default_factory=list)


def present_thread(item: ContentItem, request: HttpRequest | None) -> dict[str, Any]:
    """Return the comments of an item and the link to the form; empty if the item takes no comments."""
    if not item.pk or not selectors.takes_comments(item):
        return {}
    page_cache.shows(selectors.comments_tag(item.pk))
    asked = request.GET if request else {}
    number = asked.get(NUMBER, "")
    return {
        "item": item,
        "thread": selectors.thread_of(item.pk, int(number) if _NUMBER.fullmatch(number) else 1),
        "is_sent": SENT in asked,
        "path": item_path(item),
    }


def item_path(item: ContentItem) -> str:
    return reverse("item_detail", args=[item.type.slug, item.slug])


@require_http_methods(["GET", "HEAD", "POST"])
def comment_page(request: HttpRequest, item_id: int) -> HttpResponse:
    """Show the comment form, or submit it and redirect to the item."""
    item = found_or_404(selectors.find_item(item_id))
    return _receive(request, item) if request.method == "POST" else _page(request, item)


def _receive(request: HttpRequest, item: ContentItem) -> HttpResponse:
    values = {each.key: request.POST.get(each.key, "") for each in FIELDS}

    def carry_out(visit: Visit) -> HttpResponse:
        submit_comment(item=item, visit=visit, values=values)
        return redirect(f"{item_path(item)}?{urlencode({SENT: 1})}#{SENT}")

    def show(*, errors: Mapping[str, Sequence[str]], notice: str, status: int) -> HttpResponse:
        first = {path: sentences[0] for path, sentences in errors.items()}
        return _page(request, item, values=values, errors=first, notice=notice, status=status)

    return answer_form(request, carry_out=carry_out, show=show)


def _page(
    request: HttpRequest,
    item: ContentItem,
    *,
    values: dict[str, str] | None = None,
    errors: dict[str, str] | None = None,
    notice: str = "",
    status: int = 200,
) -> HttpResponse:
    address = reverse("comment_page", args=[item.pk])
    wrong, given = errors or {}, values or {}
    inputs = [
        ShownInput(each, f"comment-{each.key}", given.get(each.key), visitor_sentence(each, wrong.get(each.key, "")))
        for each in FIELDS
    ]
    context = {
        "item": item,
        "item_path": item_path(item),
        "form": ShownForm(
            address, stamp_of(request, PURPOSE, notice=notice), inputs, [(each.error, each.id) for each in inputs if each.error]
        ),
        "notice": notice,
        "meta": {
            "title": ("Error: " if wrong or notice else "") + f"Write a comment on “{item.title}”",
            "url": settings.BASE_URL + address,
            "kind": "website",
            "unlisted": True,
        },
    }
    return render(request, "comments/page.html", context, status=status)
