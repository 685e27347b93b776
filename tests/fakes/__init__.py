"""Fakes: real HTTP servers on loopback."""
