"""A served site whose PostgreSQL is killed and restarted."""

import signal
import time
from collections.abc import Iterator

import pytest

from tests.servers import Server, postgresql
from tests.serving import ITEMS, Answer, Site, create_item, prepare, served

pytestmark = pytest.mark.long

#: Seconds within which an outage is answered, and within which the site has recovered.
ANSWER, RECOVERY = 2, 5
#: The web server's threads, each with a connection of its own.
THREADS = 8


@pytest.fixture(scope="module")
def database() -> Iterator[Server]:
    with postgresql() as server:
        yield server


@pytest.fixture(scope="module")
def site(database: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with served(tmp_path_factory.mktemp("var"), DATABASE_URL=database.url, API_RATE_PER_MINUTE="1000000") as started:
        yield started


@pytest.fixture(scope="module")
def token(site: Site) -> str:
    return prepare(site)


@pytest.fixture(autouse=True)
def _running(database: Server, site: Site, token: str) -> Iterator[None]:
    """Every test begins with a server that runs, and with threads that have used it."""
    for _ in range(4 * THREADS):
        assert site.status(ITEMS, token) == 200
    yield
    if database.process is None:
        database.start()
    site.wait_for("/readyz", 200)


def is_outage(answer: Answer) -> bool:
    return (
        answer.status == 503
        and int(answer.headers["Retry-After"]) > 0
        and answer.seconds < ANSWER
        and set(answer.json()) == {"message"}
    )


def assert_outage(site: Site, token: str) -> None:
    """Every way in answers the outage in time: the API, public pages, the admin."""
    for _ in range(2 * THREADS):
        answer = site.get(ITEMS, token)
        assert is_outage(answer), answer
    answer = create_item(site, token, "Never stored")
    assert is_outage(answer), answer
    for path in ("/", "/admin/login/", "/sitemap.xml"):
        page = site.get(path)
        assert (page.status, page.headers["Retry-After"]) == (503, "30"), (path, page)
        assert b"Temporarily unavailable" in page.body
        assert page.seconds < ANSWER, (path, page)
    health = site.get("/readyz")
    assert (health.status, health.json()["checks"]["database"]) == (503, "failed")
    assert health.seconds < ANSWER, health
    assert site.status("/healthz") == 200


def assert_recovery(site: Site, token: str) -> None:
    assert site.wait_for(ITEMS, 200, token) < RECOVERY
    assert {site.status(ITEMS, token) for _ in range(4 * THREADS)} == {200}
    assert create_item(site, token, "Stored").status == 201


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGQUIT], ids=["stopped", "crashed"])
def test_it_works_without_a_server(database: Server, site: Site, token: str, number: signal.Signals) -> None:
    database.stop(number)
    assert_outage(site, token)
    # Longer than any retry with growing pauses would take to be noticed.
    time.sleep(8)
    database.start()
    assert_recovery(site, token)


def test_a_restart_between_two_requests_is_not_noticed(database: Server, site: Site, token: str) -> None:
    database.stop()
    database.start()
    assert {site.status(ITEMS, token) for _ in range(4 * THREADS)} == {200}


def test_the_worker_goes_on(database: Server, site: Site, token: str) -> None:
    """A scheduled item is published by the worker after each outage; the worker itself is never restarted."""
    before = {name: site.process_named(name) for name in ("loader", "queues", "jobs")}
    for number in (signal.SIGINT, signal.SIGQUIT):
        database.stop(number)
        time.sleep(8)
        database.start()
        site.wait_for("/readyz", 200)
        due = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2))
        body = {"type": "blog-post", "data": {"title": "Later"}, "status": "scheduled", "published_at": due}
        created = site.request("POST", ITEMS, body, token=token)
        assert created.status == 201, created
        path = f"{ITEMS}/{created.json()['data']['id']}"
        deadline = time.monotonic() + 60
        while site.get(path, token).json()["data"]["status"] != "published":
            assert time.monotonic() < deadline, "The worker did not publish the item."
            time.sleep(0.5)
    assert {name: site.process_named(name) for name in before} == before
