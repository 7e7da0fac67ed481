"""Pictures that were taken in once are remembered for the rest of a process, and those that were drawn for later ones too.

The demo draws the same pictures for every test that loads it, and each picture that is uploaded is rewritten by a process of
its own. The tests of media themselves are about that process, and have it work each time.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import PIL
from PIL import Image

from cms_api.content.demo import drawing
from cms_api.media.services import intake

Process = Callable[[dict[str, Any]], dict[str, Any]]

really_process: Process = intake._process
_really_draw = drawing.draw


def _drawings() -> Path:
    """Where drawings are kept, which depend on nothing but their recipes and the library that draws."""
    digest = hashlib.sha256(PIL.__version__.encode() + Path(drawing.__file__).read_bytes()).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / f"site_tests_drawings_{digest}.{os.getuid()}"
    folder.mkdir(exist_ok=True)
    return folder


class Remembered:
    """Answers for the process that rewrites pictures, where it has seen the same bytes before."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.drawn: dict[str, Image.Image] = {}

    def draw(self, name: str) -> Image.Image:
        if name not in self.drawn:
            file = _drawings() / f"{name}.png"
            if not file.exists():
                unfinished = file.with_suffix(f".{os.getpid()}")
                _really_draw(name).save(unfinished, "PNG", compress_level=1)
                unfinished.rename(file)
            with Image.open(file) as drawn:
                self.drawn[name] = drawn.convert("RGB")
        return self.drawn[name].copy()

    def process(self, task: dict[str, Any]) -> dict[str, Any]:
        digest = hashlib.sha256(Path(task["source"]).read_bytes())
        digest.update(f"{task['mime_type']} {task['turn']}".encode())
        kept, into = self.folder / digest.hexdigest(), Path(task["into"])
        if not kept.exists():
            report = really_process(task)
            if "refused" not in report:
                self._keep(report, into, kept)
            return report
        report = json.loads((kept / "report.json").read_text())
        for name in _files(report):
            shutil.copyfile(kept / name, into / name)
        return report

    def _keep(self, report: dict[str, Any], made: Path, kept: Path) -> None:
        """In one step, as requests of one test may come at the same time."""
        unfinished = Path(tempfile.mkdtemp(dir=self.folder))
        for name in _files(report):
            shutil.copyfile(made / name, unfinished / name)
        (unfinished / "report.json").write_text(json.dumps(report))
        try:
            unfinished.rename(kept)
        except OSError:
            shutil.rmtree(unfinished)


def _files(report: dict[str, Any]) -> list[str]:
    return [report["file"], *(copy["file"] for copy in report["variants"])]
