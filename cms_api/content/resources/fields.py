"""The fields of an item on its page: values formatted for display, with short ones grouped into lists of facts."""

import datetime as dt
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any

from django.utils.dates import WEEKDAYS

from cms_api.fields import Field
from cms_api.fields.places import DAYS
from cms_api.flags.selectors import site_country, site_formats
from cms_api.http import page_cache
from cms_api.text.addresses import address_lines

from .. import selectors
from ..models import ContentItem
from ..types import Status
from . import calendar_links
from .moments import Moment, when
from .pictures import Picture, featured_image, images_by_path, is_known, media_path, media_url, picture, prefetch_renditions

#: Whole numbers from here on get thousands separators; smaller ones may be years.
GROUPED_FROM = 10_000


@dataclass
class Surroundings:
    """Records that the values of an item refer to, prefetched: pictures by path, and published items by id."""

    item: ContentItem
    images: dict[str, Any] = field(default_factory=dict)
    related: dict[int, ContentItem] = field(default_factory=dict)


@dataclass(frozen=True)
class Shown:
    """A field, its display value, and the template in `components/fields/` that renders it."""

    field: Field
    value: Any
    template: str
    #: Whether it belongs in a list of facts instead of its own section.
    is_fact: bool
    has_heading: bool = True

    @property
    def path(self) -> str:
        return f"components/fields/{self.template}.html"


@dataclass(frozen=True)
class Block:
    is_facts: bool
    fields: list[Shown]


def present(item: ContentItem, *, without: Collection[str], beside: Any) -> list[Block]:
    """Return the blocks of an item's page in the order of its schema.

    Omits the title, the terms and the fields in `without`, which are shown elsewhere. `beside` is another picture on the same
    page, whose renditions are read together with those of the fields.
    """
    title = item.type.title_field
    left_out = {*without, title.key if title else ""}
    wanted = [each for each in item.type.schema if each.key not in left_out and each.type != "taxonomy"]
    around = _surroundings(item, wanted, beside)
    shown = [found for each in wanted if (found := _show(each, around))]
    prose = [each for each in shown if each.field.type == "richtext_tiptap"]
    if len(prose) == 1:
        # The only prose of a page is its main content and needs no heading.
        shown[shown.index(prose[0])] = Shown(prose[0].field, prose[0].value, prose[0].template, is_fact=False, has_heading=False)
    return [Block(is_facts, list(run)) for is_facts, run in groupby(shown, key=lambda each: each.is_fact)]


def _show(each: Field, around: Surroundings) -> Shown | None:
    value = around.item.data.get(each.key)
    if value is None or value in ("", [], {}):
        return None
    template, is_fact, read = PRESENTERS[each.type]
    try:
        found = read(each, value, around)
    except (AttributeError, KeyError, TypeError, ValueError):
        # The value was stored when the field had another type.
        return None
    return Shown(each, found, template, is_fact) if found not in (None, "", []) else None


def _surroundings(item: ContentItem, wanted: list[Field], beside: Any) -> Surroundings:
    """Read pictures, related items and renditions: one statement for each kind that is needed."""
    paths = {
        media_path(path) for each in wanted if each.type in {"image", "gallery"} for path in _strings(item.data.get(each.key))
    }
    ids = {target for each in wanted if each.type == "relation" for target in ids_in(item.data.get(each.key))}
    images = images_by_path(paths - {""})
    related = _find_published(ids)
    featured = [image for target in related.values() if (image := featured_image(target)) and not is_known(image, "card")]
    prefetch_renditions([*([beside] if beside and not is_known(beside, "wide") else []), *images.values(), *featured])
    return Surroundings(item, images, related)


def _find_published(ids: set[int]) -> dict[int, ContentItem]:
    """Return the published items among `ids`. The page depends on the others too, since they may be published later."""
    if not ids:
        return {}
    page_cache.shows(*map(selectors.item_tag, ids))
    found = ContentItem.objects.filter(pk__in=ids, status=Status.PUBLISHED, type__in=selectors.visible_types().values())
    return found.defer("cached_json").select_related("featured_media__mediaimage").in_bulk()


def _strings(value: Any) -> list[str]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]


def ids_in(value: Any) -> list[int]:
    """Return the ids in a relation or taxonomy value; values of another shape, left by a schema change, are tolerated."""
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, int)]


def terms_of(item: ContentItem) -> list[dict[str, Any]]:
    """Return the item's terms by taxonomy field, without empty fields."""
    known = selectors.terms_by_id()
    groups = []
    for each in item.type.taxonomies:
        found = [known[term_id] for term_id in ids_in(item.data.get(each.key)) if term_id in known]
        if found:
            groups.append({"field": each, "terms": found})
    return groups


def _richtext(each: Field, value: Any, around: Surroundings) -> str:
    return calendar_links.resolve(str(value), around.item)


def _plain(each: Field, value: Any, around: Surroundings) -> str:
    return str(value)


def _number(each: Field, value: Any, around: Surroundings) -> str:
    if isinstance(value, bool):
        raise TypeError(value)
    return str(site_formats().number(value, grouped=abs(value) >= GROUPED_FROM))


def _boolean(each: Field, value: Any, around: Surroundings) -> str:
    return "Yes" if value else "No"


