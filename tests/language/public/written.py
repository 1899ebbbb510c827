"""Files of public formats, written by Python's own libraries, Pillow, numpy and a JDK."""

from __future__ import annotations

import contextlib
import gzip
import io
import marshal
import os
import py_compile
import sqlite3
import sysconfig
import tarfile
import wave
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.language.public import Missing, library, run


def pillow(kind: str, *modes: str, size: tuple[int, int] = (9, 7), **options: object) -> list[bytes]:
    """A picture in each of Pillow's modes, as a file of a kind."""
    image = library("PIL.Image", "pillow")
    found = []
    for mode in modes:
        picture = image.linear_gradient("L").resize(size).convert(mode)
        out = io.BytesIO()
        picture.save(out, kind, **options)
        found.append(out.getvalue())
    return found


def bmp(folder: Path) -> Iterable[bytes]:
    """Pictures of one, eight and 24 bits."""
    return pillow("BMP", "1", "L", "P", "RGB", "RGBA")


def wav(folder: Path) -> Iterable[bytes]:
    """Sounds of one, two and three bytes a sample."""
    for channels, width, rate in ((1, 1, 8000), (2, 2, 44100), (1, 3, 48000), (1, 4, 96000)):
        out = io.BytesIO()
        with wave.open(out, "wb") as sound:
            sound.setnchannels(channels)
            sound.setsampwidth(width)
            sound.setframerate(rate)
            sound.writeframes(bytes(range(channels * width * 20)))
        yield out.getvalue()


def npy(folder: Path) -> Iterable[bytes]:
    """Arrays of numbers, of text, and of structures."""
    numpy = library("numpy")
    for array in (
        numpy.arange(12, dtype="<i4").reshape(3, 4),
        numpy.array(["one", "two"]),
        numpy.zeros(3, dtype=[("first", ">u2"), ("secónd", "<f8")]),
    ):
        out = io.BytesIO()
        numpy.save(out, array)
        yield out.getvalue()


def png(folder: Path) -> Iterable[bytes]:
    """Pictures of five kinds, some with text, resolution and transparency."""
    about = library("PIL.PngImagePlugin", "pillow").PngInfo()
    about.add_text("Title", "a gradient")
    about.add_text("Comment", "compressed " * 20, zip=True)
    yield from pillow("PNG", "1", "L", "RGBA")
    yield from pillow("PNG", "RGB", pnginfo=about, dpi=(300, 300))
    yield from pillow("PNG", "P", transparency=3)


def gif(folder: Path) -> Iterable[bytes]:
    """A still picture, and one that moves, with a comment."""
    yield from pillow("GIF", "L", "P", size=(5, 4))
    image = library("PIL.Image", "pillow")
    frames = [image.new("L", (6, 6), shade) for shade in (0, 100, 200)]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=40, loop=0, comment="three shades")
    yield out.getvalue()


def ico(folder: Path) -> Iterable[bytes]:
    """Icons in one and in several sizes, as PNG and as bitmaps."""
    for options in ({"sizes": [(16, 16)]}, {"sizes": [(16, 16), (32, 32)]}, {"bitmap_format": "bmp"}):
        yield from pillow("ICO", "RGBA", size=(32, 32), **options)


def pcx(folder: Path) -> Iterable[bytes]:
    """Pictures of one bit, of a palette and of 24 bits."""
    return pillow("PCX", "1", "P", "L", "RGB")


def tga(folder: Path) -> Iterable[bytes]:
    """Pictures with and without runs."""
    for options in ({}, {"compression": "tga_rle"}):
        yield from pillow("TGA", "L", "P", "RGB", "RGBA", size=(6, 5), **options)


def ppm(folder: Path) -> Iterable[bytes]:
    """Bitmaps, gray maps and pixmaps."""
    return pillow("PPM", "1", "L", "RGB")


