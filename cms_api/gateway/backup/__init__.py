"""Copies a whole site into one file, and a file into an empty site: its database and every file that its records refer to."""
