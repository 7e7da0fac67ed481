"""The form made from a type's schema: every kind of value goes through it and comes back as it was."""

from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client

from cms_api.content.admin.forms import editor_for
from cms_api.content.admin.inputs import INPUTS
from cms_api.content.models import ContentItem, ContentType
from cms_api.content.selectors import TYPES
from cms_api.core import versions
from cms_api.fields import FIELD_TYPES
from cms_api.flags.services import set_setting
from tests.builders import field, make_item, make_term, make_type

pytestmark = pytest.mark.django_db

OPTIONS = [{"value": "a", "label": "Option A"}, {"value": "b", "label": "Option B"}]
HTML = (
    '<h2>Head</h2>\n<p>Text with <strong>bold</strong>, <a href="/about" target="_blank" rel="noopener" title="T">a link</a>.</p>'
    '<figure><img src="/media/media/2026/03/x.jpg" alt="X" width="300"><figcaption>Caption</figcaption></figure>'
    '<table><tbody><tr><td colspan="2">Cell</td></tr></tbody></table><pre><code>a\n  b</code></pre>'
)


class _Controls(HTMLParser):
    """Collects what a browser would send of the editor's form."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[str, list[str]] = {}
        self.inside = False
        self.templates = 0
        self.select: dict[str, Any] | None = None
        self.textarea: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.templates += tag == "template"
        self.inside = self.inside or given.get("id") == "w-editor-form"
        if not self.inside or self.templates:
            return
        name, kind = given.get("name"), given.get("type", "text")
        unticked = kind in ("checkbox", "radio") and "checked" not in given
        if tag == "input" and name and kind not in ("submit", "button") and not unticked:
            self.sent.setdefault(name, []).append(given.get("value", "on" if kind == "checkbox" else "") or "")
        elif tag == "select":
            self.select = {"name": name, "first": None, "chosen": None, "text": False}
        elif tag == "option" and self.select:
            value = given.get("value")
            self.select["text"] = value is None and "selected" in given
            self.select["chosen"] = value if "selected" in given else self.select["chosen"]
            self.select["first"] = value if self.select["first"] is None else self.select["first"]
        elif tag == "textarea" and name:
            self.textarea = name
            self.sent[name] = [""]

    def handle_data(self, data: str) -> None:
        if self.textarea:
            self.sent[self.textarea][0] += data
        elif self.select and self.select["text"]:
            self.select |= {"chosen": data.strip(), "text": False}

    def handle_endtag(self, tag: str) -> None:
        self.templates -= tag == "template"
        if tag == "textarea" and self.textarea:
            # Browsers drop a first line break and send the others in their own way.
            self.sent[self.textarea] = [self.sent[self.textarea][0].removeprefix("\n").replace("\n", "\r\n")]
            self.textarea = None
        elif tag == "select" and self.select:
            chosen = self.select["first"] if self.select["chosen"] is None else self.select["chosen"]
            self.sent.setdefault(self.select["name"], []).append(chosen or "")
            self.select = None
        elif tag == "form":
            self.inside = False


def sent_by(response: Any) -> dict[str, list[str]]:
    """The names and values that a browser would send of the form in a page, unchanged."""
    assert response.status_code == 200, response
    controls = _Controls()
    controls.feed(response.content.decode())
    return controls.sent


def open_form(client: Client, url: str, **changes: Any) -> dict[str, Any]:
    """The unchanged form's data with some values replaced; None leaves one out."""
    data: dict[str, Any] = {**sent_by(client.get(url)), **changes}
    return {name: value for name, value in data.items() if value is not None}


def every_field() -> ContentType:
    """A type with a field of every kind, those with several values in both ways."""
    more = {kind: {"options": OPTIONS} for kind in ("select", "radio", "checkbox")}
    fields = [field(f"a_{kind}", kind, **more.get(kind, {})) for kind in FIELD_TYPES]
    many = [field(f"many_{kind}", kind, multiple=True, **more.get(kind, {})) for kind in ("select", "taxonomy", "relation")]
    return make_type(*fields, *many)


