"""What each graph's run prints and writes at its end."""
