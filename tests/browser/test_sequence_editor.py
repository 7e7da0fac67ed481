"""An editor puts a sequence together in the admin: steps are added, written, moved and deleted, and what is wrong is said."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from cms_api.adminkit.rich_text import UNREADABLE
from cms_api.flags.services import switch_feature
from commerce.marketing.models import Sequence

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def editor(admin_page: Page) -> Page:
    """The form of a new sequence."""
    switch_feature(name="marketing", on=True)
    admin_page.goto("/admin/marketing/sequences/new/")
    return admin_page


def steps(page: Page) -> Locator:
    """The steps that are seen, from the top: those that were deleted are hidden."""
    return page.locator("[data-inline-panel-child]:visible")


def write(step: Locator, delay: str, unit: str, subject: str) -> Locator:
    """Fills in a step; the caret stands in its text."""
    step.get_by_label("Wait").fill(delay)
    step.get_by_label("Unit").select_option(label=unit)
    step.get_by_label("Subject").fill(subject)
    words = step.get_by_role("textbox", name=re.compile("^Text"))
    words.click()
    return words


def typed(step: Locator, ending: str) -> None:
    """Waits for what the form sends, which the editor keeps a moment after the last key."""
    expect(step.locator("input[name$=-body]")).to_have_value(re.compile(re.escape(ending)))


def add_step(page: Page) -> Locator:
    before = steps(page).count()
    page.get_by_role("button", name="Add step").click()
    expect(steps(page)).to_have_count(before + 1)
    return steps(page).last


def save(page: Page, name: str = "Save") -> None:
    page.get_by_role("button", name=name, exact=True).click()


def kept() -> list[tuple[int, str, str, str]]:
    found = Sequence.objects.get().steps.order_by("position").values_list("delay", "unit", "subject", "body")
    return [(*about, re.sub(r' data-block-key="\w+"', "", body)) for *about, body in found]  # type: ignore[misc]


def test_it_works(editor: Page) -> None:
    editor.get_by_role("textbox", name="Name").fill("Welcome")
    editor.get_by_label("Enrolment trigger").select_option(label="Everyone who subscribes")
    expect(steps(editor)).to_have_count(1)
    write(steps(editor).first, "3", "Days", "Three rooms")
    editor.keyboard.type("Most visitors find them by chance.")
    typed(steps(editor).first, "by chance.")
    write(add_step(editor), "0", "Minutes", "Welcome to {{ site }}")
    editor.keyboard.type("{{ greeting }} 🎉🎉, ")
    editor.keyboard.press("Control+b")
    editor.keyboard.type("thank you")
    editor.keyboard.press("Control+b")
    editor.keyboard.type(" for coming.")
    typed(steps(editor).last, "for coming.")
    steps(editor).last.get_by_role("button", name="Move up").click()
    expect(steps(editor).first.get_by_label("Subject")).to_have_value("Welcome to {{ site }}")
    save(editor, "Create")
    expect(editor.get_by_text("Sequence 'Welcome' created.")).to_be_visible()
    assert kept() == [
        (0, "minutes", "Welcome to {{ site }}", "<p>{{ greeting }} 🎉🎉, <b>thank you</b> for coming.</p>"),
        (3, "days", "Three rooms", "<p>Most visitors find them by chance.</p>"),
    ]
    editor.goto("/admin/marketing/sequences/")
    row = editor.get_by_role("row", name="Welcome")
    expect(row).to_contain_text("When someone subscribes")
    expect(row).to_contain_text("Paused")
    row.get_by_role("link", name="Welcome").click()
    editor.get_by_role("link", name="Edit", exact=True).click()

    first, second = (steps(editor).nth(number) for number in range(2))
    expect(first.locator(".Draftail-Editor")).to_contain_text("{{ greeting }} 🎉🎉, thank you for coming.")
    first.get_by_role("button", name="Move down").click()
    expect(second.get_by_label("Subject")).to_have_value("Welcome to {{ site }}")
    second.get_by_role("button", name="Delete").click()
    expect(steps(editor)).to_have_count(1)
    words = write(steps(editor).first, "1", "Hours", "Three rooms")
    words.press("End")
    editor.keyboard.type(" Look up.")
    typed(steps(editor).first, "Look up.")
    save(editor)
    expect(editor.get_by_text("Sequence 'Welcome' updated.")).to_be_visible()
    assert kept() == [(1, "hours", "Three rooms", "<p>Most visitors find them by chance. Look up.</p>")]


def test_what_is_wrong_is_said_and_nothing_is_lost(editor: Page) -> None:
    editor.get_by_role("textbox", name="Name").fill("Welcome")
    write(steps(editor).first, "1", "Days", "Hello, {{ nobody }}")
    editor.keyboard.type("Some words.")
    typed(steps(editor).first, "Some words.")
    save(editor, "Create")
    step = steps(editor).first
    expect(step.get_by_text("Unknown placeholder: {{ nobody }}.")).to_be_visible()
    expect(step.locator(".Draftail-Editor")).to_contain_text("Some words.")
    assert not Sequence.objects.exists()
    step.locator("input[name=steps-0-body]").evaluate(
        "(it) => it.form.addEventListener('formdata', (sent) => sent.formData.set(it.name, '<p>Some words.</p>'))"
    )
    step.get_by_label("Subject").fill("Hello")
    save(editor, "Create")
    step = steps(editor).first
    expect(step.get_by_text(UNREADABLE)).to_be_visible()
    expect(step.locator(".Draftail-Editor")).to_contain_text("<p>Some words.</p>")
    write(step, "1", "Days", "Hello")
    editor.keyboard.press("Control+a")
    editor.keyboard.type("Some other words.")
    typed(step, "Some other words.")
    save(editor, "Create")
    expect(editor.get_by_text("Sequence 'Welcome' created.")).to_be_visible()
    assert kept() == [(1, "days", "Hello", "<p>Some other words.</p>")]
