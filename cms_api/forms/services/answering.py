"""The way of a visitor's form from its page to a service and back, the same for all pages with forms."""

import time
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Protocol

from django.core.files import File
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from cms_api.auth.selectors import client_ip
from cms_api.auth.services import visitors
from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.core.once import Once

from ..types.inputs import FLOOD_NOTICE, SENT_NOTICE, STALE_NOTICE, STAMP

#: For how long a form that was carried out is remembered, and how long a second click waits for the answer to the first.
REMEMBERED_SECONDS, WAIT_SECONDS, LOOK_SECONDS = 600, 10.0, 0.05


class Refused(Exception):
    """A form is not carried out, for a reason that is shown above it; without one, those at its inputs are."""


class Show(Protocol):
    """Shows a page with its form again: `errors` are a service's, by field; `notice` is a sentence above the form."""

    def __call__(self, *, errors: Mapping[str, Sequence[str]], notice: str, status: int) -> HttpResponse: ...


def visit_of(request: HttpRequest) -> visitors.Visit:
    """Return what identifies the sender of a visitor's form."""
    return visitors.Visit(client_ip(request), request.POST.get(visitors.HONEYPOT, ""), request.POST.get(STAMP, ""))


def stamp_of(request: HttpRequest, purpose: str, *, notice: str = "") -> str:
    """Return the stamp of a form: after a mistake, that of when it was first shown; after a notice, that of now.

    A form that was sent already stays the same.
    """
    is_same = notice in {"", SENT_NOTICE}
    return (request.POST.get(STAMP, "") if is_same else "") or visitors.stamp(purpose)


def answer_form(
    request: HttpRequest, *, carry_out: Callable[[visitors.Visit], HttpResponse], show: Show, is_known: bool = False
) -> HttpResponse:
    """Carry out what a visitor's form asks for, once, and lead on; show the form again if that is refused.

    `carry_out` redirects if it succeeds. It may raise Invalid, Refused, Stale, TooManyAttempts, and NotFound for what is gone.
    `is_known` says that the service itself knows a form by its digest.
    """
    visit = visit_of(request)
    try:
        if is_known or not visit.stamp:
            return carry_out(visit)
        return carry_out_once(
            digest_of(request), lambda: carry_out(visit), lambda: show(errors={}, notice=SENT_NOTICE, status=422)
        )
    except Refused as refusal:
        return show(errors={}, notice=str(refusal), status=422)
    except visitors.Stale:
        return show(errors={}, notice=STALE_NOTICE, status=422)
    except TooManyAttempts as refusal:
        response = show(errors={}, notice=FLOOD_NOTICE, status=429)
        response.headers["Retry-After"] = refusal.headers.get("Retry-After", "3600")
        return response
    except Invalid as refusal:
        return show(errors=refusal.errors, notice="", status=422)


def carry_out_once(
    key: str, carry_out: Callable[[], HttpResponse], refuse: Callable[[], HttpResponse], *, seconds: int = REMEMBERED_SECONDS
) -> HttpResponse:
    """Carry out a form once: a second click, on the form with the same key, leads to where the first one has led.

    `refuse` answers a second click for whom the first takes too long; `seconds` is for how long it is remembered.
    """
    form = Once(f"forms.once.{key}", seconds=seconds)
    # The first click may fail, and leave it to one of the others.
    while not form.use_up():
        place = _wait_for(form)
        if place is not None:
            return redirect(place) if place else refuse()
    try:
        with form.keep_lease():
            response = carry_out()
    except BaseException:
        form.allow_again()
        raise
    if led_to := response.headers.get("Location", ""):
        form.remember(led_to)
    else:
        form.allow_again()
    return response


def _wait_for(form: Once) -> str | None:
    """Return where the first click has led; empty if that is not known in time, and None if it was refused."""
    end = time.monotonic() + WAIT_SECONDS
    while (place := form.find_place()) == "" and time.monotonic() < end:
        time.sleep(LOOK_SECONDS)
    return place


def digest_of(request: HttpRequest, *more: str) -> str:
    """Return a digest of a form as it was sent: the same for the same input in the same page.

    A page without a stamp is not known by that: `more` is what else identifies it, and its visitor.
    """
    sent = [each for each in sorted(request.POST.lists()) if each[0] != "csrfmiddlewaretoken"]
    files = [(name, [(file.name, _digest_file(file)) for file in each]) for name, each in sorted(request.FILES.lists())]
    return sha256(repr((request.get_full_path(), sent, files, more)).encode()).hexdigest()


def _digest_file(file: File) -> str:
    found = sha256()
    for chunk in file.chunks():
        found.update(chunk)
    file.seek(0)
    return found.hexdigest()
