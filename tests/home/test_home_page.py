"""The site's front page."""

import pytest
from django.test import Client

from cms_api.flags.services import set_setting, switch_feature
from home.models import HomePage
from home.services import create_home_page
from tests.builders import blog_post, make_item
from tests.events.builders import events_type

pytestmark = pytest.mark.django_db


def test_it_works(client: Client) -> None:
    blog_post()
    create_home_page()
    make_item(title="Spring opening")
    html = client.get("/").content.decode()
    assert "<p>Welcome.</p>" in html.replace(' data-block-key="', "")
    assert '<a href="/blog-post/spring-opening">Spring opening</a>' in html
    assert '<a href="/blog-post">Blog</a>' in html
    assert '<link rel="canonical" href="http://testserver/">' in html
    assert '<meta name="description" content="Welcome.">' in html


def test_it_bears_the_sites_name(client: Client) -> None:
    create_home_page()
    set_setting(key="site.name", value="Millrace <Arts>")
    html = client.get("/").content.decode()
    assert "<title>Millrace &lt;Arts&gt;</title>" in html
    assert '<h1 class="kicker">Millrace &lt;Arts&gt;</h1>' in html


def test_drafts_are_not_on_it(client: Client) -> None:
    blog_post()
    create_home_page()
    make_item(title="Not yet", status="draft")
    html = client.get("/").content.decode()
    assert "Not yet" not in html
    assert "Nothing here yet" in html


@pytest.mark.both_databases
def test_search_engines_are_told_what_the_editor_wrote(client: Client) -> None:
    create_home_page()
    HomePage.objects.update(seo_title="Arts by the river", search_description="Courses and shows.")
    html = client.get("/").content.decode()
    assert "<title>Arts by the river \u2013 My site</title>" in html
    assert '<meta name="description" content="Courses and shows.">' in html


def test_a_new_one_lists_the_newest_items_and_what_is_coming_up() -> None:
    events_type()
    blog_post()
    switch_feature(name="events", on=True)
    rows = [(row.block_type, row.value["type"], row.value.get("layout")) for row in create_home_page().rows]
    assert rows == [
        ("item_list", "blog-post", "lead"),
        ("item_list", "projects", "columns"),
        ("item_list", "service", "columns"),
        ("coming_up", "", None),
    ]


def test_rows_that_editors_remove_are_not_put_back(client: Client) -> None:
    make_item(title="Spring opening")
    home = create_home_page()
    assert "Spring opening" in client.get("/").content.decode()
    home.rows = []
    home.save_revision().publish()
    assert not create_home_page().rows
    html = client.get("/").content.decode()
    assert "Spring opening" not in html
    assert "Nothing here yet" in html
