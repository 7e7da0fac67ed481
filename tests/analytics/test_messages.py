"""Messages that the server hands over together: each passes the same checks as one that comes by itself."""

import io
import json
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cms_api.analytics.models import Event
from cms_api.analytics.services.ingesting import ingest
from cms_api.flags.services import set_setting, switch_feature
from cms_api.gateway.wsgi import Application

from .test_collecting import CHROME

pytestmark = pytest.mark.django_db


def message(number: int, *, body: bytes | None = None, path: str = "/", **changes: str) -> dict[str, Any]:
    view = {"n": "view", "i": f"{2 * number:x}", "u": f"{settings.BASE_URL}{path}", "r": "", "t": "Home"}
    sent = json.dumps(view).encode() if body is None else body
    return {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/visits",
        "QUERY_STRING": "",
        "CONTENT_LENGTH": str(len(sent)),
        "SERVER_NAME": "testserver",
        "SERVER_PORT": "80",
        "REMOTE_ADDR": f"203.0.113.{number}",
        "HTTP_USER_AGENT": CHROME,
        "wsgi.input": io.BytesIO(sent),
        "wsgi.url_scheme": "http",
        **changes,
    }


def statuses(application: Application, *environs: dict[str, Any]) -> list[int]:
    return [status for status, _, _ in application.answer_together(environs)]


def test_they_see_the_same_versions(application: Application, analytics_on: None) -> None:
    def reads(*batches: list[dict[str, Any]]) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert [statuses(application, *batch) for batch in batches] == [[204] * len(batch) for batch in batches]
        return sum("core_version" in query["sql"] for query in captured)

    assert reads([message(number) for number in range(1, 6)]) == 1
    assert reads(*([message(number)] for number in range(6, 11))) == 5
    assert ingest(at_once=True) == 10


def test_each_has_its_own_answer(application: Application, analytics_on: None) -> None:
    found = application.answer_together(
        [
            message(1),
            message(2, body=b"{}"),
            message(3, HTTP_DNT="1"),
            message(4, HTTP_HOST="evil.example"),
            message(5, REQUEST_METHOD="GET"),
            message(6, HTTP_USER_AGENT="Googlebot/2.1"),
            message(7, CONTENT_LENGTH="9000"),
            message(8, HTTP_X_REQUEST_ID="mine"),
        ]
    )
    assert [status for status, _, _ in found] == [204, 400, 204, 400, 405, 204, 413, 204]
    headers = [dict(each) for _, each, _ in found]
    assert json.loads(found[1][2]) == {"message": "The message can't be read."}
    assert headers[7]["X-Request-Id"] == "mine"
    assert len({each["X-Request-Id"] for each in headers}) == 8
    assert {each["X-Content-Type-Options"] for each in headers} == {"nosniff"}
    ingest(at_once=True)
    assert sorted(Event.objects.values_list("uid", flat=True)) == [2, 16]


def test_a_change_takes_effect_with_the_next_batch(application: Application, analytics_on: None) -> None:
    assert statuses(application, message(1, path="/internal"), message(2)) == [204, 204]
    set_setting(key="analytics.excluded_paths", value="/internal")
    assert statuses(application, message(3, path="/internal"), message(4)) == [204, 204]
    ingest(at_once=True)
    assert sorted(Event.objects.values_list("path", flat=True)) == ["/", "/", "/internal"]
    switch_feature(name="analytics", on=False)
    assert 204 not in statuses(application, message(5), message(6))


def test_the_server_knows_their_paths(application: Application) -> None:
    assert set(application.messages) == {"/visits"}
