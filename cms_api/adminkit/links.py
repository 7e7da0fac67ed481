"""Links to pages of other modules, which may be off."""

from urllib.parse import urlsplit

from django.urls import is_valid_path


def existing_path(path: str) -> str:
    """Return the path of a page, such as a record's in the admin; empty while its feature is off, as there is no page then."""
    match = is_valid_path(urlsplit(path).path)
    # Wagtail's patterns for unknown paths match what an address that is off leaves.
    return path if match and match.url_name not in {None, "wagtail_serve"} else ""
