"""QR codes: ordinary ones of the right text, as SVG and PNG."""

import re
from io import BytesIO
from xml.etree import ElementTree

import pytest
import segno
from PIL import Image

from commerce.common.services.qr import qr_png, qr_svg

TEXT = "https://example.org/tickets/ABCD2345"


def modules_of(png: bytes, scale: int) -> list[list[int]]:
    """The modules of a picture, with the quiet zone around them: 1 is dark."""
    picture = Image.open(BytesIO(png)).convert("1")
    places = range(scale // 2, picture.width, scale)
    return [[int(not picture.getpixel((x, y))) for x in places] for y in places]


@pytest.mark.parametrize("text", [TEXT, "ABCD2345", "Grüße 東京 🎁", "a\0b"])
def test_it_works(text: str) -> None:
    expected = segno.make_qr(text, error="q")
    drawn = modules_of(qr_png(text, scale=3), 3)
    assert [row[4:-4] for row in drawn[4:-4]] == [list(row) for row in expected.matrix]
    # The quiet zone.
    assert not any(map(any, [*drawn[:4], *drawn[-4:]]))
    assert not any(any([*row[:4], *row[-4:]]) for row in drawn)


def test_a_short_code_is_no_micro_code() -> None:
    """Control: `make` returns one that phones do not read."""
    assert segno.make("ABCD2345").is_micro
    assert len(modules_of(qr_png("ABCD2345", scale=1), 1)) == 21 + 8


def test_an_svg_scales_and_runs_nothing() -> None:
    svg = qr_svg(TEXT)
    root = ElementTree.fromstring(svg)
    assert set(root.attrib) == {"viewBox", "class"}
    assert {child.tag for child in root} == {"path"}
    assert re.findall(r"style=|on\w+=|<script", svg) == []


def test_a_text_that_fits_no_code_is_refused() -> None:
    with pytest.raises(ValueError, match="too large"):
        qr_svg("x" * 5000)
