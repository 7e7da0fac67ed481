"""Placeholders in user-written texts: `{{ name }}` or `{{ name|default:"friend" }}`, and nothing else: no text can run code."""

import re
from collections.abc import Callable, Collection

#: In HTML, and by programs that write typographic quotes, a quote is written in several ways.
_QUOTE = r"(?:\"|&quot;|&#34;|[“”])"
_MARK = re.compile(rf"\{{\{{\s*([a-z][a-z0-9_]*)\s*(?:\|\s*default:\s*{_QUOTE}([^{{}}\"<>“”]*?){_QUOTE}\s*)?\}}\}}")
_SPACE_AND_MARK = re.compile("( ?)" + _MARK.pattern)
_PUNCTUATION = frozenset(",.;:!?")
_STRAY = re.compile(r"\{\{|\}\}|\{%|%\}")

#: In prose, and in the rows around a record, stands for a link that adds the record's date to the visitor's own calendar.
CALENDAR_TOKEN = re.compile(r"\{item\.calendar_(google|outlook)_url\}")


def names_in(source: str) -> set[str]:
    return {mark[1] for mark in _MARK.finditer(source)}


def mistakes(source: str, known: Collection[str]) -> list[str]:
    """Return a sentence for each construct that looks like a placeholder but is not one of `known`."""
    found = [f"Unknown placeholder: {{{{ {name} }}}}." for name in sorted(names_in(source) - set(known))]
    if _STRAY.search(_MARK.sub("", source)):
        found.append("Double braces may only contain the name of a placeholder.")
    return found


def fill(source: str, say: Callable[[str], str]) -> str:
    """Return the text with each placeholder replaced by the result of `say`, or its default; neither is expanded again.

    An empty one before punctuation takes its space with it: "Hello {{ name }}," becomes "Hello,".
    """

    def fill_mark(mark: re.Match[str]) -> str:
        value = say(mark[2]) or mark[3] or ""
        is_dropped = not value and source[mark.end() : mark.end() + 1] in _PUNCTUATION
        return "" if is_dropped else mark[1] + value

    return _SPACE_AND_MARK.sub(fill_mark, source)
