"""Read what checkpoints hold by the names of its classes, wherever their modules stand today.

LangGraph writes the module and the class of each value, and hands out a plain dict where that module no longer has
the class. A run that waits for a person would then break whenever a class moves.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import ormsgpack
from langgraph.checkpoint.serde.jsonplus import EXT_PYDANTIC_V2, JsonPlusSerializer
from pydantic import BaseModel

import state
from tools.errors import PermanentError

RENAMED: Mapping[str, str] = {}
"""What a class is called today, by the name that it had when checkpoints were written."""
_PACKAGES = frozenset({"citeloom", "graphs", "nodes", "state", "tools"})
"""Where classes of this program stand or stood, here and in an installed wheel."""
_KEYS = ormsgpack.OPT_NON_STR_KEYS
_UNKNOWN = (
    "this version of CiteLoom cannot read this run's checkpoint (it holds {}, which has changed or is gone): continue "
    "the run with the version that started it, or start it again. The run is kept as it was"
)


class CheckpointTypes(JsonPlusSerializer):
    """LangGraph's serializer, which also reads values whose classes have moved."""

    def __init__(self) -> None:
        kinds = {(kind.__module__, name) for name, kind in stored_types().items()}
        super().__init__(allowed_msgpack_modules=kinds)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Return a value as it was saved.

        Raises:
            PermanentError: It is of a class that is gone, or that has a required field which it lacks.
        """
        form, packed = data
        return super().loads_typed((form, _current(packed) if form == "msgpack" else packed))


def _current(packed: bytes) -> bytes:
    """Return these bytes with each stored class under the module in which it stands today."""
    unknown = set[str]()

    def moved(code: int, data: bytes) -> ormsgpack.Ext:
        held = ormsgpack.unpackb(data, ext_hook=moved, option=_KEYS)
        if code == EXT_PYDANTIC_V2 and held[0].partition(".")[0] in _PACKAGES:
            kind = stored_types().get(RENAMED.get(held[1], held[1]))
            if kind is None or not _required(kind) <= held[2].keys():
                unknown.add(held[1])  # an error that is raised in here would lose its words
            else:
                held[:2] = kind.__module__, kind.__name__
        return ormsgpack.Ext(code, ormsgpack.packb(held, option=_KEYS))

    values = ormsgpack.unpackb(packed, ext_hook=moved, option=_KEYS)
    if unknown:
        raise PermanentError(_UNKNOWN.format(", ".join(sorted(unknown))))
    return ormsgpack.packb(values, option=_KEYS)


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
