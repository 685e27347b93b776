"""What flows through the graphs: domain values, channels and their reducers."""
