"""Messages that the server hands over together: each is answered as if it had come by itself, through all middleware."""

import io
import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cms_api.analytics.models import Event
from cms_api.analytics.services import collecting, spool
from cms_api.analytics.services.ingesting import ingest
from cms_api.flags.services import set_setting, switch_feature
from cms_api.gateway.wsgi import Application

from .test_collecting import CHROME

pytestmark = pytest.mark.django_db

Answer = tuple[int, list[tuple[str, str]], bytes]


@dataclass
class Sent:
    """A message as the server hands it over."""

    number: int
    content: bytes | None = None
    page: str = "/"
    scheme: str = "http"
    path: str = "/visits"
    #: Headers that were sent twice make it unusual.
    is_plain: bool = True
    more: dict[str, str] = field(default_factory=dict)

    @property
    def body(self) -> bytes:
        view = {"n": "view", "i": f"{2 * self.number:x}", "u": f"{settings.BASE_URL}{self.page}", "r": "", "t": "Home"}
        return json.dumps(view).encode() if self.content is None else self.content

    @property
    def peer(self) -> str:
        return f"203.0.113.{self.number}"

    @property
    def all_headers(self) -> dict[str, str]:
        return {"host": "testserver", "user-agent": CHROME, "content-length": str(len(self.body)), **self.more}

    @property
    def headers(self) -> dict[str, str] | None:
        return self.all_headers if self.is_plain else None

    def environ(self) -> dict[str, Any]:
        names = {name: f"HTTP_{name.upper().replace('-', '_')}" for name in self.all_headers} | {
            "content-length": "CONTENT_LENGTH"
        }
        return {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": self.path,
            "QUERY_STRING": "",
            "SERVER_NAME": "testserver",
            "SERVER_PORT": "80",
            "REMOTE_ADDR": self.peer,
            "wsgi.input": io.BytesIO(self.body),
            "wsgi.url_scheme": self.scheme,
            **{names[name]: value for name, value in self.all_headers.items()},
        }


def statuses(application: Application, *messages: Sent) -> list[int]:
    return [status for status, _, _ in application.answer_messages(messages)]


def by_itself(application: Application, message: Sent) -> Answer:
    """Return the answer of Django to a request."""
    head: list[Any] = []
    answer = application(message.environ(), lambda status, headers, *_: head.extend((int(status[:3]), headers)))
    return head[0], head[1], b"".join(answer)


def without_id(answer: Answer) -> tuple[int, dict[str, str], bytes]:
    status, headers, body = answer
    assert len({name for name, _ in headers}) == len(headers)
    return status, {name: value for name, value in headers if name != "X-Request-Id"}, body


def test_they_see_the_same_versions(application: Application, analytics_on: None) -> None:
    def reads(*batches: list[Sent]) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert [statuses(application, *batch) for batch in batches] == [[204] * len(batch) for batch in batches]
        return sum("core_version" in query["sql"] for query in captured)

    assert reads([Sent(number) for number in range(1, 6)]) == 1
    assert reads(*([Sent(number)] for number in range(6, 11))) == 5
    assert ingest(at_once=True) == 10


CASES = {
    "accepted": {},
    "of somebody who objects": {"more": {"dnt": "1"}},
    "of a robot": {"more": {"user-agent": "Googlebot/2.1"}},
    "of another page": {"page": "/events?utm_source=x"},
    "with an id": {"more": {"x-request-id": "mine"}},
    "with an id that is none": {"more": {"x-request-id": "<>"}},
    "over https": {"scheme": "https"},
    "forwarded": {"more": {"x-forwarded-for": "198.51.100.1", "x-forwarded-proto": "https"}},
    "sent twice": {"is_plain": False},
    "empty": {"content": b""},
    "no JSON": {"content": b"\xff"},
    "no message": {"content": b"{}"},
    "of an unknown kind": {"content": b'{"n":"goal","i":"2","u":"http://localhost:8000/"}'},
    "with a wrong number": {"content": b'{"n":"view","i":"zz","u":"x"}'},
    "with a negative time": {"content": b'{"n":"time","i":"2","s":-1}'},
    "too large": {"content": b"x" * 9000},
    "of another host": {"more": {"host": "evil.example"}},
    "of a host that is none": {"more": {"host": "x" * 300}},
}


