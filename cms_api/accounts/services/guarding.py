"""Limits wrong passwords of accounts, by account and network: guessing locks out the network it comes from, not the owner.

A browser that was signed in to an account before has a signed cookie, and its own limit for that account alone. All others share
the account's limit, so that guessing from many networks ends too, while the owner's browser still signs in.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core import signing
from django.core.exceptions import NON_FIELD_ERRORS
from django.forms import BaseForm
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from cms_api.auth.selectors import client_ip
from cms_api.auth.services import visitors
from cms_api.auth.services.guesses import Allowance, attempt
from cms_api.auth.services.visitors import network_of
from cms_api.fields.texts import EMAIL_LIMIT

from .. import selectors

T = TypeVar("T")

#: The code of the error after too many wrong passwords. Its parameter is the number of seconds until the next is allowed.
TOO_MANY = "too_many_login_attempts"
COOKIE = "known_browser"
COOKIE_SECONDS = 365 * 24 * 3600
#: Accounts that a browser remembers, the latest first.
MAX_ACCOUNTS = 5
_SALT = "accounts.known_browser"

#: Links to reset passwords that one network can ask for, and that it can have mailed to one address.
RESETS_PER_HOUR, ADDRESS_RESETS_PER_HOUR = 20, 5
#: Wrong passwords of one account, from all networks, but not from browsers that are known.
ACCOUNT_FAILURES_PER_HOUR = 300
MINUTE, FIVE_MINUTES, HOUR = 60, 300, 3600


@dataclass(frozen=True, slots=True)
class Browser:
    """The content of a browser's cookie: a random name, and the ids of the accounts that were signed in."""

    name: str = ""
    accounts: tuple[int, ...] = ()


def browser_of(request: HttpRequest) -> Browser:
    try:
        name, *accounts = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=COOKIE_SECONDS)
    except (signing.BadSignature, ValueError, TypeError):
        return Browser()
    return Browser(name, tuple(accounts))


def remember_browser(request: HttpRequest, response: HttpResponseBase, user: Any) -> None:
    """Let this browser sign in to the account whatever others have guessed."""
    found = browser_of(request)
    accounts = [user.pk, *(pk for pk in found.accounts if pk != user.pk)][:MAX_ACCOUNTS]
    response.set_cookie(
        COOKIE,
        signing.dumps([found.name or secrets.token_urlsafe(12), *accounts], salt=_SALT),
        max_age=COOKIE_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def guess_password(request: HttpRequest, *, login: str, check: Callable[[], T]) -> T:
    """Return what `check` returns, a true value if the password is right. Raises TooManyAttempts without calling it.

    `login` is the address or name that was typed, whether there is such an account or not.
    """
    return attempt(_allowances(request, login.strip().lower()), check)


def _allowances(request: HttpRequest, login: str) -> list[Allowance]:
    browser, account = browser_of(request), _find(login)
    if account is not None and account.pk in browser.accounts:
        return [Allowance(f"browser:{browser.name}:{account.pk}", 10, FIVE_MINUTES)]
    network = network_of(client_ip(request))
    # An account is found by its name and its address.
    asked = f"account {account.pk}" if account is not None else login
    return [
        Allowance(f"login:{asked}:{network}", 5, FIVE_MINUTES),
        Allowance(f"login_hour:{asked}:{network}", 20, HOUR),
        Allowance(f"network:{network}", 10, MINUTE),
        Allowance(f"network_hour:{network}", 100, HOUR),
        Allowance(f"account:{asked}", ACCOUNT_FAILURES_PER_HOUR, HOUR),
    ]


def _find(login: str) -> Any:
    if len(login) > EMAIL_LIMIT:
        return None
    return selectors.find_account(login) or get_user_model().objects.filter(username__iexact=login).first()


def seconds_to_wait(form: BaseForm) -> str:
    """Return the seconds until the next password may be tried, if a form was refused after too many; else an empty text."""
    errors = form.errors.as_data().get(NON_FIELD_ERRORS, ())
    return next((str(each.params["seconds"]) for each in errors if each.code == TOO_MANY and each.params), "")


def limit_resets(request: HttpRequest, *, email: str) -> None:
    """Charge a request for a link to reset a password. Raises TooManyAttempts.

    Requests from one network do not keep the owner of an address from asking elsewhere, nor in a browser that is known.
    """
    address, network, account = email.strip().lower(), network_of(client_ip(request)), _find(email.strip().lower())
    visitors.limit(purpose="accounts:reset", address=network, an_hour=RESETS_PER_HOUR)
    visitors.limit(purpose="accounts:reset:here", address=f"{address} {network}", an_hour=ADDRESS_RESETS_PER_HOUR)
    if account is None or account.pk not in browser_of(request).accounts:
        visitors.limit(purpose="accounts:reset:address", address=address, an_hour=2 * ADDRESS_RESETS_PER_HOUR)


def guess_own_password(user: Any, check: Callable[[], T]) -> T:
    """Return what `check` returns, for somebody who is signed in: a borrowed browser does not find the password by trying."""
    return attempt([Allowance(f"own:{user.pk}", 10, HOUR)], check)
