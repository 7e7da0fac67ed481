"""The steps of `startmodule`: names, merged sources and ranks."""
