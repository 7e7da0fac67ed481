"""Admin."""
FEATURES_ITEM = None
