"""The steps of `synthesize`: from a stack of papers to a text whose lines show where they come from."""
