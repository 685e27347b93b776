"""How well references are read, the training of what reads them, and how rightly they are checked."""
