"""Nothing is written below the home folder, nor a vendor told, when the model is used."""

import os
import subprocess
import sys
from pathlib import Path

EMBED = """
import time
from tools.embed.open_embedder import embedder
assert len(embedder().embed(["bees find their way"])) == 1
time.sleep(1.5)  # the runtime would report from a thread of its own
"""


def test_embedding_leaves_no_trace_of_the_runtime(tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path)}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    environment.pop("XDG_CACHE_HOME", None)
    subprocess.run([sys.executable, "-c", EMBED], env=environment, check=True, timeout=120)
    assert list(tmp_path.rglob("*")) == []
