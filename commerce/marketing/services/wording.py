"""Renders sequence steps: fills in placeholders and makes the plain text version."""

import re
from collections.abc import Mapping
from html import escape
from html.parser import HTMLParser
from typing import Any

from django.conf import settings
from wagtail.rich_text import expand_db_html

from cms_api.core.module import EVERY_MAIL, Block
from cms_api.fields.names import has_web_address
from cms_api.mail.selectors import common_values
from cms_api.mail.types import plain
from cms_api.text.html import clean_html, strip_tags
from cms_api.text.placeholders import fill
from cms_api.text.printable import printable

from ..models import SequenceStep, Subscriber

MAIL = "sequence_step"
#: Placeholders of a step, and their descriptions.
PLACEHOLDERS = {
    "greeting": "“Hello” and the first name, or only “Hello” if it's unknown",
    "first_name": 'The first name, or nothing if it\'s unknown; {{ first_name|default:"friend" }} says “friend” then',
    "last_name": "The last name, or nothing if it's unknown",
    "email": "The recipient's email address",
    **EVERY_MAIL,
}

_FROM_ROOT = re.compile(r'(<(?:a|img)\s[^>]*?(?:href|src)=")/(?!/)')
_BLOCKS = frozenset({"p", "div", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "table", "figure"})


def values_of(subscriber: Subscriber) -> dict[str, str]:
    """Return the values of the placeholders, each on a single line whatever an integration has stored.

    Names with a web address are left out: a stranger may have entered them, in a form, with the address of somebody else.
    """
    named = {name: getattr(subscriber, name) for name in ("first_name", "last_name")}
    known = {name: "" if has_web_address(text) else text for name, text in named.items()} | {"email": subscriber.email}
    said = {name: printable(text) for name, text in known.items()}
    return {"greeting": f"Hello {said['first_name']}".strip(), **said, **common_values()}


def subject_of(source: str, values: Mapping[str, str], fallback: str) -> str:
    """Render a subject on one line; `fallback` if it is empty after replacing placeholders."""
    return " ".join(fill(source, lambda name: values[name]).split()) or fallback


def body_of(source: str, values: Mapping[str, str]) -> Block:
    """Render a step's body as HTML, with links that work in an email, and as text."""
    filled = fill(expand_db_html(source), lambda name: escape(plain(values[name])))
    html = _FROM_ROOT.sub(rf"\1{settings.BASE_URL}/", clean_html(filled))
    return Block(as_text(html), html)


def words_for(step: SequenceStep, subscriber: Subscriber) -> dict[str, Any]:
    """Return the template values of a step's email."""
    values = values_of(subscriber)
    return {"subject": subject_of(step.subject, values, str(step.sequence)), "body": body_of(step.body, values)}


def is_blank(source: str) -> bool:
    return not strip_tags(source)


def as_text(html: str) -> str:
    """Convert clean HTML to text: paragraphs, lists, and link URLs after their text."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.text()


class _Reader(HTMLParser):
    """Collects lines, with an empty one between blocks."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._lines = [""]
        #: The next item number of each enclosing list; None for unordered lists.
        self._lists: list[int | None] = []
        self._link: tuple[str, int] | None = None

    def handle_starttag(self, tag: str, attributes: list[tuple[str, Any]]) -> None:
        if tag in _BLOCKS:
            self._begin(apart=not self._lists)
        if tag in ("ul", "ol"):
            self._lists.append(1 if tag == "ol" else None)
        elif tag in ("li", "tr", "br"):
            self._begin(always=tag == "br")
            if tag == "li":
                self._lines[-1] = self._bullet()
        elif tag == "hr":
            self._begin(apart=True)
            self._lines[-1:] = ["---", "", ""]
        elif tag in ("td", "th"):
            self._lines[-1] += " "
        elif tag == "a":
            self._link = (str(dict(attributes).get("href") or ""), len(self._lines[-1]))
        elif tag == "img":
            self.handle_data(str(dict(attributes).get("alt") or ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("ul", "ol") and self._lists:
            self._lists.pop()
        if tag in _BLOCKS:
            self._begin(apart=not self._lists)
        elif tag == "a" and self._link is not None:
            address, at = self._link
            words = self._lines[-1][at:].strip()
            if address and words not in (address, address.removeprefix("mailto:")):
                self._lines[-1] += f" ({address.removeprefix('mailto:')})" if words else address
            self._link = None

    def handle_data(self, data: str) -> None:
        words = re.sub(r"\s+", " ", data)
        self._lines[-1] += words.lstrip() if not self._lines[-1] or self._lines[-1].endswith(" ") else words

    def _begin(self, *, apart: bool = False, always: bool = False) -> None:
        """Begin a new line unless the current one is empty; `apart` adds a blank line above."""
        self._lines[-1] = self._lines[-1].rstrip()
        if self._lines[-1] or always:
            self._lines.append("")
        if apart and len(self._lines) > 1 and self._lines[-2]:
            self._lines.append("")

    def _bullet(self) -> str:
        number = self._lists[-1] if self._lists else None
        if number is None:
            mark = "-"
        else:
            mark, self._lists[-1] = f"{number}.", number + 1
        return f"{'  ' * (len(self._lists) - 1)}{mark} "

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._lines).strip()
