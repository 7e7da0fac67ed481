"""CPU cost of the content API compared with Wagtail's own API and a bare WSGI program: `python -m benchmarks`."""
