"""The ways of writing a section, each a Writer (nodes.write.writers.writer)."""
