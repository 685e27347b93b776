"""The writers by name."""

from nodes.write.writers.beam import BeamWriter
from nodes.write.writers.extractive import BaselineWriter
from nodes.write.writers.passage import PassageWriter
from nodes.write.writers.per_cite import PerCiteWriter
from nodes.write.writers.port import Writer
from nodes.write.writers.whole import WholeWriter
from tools.errors import InputError

WRITERS: dict[str, Writer] = {
    writer.name: writer
    for writer in (
        WholeWriter("whole", follows_plan=True),
        WholeWriter("plan", follows_plan=True),
        BeamWriter("beam", follows_plan=True),
        PerCiteWriter("per_cite"),
        PassageWriter("sentence_by_sentence", follows_plan=True, at_once=1),
        BaselineWriter("lexrank"),
        BaselineWriter("one_line"),
    )
}


def writer_named(name: str) -> Writer:
    """Return a writer.

    Raises:
        InputError: There is none of this name; a caller of the server may send any text.
    """
    if name not in WRITERS:
        raise InputError(f"there is no writer '{name}'; there are: {', '.join(WRITERS)}")
    return WRITERS[name]


def check_writer(name: str, *, planned: bool) -> None:
    """Make sure that a writer can do what is asked of it.

    Raises:
        InputError: There is no such writer, or it cannot keep to the researcher's plan.
    """
    writer = writer_named(name)
    if planned and not writer.follows_plan:
        able = ", ".join(key for key, other in WRITERS.items() if other.follows_plan)
        raise InputError(f"the writer '{name}' follows no plan of yours: use one of {able}")
