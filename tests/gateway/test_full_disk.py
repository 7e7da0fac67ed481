"""A served site whose disk is full: reads go on, writes are answered 503, and all is well once there is room."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import psycopg
import pytest
from PIL import Image

from tests.client import BOUNDARY
from tests.servers import Disk, disk, postgresql
from tests.serving import ITEMS, Answer, Site, create_item, prepare, served

pytestmark = pytest.mark.long


@dataclass
class Installation:
    """A site with content, and its small disk."""

    site: Site
    disk: Disk
    token: str
    item: int


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """The embedded default, with its database, media and temporary files on the small disk."""
    folder = tmp_path_factory.mktemp("small")
    with disk(folder, 64) as small:
        (folder / "tmp").mkdir()
        with served(folder / "var", migrated=True, TMPDIR=str(folder / "tmp"), API_RATE_PER_MINUTE="1000") as site:
            yield installed(site, small)


@pytest.fixture(scope="module")
def on_postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A PostgreSQL whose tables are on the small disk."""
    folder = tmp_path_factory.mktemp("small")
    with postgresql() as server:
        tables = Path(server.folder, "tables")
        tables.mkdir()
        with disk(tables, 96) as small:
            if os.getuid() == 0:
                shutil.chown(tables, "postgres")
            with psycopg.connect(server.url, autocommit=True) as connection:
                connection.execute(f"CREATE TABLESPACE small LOCATION '{tables}'")
                connection.execute("CREATE DATABASE site TABLESPACE small")
            with served(folder, DATABASE_URL=server.url.removesuffix("postgres") + "site", API_RATE_PER_MINUTE="1000") as site:
                yield installed(site, small)


def installed(site: Site, small: Disk) -> Installation:
    token = prepare(site)
    created = create_item(site, token, "Heron")
    assert created.status == 201
    assert upload(site, token).status == 201
    return Installation(site, small, token, created.json()["data"]["id"])


@pytest.fixture(params=["embedded", "on_postgresql"])
def full(request: pytest.FixtureRequest) -> Iterator[Installation]:
    """An installation with a token that has never been used, whose disk is full."""
    found: Installation = request.getfixturevalue(request.param)
    unused = found.site.manage("create_token", "unused", "--ability", "content:read", "--ability", "content:write")
    found.disk.fill()
    try:
        yield Installation(found.site, found.disk, unused, found.item)
    finally:
        if (found.disk.folder / "filler").exists():
            found.disk.free()


def upload(site: Site, token: str) -> Answer:
    """Upload a picture that is too large to be received in memory."""
    drawn = BytesIO()
    Image.frombytes("RGB", (300, 300), os.urandom(300 * 300 * 3)).save(drawn, "PNG")
    assert drawn.tell() > 1 << 16
    head = b"--" + BOUNDARY + b'\r\nContent-Disposition: form-data; name="file"; filename="noise.png"\r\n\r\n'
    body = head + drawn.getvalue() + b"\r\n--" + BOUNDARY + b"--\r\n"
    return site.request(
        "POST", "/api/v1/media", body, token=token, Content_Type=f"multipart/form-data; boundary={BOUNDARY.decode()}"
    )


def is_outage(answer: Answer) -> bool:
    return answer.status in {503, 507} and int(answer.headers["Retry-After"]) > 0 and set(answer.json()) == {"message"}


def write_until_refused(there: Installation) -> Answer:
    """Create items until one is refused: a database may have room left inside its files."""
    for _ in range(200):
        answer = create_item(there.site, there.token, "Too many " * 20)
        if answer.status != 201:
            return answer
    raise AssertionError("The disk is not full.")


def test_reads_go_on_and_writes_are_refused(full: Installation) -> None:
    refused = write_until_refused(full)
    assert is_outage(refused), refused
    assert "full" in refused.json()["message"]
    changed = full.site.request("PATCH", f"{ITEMS}/{full.item}", {"data": {"title": "New " * 50}}, token=full.token)
    assert is_outage(changed) or changed.status == 200, changed
    for path in (ITEMS, f"{ITEMS}/{full.item}", "/", "/blog-post/heron", "/sitemap.xml", "/admin/login/", "/healthz"):
        answers = [full.site.get(path, full.token if path.startswith("/api/") else "") for _ in range(5)]
        assert [answer.status for answer in answers] == [200] * 5, (path, answers)
    assert int(full.site.get(ITEMS, full.token).headers["X-RateLimit-Remaining"]) > 0


def test_an_upload_is_refused_and_leaves_nothing(embedded: Installation) -> None:
    stored = files(embedded.disk)
    embedded.disk.fill()
    try:
        answer = upload(embedded.site, embedded.token)
    finally:
        embedded.disk.free()
    assert is_outage(answer), answer
    assert files(embedded.disk) == stored


@pytest.mark.parametrize("room", [100_000, 400_000])
def test_a_disk_that_becomes_full_during_an_upload(embedded: Installation, room: int) -> None:
    """The picture of 270 kB is received or not, then stored together with its variants or not at all."""
    stored = files(embedded.disk)
    embedded.disk.fill(room)
    try:
        answer = upload(embedded.site, embedded.token)
    finally:
        embedded.disk.free()
    assert is_outage(answer), answer
    assert files(embedded.disk) == stored


def files(small: Disk) -> set[str]:
    """The media and temporary files."""
    found = [*(small.folder / "var/media").rglob("*"), *(small.folder / "tmp").rglob("*")]
    return {str(path) for path in found if path.is_file()}


def test_readyz_names_the_disk(embedded: Installation) -> None:
    embedded.disk.fill()
    try:
        health = embedded.site.get("/readyz")
    finally:
        embedded.disk.free()
    assert (health.status, health.json()["checks"]["disk"]) == (503, "failed")
    assert embedded.site.wait_for("/readyz", 200) < 5


def test_it_recovers(full: Installation) -> None:
    assert is_outage(write_until_refused(full))
    full.disk.free()
    assert full.site.wait_for("/readyz", 200) < 5
    assert create_item(full.site, full.token, "Stored").status == 201
    assert full.site.status(ITEMS, full.token) == 200
