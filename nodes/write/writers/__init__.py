"""The ways of writing a section, behind one port (nodes.write.writers.writer)."""
