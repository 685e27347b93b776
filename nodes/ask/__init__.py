"""Steps of the `ask` graph."""
