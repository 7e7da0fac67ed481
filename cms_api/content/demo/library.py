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
from cms_api.media.services.library import upload

from . import drawing

PROGRAMME = "Programme of the season"

CATEGORIES = ("Places", "Works")
#: Drawings in the category of places; the others are works.
PLACES = frozenset({"river", "stage", "garden", "roof", "moon", "mill", "hall", "street"})

#: Title, alternative text and caption of every picture, by the name of its drawing.
PICTURES: dict[str, tuple[str, str, str]] = {
    "river": ("River at dusk", "Layers of blue hills above a river under a low orange sun", "The river, from the footbridge."),
    "tiles": ("Tile wall", "A wall of tiles in cobalt, coral, yellow and green with quarter circles", ""),
    "kiln": ("Kiln glow", "Concentric arches glowing from dark red to pale yellow", "First firing of the new kiln."),
    "print": (
        "Two-colour print",
        "Overlapping translucent discs in blue and coral, as in a screen print",
        "Proof in two colours.",
    ),
    "stage": ("Stage lights", "Beams of warm light crossing a dark blue stage", ""),
    "garden": ("Weir garden", "Rolling green hills below a pale morning sky", "The garden behind the weir."),
    "choir": ("Voices", "Rows of rounded shapes in many colours, like people standing close together", ""),
    "loom": ("On the loom", "Woven bands of yellow, teal and cream", ""),
    "roof": ("Saw-tooth roof", "Repeating triangles of a mill roof against a coral sky", "The saw-tooth roof in June."),
    "moon": ("Night walk", "A large pale moon above dark hills", ""),
    "paper": ("Cut paper", "Large cut-paper shapes in cream, coral and teal", ""),
    "brass": ("Brass and drums", "Concentric circles in gold and cobalt", ""),
    "studio": ("Studio wall", "A grid of tiles in soft greens and creams", "The dye studio."),
    "workshop": ("Workshop table", "Discs in yellow and teal laid over one another", "Colour tests on the long table."),
    "mill": ("The mill", "A mill with a water wheel and a saw-tooth roof beside a winding river", "The mill from the meadow."),
    "hall": ("Turbine Hall", "The front of a large house at dusk, with light in its tall windows", "The hall before a concert."),
    "street": ("Dye house yard", "Workshops in bright colours with cloth on a line between them", "Drying day in the yard."),
    "people": ("The people of the mill", "Four people side by side on bright backgrounds", ""),
    "singers": ("Four voices", "Four people of the choir, each in front of a colour", ""),
    "pots": (
        "Two shelves of pots",
        "Shelves of glazed pots in teal, cobalt, coral and cream",
        "A term of evening classes.",
    ),
    "tools": ("Tool wall", "Brushes, scissors, a mallet and a ruler on a green wall", ""),
    "pencils": ("Things to make with", "Brushes, a roller and a pencil on a light blue wall", ""),
    "instruments": ("Instruments", "A guitar and two drums above the keys of a piano", ""),
}


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
    titles = {title: name for name, (title, _, _) in PICTURES.items()}
    images = {titles[image.title]: image for image in get_image_model().objects.filter(title__in=titles).order_by("-pk")}
    for name in PICTURES:
        if name not in images:
            images[name] = _add_picture(name)
    return Stock(images, _document())


def _add_picture(name: str) -> Any:
    title, alt, caption = PICTURES[name]
    image_file = ContentFile(_encode(drawing.draw(name), "JPEG", quality=82, optimize=True), name=f"{name}.jpg")
    category = "places" if name in PLACES else "works"
    return upload(file=image_file, title=title, alt=alt, caption=caption, category=category)


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
