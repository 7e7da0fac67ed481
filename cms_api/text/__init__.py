"""Untrusted text: HTML cleaned to an allow-list, placeholders, spreadsheet cells, and the search index."""
