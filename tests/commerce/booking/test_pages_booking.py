"""Booking a chosen time: the form, its errors, discount codes, deposits, and times that were taken meanwhile."""

from collections.abc import Callable
from decimal import Decimal
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.accounts.services import create_member
from cms_api.core.errors import Invalid
from cms_api.mail.models import OutgoingMail
from commerce.booking.models import Appointment, BookingCode, Service, Staff
from commerce.booking.selectors.services import all_staff_for
from commerce.booking.services import book_appointment, cancel_appointment, save_service, save_staff
from commerce.booking.services.offers import delete_service
from commerce.booking.services.slots import TAKEN
from commerce.booking.views import drafts
from commerce.booking.views.book import BOOKINGS_PER_HOUR, KEPT
from commerce.common.services.discounts import save_discount_code
from commerce.payments.models import Payment
from tests.people import PASSWORD
from tests.refusals import is_refused_for
from tests.visitor import hidden

from .builders import at, customer, make_appointment, make_service, make_staff

pytestmark = pytest.mark.usefixtures("booking")

QUESTIONS = [
    {"key": "name", "label": "Your horse's name", "type": "text", "required": True},
    {"key": "days", "label": "Good days", "type": "checkboxes", "options": ["Mon", "Tue"]},
]


def form(service: Service, *, days: int = 3, tz: str = "America/New_York", **query: Any) -> str:
    """The path of the form for a time at nine o'clock UTC."""
    start = {"start": int(at(days=days).timestamp()), "tz": tz}
    return f"/booking/services/{service.slug}/book?{urlencode({**start, **query})}"


def send(client: Client, path: str, **changes: Any) -> Any:
    """Open the form, read it for a while, and submit it."""
    return client.post(path, {**hidden(client, path), "name": "Dana Reyes", "email": "dana@example.com", **changes})


def errors(answer: Any) -> list[tuple[str, str]]:
    assert answer.status_code == 422
    return list(answer.context["errors"])


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    service = make_service("Riding", questions=QUESTIONS, location="14 Canal Street")
    staff = make_staff(service, name="Robin Vale")
    path = form(service, staff=staff.pk)
    page = client.get(path).content.decode()
    for words in ("Riding, 1 hour", "(America/New York)", "Robin Vale", "14 Canal Street", "$50.00", "Your horse"):
        assert words in page
    answer = send(client, path, **{"answer-name": "Blaze", "answer-days": ["Mon", "Tue"], "notes": "Early riser"})
    made = Appointment.objects.get()
    assert (made.name, made.email, made.timezone, made.staff, made.starts_at) == (
        "Dana Reyes",
        "dana@example.com",
        "America/New_York",
        staff,
        at(days=3),
    )
    assert made.intake == [
        {"question": "Your horse's name", "answer": "Blaze"},
        {"question": "Good days", "answer": "Mon, Tue"},
    ]
    assert (made.status, made.notes, made.user) == ("confirmed", "Early riser", None)
    shown = client.get(answer.headers["Location"]).content.decode()
    assert "Your appointment is confirmed." in shown
    assert "Blaze" in shown
    assert OutgoingMail.objects.filter(template="booking_confirmed").exists()


def test_an_instant_is_a_start_too(client: Client) -> None:
    service = make_service()
    make_staff(service)
    for text in (at(days=3).isoformat(), at(days=3).isoformat().replace("+00:00", "Z")):
        assert client.get(form(service, start=text)).status_code == 200
    # A plus sign that is not escaped is read as a space.
    assert client.get(form(service).partition("?")[0] + f"?start={at(days=3).isoformat()}").status_code == 200


def test_errors_lead_to_their_fields(client: Client) -> None:
    service = make_service(questions=QUESTIONS)
    make_staff(service)
    found = errors(send(client, form(service), email="dana", name=""))
    assert found == [
        ("Enter your name.", "booking-name"),
        ("Enter a valid email address.", "booking-email"),
        ("Enter your horse's name.", "answer-name"),
    ]
    assert not Appointment.objects.exists()


