"""Every download, asked of the real web server: whole, in part, as HEAD, once more, and of a record that is not there."""

import inspect
import io
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.forms.models import Attachment, Submission
from cms_api.gateway.serving.listener import listen
from cms_api.media.models import MediaFile
from commerce.booking.models import Appointment, Staff
from commerce.booking.selectors.appointments import MANAGE_LINK
from commerce.donations.admin.documents import paid_year
from commerce.donations.models import Donation
from commerce.donations.selectors.donations import DONATION_LINK
from commerce.donations.selectors.donations import MANAGE_LINK as RECURRING_LINK
from commerce.imports.models import ImportRun
from commerce.invoicing.models import Client as InvoiceClient
from commerce.invoicing.models import CreditNote, Invoice
from commerce.invoicing.selectors.invoices import INVOICE_LINK
from commerce.payments.models import Payment
from commerce.projects.models import ProjectFile
from commerce.projects.selectors import PROJECT_LINK
from commerce.shop.models import Order
from commerce.shop.selectors.downloads import files_of
from commerce.shop.selectors.orders import ORDER_LINK
from commerce.support.models import Attachment as TicketFile
from commerce.support.models import Message, ReceivedMail
from commerce.support.resources.pages import ticket_path
from commerce.ticketing.models import AttendeeTicket
from commerce.ticketing.selectors.orders import ORDER_LINK as TICKETS_LINK
from commerce.ticketing.selectors.orders import TICKET_LINK
from tests import people
from tests.features import switch_all_on
from tests.serving import ROOT, Answer, request

pytestmark = [pytest.mark.once, pytest.mark.django_db(transaction=True)]

#: Calls with which views answer a download.
CALLS = re.compile(r"\b(download|document|pdf_response|_pdf|_csv_response|answer_file|StreamingHttpResponse)\(|=_?MEDIA_TYPE\b")
#: Seconds that the server may take to start.
START_SECONDS = 60
#: Headers of every answer.
OURS = ("X-Request-Id", "X-Content-Type-Options", "Content-Security-Policy", "Referrer-Policy", "Permissions-Policy")
CONTENT = b"%PDF-1.7 " + bytes(range(256))


@dataclass(frozen=True)
class Download:
    """A download among the records of the demo, and what is the same without a record."""

    path: str
    missing: str = ""
    #: The content of a stored file, which is served in parts too.
    content: bytes = b""


def _files() -> Iterator[tuple[str, Any]]:
    """Yield the stored files that staff download."""
    submission, message = Submission.objects.all()[0], Message.objects.filter(is_internal=False)[0]
    stored = {"filename": "Lebenslauf März.pdf", "size": len(CONTENT)}
    yield "form_submissions:attachment", Attachment.objects.create(submission=submission, key="cv", file=_upload(), **stored)
    yield "projects:file", ProjectFile.objects.all()[0]
    yield "support_tickets:file", TicketFile.objects.create(message=message, file=_upload(), **stored)
    arrived = {"digest": "1", "outcome": "reply", "ticket": message.ticket, "size": len(CONTENT), "received_at": timezone.now()}
    mail = ReceivedMail.objects.create(original=_upload(), **arrived)
    for name in ("support_tickets:original", "support_mails:original"):
        yield name, mail


def _documents() -> Iterator[tuple[str, Any]]:
    """Yield the records whose documents staff open."""
    issued = Invoice.objects.exclude(number=None)
    yield "invoices:pdf", issued.filter(kind="invoice")[0]
    yield "estimates:pdf", issued.filter(kind="estimate")[0]
    yield "invoices:credit_note", CreditNote.objects.all()[0]
    yield "invoices:receipt", _payment()
    for name in ("orders:receipt", "orders:packing_slip"):
        yield name, Order.objects.exclude(paid_at=None)[0]
    for name in ("donations:receipt", "donations:statement"):
        yield name, Donation.objects.exclude(paid_at=None)[0]
    yield "attendees:door_list", _sold_ticket().event


