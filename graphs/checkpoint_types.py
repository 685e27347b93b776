"""What checkpoints hold: values are read by the names of their classes, and a step that was stopped leaves none.

LangGraph writes the module and the class of each value, and hands out a plain dict where that module no longer has
the class. A run that waits for a person would then break whenever a class moves.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import cache, wraps
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import ormsgpack
from langgraph.checkpoint.base import WRITES_IDX_MAP, BaseCheckpointSaver
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.jsonplus import EXT_PYDANTIC_V2, JsonPlusSerializer
from langgraph.checkpoint.serde.types import ERROR
from langgraph.errors import EmptyInputError
from pydantic import BaseModel

import state
from tools.errors import PermanentError

RENAMED: Mapping[str, str] = {
    "Answer": "PersonAnswer",
    "Choices": "WriteChoices",
    "Entries": "EntryWorks",
    "FacetCover": "FacetCoverage",
    "Listing": "RankedOrder",
    "LostClaim": "DroppedClaim",
    "LostLine": "DroppedLine",
    "Placed": "PlacedText",
    "Question": "PersonQuestion",
    "Request": "CheckedRequest",
    "Round": "SearchRound",
    "Span": "CostRange",
    "StackItem": "PaperToRead",
    "Trail": "LinkRound",
    "Turn": "ConversationTurn",
    "Wanted": "PassageConditions",
}
"""What a class is called today, by the name that it had when checkpoints were written."""
RENAMED_STEPS: Mapping[str, str] = {
    "understand": "read_input",
    "screen": "screen_papers",
    "shortlist": "shortlist_papers",
    "debate_with_attribution": "judge_papers",
    "extend_beam": "write_draft",
    "vote_drafts": "choose_draft",
    "draw_claims": "extract_claims",
    "choose_passages": "extract_claims",
    "judge_sufficiency": "compose_answer",
    "answer_at_once": "answer_in_one_call",
    "read_in_bulk": "read_on_cluster",
    "take_stack": "take_question_and_papers",
    "read_paper": "read_papers",
}
"""What a step is called today, by the name that it had; a run that was stopped before one continues with it."""
_OF_SYNTHESIS = {"read_paper": "read_stack_paper"}
"""The same where a checkpoint is one of `synthesize`; `write` has a step of that name."""
_BRANCH = "branch:to:"
"""LangGraph's channel for a step that comes next."""
_PACKAGES = frozenset({"citeloom", "graphs", "nodes", "state", "tools"})
"""Where classes of this program stand or stood, here and in an installed wheel."""
_KEYS = ormsgpack.OPT_NON_STR_KEYS
_UNKNOWN = (
    "this version of CiteLoom cannot read this run's checkpoint (it holds {}, which has changed or is gone): continue "
    "the run with the version that started it, or start it again. The run is kept as it was"
)


class CheckpointError(PermanentError, EmptyInputError):
    """A checkpoint cannot be read. LangGraph's server shows callers the text of an EmptyInputError."""


class CheckpointTypes(JsonPlusSerializer):
    """A serializer, LangGraph's own without another, which also reads values whose classes have moved."""

    def __init__(self, inner: SerializerProtocol | None = None) -> None:
        super().__init__()
        self._inner = inner or JsonPlusSerializer(allowed_msgpack_modules=())
        if isinstance(self._inner, JsonPlusSerializer):
            self._inner = self._inner.with_msgpack_allowlist(stored_types().values())

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Return the form and the bytes in which a value is saved."""
        return self._inner.dumps_typed(obj)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Return a value as it was saved.

        Raises:
            CheckpointError: It is of a class that is gone, or that has a required field which it lacks.
        """
        form, packed = data
        return self._inner.loads_typed((form, _current(packed) if form == "msgpack" else packed))

    def with_msgpack_allowlist(
        self, extra_allowlist: Iterable[tuple[str, ...] | type]
    ) -> JsonPlusSerializer:
        """Return a serializer that also reads these types."""
        if not isinstance(self._inner, JsonPlusSerializer):
            return self
        return CheckpointTypes(self._inner.with_msgpack_allowlist(extra_allowlist))


