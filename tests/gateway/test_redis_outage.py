"""A served site whose Redis is killed, restarted and paused."""

import time
from collections.abc import Iterator

import pytest

from tests.servers import Server, redis_server
from tests.serving import ITEMS, Site, create_item, prepare, served
from tests.waiting import until

pytestmark = pytest.mark.long

#: Seconds within which an outage is answered, and within which the site has recovered.
ANSWER, RECOVERY = 2, 5
LIMIT = 40


@pytest.fixture(scope="module")
def redis() -> Iterator[Server]:
    with redis_server() as server:
        yield server


@pytest.fixture(scope="module")
def site(redis: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with served(tmp_path_factory.mktemp("var"), migrated=True, REDIS_URL=redis.url, API_RATE_PER_MINUTE=str(LIMIT)) as started:
        prepare(started)
        yield started


@pytest.fixture
def token(site: Site) -> str:
    """A token of the test's own, whose budget is unspent."""
    words = [word for ability in ("content:read", "content:write") for word in ("--ability", ability)]
    return site.manage("create_token", "test", *words)


@pytest.fixture(autouse=True)
def _running(redis: Server, site: Site) -> Iterator[None]:
    yield
    redis.resume()
    if redis.process is None:
        redis.start()
    until(lambda: site.get("/readyz").json()["checks"]["cache"] == "ok")


def assert_served(site: Site, token: str) -> None:
    """The API, public pages and the admin are served without Redis, without waiting for it again and again."""
    answers = [site.get(ITEMS, token) for _ in range(10)]
    assert [answer.status for answer in answers] == [200] * 10
    assert max(answer.seconds for answer in answers) < ANSWER
    assert sum(answer.seconds for answer in answers) < 2 * ANSWER
    assert create_item(site, token, "Stored in the database").status == 201
    for path in ("/", "/admin/login/", "/sitemap.xml"):
        page = site.get(path)
        assert page.status == 200, (path, page)
        assert page.seconds < ANSWER, (path, page)
    health = site.get("/readyz")
    assert (health.status, health.json()["checks"]["cache"]) == (200, "degraded")
    assert health.seconds < ANSWER, health


@pytest.mark.parametrize("away", ["stopped", "paused"])
def test_it_works_without_redis(redis: Server, site: Site, token: str, away: str) -> None:
    redis.stop() if away == "stopped" else redis.pause()
    assert_served(site, token)
    redis.start() if away == "stopped" else redis.resume()
    started = time.monotonic()
    while site.get("/readyz").json()["checks"]["cache"] != "ok":
        assert time.monotonic() < started + RECOVERY
        time.sleep(0.1)
    # The window that Redis counts is used again: not all that was spent elsewhere counts here.
    assert int(site.get(ITEMS, token).headers["X-RateLimit-Remaining"]) >= LIMIT - 5


@pytest.mark.parametrize("away", ["stopped", "paused"])
def test_rate_limits_hold_without_redis(redis: Server, site: Site, token: str, away: str) -> None:
    redis.stop() if away == "stopped" else redis.pause()
    statuses = [site.status(ITEMS, token) for _ in range(LIMIT + 5)]
    assert (statuses.count(200), statuses[-5:]) == (LIMIT, [429] * 5)


def test_a_restart_between_two_requests_is_not_noticed(redis: Server, site: Site, token: str) -> None:
    assert site.status(ITEMS, token) == 200
    redis.stop()
    redis.start()
    answer = site.get(ITEMS, token)
    assert (answer.status, answer.headers["X-RateLimit-Remaining"]) == (200, str(LIMIT - 1))
    assert site.status("/readyz") == 200
