"""Rich text that no editor sends is refused at its field, in every form of the admin that takes some, and nothing is written."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import models
from django.test import Client
from wagtail.models import Page
from wagtail.test.utils.form_data import inline_formset, nested_form_data, streamfield

from cms_api.adminkit.rich_text import UNREADABLE, RichTextArea
from cms_api.content.models import ContentItem
from cms_api.flags.services import switch_feature
from commerce.marketing.models import Sequence, SequenceStep
from home.models import HomePage, SharedRow, StandardPage, Theme
from home.services import create_home_page
from tests.builders import field, make_item, make_page, make_shared_row, make_type
from tests.content.test_admin_forms import edit_url, open_form

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]

LINK = {"type": "LINK", "mutability": "MUTABLE", "data": {"url": "/about/"}}


def block(**changes: Any) -> dict[str, Any]:
    usual = {"key": "a", "text": "Some words", "type": "unstyled", "depth": 0, "inlineStyleRanges": [], "entityRanges": []}
    return {**usual, **changes}


def document(*blocks: Any, **entities: Any) -> str:
    return json.dumps({"blocks": list(blocks), "entityMap": {key.lstrip("_"): entity for key, entity in entities.items()}})


def styled(**changes: Any) -> str:
    return document(block(inlineStyleRanges=[{"style": "BOLD", "offset": 0, "length": 4, **changes}]))


def linked(entity: Any = LINK, **changes: Any) -> str:
    return document(block(entityRanges=[{"key": 0, "offset": 0, "length": 4, **changes}]), _0=entity)


def leads_to(**data: Any) -> str:
    return linked({**LINK, "data": data})


HOSTILE = {
    "nothing": "",
    "HTML": "<p>Some words</p>",
    "half a document": document(block())[:40],
    "a list": "[]",
    "a number": "5",
    "a sentence": '"Some words"',
    "an object without anything": "{}",
    "too deep to be read": "[" * 100_000,
    "a number too long to be read": '{"entityMap": {}, "blocks": ' + "9" * 5_000 + "}",
    "blocks that are a number": '{"entityMap": {}, "blocks": 5}',
    "blocks that are null": '{"entityMap": {}, "blocks": null}',
    "entities that are a list": '{"entityMap": [], "blocks": []}',
    "a block that is a number": document(5),
    "a block of an unknown type": document(block(type="marquee")),
    "a block whose type is a list": document(block(type=[])),
    "a text that is a number": document(block(text=5)),
    "a text that is a list": document(block(text=["Some words"])),
    "half a character": document(block(text="\ud83d")),
    "a list at no depth": document(block(type="unordered-list-item", depth=-3)),
    "a list at a depth without end": document(block(type="unordered-list-item", depth=10**9)),
    "a depth between two": document(block(type="unordered-list-item", depth=0.5)),
    "ranges that are null": document(block(inlineStyleRanges=None)),
    "a range that is a number": document(block(entityRanges=[5])),
    "a style that is a number": styled(style=5),
    "a style that begins with a word": styled(offset="begin"),
    "a style of half a letter": styled(length=0.5),
    "a style that ends before it begins": styled(offset=4, length=-3),
    "a style outside of the text": styled(offset=500),
    "an unknown entity": linked({**LINK, "type": "MARQUEE"}),
    "an entity without data": linked({"type": "LINK"}),
    "an entity whose data is a list": linked({**LINK, "data": []}),
    "an entity that is missing": linked(key=7),
    "an entity outside of the text": linked(offset=500),
    "an entity before the text": linked(offset=-3),
    "entities that cross": document(
        block(entityRanges=[{"key": 0, "offset": 0, "length": 5}, {"key": 1, "offset": 3, "length": 5}]), _0=LINK, _1=LINK
    ),
    "a link to nowhere": leads_to(),
    "a link to a number": leads_to(url=5),
    "a link to a page by its name": leads_to(id="about"),
    "a link to a page by an object": leads_to(id={}),
    "a link to a page by a number that no database holds": leads_to(id=2**63),
}
SOUND = {
    "an empty text": ("null", ""),
    "bold after a pictograph": (
        document(block(text="🎉 yes", inlineStyleRanges=[{"style": "BOLD", "offset": 2, "length": 3}])),
        '<p data-block-key="a">🎉 <b>yes</b></p>',
    ),
    "an unknown style, without which the words stay": (styled(style="BLINK"), '<p data-block-key="a">Some words</p>'),
    "a link": (linked(), '<p data-block-key="a"><a href="/about/">Some</a> words</p>'),
    "a link to a page that is gone": (
        leads_to(id=2**63 - 1),
        f'<p data-block-key="a"><a linktype="page" id="{2**63 - 1}">Some</a> words</p>',
    ),
}


@dataclass
class Form:
    """A form with a rich text: where it is, what it sends, and the records that it writes."""

    path: str
    sent: Callable[[str], dict[str, Any]]
    written: tuple[type[models.Model], ...]


def page_field() -> Form:
    page = create_home_page()
    page.add_child(instance=StandardPage(title="About"))
    rest = nested_form_data({"title": page.title, "slug": page.slug, "rows": streamfield([])})
    comments = nested_form_data({"comments": inline_formset([])})
    return Form(f"/admin/pages/{page.pk}/edit/", lambda text: {**rest, **comments, "introduction": text}, (Page, HomePage))


def page_block() -> Form:
    page = make_page(title="About")

    def sent(text: str) -> dict[str, Any]:
        rows = streamfield([("text", {"heading": "Words", "text": text})])
        return nested_form_data({"title": "About", "slug": "about", "rows": rows, "comments": inline_formset([])})

    return Form(f"/admin/pages/{page.pk}/edit/", sent, (Page, StandardPage))


def block_in_a_list() -> Form:
    row = make_shared_row({"type": "text", "value": {"heading": "Words", "text": "<p>Words</p>"}}, name="Questions")

    def sent(text: str) -> dict[str, Any]:
        questions = streamfield([("x", {"question": "Why?", "answer": text})])
        return nested_form_data({"name": "Questions", "rows": streamfield([("faq", {"heading": "", "questions": questions})])})

    return Form(f"/admin/snippets/home/sharedrow/edit/{row.pk}/", sent, (SharedRow,))


def setting() -> Form:
    theme = Theme.objects.create()
    streams = {name: streamfield([]) for name in ("header_menu", "footer_menu", "profiles")}
    rest = nested_form_data({"site_name": "The Mill", "fonts": "system", **streams})
    return Form(f"/admin/settings/home/theme/{theme.pk}/", lambda text: {**rest, "footer_text": text}, (Theme,))


def inline_form() -> Form:
    switch_feature(name="marketing", on=True)

    def sent(text: str) -> dict[str, Any]:
        steps = inline_formset([{"delay": 1, "unit": "days", "subject": "Hello", "body": text}])
        return nested_form_data({"name": "Welcome", "slug": "", "trigger": "manual", "tag": "", "steps": steps})

    return Form("/admin/marketing/sequences/new/", sent, (Sequence, SequenceStep))


FORMS = (page_field, page_block, block_in_a_list, setting, inline_form)


@pytest.fixture(params=FORMS, ids=lambda form: form.__name__)
def form(request: pytest.FixtureRequest, db: None) -> Form:
    made: Form = request.param()
    return made


def stored(form: Form) -> list[list[dict[str, Any]]]:
    return [list(model._default_manager.order_by("pk").values()) for model in form.written]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_unreadable(name: str) -> None:
    read = RichTextArea().value_from_datadict({"text": HOSTILE[name]}, {}, "text")
    with pytest.raises(ValidationError, match=UNREADABLE):
        str(read)


def test_every_form_refuses_it_at_its_field(admin_client: Client, form: Form) -> None:
    before = stored(form)
    for name, action in {"HTML": {}, "a block whose type is a list": {"action-publish": "1"}}.items():
        answer = admin_client.post(form.path, form.sent(HOSTILE[name]) | action)
        assert answer.status_code == 200
        assert UNREADABLE in unescape(answer.content.decode())
    assert stored(form) == before


def test_null_characters_are_refused_in_djangos_own_words(admin_client: Client, form: Form) -> None:
    answer = admin_client.post(form.path, form.sent(document(block(text="Some\0words"))))
    assert answer.status_code == 200
    assert "Null characters are not allowed." in answer.content.decode()


def test_what_the_editor_sends_is_taken(admin_client: Client, form: Form) -> None:
    before = stored(form)
    answer = admin_client.post(form.path, form.sent(document(block(text="Quite new"))) | {"action-publish": "1"})
    assert answer.status_code == 302
    assert stored(form) != before


@pytest.mark.parametrize(("sent", "written"), SOUND.values(), ids=SOUND)
def test_a_sound_text_is_kept_and_its_page_shown(admin_client: Client, sent: str, written: str) -> None:
    form = page_field()
    assert admin_client.post(form.path, form.sent(sent) | {"action-publish": "1"}).status_code == 302
    assert HomePage.objects.get().introduction == written
    assert admin_client.get("/").status_code == 200
    assert admin_client.get(form.path).status_code == 200


def test_what_was_refused_is_shown_as_it_came(admin_client: Client) -> None:
    form = page_field()
    field = admin_client.post(form.path, form.sent('<b>A & "B"</b>')).context["form"]["introduction"]
    shown = json.loads(field.field.widget.format_value(field.value()))
    assert [each["text"] for each in shown["blocks"]] == ['<b>A & "B"</b>']


def test_the_rich_text_of_an_item_takes_anything_for_html(admin_client: Client, subtests: pytest.Subtests) -> None:
    """Other documents are texts like these to it."""
    item = make_item(make_type(field("body", "richtext_tiptap")), data={"body": "<p>Words</p>"})
    chosen = ("nothing", "HTML", "a number", "too deep to be read", "a number too long to be read", "half a character")
    texts = {name: text for name, text in HOSTILE.items() if name in chosen}
    others = {
        "a null character": "<p>a\0b</p>",
        "Tiptap's own": '{"type": "doc", "content": [{"type": 5}]}',
        "open": "<" * 50_000,
    }
    for name, text in {**texts, **others}.items():
        with subtests.test(name):
            sent = open_form(admin_client, edit_url(item), data__body=text) | {"action-publish": "1"}
            assert admin_client.post(edit_url(item), sent).status_code in (200, 302)
            assert admin_client.get(f"/{item.type.slug}/{item.slug}").status_code == 200
            assert ContentItem.objects.get().pk == item.pk
