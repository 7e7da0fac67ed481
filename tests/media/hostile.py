"""Files that somebody uploads who wants the server to break, or to serve what it should not. All must be refused."""

import gzip
import io
import struct
import zipfile
from collections.abc import Callable

from .files import MP4, WEBM, drawn, encoded, jpeg, moving, png, raw_gif, raw_png, raw_webp, svg

Maker = Callable[[], bytes]


def _zip() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("shell.php", "<?php system($_GET['c']);")
    return target.getvalue()


def _ftyp(brand: bytes) -> bytes:
    return struct.pack(">I4s4sI", 16, b"ftyp", brand, 0) + b"\0" * 64


def _webm_of(doctype: bytes) -> bytes:
    return WEBM.replace(b"\x84webm", bytes([0x80 | len(doctype)]) + doctype)


def _resized_jpeg(width: int, height: int) -> bytes:
    """A small JPEG whose header claims another size."""
    raw = jpeg()
    at = raw.index(b"\xff\xc0") + 5
    return raw[:at] + struct.pack(">HH", height, width) + raw[at + 4 :]


def _resized_avif(width: int, height: int) -> bytes:
    raw = encoded(drawn(), "AVIF")
    at = raw.index(b"ispe") + 8
    return raw[:at] + struct.pack(">II", width, height) + raw[at + 8 :]


LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
    + b']><svg xmlns="http://www.w3.org/2000/svg"><text>&j;</text></svg>'
)
EXTERNAL = (
    b'<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg"><text>&x;</text></svg>'
)
PARAMETER = b'<!DOCTYPE svg [<!ENTITY % x SYSTEM "http://evil.example/x.dtd"> %x;]><svg xmlns="http://www.w3.org/2000/svg"/>'

