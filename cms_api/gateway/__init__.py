"""Connects the modules to the outside: routes, the order of checks, the OpenAPI document, health and the admin menu."""
