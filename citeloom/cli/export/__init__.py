"""The files of a section: Markdown, Pandoc, LaTeX, HTML, Word, table and references."""
