"""Writers who use the API of a served site, and a check of what a restored site has of their writes."""

import json
import random
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from PIL import Image

from tests.webhooks.crash import ROOT, Site

BOUNDARY = "a-boundary-of-the-tests"


@dataclass
class Write:
    """A value that a record was given; None if the record was deleted."""

    value: str | None
    sent_at: float
    answered_at: float | None = None


@dataclass
class Records:
    """The values that each record was given, in order, by its id."""

    writes: dict[int, list[Write]] = field(default_factory=dict)

    def wrong(self, found: dict[int, str], began: float, ended: float) -> dict[int, str]:
        """Compare with the records of a backup that began and ended at these times.

        A record must have the last value acknowledged before the backup began, or a later one sent before it ended.
        """
        problems = {}
        for record, writes in self.writes.items():
            last = max((n for n, write in enumerate(writes) if write.answered_at and write.answered_at < began), default=-1)
            possible = {write.value for write in writes[max(last, 0) :] if write.sent_at < ended} | (
                {None} if last < 0 else set()
            )
            if found.get(record) not in possible:
                problems[record] = f"{found.get(record)!r} instead of one of {possible}"
        return problems

    def acknowledged(self, before: float) -> int:
        """The number of records that exist by all that was acknowledged before a moment."""
        last = [
            [write for write in writes if write.answered_at and write.answered_at < before][-1:]
            for writes in self.writes.values()
        ]
        return sum(1 for found in last if found and found[0].value is not None)


class Writers:
    """Threads that create, change and delete items and pictures until they are stopped."""

    def __init__(self, where: Site, count: int = 4) -> None:
        self.items, self.pictures = Records(), Records()
        self.failed: list[int] = []
        self._where = where
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number,), daemon=True) for number in range(count)]

    def __enter__(self) -> "Writers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def wait_for(self, items: int) -> None:
        deadline = time.monotonic() + 120
        while len(self.items.writes) < items:
            assert time.monotonic() < deadline, "The site does not accept writes."
            assert any(thread.is_alive() for thread in self._threads), self.failed
            time.sleep(0.05)

    def _run(self, number: int) -> None:
        mine: list[int] = []
        pictures: list[int] = []
        chance = random.Random(number)
        while not self._stop.is_set():
            step = chance.random()
            if step < 0.15:
                self._upload(pictures, chance)
            elif step < 0.2 and pictures:
                self._delete("/api/v1/media", self.pictures, pictures.pop(chance.randrange(len(pictures))))
            elif step < 0.3 and mine:
                self._delete("/api/v1/content-items", self.items, mine.pop(chance.randrange(len(mine))))
            elif step < 0.5 and mine:
                self._change(chance.choice(mine))
            else:
                self._create(mine, pictures, chance)

    def _create(self, mine: list[int], pictures: list[int], chance: random.Random) -> None:
        title = f"Item {chance.random()}"
        picture = chance.choice(pictures) if pictures and chance.random() < 0.5 else None
        body = {"type": "blog-post", "status": "published", "data": {"title": title}, "featured_media_id": picture}
        sent = time.monotonic()
        status, answer = self._where.call("POST", "/api/v1/content-items", body)
        if self._is_done(status, 201):
            record = answer["data"]["id"]
            self.items.writes[record] = [Write(title, sent, time.monotonic())]
            mine.append(record)

    def _change(self, record: int) -> None:
        write = Write(f"Item {time.monotonic()}", time.monotonic())
        self.items.writes[record].append(write)
        path = f"/api/v1/content-items/{record}?type=blog-post"
        if self._is_done(self._where.call("PATCH", path, {"data": {"title": write.value}})[0], 200):
            write.answered_at = time.monotonic()

    def _delete(self, path: str, records: Records, record: int) -> None:
        write = Write(None, time.monotonic())
        records.writes[record].append(write)
        if self._is_done(self._where.call("DELETE", f"{path}/{record}?type=blog-post")[0], 200):
            write.answered_at = time.monotonic()

    def _upload(self, pictures: list[int], chance: random.Random) -> None:
        drawn = BytesIO()
        Image.new("RGB", (900, 600), chance.randrange(1 << 24)).save(drawn, "PNG")
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="picture.png"\r\n\r\n'
        body = head.encode() + drawn.getvalue() + f"\r\n--{BOUNDARY}--\r\n".encode()
        kind = f"multipart/form-data; boundary={BOUNDARY}"
        headers = {"Authorization": f"Bearer {self._where.token}", "Content-Type": kind}
        sent = time.monotonic()
        request = Request(f"http://127.0.0.1:{self._where.port}/api/v1/media", body, headers)
        try:
            with urlopen(request, timeout=60) as answer:
                record = json.loads(answer.read())["data"]["id"]
        except HTTPError as refusal:
            with refusal:
                self.failed.append(refusal.code)
            return
        self.pictures.writes[record] = [Write("picture", sent, time.monotonic())]
        pictures.append(record)

    def _is_done(self, status: int, wanted: int) -> bool:
        if status != wanted:
            self.failed.append(status)
        return status == wanted


def check(where: Site) -> dict[str, Any]:
    """The records of a site that is not served, and whatever is not whole there."""
    command = [sys.executable, "-m", "tests.gateway.backup.whole"]
    environment = {**where.environment, "PYTHONPATH": f"{ROOT / 'site'}:{ROOT}"}
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return {
        name: {int(pk): value for pk, value in each.items()} if isinstance(each, dict) else each for name, each in found.items()
    }
