"""Books a service, for a customer of the site or by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.auth.services import visitors
from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message
from cms_api.core.locks import lock_for_share
from cms_api.core.time_zones import zone_named
from cms_api.fields import Context
from cms_api.fields.base import FieldPath, read_text
from cms_api.flags.selectors import site_timezone
from commerce.common.services.networks import has_many, network_if_unconfirmed
from commerce.common.types import MAX_NAME, MAX_PHONE, read_email
from commerce.common.types.money import Money
from commerce.payments.selectors import payment_refusal
from commerce.sales.services import redeem, reservation_end

from ..models import Appointment, BookedSlot, Service, Staff
from ..selectors.pricing import CODES, Quote, quote
from ..selectors.services import all_staff_for, staff_for
from ..types.appointments import ACTIVE, MAX_NOTES, AppointmentStatus
from ..types.questions import read_intake
from . import notices
from .confirming import become_confirmed
from .slots import place_appointment, take_slot

HOLDS_MANY = "Many bookings have already been made from your network today. Sign in to book, or try again tomorrow."


@dataclass(frozen=True)
class Customer:
    """The valid input of a booking, apart from what it is for."""

    name: str
    email: str
    phone: str
    timezone: str
    notes: str
    intake: list[dict[str, str | None]]


def book_appointment(
    *,
    service: Service,
    starts_at: datetime,
    staff: Staff | None = None,
    values: Mapping[str, Any],
    user: Any = None,
    by_staff: bool = False,
    network: str = "",
    form_key: str = "",
) -> Appointment:
    """Book a service with a member of staff, or, for None, with anyone who is free.

    It is confirmed at once, unless the customer has to pay a deposit, or the service requires approval. `values`: `name`,
    `email`, `phone`, `timezone` (an IANA name; the site's by default), `notes`, `answers` to the intake questions by key,
    `discount_code`, and `total_cents`, the price that the customer agreed to. Bookings `by_staff` need no notice, no working
    hours, no answers and no deposit. Unpaid appointments of one `network` are limited, unless the account has confirmed the
    address. `form_key` is that of the form that a visitor has sent: if it was sent before, also at the same moment, its
    appointment is returned. Raises Invalid by these names, and for `starts_at`, `staff`, `network` and `payment`.
    """
    try:
        return _book(service, starts_at, staff, values, user, by_staff, network, form_key)
    except (Invalid, IntegrityError):
        made = Appointment.objects.filter(form_key=form_key, status__in=ACTIVE).first() if form_key else None
        if made is None:
            raise
        return made


@transaction.atomic
def _book(
    service: Service,
    starts_at: datetime,
    staff: Staff | None,
    values: Mapping[str, Any],
    user: Any,
    by_staff: bool,
    network: str,
    form_key: str,
) -> Appointment:
    customer = read_customer(service, values, by_staff=by_staff)
    priced = quote(service, str(values.get("discount_code") or ""), email=customer.email)
    if priced.code_problem:
        raise Invalid({"discount_code": priced.code_problem})
    if values.get("total_cents") not in {None, priced.price.total_cents}:
        raise Invalid({"total_cents": f"The price has changed to {priced.total}. Review your booking and try again."})
    deposit = Money(0 if by_staff else priced.price.deposit_cents, settings.SITE_CURRENCY)
    if refusal := payment_refusal(deposit):
        raise Invalid({"payment": refusal})
    slot = take_slot(service=service, starts_at=starts_at, staff=_candidates(service, staff, by_staff), by_staff=by_staff)
    counted = network if priced.price.deposit_cents else network_if_unconfirmed(network, user=user, email=customer.email)
    _check_share(counted)
    appointment = Appointment(user=user if user is not None and user.is_authenticated and not by_staff else None)
    fill_appointment(appointment, customer, priced, slot, by_staff=by_staff)
    appointment.network, appointment.form_key = counted, form_key
    if priced.code is not None:
        redeem(CODES, appointment, priced.code, appointment.price_cents)
    appointment.save()
    get_search_backend().add(appointment)
    log(instance=appointment, action="booking.book", user=user if by_staff else appointment.user)
    if not appointment.requires_approval and appointment.reserved_until is None:
        become_confirmed(appointment, network=counted)
    elif appointment.reserved_until is None:
        notices.request_approval(appointment)
    return appointment


def _check_share(network: str) -> None:
    """Raise Invalid (`network`) if visitors of a network have booked too much within a day that is neither paid nor over."""
    pending = Q(status=AppointmentStatus.PENDING, is_processing=False)
    future = Q(status=AppointmentStatus.CONFIRMED, starts_at__gt=timezone.now())
    if has_many(Appointment.objects.filter(pending | future), network):
        raise Invalid({"network": HOLDS_MANY})


def _candidates(service: Service, staff: Staff | None, by_staff: bool) -> Sequence[Staff]:
    """Return the staff that may be booked. Raises Invalid (`service`, `staff`)."""
    if not lock_for_share(Service, [service.pk]) or (not by_staff and not service.is_visible):
        raise Invalid({"service": "This service can't be booked online."})
    offered = list(all_staff_for(service) if by_staff else staff_for(service))
    if staff is not None:
        offered = [each for each in offered if each.pk == staff.pk]
    if not offered:
        raise Invalid({"staff": "Choose somebody who offers this service."})
    return offered


def read_customer(service: Service, values: Mapping[str, Any], *, by_staff: bool = False) -> Customer:
    """Return what a customer entered. Raises Invalid."""
    errors = ErrorCollector()
    found: dict[str, Any] = {"intake": []}
    with errors.under():
        found["email"] = read_email(str(values.get("email") or ""))
    for name, limit in (("name", 2 * MAX_NAME), ("phone", MAX_PHONE)):
        with errors.under():
            found[name] = visitors.read_name(values.get(name), FieldPath(name, name), limit)
    if not found.get("name") and "name" not in errors.errors:
        errors.add("name", required_message("name"))
    with errors.under():
        found["notes"] = read_text(values.get("notes"), FieldPath("notes", "notes"), MAX_NOTES) or ""
    zone = zone_named(values.get("timezone") or site_timezone().key)
    if zone is None:
        errors.add("timezone", invalid_choice("timezone"))
    if not by_staff:
        with errors.under():
            found["intake"] = read_intake(service.schema, values.get("answers") or {}, Context(timezone=site_timezone()))
    errors.raise_if_any()
    assert zone is not None
    return Customer(**found, timezone=zone.key)


def fill_appointment(
    appointment: Appointment, customer: Customer, priced: Quote, slot: BookedSlot, *, by_staff: bool = False
) -> None:
    """Copy everything into the appointment that must not change with services, staff and settings."""
    now, service = timezone.now(), slot.service
    appointment.status = AppointmentStatus.PENDING
    appointment.name, appointment.email, appointment.phone = customer.name, customer.email, customer.phone
    appointment.timezone, appointment.notes, appointment.intake = customer.timezone, customer.notes, customer.intake
    appointment.service, appointment.service_name = service, service.name
    appointment.location, appointment.video_url = service.location, service.video_url
    place_appointment(appointment, slot)
    appointment.currency = settings.SITE_CURRENCY
    appointment.price_cents, appointment.discount_cents = priced.price.price_cents, priced.price.discount_cents
    appointment.deposit_cents = 0 if by_staff else priced.price.deposit_cents
    appointment.code, appointment.discount_code = priced.code, priced.code.code if priced.code else ""
    appointment.requires_approval = service.requires_approval and not by_staff
    appointment.reserved_until = reservation_end() if appointment.deposit_cents else None
    appointment.created_at = appointment.created_at or now
    appointment.updated_at = now
