"""Kafka's codecs: their numbers, and compression in Kafka's framings, on top of `kformat.storage.compression`.

The writer frames data as Kafka's Java classes do, byte for byte (the compressed blocks inside depend on the version of
the compression library and may differ); the reader accepts what those classes accept:

* **gzip** and **zstd** have no framing of Kafka's. zstd: magic 2 only.
* **snappy**: written as snappy-java's ``SnappyOutputStream`` does (the "xerial" framing, blocks of 32 KiB); read from
  that framing, from several such streams in a row, or, without its header, from a single raw block.
* **lz4**: the subset of the LZ4 frame format that ``Lz4BlockOutputStream`` writes and ``Lz4BlockInputStream`` reads:
  independent blocks only. In magic 0 the header checksum also covers the frame's magic number, an old bug that became
  part of the format: the byte is written that way and never checked.

The engine, which knows codec numbers only from a declaration, calls this module through `kformat.storage.codecs`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from kformat.errors import CompressionError, LimitError, UsageError
from kformat.storage import compression
from kformat.storage.checksum import byte_view
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT, damaged, fields

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

CODEC_NAMES = ("none", compression.GZIP, compression.SNAPPY, compression.LZ4, compression.ZSTD)
"""Names by codec id, the low three bits of a batch's attributes (Kafka's ``CompressionType``)."""

CODEC_LABELS = (*CODEC_NAMES, *(f"unknown({number})" for number in range(len(CODEC_NAMES), 8)))
"""Names for all numbers of three bits: ``unknown(5)`` for a number that Kafka does not define."""

NONE, GZIP, SNAPPY, LZ4, ZSTD = range(len(CODEC_NAMES))

CURRENT_MAGIC = 2
"""The version of Kafka's batches since 0.11."""

_LEVELS: tuple[range | tuple[int, ...], ...] = ((), (-1, *range(1, 10)), (), range(1, 18), range(-131072, 23))


def decompress(
    codec: int, data: ReadableBuffer, *, magic: int | None = None, limit: int = DEFAULT_INFLATE_LIMIT
) -> bytes:
    """Decompress the payload of one batch (magic 2) or wrapper message (magic 0 and 1).

    Args:
        codec: 0 to 4, see ``CODEC_NAMES``; 0 returns the bytes unchanged, whatever the limit.
        data: the payload: the records section of a batch, or the value of a wrapper message.
        magic: the format version of the batch or wrapper; it decides how lz4's header checksum is treated.
            None: the current one.
        limit: the largest result in bytes. A zstd frame with a window above 32 MiB (levels 20 to 22) needs that
            window in addition to its result, and it counts: at the default limit such a frame may decompress to
            80 MiB.

    Raises:
        CompressionError: the payload is damaged, truncated, or framed in a way that Kafka does not read.
        LimitError: the result would be larger than ``limit``.
        UsageError: ``data`` is not a contiguous buffer, or ``limit`` is negative.
        MemoryError: there is not enough memory for the payload.
    """
    if limit < 0:
        raise UsageError(f"the decompression limit is {limit}; it must be 0 or more")
    if codec == NONE:
        return bytes(byte_view(data))
    view = byte_view(data)
    if codec == GZIP:
        return compression.inflate_gzip(view, limit)
    if codec == SNAPPY:
        return compression.inflate_snappy(partial(_snappy_blocks, view), limit)
    if codec == LZ4:
        return compression.inflate_lz4(view, limit, verify_header=magic is None or magic > 0)
    if codec == ZSTD:
        if magic is not None and magic < 2:
            raise CompressionError("zstd exists only in magic 2", expected="magic 2", found=f"magic {magic}")
        return compression.inflate_zstd(view, limit)
    raise CompressionError("unknown compression codec", expected=f"0 to {ZSTD}", found=codec)


def decompress_some(codec: int, data: ReadableBuffer, *, limit: int = DEFAULT_INFLATE_LIMIT) -> bytes:
    """Decompress a damaged payload from its start up to the damage; at most ``limit`` bytes.

    With gzip, a few bytes before the damage may be missing; with the others, the damaged block (as producers write
    them: at most 32 KiB with snappy, 64 KiB with lz4, 128 KiB with zstd). Damage that a codec does not notice stays.
    """
    begun, view = bytearray(), byte_view(data)
    pieces: Iterator[bytes] = iter(())
    if codec == GZIP:
        pieces = compression.begin_gzip(view)
    elif codec == SNAPPY:
        pieces = (compression.inflate_snappy(partial(iter, (block,)), limit) for block in _snappy_blocks(view))
    elif codec == LZ4:
        pieces = compression.begin_lz4(view)
    elif codec == ZSTD:
        pieces = compression.begin_zstd(view)
    try:
        for piece in pieces:
            begun += piece[: limit - len(begun)]
            if len(begun) >= limit:
                break
    except (CompressionError, LimitError):
        pass
    return bytes(begun)


def payload_ends(codec: int | None, data: memoryview) -> list[int]:
    """Positions where the payload that ``data`` begins with may end, by its framing; snappy's has no end mark.

    ``codec`` is the number of one of `CODEC_NAMES`, or None if unknown: then the first bytes decide. Empty for bytes
    that are not compressed.
    """
    if codec is None:
        codec = next((number for number, magic in _SIGNATURES.items() if data[: len(magic)] == magic), SNAPPY)
    if codec == SNAPPY:
        return list(_snappy_ends(data))
    if codec not in _END_OF:
        return []
    end = _END_OF[codec](data)
    return [end] if end else []


