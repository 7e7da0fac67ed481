"""The demo's pictures and its only document, drawn once and stored in the media library."""

from dataclasses import dataclass
from io import BytesIO
from typing import Any

from django.core.files.base import ContentFile
from django.utils.text import slugify
from PIL import Image
from wagtail.documents import get_document_model
from wagtail.images import get_image_model

from cms_api.media.selectors import find_category
from cms_api.media.services.categories import save_category
from cms_api.media.services.intake import receive_all
from cms_api.media.services.library import upload

from . import drawing

PROGRAMME = "Programme of the season"

CATEGORIES = ("Places", "Works")


@dataclass(frozen=True)
class Stock:
    """Library images by the name of their drawing, and the path of the document below the media root."""

    images: dict[str, Any]
    document: str

    def path(self, name: str) -> str:
        return str(self.images[name].file.name)


def stock() -> Stock:
    """Return all media that the demo uses, drawing what is missing."""
    for name in CATEGORIES:
        if find_category(slugify(name)) is None:
            save_category(name=name)
    titles = {picture["title"]: name for name, picture in drawing.PICTURES.items()}
    images = {titles[image.title]: image for image in get_image_model().objects.filter(title__in=titles).order_by("-pk")}
    missing = [name for name in drawing.PICTURES if name not in images]
    for name, image_file in zip(missing, receive_all(map(_draw, missing)), strict=True):
        texts = {key: drawing.PICTURES[name][key] for key in ("title", "alt", "caption", "category")}
        images[name] = upload(file=image_file, **texts)
    return Stock(images, _document())


def _draw(name: str) -> ContentFile:
    return ContentFile(_encode(drawing.draw(name), "JPEG", quality=82, optimize=True), name=f"{name}.jpg")


def _document() -> str:
    documents = get_document_model().objects
    found = documents.filter(title=PROGRAMME).order_by("pk").first()
    if found is None:
        page = drawing.draw("tiles").resize((800, 500))
        found = documents.create(title=PROGRAMME, file=ContentFile(_encode(page, "PDF", title=PROGRAMME), name="programme.pdf"))
    return str(found.file.name)


def _encode(image: Image.Image, kind: str, **options: Any) -> bytes:
    target = BytesIO()
    image.save(target, kind, **options)
    return target.getvalue()
