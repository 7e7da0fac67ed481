"""User-defined content types and their items."""
