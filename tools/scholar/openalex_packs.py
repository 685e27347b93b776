"""Works whose citing works are asked for in one request to OpenAlex, so that its pages are full."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from state.paper import Paper
from tools.scholar.openalex_query import PAGE


@dataclass(frozen=True, kw_only=True)
class Pack:
    """Works whose citing works are asked for together."""

    works: tuple[str, ...]
    pages: int
    """Most pages to ask for."""
    per_page: int = PAGE


def packed(cited_by: Mapping[str, int | None], limit: int) -> list[Pack]:
    """Return the fewest requests, or nearly, that bring the works citing each of these.

    Works are put together so that their citing works fill the pages (first-fit decreasing). One
    with more of them than `limit` needs, or with an unknown number, is asked for alone, at most
    the pages for `limit`.
    """
    enough = math.ceil(limit / PAGE)
    alone = [key for key, count in cited_by.items() if count is None or count > enough * PAGE]
    counts = {key: count for key, count in cited_by.items() if count and key not in set(alone)}
    packs: list[list[str]] = []
    space: list[int] = []
    for key, count in sorted(counts.items(), key=lambda item: -item[1]):
        for index, free in enumerate(space):
            if count <= free and len(packs[index]) < PAGE:
                break
        else:
            index = len(packs)
            packs.append([])
            space.append(math.ceil(count / PAGE) * PAGE)
        packs[index].append(key)
        space[index] -= count
    shared = [
        # One page more, because works may have been cited since their record was read.
        Pack(works=tuple(pack), pages=math.ceil(sum(counts[key] for key in pack) / PAGE) + 1)
        for pack in packs
    ]
    return [Pack(works=(key,), pages=enough, per_page=min(limit, PAGE)) for key in alone] + shared


def cited_in(pack: Pack, paper: Paper) -> list[str]:
    """Return which works of a pack are cited by a paper of its answer; itself is none of them."""
    references = {key.removeprefix("openalex:") for key in paper.references}
    cited = [key for key in pack.works if key in references]
    if not cited and len(pack.works) == 1:
        cited = list(pack.works)  # merged since: the citing work names another of its ids
    return [key for key in cited if key != paper.openalex]
