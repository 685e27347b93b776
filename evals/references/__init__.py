"""Reading single references: labelled sets, the training of the tagger, and how well it reads."""
