"""Admin."""
TOKENS = None
