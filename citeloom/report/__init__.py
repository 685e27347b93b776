"""What a run gives: told once as a `ResultReport`, and laid out in each form that it is read or kept in."""