@pytest.mark.parametrize("name", CASES)
def test_an_answer_is_that_of_django(application: Application, analytics_on: None, name: str) -> None:
    expected = by_itself(application, Sent(1, **CASES[name]))
    # The first message of a kind passes the middleware, the second one does not.
    first, second = application.answer_messages([Sent(2, **CASES[name])]), application.answer_messages([Sent(3, **CASES[name])])
    assert without_id(first[0]) == without_id(second[0]) == without_id(expected)
    found = [dict(headers)["X-Request-Id"] for _, headers, _ in (*first, *second)]
    assert (found == ["mine"] * 2) if name == "with an id" else len(set(found)) == 2
    counted = 3 if expected[0] == 204 and name not in {"of somebody who objects", "of a robot"} else 0
    assert ingest(at_once=True) == counted


def test_a_secure_site_redirects_and_has_its_headers(analytics_on: None, application: Application, settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT, settings.SECURE_HSTS_SECONDS = True, 60
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_TLS", "on")
    secure = Application()
    for _ in range(2):
        insecure, answer = secure.answer_messages([Sent(1), Sent(2, more={"x-tls": "on"})])
        assert (insecure[0], answer[0]) == (301, 204)
        assert dict(answer[1])["Strict-Transport-Security"] == "max-age=60"


def test_one_that_is_refused_does_not_refuse_others(application: Application, analytics_on: None) -> None:
    batch = [Sent(1), Sent(2, content=b"{}"), Sent(3, more={"host": "evil.example"}), Sent(4)]
    assert statuses(application, *batch) == statuses(application, *batch) == [204, 400, 400, 204]
    ingest(at_once=True)
    assert sorted(Event.objects.values_list("uid", flat=True)) == [2, 8]


def test_accepted_ones_are_one_write_and_quiet(
    application: Application, analytics_on: None, settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    settings.LOG_REQUESTS = True
    assert statuses(application, Sent(1)) == [204]
    writes: list[bytes] = []
    monkeypatch.setattr(collecting.SPOOL, "append", writes.append)
    caplog.clear()
    assert statuses(application, Sent(2), Sent(3), Sent(4, content=b"{}")) == [204, 204, 400]
    assert [lines.count(b"\n") for lines in writes] == [2]
    assert [record.getMessage().partition(" in ")[0] for record in caplog.records] == ["POST /visits 400"]


def test_what_cannot_be_written_is_not_acknowledged(
    application: Application, analytics_on: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert statuses(application, Sent(1)) == [204]
    monkeypatch.setattr(spool, "CAPACITY", -1)
    monkeypatch.setattr(spool.SPOOL, "_file", None)
    batch = [Sent(2), Sent(3, content=b"{}"), Sent(4, more={"dnt": "1"})]
    assert statuses(application, *batch) == [503, 400, 204]
    monkeypatch.undo()


def test_one_that_fails_does_not_fail_others(
    application: Application, analytics_on: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert statuses(application, Sent(1)) == [204]
    device_of = collecting.device_of
    monkeypatch.setattr(collecting, "device_of", lambda agent: 1 // 0 if agent == "broken" else device_of(agent))
    assert statuses(application, Sent(2), Sent(3, more={"user-agent": "broken"}), Sent(4)) == [204, 500, 204]
    assert "ZeroDivisionError" in caplog.text
    assert ingest(at_once=True) == 3


def test_each_is_charged_once(application: Application, analytics_on: None, settings: Any) -> None:
    settings.ANALYTICS_RATE_PER_MINUTE = 10
    found = [statuses(application, Sent(1))[0] for _ in range(12)]
    assert found == [204] * 10 + [429] * 2
    assert application.answer_messages([Sent(1)])[0][2] == b'{"message":"Too Many Attempts."}'


def test_a_change_takes_effect_with_the_next_batch(application: Application, analytics_on: None) -> None:
    assert statuses(application, Sent(1, page="/internal"), Sent(2)) == [204, 204]
    set_setting(key="analytics.excluded_paths", value="/internal")
    assert statuses(application, Sent(3, page="/internal"), Sent(4)) == [204, 204]
    ingest(at_once=True)
    assert sorted(Event.objects.values_list("path", flat=True)) == ["/", "/", "/internal"]
    switch_feature(name="analytics", on=False)
    assert 204 not in statuses(application, Sent(5), Sent(6))


def test_the_server_knows_their_paths(application: Application) -> None:
    assert set(application.messages) == {"/visits"}
