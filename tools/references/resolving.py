"""Ask sources on the network for works, take over what they say, and see which works turn out to be one."""

from collections.abc import Mapping, Sequence

from state.merging import ids_of, is_preprint, merge_papers
from state.paper import Paper, title_key
from state.synthesis import EntryWorks, Line, Origin
from tools.scholar.agreement import LETTERS
from tools.scholar.lookup import WorkToLookUp, look_up
from tools.scholar.same_work import near_titles, unite_records
from tools.scholar.source import Source


def adds_to_record(record: Paper | None) -> bool:
    """Whether the title of a record is worth looking for."""
    return record is not None and len(title_key(record.title)) >= LETTERS


async def known_by_sources(
    source: Source, wanted: Sequence[WorkToLookUp]
) -> tuple[dict[str, Paper], dict[int, str]]:
    """Return what one source knows of these works, by their ids, and which could not be asked about.

    Raises:
        TransientError, PermanentError: It does not answer at all.
    """
    looked = await look_up(source, dict(enumerate(wanted)))
    found = {
        record.id: paper
        for place, paper in looked.found.items()
        if (record := wanted[place].record)
    }
    return found, looked.failed


def complete_record(own: Paper, found: Paper) -> Paper:
    """Return a work with what a source knows of it, under its own id.

    The source's words win over what was read from a page, unless it knows a preprint of what is
    cited as published.
    """
    read = near_titles(own.title, found.title)
    older = read and is_preprint(found) and not is_preprint(own)
    merged = merge_papers(own, found) if older else merge_papers(found, own)
    aliases = dict.fromkeys([*ids_of(found), *ids_of(own)])
    return merged.model_copy(
        update={"id": own.id, "aliases": tuple(key for key in aliases if key != own.id)}
    )


def unite_found(
    found: Mapping[str, Paper], works: Sequence[Paper], sources: Sequence[Paper]
) -> tuple[list[Paper], dict[str, str]]:
    """Return the records that change, and for each work that is another one the id of that.

    Args:
        found: What the network says, by the id of the work or source.
        works: All works that are cited.
        sources: The papers of the stack; a work that is one of them becomes it, and no two of them
            become one.
    """
    pool = list({paper.id: paper for paper in [*sources, *works]}.values())
    pool = [
        complete_record(paper, found[paper.id]) if paper.id in found else paper for paper in pool
    ]
    own = {paper.id for paper in sources}
    changed = {paper.id: paper for paper in pool if paper.id in found}
    same: dict[str, str] = {}
    for group in unite_records(pool):
        members = [pool[place] for place in group]
        if len(members) < 2 or not any(paper.id in found for paper in members):
            continue
        kept = min(members, key=lambda paper: paper.id not in own)
        for other in members:
            if other.id != kept.id and other.id not in own:
                same[other.id] = kept.id
                kept = merge_papers(kept, other)
                changed.pop(other.id, None)
        changed[kept.id] = kept
    return list(changed.values()), same


def renamed_entries(entries: EntryWorks, same: Mapping[str, str]) -> EntryWorks:
    """Return the entries with the works that are other ones under the ids of those."""
    works = {
        source: tuple(same.get(work, work) for work in own) for source, own in entries.works.items()
    }
    return entries.model_copy(update={"works": works})


def renamed_lines(lines: Sequence[Line], same: Mapping[str, str]) -> list[Line]:
    """Return the lines with the works of their origins under the same ids as the entries."""

    def renamed(origin: Origin) -> Origin:
        ids = dict.fromkeys(same.get(work, work) for work in origin.works)
        works = tuple(key for key in ids if key != origin.paper)
        return origin.model_copy(update={"works": works})

    return [
        line.model_copy(update={"origins": tuple(map(renamed, line.origins))}) for line in lines
    ]
