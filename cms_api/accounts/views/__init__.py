"""Account pages that allauth does not have: the account overview and the change of address."""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.views import EmailView, PasswordResetView
from allauth.account.views import LoginView as AllauthLoginView
from allauth.account.views import confirm_email as allauth_confirm_email
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.views.decorators.http import require_http_methods

from cms_api.core.errors import TooManyAttempts

from .. import selectors
from ..services import rename_member
from ..services.guarding import limit_resets, seconds_to_wait
from .forms import NameForm


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Show the signed-in account and what can be changed."""
    user: Any = request.user
    form = NameForm(request.POST if request.method == "POST" else None, initial={"name": user.get_full_name()})
    if request.method == "POST" and form.is_valid():
        rename_member(user=user, name=form.cleaned_data["name"])
        messages.success(request, "Your name has been saved.")
        return redirect("account_home")
    shown = {"form": form, "address": selectors.address_of(user), "pending": selectors.pending_address(user)}
    return render(request, "account/account.html", {**shown, "pages": selectors.pages()}, status=422 if form.errors else 200)


class LoginView(AllauthLoginView):
    def form_invalid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)
        if seconds := seconds_to_wait(form):
            response.status_code, response.headers["Retry-After"] = 429, seconds
        return response


class ResetView(PasswordResetView):
    def form_valid(self, form: Any) -> HttpResponse:
        try:
            limit_resets(self.request, email=form.cleaned_data["email"])
        except TooManyAttempts as refusal:
            response = render(self.request, "429.html", status=429)
            response.headers["Retry-After"] = refusal.headers["Retry-After"]
            return response
        answer: HttpResponse = super().form_valid(form)
        return answer


class AddressView(EmailView):
    """Changes the account's only address once the new one is confirmed. allauth's view would also accept an unconfirmed one."""

    success_url = reverse_lazy("account_address")

    def post(self, request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponse:
        user: Any = request.user
        pending = selectors.pending_address(user)
        if "action_add" in request.POST and selectors.has_confirmed_address(user):
            return super().post(request, *arguments, **named)
        own = EmailAddress.objects.filter(user=user, email=user.email.lower(), verified=False).first()
        if "action_send" in request.POST and (unconfirmed := pending or own):
            sent = request.POST.copy()
            sent["email"] = unconfirmed.email
            request.POST = sent  # type: ignore[assignment]
            return super().post(request, *arguments, **named)
        if "action_remove" in request.POST and pending:
            pending.delete()
        return HttpResponseRedirect(self.get_success_url())

    def get_context_data(self, **named: Any) -> dict[str, Any]:
        user: Any = self.request.user
        shown = {
            "address": selectors.address_of(user),
            "is_confirmed": selectors.has_confirmed_address(user),
            "pending": selectors.pending_address(user),
        }
        return {**super().get_context_data(**named), **shown}


def confirm_email(request: HttpRequest, key: str) -> HttpResponse:
    """Confirm an address by the link in an email."""
    # Not every database looks for a text with a NUL.
    if "\0" in key:
        raise Http404
    return allauth_confirm_email(request, key=key)
