"""Small files of public formats, written by the libraries and programs that people write them with.

Each function takes an empty folder and gives the bytes of some files; nothing is packed by hand. The declarations are
the files NAME.ksy next to this one.
"""

from __future__ import annotations

import contextlib
import datetime
import importlib.resources
import io
import lzma
import pickle
import plistlib
import random
import sqlite3
import sys
import uuid
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import zstandard

from tests.language.public import Missing, library, run
from tests.language.public.written import pillow

Written = Iterable[bytes]


def bson_documents(folder: Path) -> Written:
    bson = library("bson", "pymongo")
    yield bson.encode({})
    yield bson.encode({"name": "café", "count": 3, "big": 1 << 40, "ratio": 0.25, "on": True, "off": False, "no": None})
    yield bson.encode(
        {
            "_id": bson.ObjectId("5f2b1c3d4e5f60718293a4b5"),
            "when": datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.UTC),
            "nested": {"list": [1, "two", [3.0, {}], {"deep": {"er": [None]}}]},
            "binary": bson.Binary(b"\0\1\2", 0),
            "old": bson.Binary(b"old", 2),
            "uuid": bson.Binary(uuid.UUID(int=0x1234 << 64 | 4 << 76).bytes, 4),
            "regex": bson.Regex("^a.*z$", "im"),
            "code": bson.Code("return 1"),
            "scoped": bson.Code("return x", {"x": 1}),
            "stamp": bson.Timestamp(1700000000, 7),
            "decimal": bson.Decimal128("-12.50"),
            "least": bson.MinKey(),
            "most": bson.MaxKey(),
        }
    )


def cbor_items(folder: Path) -> Written:
    cbor2 = library("cbor2")
    yield cbor2.dumps([0, 23, 24, 255, 256, 65536, 1 << 33, -1, -25, -300, True, False, None])
    yield cbor2.dumps(
        {
            "text": "grün",
            "bytes": b"\0\xff",
            "reals": [1.5, -0.1, float("inf")],
            "when": datetime.datetime(2024, 2, 29, tzinfo=datetime.UTC),
            "large": 1 << 70,
            "third": Fraction(1, 3),
            "uuid": uuid.UUID(int=5),
            "deep": [[[{"a": []}]]],
        }
    )
    yield cbor2.dumps([1.5, 0.1, {"a": "b" * 300}], canonical=True) + cbor2.dumps(
        ["x", {1: 2}], indefinite_containers=True
    )


def midi_files(folder: Path) -> Written:
    mido = library("mido")
    for kind in (0, 1):
        song = mido.MidiFile(type=kind, ticks_per_beat=96)
        head = mido.MidiTrack()
        song.tracks.append(head)
        head.append(mido.MetaMessage("track_name", name="Übung", time=0))
        head.append(mido.MetaMessage("set_tempo", tempo=mido.bpm2tempo(90), time=0))
        head.append(mido.MetaMessage("time_signature", numerator=6, denominator=8, time=0))
        head.append(mido.MetaMessage("key_signature", key="Bb", time=0))
        track = head
        if kind:
            track = mido.MidiTrack()
            song.tracks.append(track)
            track.append(mido.MetaMessage("sequence_number", number=2, time=0))
            track.append(mido.Message("sysex", data=[0x7E, 0x7F, 9, 1], time=3))
        track.append(mido.Message("program_change", channel=3, program=41, time=0))
        for number, note in enumerate((60, 64, 67, 72)):
            track.append(mido.Message("note_on", channel=3, note=note, velocity=90 + number, time=number * 70))
            track.append(mido.Message("note_on", channel=3, note=note, velocity=0, time=20000 * number))
        track.append(mido.Message("control_change", channel=3, control=64, value=127, time=1))
        track.append(mido.Message("control_change", channel=3, control=7, value=99, time=1))
        track.append(mido.Message("pitchwheel", channel=3, pitch=-4000, time=0))
        track.append(mido.Message("pitchwheel", channel=3, pitch=8191, time=0))
        track.append(mido.Message("aftertouch", channel=3, value=5, time=0))
        track.append(mido.Message("note_off", channel=3, note=60, velocity=64, time=0))
        track.append(mido.MetaMessage("lyrics", text="la", time=0))
        out = io.BytesIO()
        song.save(file=out)
        yield out.getvalue()


