"""The options of `dump` for Kafka's own topics: which decoder each file has, and the release whose text it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from kformat.dump.decoders import LIKE, NEWEST, RecordText
from kformat.errors import KformatError, UsageError
from kformat.kafka.log.partition import topic_of
from kformat.kafka.messages.decoding import TOPICS

Command = TypeVar("Command", bound=Callable[..., Any])

_DECODERS: Final = {
    "offsets": "Print the records of __consumer_offsets as what they are.",
    "transaction-log": "The same of __transaction_state.",
    "cluster-metadata": "The same of the metadata log and its snapshots.",
    "remote-log-metadata": "The same of __remote_log_metadata.",
    "share-group-state": "The same of __share_group_state.",
}
"""In the order in which Kafka's tool looks for them, with their help."""


def decoder_options(function: Command) -> Command:
    """The options: ``offsets_decoder`` and the like, ``decode``, ``like``."""
    words = "Print records as the tool of this release does."
    function = click.option("--like", type=click.Choice(LIKE), help=words)(function)
    words = "Do so with each FILE of one of these topics, by the name of its folder."
    function = click.option("--decode", is_flag=True, help=words)(function)
    for name, words in reversed(_DECODERS.items()):
        function = click.option(f"--{name}-decoder", is_flag=True, help=words)(function)
    return function


def record_texts(
    names: list[str], decode: bool, like: str | None, flags: dict[str, Any], has_layouts: bool
) -> dict[str, RecordText]:
    """How the records of each file are decoded, for those that are; takes the decoders' options out of ``flags``."""
    asked = [name for name in _DECODERS if flags.pop(f"{name.replace('-', '_')}_decoder")]
    if has_layouts and (asked or decode):
        raise UsageError("--decode and the decoders do not go with --value-as and --key-as")
    if asked and decode:
        raise UsageError(f"--decode chooses the decoder itself: leave out --{asked[0]}-decoder")
    found = dict.fromkeys(names, asked[0]) if asked else {}  # Kafka's tool takes the first of several, too
    if decode:
        topics = {name: topic_named(name) for name in names}
        found = {name: TOPICS[topic] for name, topic in topics.items() if topic in TOPICS}
    texts = {decoder: RecordText(decoder, like or NEWEST) for decoder in set(found.values())}
    return {name: texts[decoder] for name, decoder in found.items()}


def topic_named(name: str) -> str:
    """The topic of a file by its folder; empty for standard input, and for an address that cannot be reached."""
    try:
        return "" if name == "-" else topic_of(name)
    except (KformatError, OSError):
        return ""