def every_value(item_type: ContentType) -> dict[str, Any]:
    """A stored value for each field of `every_field`."""
    one, two = (make_term(item_type, "many_taxonomy", name) for name in ("One", "Two"))
    single = make_term(item_type, "a_taxonomy", "Single")
    first, second = make_item(), make_item()
    repeat = {"frequency": "weekly", "interval": 2, "until": None, "count": 10, "weekdays": ["mon", "fri"], "monthly": None}
    days: dict[str, Any] = {day: [] for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")}
    days["mon"] = [{"open": "09:00", "close": "12:00"}, {"open": "13:00", "close": "17:00"}]
    return {
        "title": "Everything",
        "a_text": "One line",
        "a_textarea": "Two\nlines",
        "a_richtext_tiptap": HTML,
        "a_number": 2.5,
        "a_integer": 9007199254740993,
        "a_boolean": True,
        "a_select": "b",
        "a_radio": "a",
        "a_checkbox": ["a", "b"],
        "a_date": "2026-03-01",
        "a_time": "18:30",
        "a_datetime": {
            "start": "2026-03-02T18:30:00",
            "end": "2026-03-02T20:00:15",
            "all_day": False,
            "tz": "America/New_York",
            "repeat": repeat,
        },
        "a_url": "https://example.com/ä",
        "a_email": "a@example.com",
        "a_phone": "+33 1 23 45 67 89",
        "a_color": "#1a2b3c",
        "a_address": {
            "street": "1 Road",
            "street2": None,
            "city": "Paris",
            "state": None,
            "postal_code": "75001",
            "country": "FR",
            "latitude": 48.85,
            "longitude": 2.35,
        },
        "a_hours": days,
        "a_image": "media/2026/03/x.jpg",
        "a_file": "media/2026/03/x.pdf",
        "a_gallery": ["media/2026/03/b.jpg", "https://example.com/a.jpg"],
        "a_taxonomy": [single.pk],
        "a_relation": first.pk,
        "many_select": ["b"],
        "many_taxonomy": [one.pk, two.pk],
        "many_relation": [second.pk, first.pk],
    }


def edit_url(item: ContentItem) -> str:
    return f"/admin/content/items/edit/{item.pk}/"


@pytest.mark.both_databases
def test_every_field_type_has_an_input() -> None:
    assert set(INPUTS) == set(FIELD_TYPES)


@pytest.mark.parametrize("action", ["action-publish", "action-save"])
def test_what_is_stored_goes_through_the_form_unchanged(admin_client: Client, action: str) -> None:
    item_type = every_field()
    values = every_value(item_type)
    item = make_item(item_type, data=values)
    assert {key: item.data[key] for key in values} == values
    answer = admin_client.post(edit_url(item), open_form(admin_client, edit_url(item), **{action: "1"}))
    assert answer.status_code == 302, answer.context["form"].errors
    item.refresh_from_db()
    assert item.data == {**item.data, **values}
    assert item.get_latest_revision_as_object().data == item.data


def test_an_untouched_form_has_not_changed(rf: Any) -> None:
    item_type = every_field()
    item = make_item(item_type, data=every_value(item_type))
    form_class = editor_for(item_type).form_class
    shown = form_class(instance=item)
    data: dict[str, Any] = {}
    for bound in shown:
        controls = _Controls()
        controls.feed(f'<form id="w-editor-form">{bound}</form>')
        data |= controls.sent
    from django.http import QueryDict

    query = QueryDict(mutable=True)
    for name, values in data.items():
        query.setlist(name, values)
    changed = [name for name in form_class(query, instance=item).changed_data if name.startswith("data__")]
    assert changed == []


def test_what_is_typed_is_stored_in_the_shape_of_the_wire(admin_client: Client) -> None:
    item_type = every_field()
    values = every_value(item_type)
    url = f"/admin/content/items/add/?type={item_type.slug}"
    typed = {
        "data__title": "Typed",
        "data__a_text": values["a_text"],
        "data__a_textarea": "Two\r\nlines",
        "data__a_richtext_tiptap": "<p>Hi <script>alert(1)</script><b>you</b></p>",
        "data__a_number": "2.5",
        "data__a_integer": "9007199254740993",
        "data__a_boolean": "on",
        "data__a_select": "b",
        "data__a_radio": "a",
        "data__a_checkbox": ["a", "b"],
        "data__a_date": "2026-03-01",
        "data__a_time": "18:30",
        "data__a_datetime-start_date": "2026-03-02",
        "data__a_datetime-start_time": "18:30",
        "data__a_datetime-end_date": "2026-03-02",
        "data__a_datetime-end_time": "20:00:15",
        "data__a_datetime-tz": "America/New_York",
        "data__a_datetime-frequency": "weekly",
        "data__a_datetime-interval": "2",
        "data__a_datetime-weekdays": ["mon", "fri"],
        "data__a_datetime-ends": "count",
        "data__a_datetime-count": "10",
        "data__a_datetime-until": "2027-01-01",
        "data__a_url": values["a_url"],
        "data__a_email": values["a_email"],
        "data__a_phone": values["a_phone"],
        "data__a_color": "#1A2B3C",
        "data__a_address-street": "1 Road",
        "data__a_address-city": "Paris",
        "data__a_address-postal_code": "75001",
        "data__a_address-country": "FR",
        "data__a_address-latitude": "48.85",
        "data__a_address-longitude": "2.35",
        "data__a_hours-mon-open": ["09:00", "13:00"],
        "data__a_hours-mon-close": ["12:00", "17:00"],
        "data__a_image": ["", values["a_image"]],
        "data__a_file": ["", values["a_file"]],
        "data__a_gallery": ["", *values["a_gallery"]],
        "data__a_taxonomy": str(values["a_taxonomy"][0]),
        "data__a_relation": ["", str(values["a_relation"])],
        "data__many_select": ["b"],
        "data__many_taxonomy": [str(pk) for pk in values["many_taxonomy"]],
        "data__many_relation": ["", *map(str, values["many_relation"])],
    }
    answer = admin_client.post(url, open_form(admin_client, url, **typed, **{"action-publish": "1"}))
    assert answer.status_code == 302, answer.context["form"].errors
    item = ContentItem.objects.get(type=item_type, owner=None)
    assert (item.title, item.slug, item.status) == ("Typed", "typed", "published")
    assert item.data == {**values, "title": "Typed", "a_richtext_tiptap": "<p>Hi <b>you</b></p>"}


def test_dates_are_typed_as_in_the_country_of_the_site(admin_client: Client) -> None:
    set_setting(key="site.country", value="DE")
    item_type = make_type(field("day", "date"), field("moment", "datetime"))
    url = f"/admin/content/items/add/?type={item_type.slug}"
    typed = {
        "data__title": "Typed",
        "data__day": "31.12.2026",
        "data__moment-start_date": "30.12.2026",
        "data__moment-start_time": "18:30",
        "data__moment-end_date": "31.12.2026",
        "data__moment-end_time": "18:30",
    }
    assert admin_client.post(url, open_form(admin_client, url, **typed)).status_code == 302
    data = ContentItem.objects.get().data
    assert (data["day"], data["moment"]["start"], data["moment"]["end"]) == (
        "2026-12-31",
        "2026-12-30T18:30:00",
        "2026-12-31T18:30:00",
    )
    wrong = admin_client.post(url, open_form(admin_client, url, data__title="Wrong", data__day="12/31/2026"))
    assert set(wrong.context["form"].errors) == {"data__day"}


def test_a_stale_form_drops_nothing(admin_client: Client) -> None:
    from cms_api.content.services.items import update_item
    from cms_api.content.services.types import save_type

    item_type = make_type(field("old", "text"))
    item = make_item(item_type, data={"old": "x"})
    stale = open_form(admin_client, edit_url(item), data__old="y", **{"action-publish": "1"})
    added = [field("flag", "boolean"), field("tags", "checkbox", options=OPTIONS), field("pics", "gallery")]
    save_type(item_type=item_type, values={"fields": [*item_type.fields, *added]})
    update_item(item=item, values={"data": {"flag": True, "tags": ["a"], "pics": ["media/a.jpg"]}})
    assert admin_client.post(edit_url(item), stale).status_code == 302
    item.refresh_from_db()
    assert item.data == {"title": item.title, "old": "y", "flag": True, "tags": ["a"], "pics": ["media/a.jpg"]}


def test_a_stale_form_that_is_refused_comes_back_with_what_is_stored(admin_client: Client) -> None:
    from cms_api.content.services.items import update_item
    from cms_api.content.services.types import save_type

    item_type = make_type(field("mail", "email"))
    item = make_item(item_type)
    stale = open_form(admin_client, edit_url(item), data__mail="nonsense", **{"action-publish": "1"})
    save_type(item_type=item_type, values={"fields": [*item_type.fields, field("flag", "boolean")]})
    update_item(item=item, values={"data": {"flag": True}})
    again = sent_by(admin_client.post(edit_url(item), stale))
    assert again["data__flag"] == ["on"]
    assert "flag" in again["shown_keys"][0]


def test_values_that_no_longer_fit_are_kept_by_a_draft(admin_client: Client) -> None:
    from cms_api.content.services.types import save_type

    item_type = make_type(field("was_text", "text"), field("choice", "select", options=OPTIONS), field("gone", "text"))
    item = make_item(item_type, status="draft", data={"was_text": "x", "choice": "a", "gone": "z"})
    title = item_type.fields[0]
    save_type(
        item_type=item_type,
        values={"fields": [title, field("was_text", "gallery"), field("choice", "select", options=OPTIONS)]},
    )
    # As in a type that was changed before options of items were protected.
    stored = ContentType.objects.get(pk=item_type.pk)
    ContentType.objects.filter(pk=item_type.pk).update(fields=[*stored.fields[:2], {**stored.fields[2], "options": OPTIONS[1:]}])
    versions.bump(TYPES)
    form = admin_client.get(edit_url(item))
    assert "no longer offered" in form.content.decode()
    data = open_form(admin_client, edit_url(item), data__title="New title")
    answer = admin_client.post(edit_url(item), data)
    assert answer.status_code == 302, answer.context["form"].errors
    item.refresh_from_db()
    assert item.data == {"title": "New title", "was_text": ["x"], "choice": "a", "gone": "z"}
    assert item.get_latest_revision_as_object().data == item.data


def test_the_editor_is_made_once_until_the_type_changes() -> None:
    from cms_api.content.selectors import type_by_id
    from cms_api.content.services.types import save_type

    item_type = make_type()
    first = editor_for(type_by_id(item_type.pk))
    assert editor_for(type_by_id(item_type.pk)) is first
    save_type(item_type=item_type, values={"name": "Other"})
    assert editor_for(type_by_id(item_type.pk)) is not first
