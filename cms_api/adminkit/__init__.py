"""What the admin pages of every module are made of."""
