"""Account forms that differ from allauth's."""

from typing import Any

from allauth.account import forms as allauth
from allauth.account.adapter import get_adapter
from allauth.account.fields import PasswordField
from allauth.account.models import EmailAddress
from django import forms
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.http import HttpRequest

from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.core.locks import get_row
from cms_api.fields.names import WEB_ADDRESS, has_web_address

from .. import selectors
from ..services.guarding import guess_own_password
from ..types import MAX_NAME, read_member_name

ADDRESS = "Email address"


class NameField(forms.CharField):
    def __init__(self, **options: Any) -> None:
        widget = forms.TextInput(attrs={"autocomplete": "name"})
        super().__init__(**{"label": "Name", "max_length": MAX_NAME, "widget": widget, **options})

    def clean(self, value: Any) -> str:
        try:
            name = read_member_name(super().clean(value))
        except Invalid as refusal:
            raise forms.ValidationError(refusal.message, code="invalid") from refusal
        if has_web_address(name):
            raise forms.ValidationError(WEB_ADDRESS, code="invalid")
        return name


def _name_passwords(form: forms.Form) -> None:
    form.fields["password1"].label, form.fields["password2"].label = "New password", "New password again"


class NameForm(forms.Form):
    name = NameField()


class LoginForm(allauth.LoginForm):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.fields["login"].label = ADDRESS


class ResetForm(allauth.ResetPasswordForm):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.fields["email"].label = ADDRESS


class SignupForm(allauth.SignupForm):
    account_already_exists: bool
    #: The hash of the password, from the moment at which the account is saved.
    password_hash = ""
    name = NameField()
    field_order = ["name", "email", "password1"]

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.fields["email"].label = ADDRESS

    def validate_unique_email(self, value: str) -> str:
        email: str = super().validate_unique_email(value)
        self.account_already_exists |= selectors.find_account(email) is not None
        return email

    def try_save(self, request: HttpRequest) -> Any:
        """Save the whole account or nothing; if two people take an address at once, the second finds it taken."""
        # Hashing takes long: others would wait for the transaction, and the response takes as long if the address is taken.
        self.password_hash = make_password(self.cleaned_data.pop("password1"))
        try:
            with transaction.atomic():
                return super().try_save(request)
        except IntegrityError:
            self.account_already_exists = True
            return super().try_save(request)


class NewPasswordForm(allauth.ResetPasswordKeyForm):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        _name_passwords(self)


class ChangePasswordForm(allauth.ChangePasswordForm):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.fields["oldpassword"].label = "Current password"
        _name_passwords(self)

    def clean_oldpassword(self) -> str:
        try:
            return guess_own_password(self.user, super().clean_oldpassword)
        except TooManyAttempts:
            raise get_adapter().validation_error("rate_limited") from None


class AddressForm(allauth.AddEmailForm):
    """Also asks for the password, so that a browser left signed in is not enough to take over the account."""

    password = PasswordField(label="Current password", autocomplete="current-password")

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.fields["email"].label = "New email address"

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not get_adapter().reauthenticate(self.user, password):
            raise get_adapter().validation_error("incorrect_password")
        return password

    def save(self, request: HttpRequest) -> Any:
        """Save the address once: if the form is submitted twice, the link mailed first must keep working."""
        with transaction.atomic():
            user = get_row(get_user_model().objects.select_for_update(), self.user.pk)
            asked = EmailAddress.objects.filter(user=user, email=self.cleaned_data["email"]).first()
            return asked or super().save(request)
