"""Fakes of the scholarly services over real HTTP on loopback."""
