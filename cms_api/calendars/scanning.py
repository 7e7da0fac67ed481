"""Cuts an iCalendar file that others wrote into its components, in one pass: a broken part spoils no other."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from cms_api.text.decoding import decode

_NAME = re.compile(r"[A-Za-z0-9-]{1,60}")
_LINE_BREAK = re.compile(r"\r\n|\n|\r")
#: Characters of a property's name and parameters.
_MAX_HEAD = 2000


class NoCalendar(ValueError):
    """The content is no iCalendar file, or its end is missing (`is_incomplete`)."""

    def __init__(self, *, is_incomplete: bool = False) -> None:
        super().__init__("incomplete" if is_incomplete else "no calendar")
        self.is_incomplete = is_incomplete


@dataclass(slots=True)
class Part:
    """A component: its name, and its lines without folds. Each parameter of a property is there once."""

    name: str
    lines: list[str] = field(default_factory=list)

    def text(self, lines: Collection[str] | None = None) -> str:
        """Return it, or other lines in its place, as a component of a file."""
        return "\r\n".join([f"BEGIN:{self.name}", *(self.lines if lines is None else lines), f"END:{self.name}", ""])

    def firsts(self) -> dict[str, str]:
        """Return the first line of each property by its name."""
        found: dict[str, str] = {}
        for line in self.lines:
            found.setdefault(property_name(line), line)
        return found


def scan(content: bytes, wanted: Mapping[str, Collection[str]]) -> Iterator[Part]:
    """Yield the components of the wanted names, each with its properties of the wanted names; all of them if none is named.

    Nested components belong to one that is wanted as a whole, and are left out of others. Raises NoCalendar.
    """
    open_names: list[str] = []
    counts: Counter[str] = Counter()
    part, depth, has_calendar = Part(""), 0, False
    for line in _lines(content):
        name = property_name(line)
        if name not in {"BEGIN", "END"}:
            if depth and (not wanted[part.name] or (len(open_names) == depth and name in wanted[part.name])):
                part.lines.append(_with_parameters_once(line))
            continue
        component = line.partition(":")[2].strip().upper()
        if name == "BEGIN":
            open_names.append(component)
            counts[component] += 1
            has_calendar |= component == "VCALENDAR"
            if depth:
                if not wanted[part.name]:
                    part.lines.append(f"BEGIN:{component}")
            elif component in wanted and counts["VCALENDAR"]:
                part, depth = Part(component), len(open_names)
        # An end without a beginning is ignored; the end of a component ends what is open in it.
        elif counts[component]:
            while open_names:
                closed = open_names.pop()
                counts[closed] -= 1
                if depth and len(open_names) < depth:
                    depth = 0
                    yield part
                elif depth and not wanted[part.name]:
                    part.lines.append(f"END:{closed}")
                if closed == component:
                    break
    if not has_calendar:
        raise NoCalendar
    if counts["VCALENDAR"]:
        raise NoCalendar(is_incomplete=True)


def property_name(line: str) -> str:
    """Return the name of a line's property in capitals; empty if it has none."""
    found = _NAME.match(line)
    return found[0].upper() if found and line[found.end() : found.end() + 1] in {":", ";"} else ""


def _lines(content: bytes) -> Iterator[str]:
    """Yield the lines without folds."""
    folded: list[str] = []
    for line in _LINE_BREAK.split(decode(content)):
        if line[:1] in {" ", "\t"} and folded:
            folded.append(line[1:])
        elif line:
            if folded:
                yield "".join(folded)
            folded = [line]
    if folded:
        yield "".join(folded)


def _with_parameters_once(line: str) -> str:
    """Return a line without parameters that it has had already."""
    starts, is_quoted = [], False
    for place, character in enumerate(line[:_MAX_HEAD]):
        if character == '"':
            is_quoted = not is_quoted
        elif character in ";:" and not is_quoted:
            starts.append(place)
            if character == ":":
                break
    if len(starts) <= 2:
        return line
    parameters: dict[str, str] = {}
    for start, end in pairwise(starts):
        parameter = line[start:end]
        parameters.setdefault(parameter.partition("=")[0].upper(), parameter)
    return line[: starts[0]] + "".join(parameters.values()) + line[starts[-1] :]
