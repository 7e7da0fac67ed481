"""Answers malformed admin requests with a 4xx where Wagtail's own views would fail."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.datastructures import MultiValueDictKeyError
from django.views.defaults import bad_request

from cms_api.adminkit.ids import is_id

ADMIN = "/admin/"
#: Modules that build a form from posted data: numbers of blocks, their order, records of a formset.
READERS = ("wagtail.blocks.", "django.forms.", "modelcluster.forms")


class MangledRequestMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> None:
        """Drop invalid ids from the URL: Wagtail's bulk actions pass them to the database unchecked."""
        if request.path_info.startswith(f"{ADMIN}bulk/"):
            query = request.GET.copy()
            query.setlist("id", [text for text in query.getlist("id") if text == "all" or is_id(text)])
            request.GET = query  # type: ignore[assignment]

    def process_exception(self, request: HttpRequest, problem: Exception) -> HttpResponse | None:
        """Answer 400 to a post whose fields belong to none of our forms; nothing has been written by then."""
        if request.method != "POST" or not request.path_info.startswith(ADMIN):
            return None
        is_mangled = isinstance(problem, MultiValueDictKeyError) or (
            isinstance(problem, (IndexError, ValueError)) and _raised_in(problem).startswith(READERS)
        )
        return bad_request(request, problem) if is_mangled else None


def _raised_in(problem: Exception) -> str:
    """Return the module that raised the exception."""
    at = problem.__traceback__
    while at and at.tb_next:
        at = at.tb_next
    return str(at.tb_frame.f_globals.get("__name__", "")) if at else ""
