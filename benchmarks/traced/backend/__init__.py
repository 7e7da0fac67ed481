"""The project's backend for SQLite, measured."""
