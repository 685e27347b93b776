"""The command line: `citeloom review`, `find`, `write`, `library`, `runs`, `doctor`."""

import os
import sys
from pathlib import Path

NAME = "citeloom"


def main() -> None:
    """Run the command line; Ctrl-C at any moment prints one line and no traceback."""
    try:
        _main()
    except (KeyboardInterrupt, SystemExit) as ended:
        cause: BaseException | None = ended
        while cause and not isinstance(cause, KeyboardInterrupt):
            cause = cause.__cause__ or cause.__context__
        if cause is None:
            raise
        sys.stderr.write("Stopped.\n")  # Typer ends the program without a word
        sys.exit(130)


def _main() -> None:
    # Checkpoints then hold exactly the types that the channels name. LangGraph reads it as it is loaded,
    # and the options of a command are made of states that load it.
    os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
    from citeloom.cli.app import app
    from tools.errors import PROGRAM

    # These write a shell's script, which can complete one command, and not two words.
    if PROGRAM != NAME and {"--install-completion", "--show-completion"} & set(sys.argv[1:]):
        folder = Path(sys.argv[0]).resolve().parent
        sys.stderr.write(
            f"Completion works for `{NAME}`: add {folder} to your PATH to call it by that name.\n"
        )
        app(prog_name=NAME)
    app(prog_name=PROGRAM)