def _snappy_ends(data: memoryview) -> Iterator[int]:
    """The position after each block of snappy-java's framing; or after the one raw block."""
    if data[: len(_XERIAL_MAGIC)] != _XERIAL_MAGIC:
        end = compression.end_of_snappy(data)
        if end:
            yield end
        return
    position = 0
    try:
        for block in _snappy_blocks(data):
            position += 4 + len(block) + (len(_XERIAL_HEADER) if not position else 0)
            if not block:
                return
            yield position
    except CompressionError:
        return


def decompress_into(codec: int, data: memoryview, room: memoryview) -> int | None:
    """Decompress the payload of a magic-2 batch into an existing buffer, which saves allocating one.

    Returns:
        The number of bytes, or None if the result may not fit; then nothing was decompressed. Always None for gzip and
        for an empty payload, because their size is not known in advance.

    Raises:
        CompressionError: as `decompress`. The buffer's content is then undefined.
    """
    if codec == LZ4:
        return compression.inflate_lz4_into(data, room)
    if codec == ZSTD:
        return compression.inflate_zstd_into(data, room)
    if codec == SNAPPY:
        return compression.inflate_snappy_into(partial(_snappy_blocks, data), room)
    return None


def compress(codec: int, data: ReadableBuffer, *, magic: int | None = None, level: int | None = None) -> bytes:
    """Compress into Kafka's framing of ``codec``; ``decompress`` is its inverse.

    Args:
        codec: 0 to 4, see ``CODEC_NAMES``.
        data: the records section of a magic-2 batch, or the message set of a wrapper message.
        magic: the format version; lz4's header checksum differs for 0, and zstd needs 2. None: the current one.
        level: as in Kafka's ``compression.<codec>.level``: gzip -1 or 1 to 9 (default -1), lz4 1 to 17 (default 9,
            which selects the fast compressor, any other number LZ4-HC), zstd -131072 to 22 (default 3).

    Raises:
        UsageError: an unknown codec, a level that Kafka refuses, zstd below magic 2, or not a contiguous buffer.
    """
    view = byte_view(data)
    if codec not in range(len(CODEC_NAMES)):
        raise UsageError(f"unknown compression codec {codec}: known are 0 to {ZSTD}")
    if codec == ZSTD and magic is not None and magic < 2:
        raise UsageError(f"zstd exists only in magic 2, not in magic {magic}")
    if level is not None and level not in _LEVELS[codec]:
        raise UsageError(f"compression level {level} does not exist for {CODEC_NAMES[codec]}")
    if codec == GZIP:
        return compression.deflate_gzip(view, -1 if level is None else level)
    if codec == SNAPPY:
        return _deflate_snappy(view)
    if codec == LZ4:
        frame = compression.deflate_lz4(view, 9 if level is None else level)
        return _with_old_checksum(frame) if magic == 0 else frame
    if codec == ZSTD:
        return compression.deflate_zstd(view, 3 if level is None else level)
    return bytes(view)


_XERIAL_MAGIC = b"\x82SNAPPY\0"
_XERIAL_HEADER = _XERIAL_MAGIC + (1).to_bytes(4, "big") + (1).to_bytes(4, "big")  # version, compatible version
_XERIAL_BLOCK_BYTES = 32 << 10  # uncompressed
_SIGNATURES = {GZIP: b"\x1f\x8b\x08", LZ4: bytes.fromhex("04224d18"), ZSTD: bytes.fromhex("28b52ffd")}
_END_OF = {GZIP: compression.end_of_gzip, LZ4: compression.end_of_lz4, ZSTD: compression.end_of_zstd}


def _snappy_blocks(data: memoryview) -> Iterator[memoryview]:
    """The raw snappy blocks of a payload: SnappyInputStream's rules."""
    if not data:
        damaged(compression.SNAPPY, "the payload is empty")
    if len(data) < len(_XERIAL_HEADER) or data[: len(_XERIAL_MAGIC)] != _XERIAL_MAGIC:
        yield data
        return
    position = len(_XERIAL_HEADER)  # the versions in the first header are ignored
    while position + 4 <= len(data):
        if data[position : position + 4] == _XERIAL_MAGIC[:4]:
            header = fields(compression.SNAPPY, data, position, len(_XERIAL_HEADER), "the header of a further stream")
            version = int.from_bytes(header[8:12], "big", signed=True)
            if version < 1:
                damaged(
                    compression.SNAPPY,
                    "the version of a further stream is not supported",
                    expected="at least 1",
                    found=version,
                )
            position += len(header)
            continue
        size = int.from_bytes(data[position : position + 4], "big")
        yield fields(compression.SNAPPY, data, position + 4, size, "a block")
        position += 4 + size


def _deflate_snappy(data: memoryview) -> bytes:
    parts: list[Any] = [_XERIAL_HEADER]
    for start in range(0, len(data), _XERIAL_BLOCK_BYTES):
        block = compression.deflate_snappy(data[start : start + _XERIAL_BLOCK_BYTES])
        parts += (len(block).to_bytes(4, "big"), block)
    return b"".join(parts)


_LZ4_CHECKSUM_AT = 6  # in a frame without a content size


def _with_old_checksum(frame: bytes) -> bytes:
    """The frame in magic 0's variant: the header checksum also covers the magic number."""
    covered = frame[:_LZ4_CHECKSUM_AT]
    return covered + bytes((compression.lz4_header_checksum(covered),)) + frame[_LZ4_CHECKSUM_AT + 1 :]


__all__ = ["CODEC_NAMES", "compress", "decompress", "decompress_some"]
