"""Many pictures of 49 megapixels at once, sent to a real server: all are stored, and others are answered meanwhile."""

import io
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image

from .files import all_files
from .server import Server, serving

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform != "linux", reason="Memory is read from /proc.")]

SIDE = 7000
#: The most seconds that a list may take meanwhile on a busy machine; without bounds, one took as long as the uploads.
SLOWEST = 5.0
#: The memory by which all processes together may grow, in kB. A PNG is decoded whole, a JPEG at half its size.
GROWTH = {"JPEG": 250_000, "PNG": 350_000}
#: Seconds for all uploads together, with the repetitions that a client makes after a 503.
PATIENCE = 400


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path, workers=2) as started:
        yield started


def photograph(kind: str) -> bytes:
    """A picture with soft shapes and some noise, whose file is as large as a photograph's."""
    rough = Image.effect_noise((SIDE // 20, SIDE // 20), 120).convert("RGB").resize((SIDE, SIDE), Image.Resampling.BICUBIC)
    target = io.BytesIO()
    rough.save(target, kind, **({"quality": 90} if kind == "JPEG" else {"compress_level": 1}))
    return target.getvalue()


def persist(server: Server, token: str, name: str, content: bytes) -> list[int]:
    """Upload a picture, again after each 503 as it asks; the statuses."""
    deadline = time.monotonic() + PATIENCE
    statuses = []
    while time.monotonic() < deadline:
        status, body, wait = server.upload(token, name, len(content), [content], PATIENCE)
        statuses.append(status)
        if status != 503:
            assert status == 201, body
            break
        time.sleep(int(wait))
    return statuses


@pytest.mark.parametrize(("kind", "uploads"), [("JPEG", 12), ("PNG", 6)])
def test_others_are_answered_meanwhile(server: Server, kind: str, uploads: int, capsys: pytest.CaptureFixture[str]) -> None:
    token, content = server.token(), photograph(kind)
    for _ in range(8):
        assert server.get("/api/v1/media", token) == 200
    idle, begun = server.memory(), time.monotonic()
    sizes: list[int] = []
    reads: list[float] = []
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            sizes.append(server.memory())

    def read() -> None:
        while not over.wait(0.02):
            asked = time.monotonic()
            assert server.get("/api/v1/media", token) == 200
            reads.append(time.monotonic() - asked)

    with ThreadPoolExecutor(uploads + 2) as pool:
        watching = [pool.submit(watch), pool.submit(read)]
        try:
            sent = [pool.submit(persist, server, token, f"{number}.{kind.lower()}", content) for number in range(uploads)]
            statuses = [each.result() for each in sent]
        finally:
            over.set()
        for each in watching:
            each.result()
    grown = max(sizes) - idle
    counted = dict(Counter(status for each in statuses for status in each))
    with capsys.disabled():
        figures = f"{uploads} of {len(content) / 1e6:.0f} MB in {time.monotonic() - begun:.1f} s, answered {counted}"
        print(f" [{kind}: {figures}; {grown:,} kB more than {idle:,}; {len(reads)} lists meanwhile:", end="")
        print(f" median {statistics.median(reads) * 1000:.0f} ms, slowest {max(reads):.2f} s]")
    assert [each[-1] for each in statuses] == [201] * uploads
    assert len([path for path in all_files(server.folder / "media") if "variants" not in path]) == uploads
    assert max(reads) < SLOWEST
    assert grown < GROWTH[kind]
