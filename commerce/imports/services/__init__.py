"""Writes of imports: files are taken in and read, and runs worked off batch by batch."""
