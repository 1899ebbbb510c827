"""gzip, snappy's blocks, LZ4 frames and zstd, with a limit on the memory that decompression may take.

* **gzip**: writes one member, with the header that Java writes. Reads concatenated members; trailing bytes that are no
  member are ignored, as by Java's ``GZIPInputStream``.
* **snappy**: raw blocks; the caller knows how they are framed.
* **lz4**: frames of independent blocks. Block checksums are verified; a content size and a content checksum are skipped
  unread. The frame ends at its end mark; bytes after it are ignored.
* **zstd**: writes one streamed frame (neither content size nor checksum), flushed before it is closed, so that it ends
  with an empty last block. Reads any number of frames.

A gzip header with reserved flags set or damaged in a later member, and a torn zstd frame after a whole one, are errors
here: other libraries take them for the end of the payload (or say nothing at all), and silence would hide data.

The limit: at most ``limit`` bytes are produced, and the memory held meanwhile exceeds the limit by at most
``SLACK_BYTES`` (and a copy of the payload, for an lz4 frame that has to be framed again).  So a walk over the block
headers bounds the output's size before anything is decompressed; a length that the payload merely claims is never
trusted. The walk keeps nothing per block, since a block may be as small as its header.

Functions ``inflate_*`` raise CompressionError for a damaged payload, LimitError if the result would be larger than
``limit``, and MemoryError if memory is too small for the payload: lack of memory is no damage, whatever a library calls
it. Errors carry no place (source, position, path): the caller, who knows it, adds it.

Functions ``begin_*`` yield the data before the damage, then raise CompressionError.

Functions ``inflate_*_into`` decompress into ``room``, an existing buffer. They return the number of bytes written, or
None if the output may be larger than the room: then nothing was decompressed. After an error the room's content is
undefined.
"""

from __future__ import annotations

import functools
import io
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple, NoReturn, Self

import cramjam
import zstandard

from kformat.errors import CompressionError, LimitError
from kformat.storage.checksum import crc32

GZIP: Final = "gzip"
SNAPPY: Final = "snappy"
LZ4: Final = "lz4"
ZSTD: Final = "zstd"

DEFAULT_INFLATE_LIMIT = 128 << 20
"""The limit for one payload: 128 MiB of decompressed bytes.

Batches are about 1 MiB *after* compression, unless that limit was raised; ten- to fiftyfold ratios are common and a
hundredfold is plausible.  So the default admits real payloads, and stays small enough for several readers on one
machine.
"""

SLACK_BYTES = 32 << 20
"""How far the memory held during decompression may exceed the limit: scratch space and zstd's window."""


# ---------------------------------------------------------------------------------------------------------- shared


def damaged(codec: str, what: str, *, expected: Any = None, found: Any = None) -> NoReturn:
    """Raise the CompressionError of a damaged payload."""
    raise CompressionError(f"{codec}: {what}", expected=expected, found=found)


def _too_large(codec: str, limit: int, found: Any) -> NoReturn:
    raise LimitError(
        f"{codec} payload decompresses to more than the limit", expected=f"at most {limit} bytes", found=found
    )


_NO_MEMORY = ("Allocation error", "out of memory", "allocation_failed", "Error -4 ")
"""Parts of the errors of zstd, Rust, lz4 and zlib (Z_MEM_ERROR) that mean lack of memory."""


