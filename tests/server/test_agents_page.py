"""Each example of docs/agents.md, run as it stands, against the server that it names."""

import gc
import re
from pathlib import Path

import pytest

from tests.server.conftest import Server
from tests.support import ROOT

_BLOCK = re.compile(r"^## (.+?)$|^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples() -> list[tuple[str, str]]:
    """Return the examples in Python, each with the heading above it."""
    heading, found = "", []
    for match in _BLOCK.finditer((ROOT / "docs" / "agents.md").read_text(encoding="utf-8")):
        heading = match[1] or heading
        if match[2]:
            found.append((heading, match[2]))
    return found


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of sockets
@pytest.mark.parametrize(("heading", "code"), examples(), ids=[name for name, _ in examples()])
def test_example_runs(
    server: Server, home: Path, capsys: pytest.CaptureFixture[str], heading: str, code: str
) -> None:
    exec(code.replace("http://127.0.0.1:2024", server.url), {"__name__": "__main__"})
    gc.collect()  # as the end of a program does
    assert re.search(r"\[\d\]", capsys.readouterr().out)  # it came to a text with citations
