"""The address fields of public forms."""

from typing import Any

import pytest
from django.template.loader import render_to_string

from cms_api.flags.services import set_setting
from commerce.common.views import AddressForm

pytestmark = pytest.mark.django_db

HOME = {
    "country": "US",
    "name": "Dana Reyes",
    "street": "14 Canal Street",
    "city": "Brattleboro",
    "state": "Vermont",
    "postal_code": "05301",
}


def sent(prefix: str = "ship", **changes: Any) -> dict[str, Any]:
    return {f"{prefix}-{key}": value for key, value in {**HOME, **changes}.items()}


def markup(form: AddressForm) -> str:
    return "".join(render_to_string("components/form_field.html", {"field": field}) for field in form)


def test_it_works() -> None:
    form = AddressForm(sent(), prefix="ship")
    assert form.is_valid()
    assert form.cleaned_data == {**HOME, "state": "VT", "street2": ""}


def test_the_fields_are_named_as_in_the_country() -> None:
    page = markup(AddressForm(prefix="bill", section="billing"))
    for words in (
        "ZIP code",
        ">State<",
        'autocomplete="billing postal-code"',
        'autocomplete="billing country"',
        'name="bill-city"',
    ):
        assert words in page
    assert '<option value="US" selected>' in page
    set_setting(key="site.country", value="GB")
    page = markup(AddressForm())
    for words in ("Postal code", "Town or city", "State or region", '<option value="GB" selected>'):
        assert words in page
    assert page.count("(optional)") == 2
    # The country that was chosen counts once the form was sent.
    assert "PIN code" in markup(AddressForm({"country": "IN"}))


def test_countries_may_be_limited() -> None:
    form = AddressForm(allowed=["DE", "FR"])
    assert form["country"].value() == ""
    assert [code for code, _ in form.fields["country"].choices] == ["", "FR", "DE"]
    assert AddressForm(sent("x"), prefix="x", allowed=["DE"]).errors == {"country": ["Select a country."]}


@pytest.mark.parametrize(
    ("changes", "errors"),
    [
        ({"postal_code": "abc"}, {"postal_code": ["Enter a valid ZIP code."]}),
        ({"postal_code": "90210"}, {"postal_code": ["Enter a valid ZIP code."]}),
        ({"postal_code": ""}, {"postal_code": ["Enter a ZIP code."]}),
        ({"state": "Kent"}, {"state": ["Enter a valid state."]}),
        ({"name": "", "street": " "}, {"name": ["Enter a full name."], "street": ["Enter an address."]}),
        ({"country": ""}, {"country": ["Select a country."]}),
        ({"country": "XX"}, {"country": ["Select a country."]}),
        ({"country": "DE", "postal_code": "1"}, {"postal_code": ["Enter a valid postal code."]}),
    ],
)
def test_an_address_that_cannot_be_is_refused(changes: dict[str, str], errors: dict[str, list[str]]) -> None:
    assert AddressForm(sent(**changes), prefix="ship").errors == errors


@pytest.mark.parametrize("key", HOME)
@pytest.mark.parametrize("value", ["a\0b", "x" * 10_000, "\ud800"])
def test_hostile_text_is_refused_at_its_field(key: str, value: str) -> None:
    assert set(AddressForm(sent(**{key: value}), prefix="ship").errors) == {key}


def test_nothing_at_all_is_refused() -> None:
    assert set(AddressForm({}).errors) == {"country", "name", "street", "city", "state", "postal_code"}
