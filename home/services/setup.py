"""Creates the pages that a new site starts with."""

from typing import Any

from django.db import transaction
from wagtail.models import Page, Site

from cms_api.flags.selectors import get_setting

from ..models import HomePage, Theme
from ..models.blocks import page_rows
from ..types import NEW_SITE
from .search import index_pages


def set_up() -> None:
    """Create the home page, and bring the search entries of existing pages up to date with this release."""
    create_home_page()
    index_pages()


@transaction.atomic
def create_home_page() -> HomePage:
    """Create the site's home page in place of Wagtail's welcome page, if there is none yet."""
    existing = HomePage.objects.first()
    if existing:
        return existing
    root = Page.get_first_root_node()
    for welcome in root.get_children().filter(slug="home"):
        welcome.delete()
    root.refresh_from_db()
    home = HomePage(title="Home", slug="home", introduction="<p>Welcome.</p>", rows=starting_rows())
    page: HomePage = root.add_child(instance=home)
    Site.objects.update_or_create(
        is_default_site=True,
        defaults={"hostname": "localhost", "root_page": page, "site_name": get_setting("site.name")},
    )
    # Sites that exist already keep the fonts of each visitor's device.
    Theme.objects.get_or_create(defaults={"fonts": NEW_SITE})
    return page


def starting_rows() -> list[tuple[str, Any]]:
    """Return the rows that modules put on a new home page, those of disabled features included: they show once it is on."""
    return [(name, value) for name, block in page_rows() for value in block.starting_values()]
