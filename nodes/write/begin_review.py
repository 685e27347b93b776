"""Begin: check the options of writing before anything is searched for.

Reads the input of `review`. Writes `choices`, hands the input on to `find`, and overwrites what an
earlier run on the same thread may have left in the outputs of writing.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from nodes.common.check_input import parse_input, refusing
from nodes.write.writers.writers import check_writer
from state.channels import WriteOutput
from state.inputs import FindInput, WriteChoices, WriteOptions
from state.reducers import begin_run
from tools.bibliography.citation_style import named_style
from tools.run_settings import settings_of_runtime
from tools.services import NodeRuntime

STAGE = "begin_review"


async def begin_review(state: Mapping[str, object], runtime: NodeRuntime) -> dict[str, Any]:
    """Refuse what could not be written, before anything is searched for and paid."""
    choices = WriteChoices()
    with refusing(STAGE) as stopped:
        options = parse_input(WriteOptions, state)
        check_writer(settings_of_runtime(runtime).writer, planned=bool(options.plan.strip()))
        await asyncio.to_thread(named_style, options.style)
        choices = WriteChoices(cite=options.cite, plan=options.plan, style=options.style)
    update = begin_run(WriteOutput, stop=next(iter(stopped), None), failures=stopped)
    # Ephemeral channels are empty after one step: what `find` is to read is written again.
    return {
        **update,
        "choices": choices,
        **{name: state[name] for name in FindInput.model_fields if name in state},
    }
