"""Demo content."""


def load(scale: int, progress: object) -> None:
    """Filled in below."""