def _linked() -> Iterator[tuple[str, list[Any], bytes]]:
    """Yield the downloads behind links: the arguments of the URL, whose first is the secret, and the content of a file."""
    shared = ProjectFile.objects.filter(is_public=True)[0]
    yield "project_file", [PROJECT_LINK.token(shared.project), shared.pk], _content_of(shared.file)
    sold = next(order for order in Order.objects.all() if files_of(order))
    item, file = files_of(sold)[0]
    yield "shop_download", [ORDER_LINK.token(sold), item.pk, file.pk], _content_of(file.file)
    yield "shop_receipt", [ORDER_LINK.token(sold)], b""
    attached = TicketFile.objects.filter(message__is_internal=False)[0]
    yield "support_file", [ticket_path(attached.message.ticket).split("/")[3], attached.pk], CONTENT
    payment, note = _payment(), CreditNote.objects.all()[0]
    invoice = INVOICE_LINK.token(Invoice.objects.get(pk=payment.record_id))
    yield "invoicing_pdf", [invoice], b""
    yield "invoicing_receipt", [invoice, payment.pk], b""
    yield "invoicing_credit_note", [INVOICE_LINK.token(note.invoice), note.number], b""
    donation = Donation.objects.exclude(paid_at=None).exclude(recurring=None)[0]
    yield "donation_receipt", [DONATION_LINK.token(donation)], b""
    yield "recurring_statement_pdf", [RECURRING_LINK.token(donation.recurring), paid_year(donation)], b""
    ticket = _sold_ticket()
    yield "tickets_pdf", [TICKETS_LINK.token(ticket.order)], b""
    yield "ticket_pdf", [TICKET_LINK.token(ticket)], b""
    yield "booking_calendar_file", [MANAGE_LINK.token(Appointment.objects.filter(status="confirmed")[0])], b""
    yield "booking_staff_feed", [Staff.objects.all()[0].feed_key], b""


def _others(alice: Any) -> Iterator[tuple[str, Download]]:
    """Yield the downloads of pages, and those that belong to no record."""
    media = MediaFile.objects.all()[0]
    yield "^media/(?P<path>.+)$", Download(media.file.url, "/media/2026/01/nothing.pdf", _content_of(media.file))
    event = ContentItem.objects.filter(type__slug="events", status="published", owner=None)[0]
    yield "calendar_feed", Download("/calendar/events.ics", "/calendar/nothing.ics")
    yield "calendar_file", Download(f"/calendar/events/{event.slug}.ics", "/calendar/events/nothing.ics")
    for name, kind in (("imports:sample", "contacts"), ("analytics:table", "pages")):
        yield name, Download(reverse(name, args=[kind]), reverse(name, args=["nothing"]))
    run = ImportRun.objects.create(
        kind="contacts", filename="Zürich.csv", header=["Email"], user=alice, created_at=timezone.now()
    )
    yield "imports:refused", Download(reverse("imports:refused", args=[run.pk]), reverse("imports:refused", args=[10**6]))
    statement = (
        f"{reverse('clients:statement', args=[InvoiceClient.objects.all()[0].pk])}?first=2020-01-01&last=2030-01-01&format="
    )
    yield "clients:statement", Download(f"{statement}pdf", reverse("clients:statement", args=[10**6]))
    yield "clients:statement", Download(f"{statement}csv")
    donation = Donation.objects.exclude(paid_at=None)[0]
    EmailAddress.objects.create(user=alice, email=donation.email, verified=True, primary=True)
    year = paid_year(donation)
    yield "donations_account_statement", Download(*(reverse("donations_account_statement", args=[each]) for each in (year, 1999)))


def _downloads(alice: Any) -> Iterator[tuple[str, Download]]:
    """Yield every download with the name of its URL."""
    for name, record in _files():
        content = _content_of(record.original if isinstance(record, ReceivedMail) else record.file)
        yield name, Download(reverse(name, args=[record.pk]), reverse(name, args=[10**6]), content)
    for name, record in _documents():
        yield name, Download(reverse(name, args=[record.pk]), reverse(name, args=[10**6]))
    for name, given, content in _linked():
        forged = given[0][:-1] + ("A" if given[0][-1] != "A" else "B")
        yield name, Download(reverse(name, args=given), reverse(name, args=[forged, *given[1:]]), content)
    yield from _others(alice)


def _payment() -> Payment:
    return Payment.objects.filter(payable="invoice", status="succeeded", unapplied="")[0]


