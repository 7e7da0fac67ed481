"""What the content API costs beside Wagtail's own API and beside a bare WSGI program; `python -m benchmarks`."""
