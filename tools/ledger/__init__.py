"""What runs may spend and have spent: on questions to the mind, and on calls to sources."""
