"""The allauth adapter: unique addresses, mails and redirects, and rules stricter than allauth's own."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from django.contrib import messages
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from cms_api.auth.selectors import client_ip
from cms_api.core.errors import Invalid, TooManyAttempts

from .. import selectors
from ..types import read_member_address
from . import mails
from .guarding import TOO_MANY, guess_own_password, guess_password, remember_browser
from .limiting import may_mail_link
from .notifying import notify_account, notify_address

T = TypeVar("T")

#: Django refuses to redirect to longer URLs.
MAX_URL = 2000
#: The next page says so itself; a message would wait for the next account page, which may be days away.
SILENT = {
    "account/messages/logged_in.txt",
    "account/messages/logged_out.txt",
    "account/messages/email_confirmation_sent.txt",
}


class Adapter(DefaultAccountAdapter):
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "email_password_mismatch": "The email address or password is incorrect.",
        "duplicate_email": "This email address is already on your account.",
        "rate_limited": "Too many requests. Try again in a few minutes.",
        "same_as_current": "Enter a different value from the current one.",
    }

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_ip(request)

    def is_ajax(self, request: HttpRequest) -> bool:
        """Always False: these pages are for people, and have no JSON variant."""
        return False

    def is_safe_url(self, url: str) -> bool:
        """Return whether the URL leads to a page of the requested host."""
        if not url or len(url) > MAX_URL or not url.isprintable():
            return False
        asked = self.request
        return url_has_allowed_host_and_scheme(url, {asked.get_host()}, require_https=asked.is_secure())

    def clean_email(self, email: str) -> str:
        try:
            return read_member_address(email)
        except Invalid as refusal:
            raise ValidationError("Enter a valid email address.", code="invalid") from refusal

    def populate_username(self, request: HttpRequest, user: Any) -> None:
        """Use the address as the username, so that the database keeps it unique."""
        user.username = user.email

    def save_user(self, request: HttpRequest, user: Any, form: Any, commit: bool = True) -> Any:
        user.first_name = form.cleaned_data.get("name", "")
        super().save_user(request, user, form, commit=False)
        user.password = form.password_hash
        if commit:
            user.save()
        return user

    def authenticate(self, request: HttpRequest, **credentials: Any) -> Any:
        """Return the account if the password is right. Raises ValidationError after too many wrong ones."""
        login = str(credentials.get("email") or credentials.get("username") or "")
        check = partial(super().authenticate, request, **credentials)
        return self._within_limits(lambda: guess_password(request, login=login, check=check))

    def reauthenticate(self, user: Any, password: str) -> bool:
        check = partial(super().reauthenticate, user, password)
        return bool(self._within_limits(lambda: guess_own_password(user, check)))

    def _within_limits(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except TooManyAttempts as refusal:
            sentence = self.error_messages[TOO_MANY]
            raise ValidationError(sentence, code=TOO_MANY, params={"seconds": refusal.headers["Retry-After"]}) from None

    def post_login(self, request: HttpRequest, user: Any, **options: Any) -> HttpResponse:
        response = super().post_login(request, user, **options)
        remember_browser(request, response, user)
        return response

    def set_password(self, user: Any, password: str) -> None:
        user.set_password(password)
        user.save(update_fields=["password"])

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """Confirm an address; if the account's username was its old address, the username becomes the new one.

        Fails without changes if another account has the address by now, if allauth refuses, or if the account was deleted or
        deactivated meanwhile.
        """
        try:
            with transaction.atomic():
                # Other transactions may still refer to the account; only a new username, which is a key, would block them.
                accounts = get_user_model().objects.select_for_update(no_key=True)
                user = accounts.get(pk=email_address.user_id, is_active=True)
                former = selectors.confirmed_address(user)
                notify_address(former=former, address=email_address.email)
                if user.username == user.email.lower():
                    get_user_model().objects.filter(pk=user.pk).update(username=email_address.email)
                confirmed = super().confirm_email(request, email_address)
                if confirmed:
                    notify_account(user=user, is_new=not former)
                else:
                    transaction.set_rollback(True)
                return confirmed
        except (IntegrityError, get_user_model().DoesNotExist):
            failed = "account/messages/email_confirmation_failed.txt"
            self.add_message(request, messages.ERROR, failed, {"email": email_address.email})
            return False

    def send_confirmation_mail(self, request: HttpRequest, emailconfirmation: Any, signup: bool) -> None:
        """Send the confirmation link. If the address belongs to another account, send a notice without a link instead.

        Soon after another one, none is sent: the former link works.
        """
        asked = emailconfirmation.email_address
        if not may_mail_link(asked.email):
            if request.user.is_authenticated:
                self.add_message(request, messages.ERROR, message=self.error_messages["rate_limited"])
            return
        owner = selectors.find_account(asked.email)
        if owner is not None and owner.pk != asked.user_id:
            super().send_account_already_exists_mail(asked.email)
        else:
            super().send_confirmation_mail(request, emailconfirmation, signup)

    def send_account_already_exists_mail(self, email: str) -> None:
        if may_mail_link(email, "account_exists"):
            super().send_account_already_exists_mail(email)

    def send_password_reset_mail(self, user: Any, email: str, context: dict[str, Any]) -> None:
        """Lead editors to the page of the admin, which has limits of its own."""
        if selectors.is_editor(user):
            mails.send_admin_reset(to=email)
        else:
            super().send_password_reset_mail(user, email, context)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        mails.send(prefix=template_prefix, to=email, context=context)

    def add_message(
        self, request: HttpRequest, level: int, message_template: str | None = None, *arguments: Any, **more: Any
    ) -> None:
        if message_template not in SILENT:
            super().add_message(request, level, message_template, *arguments, **more)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account_home")
