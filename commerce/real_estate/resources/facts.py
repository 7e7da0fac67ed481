"""Listings in words: their price, status and sizes, and whom to call."""

from dataclasses import dataclass
from decimal import Decimal

from django.conf import settings

from cms_api.flags.selectors import site_country, site_formats
from cms_api.text.addresses import address_lines, country_code

from ..models import Property
from ..types.areas import area_text
from ..types.listings import PropertyStatus, is_rented
from ..types.searches import SearchFilter

#: Square feet of an acre.
ACRE = 43_560
STATUS_LABELS = {
    PropertyStatus.ACTIVE: "For sale",
    PropertyStatus.PENDING: "Pending",
    PropertyStatus.SOLD: "Sold",
    PropertyStatus.WITHDRAWN: "Withdrawn",
}
_PARTS = ("street", "street2", "city", "state", "postal_code", "country")


@dataclass(frozen=True)
class Contact:
    """The listing firm and its agent, with one way to reach them at least if the feed has one."""

    agent: str
    office: str
    phone: str
    phone_url: str
    email: str


def status_label(row: Property) -> str:
    if row.status == PropertyStatus.ACTIVE and is_rented(row.property_type_key):
        return "For rent"
    return STATUS_LABELS[PropertyStatus(row.status)]


def number_text(value: Decimal | int) -> str:
    return site_formats().number(value)


def format_count(value: Decimal | int, noun: str) -> str:
    return f"{number_text(value)} {noun}{'' if value == 1 else 's'}"


def short_facts(row: Property) -> list[str]:
    """Return the sizes of a listing for a card: "3 beds", "2.5 baths", "1,840 sq ft"."""
    return [
        *([format_count(row.beds, "bed")] if row.beds else []),
        *([format_count(row.baths.normalize(), "bath")] if row.baths else []),
        *([f"{number_text(row.sqft)} sq ft"] if row.sqft else []),
        *([f"{lot_text(row.lot_size)} lot"] if row.lot_size and not row.sqft else []),
    ]


def lot_text(size: int) -> str:
    """Return the size of a lot, from an acre on in acres."""
    return f"{number_text(size)} sq ft" if size < ACRE else format_count(round(Decimal(size) / ACRE, 2).normalize(), "acre")


def facts_of(row: Property) -> list[tuple[str, str]]:
    """Return the facts of a listing's page: label and text; unknown ones are left out."""
    found = (
        ("Status", status_label(row)),
        ("Bedrooms", number_text(row.beds) if row.beds is not None else ""),
        ("Bathrooms", number_text(row.baths.normalize()) if row.baths is not None else ""),
        ("Living area", f"{number_text(row.sqft)} sq ft" if row.sqft else ""),
        ("Lot", lot_text(row.lot_size) if row.lot_size else ""),
        ("Year built", str(row.year_built or "")),
        ("Type", ", ".join(dict.fromkeys(part for part in (row.property_subtype, row.property_type) if part))),
        ("Address", ", ".join(lines_of(row))),
        ("On the market since", site_formats().date(row.on_market_date) if row.on_market_date else ""),
        ("Listing number", row.listing_key),
    )
    return [(label, text) for label, text in found if text]


def lines_of(row: Property) -> list[str]:
    """Return the lines of the address; the country only if it is not the site's. Streets that may not be shown are not stored."""
    home = site_country()
    values = {name: getattr(row, name) for name in _PARTS}
    if country_code(row.country) == home:
        values["country"] = ""
    return address_lines(values, home=home)


def contact_of(row: Property) -> Contact:
    phone = row.office_phone or row.agent_phone
    email = row.office_email or row.agent_email
    return Contact(row.agent_name, row.office_name, phone, _phone_url(phone), email)


def _phone_url(phone: str) -> str:
    digits = "".join(character for character in phone if character in "0123456789")
    return f"tel:{'+' if phone.strip().startswith('+') else ''}{digits}" if digits else ""


def describe(wanted: SearchFilter) -> str:
    """Return a search in words: "Residential in Brattleboro, VT, up to $500,000, 3+ beds"."""
    area = area_text(wanted)
    first = wanted.property_type or "All listings"
    parts = [
        f"{first} in {area}" if area else first,
        f"“{wanted.search}”" if wanted.search else "",
        _prices(wanted),
        f"{wanted.min_beds}+ beds" if wanted.min_beds else "",
        f"{number_text(wanted.min_baths)}+ baths" if wanted.min_baths else "",
        f"{number_text(wanted.min_sqft)}+ sq ft" if wanted.min_sqft else "",
        {PropertyStatus.ACTIVE: "for sale", PropertyStatus.PENDING: "pending"}.get(PropertyStatus(wanted.status), "")
        if wanted.status
        else "",
        "in a part of the map" if wanted.box else "",
    ]
    return ", ".join(part for part in parts if part)


def _prices(wanted: SearchFilter) -> str:
    low, high = (_money(each) for each in (wanted.min_price, wanted.max_price))
    if low and high:
        return f"{low} to {high}"
    return f"from {low}" if low else f"up to {high}" if high else ""


def _money(amount: int | None) -> str:
    return site_formats().money(Decimal(amount), settings.SITE_CURRENCY) if amount else ""
