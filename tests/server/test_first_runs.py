"""The first runs of a fresh server: twenty at once, both minds, blocking calls forbidden as the server does."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client

from tests.fakes.openai_server import OpenAIServer
from tests.fakes.reviewer import reviewer
from tests.graphs.stacks import QUESTION, uploads
from tests.server.conftest import prepared, serving, with_llm
from tests.support import SMALL, small_records

AT_ONCE = 20
POLISH = (
    "Badamy, jak pszczoły miodne postrzegają swoje otoczenie i jaką rolę odgrywa w tym zapach kwiatów, "
    "które rosną w pobliżu ula i na łące nad rzeką."
)
PAPERS = [paper.id for paper in small_records() if paper.abstract][:4]
CITING = "ROUGE counts shared words (Lin, 2004). Others disagree (Lamp, 2020)."
ASKED = [{"role": "user", "content": "What is ROUGE?"}, {"role": "assistant", "content": "A."}]
OWLS = "# Owls\n\n## Hearing\n\n" + "Barn owls find voles by hearing in the dark. " * 8
BIBTEX = "@article{a, title={Owls that hear}, author={Lind, Anna}, year={2015}, doi={10.5555/owl}}"


def inputs_of(graph: str, abstract: str, section: str) -> dict[str, Any]:
    """Return what each graph is given."""
    given: dict[str, dict[str, Any]] = {
        "find": {"text": abstract},
        "review": {"text": abstract, "cite": 3},
        "write": {"text": abstract, "papers": PAPERS, "cite": 3},
        "revise": {"section": section, "instruction": "without [1]"},
        "verify": {"text": CITING},
        "references": {"text": CITING, "uploads": uploads()},
        "ask": {"question": "And what are its limits?", "messages": ASKED},
        "ingest": {
            "uploads": [
                *uploads(),
                {"name": "owls.md", "content": OWLS},
                {"name": "a.bib", "content": BIBTEX},
            ]
        },
        "synthesize": {"question": QUESTION, "uploads": uploads()},
    }
    return given[graph] if graph in {"revise", "references"} else {"library": SMALL, **given[graph]}


@pytest.mark.slow
@pytest.mark.parametrize(
    "graph",
    ["find", "review", "write", "revise", "verify", "references", "ask", "ingest", "synthesize"],
)
async def test_nothing_blocks_in_the_first_runs_of_a_server(
    graph: str, tmp_path: Path, built: Path, abstract: str
) -> None:
    prepared(tmp_path, built)
    with OpenAIServer(reviewer()) as llm:
        section = await _written(tmp_path, abstract) if graph == "revise" else ""
        with serving(tmp_path, **with_llm(llm.url)) as server:
            async with get_client(url=server.url) as client:

                async def one(number: int) -> Any:
                    given = inputs_of(graph, f"{abstract}\n\nThis is study {number}.", section)
                    if graph == "ingest":
                        given["library"] = f"owls{number}"
                    mind = ("extractive", "llm")[number % 2]
                    quick: Any = {"pool": 8, "results": 12, "debate_batch": 4, "mind": mind}
                    return await client.runs.wait(None, graph, input=given, context=quick)

                runs = [one(number) for number in range(AT_ONCE)]
                if graph in {"find", "ask"}:
                    foreign: Any = {"text": POLISH, "question": POLISH, "library": SMALL}
                    alone: Any = {"mind": "extractive"}
                    runs.append(client.runs.wait(None, graph, input=foreign, context=alone))
                ended = await asyncio.gather(*runs)
        assert "BlockingError" not in server.account
    assert [done.get("__error__") for done in ended] == [None] * len(ended)
    assert [done["stop"] for done in ended[:AT_ONCE]] == [None] * AT_ONCE
    assert all("seems to be in Polish" in done["stop"]["cause"] for done in ended[AT_ONCE:])


async def _written(folder: Path, abstract: str) -> str:
    """Return the section that a server wrote before it was restarted."""
    with serving(folder) as server:
        async with get_client(url=server.url) as client:
            done: Any = await client.runs.wait(
                None, "write", input=inputs_of("write", abstract, "")
            )
    return str(done["run"])
