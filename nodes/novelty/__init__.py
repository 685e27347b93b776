"""The steps of `novelty`, beside those of `find`."""
