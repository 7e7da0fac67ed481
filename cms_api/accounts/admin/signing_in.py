"""Signing in to the admin, to private pages, and resetting a password in the admin: limited as the public account pages are.

The counts are those of the account pages, so that an address or an account has no more attempts for having several forms.
"""

from typing import Any
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from django import forms
from django.contrib.auth import views as django
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from wagtail.admin.forms.auth import LoginForm, PasswordResetForm
from wagtail.admin.views import account as wagtail
from wagtail.admin.views.account import PasswordResetConfirmView

__all__ = ["AdminLoginView", "AdminResetView", "PasswordResetConfirmView", "PrivatePageLoginView"]

from cms_api.core.errors import TooManyAttempts

from ..selectors import are_available
from ..services.guarding import limit_resets, remember_browser, seconds_to_wait
from ..services.limiting import limit_posts
from ..services.mails import send_admin_link
from ..services.sessions import limit_cookie


def _refuse(request: HttpRequest, template: str, seconds: str) -> HttpResponse:
    response = render(request, template, status=429)
    response.headers["Retry-After"] = seconds
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
        try:
            limit_posts(request, "login")
        except TooManyAttempts as refusal:
            return _refuse(request, self.limit_template_name, refusal.headers["Retry-After"])
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        remember_browser(self.request, response, form.get_user())
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        if seconds := seconds_to_wait(form):
            return _refuse(self.request, self.limit_template_name, seconds)
        return super().form_invalid(form)


class AdminLoginView(LimitedView, wagtail.LoginView):
    limit_template_name = "accounts_admin/429.html"

    def get_form_class(self) -> type[AuthenticationForm]:
        return AdminForm

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        # Wagtail has given a session that is to be remembered the lifetime of a visitor's.
        limit_cookie(self.request)
        return response


class PrivatePageLoginView(LimitedView):
    """Wagtail's form for visitors of private pages."""

    authentication_form = LimitedForm
    template_name = "wagtailcore/login.html"

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        context = super().get_context_data(**more)
        query = urlencode({"next": context["next"]}) if context["next"] else ""
        path = f"{reverse('account_login')}?{query}" if are_available() else ""
        return {**context, "members_path": path.rstrip("?")}


class AdminResetForm(PasswordResetForm):
    """Queues the mail: whether somebody waits for a mail server would show whose address an account has."""

    def send_mail(
        self,
        subject_template_name: str,
        email_template_name: str,
        context: dict[str, Any],
        from_email: str | None,
        to_email: str,
        html_email_template_name: str | None = None,
    ) -> None:
        send_admin_link(to=to_email, uid=context["uid"], token=context["token"])


class AdminResetView(wagtail.PasswordResetView):
    def get_form_class(self) -> type[forms.Form]:
        return AdminResetForm

    def form_valid(self, form: forms.Form) -> HttpResponse:
        try:
            limit_resets(self.request, email=form.cleaned_data["email"])
        except TooManyAttempts as refusal:
            return _refuse(self.request, AdminLoginView.limit_template_name, refusal.headers["Retry-After"])
        return super().form_valid(form)
