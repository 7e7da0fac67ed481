"""The public pages of the help desk."""
