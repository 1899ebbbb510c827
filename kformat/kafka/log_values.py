"""The values that a log consists of, as JSON: record batches, and entries of magic 0 and 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kformat.codec.json_form import schema_of

LOG: Final = "log"
"""Not a declaration: a sequence of what `log_format` tells apart, as a segment file is."""

LOG_FORMATS: Final = ("record_batch", "legacy_message")
"""What a log consists of, as each batch's magic says; in JSON the second is what has a ``message``."""


def log_format(obj: Any) -> str:
    """Which of `LOG_FORMATS` a JSON value of a log is: magic 0 and 1 have a ``message``, record batches have not."""
    return LOG_FORMATS[isinstance(obj, Mapping) and "message" in obj]


def json_schema(format: Any) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a format's values: what `to_json` gives, and what `build` takes.

    Fields that building computes or derives may be missing. What depends on other fields (which of them are null, how
    long bytes are, checksums) is not in it.

    Args:
        format: as for `kformat.parse`, or ``"log"`` for one value of a segment file.

    Raises UsageError, DeclarationError: there is no such format, or its declaration is wrong.
    """
    if format == LOG:
        return schema_of(*LOG_FORMATS, title="One batch of a segment file, or one entry of magic 0 or 1")
    return schema_of(format)
