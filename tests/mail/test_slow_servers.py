"""Mail servers that never finish a reply: the mail is tried again later, and the others are sent."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cms_api.mail.models import OutgoingMail
from cms_api.mail.services.sending import send_due
from tests.mail.conftest import Write

pytestmark = pytest.mark.django_db


@contextmanager
def dribbling(answers: list[bytes]) -> Iterator[int]:
    """Yield the port of a server that gives these answers, one for each line that it gets, and then a byte now and then."""
    is_over = threading.Event()

    def serve() -> None:
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as lines:
            for answer in answers:
                connection.sendall(answer)
                lines.readline()
            while not is_over.wait(0.05):
                try:
                    connection.sendall(b"2")
                except OSError:
                    return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            is_over.set()
            thread.join(10)


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ([], "The mail server cannot be reached"),
        ([b"220 hello\r\n"], "The mail couldn't be delivered to the mail server"),
        ([b"220 hello\r\n", b"250 you\r\n", b"250 ok\r\n"], "The mail couldn't be delivered to the mail server"),
    ],
    ids=["greeting", "hello", "recipient"],
)
@pytest.mark.both_databases
def test_a_reply_without_an_end(write: Write, settings: pytest.FixtureRequest, answers: list[bytes], error: str) -> None:
    with dribbling(answers) as port:
        settings.EMAIL_BACKEND = "cms_api.mail.services.smtp_backend.SmtpBackend"  # type: ignore[attr-defined]
        settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", port, 1  # type: ignore[attr-defined]
        write("ann@example.com")
        send_due()
    mail = OutgoingMail.objects.get()
    assert (mail.state, mail.attempts) == ("waiting", 1)
    assert mail.error.startswith(error)
