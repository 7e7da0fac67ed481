"""The page on which somebody shows that a listing is theirs: by a code sent to its address, or by a message to staff."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from cms_api.auth.selectors import client_ip
from cms_api.auth.services import visitors
from cms_api.auth.services.guesses import Secret, guess
from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.core.not_found import found_or_404
from cms_api.forms.types.inputs import FLOOD_NOTICE
from commerce.common.views import add_refusals, errors_of

from ..models import Claim, Listing
from ..resources.account import mask
from ..selectors.listings import public_listing
from ..selectors.ownership import pending_claim
from ..services.claims import claim_by_email, claim_by_message, enter_code
from ..types.listings import CLAIM_CODE_LIFETIME, MAX_CODE_ATTEMPTS, ClaimMethod
from .forms import ClaimForm, CodeForm

#: Messages to staff that one account, or one visitor's address, can send in an hour.
MESSAGES_PER_HOUR = 5
#: The button that was pressed.
SEND, ENTER, WRITE = "send", "enter", "write"
#: The codes that are mailed to the addresses of listings. A code itself ends after a few attempts; accounts may ask for several.
CLAIM_CODES = Secret("claim_codes", per_network=20, per_target=60)
SENT = "We've sent a code to {}. It works for {} minutes."
WRITTEN = "Thank you! We'll email you when we've checked your message."
YOURS = "The listing is yours now."


@cache_control(private=True, no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
def claim(request: HttpRequest, slug: str) -> HttpResponse:
    """The next step to own a listing, or a link to sign in for guests."""
    found = found_or_404(public_listing(slug))
    is_sent = request.method == "POST"
    if not request.user.is_authenticated:
        return render(request, "directory/claim_guest.html", {"listing": found}, status=403 if is_sent else 200)
    action = request.POST.get("action", "") if is_sent else ""
    code = CodeForm(request.POST if action == ENTER else None)
    message = ClaimForm(request.POST if action == WRITE else None)
    notice, status, seconds = "", 200, ""
    try:
        if answer := _act(request, found, action, code, message):
            return answer
    except TooManyAttempts as refusal:
        notice, status, seconds = FLOOD_NOTICE, 429, refusal.headers["Retry-After"]
    except Invalid as refusal:
        form = code if action == ENTER else message
        add_refusals(form, refusal.errors) if form.is_bound else messages.error(request, refusal.message)
    errors = errors_of(code, message)
    response = _page(request, found, code, message, errors, notice, max(status, 422 if errors else 200))
    if status == 429:
        response.headers["Retry-After"] = seconds
    return response


def _act(request: HttpRequest, found: Listing, action: str, code: CodeForm, message: ClaimForm) -> HttpResponse | None:
    """Do what was asked for, and lead on; return None if the page is shown. Raises Invalid, NotFound and TooManyAttempts."""
    user, address = request.user, client_ip(request)
    if action == SEND:
        claim_by_email(listing=found, user=user, address=address)
        minutes = int(CLAIM_CODE_LIFETIME.total_seconds()) // 60
        messages.success(request, SENT.format(mask(found.email), minutes))
        return redirect("directory_claim", found.slug)
    if action == WRITE and message.is_valid():
        visitors.limit(purpose="directory.claim_messages", address=address, an_hour=MESSAGES_PER_HOUR)
        visitors.limit(purpose="directory.claim_messages:account", address=str(user.pk), an_hour=MESSAGES_PER_HOUR)
        claim_by_message(listing=found, user=user, message=message.cleaned_data["message"])
        messages.success(request, WRITTEN)
        return redirect("directory_claim", found.slug)
    if action == ENTER and code.is_valid():
        return _enter(request, found, code)
    return None


def _enter(request: HttpRequest, found: Listing, code: CodeForm) -> HttpResponse | None:
    pending = pending_claim(request.user, found.pk)
    if pending is None or not pending.code_digest:
        # Sent twice: the first time has given the listing to the account.
        return redirect("directory_claim", found.slug)
    enter = partial(enter_code, claim=pending, code=code.cleaned_data["code"])
    if guess(CLAIM_CODES, address=client_ip(request), target=f"listing:{found.pk}", check=enter):
        messages.success(request, YOURS)
        return redirect("directory_account_listing", found.pk)
    pending.refresh_from_db()
    left = MAX_CODE_ATTEMPTS - pending.attempts
    more = f"You have {left} attempt{'s' if left > 1 else ''} left." if left > 0 else "Ask for another code."
    code.add_error("code", f"This code is wrong. {more}")
    return None


def _page(
    request: HttpRequest,
    found: Listing,
    code: CodeForm,
    message: ClaimForm,
    errors: list[tuple[str, str]],
    notice: str,
    status: int,
) -> HttpResponse:
    pending = pending_claim(request.user, found.pk)
    shown: dict[str, Any] = {
        "listing": found,
        "is_own": found.owner_id == request.user.pk,
        "is_owned": found.owner_id is not None,
        "is_checked": pending is not None and pending.method == ClaimMethod.MANUAL,
        "takes_code": _takes_code(pending),
        "has_code": pending is not None and bool(pending.code_digest),
        "mailbox": mask(found.email) if found.email else "",
        "code": code,
        "message": message,
        "errors": errors,
        "notice": notice,
    }
    return render(request, "directory/claim.html", shown, status=status)


def _takes_code(pending: Claim | None) -> bool:
    """Return whether the code that was sent can still be entered."""
    if pending is None or not pending.code_digest or pending.code_expires_at is None:
        return False
    return pending.code_expires_at > timezone.now() and pending.attempts < MAX_CODE_ATTEMPTS
