"""Forms that people put together, and what is sent in with them, on the site or over the API."""
