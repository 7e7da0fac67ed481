"""Text that others write: HTML cleaned to an allow-list, placeholders, spreadsheet cells, and the search index."""
