"""The command line: `citeloom review`, `find`, `write`, `library`, `runs`, `doctor`."""

import os


def main() -> None:
    """Run the command line."""
    # Checkpoints then hold exactly the types that the channels name. LangGraph reads it as it is loaded,
    # and the options of a command are made of states that load it.
    os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
    from citeloom import PROGRAM
    from citeloom.cli.app import app

    app(prog_name=PROGRAM)
