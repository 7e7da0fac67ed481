"""Writes of content types, vocabularies and items; the admin, the API and imports all come through here."""
