"""Small files of public formats, written by the libraries and programs that people write them with.

Each function takes an empty folder and gives the bytes of some files; nothing is packed by hand. The declarations are
the files NAME.ksy next to this one.
"""

from __future__ import annotations

import datetime
import io
import uuid
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path

import bson
import bson.codec_options
import cbor2
import dns.flags
import dns.message
import dns.rrset
import dpkt
import mido
import polib
import shapefile

Written = Iterable[bytes]


def bson_documents(folder: Path) -> Written:
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
    yield cbor2.dumps([1.5, 0.1, {"a": "b" * 300}], canonical=True) + cbor2.dumps(["x", {1: 2}], indefinite_containers=True)


def midi_files(folder: Path) -> Written:
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
    square = [[0, 0], [0, 4], [4, 4], [4, 0], [0, 0]]
    for number, kind in enumerate(
        (shapefile.POINT, shapefile.POLYGON, shapefile.POLYLINEZ, shapefile.POLYLINEM, shapefile.POINTZ, shapefile.MULTIPOINT)
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
    query = dns.message.make_query("www.example.org", "A", use_edns=True, id=1)
    yield query.to_wire()
    answer = dns.message.make_response(query)
    answer.flags |= dns.flags.AA | dns.flags.RA
    answer.answer = [
        dns.rrset.from_text("www.example.org.", 300, "IN", "CNAME", "host.example.org."),
        dns.rrset.from_text("host.example.org.", 60, "IN", "A", "10.0.0.1", "192.168.1.2", "8.8.8.8"),
        dns.rrset.from_text("host.example.org.", 60, "IN", "AAAA", "2001:db8::1"),
        dns.rrset.from_text("example.org.", 60, "IN", "MX", "10 mail.example.org.", "20 other.net."),
        dns.rrset.from_text("example.org.", 60, "IN", "TXT", '"one" "two three"'),
        dns.rrset.from_text("_sip._tcp.example.org.", 60, "IN", "SRV", "1 2 5060 host.example.org."),
    ]
    answer.authority = [
        dns.rrset.from_text("example.org.", 60, "IN", "SOA", "ns.example.org. root.example.org. 1 7200 900 86400 300"),
        dns.rrset.from_text("example.org.", 60, "IN", "NS", "ns.example.org."),
    ]
    yield answer.to_wire()
    refused = dns.message.make_response(dns.message.make_query("a.b.c.d.example", "ANY", id=65535))
    refused.set_rcode(3)
    yield refused.to_wire()


WRITTEN: dict[str, Callable[[Path], Written]] = {
    "bson": bson_documents,
    "cbor": cbor_items,
    "dbf": dbf_tables,
    "dns_message": dns_messages,
    "gettext_mo": gettext_catalogues,
    "midi": midi_files,
    "pcap": captures,
    "shapefile": shapes,
}
