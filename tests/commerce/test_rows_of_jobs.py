"""Periodic jobs: a row that raises, such as one that an earlier release has stored, keeps no other from its work."""

import inspect
from collections.abc import Callable, Hashable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F, Model
from django.utils import timezone
from django.utils.module_loading import import_string

from cms_api.content.models import ContentItem, ContentType
from cms_api.core.batches import RowsFailed
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from cms_api.mail.types import NOT_MAILABLE
from commerce.booking.models import Appointment, Staff
from commerce.common.types.periods import Interval
from commerce.directory.models import Listing, Purchase
from commerce.donations.models import Donation, EmailedStatement, RecurringDonation
from commerce.imports.models import ImportRun
from commerce.invoicing.models import Invoice
from commerce.members.models import Member
from commerce.real_estate.models import PropertyPhoto, SavedSearch
from commerce.restaurant.models import RestaurantOrder
from commerce.reviews.models import Invitation
from commerce.shop.models import Order
from commerce.support.models import Ticket
from commerce.ticketing.models import Announcement, Reservation, TicketOrder, WaitingEntry
from events.models import CalendarEntry, Rsvp, Series
from tests.builders import make_item
from tests.commerce.booking.builders import make_appointment, make_staff
from tests.commerce.directory.builders import make_ended, make_listing, make_owner, make_purchase
from tests.commerce.donations.admin_builders import stored_recurring
from tests.commerce.donations.builders import make_campaign, make_donation
from tests.commerce.imports.files import make_run, start_run
from tests.commerce.invoicing.builders import make_invoice, make_recurring
from tests.commerce.members.conftest import make_member, make_plan
from tests.commerce.restaurant.builders import make_dish
from tests.commerce.restaurant.builders import make_order as make_meal
from tests.commerce.reviews.builders import make_invitation
from tests.commerce.shop.builders import make_order as make_shop_order
from tests.commerce.shop.builders import make_variant
from tests.commerce.support.builders import make_ticket
from tests.commerce.ticketing.builders import adult, first_start, make_reservation, make_sales, paid_order, wait
from tests.commerce.ticketing.builders import make_order as make_ticket_order
from tests.events.guests import make_event, make_reply
from tests.features import switch_all_on

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

Make = Callable[[], object]
OLD = "old@localhost"


@pytest.fixture(autouse=True)
def _features() -> None:
    switch_all_on()
    set_setting(key="payments.allow_test_payments", value=True)


def ago(**time: float) -> Any:
    return timezone.now() - timedelta(**time)


def make_appointments(**values: Any) -> None:
    for _ in range(2):
        make_appointment()
    Appointment.objects.update(**values)


def make_near_appointments() -> None:
    make_appointments(reminded_at=None, starts_at=timezone.now() + timedelta(hours=5))


def make_staff_with_calendars() -> None:
    make_staff(), make_staff()
    Staff.objects.update(calendar_url="https://calendar.example.org/x.ics")


def make_ended_carts() -> None:
    make_reservation(make_sales())
    make_reservation(make_sales(title="Other"))
    Reservation.objects.update(until=ago(minutes=1))


def make_waiting() -> None:
    for title, email in (("One", "noor@example.com"), ("Other", "sam@example.com")):
        event = make_sales(adult(size=1), title=title)
        make_reservation(event)
        wait(event, email)


def make_past_carts() -> None:
    make_waiting()
    Reservation.objects.update(until=ago(minutes=1))


def make_unpaid_tickets() -> None:
    make_ticket_order(make_sales())
    make_ticket_order(make_sales(title="Other"))
    Reservation.objects.update(until=ago(minutes=1))


def make_announcements() -> None:
    for title, email in (("One", "dana@example.com"), ("Other", "sam@example.com")):
        event = make_sales(title=title)
        paid_order(event, buyer_values={"email": email})
        Announcement.objects.create(event=event, start=first_start(event), kind="cancelled", created_at=timezone.now())


def make_shop_orders(**values: Any) -> None:
    for email in ("dana@example.com", "sam@example.com"):
        make_shop_order((make_variant(), 1), email=email)
    Order.objects.update(**values)


def make_meals() -> None:
    make_meal((make_dish(), 1), payment_method="online")
    make_meal((make_dish(), 1), payment_method="online")
    RestaurantOrder.objects.update(reserved_until=ago(minutes=1))


def make_ending_listings() -> None:
    owner = make_owner()
    for name in ("One", "Other"):
        make_listing(name, owner=owner, expires_at=timezone.now() + timedelta(days=3))


def make_featured() -> None:
    make_listing("One"), make_listing("Other")
    Listing.objects.update(featured=True, featured_until=ago(days=1))


def make_listings_with_hours() -> None:
    for name in ("One", "Other"):
        listing = make_listing(name)
        Listing.objects.filter(pk=listing.pk).update(closes_at=ago(hours=1))


def make_purchases() -> None:
    owner = make_owner()
    for name in ("One", "Other"):
        make_purchase(make_ended(name, owner=owner))
    Purchase.objects.update(updated_at=ago(days=9))


