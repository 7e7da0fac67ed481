"""Demo comments on two posts of the blog: some pending, one spam.

Posts that already have comments are left alone, so that loading again adds only what is missing. No notifications are sent.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from cms_api.content.selectors import all_types, published_items
from cms_api.content.services.types import save_type
from cms_api.core import versions

from .models import Comment
from .selectors import VERSION, comments_tag
from .types import Status

TYPE = "blog-post"

#: By post: age in days, status, spam reason, author and text.
COMMENTS: Mapping[str, Sequence[tuple[int, Status, str, str, str]]] = {
    "a-year-in-numbers": [
        (9, Status.APPROVED, "", "Ruth Adeyemi", "Four hundred loaves! I'd have guessed half that.\n\nWho counted?"),
        (8, Status.APPROVED, "", "Ömer Güneş", "I did, with a pencil on the oven door."),
        (
            2,
            Status.APPROVED,
            "",
            "Lena Brandt",
            "Could the tours start later on Sundays? The first bus gets in at ten past ten.",
        ),
        (1, Status.PENDING, "", "Tom Hale", "Is the mill open in August?"),
    ],
    "": [
        (3, Status.PENDING, "", "Priya Nair", "Can I bring my dog?"),
        (4, Status.SPAM, "Contains more than 3 links.", "SEO Team", "http://spam.example/1 http://spam.example/2 www.a www.b"),
    ],
}


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Let the blog take comments, and create the missing ones."""
    versions.forget()
    blog = all_types().get(TYPE)
    if blog is None:
        return
    if not blog.comments_enabled:
        save_type(item_type=blog, values={"comments_enabled": True})
    posts = published_items(blog)
    for slug, rows in COMMENTS.items():
        post = posts.filter(slug=slug).first() if slug else posts.exclude(slug__in=COMMENTS).first()
        if post is not None and not post.comments.exists():
            progress(_make(post, rows))


@transaction.atomic
def _make(post: Any, rows: Sequence[tuple[int, Status, str, str, str]]) -> int:
    now = timezone.now()
    made = [
        Comment(
            item=post,
            author_name=name,
            email=f"{name.split()[0].lower()}@example.com".encode("ascii", "ignore").decode(),
            body=body,
            status=status,
            reason=reason,
            created_at=now - timedelta(days=days, hours=len(name)),
            decided_at=None if status == Status.PENDING else now - timedelta(days=days),
        )
        for days, status, reason, name, body in rows
    ]
    Comment.objects.bulk_create(made)
    versions.bump(VERSION, tags=[comments_tag(post.pk)])
    return len(made)
