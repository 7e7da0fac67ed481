"""Names for migrations from `cms_api.text.search`: `media.0003` and `core.0004`. Use that module elsewhere."""

from cms_api.text.search import fold, unique_words

__all__ = ["fold", "unique_words"]
