"""Formatting that word processors put into styles, as elements, before the styles are dropped."""

import re
from collections.abc import Iterator
from html import unescape

from .markup import MARKUP, ONE_ATTRIBUTE

#: Elements with formatting, and the declaration that takes it back: Google Docs wraps all it copies in `<b>` without weight.
_UNDONE = {"b": "font-weight", "strong": "font-weight", "i": "font-style", "em": "font-style"}
_NORMAL = {"normal", "400"}
_READ = frozenset({*_UNDONE, "span"})
_DECLARATION = re.compile(r"\s*([a-z-]+)\s*:\s*([^;]*)", re.IGNORECASE)


def read_styles(html: str) -> str:
    """Return HTML in which `<span>`s with formatting in their style are elements, and elements without their own are gone."""
    if "style" not in html.lower():
        return html
    parts, at = [], 0
    opened: list[tuple[str, str]] = []
    for found in MARKUP.finditer(html):
        tag = (found["tag"] or "").lower()
        if tag not in _READ:
            continue
        if found["close"]:
            # An end tag without a beginning is the parser's matter.
            text = opened.pop()[1] if opened and opened[-1][0] == tag else found[0]
        else:
            text, end = _read(tag, found[0], dict(_styles(found["attributes"])))
            opened.append((tag, end))
        parts += [html[at : found.start()], text]
        at = found.end()
    return "".join(parts) + html[at:]


def _read(tag: str, whole: str, styles: dict[str, str]) -> tuple[str, str]:
    """Return what stands for a start tag and for its end."""
    if tag in _UNDONE:
        return ("", "") if styles.get(_UNDONE[tag]) in _NORMAL else (whole, f"</{tag}>")
    meant = list(_elements(styles))
    if not meant:
        return whole, f"</{tag}>"
    return "".join(f"<{each}>" for each in meant), "".join(f"</{each}>" for each in reversed(meant))


def _elements(styles: dict[str, str]) -> Iterator[str]:
    weight = styles.get("font-weight", "")
    if weight in {"bold", "bolder"} or (weight.isdigit() and weight.isascii() and 600 <= int(weight[:4]) <= 1000):
        yield "strong"
    if styles.get("font-style") in {"italic", "oblique"}:
        yield "em"
    if "line-through" in f"{styles.get('text-decoration', '')} {styles.get('text-decoration-line', '')}":
        yield "s"
    if (place := styles.get("vertical-align")) in {"super", "sub"}:
        yield "sup" if place == "super" else "sub"


def _styles(attributes: str) -> Iterator[tuple[str, str]]:
    for found in ONE_ATTRIBUTE.finditer(attributes):
        name, _, value = found[0].partition("=")
        if name.strip().lower() == "style":
            for declaration in unescape(value.strip().strip("\"'")).split(";"):
                if read := _DECLARATION.match(declaration):
                    yield read[1].lower(), read[2].strip().lower()
