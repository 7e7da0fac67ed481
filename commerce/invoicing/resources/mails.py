"""The parts of emails about invoices."""

from django.utils.html import linebreaks

from cms_api.core.module import Block


def message_block(text: str) -> Block:
    """Return what a person typed, as paragraphs; nothing for no text."""
    return Block(text, linebreaks(text, autoescape=True)) if text else Block("", "")
