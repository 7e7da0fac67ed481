"""Files with a known size in pixels: reading it from them, even from a header, takes this process tens of megabytes."""

from typing import Any

from django.core.files.base import File
from wagtail.images.models import WagtailImageFieldFile


class SizedFile(File):
    """A file with its size in pixels, if it is an image."""

    def __init__(self, file: Any, *, name: str | None = None, width: int | None = None, height: int | None = None) -> None:
        super().__init__(file, name=name)
        self.width = width
        self.height = height


class PictureFile(WagtailImageFieldFile):
    """The file of an image or rendition, which has the size of a SizedFile that is saved to it."""

    def get_image_dimensions(self) -> Any:
        content = None if self.closed else self.file
        if isinstance(content, SizedFile) and content.width and content.height:
            return content.width, content.height
        return super().get_image_dimensions()
