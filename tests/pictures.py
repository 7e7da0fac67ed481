"""A cache of drawn and processed pictures, for later tests and later runs.

The demo draws the same pictures for every test that loads it, pages and the admin show renditions of them, and each uploaded
picture is rewritten by a process of its own, which takes a quarter of a second. Tests of the processing itself bypass the cache
(`real_processing`).
"""

import hashlib
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import PIL
from PIL import Image
from wagtail.images.models import Filter
from willow.image import Image as WillowImage

from cms_api.content.demo import drawing
from cms_api.media import types
from cms_api.media.services import intake, processing

Process = Callable[[dict[str, Any], str], dict[str, Any]]

really_process: Process = intake._process
_really_draw = drawing.draw
really_render: Any = Filter.run


def _folder(name: str, *sources: Path) -> Path:
    """A folder for files that depend only on these sources and the imaging library."""
    digest = hashlib.sha256(PIL.__version__.encode())
    for source in sources:
        digest.update(source.read_bytes())
    folder = Path(tempfile.gettempdir()) / f"site_tests_{name}_{digest.hexdigest()[:12]}.{os.getuid()}"
    folder.mkdir(exist_ok=True)
    return folder


class Remembered:
    """Replaces drawing and processing: pictures already drawn or processed come from the cache."""

    def __init__(self) -> None:
        sources = Path(drawing.__file__).parent
        self.drawings = _folder("drawings", *sorted([*sources.glob("*.py"), sources / "pictures.yaml"]))
        self.folder = _folder("pictures", *sorted(Path(processing.__file__).parent.glob("*.py")), Path(types.__file__))
        self.renditions = _folder("renditions")
        self.drawn: dict[str, Image.Image] = {}

    def draw(self, name: str) -> Image.Image:
        if name not in self.drawn:
            file = self.drawings / f"{name}.png"
            if not file.exists():
                unfinished = file.with_suffix(f".{os.getpid()}")
                _really_draw(name).save(unfinished, "PNG", compress_level=1)
                unfinished.rename(file)
            with Image.open(file) as drawn:
                self.drawn[name] = drawn.convert("RGB")
        return self.drawn[name].copy()

    def process(self, task: dict[str, Any], work: str) -> dict[str, Any]:
        digest = hashlib.sha256(Path(task["source"]).read_bytes())
        digest.update(f"{task['mime_type']} {task['degrees']}".encode())
        kept, into = self.folder / digest.hexdigest(), Path(task["into"])
        if not kept.exists():
            report = really_process(task, work)
            if "refused" not in report:
                self._keep(report, into, kept)
            return report
        report = json.loads((kept / "report.json").read_text())
        for name in _files(report):
            shutil.copyfile(kept / name, into / name)
        return report

    def render(self, spec: Filter, image: Any, output: Any, source: Any = None) -> Any:
        """Draw a rendition in the place of `Filter.run`: it depends on the file, the specification and the focal point alone.

        Small pictures are drawn anew: they take no time.
        """
        if source or image.width * image.height < 100_000:
            return really_render(spec, image, output, source)
        with image.open_file() as file:
            digest = hashlib.sha256(file.read())
        digest.update(f"{image.file.name.rpartition('.')[2]} {spec.spec} {image.get_focal_point()}".encode())
        kept = self.renditions / digest.hexdigest()
        if kept.exists():
            output.write(kept.read_bytes())
            output.seek(0)
            return WillowImage.open(output)
        made = really_render(spec, image, output, source)
        made.f.seek(0)
        unfinished = kept.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        unfinished.write_bytes(made.f.read())
        unfinished.rename(kept)
        return made

    def _keep(self, report: dict[str, Any], made: Path, kept: Path) -> None:
        """Store the files in one step, because a test may send several requests at once."""
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
