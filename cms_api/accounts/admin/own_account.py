"""The page of the admin on which people change their own name, address and password: Wagtail's, guarded.

Somebody who finds a browser signed in neither guesses the password, nor takes the account over by another address.
"""

from functools import cached_property
from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from wagtail.admin.auth import require_admin_access
from wagtail.admin.forms.account import NameEmailForm
from wagtail.admin.forms.auth import PasswordChangeForm
from wagtail.admin.views import account as wagtail

from cms_api.core.errors import TooManyAttempts

from ..services.guarding import guess_own_password

WRONG = "Your password was entered incorrectly."
TOO_MANY = "Too many wrong passwords. Please try again in an hour."
TAKEN = "Another account has this email address."


def check_own_password(user: Any, password: str) -> None:
    """Raise ValidationError unless this is the password of the user, or if too many were wrong."""
    try:
        is_right = guess_own_password(user, lambda: user.check_password(password))
    except TooManyAttempts:
        raise forms.ValidationError(TOO_MANY, code="too_many") from None
    if not is_right:
        raise forms.ValidationError(WRONG, code="password_incorrect")


class GuardedPasswordForm(PasswordChangeForm):
    #: The hash of the new password, made before the page's transaction.
    password_hash = ""

    def clean_old_password(self) -> str:
        password: str = self.cleaned_data["old_password"]
        check_own_password(self.user, password)
        return password

    def is_valid(self) -> bool:
        is_right: bool = super().is_valid()
        if is_right and not self.password_hash:
            self.password_hash = make_password(self.cleaned_data["new_password1"])
        return is_right

    def save(self, commit: bool = True) -> Any:
        self.user.password = self.password_hash
        if commit:
            self.user.save()
        return self.user


class GuardedNameForm(NameEmailForm):
    current_password = forms.CharField(
        required=False,
        strip=False,
        widget=forms.PasswordInput({"autocomplete": "current-password"}),
        help_text="Only needed to change the email address.",
    )

    class Meta(NameEmailForm.Meta):
        pass

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or self.cleaned_data
        if "email" in self.changed_data and "email" in found:
            try:
                # The instance has the new values already.
                owner = get_user_model().objects.get(pk=self.instance.pk)
                check_own_password(owner, found.get("current_password", ""))
            except forms.ValidationError as refusal:
                self.add_error("current_password", refusal)
            others = get_user_model().objects.exclude(pk=self.instance.pk)
            if others.filter(email__iexact=found["email"]).exists():
                self.add_error("email", TAKEN)
        return found


class OneForm:
    """A panel that makes its form once: each time that a form is validated, a guess of the password is charged."""

    @cached_property
    def form(self) -> Any:
        return super().get_form()  # type: ignore[misc]

    def get_form(self) -> Any:
        return self.form


class NamePanel(OneForm, wagtail.NameEmailSettingsPanel):
    form_class = GuardedNameForm


class PasswordPanel(OneForm, wagtail.ChangePasswordPanel):
    form_class = GuardedPasswordForm


class AccountView(wagtail.AccountView):
    @cached_property
    def panels(self) -> list[Any]:
        # The panel of the picture reads a file that somebody sends in this process: the media module has one of its own.
        found = [panel for panel in super().get_panels() if type(panel) is not wagtail.AvatarSettingsPanel]
        guarded: dict[Any, Any] = {
            wagtail.NameEmailSettingsPanel: NamePanel,
            wagtail.ChangePasswordPanel: PasswordPanel,
        }
        return [
            guarded.get(type(panel), lambda *_, kept=panel: kept)(panel.request, panel.user, panel.profile) for panel in found
        ]

    def get_panels(self) -> list[Any]:
        return self.panels


account = require_admin_access(AccountView.as_view())
