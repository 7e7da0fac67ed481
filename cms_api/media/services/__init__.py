"""Writes of the library, used by the API, Wagtail's admin and the demo alike."""
