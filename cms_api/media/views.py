"""Serves media files where no web server in front does."""

from django.conf import settings
from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase
from django.views.static import serve

#: For what a browser could run: nothing may.
INERT = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def serve_media(request: HttpRequest, path: str) -> HttpResponseBase:
    """A file below the media root, never sniffed; SVG with a policy under which it can run nothing."""
    response = serve(request, path, document_root=str(settings.MEDIA_ROOT))
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "public, max-age=3600"
    if isinstance(response, FileResponse) and response.headers.get("Content-Type", "").startswith(("image/svg", "text/")):
        response.headers["Content-Security-Policy"] = INERT
    return response
