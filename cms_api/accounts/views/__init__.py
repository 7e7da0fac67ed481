"""Account pages that allauth does not have: the account overview and the change of address."""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.views import EmailView
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.views.decorators.http import require_http_methods

from .. import selectors
from ..services import rename_member
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


class AddressView(EmailView):
    """Changes the account's only address once the new one is confirmed. allauth's view would also accept an unconfirmed one."""

    success_url = reverse_lazy("account_address")

    def post(self, request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponse:
        user: Any = request.user
        pending = selectors.pending_address(user)
        if "action_add" in request.POST and selectors.has_confirmed_address(user):
            return super().post(request, *arguments, **named)
        if "action_send" in request.POST:
            self._action_send(request)
        elif "action_remove" in request.POST and pending:
            pending.delete()
        return HttpResponseRedirect(self.get_success_url())

    def _get_email_address(self, request: HttpRequest) -> EmailAddress | None:
        user: Any = request.user
        own = EmailAddress.objects.filter(user=user, email=user.email.lower(), verified=False).first()
        return selectors.pending_address(user) or own

    def get_context_data(self, **named: Any) -> dict[str, Any]:
        user: Any = self.request.user
        shown = {
            "address": selectors.address_of(user),
            "is_confirmed": selectors.has_confirmed_address(user),
            "pending": selectors.pending_address(user),
        }
        return {**super().get_context_data(**named), **shown}
