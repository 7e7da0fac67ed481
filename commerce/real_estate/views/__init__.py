"""Public pages of property listings and of saved searches."""
