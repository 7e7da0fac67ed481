"""What the module knows without a database."""
