"""`kformat help`: the same as `--help`."""

from __future__ import annotations

import click

from kformat.cli.output import Output
from kformat.cli.rare import meant_verb
from kformat.errors import UsageError


@click.command("help")
@click.argument("verbs", nargs=-1, metavar="[VERB]...")
@click.pass_context
def help_command(ctx: click.Context, verbs: tuple[str, ...]) -> None:
    """Show what VERB takes, as `kformat VERB --help` does. Without one, list the verbs."""
    asked = ctx.find_root()
    for verb in verbs:
        group = asked.command
        known = group.list_commands(asked) if isinstance(group, click.Group) else []
        if verb not in known:
            raise UsageError(f"no verb {' '.join(verbs)!r}; {meant_verb(verb, known, {}, '`kformat help` lists them')}")
        assert isinstance(group, click.Group)
        command = group.get_command(asked, verb)
        assert command is not None
        asked = click.Context(command, info_name=verb, parent=asked)
    Output().line(asked.get_help())
