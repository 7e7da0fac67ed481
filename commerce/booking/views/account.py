"""The appointments of an account."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from commerce.common.selectors import format_money
from commerce.common.views import account_records

from ..models import Appointment
from ..resources.pages import status_text
from ..selectors.appointments import MANAGE_LINK, appointments_of


@login_required
@require_safe
def account_bookings(request: HttpRequest) -> HttpResponse:
    """The appointments of the signed-in visitor, newest first. Their days are those of the customer's clock."""

    def row(appointment: Appointment) -> tuple[Any, ...]:
        amount = format_money(appointment.total) if appointment.total_cents else "Free"
        status = status_text(appointment)
        return appointment.service_name, MANAGE_LINK.path(appointment), appointment.local_start.date(), amount, status

    return account_records(request, "booking/account_bookings.html", appointments_of(request.user), row)
