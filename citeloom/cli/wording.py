"""What help says of an option's value: `N`, `TEXT`, or the words it takes, never a type of Python's."""

from typing import Any

from typer.core import TyperGroup

_KINDS = {"bool": "", "int": "N", "int range": "N", "float": "N", "str": "TEXT", "path": "PATH"}


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
