"""Creates, invites and renames members. Their addresses count as confirmed, because the site's operator vouches for them."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from cms_api.auth.services import visitors
from cms_api.core.errors import ErrorCollector, Invalid, taken_message
from cms_api.core.locks import get_row

from .. import selectors
from ..types import read_member_address, read_member_name
from . import mails
from .notifying import notify_account, notify_address


def create_member(*, email: str, password: str, name: str = "") -> User:
    """Create an account that can sign in on the site at once; an existing one gets the password, and the name if one is given.

    For the operator of the site: a deactivated account is active again. Raises Invalid (`email`, `password`, `name`), also if the
    address is that of somebody of the staff, active or not.
    """
    address, name = read_member_address(email), _read_name(name)
    _check_password(password)
    changes: dict[str, Any] = {"username": address, "email": address, "password": make_password(password), "is_active": True}
    if name:
        changes["first_name"] = name
    return _retry(lambda: _write(address, changes))


def invite_member(*, email: str, name: str = "") -> User:
    """Create an account and mail its owner a link to choose a password; until then, sign-in is impossible.

    An account with a confirmed address is returned unchanged, without a mail. One that was never confirmed loses its password,
    because it may have been set by someone who does not own the address. Raises Invalid as `create_member` does, and if
    the account is deactivated.
    """
    address, name = read_member_address(email), _read_name(name)
    return _retry(lambda: _invite(address, name))


def _read_name(name: str) -> str:
    """Return a name, in which visitors may not enter a web address: it is mailed. Raises Invalid."""
    given, errors = read_member_name(name), ErrorCollector()
    visitors.check_name(errors, "name", given)
    errors.raise_if_any()
    return given


def _retry(write: Callable[[], User]) -> User:
    """Run `write` again if another transaction has just taken the address, so that it is looked up again."""
    for _ in range(2):
        with suppress(IntegrityError):
            return write()
    raise Invalid({"email": taken_message("email")})


def _check_password(password: str) -> None:
    """Refuse unusable passwords. The operator judges the strength; passwords that members choose are checked in their forms."""
    if not password:
        raise Invalid({"password": "The password must not be empty."})
    if "\0" in password or password.encode("utf-8", "replace").decode() != password:
        raise Invalid({"password": "The password contains characters that are not allowed."})


@transaction.atomic
def _write(address: str, changes: dict[str, Any]) -> User:
    user = _find(address)
    former = selectors.confirmed_address(user) if user else ""
    notify_address(former=former, address=address)
    if user is None:
        user = get_user_model().objects.create(**changes)
    else:
        get_user_model().objects.filter(pk=user.pk).update(**changes)
    addresses = EmailAddress.objects.filter(user=user)
    addresses.exclude(email=address).update(primary=False)
    addresses.update_or_create(user=user, email=address, defaults={"verified": True, "primary": True})
    notify_account(user=user, is_new=not former)
    return user


@transaction.atomic
def _invite(address: str, name: str) -> User:
    user = _find(address)
    if user is not None and not user.is_active:
        raise Invalid({"email": taken_message("email") + " Its account is deactivated."})
    if user is not None and not EmailAddress.objects.filter(user=user).exists():
        # Made by an admin, and given no role yet.
        raise Invalid({"email": taken_message("email") + " It belongs to a user without a role."})
    if user is not None and selectors.has_confirmed_address(user):
        return user
    changes: dict[str, Any] = {"username": address, "email": address, "password": make_password(None), "is_active": True}
    user = _write(address, {**changes, "first_name": name, "last_name": ""})
    mails.send_invitation(user=user)
    return user


def _find(address: str) -> User | None:
    """Return the account with the address, locked. Raises Invalid if it belongs to somebody of the staff, active or not."""
    user = selectors.find_account(address)
    if user is not None:
        # Serialize changes of an account's address or state; other transactions may still refer to the account.
        user = get_user_model().objects.select_for_update(no_key=True).filter(pk=user.pk).first()
    if user is not None and selectors.belongs_to_staff(user):
        raise Invalid({"email": taken_message("email") + " It belongs to an editor."})
    return user


@transaction.atomic
def rename_member(*, user: User, name: str) -> None:
    """Rename a member. Raises Invalid (`name`) and NotFound."""
    given = _read_name(name)
    user = get_row(get_user_model().objects.select_for_update(no_key=True), user.pk)
    get_user_model().objects.filter(pk=user.pk).update(first_name=given, last_name="")
    notify_account(user=user, is_new=False)
