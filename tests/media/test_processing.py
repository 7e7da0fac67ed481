"""The process that reads an uploaded file: in a site that is being stopped, and for many files."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.base import ContentFile

from cms_api.core.errors import Invalid
from cms_api.media.services.intake import receive_all
from tests.serving import PATIENCE, ROOT

from .files import png

DRAWING = b'<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"/>'


def test_a_signal_to_all_processes_of_the_site_does_not_end_it(tmp_path: Path) -> None:
    """Its parent answers the request, or ends it: nobody is told that a good file is damaged."""
    source = tmp_path / "source"
    os.mkfifo(source)
    task = {"source": str(source), "mime_type": "image/svg+xml", "into": str(tmp_path)}
    command = [sys.executable, "-P", "-m", "cms_api.media.services.processing", json.dumps(task)]
    with subprocess.Popen(command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE) as process:
        # It waits until the process reads.
        with source.open("wb") as file:
            process.send_signal(signal.SIGTERM)
            file.write(DRAWING)
        written, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    report = json.loads(written)
    assert (report["width"], report["height"]) == (30, 20)


def test_many_are_received_in_their_order() -> None:
    """The next ones are taken while one is stored, and one that is refused stops the rest."""
    taken: list[str] = []

    def make() -> Iterator[ContentFile]:
        for number in range(6):
            taken.append(f"{number}.png")
            yield ContentFile(b"no picture" if number == 4 else png(8 + number, 8), name=taken[-1])

    found = receive_all(make())
    with next(found) as first:
        assert (first.name, first.width, len(taken)) == ("0.png", 8, 3)
    for number in (1, 2, 3):
        with next(found) as other:
            assert (other.name, other.width) == (f"{number}.png", 8 + number)
    with pytest.raises(Invalid, match="valid"):
        next(found)
