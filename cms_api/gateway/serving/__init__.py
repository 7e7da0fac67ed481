"""The web server of `manage.py serve` and `manage.py web`: uvicorn, whose clients may be slow without occupying a thread."""
