"""The kit of which every module's admin pages are made."""
