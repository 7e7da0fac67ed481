"""iCalendar values for which the icalendar library alone gives wrong output."""

import re
from typing import Self
from urllib.parse import quote

from icalendar import vCalAddress, vCategory, vGeo, vText

_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
#: Characters not allowed in calendars: control characters and lone surrogates.
_UNWRITABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")


def clean(text: str) -> str:
    """Normalize line breaks to `\\n` and remove characters not allowed in calendars."""
    return text if text.isprintable() else _UNWRITABLE.sub("", _BREAKS.sub("\n", text))


class Text(vText):
    """A TEXT value in which a typed `\\N`, as in `C:\\New`, is not a line break."""

    @classmethod
    def of(cls, text: str) -> Self:
        return cls(clean(text))

    def to_ical(self) -> bytes:
        return rb"\\N".join(vText(part).to_ical() for part in self.split(r"\N"))


class Position(vGeo):
    """A GEO value with six decimal places; RFC 5545 does not allow exponents."""

    def to_ical(self) -> str:
        return f"{self.latitude:.6f};{self.longitude:.6f}"


def categories(names: list[str]) -> vCategory:
    value = vCategory([])
    value.cats = [Text.of(name) for name in names]
    return value


def person(name: str, email: str, **parameters: str) -> vCalAddress:
    """Return a participant as a `mailto:` URI."""
    address = "mailto:" + quote(email, safe="@!$&'*+/=?^_`{|}~-.")
    return vCalAddress(address, params={"CN": clean(name), **parameters})
