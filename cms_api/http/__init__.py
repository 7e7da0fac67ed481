"""The HTTP kit: endpoints, typed queries, lists, input and resource serializers, wire formats and the page cache."""
