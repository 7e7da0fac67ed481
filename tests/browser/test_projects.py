"""Staff write a project, add an update and finish a milestone; the client follows it by the signed link."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.projects.demo import load
from commerce.projects.models import Project
from commerce.projects.selectors import PROJECT_LINK
from tests import people

from .axe import LIGHT, Audit
from .conftest import Open, SignIn
from .test_shop import picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

#: How long the admin's scripts and transitions may take, in milliseconds.
SETTLE = 300


@pytest.fixture
def admin(open_page: Open, sign_in_page: SignIn) -> tuple[Page, list[str]]:
    """An empty page, signed in as Alice, and what goes wrong on it."""
    switch_feature(name="projects", on=True)
    page, problems = open_page("about:blank")
    sign_in_page(page.context, people.alice())
    return page, problems


def test_it_works(admin: tuple[Page, list[str]], visitor_page: Page) -> None:
    page, problems = admin
    page.goto("/admin/projects/new/")
    page.get_by_label("Name").first.fill("Mural for the lobby")
    page.get_by_label("Email").fill("dana@example.com")
    page.get_by_label("Needed from the client").fill("Please send us your logo.")
    for place, title in enumerate(("Sketch approved", "Varnished")):
        page.get_by_role("button", name="Insert a block").last.click()
        page.get_by_label("Title").nth(place).fill(title)
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_text("0% · 0 of 2 milestones")).to_be_visible()

    page.get_by_role("textbox", name="Update").fill("The wall is primed.")
    page.get_by_role("button", name="Add update").click()
    expect(page.get_by_text("Update added.")).to_be_visible()
    page.get_by_role("textbox", name="Update").fill("Call the plasterer.")
    page.get_by_label("Share this update with the client").uncheck()
    page.get_by_role("button", name="Add update").click()
    expect(page.get_by_text("Call the plasterer.")).to_be_visible()
    page.get_by_role("button", name="Mark as done").first.click()
    expect(page.get_by_text("50% · 1 of 2 milestones")).to_be_visible()
    file: Any = {"name": "Plan.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7"}
    page.locator("#file_file").set_input_files(file)
    page.get_by_label("Share this file with the client").check()
    page.get_by_role("button", name="Upload file").click()
    expect(page.get_by_role("link", name="Plan.pdf", exact=True)).to_be_visible()
    assert problems == []

    project = Project.objects.get()
    assert OutgoingMail.objects.count() == 2
    assert PROJECT_LINK.path(project) in OutgoingMail.objects.latest("pk").text
    client = visitor_page
    client.goto(PROJECT_LINK.path(project))
    expect(client.get_by_role("heading", level=1)).to_have_text("Mural for the lobby")
    expect(client.get_by_role("progressbar", name="Progress")).to_have_attribute("value", "50")
    expect(client.get_by_role("listitem").filter(has_text="Sketch approved")).to_contain_text("Done on")
    expect(client.get_by_text("Please send us your logo.")).to_be_visible()
    expect(client.get_by_text("The wall is primed.")).to_be_visible()
    expect(client.get_by_text("Call the plasterer.")).to_have_count(0)
    with client.expect_download() as download:
        client.get_by_role("link", name="Plan.pdf").click()
    assert download.value.suggested_filename == "Plan.pdf"


@pytest.mark.audit
def test_axe_finds_nothing(admin: tuple[Page, list[str]], visitor_page: Page) -> None:
    page, problems = admin
    load(1, lambda count: None)
    project = Project.objects.get(name="Mural for the lobby")
    audit = Audit(page, LIGHT)
    for name in ("", "new/", f"inspect/{project.pk}/", f"edit/{project.pk}/", f"add-file/{project.pk}/", f"cancel/{project.pk}/"):
        audit.visit(f"/admin/projects/{name}", settle=SETTLE)
        picture(page, f"admin-{name.split('/')[0] or 'list'}")
    assert (audit.found, problems) == ({}, [])
    public = Audit(visitor_page)
    for place, each in enumerate(Project.objects.filter(name__in=(project.name, "Website of the pottery", "Logo of the choir"))):
        public.visit(PROJECT_LINK.path(each))
        visitor_page.set_viewport_size({"width": 320, "height": 900})
        assert visitor_page.evaluate("document.documentElement.scrollWidth") <= 320
        picture(visitor_page, f"client-{place}")
    assert public.found == {}
