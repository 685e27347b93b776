"""The command of a function that takes groups of options (citeloom.cli.options)."""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import Parameter, signature
from itertools import zip_longest
from operator import getitem
from typing import Annotated, Any, cast, get_args, get_type_hints

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from typer.core import TyperCommand
from typer.models import OptionInfo

from citeloom.cli import options
from citeloom.cli.commands import Commands, GuardedCommand
from citeloom.cli.finding_results import CheckResults
from state.inputs import AskInput, FindInput, ReviewInput, ReviseInput, VerifyInput, WriteInput
from state.novelty import NoveltyInput
from state.synthesis import SynthesizeInput
from state.table import TableInput
from tools.run_settings import setting_fields

_INPUTS: Mapping[str, type[BaseModel]] = {
    "review": ReviewInput,
    "find": FindInput,
    "write": WriteInput,
    "novelty": NoveltyInput,
    "revise": ReviseInput,
    "verify": VerifyInput,
    "ask": AskInput,
    "table": TableInput,
    "chat": AskInput,
    "synthesize": SynthesizeInput,
}
"""What each command's graph takes."""


def command_of(function: Callable[..., int]) -> TyperCommand:
    """Return the command of a function that takes groups of options: each field of a group is an option."""
    hints = get_type_hints(
        function, localns={**vars(options), "CheckResults": CheckResults}, include_extras=True
    )
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    known = {**setting_fields(), **_INPUTS[function.__name__].model_fields}
    parameters = list[Parameter]()
    for name, parameter in signature(function).parameters.items():
        if name in groups:
            parameters += _options_of(groups[name], known)
        else:
            parameters.append(
                parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name])
            )

    def run(**given: Any) -> int:
        made = {
            name: group(**{item.name: given.pop(item.name) for item in fields(group)})
            for name, group in groups.items()
        }
        return function(**given, **made)

    run.__signature__ = signature(function).replace(parameters=parameters)  # type: ignore[attr-defined]
    alone = Commands()
    alone.command(function.__name__, cls=_ApprovingCommand, help=function.__doc__)(run)
    return cast(TyperCommand, typer.main.get_command(alone))


class _ApprovingCommand(GuardedCommand):
    """Takes `--review-plan` alone as `--review-plan on`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        flags = {
            f"--{name.replace('_', '-')}" for name in options.ReviewApprovals.__dataclass_fields__
        }
        given: list[str] = []
        for arg, following in zip_longest(args, args[1:]):
            alone = arg in flags and following not in {"on", "off", "auto"}
            given += [arg, "on"] if alone else [arg]
        return super().parse_args(ctx, given)


def _options_of(group: Any, known: Mapping[str, FieldInfo]) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [_option(item, hints[item.name], group.HEADING, known) for item in fields(group)]


def _option(
    item: "Field[Any]", hint: Any, heading: str, known: Mapping[str, FieldInfo]
) -> Parameter:
    """Return an option, whose help and default are those of the field that it sets, unless it has its own."""
    kind, told, default = get_args(hint)[0], copy(get_args(hint)[-1]), item.default
    if isinstance(told, OptionInfo):
        told.rich_help_panel = heading
    if item.default_factory is not MISSING:
        default = item.default_factory()
    if told.help is None:
        sets = known[item.name]
        told.help = (
            f"{sets.description} May be repeated." if kind == list[str] else sets.description
        )
        default = sets.get_default(call_default_factory=True, validated_data={})
    if default is MISSING:
        default = Parameter.empty
    annotation: Any = getitem(Annotated, (kind, told))
    return Parameter(item.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
