"""Renders a mail from its text and values: a one-line subject, plain text, and clean HTML in the common layout."""

from collections.abc import Mapping
from html import escape
from typing import Any

from django.template.loader import render_to_string

from cms_api.core.module import Block
from cms_api.text.html import clean_html
from cms_api.text.placeholders import fill, names_in

from ..types import MAX_SUBJECT, Words, drop_empty_blocks, join_lines, plain


def render(words: Words, values: Mapping[str, Any]) -> Words:
    """Return the rendered mail."""
    subject = _subject(words.subject, values)
    context = {"site": values["site"], "site_url": values["site_url"], "subject": subject}
    text = render_to_string("mail/layout.txt", {**context, "body": _text(words.text, values)})
    html = render_to_string("mail/layout.html", {**context, "body": _html(words.html, values)})
    # Plain strings: text that is safe HTML in a mail must not count as safe on the pages that show it.
    return Words(subject, text + "", html + "")


def _subject(source: str, values: Mapping[str, Any]) -> str:
    found = join_lines(fill(source, lambda name: _as_text(values[name])))
    return found if len(found) <= MAX_SUBJECT else found[: MAX_SUBJECT - 1].rstrip() + "…"


def _text(source: str, values: Mapping[str, Any]) -> str:
    """Fill the text; drop lines whose placeholders are all empty, together with one of the blank lines around them."""
    lines: list[str] = []
    dropped = False
    for line in plain(source).split("\n"):
        filled = fill(line, lambda name: plain(_as_text(values[name])))
        if not filled.strip() and names_in(line):
            dropped = True
        elif not (dropped and not line and lines and not lines[-1]):
            lines.append(filled)
            dropped = False
    return "\n".join(lines).strip()


def _html(source: str, values: Mapping[str, Any]) -> str:
    """Fill the HTML, then clean it: a placeholder may be inside a link, and its value may come from an attacker."""
    return drop_empty_blocks(clean_html(plain(fill(source, lambda name: _as_html(values[name])))))


def _as_text(value: Any) -> str:
    return value.text if isinstance(value, Block) else str(value)


def _as_html(value: Any) -> str:
    return value.html if isinstance(value, Block) else escape(plain(str(value))).replace("\n", "<br>")


def is_empty(value: Any) -> bool:
    """Return whether a placeholder has no value."""
    return not _as_text(value).strip()
