"""Decodes and rewrites uploaded images in a process of its own, with little memory and little time.

Nothing here may import Django: the process must start fast and contain no secrets.
"""
