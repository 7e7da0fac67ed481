"""Writes of the library; the API, Wagtail's admin and the demo all come through here."""
