"""Screening for systematic reviews: the record on disk, agreement, the order of papers, and when to stop."""
