"""The next release of the site, as a test of upgrades imagines it: the same code, with two more migrations of content."""
