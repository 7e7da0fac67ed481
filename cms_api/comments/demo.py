"""Demo comments on two posts of the blog: some pending, one spam.

Posts that already have comments are left alone, so that loading again adds only what is missing. No notifications are sent.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from cms_api.content.selectors import all_types, published_items
from cms_api.content.services.types import save_type
from cms_api.core import versions
from cms_api.core.demo import data_beside

from .models import Comment
from .selectors import VERSION, comments_tag
from .types import Status

TYPE = "blog-post"

DATA = data_beside(__file__)


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Let the blog take comments, and create the missing ones."""
    versions.forget()
    blog = all_types().get(TYPE)
    if blog is None:
        return
    if not blog.comments_enabled:
        save_type(item_type=blog, values={"comments_enabled": True})
    posts = published_items(blog)
    for slug, rows in DATA["comments"].items():
        post = posts.filter(slug=slug).first() if slug else posts.exclude(slug__in=DATA["comments"]).first()
        if post is not None and not post.comments.exists():
            progress(_make(post, rows))


@transaction.atomic
def _make(post: Any, rows: list[dict[str, Any]]) -> int:
    now = timezone.now()
    made = []
    for row in rows:
        values = dict(row)
        decided_at, name = now - timedelta(days=values.pop("days_ago")), row["author_name"]
        values["email"] = f"{name.split()[0].lower()}@example.com".encode("ascii", "ignore").decode()
        values["created_at"] = decided_at - timedelta(hours=len(name))
        made.append(Comment(item=post, decided_at=None if row["status"] == Status.PENDING else decided_at, **values))
    Comment.objects.bulk_create(made)
    versions.bump(VERSION, tags=[comments_tag(post.pk)])
    return len(made)
