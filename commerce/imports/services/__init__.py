"""Import writes: reads uploaded files and imports them in batches."""
