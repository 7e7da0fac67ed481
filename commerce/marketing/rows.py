"""The page row that invites visitors to subscribe."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.forms import CheckboxSelectMultiple
from django.urls import reverse
from wagtail import blocks

from cms_api.http import page_cache
from cms_api.rows import WORDS, RowBlock, heading

from .selectors import lists_by_slug, public_lists
from .types import LISTS


def listed_mailing_lists() -> list[tuple[str, str]]:
    """Return the public mailing lists as choices: slug and name."""
    return [(each.slug, each.name) for each in public_lists()]


class NewsletterBlock(RowBlock):
    heading = heading(required=True)
    text = blocks.RichTextBlock(required=False, features=WORDS)
    lists = blocks.MultipleChoiceBlock(
        required=False,
        choices=listed_mailing_lists,
        widget=CheckboxSelectMultiple,
        help_text="The lists on offer. If none is ticked, all public lists.",
    )
    button = blocks.CharBlock(required=False, max_length=60, label="Button label", help_text="Defaults to “Subscribe”.")

    def present(self, value: Any) -> Mapping[str, Any]:
        """Return `lists`, and the `link` to the page on which visitors subscribe to them.

        The form is on a page of its own: it needs a token and a timestamp per visitor, which would make this page
        uncacheable.
        """
        page_cache.depends_on(LISTS)
        chosen = value["lists"] or []
        lists = lists_by_slug(chosen) if chosen else public_lists()
        query = urlencode({"list": [each.slug for each in lists if chosen]}, doseq=True)
        return {"lists": lists, "link": reverse("subscribe") + (f"?{query}" if query else "")}

    class Meta:
        icon = "mail"
        label = "Newsletter sign-up"
        description = "Invites visitors to subscribe, with a link to the sign-up page."