def make_tickets(**values: Any) -> None:
    make_ticket(), make_ticket()
    set_setting(key="support.nudge_days", value=3)
    set_setting(key="support.close_days", value=3)
    Ticket.objects.update(**values)


def make_patterns() -> None:
    today = timezone.localdate()
    for _ in range(2):
        make_recurring(starts_on=today, interval=Interval.MONTH)


def make_due_invoices() -> None:
    set_setting(key="invoicing.remind_before_days", value=3)
    make_invoice(), make_invoice()
    Invoice.objects.update(due_date=timezone.localdate() + timedelta(days=1), sent_at=ago(days=3))


def make_due_donations() -> None:
    stored_recurring(email="dana@example.com"), stored_recurring(email="sam@example.com")
    RecurringDonation.objects.update(next_on=timezone.localdate(), anchor=timezone.localdate() - timedelta(days=31))


def make_donations(**values: Any) -> None:
    campaign = make_campaign()
    make_donation(campaign), make_donation(campaign)
    Donation.objects.update(**values)


def make_charges() -> None:
    make_donations(charge_at=ago(minutes=1))
    for donation in Donation.objects.all():
        Donation.objects.filter(pk=donation.pk).update(recurring=stored_recurring(), period=timezone.localdate())


def make_statements() -> None:
    for email in ("dana@example.com", "sam@example.com"):
        EmailedStatement.objects.create(year=2026, email=email, requested_at=timezone.now())


def make_rsvps() -> None:
    for title, email in (("One", "dana@example.com"), ("Other", "sam@example.com")):
        make_reply(make_event(title=title), email=email)
    OutgoingMail.objects.all().delete()
    Rsvp.objects.update(notice="moved", mail_due_at=ago(minutes=1))


def make_series() -> None:
    for title in ("One", "Other"):
        make_event(title=title, repeat={"frequency": "weekly"})
    Series.objects.update(expanded_to=timezone.now())


def make_stale_entries() -> None:
    make_event(title="One"), make_event(title="Other")
    CalendarEntry.objects.all().delete()


def make_scheduled() -> None:
    make_item(), make_item()
    ContentItem.objects.update(status="scheduled", published_at=ago(minutes=1))


def make_outdated() -> None:
    make_item(), make_item()
    ContentType.objects.update(epoch=F("epoch") + 1)


def make_invitations() -> None:
    set_setting(key="reviews.send_invitations", value=True)
    make_invitation(), make_invitation()
    Invitation.objects.update(state="waiting", due_at=ago(minutes=1))


def make_members() -> None:
    plan = make_plan("Friend", price_cents=1250, interval="month")
    make_member("ann@example.com", plan=plan), make_member("bob@example.com", plan=plan)
    Member.objects.update(paid_until=timezone.localdate() - timedelta(days=1))


def make_searches() -> None:
    for email in ("ann@example.com", "bob@example.com"):
        SavedSearch.objects.create(
            user=make_owner(email),
            name="Houses",
            frequency="daily",
            last_sent_at=ago(days=2),
            due_at=ago(days=1),
            created_at=ago(days=2),
        )


def make_photos() -> None:
    (
        PropertyPhoto.objects.create(url="https://example.org/1"),
        PropertyPhoto.objects.create(position=1, url="https://example.org/2"),
    )


def make_imports(**values: Any) -> None:
    start_run(make_run()), start_run(make_run())
    ImportRun.objects.update(**values)


def later(make: Callable[..., None], **values: Callable[[], Any] | Any) -> Make:
    return lambda: make(**{name: value() if callable(value) else value for name, value in values.items()})


