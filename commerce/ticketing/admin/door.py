"""The door: codes are typed or scanned and answered, people who have arrived are counted, and the list is printed."""

import secrets
from collections.abc import Iterable, Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.views.decorators.cache import never_cache
from django.views.generic import TemplateView, View
from wagtail.admin.utils import set_query_params

from cms_api.adminkit.pages import RecordsPage
from cms_api.flags.selectors import site_formats

from ..models import AttendeeTicket
from ..resources.documents import space_out
from ..resources.mails import start_words
from ..selectors.events import coming_dates
from ..selectors.orders import counts_by_hour, counts_by_type, door_list
from ..services.checking_in import scan_code
from ..types.orders import TicketStatus
from .dates import OfDate
from .verdicts import CAREFUL, Verdict, verdict_of

#: The header of requests of the script, and of their answers: anything else, such as a sign-in form, is no verdict.
PART = "X-Door"
#: Other pages of the admin have no camera.
POLICY = "camera=(self), browsing-topics=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), usb=()"
#: Characters of a code that are read.
MAX_TYPED_CHARACTERS = 200
#: Dates that the page without an event offers.
SHOWN_DATES = 24
#: Tickets that are read, and sent, at once.
CHUNK_TICKETS = 1000


class DoorsView(RecordsPage, TemplateView):
    """The next dates, to choose whose door it is."""

    template_name = "ticketing_admin/doors.html"
    page_title = "Door"
    header_icon = "success"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        dates = [
            {
                "title": row.title,
                "when": start_words(start),
                "url": set_query_params(reverse("attendees:door", args=[row.owner_id or row.pk]), {"start": start}),
            }
            for row, start in coming_dates(SHOWN_DATES)
        ]
        return super().get_context_data(**kwargs, dates=dates)


@method_decorator(never_cache, name="dispatch")
class DoorView(OfDate, RecordsPage, TemplateView):
    """Checks tickets in. A code is posted, and answered with the whole page, or to the script with its part that changes.

    A page that is sent again has the same nonce, and gets the same answer.
    """

    http_method_names = ("get", "head", "post")
    template_name = "ticketing_admin/door.html"
    header_icon = "success"

    def get_page_title(self) -> str:
        return "Door"

    def get_page_subtitle(self) -> str:
        return str(self.event)

    def parents(self) -> list[dict[str, Any]]:
        return [{"url": reverse("attendees:doors"), "label": "Door"}]

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._answer(None)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        code, nonce = (_printable(request.POST.get(name, "")[:MAX_TYPED_CHARACTERS]) for name in ("code", "nonce"))
        if not code:
            return self._answer(Verdict(CAREFUL, "Enter a code"))
        found = scan_code(event_id=self.event.pk, start=self.start, code=code, nonce=nonce or None, user=request.user)
        return self._answer(verdict_of(found, code))

    def _answer(self, verdict: Verdict | None) -> HttpResponse:
        if PART in self.request.headers:
            response = render(self.request, "ticketing_admin/door_part.html", self._part(verdict))
            response[PART] = "part"
        else:
            response = self.render_to_response(self.get_context_data(verdict=verdict))
        response["Permissions-Policy"] = POLICY
        return response

    def _part(self, verdict: Verdict | None) -> dict[str, Any]:
        types = counts_by_type(self.event.pk, self.start)
        formats = site_formats()
        return {
            "verdict": verdict,
            "here": set_query_params(self.request.path, {"start": self.start}),
            "types": types,
            "arrived": sum(row["checked_in"] for row in types),
            "sold": sum(row["sold"] for row in types),
            "hours": [(formats.time(hour), number) for hour, number in counts_by_hour(self.event.pk, self.start)],
        }

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        asked = {"start": self.start}
        attendees = {"event": self.event.pk, **asked}
        links = {
            "list_url": set_query_params(reverse("attendees:door_list", args=[self.event.pk]), asked),
            "csv_url": set_query_params(reverse("attendees:index"), {**attendees, "status": "admits", "export": "csv"}),
            "attendees_url": set_query_params(reverse("attendees:index"), attendees),
            "message_url": set_query_params(reverse("attendees:message", args=[self.event.pk]), asked),
        }
        part = self._part(kwargs.pop("verdict", None))
        return super().get_context_data(**kwargs, **part, **self.date_context(), **links, nonce=secrets.token_urlsafe(16))


class DoorListView(OfDate, RecordsPage, View):
    """The attendees of a date on paper: a page that is sent while it is read, as there may be many of them."""

    permission_required = "view"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> StreamingHttpResponse:
        context = {**self.date_context(), "sold": door_list(self.event.pk, self.start).count()}
        head, foot = render_to_string("ticketing_admin/door_list.html", context, request).split("<!-- rows -->")
        rows = door_list(self.event.pk, self.start).iterator(chunk_size=CHUNK_TICKETS)
        return StreamingHttpResponse(_stream(head, rows, foot))


def _stream(head: str, tickets: Iterable[AttendeeTicket], foot: str) -> Iterator[str]:
    yield head
    rows: list[str] = []
    for ticket in tickets:
        box = "☑" if ticket.status == TicketStatus.CHECKED_IN else "☐"
        rows.append(
            format_html(
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                ticket.attendee,
                ticket.type_name,
                space_out(ticket.code),
                box,
            )
        )
        if len(rows) == CHUNK_TICKETS:
            yield "".join(rows)
            rows = []
    yield "".join(rows) + foot


def _printable(text: str) -> str:
    return "".join(each for each in text if each.isprintable()).strip()
