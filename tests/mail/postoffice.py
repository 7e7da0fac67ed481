"""A real SMTP server on a loopback port, which keeps the mails it accepts and refuses others as a test asks."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any, NamedTuple

from aiosmtpd.controller import Controller

from benchmarks.servers import free_port


class Taken(NamedTuple):
    """A message that was accepted: its envelope, and itself as a reader parses it."""

    sender: str
    recipients: list[str]
    content: bytes

    @property
    def message(self) -> EmailMessage:
        found = message_from_bytes(self.content, policy=policy.default)
        assert isinstance(found, EmailMessage)
        return found

    def part(self, media_type: str) -> str:
        (found,) = [part for part in self.message.walk() if part.get_content_type() == media_type]
        content: str = found.get_content()
        return content


class PostOffice:
    """`refuse_sender`, `refuse_recipient` and `refuse_message` give an answer such as `450 Later`, or nothing to accept."""

    def __init__(self) -> None:
        self.port = free_port()
        self.taken: list[Taken] = []
        self.connections = 0
        self.refuse_sender: Callable[[str], str] = lambda address: ""
        self.refuse_recipient: Callable[[str], str] = lambda address: ""
        self.refuse_message: Callable[[], str] = lambda: ""
        #: Called when a message has been taken, before that is said.
        self.before_answer: Callable[[], None] = lambda: None
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    async def handle_EHLO(self, server: Any, session: Any, envelope: Any, hostname: str, responses: list[str]) -> list[str]:
        with self._lock:
            self.connections += 1
        session.host_name = hostname
        return responses

    async def handle_MAIL(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if answer := self.refuse_sender(address):
            return answer
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if answer := self.refuse_recipient(address):
            return answer
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if answer := self.refuse_message():
            return answer
        with self._lock:
            self.taken.append(Taken(envelope.mail_from, list(envelope.rcpt_tos), envelope.content))
        await asyncio.get_running_loop().run_in_executor(None, self.before_answer)
        return "250 OK"


@contextmanager
def post_office() -> Iterator[PostOffice]:
    office = PostOffice()
    controller = Controller(office, hostname="127.0.0.1", port=office.port)
    controller.start()
    try:
        yield office
    finally:
        controller.stop()


def wait_until(holds: Callable[[], Any], patience: float = 60) -> None:
    deadline = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < deadline, "It never came to be."
        time.sleep(0.02)
