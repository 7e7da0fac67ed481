"""Forms that editors build, and their submissions from the site or the API."""
