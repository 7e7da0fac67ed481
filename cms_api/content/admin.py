"""Admin."""
CONTENT = None
