"""The passwords of private pages and collections: Wagtail's views, with the guard of secrets that can be guessed."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from wagtail import views as pages
from wagtail.documents.views import serve as documents

from cms_api.auth.selectors import client_ip
from cms_api.auth.services.guesses import Secret, guess
from cms_api.core.errors import TooManyAttempts

PAGES, COLLECTIONS = Secret("page_passwords"), Secret("collection_passwords")


def too_many_requests(request: HttpRequest, refusal: TooManyAttempts, template: str = "429.html") -> HttpResponse:
    """Answer that too many guesses were wrong, and when the next one is allowed."""
    response = render(request, template, status=429)
    response.headers["Retry-After"] = refusal.headers["Retry-After"]
    return response


def _guard(view: Callable[..., HttpResponseBase], secret: Secret) -> Callable[..., HttpResponseBase]:
    """Wrap a view that is sent the password of the restriction which its URL names, and redirects if it is right."""

    @never_cache
    @wraps(view)
    def answer(request: HttpRequest, restriction: int, **others: Any) -> HttpResponseBase:
        if request.method != "POST":
            return view(request, restriction, **others)
        answers: list[HttpResponseBase] = []

        def is_right() -> bool:
            answers.append(view(request, restriction, **others))
            return answers[0].status_code == 302

        try:
            guess(secret, address=client_ip(request), target=restriction, check=is_right)
        except TooManyAttempts as refusal:
            return too_many_requests(request, refusal)
        return answers[0]

    return answer


page = _guard(pages.authenticate_with_password, PAGES)
collection = _guard(documents.authenticate_with_password, COLLECTIONS)
