"""Documents: from the bytes of a file to its sections, paragraphs and passages."""
