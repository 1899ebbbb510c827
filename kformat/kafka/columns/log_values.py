"""The values of a log as JSON: record batches, and entries of magic 0 and 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kformat.codec.json_form import schema_of

LOG: Final = "log"
"""Not a declaration: a sequence of values of `LOG_FORMATS`, like a segment file."""

LOG_FORMATS: Final = ("record_batch", "legacy_message")
"""The formats of a log's values, chosen by each batch's magic; in JSON the second has a ``message``."""


def log_format(obj: Any) -> str:
    """Which of `LOG_FORMATS` a JSON value is: magic 0 and 1 have a ``message``, record batches do not."""
    return LOG_FORMATS[isinstance(obj, Mapping) and "message" in obj]


def json_schema(format: Any) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a format's values: the output of `to_json`, and the input of `build`.

    Fields that `build` computes or derives are optional. The schema leaves out constraints between fields (which of
    them are null, how long bytes are, checksums).

    Args:
        format: as for `kformat.parse`, or ``"log"`` for one value of a segment file.

    Raises UsageError, DeclarationError: the format does not exist, or its declaration is wrong.
    """
    if format == LOG:
        return schema_of(*LOG_FORMATS, title="One batch of a segment file, or one entry of magic 0 or 1")
    return schema_of(format)
