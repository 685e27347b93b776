"""Steps that write about papers."""
