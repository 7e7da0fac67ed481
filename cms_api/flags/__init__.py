"""Which features are on, and the settings that people and commands change while the site runs."""
