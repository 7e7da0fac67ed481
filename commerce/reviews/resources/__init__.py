"""The wire shape of reviews, and reviews as pages show them."""
