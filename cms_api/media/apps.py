from django.apps import AppConfig


class MediaConfig(AppConfig):
    name = "cms_api.media"
    label = "media"
    verbose_name = "Media"

    def ready(self) -> None:
        """Register two animated formats with the library that opens Wagtail's images: it uses their first frame."""
        import filetype
        from willow.image import INITIAL_IMAGE_CLASSES, PNGImageFile

        class MovingAvif(filetype.Type):
            def __init__(self) -> None:
                super().__init__(mime="image/avif", extension="avif")

            def match(self, head: bytes) -> bool:
                return bytes(head[4:12]) == b"ftypavis"

        filetype.add_type(MovingAvif())
        INITIAL_IMAGE_CLASSES["apng"] = PNGImageFile