def gettext_catalogues(folder: Path) -> Written:
    polib = library("polib")
    catalogue = polib.POFile()
    catalogue.metadata = {"Content-Type": "text/plain; charset=UTF-8", "Plural-Forms": "nplurals=2; plural=n!=1;"}
    yield catalogue.to_binary()
    catalogue.append(polib.POEntry(msgid="house", msgstr="Haus"))
    catalogue.append(polib.POEntry(msgid="door", msgstr="Tür", msgctxt="noun"))
    catalogue.append(
        polib.POEntry(msgid="%d house", msgid_plural="%d houses", msgstr_plural={0: "%d Haus", 1: "%d Häuser"})
    )
    yield catalogue.to_binary()


def dbf_tables(folder: Path) -> Written:
    shapefile = library("shapefile", "pyshp")
    for number, rows in enumerate(([], [("Rhône", 813, 12.5, True), ("Aare", 288, -0.25, False), ("", 0, 0.0, None)])):
        with shapefile.Writer(dbf=str(folder / f"{number}.dbf")) as table:
            table.field("NAME", "C", size=20)
            table.field("LENGTH", "N", size=10)
            table.field("CHANGE", "F", size=12, decimal=3)
            table.field("LARGE", "L")
            table.field("SEEN", "D")
            for row in rows:
                table.record(*row, datetime.date(2024, 2, 29))
        yield (folder / f"{number}.dbf").read_bytes()


def shapes(folder: Path) -> Written:
    shapefile = library("shapefile", "pyshp")
    square = [[0, 0], [0, 4], [4, 4], [4, 0], [0, 0]]
    for number, kind in enumerate(
        (
            shapefile.POINT,
            shapefile.POLYGON,
            shapefile.POLYLINEZ,
            shapefile.POLYLINEM,
            shapefile.POINTZ,
            shapefile.MULTIPOINT,
        )
    ):
        with shapefile.Writer(shp=str(folder / f"{number}.shp"), shapeType=kind) as writer:
            if kind == shapefile.POINT:
                writer.point(1.5, -2)
                writer.null()
                writer.point(8, 9)
            elif kind == shapefile.POLYGON:
                writer.poly([square])
                writer.poly([square, [[1, 1], [2, 1], [2, 2], [1, 1]]])
            elif kind == shapefile.POLYLINEZ:
                writer.linez([[[1, 5, 7, 2], [5, 5, 8], [5, 1, 9, 4]], [[3, 2, 1], [2, 6, 1]]])
            elif kind == shapefile.POLYLINEM:
                writer.linem([[[1, 5, 0.5], [5, 5, None], [5, 1, 3]]])
            elif kind == shapefile.POINTZ:
                writer.pointz(1, 2, 3, 4)
            else:
                writer.multipoint([[3, 7], [7, 3]])
        yield (folder / f"{number}.shp").read_bytes()


def captures(folder: Path) -> Written:
    dpkt = library("dpkt")
    udp = dpkt.udp.UDP(sport=5353, dport=53, data=b"question")
    udp.ulen = len(udp)
    tcp = dpkt.tcp.TCP(sport=80, dport=50000, seq=1, ack=2, flags=dpkt.tcp.TH_SYN | dpkt.tcp.TH_ACK)
    tcp.opts = b"\x02\x04\x05\xb4\x01\x03\x03\x07"
    tcp.off = 7
    tcp.data = b"HTTP"
    echo = dpkt.icmp.ICMP(type=8, data=dpkt.icmp.ICMP.Echo(id=7, seq=1, data=b"ping"))
    packets = []
    for number, body in ((dpkt.ip.IP_PROTO_UDP, udp), (dpkt.ip.IP_PROTO_TCP, tcp), (dpkt.ip.IP_PROTO_ICMP, echo)):
        ip = dpkt.ip.IP(src=b"\x0a\0\0\1", dst=b"\xc0\xa8\0\2", p=number, data=body)
        ip.len = len(ip)
        packets.append(dpkt.ethernet.Ethernet(dst=b"\xff" * 6, src=b"\2\0\0\0\0\1", data=ip))
    ip6 = dpkt.ip6.IP6(src=b"\x20\1" + bytes(14), dst=b"\x20\2" + bytes(14), nxt=17, hlim=64, data=udp)
    ip6.plen = len(udp)
    ip6.extension_hdrs = {}
    packets.append(dpkt.ethernet.Ethernet(dst=b"\1" * 6, src=b"\2" * 6, type=dpkt.ethernet.ETH_TYPE_IP6, data=ip6))
    arp = dpkt.arp.ARP(sha=b"\2" * 6, spa=b"\x0a\0\0\1", tha=bytes(6), tpa=b"\x0a\0\0\2")
    packets.append(dpkt.ethernet.Ethernet(dst=b"\xff" * 6, src=b"\2" * 6, type=dpkt.ethernet.ETH_TYPE_ARP, data=arp))
    for link, nanoseconds in ((1, False), (1, True), (101, False), (147, False)):
        out = io.BytesIO()
        writer = dpkt.pcap.Writer(out, snaplen=1500, linktype=link, nano=nanoseconds)
        for number, packet in enumerate(packets[:3] if link == 101 else packets):
            writer.writepkt(bytes(packet.data if link == 101 else packet), ts=1700000000 + number / 8)
        yield out.getvalue()