def webp(folder: Path) -> Iterable[bytes]:
    """Pictures with and without loss, and with more than pixels."""
    yield from pillow("WEBP", "RGB", "RGBA")
    yield from pillow("WEBP", "RGB", "RGBA", lossless=True)
    yield from pillow("WEBP", "RGB", exif=b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0")


def gzip_(folder: Path) -> Iterable[bytes]:
    """Files with and without a name."""
    yield gzip.compress(b"some text " * 10, mtime=1)
    for name, effort in (("name.txt", 9), ("n\u00e4me", 1), ("", 6)):
        out = io.BytesIO()
        with gzip.GzipFile(name, "wb", effort, out, mtime=2) as file:
            file.write(b"0123456789" * 7)
        yield out.getvalue()


def zip_(folder: Path) -> Iterable[bytes]:
    """Archives with stored and deflated files, folders, comments and sizes of 64 bits."""
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", method) as archive:
            archive.writestr("first.txt", "one " * 20)
            archive.writestr(zipfile.ZipInfo("folder/", (2024, 2, 29, 12, 34, 56)), b"")
            archive.writestr("folder/s\u00e9cond", b"\0" * 9)
            archive.comment = b"two files" if method else b""
        yield out.getvalue()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, archive.open("large", "w", force_zip64=True) as file:
        file.write(b"not so large")
    yield out.getvalue()
    out = io.BytesIO()
    zipfile.ZipFile(out, "w").close()
    yield out.getvalue()


def tar(folder: Path) -> Iterable[bytes]:
    """Archives in the format of 1988, and with the attributes of 2001."""
    for format_, name in ((tarfile.USTAR_FORMAT, "folder/" * 15 + "file"), (tarfile.PAX_FORMAT, "n\u00e4me" * 40)):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=format_) as archive:
            for member, content in (("first", b"1" * 600), (name, b"two"), ("empty", b"")):
                about = tarfile.TarInfo(member)
                about.size, about.mtime, about.uname = len(content), 1_700_000_000, "somebody"
                archive.addfile(about, io.BytesIO(content))
            link = tarfile.TarInfo("link")
            link.type, link.linkname = tarfile.SYMTYPE, "first"
            archive.addfile(link)
        yield out.getvalue()


def sgi(folder: Path) -> Iterable[bytes]:
    """Pictures of one, three and four channels."""
    return pillow("SGI", "L", "RGB", "RGBA")


def dds(folder: Path) -> Iterable[bytes]:
    """Surfaces without compression."""
    return pillow("DDS", "L", "RGB", "RGBA")


def icns(folder: Path) -> Iterable[bytes]:
    """Icons in two colors."""
    image = library("PIL.Image", "pillow")
    for color in ("red", (0, 0, 0, 0)):
        out = io.BytesIO()
        small = [image.new("RGBA", (side, side), color) for side in (16, 32, 64, 128, 256, 512, 1024)]
        small[-1].save(out, "ICNS", append_images=small[:-1])
        yield out.getvalue()


def sqlite(folder: Path) -> Iterable[bytes]:
    """Databases with tables and an index, in one page each and in several."""
    for rows in (3, 60):
        path = folder / f"{rows}.db"
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA page_size = 512")
            database.execute("CREATE TABLE some (id INTEGER PRIMARY KEY, name TEXT, part REAL, data BLOB)")
            database.execute("CREATE INDEX names ON some (name)")
            values = [(index, f"n\u00e4me {index}", index / 4, bytes(index % 20)) for index in range(rows)]
            database.executemany("INSERT INTO some VALUES (?, ?, ?, ?)", values)
            database.execute("INSERT INTO some VALUES (?, NULL, 1, ?)", (1 << 40, 1 << 20))
            database.commit()
        yield path.read_bytes()
    path = folder / "empty.db"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA page_size = 1024")
        database.execute("PRAGMA user_version = -2")
        database.execute("VACUUM")
    yield path.read_bytes()


