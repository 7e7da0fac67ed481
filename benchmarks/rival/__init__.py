"""A plain Wagtail site that serves the same articles through Wagtail's own API v2 and v3."""