def dns_messages(folder: Path) -> Written:
    flags, message, rrset = (library(f"dns.{name}", "dnspython") for name in ("flags", "message", "rrset"))
    query = message.make_query("www.example.org", "A", use_edns=True, id=1)
    yield query.to_wire()
    answer = message.make_response(query)
    answer.flags |= flags.AA | flags.RA
    answer.answer = [
        rrset.from_text("www.example.org.", 300, "IN", "CNAME", "host.example.org."),
        rrset.from_text("host.example.org.", 60, "IN", "A", "10.0.0.1", "192.168.1.2", "8.8.8.8"),
        rrset.from_text("host.example.org.", 60, "IN", "AAAA", "2001:db8::1"),
        rrset.from_text("example.org.", 60, "IN", "MX", "10 mail.example.org.", "20 other.net."),
        rrset.from_text("example.org.", 60, "IN", "TXT", '"one" "two three"'),
        rrset.from_text("_sip._tcp.example.org.", 60, "IN", "SRV", "1 2 5060 host.example.org."),
    ]
    answer.authority = [
        rrset.from_text("example.org.", 60, "IN", "SOA", "ns.example.org. root.example.org. 1 7200 900 86400 300"),
        rrset.from_text("example.org.", 60, "IN", "NS", "ns.example.org."),
    ]
    yield answer.to_wire()
    refused = message.make_response(message.make_query("a.b.c.d.example", "ANY", id=65535))
    refused.set_rcode(3)
    yield refused.to_wire()


def der_files(folder: Path) -> Written:
    x509 = library("cryptography.x509", "cryptography")
    ec, rsa = (library(f"cryptography.hazmat.primitives.asymmetric.{name}", "cryptography") for name in ("ec", "rsa"))
    serialization = library("cryptography.hazmat.primitives.serialization", "cryptography")
    der, no_encryption = serialization.Encoding.DER, serialization.NoEncryption()
    key = ec.derive_private_key(1 << 200, ec.SECP256R1())
    name = x509.Name(
        [
            x509.NameAttribute(x509.NameOID.COUNTRY_NAME, "CH"),
            x509.NameAttribute(x509.NameOID.COMMON_NAME, "Gerät 7"),
            x509.NameAttribute(x509.NameOID.EMAIL_ADDRESS, "a@example.org"),
        ]
    )
    yield (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1 << 100)
        .not_valid_before(datetime.datetime(2024, 2, 29))
        .not_valid_after(datetime.datetime(2057, 1, 1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=3), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("example.org")]), critical=False)
        .sign(key, library("cryptography.hazmat.primitives.hashes", "cryptography").SHA256())
        .public_bytes(der)
    )
    yield key.private_bytes(der, serialization.PrivateFormat.PKCS8, no_encryption)
    yield rsa.generate_private_key(65537, 1024).private_bytes(
        der, serialization.PrivateFormat.TraditionalOpenSSL, no_encryption
    )


