"""What a watch asks beyond a search: where new papers belong in the section."""
