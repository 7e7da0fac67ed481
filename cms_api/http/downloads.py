"""Responses with uploaded files, whose content is not trusted."""

from django.db.models.fields.files import FieldFile
from django.http import FileResponse, Http404


def download(file: FieldFile, name: str) -> FileResponse:
    """Return a file as a download under this name: never shown inline, and never cached. Raises Http404 if it is gone."""
    try:
        content = file.open("rb")
    except FileNotFoundError:
        raise Http404 from None
    response = FileResponse(content, as_attachment=True, filename=name, content_type="application/octet-stream")
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response.headers["Cache-Control"] = "private, no-store"
    return response
