"""Adding a block to a stream field, as a keyboard user does it."""

from playwright.sync_api import Locator, Page, expect


def insert_block(page: Page, opener: Locator, kind: str) -> None:
    """Opens the chooser, narrows it to one kind and takes it with Enter.

    On a busy machine a click on an option may come while the list is drawn anew, and is lost; Enter is not.
    """
    inputs = page.locator("[data-streamfield-child]")
    before = inputs.count()
    opener.click()
    page.get_by_role("combobox").fill(kind)
    option = page.get_by_role("option", name=kind, exact=True)
    expect(option).to_be_visible()
    while option.get_attribute("aria-selected") != "true":
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(inputs).not_to_have_count(before)