def font(flavor: str | None, *, is_truetype: bool, metadata: bytes | None = None) -> bytes:
    """A font of three glyphs; ``flavor`` is that of the file ("woff", or None for the plain one)."""
    builder_of = library("fontTools.fontBuilder", "fonttools")
    pens = [library(f"fontTools.pens.{name}", "fonttools") for name in ("ttGlyphPen", "t2CharStringPen")]
    glyphs = [".notdef", "A", "space"]
    builder = builder_of.FontBuilder(1000, isTTF=is_truetype)
    builder.setupGlyphOrder(glyphs)
    builder.setupCharacterMap({0x41: "A", 0x20: "space"} | ({} if is_truetype else {0x1F600: "A"}))
    advances = {"A": (600, 10), ".notdef": (500, 0), "space": (300, 0)}
    if is_truetype:
        pen = pens[0].TTGlyphPen(None)
        pen.moveTo((10, 0))
        pen.lineTo((300, 700))
        pen.lineTo((590, 0))
        pen.closePath()
        empty = pens[0].TTGlyphPen(None).glyph()
        builder.setupGlyf({".notdef": empty, "A": pen.glyph(), "space": empty})
    else:
        drawn = {}
        for glyph in glyphs:
            outline = pens[1].T2CharStringPen(advances[glyph][0], None)
            if glyph == "A":
                outline.moveTo((10, 0))
                outline.lineTo((300, 700))
                outline.closePath()
            drawn[glyph] = outline.getCharString()
        builder.setupCFF("Sample-Regular", {"FullName": "Sample"}, drawn, {})
    builder.setupHorizontalMetrics(advances)
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Sample é", "styleName": "Regular", "psName": "Sample-Regular"})
    builder.setupOS2()
    builder.setupPost(keepGlyphNames=is_truetype)
    made = builder.font
    made.flavor = flavor
    if metadata is not None:
        made.flavorData = library("fontTools.ttLib.sfnt", "fonttools").WOFFFlavorData()
        made.flavorData.metaData = metadata
        made.flavorData.privData = b"private"
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def fonts(folder: Path) -> Written:
    return [font(None, is_truetype=True), font(None, is_truetype=False)]


def web_fonts(folder: Path) -> Written:
    told = b"<metadata version='1.0'><uniqueid id='org.example.sample'/></metadata>"
    return [font("woff", is_truetype=True), font("woff", is_truetype=False, metadata=told)]


def avro_containers(folder: Path) -> Written:
    polars = library("polars")
    table = polars.DataFrame({"id": range(300), "name": [None if n % 7 == 0 else f"name {n}" for n in range(300)]})
    for rows, codec in ((0, "uncompressed"), (3, "uncompressed"), (300, "deflate"), (300, "snappy")):
        out = io.BytesIO()
        table.head(rows).write_avro(out, compression=codec)
        yield out.getvalue()


def time_zones(folder: Path) -> Written:
    for name in ("UTC", "Europe/Zurich", "Asia/Kathmandu", "America/Caracas"):
        with importlib.resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
            yield file.read()


def archives(folder: Path) -> Written:
    for name, text in (("a.txt", "one"), ("even", "four"), ("a name longer than fifteen letters.txt", "long")):
        (folder / name).write_text(text)
    for number, names in enumerate((["a.txt", "even"], [path.name for path in sorted(folder.iterdir())], [])):
        run(["ar", "rcU", f"{number}.a", *names], folder)
        yield (folder / f"{number}.a").read_bytes()


def property_lists(folder: Path) -> Written:
    yield plistlib.dumps({}, fmt=plistlib.FMT_BINARY)
    yield plistlib.dumps(
        {
            "name": "café",
            "plain": "text",
            "list": [0, 255, 256, 70000, 1 << 40, -1, (1 << 64) - 1],
            "long list": [str(number) for number in range(20)],
            "real": 0.1,
            "yes": True,
            "no": False,
            "data": bytes(range(20)),
            "when": datetime.datetime(2024, 2, 29, 12),
            "uid": plistlib.UID(7),
            "nested": {"a": {"b": [{"c": []}]}},
        },
        fmt=plistlib.FMT_BINARY,
    )
    yield plistlib.dumps(["é" * 300], fmt=plistlib.FMT_BINARY)


