"""The types of all declarations."""

#: A dotted path to code, which is imported only where it is used.
Dotted = str
