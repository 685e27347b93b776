"""What is told of runs while they go on: log lines, traces, metrics. Never a text, a prompt or a key."""