def pickles(folder: Path) -> Written:
    thing = {
        "list": [1, 300, -5, 1 << 40, 1 << 70, 2.5, None, True],
        "text": "é",
        "bytes": b"\0\1",
        "tuple": (1, ("x",)),
    }
    thing["again"] = thing["list"]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.dumps(thing, protocol)
    yield pickle.dumps([datetime.date(2024, 2, 29), uuid.UUID(int=5), bytearray(b"x"), {1, 2}, frozenset("a")], 5)


TEXT = b"".join(b"line %d of a text that repeats itself\n" % number for number in range(200))
RANDOM = random.Random(1).randbytes(500)


def lz4_frames(folder: Path) -> Written:
    lz4 = library("lz4.frame", "lz4")
    yield lz4.compress(b"")
    yield lz4.compress(TEXT, block_linked=True, content_checksum=True)
    yield lz4.compress(RANDOM + bytes(2000), block_checksum=True, block_linked=False, store_size=False)
    yield lz4.compress(RANDOM) + lz4.compress(b"ab" * 4000, compression_level=9)


def zstd_frames(folder: Path) -> Written:
    yield zstandard.ZstdCompressor(write_checksum=True).compress(TEXT)
    yield zstandard.ZstdCompressor(level=1).compress(RANDOM) + zstandard.ZstdCompressor().compress(bytes(200000))
    streamed = zstandard.ZstdCompressor(level=19).compressobj()
    yield (
        streamed.compress(TEXT)
        + streamed.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        + streamed.compress(RANDOM)
        + (streamed.flush())
    )


def xz_files(folder: Path) -> Written:
    yield lzma.compress(b"")
    yield lzma.compress(TEXT, check=lzma.CHECK_SHA256)
    delta = [{"id": lzma.FILTER_DELTA, "dist": 4}, {"id": lzma.FILTER_LZMA2, "preset": 1}]
    yield lzma.compress(RANDOM, check=lzma.CHECK_NONE, filters=delta)


def jpegs(folder: Path) -> Written:
    yield pillow("JPEG", "L", quality=30)[0]
    yield pillow("JPEG", "RGB", size=(40, 30), progressive=True, optimize=True, comment="né", dpi=(72, 72))[0]
    yield pillow("JPEG", "RGB", size=(64, 33), subsampling=2, restart_marker_blocks=2, icc_profile=b"profile")[0]
    yield pillow("JPEG", "CMYK", quality=90)[0]


def tiffs(folder: Path) -> Written:
    image = library("PIL.TiffImagePlugin", "pillow")
    yield from pillow("TIFF", "1", "L", "P", "RGB", "F", "I;16B", dpi=(300, 72.5), description="a picture")
    info = image.ImageFileDirectory_v2()
    info[270], info[34665] = "two", {36867: "2024:02:29 12:00:00", 33434: image.IFDRational(1, 60)}
    yield pillow("TIFF", "RGB", tiffinfo=info, compression="raw")[0]
    first, second = (library("PIL.Image", "pillow").new("L", size, 7) for size in ((3, 2), (5, 4)))
    out = io.BytesIO()
    first.save(out, "TIFF", save_all=True, append_images=[second])
    yield out.getvalue()


