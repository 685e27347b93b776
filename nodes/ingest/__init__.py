"""The steps of `ingest`."""
