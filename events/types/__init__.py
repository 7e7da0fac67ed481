"""Rules that need no database."""
