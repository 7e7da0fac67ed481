"""Reads of property listings."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from django.db import connection
from django.db.models import Exists, Max, OuterRef, Prefetch, Q, QuerySet

from cms_api.core.counting import count_by
from cms_api.core.identifiers import read_id
from cms_api.flags.selectors import get_setting, site_formats
from cms_api.http.found import Found, find, remember
from cms_api.media.selectors import image_paths
from cms_api.text.search import Unindexed, matching
from commerce.common.types.postal_codes import spellings

from ..models import ON_MARKET, SHOWN, FeedRun, Property, PropertyPhoto
from ..types.listings import VERSION, HiddenReason, PropertyStatus, RunStatus, fold_key
from ..types.searches import SORTS, Box, SearchFilter

#: Values of a facet.
MAX_FACET_VALUES = 50
#: Listings that are counted for a value, if all listings are searched.
MAX_FACET_LISTINGS = 1_000


def all_properties() -> QuerySet[Property]:
    """Return every listing, also those that are not shown."""
    return Property.objects.select_related("feed")


def properties(wanted: SearchFilter | None = None) -> QuerySet[Property]:
    """Return the listings that may be shown and match a filter, whatever their status unless it names one."""
    return _filter(Property.objects.filter(SHOWN), wanted or SearchFilter())


def count_properties(wanted: SearchFilter) -> int:
    """Return the number of rows of `properties`; of all, those that may not be shown are taken off (one statement)."""
    if not wanted.is_empty:
        return properties(wanted).count()
    return count_by("{all} - {hidden}", all=Property.objects.all(), hidden=Property.objects.filter(is_shown=False))


def shown_properties(wanted: SearchFilter | None = None, *, sort: str = "newest") -> QuerySet[Property]:
    """Return the listings that public pages show and search: on the market, in the order of one of `SORTS`."""
    wanted = wanted or SearchFilter()
    found = _filter(Property.objects.filter(ON_MARKET), wanted)
    return found.order_by(*SORTS.get(sort, SORTS["newest"])[1])


def _filter(found: QuerySet[Property], wanted: SearchFilter) -> QuerySet[Property]:
    prices = "list_price"
    if connection.vendor == "sqlite" and (wanted.city or wanted.state or wanted.postal_code or wanted.property_type):
        # It would read all listings of these prices, rather than those of a place or type.
        found, prices = found.alias(price=Unindexed("list_price")), "price"
    conditions = {
        "status": wanted.status,
        "city_key": wanted.city and fold_key(wanted.city),
        "state_key": wanted.state and fold_key(wanted.state),
        "postal_code__in": wanted.postal_code and spellings(wanted.postal_code),
        "property_type_key": wanted.property_type and fold_key(wanted.property_type),
        f"{prices}__gte": wanted.min_price,
        f"{prices}__lte": wanted.max_price,
        "beds__gte": wanted.min_beds,
        "baths__gte": wanted.min_baths,
        "sqft__gte": wanted.min_sqft,
        "agent_mls_id": wanted.agent_mls_id,
        "modified_at__gte": wanted.since,
    }
    found = found.filter(**{name: value for name, value in conditions.items() if value is not None})
    if wanted.box is not None:
        found = found.filter(in_box(wanted.box))
    return matching(found, wanted.search) if wanted.search and wanted.search.strip() else found


def in_box(box: Box) -> Q:
    """Return the condition that a listing is in a part of the map."""
    latitude = Q(latitude__gte=box.south, latitude__lte=box.north)
    if box.west <= box.east:
        return latitude & Q(longitude__gte=box.west, longitude__lte=box.east)
    return latitude & (Q(longitude__gte=box.west) | Q(longitude__lte=box.east))


def with_photos(found: QuerySet[Property]) -> QuerySet[Property]:
    """Return the listings with their photos (one statement more, however many there are)."""
    return found.prefetch_related(Prefetch("photos", PropertyPhoto.objects.order_by("position")))


def with_covers(found: QuerySet[Property]) -> QuerySet[Property]:
    """Return the listings with only the first photo that can be shown of each (one statement more)."""
    usable = PropertyPhoto.objects.filter(Q(is_linked=True) | Q(image__isnull=False))
    earlier = usable.filter(listing=OuterRef("listing"), position__lt=OuterRef("position"))
    return found.prefetch_related(Prefetch("photos", usable.filter(~Exists(earlier))))


def find_property(reference: str) -> Property | None:
    """Return a listing that may be shown, by its id, else its slug, else its key (of several feeds: the newest one)."""
    # A lookup never fails on text that no column can hold.
    if "\0" in reference or not _is_unicode(reference):
        return None
    found = Property.objects.filter(SHOWN)
    wanted = Q(slug=reference) | Q(listing_key=reference)
    pk = read_id(reference)
    rows = list(with_photos(found.filter(wanted | Q(pk=pk) if pk else wanted).order_by("-modified_at", "-id")))
    ranked = sorted(rows, key=lambda row: (row.pk != pk, row.slug != reference))
    return ranked[0] if ranked else None


def find_by_slug(slug: str) -> Property | None:
    """Return the listing of a public page, whatever its status, if it may be shown; with its photos."""
    return with_photos(Property.objects.filter(SHOWN, slug=slug)).first()


def public_property(slug: str) -> Property | None:
    """Return the listing of a public page with its photos; None if it may not be shown or was withdrawn."""
    found = find_by_slug(slug)
    return None if found is None or found.status == PropertyStatus.WITHDRAWN else found


def replacement_of(slug: str) -> Property | None:
    """Return the listing that is shown in place of a former one of the same place."""
    hidden = Property.objects.filter(slug=slug, hidden_reason=HiddenReason.RELISTED).exclude(address_key="").first()
    if hidden is None:
        return None
    newer = Property.objects.filter(SHOWN, feed=hidden.feed_id, address_key=hidden.address_key)
    return newer.exclude(status=PropertyStatus.WITHDRAWN).order_by("-listed_on", "-modified_at", "-pk").first()


def similar_properties(row: Property, count: int) -> QuerySet[Property]:
    """Return the newest listings on the market of the same type and city; none if one of them is unknown."""
    if not row.city_key or not row.property_type_key:
        return Property.objects.none()
    found = Property.objects.filter(SHOWN, ON_MARKET, city_key=row.city_key, property_type_key=row.property_type_key)
    return found.exclude(pk=row.pk).order_by(*SORTS["newest"][1])[:count]


def locate(name: str) -> tuple[str, str]:
    """Return the city and the state that a name without a comma means (at most three statements).

    It is a city with listings, else a state, else both, as in "Brattleboro VT"; the name of no listing is taken for a city.
    """
    # Both conditions, as the indexes of cities and states are those of all listings that may be shown.
    on_market = Property.objects.filter(SHOWN, ON_MARKET)
    if on_market.filter(city_key=fold_key(name)).exists():
        return name, ""
    if on_market.filter(state_key=fold_key(name)).exists():
        return "", name
    city, _, state = name.rpartition(" ")
    if city and on_market.filter(city_key=fold_key(city), state_key=fold_key(state)).exists():
        return city, state
    return name, ""


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True)
class Photo:
    """A photo as pages and the API show it."""

    url: str
    #: The image of the library, if it is a copy.
    image_id: int | None


def photos_of(rows: Iterable[Property]) -> Mapping[int, list[Photo]]:
    """Return the photos of listings read by `with_photos`, in order; without those not copied yet (one statement).

    The URLs of copies are relative to the site.
    """
    rows = list(rows)
    shown = {row.pk: [photo for photo in row.photos.all() if photo.is_linked or photo.image_id] for row in rows}
    paths = image_paths(photo.image_id for each in shown.values() for photo in each if photo.image_id and not photo.is_linked)
    return {pk: [each for photo in photos if (each := _photo(photo, paths)) is not None] for pk, photos in shown.items()}


def _photo(photo: PropertyPhoto, paths: Mapping[int, str]) -> Photo | None:
    if photo.is_linked:
        return Photo(photo.url, None)
    path = paths.get(photo.image_id) if photo.image_id else None
    return Photo(path, photo.image_id) if path else None


@dataclass(frozen=True)
class Facet:
    """A value that listings on the market have, and how many of them."""

    value: str
    #: None if they were not counted, at most MAX_FACET_LISTINGS.
    count: int | None
    has_more: bool = False


class Facets:
    """The property types and cities of searches on the market, most frequent first. Each search is read once.

    Those of all listings are counted once until one changes (one statement for each column). If a search finds more than
    pages count, it is every value, without numbers.
    """

    def __init__(self, wanted: SearchFilter, found: Found) -> None:
        self._shown, self._found = found, {wanted: found}
        self._rows: dict[SearchFilter, list[dict[str, str]]] = {}

    def property_types(self, wanted: SearchFilter) -> Sequence[Facet]:
        return self._facets("property_type", "property_type_key", wanted)

    def cities(self, wanted: SearchFilter) -> Sequence[Facet]:
        return self._facets("city", "city_key", wanted)

    def _facets(self, column: str, key: str, wanted: SearchFilter) -> Sequence[Facet]:
        if wanted.is_empty:
            return _on_market(column, key)
        # Without one of its conditions, a search finds as many, or more.
        if not self._shown.is_exact:
            return _values_on_market(column, key)
        if wanted not in self._found:
            self._found[wanted] = find(shown_properties(replace(wanted, search=None)), wanted.search or "")
        found = self._found[wanted]
        if not found.is_exact:
            return _values_on_market(column, key)
        if wanted not in self._rows:
            names = ("property_type", "property_type_key", "city", "city_key")
            self._rows[wanted] = list(found.queryset.order_by().values(*names))
        rows = self._rows[wanted]
        counts = Counter(row[key] for row in rows if row[key])
        names_of = {row[key]: row[column] for row in rows}
        ranked = sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:MAX_FACET_VALUES]
        return [Facet(names_of[value], count) for value, count in ranked]


def _values_on_market(column: str, key: str) -> Sequence[Facet]:
    return [Facet(each.value, None) for each in _on_market(column, key)]


#: The values of a key in an index of the listings on the market, each found after the one before, so that not every listing is
#: read. A value is spelled as in its newest listing.
_VALUES = """
WITH RECURSIVE found (value) AS (
    SELECT MIN({key}) FROM real_estate_property WHERE is_on_market AND {key} > ''
    UNION ALL
    SELECT (SELECT MIN({key}) FROM real_estate_property WHERE is_on_market AND {key} > found.value)
    FROM found WHERE found.value IS NOT NULL
)
SELECT
    (
        SELECT {column} FROM real_estate_property WHERE is_on_market AND {key} = found.value
        ORDER BY listed_on DESC, id DESC LIMIT 1
    ),
    (
        SELECT COUNT(*) FROM (
            SELECT 1 FROM real_estate_property WHERE is_on_market AND {key} = found.value LIMIT %s
        ) AS counted
    ) AS number