def sound(kind: str, subtype: str, channels: int = 1, rate: int = 8000, **tags: str) -> bytes:
    """A tone, written by libsndfile."""
    numpy, soundfile = library("numpy"), library("soundfile")
    out = io.BytesIO()
    with soundfile.SoundFile(out, "w", rate, channels, subtype, format=kind) as file:
        for tag, text in tags.items():
            setattr(file, tag, text)
        tone = numpy.sin(numpy.arange(rate // 10) / 5) / 2
        file.write(numpy.stack([tone] * channels, axis=1))
    return out.getvalue()


def flacs(folder: Path) -> Written:
    yield sound("FLAC", "PCM_16")
    yield sound("FLAC", "PCM_24", 2, 44100, title="Tône", artist="libsndfile")


def oggs(folder: Path) -> Written:
    yield sound("OGG", "VORBIS", 2, 44100, title="Tône")
    yield sound("OGG", "OPUS", rate=48000)


def aiffs(folder: Path) -> Written:
    yield sound("AIFF", "PCM_16", title="odd", artist="even")
    yield sound("AIFF", "PCM_S8", 2, 44100)
    yield sound("AIFF", "ULAW")
    yield sound("AIFF", "FLOAT", rate=11025)


def qois(folder: Path) -> Written:
    yield from pillow("QOI", "RGB", "RGBA", size=(20, 16))
    image = library("PIL.Image", "pillow")
    colors = image.merge("RGBA", [image.linear_gradient("L").rotate(90 * n).resize((24, 24)) for n in range(4)])
    out = io.BytesIO()
    colors.save(out, "QOI")
    yield out.getvalue()


def icc_profiles(folder: Path) -> Written:
    cms = library("PIL.ImageCms", "pillow")
    for space in ("sRGB", "LAB", "XYZ"):
        yield cms.ImageCmsProfile(cms.createProfile(space)).tobytes()


def iso_media(folder: Path) -> Written:
    features = library("PIL.features", "pillow")
    for feature, kind in (("avif", "AVIF"), ("jpg_2000", "JPEG2000")):
        if not features.check(feature):
            raise Missing(f"library missing: pillow with {kind}")
    yield from pillow("AVIF", "RGB", size=(20, 16), quality=40)
    yield from pillow("AVIF", "L", size=(33, 10), quality=90)
    yield from pillow("JPEG2000", "L", "RGBA", size=(20, 16))


def git_indexes(folder: Path) -> Written:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "index.version=2", "-c", "gc.auto=0"]
    run([*git, "init", "--quiet", "."], folder)
    (folder / "folder" / "inner").mkdir(parents=True)
    for name in ("a", "eight678", "folder/ünïcode", "folder/inner/b"):
        (folder / name).write_text(name)
    (folder / "a").chmod(0o755)
    (folder / "link").symlink_to("a")
    index = folder / ".git" / "index"
    run([*git, "add", "a", "eight678"], folder)
    yield index.read_bytes()
    run([*git, "add", "--all"], folder)
    run([*git, "commit", "--quiet", "--message", "all"], folder)
    yield index.read_bytes()
    (folder / "later").write_text("later")
    run([*git, "add", "--intent-to-add", "later"], folder)
    run([*git, "update-index", "--skip-worktree", "folder/inner/b"], folder)
    yield index.read_bytes()


def arrow_table() -> Any:
    """A table with numbers, texts, lists and structures in it."""
    return library("pyarrow").table(
        {
            "id": list(range(20)),
            "näme": [None if number % 3 == 0 else f"name {number}" for number in range(20)],
            "list": [[1.5] * (number % 3) for number in range(20)],
            "both": [{"on": number % 2 == 0, "text": "x" * number} for number in range(20)],
        }
    )


def arrow_streams(folder: Path) -> Written:
    ipc = library("pyarrow.ipc", "pyarrow")
    table = arrow_table()
    for chunk_rows, columns in ((7, ["id", "näme"]), (20, table.column_names), (20, [])):
        out = io.BytesIO()
        with ipc.new_stream(out, table.select(columns).schema) as writer:
            writer.write_table(table.select(columns), chunk_rows)
        yield out.getvalue()


def parquets(folder: Path) -> Written:
    parquet = library("pyarrow.parquet", "pyarrow")
    for options in ({}, {"compression": "zstd", "use_dictionary": False, "row_group_size": 8}, {"version": "1.0"}):
        out = io.BytesIO()
        table = arrow_table().select(["id", "näme"] if options else ["id", "näme", "list", "both"])
        parquet.write_table(table.slice(0, 20 if options else 5), out, **options)
        yield out.getvalue()


def cafs(folder: Path) -> Written:
    yield sound("CAF", "PCM_16", title="Tône", artist="libsndfile")
    yield sound("CAF", "ALAC_16", 2)
    yield sound("CAF", "FLOAT", rate=11025)


def mp3s(folder: Path) -> Written:
    yield sound("MP3", "MPEG_LAYER_III")
    yield sound("MP3", "MPEG_LAYER_III", 2, 44100)
    yield sound("MP3", "MPEG_LAYER_III", 2, 24000)


def next_captures(folder: Path) -> Written:
    pcapng = library("dpkt.pcapng", "dpkt")
    packets = [bytes(range(number)) for number in (60, 61, 0)]
    out = io.BytesIO()
    writer = pcapng.Writer(out)
    for number, packet in enumerate(packets):
        writer.writepkt(packet, ts=1700000000.5 + number)
    yield out.getvalue()
    parts = []
    for order in ("", "LE") if sys.byteorder == "little" else ("",):
        option = getattr(pcapng, f"PcapngOption{order}")
        end = option(code=pcapng.PCAPNG_OPT_ENDOFOPT)
        told = option(code=pcapng.PCAPNG_OPT_COMMENT, text="a commènt")
        header = getattr(pcapng, f"SectionHeaderBlock{order}")(
            opts=[option(code=pcapng.PCAPNG_OPT_SHB_OS, text="Linux"), told, end]
        )
        interface = getattr(pcapng, f"InterfaceDescriptionBlock{order}")(
            snaplen=100, linktype=1, opts=[option(code=pcapng.PCAPNG_OPT_IF_TSRESOL, data=b"\6"), end]
        )
        packet = getattr(pcapng, f"EnhancedPacketBlock{order}")(
            ts_high=4, ts_low=5, caplen=3, pkt_len=3, pkt_data=b"abc", opts=[told, end]
        )
        parts.append(bytes(header) + bytes(interface) + 2 * bytes(packet))
    yield from parts


def write_ahead_logs(folder: Path) -> Written:
    for count in (1, 5):
        path = folder / f"{count}.db"
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA page_size = 512")
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("CREATE TABLE things (number INTEGER PRIMARY KEY, text TEXT)")
            for number in range(count):
                database.execute("INSERT INTO things (text) VALUES (?)", ("x" * 100 * number,))
                database.commit()
            yield Path(f"{path}-wal").read_bytes()


def git_objects(folder: Path) -> Written:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "gc.auto=0"]
    run([*git, "init", "--quiet", "."], folder)
    (folder / "folder").mkdir()
    (folder / "folder" / "ä").write_text("text\n" * 100)
    (folder / "empty").touch()
    run([*git, "add", "--all"], folder)
    for message in ("first", "second\n\nwith more\n"):
        run([*git, "commit", "--quiet", "--allow-empty", "--message", message], folder)
    run([*git, "tag", "--annotate", "--message", "a tag", "v1"], folder)
    for path in sorted((folder / ".git" / "objects").glob("??/*")):
        yield path.read_bytes()