def _call(codec: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call into cramjam or zlib; any failure there, except lack of memory, means that the payload is damaged."""
    lacks_memory = False
    try:
        return function(*arguments)
    except Exception as error:
        lacks_memory = isinstance(error, MemoryError)
        problem = str(error)  # not the error: its traceback holds this frame, and the two would hold each other
    except BaseException as error:
        # A panic in Rust arrives as a BaseException of this name, which cannot be imported.
        if type(error).__name__ != "PanicException":
            raise
        problem = str(error)
    del arguments  # a view of an _Output must not stay in the traceback
    if lacks_memory or any(words in problem for words in _NO_MEMORY):
        raise MemoryError(f"{codec}: {problem}")
    raise CompressionError(f"{codec}: {problem}") from None


def _inflate_bounded(
    codec: str, function: Callable[..., int], data: Any, bound: int, allowed: int, limit: int
) -> bytes:
    """Decompress a payload of at most ``bound`` bytes of output, of which ``allowed`` are permitted."""
    with _Output(min(bound, allowed)) as out:
        try:
            size = _call(codec, function, data, out.view)
        except CompressionError as error:
            if bound > allowed and "failed to write whole buffer" in error.message:
                _too_large(codec, limit, f"more than {allowed} bytes")
            raise
        return out.result(size)


class _Output:
    """Room for at most ``size`` decompressed bytes, which are returned without a copy.

    The pages of a fresh bytes object are untouched until written, BytesIO adopts it, and ``getvalue`` returns it cut to
    length: so a result of nearly the limit needs the limit once, not twice, and unused room costs nothing.
    Use it as a context manager: if decompression fails, neither room nor view may stay in the error's traceback. The
    room would be held until garbage is collected; a view collected together with its BytesIO causes a warning, and
    crashes CPython 3.12.1 (its issues 111331 and 111049).
    """

    def __init__(self, size: int) -> None:
        self._file = io.BytesIO(bytes(size))
        self.view = self._file.getbuffer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.view.release()
        self._file.close()

    def result(self, size: int) -> bytes:
        self.view.release()
        self._file.truncate(size)
        return self._file.getvalue()


def fields(codec: str, data: memoryview, position: int, size: int, what: str) -> memoryview:
    """``size`` bytes from ``position``; CompressionError if the payload is shorter."""
    if position + size > len(data):
        damaged(
            codec, f"the payload ends within {what}", expected=f"{size} bytes", found=f"{len(data) - position} bytes"
        )
    return data[position : position + size]


# ------------------------------------------------------------------------------------------------------------ gzip

# Method deflate, no flags, no time, and the operating system "unknown", as JDK 16 and later write it.
_GZIP_MAGIC = b"\x1f\x8b\x08"
_GZIP_HEADER = _GZIP_MAGIC + bytes(6) + b"\xff"
_GZIP_TRAILER_BYTES = 8
# GZIPInputStream looks for another member only where more than a header and a trailer are left.
_GZIP_SMALLEST_REST = len(_GZIP_HEADER) + _GZIP_TRAILER_BYTES
_GZIP_FED_BYTES = 64 << 10
_FED_BYTES = 16
"""How much of a damaged payload is passed to a library at once: the output of the part with the damage is lost."""
_GZIP_PIECE_BYTES = 1 << 20


def inflate_gzip(data: memoryview, limit: int) -> bytes:
    """Decompress members."""
    # zlib's own object rather than cramjam: its output can be limited, and it is as fast.
    out = io.BytesIO()
    position = 0
    while True:
        member = zlib.decompressobj(wbits=31)
        fed: memoryview | bytes = b""
        while not member.eof:
            if not fed:
                # In small steps, because unconsumed input, and the next member, come back as a copy.
                fed = data[position : position + _GZIP_FED_BYTES]
                position += len(fed)
            # One byte more than the limit distinguishes "too large" from "just fits".
            piece = _call(GZIP, member.decompress, fed, min(_GZIP_PIECE_BYTES, limit + 1 - out.tell()))
            if not piece and not member.eof and position == len(data) and not member.unconsumed_tail:
                damaged(GZIP, "the payload ends within a member")
            out.write(piece)
            if out.tell() > limit:
                _too_large(GZIP, limit, f"more than {limit} bytes")
            fed = member.unconsumed_tail
        position -= len(member.unused_data)
        rest = data[position:]
        if len(rest) <= _GZIP_SMALLEST_REST or rest[: len(_GZIP_MAGIC)] != _GZIP_MAGIC:
            return out.getvalue()


def begin_gzip(data: memoryview) -> Iterator[bytes]:
    """Yield a member's data before the damage, in pieces."""
    member = zlib.decompressobj(wbits=31)
    for position in range(0, len(data), _FED_BYTES):
        fed: memoryview | bytes = data[position : position + _FED_BYTES]
        while fed and not member.eof:
            yield _call(GZIP, member.decompress, fed, _GZIP_PIECE_BYTES)
            fed = member.unconsumed_tail


def end_of_gzip(data: memoryview) -> int:
    """The position after the last of the members that ``data`` begins with; 0 if the first is incomplete."""
    position = 0
    while data[position : position + len(_GZIP_MAGIC)] == _GZIP_MAGIC:
        member, at = zlib.decompressobj(wbits=31), position
        fed: memoryview | bytes = b""
        while not member.eof:
            if not fed:
                fed = data[at : at + _GZIP_FED_BYTES]
                at += len(fed)
                if not fed:
                    return position
            try:
                member.decompress(fed, _GZIP_PIECE_BYTES)
            except zlib.error:
                return position
            fed = member.unconsumed_tail
        position = at - len(member.unused_data)
    return position


def deflate_gzip(data: memoryview, level: int) -> bytes:
    """Compress to a member; ``level`` -1 or 1 to 9."""
    deflate = zlib.compressobj(level, zlib.DEFLATED, -15)
    body = deflate.compress(data) + deflate.flush()
    trailer = crc32(data).to_bytes(4, "little") + (len(data) & 0xFFFFFFFF).to_bytes(4, "little")
    return _GZIP_HEADER + body + trailer


# ---------------------------------------------------------------------------------------------------------- snappy

# Snappy's densest element copies 64 bytes and takes 3: a block that claims a larger ratio than this is damaged.
_SNAPPY_LARGEST_RATIO = 22


def inflate_snappy(blocks: Callable[[], Iterable[memoryview]], limit: int) -> bytes:
    """Decompress blocks in sequence; ``blocks`` is called twice."""
    total = _snappy_size(blocks())
    if total > limit:
        _too_large(SNAPPY, limit, f"{total} bytes")
    with _Output(total) as out:
        return out.result(_inflate_snappy_blocks(blocks(), out.view))


def inflate_snappy_into(blocks: Callable[[], Iterable[memoryview]], room: memoryview) -> int | None:
    """Decompress blocks in sequence; ``blocks`` is called twice. None: see the module."""
    return _inflate_snappy_blocks(blocks(), room) if _snappy_size(blocks()) <= len(room) else None


def _snappy_size(blocks: Iterable[memoryview]) -> int:
    """The decompressed size that the blocks claim, in total."""
    total = 0
    for block in blocks:
        size = _call(SNAPPY, cramjam.snappy.decompress_raw_len, block)
        if not block or size > _SNAPPY_LARGEST_RATIO * len(block):
            damaged(
                SNAPPY, f"a block of {len(block)} bytes cannot be right", found=f"{size} decompressed bytes claimed"
            )
        total += size
    return total


def _inflate_snappy_blocks(blocks: Iterable[memoryview], room: memoryview) -> int:
    start = 0
    for block in blocks:
        start += _call(SNAPPY, cramjam.snappy.decompress_raw_into, block, room[start:])
    return start


def end_of_snappy(data: memoryview) -> int:
    """The position after the block that ``data`` begins with (snappy's format_description.txt); 0 if there is none."""
    size = shift = position = 0
    try:
        while True:
            byte = data[position]
            size |= (byte & 0x7F) << shift
            position, shift = position + 1, shift + 7
            if byte < 0x80:
                break
            if shift > 28:
                return 0
        is_any = size > 0
        while size > 0:
            tag = data[position]
            kind, length = tag & 3, (tag >> 2) + 1
            position += 1
            if kind == 0:
                more = max(0, length - _SNAPPY_LONGEST_SHORT)
                if more:
                    length = int.from_bytes(data[position : position + more], "little") + 1
                position += more + length
            elif kind == 1:
                length, position = (tag >> 2 & 7) + 4, position + 1
            else:
                position += 2 if kind == 2 else 4
            size -= length
    except IndexError:
        return 0
    return position if not size and is_any and position <= len(data) else 0


def deflate_snappy(data: memoryview) -> Any:
    """Compress to a block."""
    return cramjam.snappy.compress_raw(data)


# ------------------------------------------------------------------------------------------------------------- lz4

_LZ4_MAGIC = bytes.fromhex("04224d18")
_LZ4_VERSION = 0x40
_LZ4_INDEPENDENT_BLOCKS = 0x20
_LZ4_BLOCK_CHECKSUMS = 0x10
_LZ4_CONTENT_SIZE = 0x08
_LZ4_CONTENT_CHECKSUM = 0x04
_LZ4_RESERVED = 0x03
_LZ4_BLOCKS_OF_64_KIB = 0x40
_SNAPPY_LONGEST_SHORT = 60
"""The longest literal whose length is in its tag; of longer ones it follows the tag."""

_LZ4_STORED = 0x80000000  # in a block's size word: not compressed
_LZ4_END_MARK = bytes(4)
_LZ4_LARGEST_BLOCK_BYTES = 4 << 20
_LZ4_LARGEST_RATIO = 255


def inflate_lz4(data: memoryview, limit: int, *, verify_header: bool = True) -> bytes:
    """Decompress a frame; ``verify_header``: verify the header's checksum."""
    plain, bound = _plain_lz4(data, verify_header=verify_header)
    return _inflate_bounded(LZ4, cramjam.lz4.decompress_into, plain, bound, limit, limit)


def inflate_lz4_into(data: memoryview, room: memoryview) -> int | None:
    """Decompress a frame. None: see the module."""
    size = _inflate_lz4_blocks(data, room)
    if size is not None:
        return size
    plain, bound = _plain_lz4(data, verify_header=True)
    return int(_call(LZ4, cramjam.lz4.decompress_into, plain, room)) if bound <= len(room) else None


def _plain_lz4(data: memoryview, *, verify_header: bool) -> tuple[memoryview | bytes, int]:
    """The frame in a form that cramjam reads, and the largest possible size of its output."""
    frame = _lz4_frame(data, verify_header=verify_header)
    # cramjam's frame reader refuses frames that are accepted here (a wrong content checksum or size, bytes after the
    # end mark, an unverified wrong header checksum), so unless the frame is plain, its blocks are put into one.
    # The block reader would be faster, but retries a damaged block with another interpretation of it.
    header = _lz4_header(frame.flags & _LZ4_BLOCK_CHECKSUMS, frame.block_descriptor)
    plain: memoryview | bytes = data
    if data[: len(header)] != header or data[frame.end :] != _LZ4_END_MARK:
        plain = b"".join((header, data[frame.start : frame.end], _LZ4_END_MARK))
    return plain, frame.bound


def _inflate_lz4_blocks(data: memoryview, room: memoryview) -> int | None:
    """Decompress a plain frame block by block, in half the time of cramjam's frame reader. None for any other frame.

    For a damaged block, cramjam's block reader takes the first four bytes for a size, and tries again after them: so it
    is never passed a block in which these could be a size.
    """
    header = _PLAIN_LZ4_HEADERS.get(bytes(data[:_LZ4_HEADER_BYTES]))
    if header is None:
        return None
    position, done, inflate = _LZ4_HEADER_BYTES, 0, cramjam.lz4.decompress_block_into
    end, largest = len(data) - 4, header
    try:
        while position <= end:
            word = int.from_bytes(data[position : position + 4], "little")
            position += 4
            if not word:
                return done if position == len(data) else None
            size = word & ~_LZ4_STORED
            block = data[position : position + size]
            position += size
            if size > largest or len(block) < size or len(room) - done < largest:
                return None
            if word & _LZ4_STORED:
                room[done : done + size] = block
                done += size
            elif int.from_bytes(block[:4], "little") <= largest:
                return None
            else:
                done += inflate(block, room[done : done + largest])
    except cramjam.DecompressionError:
        return None
    return None


class _Lz4Frame(NamedTuple):
    flags: int
    block_descriptor: int
    start: int  # position of the first block's size word
    end: int  # position of the end mark
    bound: int  # no more bytes than these can come out


def _lz4_frame(data: memoryview, *, verify_header: bool, blocks: list[memoryview] | None = None) -> _Lz4Frame:
    """Check a frame without decompressing it.

    Each block is added to ``blocks``, if given, with its size word and without its checksum.
    """
    if fields(LZ4, data, 0, 4, "the magic number") != _LZ4_MAGIC:
        damaged(LZ4, "no frame", expected=_LZ4_MAGIC.hex(), found=data[:4].hex())
    flags, block_descriptor = fields(LZ4, data, 4, 2, "the frame header")
    if flags & 0xC0 != _LZ4_VERSION:
        damaged(LZ4, "unsupported version", expected=1, found=flags >> 6)
    if not flags & _LZ4_INDEPENDENT_BLOCKS:
        damaged(LZ4, "dependent blocks are not supported", expected="block independence", found=f"flags {flags:#04x}")
    if flags & _LZ4_RESERVED or block_descriptor & 0x8F:
        damaged(LZ4, "reserved bits are set", expected=0, found=f"{flags:#04x} {block_descriptor:#04x}")
    if block_descriptor < _LZ4_BLOCKS_OF_64_KIB:
        damaged(LZ4, "unsupported block size", expected="4 to 7", found=block_descriptor >> 4)
    largest = 1 << (8 + 2 * (block_descriptor >> 4))
    position = 6 + (8 if flags & _LZ4_CONTENT_SIZE else 0)
    checksum = fields(LZ4, data, position, 1, "the frame header")[0]
    if verify_header and checksum != (computed := lz4_header_checksum(bytes(data[4:position]))):
        damaged(LZ4, "the header checksum differs", expected=f"{computed:#04x}", found=f"{checksum:#04x}")
    position += 1
    start, bound = position, 0
    checksum_bytes = 4 if flags & _LZ4_BLOCK_CHECKSUMS else 0
    while True:
        word = int.from_bytes(fields(LZ4, data, position, 4, "a block's size"), "little")
        size = word & ~_LZ4_STORED
        if not size:
            break
        if size > largest:
            damaged(LZ4, "a block is too large", expected=f"at most {largest} bytes", found=f"{size} bytes")
        fields(LZ4, data, position + 4, size + checksum_bytes, "a block")
        if blocks is not None:
            blocks.append(data[position : position + 4 + size])
        bound += size if word & _LZ4_STORED else min(largest, _LZ4_LARGEST_RATIO * size)
        position += 4 + size + checksum_bytes
    if flags & _LZ4_CONTENT_CHECKSUM:
        fields(LZ4, data, position + 4, 4, "the content checksum")
    return _Lz4Frame(flags, block_descriptor, start, position, bound)


def end_of_lz4(data: memoryview) -> int:
    """The position after the frame that ``data`` begins with; 0 if there is none."""
    try:
        frame = _lz4_frame(data, verify_header=False)
    except CompressionError:
        return 0
    return frame.end + len(_LZ4_END_MARK) + (4 if frame.flags & _LZ4_CONTENT_CHECKSUM else 0)


def _lz4_header(flags: int, block_descriptor: int) -> bytes:
    descriptor = bytes((_LZ4_VERSION | _LZ4_INDEPENDENT_BLOCKS | flags, block_descriptor))
    return _LZ4_MAGIC + descriptor + bytes((lz4_header_checksum(descriptor),))


@functools.lru_cache(maxsize=64)
def lz4_header_checksum(descriptor: bytes) -> int:
    """The checksum of a frame descriptor: the second byte of xxHash32, seed 0, here for fewer than 16 bytes."""

    def rotated(value: int, bits: int) -> int:
        return (value << bits | (value & mask) >> (32 - bits)) & mask

    mask = 0xFFFFFFFF
    prime_1, prime_2, prime_3, prime_4, prime_5 = 2654435761, 2246822519, 3266489917, 668265263, 374761393
    words = len(descriptor) // 4 * 4
    state = prime_5 + len(descriptor)
    for at in range(0, words, 4):
        word = int.from_bytes(descriptor[at : at + 4], "little")
        state = rotated(state + word * prime_3 & mask, 17) * prime_4 & mask
    for byte in descriptor[words:]:
        state = rotated(state + byte * prime_5 & mask, 11) * prime_1 & mask
    state = (state ^ state >> 15) * prime_2 & mask
    state = (state ^ state >> 13) * prime_3 & mask
    return (state ^ state >> 16) >> 8 & 0xFF


_PLAIN_LZ4_HEADERS = {_lz4_header(0, size << 4): 1 << (8 + 2 * size) for size in (4, 5, 6, 7)}
"""By header: the largest block size, for frames of independent blocks without checksums and content size."""
_LZ4_HEADER_BYTES = len(_lz4_header(0, _LZ4_BLOCKS_OF_64_KIB))


def begin_lz4(data: memoryview) -> Iterator[bytes]:
    """Yield a frame's data before the damage, block by block."""
    flags, block_descriptor = fields(LZ4, data, len(_LZ4_MAGIC), 2, "the frame header")
    position = _LZ4_HEADER_BYTES + (8 if flags & _LZ4_CONTENT_SIZE else 0)
    while word := int.from_bytes(fields(LZ4, data, position, 4, "a block's size"), "little"):
        end = position + 4 + (word & ~_LZ4_STORED) + (4 if flags & _LZ4_BLOCK_CHECKSUMS else 0)
        header = _lz4_header(flags & _LZ4_BLOCK_CHECKSUMS, block_descriptor)
        frame = b"".join((header, data[position:end], _LZ4_END_MARK))
        yield inflate_lz4(memoryview(frame), _LZ4_LARGEST_BLOCK_BYTES)
        position = end


def deflate_lz4(data: memoryview, level: int) -> bytes:
    """Compress to a frame without block checksums; ``level`` 1 to 17: 9 is the fast compressor, any other LZ4-HC."""
    # cramjam writes block checksums, and its block compressor has no levels: so its frame's blocks are put into a plain
    # frame.  The fast compressor has number 0 here; numbers below 3 would be that one too.
    compressor = cramjam.lz4.Compressor(
        level=0 if level == 9 else max(level, 3), content_checksum=False, block_linked=False
    )
    compressor.compress(bytes(data))
    blocks: list[memoryview] = []
    frame = _lz4_frame(memoryview(compressor.finish()), verify_header=True, blocks=blocks)
    return b"".join((_lz4_header(0, frame.block_descriptor), *blocks, _LZ4_END_MARK))


# ------------------------------------------------------------------------------------------------------------ zstd

_ZSTD_MAGIC = bytes.fromhex("28b52ffd")
_ZSTD_SKIPPABLE_MAGIC = bytes.fromhex("2a4d18")  # after a first byte of 0x50 to 0x5f
_ZSTD_LARGEST_BLOCK_BYTES = 128 << 10
_ZSTD_RAW, _ZSTD_RUN, _ZSTD_COMPRESSED = range(3)


def inflate_zstd(data: memoryview, limit: int) -> bytes:
    """Decompress any number of frames. A frame's window counts, too, if it is above 32 MiB."""
    if not data:
        return b""
    bound, window = _zstd_bounds(data)
    # The window fills up, too.  With S slack, L limit and W window, the largest result r for which
    # r + min(W, r) <= L + S:
    ceiling = limit + SLACK_BYTES
    allowed = min(limit, max(ceiling // 2, ceiling - window))
    return _inflate_bounded(ZSTD, cramjam.zstd.decompress_into, data, bound, allowed, limit)


def inflate_zstd_into(data: memoryview, room: memoryview) -> int | None:
    """Decompress one frame or more. None: see the module; also for empty data."""
    if not data:
        return None
    quickly = _zstd_bound_of_one(data)
    if quickly is not None and quickly <= min(len(room), _ZSTD_MOST_COPIED_BYTES):
        size = _inflate_zstd_frame(data, quickly, room)
        if size is not None:
            return size
    most = _zstd_bounds(data)[0] if quickly is None else quickly
    return int(_call(ZSTD, cramjam.zstd.decompress_into, data, room)) if most <= len(room) else None


_ZSTD_LARGEST_KEPT_WINDOW_BYTES = 8 << 20
_ZSTD_MOST_COPIED_BYTES = 1 << 20
_kept = threading.local()


def _inflate_zstd_frame(data: memoryview, most: int, room: memoryview) -> int | None:
    """Decompress a single frame of at most ``most`` bytes; None if the caller must use cramjam, which reports errors.

    The context is kept: creating one takes a third of the time that a batch of 16 KiB takes. Each thread has its own,
    and none keeps memory for larger windows than producers use. It is for small frames: the output is copied.
    """
    try:
        inflater = _kept.inflater
    except AttributeError:
        inflater = zstandard.ZstdDecompressor(max_window_size=_ZSTD_LARGEST_KEPT_WINDOW_BYTES)
        _kept.inflater = inflater
    try:
        whole = inflater.decompress(data, max_output_size=most, allow_extra_data=False)
    except zstandard.ZstdError:
        return None
    size = len(whole)
    room[:size] = whole
    return size


def begin_zstd(data: memoryview) -> Iterator[bytes]:
    """Yield a frame's data before the damage, in pieces."""
    inflater = zstandard.ZstdDecompressor(max_window_size=_ZSTD_LARGEST_KEPT_WINDOW_BYTES).decompressobj()
    for position in range(0, len(data), _FED_BYTES):
        if not inflater.eof:
            yield _call(ZSTD, inflater.decompress, data[position : position + _FED_BYTES])


def _zstd_bounds(data: memoryview) -> tuple[int, int]:
    """The largest possible size of the output, and the largest window."""
    bound = window = 0
    for _, of_frame, needed in _zstd_frames(data):
        bound, window = bound + of_frame, max(window, needed)
    return bound, min(window, bound)


def end_of_zstd(data: memoryview) -> int:
    """The position after the last of the frames that ``data`` begins with; 0 if there is none."""
    position = 0
    try:
        for end, _, _ in _zstd_frames(data):
            position = end
    except CompressionError:
        pass
    return position


def _zstd_frames(data: memoryview) -> Iterator[tuple[int, int, int]]:
    """Each frame's end position, largest possible output size and window, from a walk over all blocks (RFC 8878,
    3.1.1)."""
    position = 0
    while position < len(data):
        bound = window = 0
        magic = fields(ZSTD, data, position, 4, "a frame's magic number")
        if magic[0] >> 4 == 5 and magic[1:] == _ZSTD_SKIPPABLE_MAGIC:
            size = int.from_bytes(fields(ZSTD, data, position + 4, 4, "a skippable frame"), "little")
            fields(ZSTD, data, position + 8, size, "a skippable frame")
            position += 8 + size
            yield position, 0, 0
            continue
        if magic != _ZSTD_MAGIC:
            damaged(ZSTD, "no frame", expected=_ZSTD_MAGIC.hex(), found=magic.hex())
        descriptor = fields(ZSTD, data, position + 4, 1, "a frame header")[0]
        single_segment = descriptor & 0x20
        content_size_bytes = (1 if single_segment else 0, 2, 4, 8)[descriptor >> 6]
        dictionary_id_bytes = (0, 1, 2, 4)[descriptor & 3]
        position += 5
        if not single_segment:
            exponent_and_mantissa = fields(ZSTD, data, position, 1, "a frame header")[0]
            base = 1 << (10 + (exponent_and_mantissa >> 3))
            window = base + (base >> 3) * (exponent_and_mantissa & 7)
            position += 1
        position += dictionary_id_bytes
        content_size = int.from_bytes(fields(ZSTD, data, position, content_size_bytes, "a frame header"), "little")
        if single_segment:
            window = content_size
        position += content_size_bytes
        last = 0
        while not last:
            word = int.from_bytes(fields(ZSTD, data, position, 3, "a block header"), "little")
            last, kind, size = word & 1, word >> 1 & 3, word >> 3
            stored = 1 if kind == _ZSTD_RUN else size
            fields(ZSTD, data, position + 3, stored, "a block")
            bound += _ZSTD_LARGEST_BLOCK_BYTES if kind == _ZSTD_COMPRESSED else size
            position += 3 + stored
        if descriptor & 4:
            fields(ZSTD, data, position, 4, "a content checksum")
            position += 4
        yield position, bound, window


def _zstd_bound_of_one(data: memoryview) -> int | None:
    """The bound of `_zstd_bounds` for a single frame as producers write it, with a window and without a size; None for
    anything else. For short batches the walk takes a good part of the time: this one makes few calls."""
    size = len(data)
    if size < 9 or data[:4] != _ZSTD_MAGIC or data[4] & ~4:
        return None
    bound, position, last = 0, 6, 0
    while not last:
        if position + 3 > size:
            return None
        word = data[position] | data[position + 1] << 8 | data[position + 2] << 16
        last, kind, stored = word & 1, word >> 1 & 3, word >> 3
        bound += _ZSTD_LARGEST_BLOCK_BYTES if kind == _ZSTD_COMPRESSED else stored
        position += 3 + (1 if kind == _ZSTD_RUN else stored)
    return bound if position + (data[4] & 4) == size else None


def deflate_zstd(data: memoryview, level: int) -> bytes:
    """Compress to a frame; ``level`` -131072 to 22."""
    compressor = cramjam.zstd.Compressor(level)
    compressor.compress(bytes(data))
    # A flush before closing makes an empty last block; without data there is no flush.
    flushed = compressor.flush() if data else b""
    return b"".join((flushed, compressor.finish()))


__all__ = ["DEFAULT_INFLATE_LIMIT"]
