"""Demo services, staff and appointments: every status, past and upcoming, and the same on a second run."""

from collections import Counter

import pytest
from django.utils import timezone

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import OutboxEvent
from commerce.booking.demo import DATA, load
from commerce.booking.models import Appointment, BookedSlot, BookingCode, DateOverride, Service, Staff, TimeOff
from commerce.booking.selectors.appointments import appointments
from commerce.booking.selectors.services import offered_services
from commerce.booking.services.housekeeping import lapse_appointments
from commerce.booking.services.reminding import remind_customers
from commerce.booking.types.appointments import AppointmentStatus
from commerce.crm.models import Contact
from commerce.payments.models import Payment
from commerce.payments.selectors import kept_cents

pytestmark = pytest.mark.usefixtures("booking")

TABLES = (Service, Staff, DateOverride, TimeOff, BookingCode, BookedSlot, Appointment, Payment)


def test_it_works() -> None:
    load(1, lambda count: None)
    now = timezone.now()
    found = Counter((each.status, each.starts_at > now) for each in Appointment.objects.all())
    statuses = Counter(each.status for each in Appointment.objects.all())
    assert set(statuses) == set(AppointmentStatus)
    assert min(statuses.values()) >= 3
    for status in ("pending", "confirmed", "cancelled"):
        assert found[status, True] >= 1
        assert found[status, False] >= 1
    assert appointments(status="upcoming").count() >= 3
    assert (offered_services().count(), Staff.objects.count()) == (6, 4)
    assert len(set(Staff.objects.values_list("timezone", flat=True))) == 2
    assert_is_consistent()


def assert_is_consistent() -> None:
    for each in Appointment.objects.select_related("slot"):
        assert each.amount_paid_cents == kept_cents("appointment", each.pk)
        assert (each.slot is None) == (each.status == "cancelled")
        assert each.created_at < each.starts_at
        assert each.staff.services.filter(pk=each.service_id).exists()
    for slot in BookedSlot.objects.all():
        assert slot.seats_taken == slot.appointments.count()
        others = BookedSlot.objects.filter(staff=slot.staff, occupied_from__lt=slot.occupied_until).exclude(pk=slot.pk)
        assert not others.filter(occupied_until__gt=slot.occupied_from).exists()
    assert BookedSlot.objects.filter(seats_taken__gte=4).exists()
    assert BookingCode.objects.get().used == Appointment.objects.filter(has_redeemed=True).count() == 1


def test_loading_again_adds_nothing_and_a_larger_scale_does() -> None:
    load(1, lambda count: None)
    before = [list(table.objects.values()) for table in TABLES]  # type: ignore[attr-defined]
    load(1, lambda count: None)
    assert [list(table.objects.values()) for table in TABLES] == before  # type: ignore[attr-defined]
    load(2, lambda count: None)
    assert Appointment.objects.count() == 2 * len(DATA["appointments"])


def test_nobody_hears_of_it() -> None:
    switch_feature(name="crm", on=True)
    load(1, lambda count: None)
    before = Counter(Appointment.objects.values_list("status", flat=True))
    # Nor later: the jobs leave them alone.
    lapse_appointments()
    remind_customers()
    assert not OutgoingMail.objects.exists()
    assert not OutboxEvent.objects.exists()
    assert not Contact.objects.exists()
    assert Counter(Appointment.objects.values_list("status", flat=True)) == before
