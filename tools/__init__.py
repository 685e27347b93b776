"""What the steps work with, in rooms that have an order; nothing here knows a graph."""

import os

# onnxruntime reports its use to its vendor, and writes a device id below the home folder, unless this is set first.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
