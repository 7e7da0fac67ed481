"""Several hundred emails as they really arrive: each becomes the right message, none is lost, and none is answered twice."""

import re
import time
from collections import Counter

import pytest
from django.db import connection, transaction

from commerce.support.models import Attachment, Message, ReceivedMail, Ticket
from commerce.support.services import reply_as_staff
from commerce.support.types.quotes import MAX_TEXT
from tests.figures import figure

from .builders import make_ticket, receive, sent
from .corpus import Sample, head, samples

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("support")]


@pytest.mark.both_databases
def test_it_works() -> None:
    ticket = make_ticket()
    reply_as_staff(ticket=ticket, message="Which one?")
    answer = sent("support_reply")[0]
    found: Counter[str] = Counter()
    wrong: list[str] = []
    corpus = list(samples(answer.reply_to, answer.message_id))
    assert len(corpus) >= 500
    for sample in _chosen(corpus):
        try:
            # Each finds the ticket as it was. As that of a test case, the transaction does not count where none is allowed.
            around = transaction.atomic()
            around._from_testcase = True  # type: ignore[attr-defined]
            with around:
                received = receive(sample.raw)
                message = received.message
                body = message.body if message else ""
                number = Attachment.objects.filter(message=message).count()
                reply = (received.outcome == "replied") == (received.ticket_id == ticket.pk) or received.outcome == "bounced"
                is_right = (
                    received.outcome == sample.outcome
                    and reply
                    and (not sample.is_exactly or body == sample.is_exactly)
                    and all(each in body for each in sample.has)
                    and not any(each in body for each in sample.lacks)
                    and sample.files in (None, number)
                    and ((message is not None and bool(body.strip())) or received.outcome in {"bounced", "ignored"})
                    and bool(received.original.name) == (received.outcome not in {"bounced", "ignored", "looped"})
                    and len(sent("support_received")) <= 2
                )
                received.original.delete(save=False)
                raise _Undone
        except _Undone:
            found[received.outcome] += 1
            if not is_right:
                wrong.append(f"{sample.name}: {received.outcome}, {number} files, {body[:80]!r}")
    assert not wrong, "\n".join(wrong)
    assert min(found[each] for each in ("opened", "replied", "quarantined", "bounced")) >= 1


def _chosen(corpus: list[Sample]) -> list[Sample]:
    """On PostgreSQL what it may not be able to store, and some others; else all, but of kinds with many only some."""
    if connection.vendor != "postgresql":
        some = {"answer": figure(7, 1), "files": figure(3, 1), "cut": figure(3, 1), "automatic": figure(3, 1)}
        return [each for number, each in enumerate(corpus) if number % some.get(re.split("[ ,]", each.name)[0], 1) == 0]
    return [
        each for number, each in enumerate(corpus) if number % 5 == 0 or each.name.startswith(("wrong", "malformed", "bounce"))
    ]


class _Undone(Exception):
    """Rolls an email back."""


@pytest.mark.long
def test_twenty_megabytes() -> None:
    content = b"\n".join([b"QUJD" * 19] * (20 * 1024 * 1024 // 77))
    boundary = b"--b\nContent-Type: "
    raw = head() + b'Content-Type: multipart/mixed; boundary="b"\n\n' + boundary + b"text/plain\n\nThe film is attached.\n"
    raw += boundary + b"video/mp4; name=film.mp4\nContent-Transfer-Encoding: base64\n\n" + content + b"\n--b--\n"
    begin = time.monotonic()
    received = receive(raw)
    assert time.monotonic() - begin < 20
    file = Attachment.objects.get(message=received.message)
    assert (received.outcome, received.size, file.size) == ("opened", len(raw), file.file.size)
    assert file.size > 14 * 1024 * 1024
    assert (Ticket.objects.get().message_count, Message.objects.get().body) == (1, "The film is attached.")
    huge = head() + b"\n" + b"word " * 2_000_000
    assert len(receive(huge).message.body) <= MAX_TEXT  # type: ignore[union-attr]
    assert ReceivedMail.objects.count() == 2
