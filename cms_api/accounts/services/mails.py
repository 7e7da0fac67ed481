"""Sends allauth's mails as declared mails of this product, with their placeholder values."""

from collections.abc import Callable, Mapping
from typing import Any

from allauth.account import app_settings
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse

from cms_api.mail.services import queue, unconfirmed

from .. import selectors

Values = dict[str, str]


def address(name: str, **arguments: str) -> str:
    """Return an absolute URL. It ignores the request's host, which an attacker may have chosen."""
    return settings.BASE_URL + reverse(name, kwargs=arguments or None)


def _confirmation(context: Mapping[str, Any]) -> Values:
    return {"link": address("account_confirm_email", key=context["key"])}


def _exists(context: Mapping[str, Any]) -> Values:
    return {"sign_in": address("account_login"), "reset": address("account_reset_password")}


def _unknown(context: Mapping[str, Any]) -> Values:
    return {"sign_up": address("account_signup")}


def _reset(context: Mapping[str, Any]) -> Values:
    return {"link": address("account_reset_password_from_key", uidb36=context["uid"], key=context["key"])}


def _describe_change(change: str) -> Callable[[Mapping[str, Any]], Values]:
    def values(context: Mapping[str, Any]) -> Values:
        return {"change": change.format_map(context), "reset": address("account_reset_password")}

    return values


#: Mails that allauth sends with this site's settings, by allauth's name.
MAILS: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], Values]]] = {
    "email_confirmation_signup": ("account_welcome", _confirmation),
    "email_confirmation": ("account_confirm", _confirmation),
    "account_already_exists": ("account_exists", _exists),
    "unknown_account": ("account_unknown", _unknown),
    "password_reset_key": ("account_reset", _reset),
    "password_reset": ("account_changed", _describe_change("Your password was changed.")),
    "password_changed": ("account_changed", _describe_change("Your password was changed.")),
    "password_set": ("account_changed", _describe_change("Your password was set.")),
    "email_changed": ("account_changed", _describe_change("Your email address was changed to {to_email}.")),
    "email_deleted": ("account_changed", _describe_change("The email address {deleted_email} was removed from your account.")),
}

#: Mails that anyone can cause to any address, and their purpose: one an hour for each.
_PURPOSES = {
    "account_welcome": "accounts:confirm",
    "account_confirm": "accounts:confirm",
    "account_exists": "accounts:exists",
    "account_unknown": "accounts:unknown",
    "account_reset": "accounts:reset",
}


def send(*, prefix: str, to: str, context: Mapping[str, Any]) -> None:
    """Queue a mail of allauth, such as `account/email/unknown_account`, unless the address had too many.

    Links mailed earlier keep working. Raises KeyError for an unknown mail.
    """
    name, values = MAILS[prefix.removeprefix("account/email/")]
    # An editor's address may be one that can't be mailed: an error would reveal that the address is an editor's.
    if _may_send(name, to):
        queue(template=name, to=[to], context=values(context))


def _may_send(name: str, to: str) -> bool:
    """Charge a mail that anyone can cause. Resets for a confirmed address are limited by allauth, less strictly."""
    purpose = _PURPOSES.get(name)
    if purpose is None or (name == "account_reset" and selectors.find_confirmed_account(to)):
        return True
    return unconfirmed.charge(purpose=purpose, address=to).allowed


def send_invitation(*, user: User) -> None:
    """Mail a new account created by someone else a link to choose a password, valid as long as a reset link."""
    key = app_settings.PASSWORD_RESET_TOKEN_GENERATOR().make_token(user)
    link = address("account_reset_password_from_key", uidb36=user_pk_to_url_str(user), key=key)
    queue(template="account_invitation", to=[user.email], context={"link": link, "reset": address("account_reset_password")})


def send_admin_link(*, to: str, uid: str, token: str) -> None:
    """Queue the mail with the link by which a member of staff chooses a new password in the admin."""
    link = address("wagtailadmin_password_reset_confirm", uidb64=uid, token=token)
    queue(template="account_reset", to=[to], context={"link": link})


def send_admin_reset(*, to: str) -> None:
    """Lead an editor who asks on the site to the page of the admin that does this."""
    if _may_send("account_reset", to):
        queue(template="account_reset", to=[to], context={"link": address("wagtailadmin_password_reset")})
