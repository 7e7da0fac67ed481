"""Pages in the admin: shared rows, images set by integrations, and the theme."""

from . import choosing, rich_text, theme
from .pictures import PagePictureViewSet
from .shared_rows import SharedRowViewSet

SHARED_ROWS = SharedRowViewSet()
PAGE_PICTURES = PagePictureViewSet("page_pictures", url_prefix="page-pictures")

__all__ = ["PAGE_PICTURES", "SHARED_ROWS", "choosing", "rich_text", "theme"]
