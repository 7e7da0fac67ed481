"""Admin requests with values that Wagtail's own views take for granted: they are cleaned, or refused with 400.

Wagtail hands parts of a request to `int`, to `reverse` and to the database without a check. Where that raises an exception which
refuses a value, the answer is 400. The same exceptions from this project's code, which checks what it reads, stay failures.
A record that a service does not find any more is 404 on every page.
"""

import logging
import re
from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.core.paginator import InvalidPage
from django.db import DatabaseError, DataError, IntegrityError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.urls import NoReverseMatch
from django.utils.datastructures import MultiValueDictKeyError
from django.views.defaults import bad_request
from wagtail import hooks
from wagtail.models import Page

from cms_api.adminkit.ids import is_id
from cms_api.core.not_found import NotFound
from cms_api.text.search import words

ADMIN = "/admin/"
MAX_SEARCH_CHARACTERS = 200
#: Exceptions that refuse a value.
REFUSALS = (
    *(ValueError, OverflowError, IndexError),
    *(DataError, IntegrityError, ObjectDoesNotExist, InvalidPage, NoReverseMatch, ValidationError),
)
#: Exceptions where a value is None, or of another type.
NO_VALUE = (AttributeError, KeyError, RecursionError, TypeError)
#: Modules of Wagtail that read nothing but what was sent: there a missing value is to blame for these too.
READERS = (
    "wagtail.admin.forms.choosers",
    "wagtail.admin.panels.inline_panel",
    *(f"wagtail.admin.views.{name}" for name in ("chooser", "dismissibles", "generic.chooser")),
    *(f"wagtail.admin.views.pages.{name}" for name in ("ordering", "revisions")),
)
#: Packages whose modules are asked which of them used the value: Wagtail's, and those of this project.
_PACKAGES = {"wagtail", "cms_api", *(module.partition(".")[0] for module in settings.MODULES)}

#: The marks around an exact phrase. An apostrophe within a word is none.
_QUOTATION_MARK = re.compile(r"""\"|(?<!\w)'|'(?!\w)""")

logger = logging.getLogger(__name__)


class AdminRequestMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: object, args: object, kwargs: Mapping[str, Any]) -> None:
        """Drop invalid ids where Wagtail reads a list of them, and in searches the quotation marks that a database fails for.

        Of the pages that are chosen together, only those that the chooser shows are left.

        Raises Http404 for a lock of the root: Wagtail would lock it, and then look for the page above it.
        """
        path = request.path_info
        if path == f"{ADMIN}failwhale/":
            # Wagtail's page that always fails, to try out error pages.
            raise Http404
        if path.startswith(f"{ADMIN}pages/") and path.endswith(("/lock/", "/unlock/")):
            get_object_or_404(Page, pk=kwargs["page_id"], depth__gt=1)
        is_list = path.startswith(f"{ADMIN}bulk/") or (path.startswith(ADMIN) and path.endswith("/chosen-multiple/"))
        is_search = path.startswith(ADMIN) and "q" in request.GET
        if not is_list and not is_search:
            return
        query = request.GET.copy()
        if is_search:
            query["q"] = _readable(str(query["q"])[:MAX_SEARCH_CHARACTERS])
        if is_list:
            query.setlist("id", [text for text in query.getlist("id") if text == "all" or is_id(text)])
        if path == f"{ADMIN}choose-page/chosen-multiple/" and request.user.is_authenticated:
            query.setlist("id", _choosable(query.getlist("id"), request))
        request.GET = query  # type: ignore[assignment]

    def process_exception(self, request: HttpRequest, problem: Exception) -> HttpResponse | None:
        if not request.path_info.startswith(ADMIN):
            return None
        if isinstance(problem, NotFound):
            # Somebody else has deleted the record since the page was shown.
            raise Http404 from problem
        if isinstance(problem, MultiValueDictKeyError):
            # A field that holds the parts of a form together, such as the number of its rows.
            logger.warning("%s %s: refused, as the form lacks %r.", request.method, request.path, problem.args[0])
            return HttpResponseBadRequest(render_to_string("400.html", {"missing": problem.args[0]}))
        place = _place_in_use(problem)
        kinds = (*REFUSALS, *NO_VALUE) if place.startswith(READERS) else REFUSALS
        # Databases stumble over a NUL in ways of their own.
        has_nul = "%00" in request.META["QUERY_STRING"] or "\0" in request.path_info
        if not (isinstance(problem, kinds) or (has_nul and isinstance(problem, DatabaseError))) or not place.startswith(
            "wagtail."
        ):
            return None
        logger.warning("%s %s: refused as malformed in %s: %.200s", request.method, request.path, place, problem)
        return bad_request(request, problem)


def _choosable(ids: list[str], request: HttpRequest) -> list[str]:
    """Return the ids of pages that somebody's chooser shows."""
    pages = Page.objects.filter(pk__in=[pk for pk in ids if is_id(pk)])
    for narrow in hooks.get_hooks("construct_page_chooser_queryset"):
        pages = narrow(pages, request)
    return [str(pk) for pk in pages.values_list("pk", flat=True)]


def _readable(search: str) -> str:
    """Return a search with its exact phrases in single quotation marks, as SQLite fails for others.

    PostgreSQL fails for a phrase beside a part without a word, such as a dash: then there are no phrases.
    """
    parts = _QUOTATION_MARK.split(search)
    has_phrases = all(words(part) for part in parts if part.strip())
    return search.replace('"', "'") if has_phrases else " ".join(parts)


def _place_in_use(problem: Exception) -> str:
    """Return the module and line of the innermost function on the stack that is Wagtail's or this project's."""
    found, at = "", problem.__traceback__
    while at:
        name = str(at.tb_frame.f_globals.get("__name__", ""))
        found, at = f"{name}:{at.tb_lineno}" if name.partition(".")[0] in _PACKAGES else found, at.tb_next
    return found
