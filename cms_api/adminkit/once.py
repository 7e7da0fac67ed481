"""Forms that are carried out once, however often they are sent: a double click does not move money, or book a place, twice."""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from wagtail.admin import messages

from cms_api.core.once import Once

#: The name of the hidden input with the key of a form, as it was shown; of a bulk action, the parameter of its address.
ONCE = "once"
#: Said of a form that was sent before.
ALREADY_SUBMITTED = "This form was already submitted. Nothing was done a second time."
#: How long a form that has been submitted is remembered, in seconds.
REMEMBERED_SECONDS = 24 * 3600

_KEY = re.compile(r"[\w-]{1,64}", re.ASCII)


def new_key() -> str:
    return secrets.token_urlsafe(16)


class Submission:
    """A form that was sent, known by the key with which it was shown; one without a key is always the first."""

    def __init__(self, request: HttpRequest) -> None:
        key = request.POST.get(ONCE) or request.GET.get(ONCE, "")
        self._once = Once(f"adminkit.once.{key}", seconds=REMEMBERED_SECONDS) if _KEY.fullmatch(key) else None
        #: Whether it is known what became of it.
        self.is_settled = False

    def use_up(self) -> bool:
        """Return whether the form is submitted for the first time."""
        return self._once is None or self._once.use_up()

    @contextmanager
    def keep_lease(self) -> Iterator[None]:
        """Keep the form taken until the block ends."""
        with self._once.keep_lease() if self._once is not None else nullcontext():
            yield

    def is_used_up(self) -> bool:
        return self._once is not None and self._once.find_place() is not None

    def allow_again(self) -> None:
        self.is_settled = True
        if self._once is not None:
            self._once.allow_again()

    def remember(self, url: str = "") -> None:
        """Store that the form was carried out, and the URL of the record that it has made."""
        self.is_settled = True
        if self._once is not None:
            self._once.remember(url)

    def find_record_url(self) -> str:
        """Return the URL of the record that the form has made; empty while it is not there."""
        return (self._once.find_place() if self._once is not None else "") or ""


class SubmittedAgain(Exception):
    """A form was sent before; `made` is the URL of the record that it has made, empty while that is not there."""

    def __init__(self, made: str) -> None:
        super().__init__(made)
        self.made = made


@contextmanager
def submitted_once(request: HttpRequest) -> Iterator[Submission]:
    """Do once what a form asks for. Raises SubmittedAgain if it was sent before; after a failure it can be sent again."""
    submission = Submission(request)
    if not submission.use_up():
        raise SubmittedAgain(submission.find_record_url())
    try:
        with submission.keep_lease():
            yield submission
    except BaseException:
        submission.allow_again()
        raise
    if not submission.is_settled:
        submission.remember()


class ActsOnce:
    """First base of a view with a form, which has `{% once_input %}`, that is carried out once, and leads to `get_next_url`."""

    def get_next_url(self) -> str:
        raise NotImplementedError

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method != "POST":
            response: HttpResponse = super().dispatch(request, *args, **kwargs)  # type: ignore[misc]
            return response
        try:
            with submitted_once(request) as submission:
                response = super().dispatch(request, *args, **kwargs)  # type: ignore[misc]
                if response.status_code != 302:
                    # Something was refused, and the form is shown again.
                    submission.allow_again()
                return response
        except SubmittedAgain:
            messages.warning(request, ALREADY_SUBMITTED)
            return redirect(self.get_next_url())


class BulkOnce(ActsOnce):
    """First base of bulk actions, this project's and Wagtail's.

    The key is a part of the address to which the form is sent, as each of Wagtail's actions has a template of its own.
    """

    request: Any
    next_url: str

    def get_next_url(self) -> str:
        return self.next_url

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)  # type: ignore[misc]
        if ONCE in self.request.GET:
            return context
        return context | {"submit_url": f"{context['submit_url']}&{ONCE}={new_key()}"}
