"""An appointment's page, found by the signed link in emails, and what its customer can do with it. A GET changes nothing."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from cms_api.core.errors import Invalid
from cms_api.http.downloads import document
from commerce.common.selectors import format_money
from commerce.common.types.money import Money
from commerce.payments.selectors import payment_refusal, received_words
from commerce.payments.views import redirect_to_payment

from ..models import Appointment
from ..resources import calendars, mails, pages, sums
from ..selectors.appointments import MANAGE_LINK, can_change
from ..selectors.services import staff_for
from ..services import cancel_appointment, reschedule_appointment
from ..services.paying import APPOINTMENTS, amount_due
from ..types.appointments import PAYABLE
from ..types.choice import read_start
from .choosing import Choice
from .zones import PARAMETER, zone_of

#: For views whose URL has the token of an appointment.
_of_appointment = MANAGE_LINK.opening(lambda: Appointment.objects.select_related("service", "staff", "slot"))


@require_safe
@_of_appointment
def show(request: HttpRequest, appointment: Appointment) -> HttpResponse:
    due, received = amount_due(appointment), received_words(PAYABLE, appointment.pk)
    shown = {
        **_summary(appointment),
        "status": pages.status_text(appointment),
        "sums": sums.of_appointment(appointment),
        "can_change": can_change(appointment),
        "due": format_money(Money(due, appointment.currency)) if due else "",
        "received": received,
        "can_pay": bool(due) and not received and not payment_refusal(Money(due, appointment.currency)),
    }
    return render(request, "booking/appointment.html", shown)


@require_safe
@_of_appointment
def calendar_file(request: HttpRequest, appointment: Appointment) -> HttpResponse:
    """The appointment as a file for calendars, while it takes place."""
    if not appointment.is_active:
        raise Http404
    content = calendars.calendar_file(appointment)
    return document(content, name="appointment.ics", content_type=calendars.MEDIA_TYPE, is_attachment=True)


@require_POST
@_of_appointment
def pay(request: HttpRequest, appointment: Appointment) -> HttpResponse:
    """Leads to the payment page of what is due: the deposit, or the balance."""
    page = MANAGE_LINK.path(appointment)
    if not amount_due(appointment):
        messages.error(request, APPOINTMENTS.not_due)
        return redirect(page)
    return redirect_to_payment(request, payable=PAYABLE, record_id=appointment.pk, back=page)


@require_http_methods(["GET", "HEAD", "POST"])
@_of_appointment
def cancel(request: HttpRequest, appointment: Appointment) -> HttpResponse:
    """Asks for confirmation, then cancels."""
    page = MANAGE_LINK.path(appointment)
    if request.method == "POST":
        try:
            seen = seen_paid_cents(request, appointment)
            if cancel_appointment(appointment=appointment, by_customer=True, seen_paid_cents=seen):
                messages.success(request, "Your appointment has been cancelled. We've emailed you a confirmation.")
        except Invalid as refusal:
            messages.error(request, refusal.message)
        return redirect(page)
    if not can_change(appointment):
        return redirect(page)
    return render(request, "booking/cancel.html", _summary(appointment))


@require_http_methods(["GET", "HEAD", "POST"])
@_of_appointment
def reschedule(request: HttpRequest, appointment: Appointment) -> HttpResponse:
    """Shows the times of the same member of staff; a chosen one is confirmed, and then moved to."""
    page = MANAGE_LINK.path(appointment)
    if not can_change(appointment):
        return redirect(page)
    zone = zone_of(request, appointment.zone)
    start = read_start(request.GET.get("start", ""), now=timezone.now())
    if request.method == "POST" and start:
        try:
            reschedule_appointment(appointment=appointment, starts_at=start, timezone_name=zone.zone.key, by_customer=True)
        except Invalid as refusal:
            messages.error(request, refusal.message)
            return redirect(f"{request.path}?{urlencode({PARAMETER: zone.zone.key})}")
        messages.success(request, "Your appointment has been rescheduled. We've emailed you the new time.")
        return redirect(page)
    if start:
        shown = {**_summary(appointment), "new_time": mails.time_in(start, zone.zone)}
        return render(request, "booking/reschedule_confirm.html", shown)
    staff = list(staff_for(appointment.service).filter(pk=appointment.staff_id))
    choice = Choice(request, appointment.service, staff, zone, times_path=request.path, moving=appointment.slot)
    return render(request, "booking/reschedule.html", {**_summary(appointment), "choice": choice})


def seen_paid_cents(request: HttpRequest, appointment: Appointment) -> int:
    """Return how much had been paid when the form was shown, in minor units; by default, what has been paid by now."""
    text = request.POST.get("paid_cents", "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else appointment.amount_paid_cents


def _summary(appointment: Appointment) -> dict[str, Any]:
    """Return what all pages say of an appointment, and the addresses of the others."""
    token = MANAGE_LINK.token(appointment)
    views = ("cancel", "reschedule", "pay", "calendar_file")
    return {
        "appointment": appointment,
        "page": MANAGE_LINK.path(appointment),
        "paths": {view: reverse(f"booking_{view}", args=[token]) for view in views},
        "when": mails.customer_time(appointment),
        "duration": pages.duration_text(appointment.duration_minutes),
        "paid": format_money(Money(appointment.amount_paid_cents, appointment.currency)) if appointment.amount_paid_cents else "",
    }
