"""Content types that people define, and the items written to them."""
