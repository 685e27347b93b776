"""Take the section that an earlier run has written, with its papers and what was read of them.

Reads the input of `revise`. Writes `run`, `request`, `choices`, `selected`, `keys`, `outline`,
`final`, `read`, `notes`, `instruction`, `stop`; papers and key elements go to the run store of the new run,
with what publishers said of the papers since.
"""

from collections.abc import Mapping
from uuid import uuid4

from nodes.common.check_input import parse_input, refusing
from nodes.common.publisher_notices import news_of, noticed_now
from nodes.revise.revise_section import check_instruction
from nodes.write.plan_language.read_plan import named_papers, parse_plan, with_themes
from nodes.write.review_plan import with_new_keys
from nodes.write.review_text import edited_section
from nodes.write.writers.writers import check_writer
from state.channels import ReviseState, SavedSection
from state.inputs import CheckedRequest, ReviseInput, WriteChoices
from state.paper import index_by_ids
from state.reducers import begin_run
from state.run import Failure
from state.writing import Draft, Plan
from tools.errors import InputError
from tools.run_settings import check_settings, route_options_of
from tools.run_store import RunStore
from tools.services import NodeRuntime, Services, open_services

STAGE = "take_section"
_MOST = 2000
"""Characters of an instruction."""
_LONGEST = 100_000
"""Characters of an edited text."""


async def take_section(state: Mapping[str, object], runtime: NodeRuntime) -> ReviseState:
    """Copy what is needed to a run store of its own, so that the earlier run stays as it was."""
    run = uuid4().hex
    services = open_services(runtime, run)
    section = _nothing()
    told, edited = "", False
    read: list[str] = []
    notes: list[str] = []
    failures: list[Failure] = []
    with refusing(STAGE) as stopped:
        check_settings(services.context)
        sent = parse_input(ReviseInput, state)
        told = " ".join(sent.instruction.split())
        _check(sent)
        if told and not services.mind.composes:
            check_instruction(told)
        earlier = services.run_store.of(sent.section)
        section = await _section(earlier, sent.section)
        check_writer(services.context.writer, planned=bool(sent.plan.strip()))
        if sent.plan.strip():
            section = await _planned(section, sent.plan, earlier)
        if edited := bool(sent.text.strip()):
            section = await _edited(section, sent.text, earlier)
        notes, failures = await _copy(section, earlier, services)
        known = await earlier.elements.get(list(section.keys.values()))
        read = [key for key in section.keys.values() if key in known]
    return begin_run(
        ReviseState,
        settings=route_options_of(services.context),
        run=run,
        request=section.request,
        choices=section.choices,
        selected=list(section.selected),
        keys=section.keys,
        outline=section.outline,
        final=section.final.model_copy(update={"whole": False}),
        read=read,
        told=told,
        reviewed=True,
        edited=edited,
        notes=notes,
        stop=next(iter(stopped), None),
        failures=[*failures, *stopped],
    )


def _nothing() -> SavedSection:
    return SavedSection(
        request=CheckedRequest(text=""),
        choices=WriteChoices(),
        selected=(),
        keys={},
        outline=Plan(lines=()),
        final=Draft(id="d"),
    )


def _check(sent: ReviseInput) -> None:
    given = sum(bool(text.strip()) for text in (sent.instruction, sent.plan, sent.text))
    if not given:
        raise InputError("nothing to change: give an instruction, a plan, or your edited text")
    if given > 1:
        raise InputError("give only one of instruction, plan and text; revise again for the next")
    if len(sent.text) > _LONGEST:
        raise InputError(f"the text has more than {_LONGEST:,} characters")
    if len(sent.instruction) > _MOST:
        raise InputError(f"the instruction is longer than {_MOST:,} characters: shorten it")


async def _section(earlier: RunStore, name: str) -> SavedSection:
    section = await earlier.section.last() if name.strip() else None
    if section is None:
        raise InputError(
            f"run '{name}' has no section here: give the `run` of a result of write or review"
        )
    return section


async def _planned(section: SavedSection, plan: str, earlier: RunStore) -> SavedSection:
    """Return the section with a new plan; `[n]` counts as in the text that is revised."""
    order = section.order
    aliases = index_by_ids((await earlier.papers.get(order)).values())
    keys = with_new_keys(section.keys, named_papers(plan, order, aliases))
    outline = with_themes(parse_plan(plan, order, aliases, keys), section.outline)
    choices = section.choices.model_copy(update={"plan": plan})
    return section.model_copy(update={"keys": keys, "outline": outline, "choices": choices})


async def _edited(section: SavedSection, text: str, earlier: RunStore) -> SavedSection:
    """Return the section with a person's text; `[n]` counts as in the text that is revised."""
    papers = await earlier.papers.get(section.order)
    return section.model_copy(update=edited_section(section, text, section.order, papers.values()))


async def _copy(
    section: SavedSection, earlier: RunStore, services: Services
) -> tuple[list[str], list[Failure]]:
    """Copy papers and what was read of them; return what was said of papers since, and who could not be asked."""
    papers = await earlier.papers.get([*section.selected, *section.keys.values()])
    cited = [papers[key] for key in section.keys.values() if key in papers]
    marked, failures = await noticed_now(services, section.request, cited, STAGE, records=True)
    await services.run_store.papers.put((papers | marked).values())
    for elements in (await earlier.elements.get(list(section.keys.values()))).values():
        await services.run_store.elements.put([elements])
    return [news_of(one) for one in marked.values()], failures
