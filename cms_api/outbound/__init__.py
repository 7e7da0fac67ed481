"""Calls to other hosts: to checked public addresses, over verified TLS, and with one deadline for the whole call."""
