"""Output shapes of types, terms and items: API records with their OpenAPI documents, and what pages and feeds show."""
