"""PDF documents, typeset by Typst from the templates in `templates/documents`."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import typst
from django.conf import settings
from django.template.loader import render_to_string

from cms_api.core.locks import refuse_in_transaction
from cms_api.flags.selectors import get_setting, site_country
from cms_api.mail.types import Attachment

TEMPLATES = Path(settings.BASE_DIR, "templates", "documents")
FONTS = "fontpkg_inter"
#: Keeps documents readable for decades, and refuses those with characters that no font has.
STANDARD: Literal["a-3b"] = "a-3b"

ACCENT = "#2a3bd0"
_COLOUR = re.compile("#[0-9a-f]{6}", re.IGNORECASE)
#: Countries that print on Letter, from the CLDR.
_LETTER = frozenset({"BZ", "CA", "CL", "CO", "CR", "GT", "MX", "NI", "PA", "PH", "PR", "SV", "US", "VE"})
#: Longer texts are cut: breaking a word of ten thousand letters takes seconds.
MAX_TEXT = 4_000
#: A compiler does one document at a time; each takes some milliseconds.
_lock = Lock()


@dataclass(frozen=True)
class Pdf:
    """A document, and the characters that none of the fonts have: boxes stand for them."""

    content: bytes
    missing: str = ""

    @property
    def missing_list(self) -> str:
        """Return the characters for people to read."""
        return ", ".join(self.missing)


@dataclass(frozen=True)
class Document:
    """All that a document is typeset from: the same makes the same bytes."""

    template: str
    #: JSON.
    data: str
    #: The moment that it bears, in seconds since 1970.
    at: int


def make_document(template: str, data: Mapping[str, Any], *, at: datetime) -> Document:
    """Return a document from the template of a name and its data, which is JSON with a `title` and a `number`.

    `at` is the moment that the document bears.
    """
    given = _cut({**_frame(), **data})
    # A half of a surrogate pair is no character.
    sent = json.dumps(given, ensure_ascii=False).encode("utf-8", "replace").decode()
    return Document(template, sent, int(at.timestamp()))


def render_pdf(template: str, data: Mapping[str, Any], *, at: datetime) -> Pdf:
    """Make a document and typeset it."""
    return typeset(make_document(template, data, at=at))


def attach(name: str, document: Document) -> Attachment:
    """Return a document as the attachment of a mail, which is typeset when the mail is sent."""
    return Attachment(f"{name}.pdf", type="application/pdf", maker=f"{__name__}.typeset_attachment", made_from=asdict(document))


def typeset_attachment(**document: Any) -> bytes:
    """Return the document of an attachment, whose columns are those of `Document`."""
    return typeset(Document(**document)).content


def typeset(document: Document) -> Pdf:
    """Return a document as PDF. It takes some hundred milliseconds.

    The text is set in Inter as PDF/A-3. Where that lacks a character, fonts of the server are tried; if these lack it too, the
    document is an ordinary PDF with boxes.
    """
    refuse_in_transaction("Typesetting")
    template, sent, at = document.template, document.data, document.at
    missing = "".join(sorted({each for each in sent if each.isprintable() and ord(each) not in _characters()}))
    attempts = [] if missing else [(False, [STANDARD])]
    for with_system, standards in (*attempts, (True, [STANDARD])):
        try:
            return Pdf(_compile(template, sent, at, with_system=with_system, standards=standards))
        except typst.TypstError:
            continue
    return Pdf(_compile(template, sent, at, with_system=True, standards=[]), missing)


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= MAX_TEXT else f"{value[:MAX_TEXT]}…"
    if isinstance(value, Mapping):
        return {key: _cut(each) for key, each in value.items()}
    return [_cut(each) for each in value] if isinstance(value, list) else value


def _compile(template: str, sent: str, at: int, *, with_system: bool, standards: Any) -> bytes:
    with _lock:
        content = _compiler(with_system).compile(
            input=TEMPLATES / f"{template}.typ",
            format="pdf",
            pdf_standards=standards,
            sys_inputs={"data": sent},
            timestamp=at,
        )
    assert isinstance(content, bytes)
    return content


@cache
def _compiler(with_system: bool) -> typst.Compiler:
    """Return the compiler with our font alone, or with the fonts of the server too."""
    fonts = typst.Fonts(
        include_system_fonts=with_system, include_embedded_fonts=with_system, font_paths=[str(files(FONTS) / "files")]
    )
    return typst.Compiler(root=TEMPLATES, font_paths=fonts)


@cache
def _characters() -> frozenset[int]:
    """Return the characters that the upright and the italic font both have."""
    from fontTools.ttLib import TTFont

    upright, italic = (set(TTFont(path).getBestCmap()) for path in sorted(Path(str(files(FONTS) / "files")).glob("*.ttf")))
    return frozenset(upright & italic)


def business() -> dict[str, Any]:
    """Return who sells, as documents bear it: `site`, the name of the site, and `sender`, the lines of its details."""
    details = str(get_setting("taxes.business_details") or "").split(";")
    return {"site": str(get_setting("site.name") or ""), "sender": [line.strip() for line in details if line.strip()]}


def _frame() -> dict[str, Any]:
    """Return what all documents bear: the business, the colour of the site, and the paper of the country."""
    accent = render_to_string("documents/accent.txt").strip()
    return {
        **business(),
        "accent": accent if _COLOUR.fullmatch(accent) else ACCENT,
        "paper": "us-letter" if site_country() in _LETTER else "a4",
    }
