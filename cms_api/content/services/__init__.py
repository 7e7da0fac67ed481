"""Writes of content types, vocabularies and items. The admin, the API and imports all use these services."""
