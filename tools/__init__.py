"""What the steps of a graph reach the world with."""
