"""The library in the admin: Wagtail's own pages where they know less than the site does, and the categories.

`CATEGORIES` is loaded with Wagtail's hooks: so the pages and actions that stand in the place of Wagtail's are registered in time.
"""

from . import bulk, library
from .categories import CategoryViewSet
from .forms import DocumentForm, ImageForm

CATEGORIES = CategoryViewSet("media_categories", url_prefix="categories")

__all__ = ["CATEGORIES", "DocumentForm", "ImageForm", "bulk", "library"]
