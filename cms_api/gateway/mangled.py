"""Answers malformed admin requests with a 4xx where Wagtail's own views would fail.

Wagtail hands parts of a request to `int`, to `reverse` and to the database without a check. A value that it should have refused
surfaces as an exception, and so would a mistake of ours. The request is to blame, and the answer is 400, if all of this is true:

- The exception is of a type that refuses a value (`REFUSALS`), not one that only mistakes cause.
- Wagtail used the value: among the functions on the stack that are Wagtail's or this project's, the innermost is Wagtail's.
  This project's code checks what it reads, so an exception in it stays a failure and is mended there.
- The request sent the value. The message quotes it, or a function on the stack, from the innermost up to Wagtail's, has it in a
  variable; or the exception comes from a module that reads nothing but what was sent (`FORMS`, `READERS`). So a mistake in a
  declaration or in stored data stays a failure: it does not depend on what was sent.

Each refusal is logged with its traceback, so that a wrong judgement hides nothing. Only for a field that a form lacks, or that
holds its rows together and has a wrong value, the message is enough: nothing but what was sent raises these errors.
"""

import logging
import re
from collections.abc import Callable, Iterator
from datetime import date
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.core.paginator import InvalidPage
from django.db import DatabaseError, DataError, IntegrityError
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.http.request import QueryDict
from django.template.loader import render_to_string
from django.urls import NoReverseMatch
from django.utils.datastructures import MultiValueDictKeyError
from django.views.defaults import bad_request

from cms_api.adminkit.ids import is_id
from cms_api.text.search import words

ADMIN = "/admin/"
#: Characters of a search that are read.
MAX_SEARCH = 200
REFUSALS = (
    *(ValueError, OverflowError, IndexError),
    *(DataError, IntegrityError, ObjectDoesNotExist, InvalidPage, NoReverseMatch, ValidationError),
)
#: Modules that build forms from posted data: numbers of blocks, their order, records of a formset.
FORMS = ("wagtail.blocks.", "django.forms.", "modelcluster.forms")
#: Modules of Wagtail that take what was sent for granted: a value or record that is missing is an error of None's type.
READERS = (
    "wagtail.admin.forms.choosers",
    "wagtail.admin.panels.inline_panel",
    *(f"wagtail.admin.views.{name}" for name in ("chooser", "dismissibles", "generic.chooser")),
    *(f"wagtail.admin.views.pages.{name}" for name in ("ordering", "revisions")),
)

_OURS = {"cms_api", *(module.partition(".")[0] for module in settings.MODULES)}
#: The digits of the smallest integer that no database stores; the ORM writes it into the SQL of a slice.
_BEYOND_64_BITS = 19

#: How much of a value Python quotes at least, and how many digits it reads.
_QUOTED, _MAX_DIGITS = 100, 4300

#: The marks around an exact phrase. An apostrophe within a word is none.
_QUOTATION_MARK = re.compile(r"""\"|(?<!\w)'|'(?!\w)""")

logger = logging.getLogger(__name__)


class MangledRequestMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> None:
        """Drop invalid ids where Wagtail reads a list of them, and in searches the quotation marks that a database fails for."""
        path = request.path_info
        if path.startswith(ADMIN) and "q" in request.GET:
            query = request.GET.copy()
            query["q"] = _readable(str(query["q"])[:MAX_SEARCH])
            request.GET = query  # type: ignore[assignment]
        if path.startswith(f"{ADMIN}bulk/") or (path.startswith(ADMIN) and path.endswith("/chosen-multiple/")):
            query = request.GET.copy()
            query.setlist("id", [text for text in query.getlist("id") if text == "all" or is_id(text)])
            request.GET = query  # type: ignore[assignment]

    def process_exception(self, request: HttpRequest, problem: Exception) -> HttpResponse | None:
        if not request.path_info.startswith(ADMIN):
            return None
        if isinstance(problem, MultiValueDictKeyError):
            return _incomplete(request, str(problem.args[0]))
        if not _is_refusal(request, problem):
            return None
        trace = None if _is_about_form(problem) else problem
        logger.warning("%s %s: refused as malformed: %.200s", request.method, request.path, problem, exc_info=trace)
        return bad_request(request, problem)


