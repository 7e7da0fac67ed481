"""How many pictures are decoded at once: slots that all processes of a host share, and requests that wait for them."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from cms_api.core.outages import Busy
from cms_api.core.slow_requests import SlowRequests
from cms_api.media.models import Media, MediaImage
from cms_api.media.services import capacity
from tests.builders import make_image
from tests.client import Api, together
from tests.waiting import until

from .files import all_files, png
from .test_admin_uploads import drop

pytestmark = pytest.mark.django_db

#: Takes the slot of a kind of work until it is killed.
SCRIPT = """
import fcntl, sys, time
file = open(sys.argv[1], "w")
fcntl.flock(file, fcntl.LOCK_EX)
print("taken", flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def own_slots(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr(capacity, "SLOTS", {"uploads": 1, "renditions": 1})
    monkeypatch.setattr(capacity, "MAX_WAIT_SECONDS", 0.1)
    return tmp_path / "slots"


@pytest.fixture
def two_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "uploads", SlowRequests(2))


@pytest.fixture
def other_process(own_slots: Path, work: str) -> Iterator[subprocess.Popen[bytes]]:
    """Another process of the host that has the slot."""
    own_slots.mkdir()
    command = [sys.executable, "-c", SCRIPT, str(own_slots / f"{work}.0")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"taken\n"
        yield process
        process.kill()


def most_at_once(times: int) -> int:
    """Run work in so many threads, each in a slot; the most that ran at once."""
    running, most = [], []

    def work(number: int) -> None:
        with capacity.slot("uploads"):
            running.append(number)
            most.append(len(running))
            time.sleep(0.01)
            running.remove(number)

    together(work, times)
    return max(most)


@pytest.mark.parametrize("slots", [1, 2])
@pytest.mark.both_databases
def test_it_works(slots: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(capacity.SLOTS, "uploads", slots)
    monkeypatch.setattr(capacity, "MAX_WAIT_SECONDS", 20)
    assert most_at_once(8) == slots


@pytest.mark.both_databases
def test_without_the_lock_all_would_run_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The positive control."""
    monkeypatch.setattr("fcntl.flock", lambda *_: None)
    assert most_at_once(8) > 2


@pytest.mark.parametrize("work", ["uploads"])
def test_processes_share_the_slots(other_process: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Busy), capacity.slot("uploads"):
        pass
    with capacity.slot("renditions"):
        pass
    monkeypatch.setattr(capacity, "MAX_WAIT_SECONDS", 20)
    other_process.kill()
    with capacity.slot("uploads"):
        pass


@pytest.mark.parametrize("work", ["uploads"])
@pytest.mark.usefixtures("real_processing")
@pytest.mark.both_databases
def test_an_upload_that_finds_no_slot_can_be_repeated(
    api: Api, media_root: Path, other_process: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = api.upload("/media", ("file", ("a.png", png())), idempotency_key="k")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "10")
    assert refused.json() == {"message": "The server is busy. Try again in a few seconds."}
    assert not Media.objects.exists()
    assert not all_files(media_root)
    other_process.kill()
    monkeypatch.setattr(capacity, "MAX_WAIT_SECONDS", 20)
    assert api.upload("/media", ("file", ("a.png", png())), idempotency_key="k").status_code == 201


@pytest.mark.parametrize("work", ["uploads"])
@pytest.mark.usefixtures("real_processing", "two_requests")
@pytest.mark.django_db(transaction=True)
def test_the_other_threads_stay_free(api: Api, other_process: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """Two wait for the slot, until they have it; the others are refused at once."""
    monkeypatch.setattr(capacity, "MAX_WAIT_SECONDS", 20)
    answered: list[int] = []

    def act(number: int) -> int:
        if number == 5:
            until(lambda: len(answered) == 3)
            other_process.kill()
            return 0
        status = int(Api(api.token).upload("/media", ("file", (f"{number}.png", png()))).status_code)
        answered.append(status)
        return status

    statuses = together(act, 6)
    assert answered[:3] == [503] * 3
    assert sorted(statuses) == [0, 201, 201, 503, 503, 503]


@pytest.mark.parametrize("work", ["uploads"])
@pytest.mark.usefixtures("real_processing")
def test_the_library_says_so(admin_client: Client, other_process: subprocess.Popen[bytes]) -> None:
    answer = drop(admin_client, "a.png", png())
    assert not answer["success"]
    assert "The server is busy. Try again in a few seconds." in answer["error_message"]
    assert not MediaImage.objects.exists()


@pytest.mark.parametrize("work", ["renditions"])
def test_renditions_share_slots_too(admin_client: Client, other_process: subprocess.Popen[bytes]) -> None:
    image = make_image()
    with pytest.raises(Busy):
        image.get_rendition("width-7")
    admin_client.raise_request_exception = False
    page = admin_client.get("/admin/images/")
    assert (page.status_code, page.headers["Retry-After"]) == (503, "10")
    assert "The server is busy." in page.content.decode()
    other_process.kill()
    other_process.wait()
    assert image.get_rendition("width-7").width == 7
