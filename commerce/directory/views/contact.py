"""The form with which visitors write to a listing, whose address is not shown."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from cms_api.auth.selectors import client_ip
from cms_api.auth.services import visitors
from cms_api.core.errors import Invalid, NotFound, TooManyAttempts
from cms_api.forms.types.inputs import FLOOD_NOTICE, STALE_NOTICE, STAMP
from commerce.common.types import MAX_EMAIL, MAX_NAME
from commerce.common.views import add_refusals, errors_of

from ..models import Listing
from ..selectors.listings import public_listing
from ..services.contacting import PURPOSE, send_message
from ..types.listings import MAX_MESSAGE


class ContactForm(forms.Form):
    name = forms.CharField(max_length=2 * MAX_NAME, label="Your name", error_messages={"required": "Enter your name."})
    email = forms.EmailField(
        max_length=MAX_EMAIL,
        label="Your email address",
        help_text="For the answer.",
        error_messages={"required": "Enter your email address."},
    )
    message = forms.CharField(
        max_length=MAX_MESSAGE,
        label="Your message",
        widget=forms.Textarea(attrs={"rows": 8}),
        error_messages={"required": "Enter your message."},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("name", "email"):
            self.fields[name].widget.attrs["autocomplete"] = name


@cache_control(private=True, no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
def contact(request: HttpRequest, slug: str) -> HttpResponse:
    """The form, and the thanks after it: robots get the same."""
    listing = public_listing(slug)
    if listing is None or not listing.is_live(timezone.now()) or not listing.email:
        raise Http404
    if request.method != "POST" and request.GET.get("sent"):
        return render(request, "directory/sent.html", {"listing": listing})
    form = ContactForm(request.POST if request.method == "POST" else None, initial=_get_initial(request))
    notice, status = "", 200
    if form.is_valid():
        try:
            _send(request, listing, form)
            return redirect(reverse("directory_contact", args=[listing.slug]) + "?sent=1")
        except visitors.Stale:
            notice = STALE_NOTICE
        except TooManyAttempts:
            notice, status = FLOOD_NOTICE, 429
        except Invalid as refusal:
            add_refusals(form, refusal.errors)
        except NotFound:
            # Taken offline in the meantime.
            raise Http404 from None
    errors = errors_of(form)
    shown = {
        "listing": listing,
        "form": form,
        "errors": errors,
        "notice": notice,
        # After a mistake, the form keeps the stamp of when it was first shown.
        "stamp": ("" if notice else request.POST.get(STAMP, "")) or visitors.stamp(PURPOSE),
    }
    response = render(request, "directory/contact.html", shown, status=max(status, 422 if notice or errors else 200))
    if status == 429:
        response.headers["Retry-After"] = "3600"
    return response


def _get_initial(request: HttpRequest) -> dict[str, Any]:
    """Return what an account fills in."""
    user = request.user
    return {"name": user.get_full_name(), "email": user.email} if user.is_authenticated else {}


def _send(request: HttpRequest, listing: Listing, form: ContactForm) -> None:
    visit = visitors.Visit(client_ip(request), request.POST.get(visitors.HONEYPOT, ""), request.POST.get(STAMP, ""))
    send_message(listing=listing, values=form.cleaned_data, visit=visit)
