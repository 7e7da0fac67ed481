"""Cached pages: the next visitor sees every change, and unaffected pages stay cached."""

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from wagtail.models import Page, PageViewRestriction

from cms_api.content.models import ContentItem, ContentType, Term
from cms_api.content.selectors import item_tag
from cms_api.content.services.items import create_item, delete_item, update_item
from cms_api.content.services.types import save_term, save_type
from cms_api.core import versions
from cms_api.flags.services import set_setting
from cms_api.http import page_cache
from home.models import LandingPage, RecordTemplate, Row, SharedRow, StandardPage
from home.services import create_home_page, set_page_image
from tests.builders import blog_post, field, make_image, make_item, make_page, make_shared_row, make_term, make_type
from tests.client import together
from tests.figures import figure

pytestmark = pytest.mark.django_db

EDITS = figure(10, 300)
HERO = {"type": "hero", "value": {"heading": "By the river"}}


def is_kept(client: Client, path: str) -> bool:
    """Whether a page was answered without being made: what made it is no longer asked."""
    client.get(path)
    key = next(key for key in page_cache._pages if key.startswith(f"{path} "))
    before = page_cache._pages[key]
    client.get(path)
    return page_cache._pages[key] is before


def fresh(client: Client, path: str) -> Any:
    """A page as it is made now: whoever sends a token gets none that is kept."""
    return client.get(path, headers={"Authorization": "Bearer none"})


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    item = make_item(title="Before")
    path = f"/blog-post/{item.slug}"
    first = client.get(path)
    assert first.headers["Cache-Control"] == "public, max-age=0, must-revalidate"
    assert is_kept(client, path)
    again = client.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    update_item(item=item, values={"data": {"title": "After"}})
    assert "After" in client.get(path).content.decode()


def test_those_who_are_signed_in_get_pages_of_their_own(admin_client: Client, client: Client) -> None:
    create_home_page()
    assert admin_client.get("/").headers["Cache-Control"] == "private, no-cache"
    assert not page_cache._pages
    client.get("/")
    assert len(page_cache._pages) == 1


@pytest.mark.parametrize("path", ["/nowhere", "/blog-post/nothing", "/admin/login/"])
def test_what_is_no_page_is_not_kept(client: Client, path: str) -> None:
    create_home_page()
    client.get(path)
    assert not page_cache._pages


def test_a_change_ends_what_shows_it_and_nothing_else(client: Client) -> None:
    items = [make_item(title=f"Post {number}", published_at=_ago(number)) for number in range(5)]
    paths = [f"/blog-post/{item.slug}" for item in items]
    assert create_home_page().rows[0].value["count"] == 3
    for path in (*paths, "/"):
        client.get(path)
    before = dict(page_cache._pages)
    update_item(item=items[4], values={"data": {"title": "Changed"}})
    for path in (*paths, "/"):
        client.get(path)
    rendered_again = {key.split()[0] for key, page in page_cache._pages.items() if before[key] is not page}
    # Its own page, and that of its neighbour, which names it. The front page shows the three newest.
    assert rendered_again == {paths[4], paths[3]}


