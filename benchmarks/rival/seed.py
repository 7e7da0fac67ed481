"""Fills an empty rival: `python -m benchmarks.rival.seed COUNT` prints the numbers and the token that requests need, as JSON."""

import json
import sys
from collections.abc import Sequence

import django
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db import transaction

from benchmarks.dataset import CATEGORIES, IMAGES, Article, article, picture, settle

BATCH_ARTICLES = 500


def seed(count: int) -> dict[str, object]:
    """`count` articles under the home page, written in bulk, then the search index and the statistics over them."""
    from wagtail.models import Page

    call_command("migrate", verbosity=0)
    parent = Page.objects.get(depth=2)
    categories = add_categories()
    images = add_images()
    first = 0
    for start in range(0, count, BATCH_ARTICLES):
        articles = [article(number) for number in range(start, min(start + BATCH_ARTICLES, count))]
        pages = add_pages(parent, articles, categories, images)
        first = first or pages[0].pk
    Page.objects.filter(pk=parent.pk).update(numchild=count)
    call_command("update_index", verbosity=0)
    settle()
    return {"first": first, "parent": parent.pk, "categories": categories, "images": images, "token": add_token()}


@transaction.atomic
def add_pages(parent, articles: Sequence[Article], categories: dict[str, int], images: list[int]):
    """Two inserts, one a table: Django's bulk_create refuses a model of two tables."""
    from django.contrib.contenttypes.models import ContentType
    from wagtail.models import Locale, Page

    from .models import ArticlePage

    kind = ContentType.objects.get_for_model(ArticlePage)
    locale = Locale.get_default()
    pages = Page.objects.bulk_create(
        Page(
            path=Page._get_path(parent.path, parent.depth + 1, item.number + 1),
            depth=parent.depth + 1,
            numchild=0,
            title=item.title,
            draft_title=item.title,
            slug=item.slug,
            url_path=f"{parent.url_path}{item.slug}/",
            content_type=kind,
            locale=locale,
            live=True,
            first_published_at=item.published_at,
            last_published_at=item.published_at,
            latest_revision_created_at=item.published_at,
        )
        for item in articles
    )
    rows = [
        ArticlePage(
            page_ptr=page,
            excerpt=item.excerpt,
            body=item.body,
            category_id=categories[item.category],
            featured_image_id=images[item.image - 1] if item.image else None,
            event_start=item.event_start,
            event_end=item.event_end,
        )
        for page, item in zip(pages, articles, strict=True)
    ]
    ArticlePage.objects.get_queryset()._insert(rows, fields=ArticlePage._meta.local_concrete_fields)
    return pages


def add_categories() -> dict[str, int]:
    from .models import Category

    return {slug: Category.objects.create(name=slug.title(), slug=slug).pk for slug in CATEGORIES}


def add_images() -> list[int]:
    """Small pictures, each with the rendition that the API shows already made."""
    from wagtail.images.models import Image

    from .models import RENDITION

    numbers = []
    for number in range(1, IMAGES + 1):
        file = ContentFile(picture(number), name=f"picture-{number}.png")
        image = Image.objects.create(title=f"Picture {number}", file=file)
        image.get_rendition(RENDITION)
        numbers.append(image.pk)
    return numbers


def add_token() -> str:
    """Of a member of Wagtail's own Moderators, who may create and publish."""
    from django.contrib.auth.models import Group, User
    from wagtail.models import APIToken

    user = User.objects.create_user("writer")
    user.groups.add(Group.objects.get(name="Moderators"))
    return APIToken.create_token(user=user, name="benchmark")[1]


if __name__ == "__main__":
    django.setup()
    print(json.dumps(seed(int(sys.argv[1]))))