#: Why each is bad, its name and its bytes.
FILES: dict[str, tuple[str, Maker]] = {
    "nothing": ("a.png", lambda: b""),
    "one byte": ("a.png", lambda: b"\x89"),
    "only a signature": ("a.png", lambda: b"\x89PNG\r\n\x1a\n"),
    "a PNG as JPEG": ("a.jpg", png),
    "a JPEG as PNG": ("a.png", jpeg),
    "a GIF as WebP": ("a.webp", lambda: encoded(drawn(), "GIF")),
    "a JPEG as AVIF": ("a.avif", jpeg),
    "a PNG as SVG": ("a.svg", png),
    "an SVG as PNG": ("a.png", svg),
    "an MP4 as MOV": ("a.mov", lambda: MP4),
    "an MP4 as WebM": ("a.webm", lambda: MP4),
    "a WebM as MP4": ("a.mp4", lambda: WEBM),
    "a Matroska as WebM": ("a.webm", lambda: _webm_of(b"matroska")),
    "an EBML without a type": ("a.webm", lambda: b"\x1a\x45\xdf\xa3" + b"\0" * 50),
    "an MP4 of an unknown brand": ("a.mp4", lambda: _ftyp(b"evil")),
    "a HEIC as AVIF": ("a.avif", lambda: _ftyp(b"heic")),
    "an AVIF as MP4": ("a.mp4", lambda: encoded(drawn(), "AVIF")),
    "an AVIF that is only a brand": ("a.avif", lambda: _ftyp(b"avif")),
    "a ZIP": ("a.png", _zip),
    "HTML": ("a.png", lambda: b"<html><script>alert(1)</script></html>"),
    "HTML as SVG": ("a.svg", lambda: b"<!doctype html><html><body><script>alert(1)</script></body></html>"),
    "XHTML as SVG": ("a.svg", lambda: b'<html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>'),
    "PHP": ("a.jpg", lambda: b"<?php system($_GET['c']); ?>"),
    "a program": ("a.gif", lambda: b"MZ" + b"\0" * 200),
    "an ELF program": ("a.webp", lambda: b"\x7fELF" + b"\0" * 200),
    "a shell script": ("a.mp4", lambda: b"#!/bin/sh\nrm -rf /\n"),
    "a PDF": ("a.png", lambda: b"%PDF-1.7\n"),
    "a TIFF as JPEG": ("a.jpg", lambda: encoded(drawn(), "TIFF")),
    "a BMP as PNG": ("a.png", lambda: encoded(drawn(), "BMP")),
    "an EPS as JPEG": ("a.jpg", lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n"),
    "an extension that is not allowed": ("a.php", png),
    "an executable extension": ("a.exe", lambda: b"MZ"),
    "an HTML extension": ("a.html", svg),
    "a TIFF": ("a.tif", lambda: encoded(drawn(), "TIFF")),
    "an ICO": ("a.ico", png),
    "an SVGZ": ("a.svgz", lambda: gzip.compress(svg())),
    "a compressed SVG": ("a.svg", lambda: gzip.compress(svg())),
    "no extension": ("png", png),
    "only an extension": (".png", png),
    "a dot at the end": ("a.png.", png),
    "a picture and then a program's extension": ("a.png.php", png),
    "a right-to-left override before the extension": ("a\u202egnp.exe", png),
    "a NUL before another extension": ("a.php\0.png.php", png),
    "half a PNG": ("a.png", lambda: png(400, 300)[:200]),
    "half a JPEG": ("a.jpg", lambda: jpeg(400, 300)[:900]),
    "half a GIF": ("a.gif", lambda: moving("GIF")[:120]),
    "half a WebP": ("a.webp", lambda: encoded(drawn(400, 300), "WEBP")[:100]),
    "half an AVIF": ("a.avif", lambda: encoded(drawn(), "AVIF")[:-30]),
    "a PNG with a wrong checksum": ("a.png", lambda: png().replace(b"IDAT", b"IDAU")),
    "a PNG of no height": ("a.png", lambda: raw_png(10, 0, 8, 2, b"")),
    "a PNG bomb of one bit": ("a.png", lambda: raw_png(13_000, 13_000, 1, 0, b"\0" * (1626 * 13_000))),
    "a PNG of 60,000 by 60,000": ("a.png", lambda: raw_png(60_000, 60_000, 8, 2, b"\0" * 1000)),
    "a PNG of 2 by 2 milliards": ("a.png", lambda: raw_png(2**31 - 1, 2**31 - 1, 8, 6, b"\0" * 1000)),
    "a PNG whose pixels are more than it says": ("a.png", lambda: raw_png(8000, 8000, 8, 0, b"\0" * 1000)),
    "a PNG with a text bomb": (
        "a.png",
        lambda: raw_png(10, 10, 8, 0, b"\0" * 20, (b"zTXt", b"a\0\0" + _deflated(80_000_000))),
    ),
    "a JPEG bomb": ("a.jpg", lambda: _resized_jpeg(65_000, 65_000)),
    "a GIF bomb": ("a.gif", lambda: raw_gif(65_000, 65_000, 1)),
    "a GIF of many frames": ("a.gif", lambda: raw_gif(5000, 5000, 20)),
    "a GIF of very many frames": ("a.gif", lambda: raw_gif(1000, 1000, 500)),
    "a WebP bomb": ("a.webp", lambda: raw_webp(16_000, 16_000)),
    "a WebP of many frames": ("a.webp", lambda: raw_webp(2000, 2000, 200)),
    "an AVIF bomb": ("a.avif", lambda: _resized_avif(30_000, 30_000)),
    "an APNG of many frames": (
        "a.png",
        lambda: raw_png(5000, 5000, 8, 0, b"\0" * 5001 * 10, (b"acTL", struct.pack(">II", 50, 0))),
    ),
    "a milliard laughs": ("a.svg", lambda: LAUGHS),
    "an external entity": ("a.svg", lambda: EXTERNAL),
    "a parameter entity": ("a.svg", lambda: PARAMETER),
    "an SVG of 101 levels": ("a.svg", lambda: svg("<g>" * 100 + "</g>" * 100)),
    "an SVG of 100,000 levels": ("a.svg", lambda: svg("<g>" * 100_000 + "</g>" * 100_000)),
    "an SVG of 2 MB": ("a.svg", lambda: svg("<rect/>" * 300_000)),
    "an SVG that does not close": ("a.svg", lambda: svg()[:-6]),
    "an SVG of no namespace": ("a.svg", lambda: b"<svg><rect/></svg>"),
    "an SVG in UTF-16": ("a.svg", lambda: svg().decode().encode("utf-16")),
    "an SVG in UTF-7": ("a.svg", lambda: b'<?xml version="1.0" encoding="utf-7"?>' + svg()),
    "an SVG of bad UTF-8": ("a.svg", lambda: svg("<text>\xff</text>").decode().encode("latin-1")),
    "an SVG with a NUL": ("a.svg", lambda: svg("<text>\0</text>")),
    "an SVG with two roots": ("a.svg", lambda: svg() + svg()),
    "an SVG with an attribute twice": ("a.svg", lambda: svg('<rect x="1" x="2"/>')),
    "an SVG with an unknown prefix": ("a.svg", lambda: svg('<x:rect/>')),
    "an SVG with a script behind it": ("a.svg", lambda: svg() + b"<script>alert(1)</script>"),
}  # fmt: skip


def _deflated(length: int) -> bytes:
    import zlib

    return zlib.compress(b"\0" * length, 9)


#: Drawings that hold something active; each is cleaned. The second is what nothing of may be left.
DRAWINGS: dict[str, tuple[str, str]] = {
    "a script": ("<script>alert(1)</script>", "alert"),
    "a script by address": ('<script href="https://evil.example/x.js"/>', "evil"),
    "a script in CDATA": ("<script><![CDATA[alert(1)]]></script>", "alert"),
    "a handler": ('<rect onclick="alert(1)"/>', "alert"),
    "a handler in capitals": ('<rect ONLOAD="alert(1)"/>', "alert"),
    "a handler of an animation": ('<animate onbegin="alert(1)" attributeName="x" dur="1s"/>', "alert"),
    "a javascript link": ('<a xlink:href="javascript:alert(1)"><text>x</text></a>', "alert"),
    "a javascript link with blanks": ('<a href="java&#10;script&#9;:alert(1)"><text>x</text></a>', "alert"),
    "a javascript link with references": ('<a href="&#106;avascript:alert(1)"><text>x</text></a>', "alert"),
    "a vbscript link": ('<a href="vbscript:alert(1)"><text>x</text></a>', "alert"),
    "a data link": ('<a href="data:text/html,&lt;script>alert(1)&lt;/script>"><text>x</text></a>', "alert"),
    "an animation of a link": ('<a><animate attributeName="href" to="javascript:alert(1)"/></a>', "alert"),
    "an animation of a handler": ('<set attributeName="onmouseover" to="alert(1)"/>', "alert"),
    "a foreign object": ("<foreignObject><p>evil</p></foreignObject>", "evil"),
    "a frame": ('<iframe src="https://evil.example/"/>', "evil"),
    "HTML inside": ('<p xmlns="http://www.w3.org/1999/xhtml">evil</p>', "evil"),
    "an image elsewhere": ('<image href="https://evil.example/x.png"/>', "evil"),
    "an image by protocol alone": ('<image xlink:href="//evil.example/x.png"/>', "evil"),
    "an SVG in an image": ('<image href="data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+"/>', "PHN2Zy"),
    "a use of a file elsewhere": ('<use href="https://evil.example/x.svg#a"/>', "evil"),
    "a filter elsewhere": ('<rect filter="url(https://evil.example/x.svg#f)"/>', "evil"),
    "a fill elsewhere": ('<rect style="fill:url(https://evil.example/x)"/>', "evil"),
    "a style that imports": ("<style>@import url(https://evil.example/x.css);</style>", "evil"),
    "a style that imports text": ("<style>@import 'https://evil.example/x.css';</style>", "evil"),
    "a style with a font": ("<style>@font-face{font-family:x;src:url(https://evil.example/f)}</style>", "evil"),
    "a style with escapes": (r"<style>rect{fill:\75rl(https://evil.example/x)}</style>", "evil"),
    "a style with an expression": ("<style>rect{width:expression(alert(1))}</style>", "alert"),
    "an XML base": ('<g xml:base="https://evil.example/"><use href="#a"/></g>', "evil"),
    "XML events": ('<handler xmlns="http://www.w3.org/2001/xml-events" type="text/javascript">alert(1)</handler>', "alert"),
    "a style sheet for the document": ('<?xml-stylesheet href="https://evil.example/x.css"?><rect/>', "evil"),
    "a comment": ("<!-- evil -->", "evil"),
}
