"""Admin."""
DOCUMENTATION_ITEM = None
