"""Output formats of types, terms and items: API records with their OpenAPI schemas, and presentation on pages and feeds."""