def _readable(search: str) -> str:
    """Return a search with its exact phrases in single quotation marks, as SQLite fails for others.

    PostgreSQL fails for a phrase beside a part without a word, such as a dash: then there are no phrases.
    """
    parts = _QUOTATION_MARK.split(search)
    has_phrases = all(words(part) for part in parts if part.strip())
    return search.replace('"', "'") if has_phrases else " ".join(parts)


def _incomplete(request: HttpRequest, missing: str) -> HttpResponse:
    """Refuse a form without a field that holds its parts together, such as the number of its rows."""
    logger.warning("%s %s: refused, as the form lacks %r.", request.method, request.path, missing)
    return HttpResponseBadRequest(render_to_string("400.html", {"missing": missing}))


def _is_about_form(problem: Exception) -> bool:
    """Return whether an error comes from a module that builds forms from what was sent."""
    innermost = next(_frames_inside_wagtail(problem), None)
    return innermost is not None and _module(innermost).startswith(FORMS) and isinstance(problem, REFUSALS)


def _is_refusal(request: HttpRequest, problem: Exception) -> bool:
    frames = list(_frames_inside_wagtail(problem))
    if not frames:
        return False
    raised_in, passed_on_by = _module(frames[0]), _module(frames[-1])
    if passed_on_by in READERS and isinstance(problem, (*REFUSALS, AttributeError, KeyError, RecursionError, TypeError)):
        return True
    sent = _sent(request)
    if isinstance(problem, DatabaseError) and any("\0" in value for value in sent if isinstance(value, str)):
        # SQLite and its search stumble over it in ways of their own.
        return True
    if not isinstance(problem, REFUSALS):
        return False
    if raised_in.startswith(FORMS):
        return True
    if any(isinstance(value, str) and _quotes(str(problem), value) for value in sent):
        return True
    # A URL that cannot be reversed is quoted; the id of some record may equal a number that was sent.
    return not isinstance(problem, NoReverseMatch) and any(_holds(frame, sent - {""}) for frame in frames)


def _quotes(message: str, value: str) -> bool:
    """Return whether the message quotes the value, or says that its digits are too many; long values are cut."""
    start = repr(value[:_QUOTED])
    whole = start if len(value) <= _QUOTED else start[:-1]
    return whole in message or f"'{value}'" in message or (len(value) > _MAX_DIGITS and value.isdecimal() and "digits" in message)


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _frames_inside_wagtail(problem: Exception) -> Iterator[FrameType]:
    """Yield the functions from the one that raised up to Wagtail's that called it; none if this project's is nearer."""
    frames = []
    at = problem.__traceback__
    while at:
        frames.append(at.tb_frame)
        at = at.tb_next
    names = [_module(frame).partition(".")[0] for frame in frames]
    nearest = next((place for place in range(len(names) - 1, -1, -1) if names[place] in {"wagtail", *_OURS}), None)
    if nearest is not None and names[nearest] == "wagtail":
        yield from reversed(frames[nearest:])


def _sent(request: HttpRequest) -> set[str | int]:
    """Return the values of the request's query, form and path, and their numbers."""
    texts = {str(value) for value in request.resolver_match.kwargs.values()} if request.resolver_match else set()
    for values in (request.GET, request.POST):
        assert isinstance(values, QueryDict)
        texts |= {text for _, several in values.lists() for text in several if isinstance(text, str)}
    return texts | {int(text) for text in texts if len(text) < 4000 and text.removeprefix("-").isdecimal()}


def _holds(frame: FrameType, sent: set[str | int]) -> bool:
    for value in list(frame.f_locals.values()):
        several = value.values() if type(value) is dict else value if type(value) in (list, tuple) else (value,)
        days = {each.isoformat()[:10] for each in several if isinstance(each, date)}
        if days & sent or any(type(each) in (str, int) and each in sent for each in several):
            return True
        if type(value) is str and any(type(each) is str and len(each) >= _BEYOND_64_BITS and each in value for each in sent):
            return True
    return False
