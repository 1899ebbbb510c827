"""Text: the bytes that a reader kept, or encoded."""

from __future__ import annotations

from typing import Any

from kformat.codec.builder.state import kept_of
from kformat.codec.drafts import Draft, Path, shown
from kformat.errors import BuildError
from kformat.language.encodings import LENIENT
from kformat.language.program import ReadBytes


def text_bytes(step: ReadBytes, value: Any, draft: Draft, path: Path) -> bytes:
    """The content of a field: for text the bytes that a reader kept, if it has not changed; otherwise it is encoded."""
    if step.encoding is None:
        if isinstance(value, Draft):  # the case of a switch has changed since it was made
            raise BuildError("bytes are expected", path=shown(path), found="an object")
        content: bytes = value
        return content
    kept = kept_of(draft, path, "text")
    return kept[1] if kept is not None and kept[0] == value else _encode_text(value, step.encoding, path)


def _encode_text(value: Any, encoding: str, path: Path) -> bytes:
    lenient = LENIENT.get(encoding.upper())
    try:
        data: bytes = value.encode(lenient or encoding, "surrogateescape" if lenient else "strict")
        return data
    except (UnicodeEncodeError, AttributeError):
        raise BuildError(
            f"text that is expected to be {encoding} is not", path=shown(path), found=repr(value)[:40]
        ) from None
    except (LookupError, ValueError):
        raise BuildError(f"Python has no encoding {encoding!r:.60}", path=shown(path)) from None