JOBS: dict[str, tuple[str, Make]] = {
    "commerce.booking.services.housekeeping.lapse_appointments": (
        "_lapse",
        later(make_appointments, status="pending", reserved_until=lambda: ago(minutes=1)),
    ),
    "commerce.booking.services.reminding.remind_customers": ("_remind", make_near_appointments),
    "commerce.booking.services.calendars.refresh_calendars": ("read_calendar", make_staff_with_calendars),
    "commerce.ticketing.services.housekeeping.release_seats": ("_release", make_ended_carts),
    "commerce.ticketing.services.housekeeping.release_seats (waiting)": ("_serve", make_waiting),
    "commerce.ticketing.services.housekeeping.release_seats (unpaid)": ("_lapse", make_unpaid_tickets),
    "commerce.ticketing.services.announcing.send_announcements": ("_send_some", make_announcements),
    "commerce.shop.services.housekeeping.release_lapsed_orders": (
        "_release",
        later(make_shop_orders, reserved_until=lambda: ago(minutes=1)),
    ),
    "commerce.shop.services.housekeeping.remind_customers": (
        "_remind",
        later(make_shop_orders, reserved_until=None, created_at=lambda: ago(hours=30)),
    ),
    "commerce.restaurant.services.housekeeping.lapse_orders": ("_lapse", make_meals),
    "commerce.directory.services.terms.remind_owners": ("_remind", make_ending_listings),
    "commerce.directory.services.terms.end_featured": ("_end_featured", make_featured),
    "commerce.directory.services.terms.move_openings": ("_move_openings", make_listings_with_hours),
    "commerce.directory.services.purchasing.cancel_unpaid": ("_cancel", make_purchases),
    "commerce.support.services.housekeeping.nudge_requesters": (
        "_nudge",
        later(make_tickets, status="pending", waiting_since=lambda: ago(days=9)),
    ),
    "commerce.support.services.housekeeping.close_tickets": (
        "_close",
        later(make_tickets, status="resolved", resolved_at=lambda: ago(days=9)),
    ),
    "commerce.invoicing.services.recurring.create_due_invoices": ("_create_due", make_patterns),
    "commerce.invoicing.services.reminding.remind_clients": ("send_reminder", make_due_invoices),
    "commerce.donations.services.renewing.renew_donations": ("write_renewal", make_due_donations),
    "commerce.donations.services.renewing.renew_donations (charges)": ("_charge", make_charges),
    "commerce.donations.services.mailing.send_statements": ("_send", make_statements),
    "commerce.donations.services.housekeeping.fail_abandoned_donations": (
        "_fail",
        later(make_donations, created_at=lambda: ago(days=3)),
    ),
    "events.services.mails.send_postponed_mails": ("_send_postponed_mail", make_rsvps),
    "events.services.occurrences.top_up": ("_materialize", make_series),
    "events.services.calendars.refresh": ("_refresh", make_stale_entries),
    "cms_api.content.services.items.publish_due_items": ("_publish_if_due", make_scheduled),
    "cms_api.content.services.types.refresh_items": ("_project", make_outdated),
    "commerce.reviews.services.invitations.send_due_invitations": ("_send", make_invitations),
    "commerce.members.services.renewals.check_renewals": ("_check", make_members),
    "commerce.real_estate.services.searches.send_saved_searches": ("_send", make_searches),
    "commerce.real_estate.services.photos.clear_former_photos": ("_clear", make_photos),
    "commerce.imports.services.runs.requeue_stranded": (
        "_requeue_or_fail",
        later(make_imports, leased_until=lambda: ago(minutes=9)),
    ),
    "commerce.imports.services.runs.drop_old": (
        "_drop",
        later(make_imports, state="finished", created_at=lambda: ago(days=400)),
    ),
}


@pytest.mark.parametrize("job", JOBS)
def test_a_row_that_raises_keeps_no_other_from_its_work(job: str, monkeypatch: pytest.MonkeyPatch) -> None:
    function = import_string(job.partition(" ")[0])
    name, make = JOBS[job]
    module: Any = inspect.getmodule(function)
    make()
    work = getattr(module, name)
    seen: list[Hashable] = []

    def fail_for_first(*args: Any, **more: Any) -> Any:
        rows = next((each for each in args if isinstance(each, list)), [next(iter((*args, *more.values())))])
        seen.extend(row for row in rows if row not in seen)
        if seen[0] in rows:
            raise ValueError("It is odd.")
        return work(*args, **more)

    monkeypatch.setattr(module, name, fail_for_first)
    with pytest.raises(RowsFailed, match=r"^1 of \d+ failed\. The first: .*It is odd\."):
        function()
    assert len(seen) == 2


#: Jobs that send emails, the kind of record whose address is used, and the template.
MAILS: dict[str, tuple[Make, type[Model], str]] = {
    "commerce.booking.services.reminding.remind_customers": (make_near_appointments, Appointment, "booking_reminder"),
    "commerce.ticketing.services.housekeeping.release_seats": (make_past_carts, WaitingEntry, "ticket_offer"),
    "commerce.ticketing.services.announcing.send_announcements": (make_announcements, TicketOrder, "ticket_date_cancelled"),
    "commerce.shop.services.housekeeping.remind_customers": (
        later(make_shop_orders, reserved_until=None, created_at=lambda: ago(hours=30)),
        Order,
        "order_reminder",
    ),
    "commerce.invoicing.services.reminding.remind_clients": (make_due_invoices, Invoice, "invoice_reminder"),
    "events.services.mails.send_postponed_mails": (make_rsvps, Rsvp, "event_moved"),
}


@pytest.mark.parametrize("job", MAILS)
def test_an_address_that_an_earlier_release_has_stored_keeps_no_other_waiting(job: str) -> None:
    make, model, template = MAILS[job]
    make()
    OutgoingMail.objects.all().delete()
    first = model._default_manager.order_by("pk").values_list("pk", flat=True)[0]
    model._default_manager.filter(pk=first).update(email=OLD)
    import_string(job)()
    mails = OutgoingMail.objects.filter(template=template)
    assert list(mails.filter(recipient=OLD).values_list("state", "error")) == [("failed", NOT_MAILABLE)]
    assert mails.exclude(recipient=OLD).get().state == "waiting"
    import_string(job)()
    assert mails.count() == 2
