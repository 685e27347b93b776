"""Find citations that stand with another paper's claim, before a draft goes on."""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping

from nodes.write.writers.faults import Fault
from nodes.write.writers.port import Stage
from state.paper import Paper
from tools.evidence.alignment import Evidence
from tools.evidence.claims import claims_of
from tools.services import Services

_KEPT = 4
_made: OrderedDict[tuple[str, ...], Evidence] = OrderedDict()
"""What the papers of a section say, by run and keys: every sentence of every draft asks for it."""


async def misplaced(services: Services, stage: Stage, sentence: str) -> list[Fault]:
    """Return a fault for each citation whose claim another paper at hand covers clearly better.

    The embedded engine is not asked: what it writes of a paper is that paper's own words.
    """
    if services.mind.name == "extractive":
        return []
    papers = await services.run_store.papers.get(list(stage.keys.values()))
    by_key = {key: papers[paper] for key, paper in stage.keys.items() if paper in papers}
    return await asyncio.to_thread(_find, services, by_key, sentence)


def _find(services: Services, papers: Mapping[str, Paper], sentence: str) -> list[Fault]:
    evidence = _evidence(services, papers)
    claims = claims_of(sentence, papers)
    found: list[Fault] = []
    for key, claim in claims.items():
        beside = [other for other, said in claims.items() if said == claim]
        if key in papers and (better := evidence.better(claim, key, beside)):
            words = f"what it says of {key} is said by {better} and not by {key}"
            found.append(Fault("mis_cited", words, key))
    return found


def _evidence(services: Services, papers: Mapping[str, Paper]) -> Evidence:
    place = (services.run, *papers)
    if place not in _made:
        _made[place] = Evidence(papers, services.clients.embedder)
        while len(_made) > _KEPT:
            _made.popitem(last=False)
    return _made[place]
