"""How well papers are read from their PDFs: measures of each part, against known contents."""
