"""Pages of the public site; the top of the house, because a page may show anything."""
