"""The media library: pictures and files under one record with one id space."""
