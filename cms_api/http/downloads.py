"""Responses that are downloads: stored files whose content is not trusted, and documents that the site has made."""

from typing import cast

from django.db.models.fields.files import FieldFile
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header

from cms_api.core.not_found import found_or_404

from .files import ServedStorage, answer_file

CSV_TYPE = "text/csv; charset=utf-8"
PDF_TYPE = "application/pdf"

#: Nothing of a file that others have sent runs in a browser, and no cache keeps it.
UNTRUSTED = {
    "Content-Type": "application/octet-stream",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "private, no-store",
}


def download(request: HttpRequest, file: FieldFile, name: str) -> HttpResponseBase:
    """Return a private file, or the requested range of it, as a download under this name: never shown inline, and never cached.

    Raises Http404 if it is gone.
    """
    storage = cast(ServedStorage, file.storage)
    stored = found_or_404(storage.find(file.name) if file.name else None)
    return answer_file(request, storage, stored, {**UNTRUSTED, "Content-Disposition": _disposition(name, is_attachment=True)})


def document(content: bytes, *, name: str, content_type: str = PDF_TYPE, is_attachment: bool = False) -> HttpResponse:
    """Return a document that the site has made for one person, which browsers show unless it is an attachment."""
    headers = {
        "Content-Disposition": _disposition(name, is_attachment=is_attachment),
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, no-store",
    }
    return HttpResponse(content, content_type=content_type, headers=headers)


def _disposition(name: str, *, is_attachment: bool) -> str:
    return content_disposition_header(is_attachment, name) or ("attachment" if is_attachment else "inline")
