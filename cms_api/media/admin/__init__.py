"""The library in the admin: categories, and replacements for Wagtail's pages that know less about usage than the site does.

`CATEGORIES` is imported with Wagtail's hooks, so that the pages and actions that replace Wagtail's are registered in time.
"""

from . import bulk, choosing, library, profile_picture
from .categories import CategoryViewSet
from .forms import DocumentForm, ImageForm

CATEGORIES = CategoryViewSet("media_categories", url_prefix="categories")

__all__ = ["CATEGORIES", "DocumentForm", "ImageForm", "bulk", "choosing", "library", "profile_picture"]
