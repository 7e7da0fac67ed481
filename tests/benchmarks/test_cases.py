"""The requests of the cases, and what is checked of the answers."""

from itertools import islice

import pytest

from benchmarks.cases import CASES, CREATE, HOSTS, PAYLOAD_SEARCH, UPDATE, changed, request
from benchmarks.dataset import RARE_WORD, article
from benchmarks.load import Shot, WrongAnswer
from benchmarks.servers import Server

OURS = Server(80, 1, "", 100, {"first": 1, "token": "secret", "images": list(range(50))})
PAYLOAD = Server(
    80,
    1,
    "",
    100,
    {
        **OURS.facts,
        "authorization": "users API-Key key",
        "categories": dict.fromkeys(("news", "culture", "sport", "science", "music", "theatre", "food", "travel"), 1),
    },
)


@pytest.mark.parametrize(
    ("status", "body"), [(500, b'"article-1"'), (200, b'{"slug":"other"}'), (200, b'"article-1" with a body')]
)
def test_an_answer_without_its_content_or_with_more_of_it_is_wrong(status: int, body: bytes) -> None:
    shot = Shot(b"GET / HTTP/1.1\r\n", markers=(b'"article-1"',), absent=(b"body",))
    shot.check(200, b'"article-1"')
    with pytest.raises(WrongAnswer, match="GET /"):
        shot.check(status, body)


def test_an_update_changes_the_texts_of_an_item_and_nothing_that_lists_depend_on() -> None:
    for number in (7, 8, 10):
        found, item = changed(number, 3)
        former = article(number)
        assert (found, item.slug, item.published_at, item.image) == (number, former.slug, former.published_at, former.image)
        assert item.body != former.body
        assert (RARE_WORD in item.body) == (RARE_WORD in former.body)


def test_every_server_is_authorized_in_its_own_way() -> None:
    assert b"Authorization: Bearer secret\r\n" in request(OURS, "/api/v1/content-items")
    assert b"Authorization: users API-Key key\r\n" in request(PAYLOAD, PAYLOAD_SEARCH)
    assert b"Authorization" not in request(OURS, "/api/v3/pages/")
    assert b"Authorization" in request(OURS, "/api/v3/pages/", method="PATCH", content={})


def test_each_request_of_a_writing_case_sends_other_content() -> None:
    for shots in (CREATE, UPDATE):
        for name, server in (("payload", PAYLOAD), ("ours", OURS)):
            assert len({shot.raw for shot in islice(shots[name](server), 5)}) == 5


def test_every_rival_of_a_case_has_a_server() -> None:
    for name, case in CASES.items():
        rivals = {HOSTS[target] for target in case.rivals if target in HOSTS}
        assert rivals <= set(case.servers), name
