"""The files of a section: Markdown, LaTeX, HTML, Word, table and references."""
