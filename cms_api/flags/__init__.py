"""Feature switches, and the settings that people and commands change while the site runs."""
