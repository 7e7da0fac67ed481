"""A web process that is killed in the middle of a POST with an Idempotency-Key: the key is free once the process is gone."""

import os
import signal
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.serving import ITEMS, prepare, served

pytestmark = pytest.mark.long


def test_it_works(tmp_path: Path) -> None:
    with served(tmp_path / "var", migrated=True) as site:
        token = prepare(site)
        body = {"type": "blog-post", "data": {"title": "Once"}, "status": "published"}

        def post(timeout: float = 30) -> int:
            return site.request("POST", ITEMS, body, token=token, timeout=timeout, Idempotency_Key="one").status

        # The last use of the token is recorded at most once a minute, which would wait too.
        assert site.status(ITEMS, token) == 200
        claims = tmp_path / "var" / "claims"
        with closing(sqlite3.connect(tmp_path / "var" / "db.sqlite3", isolation_level=None)) as database:
            # The POST waits for this transaction.
            database.execute("BEGIN IMMEDIATE")
            first = threading.Thread(target=post)
            first.start()
            deadline = time.monotonic() + 30
            while not (claims.exists() and list(claims.iterdir())):
                assert time.monotonic() < deadline
                time.sleep(0.05)
            assert post() == 409
            os.kill(site.process_named("web 1"), signal.SIGKILL)
            first.join()
            database.execute("ROLLBACK")
        site.wait_for("/healthz", 200)
        assert post() == 201
        assert post() == 201
        assert len(site.get(ITEMS, token).json()["data"]) == 1
