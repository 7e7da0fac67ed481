"""Django's SQLite backend, whose threads write in the order in which they ask: the ENGINE of DATABASES."""
