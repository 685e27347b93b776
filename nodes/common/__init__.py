"""What steps of several graphs do alike: check an input, ask a mind and check its answer, ask a person."""