JAVA = """
public class Some implements Comparable<Some> {
    static final long LARGE = 1L << 40;
    static final double HALF = 0.5;
    static final float THIRD = 1 / 3f;
    enum Kind { ONE, TWO }
    interface Inner { int of(String text) throws Exception; }
    private final int number;
    Some(int number) { this.number = number; }
    public int compareTo(Some other) { return Integer.compare(number, other.number); }
    static int parsed(String text) {
        Inner inner = Integer::parseInt;
        try { return inner.of(text + LARGE); } catch (Exception error) { return -1; } finally { System.gc(); }
    }
}
"""


def java_class(folder: Path) -> Iterable[bytes]:
    """A class, an enum and an interface."""
    (folder / "Some.java").write_text(JAVA, encoding="utf-8")
    run(["javac", "-g", "-encoding", "UTF-8", "Some.java"], folder)
    return [path.read_bytes() for path in sorted(folder.glob("*.class"))]


def elf(folder: Path) -> Iterable[bytes]:
    """The smallest modules of Python, and of its packages, that are shared objects."""
    places = [Path(sysconfig.get_path(name)) for name in ("platstdlib", "platlib")]
    found = {path for place in places for path in place.rglob("*.so") if path.is_file()}
    small = sorted(found, key=lambda path: (path.stat().st_size, path.name))[:6]
    objects = [data for path in small if (data := path.read_bytes()).startswith(b"\x7fELF")]
    if len(objects) < 2:
        raise Missing("no shared objects of ELF here")
    return sorted(objects, key=len)[:2]


PYTHON = """
import os
LARGE, SMALL, TEXTS = 1 << 70, -3.5, ("\u00e4", b"bytes", None, ..., 2j, True)
def outer(first, /, second=1, *rest, key="word", **more):
    def inner():
        yield first, {value for value in rest}
    try:
        return inner
    except (OSError, ValueError) as error:
        raise KeyError(key in {1, 2, 3}) from error
class Some:
    pass
"""


def pyc(folder: Path) -> Iterable[bytes]:
    """Modules, valid by their source's time and by its hash."""
    for name, text in (("some", PYTHON), ("none", ""), ("values", f"VALUES = {tuple(range(0, 300, 7))}")):
        source = folder / f"{name}.py"
        source.write_text(text, encoding="utf-8")
        os.utime(source, (1_700_000_000, 1_700_000_000))
        for mode in (py_compile.PycInvalidationMode.TIMESTAMP, py_compile.PycInvalidationMode.CHECKED_HASH):
            made = folder / f"{name}.pyc"
            py_compile.compile(str(source), str(made), f"{name}.py", doraise=True, invalidation_mode=mode)
            yield made.read_bytes()
    values = [
        1,
        -2,
        1 << 80,
        0.5,
        "text",
        "\u00e4\u00f6",
        b"bytes",
        None,
        True,
        {"key": [1, {2, 3}]},
        (),
        frozenset({4}),
    ]
    head = made.read_bytes()[:16]
    for version in (2, 3, 4):
        yield head + marshal.dumps(values, version)


WRITTEN: dict[str, Callable[[Path], Iterable[bytes]]] = {
    "bmp": bmp, "dds": dds, "elf": elf, "gif": gif, "gzip": gzip_, "icns": icns, "ico": ico, "java_class": java_class,
    "npy": npy, "pcx": pcx, "png": png, "ppm": ppm, "pyc": pyc, "sgi": sgi, "sqlite": sqlite, "tar": tar, "tga": tga,
    "wav": wav, "webp": webp, "zip": zip_,
}  # fmt: skip

UNDECLARED: dict[str, str] = {
    "elf": "code and data between what headers describe",
    "sqlite": "free space in pages",
}
"""Format -> what of its files no field and no instance has, so that they are built onto the file."""

NOT_FROM_PLAIN: dict[str, str] = {
    "elf": "names lie in the stream of another section, which plain values do not have",
}
"""Format -> what its plain values (`_asdict`) do not say, so that it is only built from what was parsed."""
