"""The steps of `revise`."""
