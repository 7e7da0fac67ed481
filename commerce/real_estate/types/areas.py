"""Areas as visitors type them: a city, a state, a postal code, or several of them as on an envelope."""

from dataclasses import dataclass

from .searches import TEXTS, SearchFilter

MAX_AREA_TEXT = 150


@dataclass(frozen=True, slots=True)
class Area:
    """The parts of an area; empty where it has none. Without a comma, `city` may also be the name of a state."""

    city: str = ""
    state: str = ""
    postal_code: str = ""


def read_area(text: str) -> Area:
    """Return the parts of "Brattleboro, VT 05301", "05301" or "Brattleboro": the words with digits at the end are the code."""
    before, comma, after = text.replace("\0", " ")[:MAX_AREA_TEXT].partition(",")
    words = (after if comma else before).split()
    first = len(words)
    while first and any(character.isdigit() for character in words[first - 1]):
        first -= 1
    place, code = " ".join(words[:first]), " ".join(words[first:]).upper()
    city = " ".join(before.split()) if comma else place
    found = {"city": city, "state": place if comma else "", "postal_code": code}
    return Area(**{name: value[: TEXTS[name]] for name, value in found.items()})


def area_text(wanted: SearchFilter) -> str:
    """Return the area of a filter as a visitor types it."""
    place = ", ".join(part for part in (wanted.city, wanted.state) if part)
    return " ".join(part for part in (place, wanted.postal_code) if part)
