"""Serves media files from disk or object storage, with ranges, and so that nothing in them runs on the site's origin."""

from pathlib import PurePosixPath

from django.http import Http404, HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe
from wagtail.documents.wagtail_hooks import check_view_restrictions

from cms_api.core.not_found import found_or_404
from cms_api.http.files import answer_file

from .models import MediaFile, MediaImage
from .selectors import find_owner, find_private, may_see
from .services.private import PRIVATE as PRIVATE_FOLDER
from .services.storage import media_storage
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
    """Serve a file below the media root, or redirect to it, if a record names it.

    Browsers fetch images, videos and sounds in an object storage directly, from a signed URL; the site itself serves whatever
    could run, under its policy, wherever it is stored.
    """
    if not _is_name(path):
        raise Http404
    owner = found_or_404(find_owner(path))
    treatment = file_type(path).treatment
    private = find_private(owner)
    if private and (refusal := _refusal(request, private)):
        return refusal
    if request.method == "GET" and treatment is Treatment.SHOWN and (address := media_storage().direct_address(path)):
        return HttpResponseRedirect(address, headers={"Cache-Control": PRIVATE if private else FOR_A_REDIRECT})
    stored = found_or_404(media_storage().find(path))
    cache = PRIVATE if private else FOR_EVER if "v" in request.GET else FOR_AN_HOUR
    return answer_file(request, media_storage(), stored, {"Cache-Control": cache, **_headers(path)})


def _refusal(request: HttpRequest, private: MediaImage | MediaFile) -> HttpResponseBase | None:
    """Return what asks for the password or a sign-in and leads back here, or None if the visitor may see the file."""
    restrictions = private.collection.get_view_restrictions()
    if all(each.accept_request(request) for each in restrictions) or may_see(request.user, private):
        return None
    if isinstance(private, MediaFile):
        return HttpResponseRedirect(private.url, headers={"Cache-Control": PRIVATE})
    refusal = check_view_restrictions(private, request)
    if refusal.status_code == 200:
        # An image that a page embeds is missing, not a form.
        refusal.status_code = 403
    refusal.headers["Cache-Control"] = PRIVATE
    return refusal


def _is_name(path: str) -> bool:
    """Return whether the path can be that of a public file: plain segments, none of them hidden or leading upwards."""
    if path.startswith(f"{PRIVATE_FOLDER}/"):
        return False
    return "\\" not in path and "\0" not in path and all(part and not part.startswith(".") for part in path.split("/"))


def _headers(path: str) -> dict[str, str]:
    known = file_type(path)
    headers = {"Content-Type": known.content_type, "X-Content-Type-Options": "nosniff"}
    if known.treatment is not Treatment.SHOWN:
        headers["Content-Security-Policy"] = INERT
    if known.treatment is Treatment.SAVED:
        headers["Content-Disposition"] = content_disposition_header(True, PurePosixPath(path).name) or "attachment"
    return headers
