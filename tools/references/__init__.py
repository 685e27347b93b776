"""What a document cites: its list of references, its citations in the text, and the works behind both."""
