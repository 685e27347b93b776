"""Reads papers in PDF from the fonts and places of their characters."""
