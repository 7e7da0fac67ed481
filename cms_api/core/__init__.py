"""What every module stands on: declarations, wire formats, field schemas, errors, versions and periodic jobs."""
