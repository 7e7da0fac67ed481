"""The wire shapes of types, terms and items, and what the OpenAPI document says of them."""
