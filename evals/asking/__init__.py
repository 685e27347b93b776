"""What `ask` covers, and whether its quotes bear it out: questions with answers, and papers of yours."""
