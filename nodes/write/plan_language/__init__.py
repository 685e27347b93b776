"""The language in which a researcher plans a section; docs/planning.md describes it."""
