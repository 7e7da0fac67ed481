"""The rules of event tickets."""
