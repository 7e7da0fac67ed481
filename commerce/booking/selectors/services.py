"""Reads of services and staff."""

from typing import TypeVar

from django.db.models import Exists, OuterRef, QuerySet

from ..models import Service, Staff

Pictured = TypeVar("Pictured", Service, Staff)


def offered_services() -> QuerySet[Service]:
    """Return the services that customers can book: somebody offers them."""
    return Service.objects.filter(Exists(_bookable().filter(services=OuterRef("pk"))), is_visible=True)


def offered_service(slug: str) -> Service | None:
    return with_pictures(offered_services()).filter(slug=slug).first()


def staff_for(service: Service) -> QuerySet[Staff]:
    """Return the staff that customers can book for a service."""
    return _bookable().filter(services=service)


def with_pictures(found: QuerySet[Pictured]) -> QuerySet[Pictured]:
    """Return services or staff with their pictures, in the same statement."""
    return found.select_related("image__mediaimage")


def all_staff_for(service: Service) -> QuerySet[Staff]:
    """Return the staff that can be booked for a service by hand."""
    return Staff.objects.filter(services=service)


def staff_of_feed(key: str) -> Staff | None:
    """Return the member of staff with a secret feed address, unless their account is no longer active."""
    return Staff.objects.filter(feed_key=key).exclude(user__is_active=False).first()


def _bookable() -> QuerySet[Staff]:
    return Staff.objects.filter(is_visible=True)


def feed_path(staff: Staff) -> str:
    """Return the path of the private calendar feed of a member of staff."""
    return f"/booking/staff/{staff.feed_key}.ics"
