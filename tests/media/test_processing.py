"""The process that reads an uploaded file, in a site that is being stopped."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.serving import PATIENCE, ROOT

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
