"""Forms of visitors and their parts, cookies of carts, checks of requests and responses that several modules share."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.core.exceptions import NON_FIELD_ERRORS
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from cms_api.auth.services.visitors import Visit
from cms_api.core.errors import Invalid
from cms_api.flags.selectors import site_country
from cms_api.forms.services.answering import Refused, answer_form, stamp_of
from cms_api.forms.types import FormField, visitor_sentence
from cms_api.http.downloads import document
from cms_api.text.addresses import address_rules, clean_address, countries, country_code

from .types import MAX_EMAIL, MAX_LINE, MAX_NAME

NO_ERRORS: Mapping[str, Sequence[str]] = {}
#: Records on a page of an account.
RECORDS_PER_PAGE = 20
#: The fields, with the names that browsers know them by: https://html.spec.whatwg.org/#autofill
AUTOCOMPLETE = {
    "country": "country",
    "name": "name",
    "street": "address-line1",
    "street2": "address-line2",
    "city": "address-level2",
    "state": "address-level1",
    "postal_code": "postal-code",
}


def answer_gone(request: HttpRequest, said: str, *, others: str, path: str) -> HttpResponse:
    """Return the page that says that what a sent form was about is no longer on offer, with a link to `others`.

    A page that is only opened is not found: raises Http404.
    """
    if request.method != "POST":
        raise Http404
    return render(request, "selling/gone.html", {"said": said, "others": others, "others_path": path}, status=404)


class RadioButtons(forms.RadioSelect):
    """Radio buttons, of which the first has the id of the field, so that errors lead to it."""

    def id_for_label(self, id_: str, index: str | None = None) -> str:
        return f"{id_}-{index}" if index and index != "0" else id_


class VisitorForm(forms.Form):
    """The name and the email address of a visitor, with which most forms begin; `known_visitor` returns those of an account."""

    name = forms.CharField(
        max_length=2 * MAX_NAME,
        label="Your name",
        widget=forms.TextInput({"autocomplete": "name"}),
        error_messages={"required": "Enter your name."},
    )
    email = forms.EmailField(
        max_length=MAX_EMAIL,
        label="Your email address",
        widget=forms.EmailInput({"autocomplete": "email"}),
        error_messages={"required": "Enter your email address."},
    )


class CodeForm(forms.Form):
    """The code of a discount, with a button of its own that only calculates the price."""

    discount_code = forms.CharField(required=False)


class AddressForm(forms.Form):
    """A postal address, checked by the rules of its country. `cleaned_data` is the address that `clean_address` returns.

    `section` is what browsers fill it in as: `shipping` or `billing`. `allowed` are the countries to choose from; all if empty.
    Labels and required parts are those of the chosen country, at first of the site's. Another country may need other parts, so
    the form is `novalidate`.
    """

    country = forms.ChoiceField(error_messages={"invalid_choice": "Select a country."})
    name = forms.CharField(max_length=2 * MAX_NAME)
    street = forms.CharField(max_length=MAX_LINE)
    street2 = forms.CharField(max_length=MAX_LINE, required=False)
    city = forms.CharField(max_length=MAX_NAME)
    state = forms.CharField(max_length=MAX_NAME)
    postal_code = forms.CharField(max_length=30)

    def __init__(self, *args: Any, section: str = "shipping", allowed: Collection[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = {code: name for code, name in countries().items() if not allowed or code in allowed}
        home = site_country()
        choice: Any = self.fields["country"]
        choice.choices = [*([] if home in offered else [("", "Select a country")]), *offered.items()]
        self.initial.setdefault("country", home if home in offered else "")
        rules = address_rules(country_code(str(self["country"].value() or "")) or home)
        for key, label in rules.labels.items():
            field = self.fields[key]
            field.label = label
            field.required = key in rules.required
            field.error_messages["required"] = rules.missing(key)
            field.widget.attrs["autocomplete"] = f"{section} {AUTOCOMPLETE[key]}"

    def clean(self) -> dict[str, str]:
        """Check the address by its country. The sentences are shown at the fields."""
        try:
            return clean_address(self.cleaned_data)
        except Invalid as refusal:
            add_refusals(self, refusal.errors)
        return self.cleaned_data


def add_refusals(form: forms.Form, errors: Mapping[str, Sequence[str]], places: Mapping[str, str] | None = None) -> None:
    """Show the refusals of a service at the inputs of a form; `places` are the names of inputs that differ.

    An input that has an error already keeps only that.
    """
    before = set(form.errors)
    for key, sentences in errors.items():
        name = (places or {}).get(key, key)
        if name not in form.fields:
            form.add_error(None, list(sentences))
        elif name not in before:
            field = FormField(key, str(form[name].label), "text")
            form.add_error(name, [visitor_sentence(field, each) for each in sentences])


def sentences_of(errors: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the sentences of a service's refusal, each once."""
    return list(dict.fromkeys(sentence for found in errors.values() for sentence in found))


