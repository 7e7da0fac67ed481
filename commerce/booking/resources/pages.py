"""Services and staff as the public pages show them, and their metadata for search engines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.urls import reverse

from cms_api.text.excerpts import shorten
from commerce.common.resources.pages import Picture, absolute, decoration, image_of, meta, prefetch_images
from commerce.common.selectors import format_money
from commerce.common.types.money import Money
from commerce.payments.selectors import is_ready

from ..models import Appointment, Service, Staff

TITLE = "Book an appointment"
SUMMARY_LENGTH = 160


@dataclass(frozen=True)
class Card:
    """A service in a list."""

    service: Service
    url: str
    summary: str
    picture: Picture | None
    #: The number of the drawing that replaces a missing picture.
    drawing: int
    #: Its length, its price, and how many seats a class has.
    facts: list[str]


@dataclass(frozen=True)
class Person:
    """A member of staff to choose."""

    staff: Staff
    picture: Picture | None
    is_chosen: bool


def cards_of(services: Sequence[Service]) -> list[Card]:
    """Return cards of services; the renditions of all pictures are read in one statement."""
    prefetch_images(services)
    return [
        Card(
            each,
            service_path(each),
            shorten(each.description, SUMMARY_LENGTH),
            decoration(each, "card"),
            each.pk % 4,
            facts_of(each),
        )
        for each in services
    ]


def people_of(staff: Sequence[Staff], chosen: Staff | None) -> list[Person]:
    """Return the staff to choose from; the renditions of all pictures are read in one statement."""
    prefetch_images(staff)
    return [Person(each, decoration(each, "portrait"), each == chosen) for each in staff]


def facts_of(service: Service) -> list[str]:
    found = [duration_text(service.duration_minutes), price_text(service)]
    return [*found, f"{service.capacity} seats"] if service.is_class else found


def price_text(service: Service) -> str:
    return format_money(Money(service.price_cents, settings.SITE_CURRENCY)) if service.price_cents else "Free"


def deposit_text(service: Service) -> str:
    """Return the deposit; empty without one."""
    cents = min(service.deposit_cents, service.price_cents)
    return format_money(Money(cents, settings.SITE_CURRENCY)) if cents else ""


def can_be_paid(service: Service) -> bool:
    """Return whether the deposit can be paid online, if there is one."""
    return not deposit_text(service) or is_ready()


def duration_text(minutes: int) -> str:
    """Return a length in words: "1 hour 30 minutes"."""
    parts = ((minutes // 60, "hour"), (minutes % 60, "minute"))
    return " ".join(f"{number} {name}{'' if number == 1 else 's'}" for number, name in parts if number)


def status_text(appointment: Appointment) -> str:
    """Return the status of an appointment as its customer reads it."""
    if appointment.is_processing:
        return "Payment on its way"
    if appointment.is_pending:
        return "Awaiting payment" if appointment.deposit_due_cents else "Awaiting confirmation"
    return str(appointment.get_status_display())


def service_path(service: Service) -> str:
    return reverse("booking_service", args=[service.slug])


def list_meta(services: Sequence[Service]) -> meta.Meta:
    found = meta.for_page(title=TITLE, path=reverse("booking"))
    catalogue = {
        "@context": "https://schema.org",
        "@type": "OfferCatalog",
        "name": TITLE,
        "url": absolute(reverse("booking")),
        "itemListElement": [_linked_service(each) for each in services],
    }
    return {**found, "linked_data": [*([catalogue] if services else []), *found["linked_data"]]}


def service_meta(service: Service, *, unlisted: bool) -> meta.Meta:
    """Return the metadata of a service's page. Search engines list it once, not for every month and day."""
    found = meta.for_page(
        title=service.name,
        path=service_path(service),
        description=service.description,
        featured=image_of(service),
        above=[(TITLE, reverse("booking"))],
        modified=service.updated_at,
        unlisted=unlisted,
    )
    linked = {"@context": "https://schema.org", **_linked_service(service)}
    return {**found, "linked_data": [linked, *found["linked_data"]]}


def _linked_service(service: Service) -> dict[str, Any]:
    """Return schema.org's Service, with its Offer."""
    currency = settings.SITE_CURRENCY
    found = {
        "@type": "Service",
        "name": service.name,
        "description": service.description,
        "url": absolute(service_path(service)),
        "offers": {
            "@type": "Offer",
            "price": str(Money(service.price_cents, currency).amount),
            "priceCurrency": currency.upper(),
        },
    }
    return {name: value for name, value in found.items() if value}
