"""Content in the admin: types with their field editor, vocabularies, and items with a form made from their type's schema."""

from wagtail.snippets.models import register_snippet

from . import actions, bulk, buttons  # noqa: F401  (registered as they are imported)
from .content_types import TypeViewSet
from .items import ItemViewSet
from .menu import MENU
from .terms import TermViewSet

# Registered here and not by the module's declaration: `migrate` makes the permission to publish for the snippets it knows,
# and loads no addresses.
ITEMS = ItemViewSet()
register_snippet(ITEMS)
TYPES = TypeViewSet()
TERMS = TermViewSet()

__all__ = ["ITEMS", "MENU", "TERMS", "TYPES"]
