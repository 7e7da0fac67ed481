"""Texts that people write with placeholders in them: `{{ name }}` and nothing else, so that no text can do more than speak."""

import re
from collections.abc import Callable, Collection

_MARK = re.compile(r"\{\{\s*([a-z][a-z0-9_]*)\s*\}\}")
_STRAY = re.compile(r"\{\{|\}\}|\{%|%\}")

#: Stands in prose, and in the rows around a record, for a link that adds the record's date to the visitor's own calendar.
CALENDAR_TOKEN = re.compile(r"\{item\.calendar_(google|outlook)_url\}")


def names_in(source: str) -> set[str]:
    return set(_MARK.findall(source))


def mistakes(source: str, known: Collection[str]) -> list[str]:
    """A sentence for each thing in a text that is no placeholder of the list, though it looks like one."""
    found = [f"Unknown placeholder: {{{{ {name} }}}}." for name in sorted(names_in(source) - set(known))]
    if _STRAY.search(_MARK.sub("", source)):
        found.append("Double braces may only contain the name of a placeholder.")
    return found


def fill(source: str, say: Callable[[str], str]) -> str:
    """The text with what `say` gives for each placeholder; what that holds is not looked at again."""
    return _MARK.sub(lambda mark: say(mark[1]), source)
