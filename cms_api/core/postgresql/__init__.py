"""Django's PostgreSQL backend, with connections that survive outages of the server: the ENGINE of DATABASES."""
