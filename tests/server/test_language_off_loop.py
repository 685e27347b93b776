"""The first text of a fresh process that needs the language identifier blocks no event loop."""

import subprocess
import sys
from pathlib import Path

import pytest

RUN = """
import asyncio, sys
from blockbuster import blockbuster_ctx
from citeloom.settings import settings
from graphs.{graph} import graph

settings()
POLISH = (
    "Badamy, jak pszczoły miodne postrzegają swoje otoczenie i jaką rolę odgrywa w tym zapach kwiatów, "
    "które rosną w pobliżu ula i na łące nad rzeką."
)

async def main():
    assert "py3langid" not in sys.modules
    with blockbuster_ctx(scanned_modules=["citeloom", "graphs", "nodes", "state", "tools"]):
        return await graph.ainvoke({{"text": POLISH, "question": POLISH}})

done = asyncio.run(main())
assert "py3langid" in sys.modules
print(done["stop"].cause)
"""


@pytest.mark.parametrize("graph", ["find", "ask"])
def test_language_is_told_off_the_loop(home: Path, graph: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(graph=graph)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "seems to be in Polish" in done.stdout
