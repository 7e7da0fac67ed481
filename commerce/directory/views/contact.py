"""The form with which visitors write to a listing, whose address is not shown."""

from functools import partial

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from cms_api.auth.services.visitors import Visit
from commerce.common.views import VisitorForm, known_visitor, visitor_form

from ..models import Listing
from ..selectors.listings import public_listing
from ..services.contacting import PURPOSE, send_message
from ..types.listings import MAX_MESSAGE


class ContactForm(VisitorForm):
    message = forms.CharField(
        max_length=MAX_MESSAGE,
        label="Your message",
        widget=forms.Textarea(attrs={"rows": 8}),
        error_messages={"required": "Enter your message."},
    )


@cache_control(private=True, no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
def contact(request: HttpRequest, slug: str) -> HttpResponse:
    """The form, and the thanks after it: robots get the same."""
    listing = public_listing(slug)
    if listing is None or not listing.is_live(timezone.now()) or not listing.email:
        raise Http404
    if request.method != "POST" and request.GET.get("sent"):
        return render(request, "directory/sent.html", {"listing": listing})
    form = ContactForm(request.POST if request.method == "POST" else None, initial=known_visitor(request))
    return visitor_form(
        request,
        form,
        "directory/contact.html",
        purpose=PURPOSE,
        carry_out=partial(_send, listing, form),
        context={"listing": listing},
    )


def _send(listing: Listing, form: ContactForm, visit: Visit) -> HttpResponse:
    send_message(listing=listing, values=form.cleaned_data, visit=visit)
    return redirect(reverse("directory_contact", args=[listing.slug]) + "?sent=1")
