"""The page with the member's balance and latest entries."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from commerce.members.selectors import membership_of

from . import selectors

#: Ledger entries shown on the page.
SHOWN_ENTRIES = 20


@login_required
@require_safe
def points(request: HttpRequest) -> HttpResponse:
    member = membership_of(request.user)
    shown = {
        "member": member,
        "balance": selectors.balance(member) if member else 0,
        "entries": selectors.entries().filter(member=member)[:SHOWN_ENTRIES] if member else [],
    }
    return render(request, "loyalty/points.html", shown)
