"""What a revision needs, seen before a run is made of it."""

from collections.abc import Mapping
from typing import Any

from tools.settings import settings


def check_revision(given: object, context: Mapping[str, Any] | None) -> None:
    """Refuse an instruction that the run's mind cannot follow; other inputs pass.

    Raises:
        InputError: It needs a model, and the run has none.
    """
    if not isinstance(given, Mapping) or "section" not in given:
        return
    # The server reads its auth, which asks this, before the graphs, whose modules take a while.
    from nodes.revise.revise_section import check_instruction
    from tools.llm.open_model import is_embedded

    told = " ".join(str(given.get("instruction") or "").split())
    if told and is_embedded((context or {}).get("mind") or "auto", settings()):
        check_instruction(told)
