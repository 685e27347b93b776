"""Steps that check a text and its references."""
