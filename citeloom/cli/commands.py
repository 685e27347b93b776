"""What all commands share: one sentence for an error, an exit code, and values of options in words."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import ENOSPC
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from citeloom.cli.files import check_home
from citeloom.cli.telling import tell_error
from tools.disk import is_damaged, why_unusable
from tools.errors import CiteLoomError, InputError, LibraryError, plain_fault

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])
_KINDS = {"bool": "", "int": "N", "int range": "N", "float": "N", "str": "TEXT", "path": "PATH"}
"""What help says of a value, by Typer's word for its type; else the words it takes."""
_AWAY = (
    "restore it from a backup, or move it away and repeat the command. Results stay "
    "where they are, but unfinished runs cannot resume"
)
_AGAIN = "Then repeat the command; resume a run with --resume"


class Commands(typer.Typer):
    """Commands of which each returns its exit code, or nothing for 0; errors are one clear sentence."""

    def __init__(self, **options: Any) -> None:
        shared = {"no_args_is_help": True, "add_completion": False}
        super().__init__(pretty_exceptions_enable=False, **{**shared, **options})

    def command(
        self, name: str | None = None, *, cls: type[TyperCommand] | None = None, **options: Any
    ) -> Callable[[FunctionT], FunctionT]:
        """Register a function."""
        return super().command(name, cls=cls or GuardedCommand, **options)


class GuardedCommand(TyperCommand):
    """A command that needs CITELOOM_HOME."""

    needs_home = True

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options; an error says in plain words what is wrong with a value."""
        try:
            return list(super().parse_args(ctx, args))
        except typer.BadParameter as error:
            error.message = plain_fault(error.message)
            raise

    def invoke(self, ctx: Any) -> Any:
        """Call the function, and exit with its code."""
        with exit_on_error(home=self.needs_home):
            code = super().invoke(ctx)
        raise typer.Exit(code or 0)


class HomelessCommand(GuardedCommand):
    """A command that works where CITELOOM_HOME cannot be used."""

    needs_home = False


class WordedGroup(TyperGroup):
    """Commands whose help is in words."""

    def get_params(self, ctx: Any) -> Any:
        """Return the options of the group itself, in words."""
        parameters = super().get_params(ctx)
        for parameter in parameters:
            _put_in_words(parameter, ctx)
        return parameters

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is called, in words."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, worded(command, ctx), rest


def worded(command: Any, ctx: Any) -> Any:
    """Return a command after putting the values of its options, and of those below it, in words."""
    for parameter in command.get_params(ctx):
        _put_in_words(parameter, ctx)
    for below in getattr(command, "commands", {}).values():
        worded(below, ctx)
    return command


def _put_in_words(parameter: Any, ctx: Any) -> None:
    if parameter.param_type_name == "argument":
        parameter.display_type_rich = lambda ctx: ""  # its name says enough
    elif parameter.metavar is None and hasattr(parameter, "display_type_rich"):
        kind = parameter.display_type_rich(ctx).strip("<>").removeprefix("list[").removesuffix("]")
        parameter.metavar = _KINDS.get(kind, kind)


@contextmanager
def exit_on_error(*, home: bool = True) -> Iterator[None]:
    """End the program with one clear sentence where it cannot go on.

    Its exit code is 2 for what the user gave, a library included, and 1 for all else.

    Args:
        home: Whether the command needs CITELOOM_HOME. The error then names a home that cannot be used,
            instead of showing an empty one.
    """
    from tools.settings import SettingsError, settings
    from tools.telemetry.logs import start_logs

    try:
        start_logs()
        if home:
            check_home(settings().home)
        yield
    except (SettingsError, InputError, LibraryError) as error:
        raise _ended(str(error), 2) from error
    except CiteLoomError as error:
        raise _ended(str(error), 1) from error
    except BrokenPipeError:  # the reader has enough, such as `head`; Typer ends the program quietly
        raise
    except OSError as error:
        where = error.filename or settings().home
        code = 1 if error.errno == ENOSPC else 2
        raise _ended(f"{where} cannot be used: {why_unusable(error)}. {_AGAIN}", code) from error
    except sqlite3.Error as error:
        why = (
            f"CiteLoom's data in {settings().home} cannot be used: {why_unusable(error)}. {_AGAIN}"
        )
        if damaged := [path for path in settings().home.glob("*.sqlite") if is_damaged(path)]:
            why = f"{' and '.join(map(str, damaged))} is damaged ({error}): {_AWAY}"
        raise _ended(why, 1) from error


def _ended(why: str, code: int) -> typer.Exit:
    tell_error(why)
    return typer.Exit(code)
