"""Content in the admin: types with their field editor, vocabularies, and items with a form generated from the schema."""

from wagtail.snippets.models import register_snippet

from . import buttons  # noqa: F401  (registered as it is imported)
from .content_types import TypeViewSet
from .items import ItemViewSet
from .menu import MENU
from .terms import TermViewSet

# Registered here, not through the module's declaration: `migrate` creates the publish permission only for registered
# snippets, and does not load URLs.
ITEMS = ItemViewSet()
register_snippet(ITEMS)
TYPES = TypeViewSet()
TERMS = TermViewSet()

__all__ = ["ITEMS", "MENU", "TERMS", "TYPES"]
