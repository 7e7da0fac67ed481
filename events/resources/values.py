"""Values of iCalendar where the icalendar library alone would write something else than is meant."""

import re
from typing import Self
from urllib.parse import quote

from icalendar import vCalAddress, vCategory, vGeo, vText

_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
#: Characters that have no place in a calendar: control characters, and halves of a surrogate pair.
_UNWRITABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")


def clean(text: str) -> str:
    """The text with every kind of line break as `\\n`, and without characters that a calendar cannot hold."""
    return text if text.isprintable() else _UNWRITABLE.sub("", _BREAKS.sub("\n", text))


class Text(vText):
    """A TEXT value in which a `\\N` that somebody typed, as in `C:\\New`, is not taken for a line break."""

    @classmethod
    def of(cls, text: str) -> Self:
        return cls(clean(text))

    def to_ical(self) -> bytes:
        return rb"\\N".join(vText(part).to_ical() for part in self.split(r"\N"))


class Position(vGeo):
    """A GEO value without exponents, which RFC 5545 does not allow: six decimal places."""

    def to_ical(self) -> str:
        return f"{self.latitude:.6f};{self.longitude:.6f}"


def categories(names: list[str]) -> vCategory:
    value = vCategory([])
    value.cats = [Text.of(name) for name in names]
    return value


def person(name: str, email: str, **parameters: str) -> vCalAddress:
    """The address of a person who takes part, as a `mailto:` URI."""
    address = "mailto:" + quote(email, safe="@!$&'*+/=?^_`{|}~-.")
    return vCalAddress(address, params={"CN": clean(name), **parameters})
