"""Steps that find papers."""
