"""`citeloom library`: fill, search and look after libraries."""
