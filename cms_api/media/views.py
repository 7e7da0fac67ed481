"""Serves media files from disk or object storage, with ranges, and so that nothing in them runs on the site's origin."""

from pathlib import PurePosixPath

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header, http_date
from django.views.decorators.http import require_safe

from cms_api.http.ranges import Unsatisfiable, wanted_range

from .selectors import private_document
from .services.private import PRIVATE as PRIVATE_FOLDER
from .services.storage import Stored, media_storage
from .types.served import Treatment, file_type

#: For types that a browser could run: block everything.
INERT = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
#: A URL with `?v=` names one version of a file forever.
FOR_EVER = "public, max-age=31536000, immutable"
FOR_AN_HOUR = "public, max-age=3600"
#: Shorter than the lifetime of a signed URL.
FOR_A_REDIRECT = "public, max-age=1800"
PRIVATE = "private, no-cache"


@require_safe
def serve_media(request: HttpRequest, path: str) -> HttpResponseBase:
    """Serve a file below the media root, or redirect to it.

    Browsers fetch images, videos and sounds in an object storage directly, from a signed URL; the site itself serves whatever
    could run, under its policy, wherever it is stored.
    """
    if not _is_name(path):
        raise Http404
    treatment = file_type(path).treatment
    document = private_document(path)
    if document and not all(restriction.accept_request(request) for restriction in document.collection.get_view_restrictions()):
        # Asks for the password or a sign-in, and returns here.
        return HttpResponseRedirect(document.url, headers={"Cache-Control": PRIVATE})
    if request.method == "GET" and treatment is Treatment.SHOWN and (address := media_storage().direct_address(path)):
        return HttpResponseRedirect(address, headers={"Cache-Control": PRIVATE if document else FOR_A_REDIRECT})
    stored = media_storage().find(path)
    if stored is None:
        raise Http404
    cache = PRIVATE if document else FOR_EVER if "v" in request.GET else FOR_AN_HOUR
    return _answer(request, stored, {"Cache-Control": cache, **_headers(path)})


def _is_name(path: str) -> bool:
    """Return whether the path can be that of a public file: plain segments, none of them hidden or leading upwards."""
    if path.startswith(f"{PRIVATE_FOLDER}/"):
        return False
    return "\\" not in path and "\0" not in path and all(part and not part.startswith(".") for part in path.split("/"))


def _headers(path: str) -> dict[str, str]:
    known = file_type(path)
    headers = {"Content-Type": known.content_type, "X-Content-Type-Options": "nosniff", "Accept-Ranges": "bytes"}
    if known.treatment is not Treatment.SHOWN:
        headers["Content-Security-Policy"] = INERT
    if known.treatment is Treatment.SAVED:
        headers["Content-Disposition"] = content_disposition_header(True, PurePosixPath(path).name) or "attachment"
    return headers


def _answer(request: HttpRequest, stored: Stored, headers: dict[str, str]) -> HttpResponseBase:
    """Return the file, the requested range of it, or 304 if the visitor's copy is current."""
    modified = int(stored.modified.timestamp())
    headers |= {"ETag": stored.tag, "Last-Modified": http_date(modified)}
    whole = HttpResponse(headers={**headers, "Content-Length": str(stored.size)})
    conditional = get_conditional_response(request, stored.tag, modified, whole)
    if conditional and conditional is not whole:
        return conditional
    if request.method == "HEAD":
        return whole
    try:
        part = wanted_range(request, stored.size, stored.tag, modified)
    except Unsatisfiable:
        return HttpResponse(status=416, headers={**headers, "Content-Range": f"bytes */{stored.size}"})
    start, end = part or (0, stored.size - 1)
    try:
        section = media_storage().section(stored, start, end - start + 1)
    except FileNotFoundError as problem:
        raise Http404 from problem
    response = FileResponse(section, status=206 if part else 200)
    if part:
        headers["Content-Range"] = f"bytes {start}-{end}/{stored.size}"
    for name, value in {**headers, "Content-Length": str(end - start + 1)}.items():
        response.headers[name] = value
    if "Content-Disposition" not in headers:
        del response.headers["Content-Disposition"]
    return response
