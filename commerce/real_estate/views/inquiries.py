"""The form for inquiries about a listing, on a page of its own because the listing's page is cached."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from cms_api.auth.selectors import client_ip
from cms_api.auth.services import visitors
from cms_api.core.errors import Invalid, NotFound, TooManyAttempts
from cms_api.forms.types.inputs import FLOOD_NOTICE, STALE_NOTICE, STAMP
from commerce.common.types import MAX_EMAIL, MAX_NAME, MAX_PHONE
from commerce.common.views import add_refusals, errors_of

from ..models import Property
from ..selectors.listings import price_text, public_property
from ..services import send_inquiry
from ..services.inquiries import PURPOSE
from ..types.listings import MAX_MESSAGE, property_path


class InquiryForm(forms.Form):
    name = forms.CharField(max_length=2 * MAX_NAME, label="Your name", error_messages={"required": "Enter your name."})
    email = forms.EmailField(
        max_length=MAX_EMAIL, label="Your email address", error_messages={"required": "Enter your email address."}
    )
    phone = forms.CharField(
        max_length=MAX_PHONE, label="Your phone number", required=False, widget=forms.TextInput(attrs={"type": "tel"})
    )
    message = forms.CharField(
        max_length=MAX_MESSAGE,
        label="Your message",
        widget=forms.Textarea(attrs={"rows": 6}),
        error_messages={"required": "Enter your message."},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, known_as in (("name", "name"), ("email", "email"), ("phone", "tel")):
            self.fields[name].widget.attrs["autocomplete"] = known_as


@cache_control(private=True, no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
def inquire(request: HttpRequest, slug: str) -> HttpResponse:
    """The form, and the thanks after it: robots get the same."""
    listing = public_property(slug)
    if listing is None or not listing.is_on_market:
        raise Http404
    shown: dict[str, Any] = {"listing": listing, "path": property_path(listing.slug), "price": price_text(listing)}
    if request.method != "POST" and request.GET.get("sent"):
        return render(request, "real_estate/sent.html", shown)
    form = InquiryForm(request.POST if request.method == "POST" else None, initial=_get_initial(request))
    notice, status = "", 200
    if form.is_valid():
        try:
            _send(request, listing, form)
            return redirect(reverse("property_inquire", args=[listing.slug]) + "?sent=1")
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
    shown |= {
        "form": form,
        "errors": errors,
        "notice": notice,
        # After a mistake, the form keeps the stamp of when it was first shown.
        "stamp": ("" if notice else request.POST.get(STAMP, "")) or visitors.stamp(PURPOSE),
    }
    response = render(request, "real_estate/inquire.html", shown, status=max(status, 422 if notice or errors else 200))
    if status == 429:
        response.headers["Retry-After"] = "3600"
    return response


def _get_initial(request: HttpRequest) -> dict[str, Any]:
    """Return what an account fills in."""
    user = request.user
    return {"name": user.get_full_name(), "email": user.email} if user.is_authenticated else {}


def _send(request: HttpRequest, listing: Property, form: InquiryForm) -> None:
    visit = visitors.Visit(client_ip(request), request.POST.get(visitors.HONEYPOT, ""), request.POST.get(STAMP, ""))
    send_inquiry(listing=listing, **form.cleaned_data, visit=visit)
