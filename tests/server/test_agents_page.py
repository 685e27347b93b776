"""Each example of docs/agents.md, run as it stands, against the server that it names."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.conftest import Server
from tests.support import ROOT, clean_environment

_BLOCK = re.compile(r"^## (.+?)$|^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples() -> list[tuple[str, str]]:
    """Return the examples in Python, each with the heading above it."""
    heading, found = "", []
    for match in _BLOCK.finditer((ROOT / "docs" / "agents.md").read_text(encoding="utf-8")):
        heading = match[1] or heading
        if match[2]:
            found.append((heading, match[2]))
    return found


@pytest.mark.parametrize(("heading", "code"), examples(), ids=[name for name, _ in examples()])
def test_example_runs(server: Server, home: Path, heading: str, code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-"],
        input=code.replace("http://127.0.0.1:2024", server.url),
        env={**os.environ, **clean_environment(home), "PYTHONPATH": str(ROOT)},
        cwd=home,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"\[\d\]", done.stdout)  # it came to a text with citations
