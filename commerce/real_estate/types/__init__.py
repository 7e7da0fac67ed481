"""Pure rules of property listings and their feeds. No database access."""
