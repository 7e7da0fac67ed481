"""The headless CMS: the platform, and the modules that hold or observe content."""
