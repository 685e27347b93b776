"""How well references are read, and how rightly they are checked."""
