"""Recognises HTML that cleaning leaves as it is: a few tags without attributes, properly nested, and ordinary text.

Most rich text is such HTML, and to recognise it costs a tenth of cleaning it.
"""

import re

_BLOCKS = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "blockquote"})
_LISTS = frozenset({"ul", "ol"})
_INLINE = frozenset({"strong", "b", "em", "i", "u", "s", "sub", "sup", "code"})
#: Elements in which blocks may be, besides at the top.
_AROUND_BLOCKS = frozenset({"li", "blockquote"})
#: HTML with more characters, tags or levels is left to the cleaner, which refuses some of it.
MAX_CHARACTERS, MAX_TAGS, MAX_LEVELS = 200_000, 10_000, 12

#: A tag, or text without references, control characters, and the private use that the cleaner makes of some characters.
_TOKEN = re.compile(
    r"<(?P<close>/?)(?P<tag>[a-z][a-z0-9]*)>|[^<>&\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\uf8ff\ufdd0-\ufdef\ufff0-\uffff]+"
)


def is_simple(html: str) -> bool:
    """Return whether `clean_html` returns exactly this HTML. May be False where it does."""
    if len(html) > MAX_CHARACTERS or html.count("<") > MAX_TAGS:
        return False
    end, opened = 0, [""]
    for found in _TOKEN.finditer(html):
        if found.start() != end:
            return False
        end, tag = found.end(), found["tag"]
        if tag is None:
            if opened[-1] in _LISTS and not found[0].isspace():
                return False
        elif found["close"]:
            if opened.pop() != tag:
                return False
        elif not _may_open(tag, opened):
            return False
        elif tag != "br":
            opened.append(tag)
    return end == len(html) and len(opened) == 1


def _may_open(tag: str, opened: list[str]) -> bool:
    """Return whether a parser would put the tag into the innermost open element, and close none for it."""
    parent = opened[-1]
    if len(opened) > MAX_LEVELS:
        return False
    if tag == "li":
        return parent in _LISTS
    if tag in _BLOCKS:
        return not parent or parent in _AROUND_BLOCKS
    # An element that is repeated within itself is one of those that a parser restores.
    return parent not in _LISTS and (tag == "br" or (tag in _INLINE and tag not in opened))