def test_hostile_input_books_nothing(client: Client) -> None:
    service = make_service(questions=QUESTIONS)
    make_staff(service)
    for sent in [
        {"name": "\0"},
        {"email": "a@b\n.example"},
        {"total_cents": "9" * 40},
        {"discount_code": "\0"},
        {"answer-name": "\0"},
        {"answer-days": ["Sun"]},
        {"_stamp": "x"},
        {"hp_url": "https://spam.example"},
        {"notes": "http://a.example http://b.example http://c.example http://d.example"},
    ]:
        answer = send(client, form(service), **{"answer-name": "Blaze", **sent})
        assert answer.status_code == 422
        assert not Appointment.objects.exists()


def test_a_price_that_has_changed_is_shown_first(client: Client) -> None:
    service = make_service()
    make_staff(service)
    found = errors(send(client, form(service), total_cents="100"))
    assert found == [("The price has changed to $50.00. Review your booking and try again.", "")]
    assert send(client, form(service), total_cents="5000").status_code == 302


def test_a_code_is_applied_before_booking(client: Client) -> None:
    save_discount_code(model=BookingCode, values={"code": "SPRING", "kind": "percentage", "percent": Decimal(10)})
    service = make_service()
    make_staff(service)
    path = form(service)
    applied = send(client, path, discount_code="spring", _apply="1")
    assert applied.status_code == 200
    assert 'value="4500"' in applied.content.decode()
    assert "Dana Reyes" in applied.content.decode()
    assert not Appointment.objects.exists()
    # Not applied, the customer has not seen the price.
    assert "The price has changed to $45.00" in errors(send(client, path, discount_code="spring"))[0][0]
    assert send(client, path, discount_code="spring", total_cents="4500").status_code == 302
    assert Appointment.objects.get().discount_cents == 500


def test_a_wrong_code_is_said_at_its_field(client: Client) -> None:
    service = make_service()
    make_staff(service)
    for changes in ({"_apply": "1"}, {}):
        assert errors(send(client, form(service), discount_code="NOPE", **changes))[0][1] == "booking-discount_code"


def test_a_deposit_leads_to_the_payment_page(client: Client) -> None:
    service = make_service(deposit_cents=2000)
    make_staff(service)
    assert "Continue to payment" in client.get(form(service)).content.decode()
    answer = send(client, form(service))
    made, payment = Appointment.objects.get(), Payment.objects.get()
    assert (made.status, payment.amount_cents, payment.record_id) == ("pending", 2000, made.pk)
    assert answer.headers["Location"].startswith("/payments/")
    shown = client.get(payment.return_path).content.decode()
    assert "Pay the deposit of $20.00" in shown
    page = client.get(answer.headers["Location"], follow=True)
    paid = client.post(page.redirect_chain[-1][0] if page.redirect_chain else answer.headers["Location"], {"decision": "pay"})
    client.get(paid.headers["Location"])
    made.refresh_from_db()
    assert (made.status, made.amount_paid_cents) == ("confirmed", 2000)


def test_approval_is_asked_for(client: Client) -> None:
    service = make_service(requires_approval=True)
    make_staff(service)
    assert "Request appointment" in client.get(form(service)).content.decode()
    answer = send(client, form(service))
    assert Appointment.objects.get().status == "pending"
    assert "We've received your request and will email you" in unescape(client.get(answer.headers["Location"]).content.decode())


def test_a_time_that_was_taken_loses_nothing(client: Client) -> None:
    service = make_service(questions=QUESTIONS)
    staff = make_staff(service)
    path = form(service)
    opened = hidden(client, path)
    make_appointment(service, staff, at(days=3), email="faster@example.com", answers={"name": "Comet"})
    typed = {"name": "Dana Reyes", "email": "dana@example.com", "answer-name": "Blaze", "answer-days": ["Tue"]}
    answer = client.post(path, {**opened, **typed})
    assert answer.status_code == 302
    page = client.get(answer.headers["Location"])
    assert "This time has just been taken. Choose another time. We've kept your details." in unescape(page.content.decode())
    assert page.context["choice"].day == at(days=3).date()
    again = client.get(form(service, days=4))
    for words in ("Dana Reyes", "dana@example.com", "Blaze", 'value="Tue" checked'):
        assert words in again.content.decode()
    assert send(client, form(service, days=4), **{"answer-name": "Blaze"}).status_code == 302
    assert "Blaze" not in client.get(form(service, days=5)).content.decode()