FROM found WHERE found.value IS NOT NULL ORDER BY number DESC, found.value LIMIT %s
"""


def _on_market(column: str, key: str) -> Sequence[Facet]:
    """Return the values of a column, spelled as in the newest listing; counted once until a listing changes (one statement)."""

    def count() -> Sequence[Facet]:
        with connection.cursor() as cursor:
            cursor.execute(_VALUES.format(column=column, key=key), [MAX_FACET_LISTINGS + 1, MAX_FACET_VALUES])
            found = cursor.fetchall()
        return [Facet(value, min(number, MAX_FACET_LISTINGS), number > MAX_FACET_LISTINGS) for value, number in found]

    return remember(VERSION, ("facets", column), count)


def known_property_types() -> list[tuple[str, str]]:
    """Return the property types of listings that may be shown, whatever their status: key and name (one statement)."""
    found = Property.objects.filter(SHOWN).exclude(property_type_key="").order_by().values("property_type_key")
    rows = found.annotate(name=Max("property_type")).order_by("property_type_key")[:MAX_FACET_VALUES]
    return [(row["property_type_key"], row["name"]) for row in rows]


def last_updated() -> datetime | None:
    """Return when an import was last completed, for the disclaimer; None if never."""
    found: datetime | None = FeedRun.objects.filter(status=RunStatus.FINISHED).aggregate(Max("finished_at"))["finished_at__max"]
    return found


def disclaimer() -> str:
    """Return the text below listings; empty if there is none."""
    return str(get_setting("real_estate.disclaimer")).strip()


def price_text(row: Property) -> str:
    """Return the price of a listing as the site's country writes amounts: `$489,000`, `$2,500 a month`."""
    if not row.list_price:
        return "Price on request"
    amount = site_formats().money(Decimal(row.list_price), row.currency)
    return f"{amount} a {row.price_period}" if row.price_period else amount
