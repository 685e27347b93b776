"""CiteLoom: literature reviews as an agent graph."""

import os

PROGRAM = os.environ.get("CITELOOM_PROGRAM") or "citeloom"
"""What starts this program, for hints that name a command; a server's are for who runs it. ./run sets it."""
