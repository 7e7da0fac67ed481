"""Pages of the public site; the top layer, because a page may show anything."""
