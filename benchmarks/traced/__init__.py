"""A site whose transactions are measured: settings, and a database backend that writes a line about each of them."""
