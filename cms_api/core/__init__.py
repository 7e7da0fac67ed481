"""The core of every module: declarations, the registry, errors, versions, leases, queues and periodic jobs."""
