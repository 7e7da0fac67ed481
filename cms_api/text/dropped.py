"""The parts of HTML that cleaning drops, for those who sent them."""

from html import unescape

from .html import TAGS, is_allowed
from .markup import MARKUP, ONE_ATTRIBUTE
from .simple_html import is_simple

#: Kinds of markup that are named.
MAX_NAMED = 20


def find_dropped(html: str) -> list[str]:
    """Return what cleaning drops from HTML that it accepts: elements as `<font>`, and attributes as `<p style>`, each once."""
    if is_simple(html):
        return []
    found: dict[str, None] = {}
    for each in MARKUP.finditer(html):
        tag = (each["dropped"] or each["tag"] or "").lower()
        if not tag or each["close"]:
            continue
        if tag not in TAGS:
            found[f"<{tag[:40]}>"] = None
            continue
        for attribute in ONE_ATTRIBUTE.finditer(each["attributes"]):
            name, _, value = attribute[0].partition("=")
            name = name.strip().lower()
            if not is_allowed(tag, name, unescape(value.strip().strip("\"'"))):
                found[f"<{tag} {name[:40]}>"] = None
    return list(found)[:MAX_NAMED]