def writes_to_keep(writes: Sequence[tuple[str, Any]]) -> Sequence[tuple[str, Any]]:
    """Return what a step gave; of one that failed or was cancelled, no value.

    LangGraph (1.2.22, `PregelRunner.commit`) keeps the values of a step that was cancelled before its router had
    chosen what follows. A resumed run then takes the step as done, and ends there as if it were complete.
    """
    failed = any(channel == ERROR for channel, _ in writes)
    return [one for one in writes if one[0] in WRITES_IDX_MAP] if failed else writes


def with_sound_checkpoints(checkpointer: Any) -> Any:
    """Return a checkpointer, where it is one, that reads values by name and keeps those of finished steps alone."""
    if not isinstance(checkpointer, BaseCheckpointSaver):
        return checkpointer
    if isinstance(checkpointer.serde, CheckpointTypes):
        return checkpointer
    made: Any = copy(checkpointer)  # as LangGraph does to have it trust other types
    made.serde = CheckpointTypes(checkpointer.serde)
    made.put_writes, made.aput_writes = _kept_by(made.put_writes), _kept_by(made.aput_writes)
    return made


def _kept_by(put: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(put)  # LangGraph looks at which parameters it has
    def put_what_is_kept(
        config: Any, writes: Sequence[tuple[str, Any]], *task: Any, **more: Any
    ) -> Any:
        return put(config, writes_to_keep(writes), *task, **more)

    return put_what_is_kept


def _current(packed: bytes) -> bytes:
    """Return these bytes with each stored class under the module in which it stands today."""
    unknown = set[str]()
    steps = {**RENAMED_STEPS, **(_OF_SYNTHESIS if b"stacked" in packed else {})}

    def moved(code: int, data: bytes) -> ormsgpack.Ext:
        held = ormsgpack.unpackb(data, ext_hook=moved, option=_KEYS)
        if code == EXT_PYDANTIC_V2 and held[0].partition(".")[0] in _PACKAGES:
            kind = stored_types().get(RENAMED.get(held[1], held[1]))
            if kind is None or not _required(kind) <= held[2].keys():
                unknown.add(held[1])  # an error that is raised in here would lose its words
            else:
                held[:2] = kind.__module__, kind.__name__
        elif isinstance(held, list) and held[:2] == ["langgraph.types", "Send"]:
            held[2][0] = steps.get(held[2][0], held[2][0])
        return ormsgpack.Ext(code, ormsgpack.packb(held, option=_KEYS))

    values = ormsgpack.unpackb(packed, ext_hook=moved, option=_KEYS)
    if isinstance(values, dict) and "channel_versions" in values:
        values = _with_steps_of_today(values, steps)
    if unknown:
        raise CheckpointError(_UNKNOWN.format(", ".join(sorted(unknown))))
    return ormsgpack.packb(values, option=_KEYS)


def _with_steps_of_today(checkpoint: dict[str, Any], steps: Mapping[str, str]) -> dict[str, Any]:
    """Return a checkpoint whose channels, and what each step has seen of them, bear the names of today."""
    names = {f"{_BRANCH}{old}": f"{_BRANCH}{new}" for old, new in steps.items()} | dict(steps)

    def renamed(held: dict[str, Any]) -> dict[str, Any]:
        return {names.get(key, key): value for key, value in held.items()}

    parts = ("channel_values", "channel_versions", "versions_seen")
    made: dict[str, Any] = {part: renamed(checkpoint[part]) for part in parts if part in checkpoint}
    made["versions_seen"] = {
        step: renamed(channels) for step, channels in made["versions_seen"].items()
    }
    if updated := checkpoint.get("updated_channels"):
        made["updated_channels"] = [names.get(name, name) for name in updated]
    return {**checkpoint, **made}


@cache
def _required(kind: type[BaseModel]) -> frozenset[str]:
    return frozenset(name for name, item in kind.model_fields.items() if item.is_required())


@cache
def stored_types() -> Mapping[str, type[BaseModel]]:
    """Return the classes that a checkpoint may hold, by name: the values of `state/`."""
    modules = [
        import_module(f"{state.__name__}.{module.name}") for module in iter_modules(state.__path__)
    ]
    return {
        name: kind
        for module in modules
        for name, kind in vars(module).items()
        if isinstance(kind, type) and issubclass(kind, BaseModel) and kind is not BaseModel
    }