def test_a_page_that_was_changed_while_it_was_made_is_not_kept(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    item = make_item(title="Before")
    path = f"/blog-post/{item.slug}"
    shows = page_cache.shows

    def write_meanwhile(*tags: str) -> None:
        shows(*tags)
        monkeypatch.setattr(page_cache, "shows", shows)
        update_item(item=item, values={"data": {"title": "After"}})

    monkeypatch.setattr(page_cache, "shows", write_meanwhile)
    assert "Before" in client.get(path).content.decode()
    assert "After" in client.get(path).content.decode()


@pytest.mark.both_databases
def test_without_that_check_a_stale_page_would_be_kept(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The positive control of the test above."""
    item = make_item(title="Before")
    path = f"/blog-post/{item.slug}"
    shows = page_cache.shows
    before = versions.snapshot()

    def write_meanwhile(*tags: str) -> None:
        shows(*tags)
        monkeypatch.setattr(page_cache, "shows", shows)
        update_item(item=item, values={"data": {"title": "After"}})
        monkeypatch.setattr(versions, "snapshot", lambda: before)
        monkeypatch.setattr(page_cache, "_tag_versions", lambda tags: {item_tag(item.pk): 1})

    monkeypatch.setattr(page_cache, "shows", write_meanwhile)
    client.get(path)
    assert "Before" in client.get(path).content.decode()


def test_pages_that_were_asked_for_longest_ago_go_first(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [f"/blog-post/{make_item().slug}" for _ in range(4)]
    client.get(paths[0])
    monkeypatch.setattr(page_cache, "MEMORY_BYTES", page_cache._size * 3)
    for path in (*paths, paths[2]):
        client.get(path)
    assert len(page_cache._pages) < 4
    assert next(reversed(page_cache._pages)).startswith(paths[2])
    assert page_cache._size == sum(page.size for page in page_cache._pages.values())


def test_hosts_and_queries_have_pages_of_their_own(client: Client) -> None:
    make_item(title="One")
    for path in ("/blog-post", "/blog-post?q=one", "/blog-post?q=two"):
        client.get(path)
    client.get("/blog-post", secure=True)
    assert len(page_cache._pages) == 4


class Editor:
    """Makes random changes, each through the service that the admin and the API use."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.number = 0
        self.type = make_type(field("body", "textarea"), field("more", "relation", multiple=True))
        self.terms = [make_term(blog_post(), "category", name) for name in ("News", "Notes")]
        self.images = [make_image(width=40, height=30) for _ in range(3)]
        self.items = [self.create() for _ in range(6)]
        self.shared = make_shared_row(HERO)
        lists = {"type": "item_list", "value": {"type": "blog-post", "count": 2}}
        embedded = {"type": "shared", "value": {"row": self.shared.pk}}
        self.pages = [
            make_page(HERO, lists, title="One"),
            make_page(embedded, title="Two"),
            make_page(embedded, HERO, title="Three", kind=LandingPage),
        ]
        rows = [HERO, {"type": "record", "value": {}}]
        make_page(*rows, title="Posts", kind=RecordTemplate, record_type=blog_post(), slug="posts", show_in_menus=False)

    def word(self) -> str:
        self.number += 1
        return f"word{self.number}"

    def pick(self, things: list[Any]) -> Any:
        return self.random.choice(things)

    def item(self) -> ContentItem:
        return ContentItem.objects.get(pk=self.pick(self.items).pk)

    def create(self) -> ContentItem:
        kind = self.pick([blog_post(), self.type])
        return create_item(item_type=kind, values={"status": "published", **self.values(kind)})

    def values(self, kind: ContentType) -> dict[str, Any]:
        data: dict[str, Any] = {"title": self.word()}
        if kind.slug == "blog-post":
            data["category"] = [self.pick(self.terms).slug]
        elif getattr(self, "items", None):
            data["more"] = [self.pick(self.items).pk]
        return {"data": data, "featured_media_id": self.pick([None, *(image.pk for image in self.images)])}

    def edit_item(self) -> None:
        item = self.item()
        update_item(item=item, values=self.values(item.type))

    def switch_item(self) -> None:
        update_item(item=self.item(), values={"status": self.pick(["draft", "published", "unpublished"])})

    def date_item(self) -> None:
        update_item(item=self.item(), values={"published_at": _ago(self.random.randrange(100))})

    def replace_item(self) -> None:
        gone = self.pick(self.items)
        delete_item(item=ContentItem.objects.get(pk=gone.pk))
        self.items.remove(gone)
        self.items.append(self.create())

    def rename_term(self) -> None:
        term = Term.objects.get(pk=self.pick(self.terms).pk)
        save_term(item_type=term.type, taxonomy="category", name=self.word(), slug=term.slug, term=term)

    def rename_type(self) -> None:
        found = ContentType.objects.get(slug="blog-post")
        save_type(item_type=found, slug=found.slug, values={"name_plural": self.word()})

    def rename_site(self) -> None:
        set_setting(key="site.name", value=self.word())

    def page(self) -> Any:
        return Page.objects.get(pk=self.pick(self.pages).pk).specific

    def edit_page(self) -> None:
        page = self.page()
        page.rows.append(("hero", {"heading": self.word()}))
        page.save_revision().publish()

    def rename_page(self) -> None:
        page = self.page()
        page.title = self.word()
        page.save_revision().publish()

    def hide_page(self) -> None:
        page = self.page()
        if page.live:
            page.unpublish()
        else:
            page.save_revision().publish()

    def restrict_page(self) -> None:
        page = self.page()
        restrictions = PageViewRestriction.objects.filter(page=page)
        if restrictions:
            restrictions.get().delete()
        else:
            PageViewRestriction.objects.create(page=page, restriction_type="login")

    def edit_shared_row(self) -> None:
        row = SharedRow.objects.get(pk=self.shared.pk)
        row.rows[0].value["heading"] = self.word()
        row.save()

    def set_picture(self) -> None:
        row = self.pick(list(Row.objects.filter(kind="hero")))
        chosen = self.pick([None, *(image.pk for image in self.images)])
        set_page_image(row=row, key="image", media_id=chosen, alt=self.word(), alt_sent=chosen is not None)

    def edit(self) -> str:
        edits: list[Callable[[], None]] = [
            *([self.edit_item] * 3),
            *(self.switch_item, self.date_item, self.replace_item, self.rename_term, self.rename_type, self.rename_site),
            *(self.edit_page, self.rename_page, self.hide_page, self.restrict_page, self.edit_shared_row, self.set_picture),
        ]
        chosen = self.pick(edits)
        chosen()
        return chosen.__name__

    def paths(self) -> list[str]:
        items = ContentItem.objects.filter(pk__in=[item.pk for item in self.items]).select_related("type")
        return [
            *("/", "/one/", "/two/", "/three/", "/blog-post", f"/{self.type.slug}", "/blog-post/category/news"),
            *(f"/{item.type.slug}/{item.slug}" for item in items),
        ]


@pytest.mark.chance
@pytest.mark.both_databases
def test_no_page_is_stale_after_random_edits(client: Client) -> None:
    blog_post()
    create_home_page()
    editor = Editor(20260301)
    kept = 0
    for number in range(EDITS):
        for path in editor.paths():
            client.get(path)
        done = editor.edit()
        for path in editor.random.sample(editor.paths(), 5):
            known = {id(page) for page in page_cache._pages.values()}
            seen, made = client.get(path), fresh(client, path)
            assert (seen.status_code, seen.content) == (made.status_code, made.content), (number, done, path)
            kept += any(id(page) in known for key, page in page_cache._pages.items() if key.startswith(f"{path} "))
    # Else it would show nothing that none was stale.
    assert kept > EDITS / 2


@pytest.mark.django_db(transaction=True)
def test_visitors_at_the_same_time_see_the_same() -> None:
    item = make_item(title="One")
    answers = together(lambda _: Client().get(f"/blog-post/{item.slug}").content, 6)
    assert len(set(answers)) == 1


def _ago(days: int) -> Any:
    return timezone.now() - timedelta(days=days + 1)


def test_a_moved_page_is_where_it_is_now(client: Client) -> None:
    one, two = make_page(HERO, title="One"), make_page(HERO, title="Two")
    assert client.get("/two/").status_code == 200
    two.move(StandardPage.objects.get(pk=one.pk), pos="last-child")
    assert client.get("/two/").status_code == 404
    assert client.get("/one/two/").status_code == 200