def _choices(each: Field, value: Any, around: Surroundings) -> list[str]:
    labels = {option.value: option.label for option in each.options}
    return [labels.get(chosen, chosen) for chosen in _strings(value)]


def _date(each: Field, value: Any, around: Surroundings) -> Moment:
    return Moment(value, site_formats().date(dt.date.fromisoformat(value)))


def _time(each: Field, value: Any, around: Surroundings) -> Moment:
    return Moment(value, site_formats().time(dt.time.fromisoformat(value)))


def _when(each: Field, value: Any, around: Surroundings) -> Any:
    return when(value)


def web_address(value: Any) -> tuple[str, str] | None:
    """Return the URL in a text, even without a scheme, and its readable form."""
    text = value.strip() if isinstance(value, str) else ""
    if not text.startswith(("http://", "https://")):
        text = f"https://{text}" if text.startswith("www.") else ""
    return (text, _legible(text)) if text and not any(character.isspace() for character in text) else None


def _url(each: Field, value: Any, around: Surroundings) -> tuple[str, str]:
    return value, _legible(value)


def _legible(value: str) -> str:
    text = value.removeprefix("mailto:").removeprefix("https://").removeprefix("http://").removeprefix("www.")
    return text.rstrip("/")


def _email(each: Field, value: Any, around: Surroundings) -> tuple[str, str]:
    return f"mailto:{value}", value


def _phone(each: Field, value: Any, around: Surroundings) -> tuple[str, str]:
    """Return a `tel:` link without spaces and punctuation, and the value as written. Digits after an x are an extension."""
    number, _, extension = value.lower().partition("x")
    digits = "".join(character for character in number if character.isdigit())
    dialled = f"+{digits}" if value.startswith("+") else digits
    return f"tel:{dialled}" + (f";ext={extension.strip(' .t')}" if extension else ""), value


def _address(each: Field, value: Any, around: Surroundings) -> dict[str, Any]:
    return map_address(value)


def map_address(value: dict[str, Any]) -> dict[str, Any]:
    """Return the lines of an address and a link to a map."""
    latitude, longitude = value.get("latitude"), value.get("longitude")
    return {
        "lines": address_lines(value, home=site_country()),
        "map": _map(latitude, longitude) if latitude is not None and longitude is not None else "",
    }


def _map(latitude: float, longitude: float) -> str:
    return f"https://www.openstreetmap.org/?mlat={latitude}&mlon={longitude}#map=17/{latitude}/{longitude}"


def _hours(each: Field, value: Any, around: Surroundings) -> list[dict[str, Any]]:
    def clock(text: str) -> Moment:
        return Moment(text, site_formats().time(dt.time.fromisoformat(text)))

    return [
        {"day": WEEKDAYS[number], "spans": [(clock(span["open"]), clock(span["close"])) for span in value.get(day) or ()]}
        for number, day in enumerate(DAYS)
    ]


def _pictures(each: Field, value: Any, around: Surroundings) -> list[Picture]:
    kind = "tile" if each.type == "gallery" else "wide"
    paths = _strings(value)
    found = []
    for number, path in enumerate(paths, start=1):
        image = around.images.get(media_path(path))
        name = f"{each.label}, picture {number} of {len(paths)}" if len(paths) > 1 else each.label
        shown = picture(image, kind, alt=image.alt or name) if image else Picture(media_url(path), name, original=media_url(path))
        if shown:
            found.append(shown)
    return found


def _file(each: Field, value: Any, around: Surroundings) -> dict[str, str]:
    name = PurePosixPath((media_path(value) or value).partition("?")[0])
    return {"url": media_url(value), "name": name.name, "kind": name.suffix.lstrip(".").upper()}


def _relation(each: Field, value: Any, around: Surroundings) -> list[ContentItem]:
    return [around.related[target] for target in ids_in(value) if target in around.related]


Presenter = Callable[[Field, Any, Surroundings], Any]

#: For every field type except taxonomies, which are shown with the title: template, whether it is a fact, and formatter.
PRESENTERS: dict[str, tuple[str, bool, Presenter]] = {
    "text": ("text", True, _plain),
    "textarea": ("textarea", False, _plain),
    "richtext_tiptap": ("richtext", False, _richtext),
    "number": ("text", True, _number),
    "integer": ("text", True, _number),
    "boolean": ("text", True, _boolean),
    "select": ("choices", True, _choices),
    "radio": ("choices", True, _choices),
    "checkbox": ("choices", True, _choices),
    "date": ("moment", True, _date),
    "time": ("moment", True, _time),
    "datetime": ("when", True, _when),
    "url": ("link", True, _url),
    "email": ("link", True, _email),
    "phone": ("link", True, _phone),
    "color": ("color", True, _plain),
    "address": ("address", True, _address),
    "hours": ("hours", False, _hours),
    "image": ("image", False, _pictures),
    "gallery": ("gallery", False, _pictures),
    "file": ("file", True, _file),
    "relation": ("relation", False, _relation),
}


def find_unpresented(names: Iterable[str]) -> set[str]:
    """Return field types that pages cannot show yet."""
    return set(names) - {*PRESENTERS, "taxonomy"}