def _sold_ticket() -> AttendeeTicket:
    return AttendeeTicket.objects.filter(status="valid", order__status="paid").select_related("order")[0]


def _upload() -> ContentFile:
    return ContentFile(CONTENT, "upload")


def _content_of(file: Any) -> bytes:
    with file.open("rb") as stored:
        return bytes(stored.read())


def _declared() -> set[str]:
    """Return the name of every URL whose view answers a download, as its source tells."""
    return {name for name, view in _views(get_resolver()) if any(CALLS.search(source) for source in _sources(view))}


def _views(resolver: Any, spaces: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for pattern in resolver.url_patterns:
        if hasattr(pattern, "url_patterns"):
            yield from _views(pattern, (*spaces, pattern.namespace) if pattern.namespace else spaces)
        else:
            yield ":".join((*spaces, pattern.name or str(pattern.pattern))), inspect.unwrap(pattern.callback)


def _sources(view: Any) -> Iterator[str]:
    """Yield the source of a view, and of its classes: those made for one viewset have none of their own."""
    for part in view.view_class.__mro__ if hasattr(view, "view_class") else (view,):
        if part.__module__.partition(".")[0] in {"cms_api", "commerce", "events", "home"}:
            with suppress(OSError, TypeError):
                yield inspect.getsource(part)


@pytest.fixture
def demo() -> Any:
    switch_all_on()
    call_command("load_demo", stdout=io.StringIO())
    return people.alice()


@pytest.fixture
def port(demo: Any) -> Iterator[int]:
    """The port of the web server, which serves the database, media and private files of this test."""
    with listen("127.0.0.1", 0) as listener:
        variables = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings.dev",
            "SECRET_KEY": settings.SECRET_KEY,
            "VAR_DIR": str(settings.VAR_DIR),
            "MEDIA_ROOT": str(settings.MEDIA_ROOT),
            "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}",
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'site'}",
        }
        command = [sys.executable, "-m", "cms_api.gateway.serving.server", str(listener.fileno())]
        process = subprocess.Popen(command, cwd=ROOT, env=variables, pass_fds=[listener.fileno()])
        number = listener.getsockname()[1]
    try:
        assert request(number, "GET", "/healthz", timeout=START_SECONDS).status == 200
        yield number
    finally:
        process.terminate()
        process.wait(START_SECONDS)


def test_all_are_served(port: int, demo: Any, sign_in: Callable[[Any], Client], subtests: Any) -> None:
    cookie = f"sessionid={sign_in(demo).cookies['sessionid'].value}"
    seen = set()
    for name, each in _downloads(demo):
        seen.add(name)
        with subtests.test(name):
            _check(lambda path, method="GET", **headers: request(port, method, path, Cookie=cookie, **headers), each)
    assert seen == _declared()


def _check(ask: Callable[..., Answer], each: Download) -> None:
    whole = ask(each.path)
    assert (whole.status, bool(whole.body)) == (200, True)
    assert not each.content or whole.body == each.content
    answers = [whole, ask(each.path, "HEAD")]
    assert (answers[1].status, answers[1].body) == (200, b"")
    for name in ("Content-Type", "Content-Disposition", "Cache-Control"):
        assert answers[1].headers.get(name) == whole.headers.get(name)
    if each.content:
        size = len(each.content)
        for asked, first, end in (("bytes=0-4", 0, 5), ("bytes=2-", 2, size), ("bytes=-3", size - 3, size)):
            part = ask(each.path, Range=asked)
            assert (part.status, part.body) == (206, each.content[first:end])
            assert part.headers["Content-Range"] == f"bytes {first}-{end - 1}/{size}"
            answers.append(part)
        answers.append(ask(each.path, Range=f"bytes={size}-"))
        assert (answers[-1].status, answers[-1].headers["Content-Range"]) == (416, f"bytes */{size}")
    if tag := whole.headers.get("ETag"):
        answers.append(ask(each.path, If_None_Match=tag))
        assert (answers[-1].status, answers[-1].body) == (304, b"")
    if each.missing:
        answers.append(ask(each.missing))
        assert (answers[-1].status, answers[-1].headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    for answer in answers:
        assert [name for name in OURS if name not in answer.headers] == []
