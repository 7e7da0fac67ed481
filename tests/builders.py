"""Builders: each creates one valid record through the product's own service, with the changes that a test needs."""

import itertools
from io import BytesIO
from typing import Any

from django.core.files.images import ImageFile
from PIL import Image

from cms_api.auth.services.tokens import create_token
from cms_api.content.models import ContentItem, ContentType, Term
from cms_api.content.selectors import find_type
from cms_api.content.services.builtin import create as create_builtin_types
from cms_api.content.services.items import create_item
from cms_api.content.services.types import save_term, save_type
from cms_api.core import versions
from cms_api.forms.models import Form
from cms_api.forms.services.forms import save_form
from cms_api.media.models import MediaFile, MediaImage
from cms_api.webhooks.models import Endpoint
from cms_api.webhooks.selectors import VERSION as WEBHOOKS
from home.models import SharedRow, SitePage, StandardPage
from home.services import create_home_page

_numbers = itertools.count(1)


def make_token(*abilities: str, **changes: Any) -> str:
    """The plaintext of a token with the given abilities."""
    values = {"name": "test", "abilities": list(abilities), "lifetime": "never"} | changes
    return create_token(**values)[1]


def make_type(*fields: dict[str, Any], slug: str = "", feature: str = "", **changes: Any) -> ContentType:
    """Create a content type with a required title and the given fields."""
    slug = slug or f"type-{next(_numbers)}"
    title = {"key": "title", "label": "Title", "type": "text", "required": True}
    values = {"name": slug.replace("-", " ").title(), "fields": [title, *fields]} | changes
    return save_type(slug=slug, values=values, feature=feature)


def field(key: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "label": key.replace("_", " ").capitalize(), "type": kind, **more}


def blog_post() -> ContentType:
    """The built-in type of blog posts."""
    create_builtin_types()
    found = find_type("blog-post")
    assert found is not None
    return found


def make_term(item_type: ContentType, taxonomy: str = "category", name: str = "News", **changes: Any) -> Term:
    return save_term(item_type=item_type, taxonomy=taxonomy, name=name, **changes)


def make_image(name: str = "picture.png", *, width: int = 8, height: int = 6) -> MediaImage:
    """Create a small PNG in the library."""
    drawn = BytesIO()
    Image.new("RGB", (width, height), "#336699").save(drawn, "PNG")
    return MediaImage.objects.create(title=name, file=ImageFile(drawn, name=name))


def name_file(path: str) -> MediaFile:
    """Create the record of a file that a test has put into the storage of media itself: others are not served."""
    return MediaFile.objects.create(title=path[-200:], path=path, file=path)


def make_item(
    item_type: ContentType | None = None, *, title: str = "", data: dict[str, Any] | None = None, **values: Any
) -> ContentItem:
    """Create a published item, by default a blog post."""
    title = title or f"Item {next(_numbers)}"
    sent = {"status": "published", **values, "data": {"title": title, **(data or {})}}
    return create_item(item_type=item_type or blog_post(), values=sent)


def make_form(*fields: dict[str, Any], slug: str = "", **changes: Any) -> Form:
    """Create a form with the given fields; by default a name, an email and a message."""
    slug = slug or f"form-{next(_numbers)}"
    usual = [field("name", "text", required=True), field("email", "email", required=True), field("message", "textarea")]
    return save_form(slug=slug, values={"name": slug.capitalize(), "fields": list(fields) or usual} | changes)


def make_endpoint(*kinds: str) -> Endpoint:
    """Create a webhook endpoint that is subscribed to these kinds of events."""
    versions.bump(WEBHOOKS)
    return Endpoint.objects.create(url="https://example.com/", events=list(kinds))


def make_page(*rows: dict[str, Any], title: str = "", kind: type[SitePage] = StandardPage, **values: Any) -> Any:
    """Create a live page with the given rows (`{"type": "hero", "value": {...}}`) below the home page."""
    title = title or f"Page {next(_numbers)}"
    return create_home_page().add_child(instance=kind(title=title, rows=list(rows), **values))


def make_shared_row(row: dict[str, Any], *, name: str = "") -> SharedRow:
    return SharedRow.objects.create(name=name or f"Row {next(_numbers)}", rows=[row])
