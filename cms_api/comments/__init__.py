"""Visitors' comments on content items, published after moderation."""
