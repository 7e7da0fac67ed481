"""The picture of a person of the staff: read as those of the library are, apart from the process that serves."""

from typing import Any

from django import forms
from django.core.files.base import ContentFile
from django.http import HttpRequest
from wagtail import hooks
from wagtail.admin.forms.account import AvatarPreferencesForm
from wagtail.admin.views.account import AvatarSettingsPanel
from wagtail.users.models import UserProfile

from .forms import Receiving


class ProfilePictureField(Receiving, forms.FileField):
    types = ("jpg", "jpeg", "png", "gif", "webp")


class ProfilePictureForm(AvatarPreferencesForm):
    avatar = ProfilePictureField(label="Upload a profile picture", required=False)

    class Meta(AvatarPreferencesForm.Meta):
        pass

    def clean_avatar(self) -> Any:
        """Return the smallest copy of a picture that was sent, False if the picture is reset, else the one that is there."""
        received = self.cleaned_data["avatar"]
        copies = [copy for copy in getattr(received, "copies", ()) if copy.variant.format == "WEBP"]
        if not copies:
            return received
        smallest = min(copies, key=lambda copy: copy.width)
        return ContentFile(smallest.path.read_bytes(), name="picture.webp")


class ProfilePicturePanel(AvatarSettingsPanel):
    form_class = ProfilePictureForm


@hooks.register("register_account_settings_panel")
def profile_picture(request: HttpRequest, user: Any, profile: UserProfile) -> ProfilePicturePanel:
    return ProfilePicturePanel(request, user, profile)
