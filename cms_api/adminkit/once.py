"""Forms of new records that are carried out once, however often they are sent: a double click does not move money twice."""

import secrets
from typing import Any

from django import forms
from django.core.cache import cache
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from wagtail.admin import messages

from .forms import RecordForm
from .views import AddView

#: How long a form that has been submitted is remembered, in seconds.
REMEMBERED = 24 * 3600


class OnceForm(forms.Form):
    """Has a key that is used up by the first submission."""

    once = forms.CharField(widget=forms.HiddenInput, max_length=64, initial=lambda: secrets.token_urlsafe(16))

    @property
    def _key(self) -> str:
        return f"adminkit.once.{self.cleaned_data['once']}"

    def use_up(self) -> bool:
        """Return whether the form is submitted for the first time."""
        return cache.add(self._key, "", REMEMBERED)

    def allow_again(self) -> None:
        cache.delete(self._key)

    def remember(self, url: str) -> None:
        """Keep the URL of the record that the form has made."""
        cache.set(self._key, url, REMEMBERED)

    def made(self) -> str:
        """Return the URL of the record that the form has made; empty while it is not there."""
        url: str = cache.get(self._key) or ""
        return url


class OnceRecordForm(OnceForm, RecordForm):
    """The form of a record that is created once."""

    only_new = ("once",)

    def values(self) -> dict[str, Any]:
        return {name: value for name, value in super().values().items() if name != "once"}


class OnceAddView(AddView):
    """Adds a record once; the viewset's form is a `OnceRecordForm`. A form that is refused, or fails, can be sent again."""

    def form_valid(self, form: OnceRecordForm) -> HttpResponse:
        if not form.use_up():
            return self.submitted_again(form)
        try:
            response = super().form_valid(form)
        except BaseException:
            form.allow_again()
            raise
        if form.errors:
            form.allow_again()
        else:
            form.remember(self.viewset.url(self.object))
        return response

    def submitted_again(self, form: OnceRecordForm) -> HttpResponse:
        made = form.made()
        rest = "Nothing was added a second time." if made else "Check the list before you enter it again."
        messages.warning(self.request, f"This form was already submitted. {rest}")
        return redirect(made or reverse(self.index_url_name))
