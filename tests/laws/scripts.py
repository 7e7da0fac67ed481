"""A search for code inside HTML: inline scripts, event handlers and `javascript:` URLs, which no page of the site may have."""

import re
from collections.abc import Iterator

_COMMENT = re.compile(r"<!--.*?-->|\{#.*?#\}|\{% comment.*?\{% endcomment %\}", re.DOTALL)
#: Template tags inside of quotes may have quotes and angle brackets of their own.
_TEMPLATE_TAG = re.compile(r"\{[%{].*?[%}]\}", re.DOTALL)
_TAG = re.compile(r"""<([a-z][\w-]*)((?:[^>"']|"[^"]*"|'[^']*')*)>""", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'<>]+)""")
_CODE_TYPES = {"", "module", "text/javascript", "application/javascript", "importmap"}


def code_in(html: str) -> Iterator[str]:
    """Yield each tag in HTML, or in a template, that contains code."""
    text = _TEMPLATE_TAG.sub("x", _COMMENT.sub("", html))
    for tag in _TAG.finditer(text):
        attributes = {name.lower(): value.strip("\"'").strip() for name, value in _ATTRIBUTE.findall(tag[2])}
        is_script = tag[1].lower() == "script" and "src" not in attributes and attributes.get("type", "") in _CODE_TYPES
        if is_script or any(name.startswith("on") or _is_code(value) for name, value in attributes.items()):
            yield tag[0]


def _is_code(value: str) -> bool:
    return re.sub(r"\s", "", value).lower().startswith("javascript:")
