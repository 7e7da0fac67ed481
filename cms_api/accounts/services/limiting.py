"""Limits of the account pages. allauth's own are switched off: its counts are in the cache, and end while Redis is away."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.crypto import salted_hmac

from cms_api.auth.selectors import client_ip
from cms_api.auth.services.budgets import spend
from cms_api.auth.services.guesses import too_many
from cms_api.auth.services.visitors import network_key
from cms_api.core.errors import TooManyAttempts

from .guarding import HOUR, MINUTE

View = Callable[..., HttpResponseBase]


@dataclass(frozen=True, slots=True)
class Rate:
    """How many posts are allowed in a window of so many seconds."""

    posts: int
    window: int


#: Of one network, or of an account for what is done with one.
RATES = {
    "login": (Rate(30, MINUTE),),
    "signup": (Rate(10, MINUTE), Rate(60, HOUR)),
    "reset_password_from_key": (Rate(20, MINUTE),),
    "change_password": (Rate(5, MINUTE),),
    "manage_email": (Rate(10, MINUTE),),
}
OF_ACCOUNTS = {"change_password", "manage_email"}
#: Seconds between two mails of one kind to an address.
BETWEEN_LINKS_SECONDS = 180


def limit_posts(request: HttpRequest, action: str) -> None:
    """Charge a post to the budgets of an action. Raises TooManyAttempts."""
    if request.method in {"GET", "HEAD", "OPTIONS"}:
        return
    user: Any = request.user
    sender = f"user {user.pk}" if action in OF_ACCOUNTS and user.is_authenticated else network_key(client_ip(request))
    for rate in RATES[action]:
        spent = spend(f"accounts:{action}:{sender}:{rate.window}", rate.posts, window=rate.window)
        if not spent.allowed:
            raise too_many(spent)


def limit_view(view: View, action: str) -> View:
    """Wrap a view whose posts are limited."""

    @wraps(view)
    def limit(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            limit_posts(request, action)
        except TooManyAttempts as refusal:
            response = render(request, "429.html", status=429)
            response.headers["Retry-After"] = refusal.headers["Retry-After"]
            return response
        return view(request, *args, **kwargs)

    return limit


def may_mail_link(address: str, kind: str = "confirm_email") -> bool:
    """Charge a mail to somebody who signs up or changes their address; return whether it may be sent."""
    digest = salted_hmac("accounts.links", address.strip().lower(), algorithm="sha256").hexdigest()[:32]
    return spend(f"accounts:{kind}:{digest}", 1, window=BETWEEN_LINKS_SECONDS).allowed
