"""The graphs: compositions of nodes."""