def errors_of(*shown: forms.Form) -> list[tuple[str, str]]:
    """Return the first error of each field of some forms, with the id of its input, and then those that belong to no field."""
    return [
        (str(sentence), form[name].id_for_label if name in form.fields else "")
        for form in shown
        for name in (*form.fields, NON_FIELD_ERRORS)
        for sentence in islice(form.errors.get(name, ()), None if name == NON_FIELD_ERRORS else 1)
    ]


def visitor_form(
    request: HttpRequest,
    form: forms.Form,
    template: str,
    *,
    purpose: str,
    carry_out: Callable[[Visit], HttpResponse],
    context: Mapping[str, Any] | None = None,
    places: Mapping[str, str] | None = None,
) -> HttpResponse:
    """Show a visitor's form, or carry out what it asks for if it is valid, as `answer_form` does.

    A second click leads where the first one has led, also if the form is no longer valid by then. The template gets the
    `context`, the `form`, its `errors`, a `notice` and the `stamp`; `places` are those of `add_refusals`.
    """

    def show(*, errors: Mapping[str, Sequence[str]] = NO_ERRORS, notice: str = "", status: int = 200) -> HttpResponse:
        add_refusals(form, errors, places)
        wrong = errors_of(form)
        shown = {**(context or {}), "form": form, "errors": wrong, "notice": notice}
        shown["stamp"] = stamp_of(request, purpose, notice=notice)
        return render(request, template, shown, status=422 if wrong and status == 200 else status)

    def carry_out_valid(visit: Visit) -> HttpResponse:
        if not form.is_valid():
            raise Refused
        return carry_out(visit)

    return answer_form(request, carry_out=carry_out_valid, show=show) if form.is_bound else show()


def known_visitor(request: HttpRequest) -> dict[str, str]:
    """Return the `name` and `email` of an account, with which forms begin; nothing for others."""
    user = request.user
    return {"name": user.get_full_name(), "email": user.email} if user.is_authenticated else {}


def pdf_response(content: bytes, name: str) -> HttpResponse:
    """Return a document that the browser shows and nobody caches; `name` is that of the file, without its extension."""
    return document(content, name=f"{name}.pdf")


def account_records(
    request: HttpRequest,
    template: str,
    found: QuerySet[Any],
    row: Callable[[Any], tuple[Any, ...]],
    more: Mapping[str, Any] | None = None,
) -> HttpResponse:
    """Return a page of an account's records; `template` extends `account/records.html`, which says what a `row` is.

    `more` is the context that the template has beside them.
    """
    page = Paginator(found, RECORDS_PER_PAGE).get_page(request.GET.get("page"))
    shown = {"page": page, "records": [row(each) for each in page.object_list], **(more or {})}
    response = render(request, template, shown)
    response.headers["Cache-Control"] = "private, no-store"
    return response


def is_own_request(request: HttpRequest) -> bool:
    """Return whether a form of this site sent the request; browsers that send no Origin send no cookies of ours either.

    For forms on cached pages, which cannot have a token against forged requests.
    """
    origin = request.META.get("HTTP_ORIGIN", "")
    site, host = urlsplit(settings.BASE_URL), request.get_host()
    return not origin or origin in {f"{site.scheme}://{site.netloc}", f"{site.scheme}://{host}", f"{request.scheme}://{host}"}


@dataclass(frozen=True, slots=True)
class CartCookies:
    """The cookies by which a visitor's cart is found, and its number of items shown on cached pages."""

    #: The name of the cookie with the cart's token.
    token: str
    #: The name of that with the number; a script shows it in the header.
    count: str
    age: int = 90 * 24 * 3600

    def token_of(self, request: HttpRequest) -> str:
        return request.COOKIES.get(self.token, "")[:40]

    def write(self, response: HttpResponse, *, token: str, count: int) -> HttpResponse:
        """Set the cookies as the cart is now; without a cart, `token` is empty."""

        def set_cookie(name: str, value: str, *, httponly: bool) -> None:
            secure = settings.SESSION_COOKIE_SECURE
            response.set_cookie(name, value, max_age=self.age, samesite="Lax", secure=secure, httponly=httponly)

        if token:
            set_cookie(self.token, token, httponly=True)
        if count:
            set_cookie(self.count, str(count), httponly=False)
        else:
            response.delete_cookie(self.count, samesite="Lax")
        return response
