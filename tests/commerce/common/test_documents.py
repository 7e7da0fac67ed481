"""PDF documents: what all of them bear, and that data is never evaluated."""

from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from cms_api.flags.services import set_setting
from commerce.common.services.documents import Pdf, render_pdf
from home.models import Theme
from tests.client import together

pytestmark = pytest.mark.django_db

AT = datetime(2026, 3, 1, 18, 30, tzinfo=UTC)
PARTS: dict[str, Any] = {"facts": [], "addresses": [{"label": "Ship to", "lines": ["Dana"]}], "items": [], "notes": []}


def made(**data: Any) -> Pdf:
    return render_pdf("packing_slip", {"title": "Packing slip", "number": "ORD-1", **PARTS, **data}, at=AT)


def note(text: str) -> Pdf:
    return made(notes=[{"label": "Note", "text": text}])


def text_of(pdf: Pdf) -> str:
    return " ".join(page.extract_text() for page in PdfReader(BytesIO(pdf.content)).pages)


def test_it_works() -> None:
    set_setting(key="site.name", value="The Old Mill")
    pdf = made()
    reader = PdfReader(BytesIO(pdf.content))
    assert (pdf.missing, reader.metadata.title, reader.metadata.author) == ("", "Packing slip ORD-1", "The Old Mill")
    assert reader.metadata.creation_date == AT
    assert "The Old Mill" in text_of(pdf)


def test_it_has_the_colour_of_the_theme() -> None:
    plain = made().content
    Theme(accent="#7a4b2a").save()
    assert made().content != plain


@pytest.mark.parametrize(
    "text",
    ['#panic("x")', '#read("/etc/passwd")', "#import sys: *", "= Heading", "*bold*", "$sum$", '"quoted" \\n', "// gone", "#{"],
)
def test_markup_is_only_text(text: str) -> None:
    assert text in text_of(note(text))


@pytest.mark.parametrize("text", ["東京", "القاهرة", "🎁", "\U00012000", "a\0b", "\ud800", "\x07\x1b", "\ufeff", "\u202e", ""])
def test_characters_of_all_kinds_make_a_document(text: str) -> None:
    pdf = note(f"Before {text} after")
    assert set(pdf.missing) <= set(text)
    assert "ORD-1" in text_of(pdf)


def test_characters_that_no_font_has_are_named_and_the_rest_is_shown() -> None:
    pdf = note("Before \U00012000\U00012000 after")
    assert pdf.missing == "\U00012000"
    assert "after" in text_of(pdf)


def test_letters_of_european_languages_are_in_the_font() -> None:
    pdf = note("Ærø Åse Łódź Žižkov Šešupė İstanbul Ελλάδα Київ – “quotes” € £ ₺ ₹ … ™ → ✓")
    assert (pdf.missing, b"pdfaid:part>3<" in pdf.content) == ("", True)


@pytest.mark.django_db(transaction=True)
def test_documents_at_once_do_not_mix() -> None:
    pages = together(lambda number: text_of(note(f"Note number {number}.")), 8)
    assert all(f"Note number {number}." in page for number, page in enumerate(pages))
