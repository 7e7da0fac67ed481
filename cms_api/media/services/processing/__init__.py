"""Decodes and rewrites uploaded pictures in a process of its own, which has little memory and little time.

Nothing here may import Django: the process must start fast, and hold nothing worth stealing.
"""