def orcs(folder: Path) -> Written:
    orc = library("pyarrow.orc", "pyarrow")
    table = arrow_table()
    for columns, rows in ((["id", "näme"], 20), (table.column_names, 5), (["id"], 0)):
        out = io.BytesIO()
        orc.write_table(table.select(columns).slice(0, rows), out, compression="uncompressed")
        yield out.getvalue()


WRITTEN: dict[str, Callable[[Path], Written]] = {
    "aiff": aiffs,
    "ar": archives,
    "arrow_stream": arrow_streams,
    "avro_container": avro_containers,
    "binary_plist": property_lists,
    "bson_document": bson_documents,
    "caf": cafs,
    "cbor": cbor_items,
    "dbf": dbf_tables,
    "der": der_files,
    "dns_message": dns_messages,
    "flac": flacs,
    "gettext_mo": gettext_catalogues,
    "git_index": git_indexes,
    "git_object": git_objects,
    "icc_profile": icc_profiles,
    "iso_media": iso_media,
    "jpeg": jpegs,
    "lz4_frame": lz4_frames,
    "midi": midi_files,
    "mp3": mp3s,
    "ogg": oggs,
    "orc": orcs,
    "parquet": parquets,
    "pcap": captures,
    "pcapng": next_captures,
    "pickle_code": pickles,
    "qoi": qois,
    "shapes": shapes,
    "sqlite_wal": write_ahead_logs,
    "tiff": tiffs,
    "truetype": fonts,
    "tzif": time_zones,
    "woff": web_fonts,
    "xz": xz_files,
    "zstd_frame": zstd_frames,
}

UNDECLARED: dict[str, str] = {
    "arrow_stream": "fields of tables that have no name here",
    "tiff": "pixels; their place is a value of an entry",
}
"""As in `written`."""

NOT_FROM_PLAIN: dict[str, str] = {"git_object": "how well the bytes are compressed"}
"""As in `written`."""
