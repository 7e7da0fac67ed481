"""QR codes, which phones read from paper and from screens."""

from io import BytesIO

import segno


def qr_svg(text: str) -> str:
    """Return the QR code of a text as SVG for a page, which scales it. Raises ValueError if the text is too long for a code."""
    svg: str = _code(text).svg_inline(border=4, omitsize=True, dark="#000", light="#fff")
    return svg


def qr_png(text: str, *, scale: int = 8) -> bytes:
    """Return the QR code of a text as PNG, with `scale` pixels for each module. Raises ValueError if the text is too long."""
    file = BytesIO()
    _code(text).save(file, kind="png", scale=scale, border=4)
    return file.getvalue()


def _code(text: str) -> segno.QRCode:
    # `segno.make` may choose a Micro QR code, which phones do not read. A quarter of a code may be dirty or torn.
    return segno.make_qr(text, error="q", boost_error=True)