def test_what_was_typed_is_kept_for_an_hour_and_one_service(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    service, other = make_service(), make_service()
    staff = make_staff(service, other)
    opened = hidden(client, form(service))
    make_appointment(service, staff, at(days=3))
    client.post(form(service), {**opened, "name": "Dana Reyes", "email": "dana@example.com"})
    assert "Dana Reyes" not in client.get(form(other, days=4)).content.decode()
    assert "Dana Reyes" in client.get(form(service, days=4)).content.decode()
    later = timezone.now().timestamp() + 3601
    monkeypatch.setattr(drafts.time, "time", lambda: later)
    assert "Dana Reyes" not in client.get(form(service, days=4)).content.decode()


def test_times_that_are_not_on_offer_lead_back(client: Client) -> None:
    service = make_service(days_ahead=10)
    staff, other = make_staff(service), make_staff()
    for path in (form(service, days=20), form(service, days=-2), form(service, start="x"), form(service, staff=other.pk)):
        answer = client.get(path)
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith(f"/booking/services/{service.slug}?")
    save_staff(staff=staff, values={"is_visible": False})
    assert client.get(form(service)).status_code == 404


def test_somebody_who_is_hidden_meanwhile_loses_the_customer_nothing(client: Client) -> None:
    service = make_service()
    staff, _ = make_staff(service), make_staff(service)
    path = form(service, staff=staff.pk)
    opened = hidden(client, path)
    save_staff(staff=staff, values={"is_visible": False})
    answer = client.post(path, {**opened, "name": "Dana Reyes", "email": "dana@example.com"}, follow=True)
    assert f"{TAKEN} {KEPT}" in unescape(answer.content.decode())
    assert "Dana Reyes" in client.get(form(service)).content.decode()
    assert not Appointment.objects.exists()


@pytest.mark.parametrize(
    "take_away",
    [
        lambda service: save_service(service=service, values={"is_visible": False}),
        lambda service: delete_service(service=service),
        lambda service: save_staff(staff=Staff.objects.get(), values={"is_visible": False}),
    ],
    ids=["hidden", "deleted", "nobody offers it"],
)
def test_a_form_for_a_service_that_is_gone_says_so(take_away: Callable[[Service], Any], client: Client) -> None:
    service = make_service()
    make_staff(service)
    opened = hidden(client, form(service))
    take_away(service)
    answer = client.post(form(service), {**opened, "name": "Dana Reyes", "email": "dana@example.com"})
    assert answer.status_code == 404
    assert "This service can't be booked any more" in unescape(answer.content.decode())
    assert 'href="/booking"' in answer.content.decode()
    assert "Page not found" in client.get(form(service)).content.decode()
    assert not Appointment.objects.exists()


@pytest.mark.both_databases
def test_a_service_that_is_deleted_while_it_is_booked_is_refused() -> None:
    service = make_service()
    make_staff(service)
    delete_service(service=Service.objects.get())
    with pytest.raises(Invalid) as refusal:
        book_appointment(service=service, starts_at=at(days=3), values=customer())
    assert refusal.value.errors == {"service": ["This service can't be booked online."]}


@pytest.mark.both_databases
def test_somebody_who_is_deleted_while_they_are_booked_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    service = make_service()
    make_staff(service)

    def find_before_they_are_deleted(service: Service) -> list[Staff]:
        found = list(all_staff_for(service))
        Staff.objects.all().delete()
        return found

    monkeypatch.setattr("commerce.booking.services.booking.all_staff_for", find_before_they_are_deleted)
    with pytest.raises(Invalid) as refusal:
        book_appointment(service=service, starts_at=at(days=3), values=customer(), by_staff=True)
    assert refusal.value.errors == {"starts_at": [TAKEN]}


def test_an_account_is_known(client: Client) -> None:
    mia = create_member(email="mia@example.com", password=PASSWORD, name="Mia Sand")
    client.force_login(mia)
    service = make_service()
    make_staff(service)
    page = client.get(form(service)).content.decode()
    assert "Mia Sand" in page
    assert "mia@example.com" in page
    send(client, form(service))
    assert Appointment.objects.get().user == mia


def test_one_address_books_so_many_times_an_hour(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert BOOKINGS_PER_HOUR == 20
    most = 4
    monkeypatch.setattr("commerce.booking.views.book.BOOKINGS_PER_HOUR", most)
    service = make_service(capacity=100)
    make_staff(service)
    opened = hidden(client, form(service))
    sent = {**opened, "name": "Dana Reyes"}
    answers = [client.post(form(service), {**sent, "email": f"{n}@example.com"}).status_code for n in range(most + 2)]
    assert set(answers) <= {302, 422, 429}
    assert Appointment.objects.count() <= most
    assert answers[0] == 302
    assert 302 not in answers[-2:]


def test_codes_cannot_be_found_by_trying(client: Client) -> None:
    service = make_service()
    make_staff(service)
    save_discount_code(model=BookingCode, values={"code": "SPRING", "kind": "percentage", "percent": Decimal(10)})
    wrong = [client.post(form(service), {"discount_code": f"guess{number}", "_apply": "1"}).status_code for number in range(22)]
    assert wrong[-2:] == [429] * 2
    assert 429 not in wrong[:-2]
    refused = client.post(form(service), {"discount_code": "spring", "_apply": "1"})
    assert is_refused_for(refused, 3600)
    assert "SPRING" not in refused.content.decode()


def test_a_cancelled_time_can_be_booked_again(client: Client) -> None:
    service = make_service()
    staff = make_staff(service)
    cancel_appointment(appointment=make_appointment(service, staff, at(days=3)))
    assert send(client, form(service)).status_code == 302


def twice(client: Client, path: str, **changes: Any) -> list[str]:
    """Send one form twice; return where the two answers lead to."""
    sent = {**hidden(client, path), "name": "Dana Reyes", "email": "dana@example.com", **changes}
    return [client.post(path, sent).headers["Location"] for _ in range(2)]


@pytest.mark.parametrize(("capacity", "people"), [(1, 2), (5, 1), (1, 1)])
def test_a_form_that_is_sent_twice_books_once(client: Client, capacity: int, people: int) -> None:
    """Also where the second one could have had somebody else, or another seat of the class."""
    service = make_service(capacity=capacity)
    for _ in range(people):
        make_staff(service)
    first, second = twice(client, form(service))
    assert (Appointment.objects.count(), first == second, "/booking/" in first) == (1, True, True)
    assert OutgoingMail.objects.filter(template="booking_confirmed").count() == 1


def test_the_same_form_for_somebody_else_is_another_booking(client: Client) -> None:
    service = make_service(capacity=5)
    make_staff(service)
    path = form(service)
    sent = {**hidden(client, path), "email": "dana@example.com"}
    for name in ("Kim Reyes", "Robin Reyes"):
        client.post(path, {**sent, "name": name})
    assert Appointment.objects.count() == 2


def test_a_form_can_be_sent_again_after_its_appointment_was_cancelled(client: Client) -> None:
    service = make_service()
    make_staff(service)
    path = form(service)
    sent = {**hidden(client, path), "name": "Dana Reyes", "email": "dana@example.com"}
    client.post(path, sent)
    cancel_appointment(appointment=Appointment.objects.get())
    client.post(path, sent)
    assert list(Appointment.objects.order_by("pk").values_list("status", flat=True)) == ["cancelled", "confirmed"]
