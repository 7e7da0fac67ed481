"""Two web and two worker processes behind a balancer: restarts and a migration under load lose nothing and do nothing twice."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from tests.webhooks.receiver import make_authority

from .balancer import balancing
from .hosts import NEXT_RELEASE, Hosts, Load, outcome, two_hosts

pytestmark = pytest.mark.long

#: How often each host is restarted; `make long-in-full` asks for more.
ROUNDS = int(os.environ.get("HOSTS_ROUNDS", "1"))
#: Seconds that a transaction occupies the table when the migration begins, as a backup does.
OCCUPIED = 20
#: Seconds of the longest request that are allowed while that goes on.
LONGEST = 15


@pytest.fixture
def hosts(tmp_path: Path, postgresql: str, request: pytest.FixtureRequest) -> Iterator[Hosts]:
    if not postgresql or not settings.REDIS_URL:
        pytest.skip("Several hosts need PostgreSQL and Redis: set DATABASE_URL and REDIS_URL.")
    # Makes a migrated database, once, of which a copy takes no time.
    request.getfixturevalue("django_db_keepdb")
    template = connection.settings_dict["TEST"]["TEMPLATE"]
    folder = tmp_path / "certificates"
    folder.mkdir()
    with two_hosts(tmp_path, make_authority(folder), postgresql, template, settings.REDIS_URL) as started:
        yield started


def test_restarts_and_a_migration_lose_nothing(hosts: Hosts) -> None:
    with balancing([host.port for host in hosts.hosts]) as balancer:
        load = Load(hosts, balancer.port)
        for host in hosts.hosts:
            host.start_web()
            host.start_worker()
        for host in hosts.hosts:
            host.wait_until_ready()
        load.ask("POST", "/api/v1/webhooks", {"url": hosts.receiver.url(), "events": ["*"]}, expected=201)
        with load.running():
            _restart_each(hosts, load)
            _migrate_under_load(hosts, load)
            load.phase = "old code on the new schema"
            time.sleep(5)
            load.phase = "upgrade"
            for host in hosts.hosts:
                host.environment["DJANGO_SETTINGS_MODULE"] = NEXT_RELEASE
                host.restart()
            load.phase = "new code"
            time.sleep(5)
        found = outcome(hosts, load)
        for host in hosts.hosts:
            host.stop_web()
            host.stop_worker()
    print(load.statuses, load.longest, f"{balancer.retries} tries on another host", _numbers(found))
    assert not load.failures, load.failures[:10]
    assert (found.lost, found.doubled, found.changed) == ([], [], []), found
    assert (found.mails_lost, found.mails_doubled, found.jobs_doubled) == ([], [], []), found
    assert found.events >= load.writes.total() > 0
    assert found.mails == len(load.submitted) > 0
    assert found.jobs > 0
    assert load.longest["migration"][0] < LONGEST, load.longest


def _restart_each(hosts: Hosts, load: Load) -> None:
    for _ in range(ROUNDS):
        for host in hosts.hosts:
            load.phase = "reload"
            host.reload_web()
            load.phase = "restart"
            host.restart()


def _migrate_under_load(hosts: Hosts, load: Load) -> None:
    load.phase = "migration"
    with hosts.database() as session, session.transaction():
        session.execute("SELECT id FROM content_contentitem LIMIT 1")
        migration = hosts.migrate()
        _wait_for_lock(hosts)
        time.sleep(OCCUPIED)
    assert migration.wait(300) == 0
    with hosts.database() as session:
        indexes = session.execute("SELECT count(*) FROM pg_indexes WHERE indexname = 'item_reviewed'").fetchone()
    assert indexes == (1,)


def _wait_for_lock(hosts: Hosts) -> None:
    """Wait until the migration waits for the table."""
    waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'content_contentitem'::regclass"
    deadline = time.monotonic() + 180
    with hosts.database() as session:
        while not session.execute(waiting).fetchall():
            assert time.monotonic() < deadline, "The migration never waited for the table."
            time.sleep(0.05)


def test_control_a_killed_host_loses_requests(hosts: Hosts) -> None:
    """The load does fail where requests are lost: a host is killed, and the balancer tries no other."""
    with balancing([host.port for host in hosts.hosts]) as balancer:
        balancer.tries_others = False
        load = Load(hosts, balancer.port)
        for host in hosts.hosts:
            host.start_web()
        for host in hosts.hosts:
            host.wait_until_ready()
        with load.running():
            time.sleep(1)
            hosts.hosts[0].kill_web()
            time.sleep(2)
        hosts.hosts[1].stop_web()
    assert load.failures
    assert set(load.statuses) & {0, 502}


def _numbers(found: Any) -> dict[str, Any]:
    return {name: getattr(found, name) for name in ("events", "repeats", "mails", "jobs")}
