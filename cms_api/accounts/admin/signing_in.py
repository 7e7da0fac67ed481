"""Signing in to the admin, to private pages, and resetting a password in the admin: limited as the public account pages are.

The counts are allauth's, under its own names, so that an address or an account has no more attempts for having several forms.
"""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.core.internal.ratelimit import get_rates
from allauth.core.ratelimit import consume
from django import forms
from django.contrib.auth import views as django
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from wagtail.admin.forms.auth import LoginForm
from wagtail.admin.views import account as wagtail


def too_many_requests(request: HttpRequest, action: str, template: str) -> HttpResponse:
    """Answer that a limit of ACCOUNT_RATE_LIMITS is reached; after the longest of the action's windows none is."""
    seconds = max(rate.duration for rate in get_rates(app="allauth.account", action=action))
    response = render(request, template, status=429)
    response.headers["Retry-After"] = str(int(seconds))
    return response


class LimitedForm(AuthenticationForm):
    """Signs in through the adapter, which counts failures by address and by account; a right password is not counted."""

    def clean(self) -> dict[str, Any]:
        name, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if name and password:
            self.user_cache = get_adapter(self.request).authenticate(self.request, username=name, password=password)
            if self.user_cache is None:
                raise self.get_invalid_login_error()
            self.confirm_login_allowed(self.user_cache)
        return self.cleaned_data


class AdminForm(LimitedForm, LoginForm):
    """Wagtail's form."""


class LimitedView(django.LoginView):
    limit_template_name = "429.html"

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not consume(request, action="login"):
            return too_many_requests(request, "login", self.limit_template_name)
        return super().post(request, *args, **kwargs)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        if form.has_error(NON_FIELD_ERRORS, "too_many_login_attempts"):
            return too_many_requests(self.request, "login_failed", self.limit_template_name)
        return super().form_invalid(form)


class AdminLoginView(LimitedView, wagtail.LoginView):
    limit_template_name = "accounts_admin/429.html"

    def get_form_class(self) -> type[AuthenticationForm]:
        return AdminForm


class PrivatePageLoginView(LimitedView):
    """Wagtail's form for visitors of private pages."""

    authentication_form = LimitedForm
    template_name = "wagtailcore/login.html"


class AdminResetView(wagtail.PasswordResetView):
    def form_valid(self, form: forms.Form) -> HttpResponse:
        if not consume(self.request, action="reset_password", key=form.cleaned_data["email"].lower()):
            return too_many_requests(self.request, "reset_password", AdminLoginView.limit_template_name)
        return super().form_valid(form)
