"""`manage.py webhooks listen`."""

import http.server
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from cms_api.flags.services import switch_feature
from cms_api.webhooks.models import Endpoint
from cms_api.webhooks.services.deliveries import deliver_due
from cms_api.webhooks.services.listening import listen
from tests.builders import blog_post, make_item

pytestmark = pytest.mark.django_db


@pytest.fixture
def machine() -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A developer's own server, and the headers of what it was sent."""
    received: list[dict[str, str]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            received.append(dict(self.headers))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/", received
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.both_databases
def test_it_works(machine: tuple[str, list[dict[str, str]]]) -> None:
    switch_feature(name="webhooks", on=True)
    item_type = blog_post()
    address, received = machine
    shown: list[tuple[str, bytes, str]] = []
    calls = 0

    def stop() -> bool:
        nonlocal calls
        calls += 1
        if calls == 1:
            make_item(item_type, title="Heard")
            assert deliver_due() == 0, "A worker took what is the listener's."
        return calls > 2

    listen(forward_to=address, show=lambda delivery, body, answer: shown.append((delivery.event.kind, body, answer)), stop=stop)
    [(kind, body, answer)] = shown
    assert (kind, answer) == ("content_item.created", "204")
    assert b'"title":"Heard"' in body
    assert received[0]["X-Service-Event"] == "content_item.created"
    assert not Endpoint.objects.exists()


def test_it_needs_debug() -> None:
    with pytest.raises(CommandError, match="only with DEBUG"):
        call_command("webhooks", "listen")


def test_it_needs_webhooks(settings: Any) -> None:
    settings.DEBUG = True
    with pytest.raises(CommandError, match="Webhooks are off"):
        call_command("webhooks", "listen")
