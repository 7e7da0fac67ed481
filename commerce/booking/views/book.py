"""Booking a chosen time: one page that works without scripts."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from cms_api.auth.selectors import client_ip
from cms_api.auth.services import visitors
from cms_api.auth.services.guesses import guess
from cms_api.core.errors import TooManyAttempts
from cms_api.forms.services.answering import Refused, answer_form, digest_of, stamp_of
from cms_api.forms.types.inputs import FLOOD_NOTICE, read_inputs, show_inputs
from cms_api.http.query import whole_number
from commerce.common.selectors import find_discount_code
from commerce.common.services.discounts import CODES
from commerce.common.types import MAX_PHONE
from commerce.common.views import NO_ERRORS, CodeForm, VisitorForm, add_refusals, answer_gone, errors_of, known_visitor
from commerce.payments.views import redirect_to_payment

from ..models import Appointment, BookingCode, Service, Staff
from ..resources import mails, pages, sums
from ..selectors.appointments import MANAGE_LINK
from ..selectors.availability import openings
from ..selectors.pricing import quote
from ..selectors.services import offered_service, staff_for
from ..services import book_appointment
from ..services.booking import read_customer
from ..services.slots import TAKEN
from ..types.appointments import MAX_NOTES, PAYABLE
from ..types.choice import read_start
from . import drafts
from .zones import PARAMETER, zone_of

PURPOSE = "booking"
#: Bookings, and codes that are tried out, of one address in an hour.
BOOKINGS_PER_HOUR = 20
#: The button that only calculates the price.
APPLY = "_apply"
#: The names of inputs for questions begin with this, so that no question has the name of another input.
ANSWER = "answer-"
ROBOT_NOTICE = "We couldn't process this booking. Wait a moment and try again."
KEPT = "We've kept your details."
GONE = "This service can't be booked any more"
BOOKED = "Thank you! Your appointment is confirmed."
REQUESTED = "Thank you! We've received your request and will email you when it's confirmed."


class BookingForm(VisitorForm):
    phone = forms.CharField(
        max_length=MAX_PHONE,
        required=False,
        label="Your phone number",
        widget=forms.TextInput({"type": "tel", "autocomplete": "tel", "class": "form__input--phone"}),
    )
    notes = forms.CharField(max_length=MAX_NOTES, required=False, widget=forms.Textarea({"rows": 6}))


class Booking:
    """The time that a request asks for, and the input so far."""

    def __init__(self, request: HttpRequest, service: Service) -> None:
        self.request, self.service, self.zone = request, service, zone_of(request)
        self.offered = list(staff_for(service))
        text = request.GET.get("staff", "")
        self.staff = next((each for each in self.offered if each.pk == whole_number(text)), None)
        #: A member of staff is asked for who cannot be booked.
        self.is_lost = bool(text) and self.staff is None
        self.start = read_start(request.GET.get("start", ""), now=timezone.now())
        sent = request.POST if request.method == "POST" else drafts.take(request, service)
        self.form = BookingForm(known_visitor(request) if sent is None else sent, auto_id="booking-%s")
        if not self.form.is_valid() and (request.method != "POST" or APPLY in request.POST):
            # It is not sent yet, and shown as it is.
            self.form.errors.clear()
        self.answers = read_inputs(service.schema, sent, prefix=ANSWER) if sent is not None else None
        self.code = "" if sent is None else sent.get("discount_code", "").strip()

    @property
    def wanted(self) -> Sequence[Staff]:
        return self.offered if self.staff is None else [self.staff]

    @property
    def is_free(self) -> bool:
        if self.start is None or self.is_lost:
            return False
        return bool(openings(self.service, self.wanted, self.start, self.start + timedelta(seconds=1)))

    @property
    def when(self) -> str:
        return mails.time_in(self.start, self.zone.zone) if self.start else ""

    @property
    def back(self) -> str:
        """Return the path of the page with the times, at the day of this one."""
        query: dict[str, Any] = {"staff": self.staff.pk} if self.staff else {}
        if self.start is not None:
            query["day"] = self.start.astimezone(self.zone.zone).date().isoformat()
        if self.zone.is_named:
            query[PARAMETER] = self.zone.zone.key
        return f"{pages.service_path(self.service)}?{urlencode(query)}#times"

    def values(self) -> dict[str, Any]:
        """Return the values that `book_appointment` takes."""
        total = self.request.POST.get("total_cents", "")
        # Anything but a number is refused like another price.
        agreed = -1 if (number := whole_number(total)) is None else number
        typed = {**self.form.cleaned_data, "discount_code": self.code, "answers": self.answers}
        return {**typed, "timezone": self.zone.zone.key, "total_cents": agreed}


@cache_control(private=True, no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
def book(request: HttpRequest, slug: str) -> HttpResponse:
    """The form about the customer. A time that is not free leads back to the others."""
    service = offered_service(slug)
    if service is None:
        return answer_gone(request, GONE, others="View all services", path=reverse("booking"))
    booking = Booking(request, service)
    if booking.is_lost and booking.start is not None and request.method == "POST":
        return _choose_again(booking)
    if booking.start is None or booking.is_lost:
        return redirect(booking.back)
    try:
        if booking.code:
            guess(CODES, address=client_ip(request), target=PURPOSE, check=lambda: find_discount_code(BookingCode, booking.code))
        if request.method == "POST" and APPLY not in request.POST:
            return _receive(booking, booking.start)
    except TooManyAttempts as refusal:
        booking.code = ""
        response = _show(booking, notice=FLOOD_NOTICE, status=429)
        response.headers["Retry-After"] = refusal.headers["Retry-After"]
        return response
    return booking.zone.remember(_show(booking)) if booking.is_free else _choose_again(booking)


def _receive(booking: Booking, start: datetime) -> HttpResponse:
    request, values = booking.request, booking.values()

    def carry_out(visit: visitors.Visit) -> HttpResponse:
        # Mistakes cost nothing of the budget, and those in the answers are shown with the others.
        read_customer(booking.service, values)
        if not booking.form.is_valid():
            raise Refused
        if visitors.judge(purpose=PURPOSE, visit=visit, texts=[values["notes"]]):
            raise Refused(ROBOT_NOTICE)
        visitors.limit(purpose=f"{PURPOSE}:made", address=visit.address, an_hour=BOOKINGS_PER_HOUR)
        made = book_appointment(
            service=booking.service,
            starts_at=start,
            staff=booking.staff,
            values=values,
            user=request.user,
            network=visitors.network_key(visit.address),
            form_key=digest_of(request),
        )
        drafts.drop(request)
        return _lead_on(request, made)

    def show(*, errors: Mapping[str, Sequence[str]], notice: str, status: int) -> HttpResponse:
        if "starts_at" in errors or "staff" in errors:
            return _choose_again(booking)
        return _show(booking, errors=errors, notice=notice, status=status)

    return answer_form(request, carry_out=carry_out, show=show, is_known=True)


def _lead_on(request: HttpRequest, appointment: Appointment) -> HttpResponse:
    page = MANAGE_LINK.path(appointment)
    if appointment.deposit_due_cents:
        return redirect_to_payment(request, payable=PAYABLE, record_id=appointment.pk, back=page)
    messages.success(request, REQUESTED if appointment.is_pending else BOOKED)
    return redirect(page)


def _choose_again(booking: Booking) -> HttpResponse:
    """Lead to the other times; what was typed is there again when one of them is chosen."""
    kept = booking.request.method == "POST"
    if kept:
        drafts.keep(booking.request, booking.service)
    messages.error(booking.request, f"{TAKEN} {KEPT}" if kept else TAKEN)
    return redirect(booking.back)


def _show(
    booking: Booking, *, errors: Mapping[str, Sequence[str]] = NO_ERRORS, notice: str = "", status: int = 200
) -> HttpResponse:
    service, form = booking.service, booking.form
    priced, code = quote(service, booking.code), CodeForm({"discount_code": booking.code}, auto_id="booking-%s")
    answers, listed = show_inputs(service.schema, booking.answers, errors, id_prefix="answer", prefix=ANSWER)
    own = {path: found for path, found in errors.items() if not path.startswith("data.")}
    if priced.code_problem:
        own.setdefault("discount_code", [priced.code_problem])
    add_refusals(form, {path: found for path, found in own.items() if path in form.fields})
    add_refusals(code, {path: found for path, found in own.items() if path not in form.fields})
    wrong = [*errors_of(form), *listed, *errors_of(code)]
    context = {
        "booking": booking,
        "service": service,
        "facts": pages.facts_of(service),
        "form": form,
        "questions": answers,
        "code": code,
        "errors": wrong,
        "notice": notice,
        "sums": sums.of_price(priced.price),
        "total_cents": priced.price.total_cents,
        "deposit_cents": priced.price.deposit_cents,
        "can_book": pages.can_be_paid(service) or not priced.price.deposit_cents,
        # After a mistake, the form keeps the stamp of when it was first shown.
        "stamp": stamp_of(booking.request, PURPOSE, notice=notice),
    }
    return render(booking.request, "booking/book.html", context, status=422 if wrong and status == 200 else status)
