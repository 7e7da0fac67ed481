"""A video of a hundred mebibytes, sent to a real server: it streams through, and others are answered meanwhile."""

import json
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cms_api.media.types import MAX_UPLOAD_BYTES

from .files import MP4, all_files
from .server import Server, serving

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform != "linux", reason="Memory is read from /proc.")]

#: The memory by which the server may grow, in kB; the file has 102,400.
GROWTH = 40_000


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path) as started:
        yield started


def upload(server: Server, token: str, length: int) -> tuple[int, bytes]:
    def pieces() -> Iterator[bytes]:
        yield MP4
        left = length - len(MP4)
        while left:
            yield b"\0" * min(left, 1 << 20)
            left -= min(left, 1 << 20)

    return server.upload(token, "long.mp4", length, pieces(), Idempotency_Key=str(length))[:2]


def test_it_works(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    token = server.token()
    assert upload(server, token, 1 << 20)[0] == 201
    before, begun = server.peak(), time.monotonic()
    answers: list[tuple[int, bytes]] = []
    sending = threading.Thread(target=lambda: answers.append(upload(server, token, MAX_UPLOAD_BYTES)))
    sending.start()
    meanwhile = []
    while sending.is_alive():
        asked = time.monotonic()
        assert server.get("/api/v1/media", token) == 200
        meanwhile.append(time.monotonic() - asked)
        time.sleep(0.05)
    sending.join()
    ((status, body),) = answers
    assert status == 201, body
    assert json.loads(body)["data"]["size"] == MAX_UPLOAD_BYTES
    grown = server.peak() - before
    with capsys.disabled():
        figures = f"100 MiB in {time.monotonic() - begun:.1f} s, {grown:,} kB more"
        print(f" [{figures}; of {len(meanwhile)} lists meanwhile the slowest took {max(meanwhile):.2f} s]")
    assert grown < GROWTH
    assert upload(server, token, MAX_UPLOAD_BYTES)[1] == body
    assert upload(server, token, MAX_UPLOAD_BYTES + 1)[0] == 413
    assert upload(server, token, MAX_UPLOAD_BYTES + (1 << 20))[0] == 413
    assert len(all_files(server.folder / "media")) == 2
