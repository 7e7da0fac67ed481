"""A module with jobs that hang, fail, and need too much memory, and others that must go on all the same."""
