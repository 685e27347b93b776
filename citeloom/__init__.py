"""CiteLoom: literature reviews as an agent graph."""

import os

PROGRAM = os.environ.get("CITELOOM_PROGRAM") or "citeloom"
"""What starts this program, for hints that name a command; a server's are for who runs it. ./run sets it."""

# onnxruntime reports its use to its vendor, and writes a device id below the home folder, unless this is set first.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
