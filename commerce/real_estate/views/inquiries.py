"""The form for inquiries about a listing, on a page of its own because the listing's page is cached."""

from functools import partial
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from cms_api.auth.services.visitors import Visit
from commerce.common.types import MAX_PHONE
from commerce.common.views import VisitorForm, known_visitor, visitor_form

from ..models import Property
from ..selectors.listings import price_text, public_property
from ..services import send_inquiry
from ..services.inquiries import PURPOSE
from ..types.listings import MAX_MESSAGE, property_path


class InquiryForm(VisitorForm):
    phone = forms.CharField(
        max_length=MAX_PHONE,
        label="Your phone number",
        required=False,
        widget=forms.TextInput({"type": "tel", "autocomplete": "tel"}),
    )
    message = forms.CharField(
        max_length=MAX_MESSAGE,
        label="Your message",
        widget=forms.Textarea(attrs={"rows": 6}),
        error_messages={"required": "Enter your message."},
    )


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
    form = InquiryForm(request.POST if request.method == "POST" else None, initial=known_visitor(request))
    return visitor_form(
        request,
        form,
        "real_estate/inquire.html",
        purpose=PURPOSE,
        carry_out=partial(_send, listing, form),
        context=shown,
    )


def _send(listing: Property, form: InquiryForm, visit: Visit) -> HttpResponse:
    send_inquiry(listing=listing, **form.cleaned_data, visit=visit)
    return redirect(reverse("property_inquire", args=[listing.slug]) + "?sent=1")
