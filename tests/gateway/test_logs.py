"""Lines of the log as a collector reads them: JSON, with the id of the request."""

import io
import json
import logging
import logging.config
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from cms_api.auth.models import ApiToken
from cms_api.flags.services import switch_feature
from config.settings import environment
from tests.client import Api

pytestmark = pytest.mark.django_db


@pytest.fixture
def lines(settings: Any) -> Iterator[io.StringIO]:
    """The lines that production settings would write while the test runs."""
    settings.LOG_REQUESTS = True
    described = environment.logging("json")
    configurator = logging.config.DictConfigurator(described)
    formatter = configurator.configure_formatter(described["formatters"]["chosen"])
    request_ids = configurator.configure_filter(described["filters"]["request_id"])
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(formatter)
    handler.addFilter(request_ids)
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)


def parsed(lines: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


def test_a_request_with_a_token(api: Api, lines: io.StringIO) -> None:
    response = api.get("/content-items/7", **{"fields": "title"})
    (line,) = parsed(lines)
    assert line.pop("milliseconds") > 0
    assert line.pop("timestamp").endswith("+00:00")
    assert line.pop("message").startswith("GET /api/v1/content-items/<ref:item> 404 in ")
    assert line == {
        "level": "INFO",
        "logger": "cms_api.requests",
        "request_id": response["X-Request-Id"],
        "token_id": ApiToken.objects.get().pk,
        "method": "GET",
        "route": "/api/v1/content-items/<ref:item>",
        "status": 404,
    }


def test_requests_without_a_token(anonymous: Api, lines: io.StringIO) -> None:
    switch_feature(name="members", on=True)
    anonymous.get("/content-items")
    Client().get("/accounts/password/reset/key/secret-token/")
    Client().get("/no/such/page/")
    found = [(line["route"], line["status"], line["token_id"]) for line in parsed(lines) if line["logger"] == "cms_api.requests"]
    assert found[0] == ("/api/v1/content-items", 401, None)
    assert found[-1] == ("/no/such/page/", 404, None)
    assert "secret-token" not in lines.getvalue()


def test_what_is_logged_meanwhile_names_the_request(api: Api, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr("cms_api.gateway.dispatch.stamp_use", fail)
    api.http.raise_request_exception = False
    response = api.request("GET", "/content-items", x_request_id="from-the-client")
    assert response.status_code == 500
    failed, *_, answered = parsed(lines)
    assert {failed["request_id"], answered["request_id"]} == {"from-the-client"}
    assert "RuntimeError: planted" in failed["traceback"]


def test_an_accepted_message_of_a_page_writes_no_line(client: Client, lines: io.StringIO) -> None:
    switch_feature(name="analytics", on=True)
    assert client.post("/visits", '{"n":"time","i":"2","s":1}', content_type="text/plain").status_code == 204
    assert parsed(lines) == []
    assert client.post("/visits", "{}", content_type="text/plain").status_code == 400
    assert [line["status"] for line in parsed(lines)] == [400]


def test_development_writes_no_line_for_each_request(api: Api, lines: io.StringIO, settings: Any) -> None:
    settings.LOG_REQUESTS = False
    api.get("/content-items")
    assert parsed(lines) == []
