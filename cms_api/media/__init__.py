"""The media library: images, videos and files as one kind of record with one id space."""
