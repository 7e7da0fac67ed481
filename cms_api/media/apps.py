from typing import Any

from django.apps import AppConfig


class MediaConfig(AppConfig):
    name = "cms_api.media"
    label = "media"
    verbose_name = "Media"

    def ready(self) -> None:
        """Prepare Wagtail's images: sizes that are known are not read again, and two animated formats show their first frame."""
        import filetype
        from willow.image import INITIAL_IMAGE_CLASSES, PNGImageFile

        from .models import MediaImage, Rendition
        from .services.sizes import PictureFile

        images: tuple[Any, ...] = (MediaImage, Rendition)
        for model in images:
            model._meta.get_field("file").attr_class = PictureFile

        class MovingAvif(filetype.Type):
            def __init__(self) -> None:
                super().__init__(mime="image/avif", extension="avif")

            def match(self, head: bytes) -> bool:
                return bytes(head[4:12]) == b"ftypavis"

        filetype.add_type(MovingAvif())
        INITIAL_IMAGE_CLASSES["apng"] = PNGImageFile
