"""The CRCs that have a name: their parameters, from Greg Cook's catalogue of parametrised CRC algorithms.

Source: https://reveng.sourceforge.io/crc-catalogue/all.htm, the names, parameters, check values (of the nine bytes
``123456789``) and aliases, as the crate crc-catalog 2.5.0 and the packages anycrc 2.1.0 and crccheck 1.3.1
have them. They agree.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from kformat.storage.crc import Crc

_TABLE: Final = """\
name,width,poly,init,refin,refout,xorout,check
CRC-3/GSM,3,0x3,0x0,false,false,0x7,0x4
CRC-3/ROHC,3,0x3,0x7,true,true,0x0,0x6
CRC-4/G-704,4,0x3,0x0,true,true,0x0,0x7
CRC-4/INTERLAKEN,4,0x3,0xf,false,false,0xf,0xb
CRC-5/EPC-C1G2,5,0x09,0x09,false,false,0x00,0x00
CRC-5/G-704,5,0x15,0x00,true,true,0x00,0x07
CRC-5/USB,5,0x05,0x1f,true,true,0x1f,0x19
CRC-6/CDMA2000-A,6,0x27,0x3f,false,false,0x00,0x0d
CRC-6/CDMA2000-B,6,0x07,0x3f,false,false,0x00,0x3b
CRC-6/DARC,6,0x19,0x00,true,true,0x00,0x26
CRC-6/G-704,6,0x03,0x00,true,true,0x00,0x06
CRC-6/GSM,6,0x2f,0x00,false,false,0x3f,0x13
CRC-7/MMC,7,0x09,0x00,false,false,0x00,0x75
CRC-7/ROHC,7,0x4f,0x7f,true,true,0x00,0x53
CRC-7/UMTS,7,0x45,0x00,false,false,0x00,0x61
CRC-8/AUTOSAR,8,0x2f,0xff,false,false,0xff,0xdf
CRC-8/BLUETOOTH,8,0xa7,0x00,true,true,0x00,0x26
CRC-8/CDMA2000,8,0x9b,0xff,false,false,0x00,0xda
CRC-8/DARC,8,0x39,0x00,true,true,0x00,0x15
CRC-8/DVB-S2,8,0xd5,0x00,false,false,0x00,0xbc
CRC-8/GSM-A,8,0x1d,0x00,false,false,0x00,0x37
CRC-8/GSM-B,8,0x49,0x00,false,false,0xff,0x94
CRC-8/HITAG,8,0x1d,0xff,false,false,0x00,0xb4
CRC-8/I-432-1,8,0x07,0x00,false,false,0x55,0xa1
CRC-8/I-CODE,8,0x1d,0xfd,false,false,0x00,0x7e
CRC-8/LTE,8,0x9b,0x00,false,false,0x00,0xea
CRC-8/MAXIM-DOW,8,0x31,0x00,true,true,0x00,0xa1
CRC-8/MIFARE-MAD,8,0x1d,0xc7,false,false,0x00,0x99
CRC-8/NRSC-5,8,0x31,0xff,false,false,0x00,0xf7
CRC-8/OPENSAFETY,8,0x2f,0x00,false,false,0x00,0x3e
CRC-8/ROHC,8,0x07,0xff,true,true,0x00,0xd0
CRC-8/SAE-J1850,8,0x1d,0xff,false,false,0xff,0x4b
CRC-8/SMBUS,8,0x07,0x00,false,false,0x00,0xf4
CRC-8/TECH-3250,8,0x1d,0xff,true,true,0x00,0x97
CRC-8/WCDMA,8,0x9b,0x00,true,true,0x00,0x25
CRC-10/ATM,10,0x233,0x000,false,false,0x000,0x199
CRC-10/CDMA2000,10,0x3d9,0x3ff,false,false,0x000,0x233
CRC-10/GSM,10,0x175,0x000,false,false,0x3ff,0x12a
CRC-11/FLEXRAY,11,0x385,0x01a,false,false,0x000,0x5a3
CRC-11/UMTS,11,0x307,0x000,false,false,0x000,0x061
CRC-12/CDMA2000,12,0xf13,0xfff,false,false,0x000,0xd4d
CRC-12/DECT,12,0x80f,0x000,false,false,0x000,0xf5b
CRC-12/GSM,12,0xd31,0x000,false,false,0xfff,0xb34
CRC-12/UMTS,12,0x80f,0x000,false,true,0x000,0xdaf
CRC-13/BBC,13,0x1cf5,0x0000,false,false,0x0000,0x04fa
CRC-14/DARC,14,0x0805,0x0000,true,true,0x0000,0x082d
CRC-14/GSM,14,0x202d,0x0000,false,false,0x3fff,0x30ae
CRC-15/CAN,15,0x4599,0x0000,false,false,0x0000,0x059e
CRC-15/MPT1327,15,0x6815,0x0000,false,false,0x0001,0x2566
CRC-16/ARC,16,0x8005,0x0000,true,true,0x0000,0xbb3d
CRC-16/CDMA2000,16,0xc867,0xffff,false,false,0x0000,0x4c06
CRC-16/CMS,16,0x8005,0xffff,false,false,0x0000,0xaee7
CRC-16/DDS-110,16,0x8005,0x800d,false,false,0x0000,0x9ecf
CRC-16/DECT-R,16,0x0589,0x0000,false,false,0x0001,0x007e
CRC-16/DECT-X,16,0x0589,0x0000,false,false,0x0000,0x007f
CRC-16/DNP,16,0x3d65,0x0000,true,true,0xffff,0xea82
CRC-16/EN-13757,16,0x3d65,0x0000,false,false,0xffff,0xc2b7
CRC-16/GENIBUS,16,0x1021,0xffff,false,false,0xffff,0xd64e
CRC-16/GSM,16,0x1021,0x0000,false,false,0xffff,0xce3c
CRC-16/IBM-3740,16,0x1021,0xffff,false,false,0x0000,0x29b1
CRC-16/IBM-SDLC,16,0x1021,0xffff,true,true,0xffff,0x906e
CRC-16/ISO-IEC-14443-3-A,16,0x1021,0xc6c6,true,true,0x0000,0xbf05
CRC-16/KERMIT,16,0x1021,0x0000,true,true,0x0000,0x2189
CRC-16/LJ1200,16,0x6f63,0x0000,false,false,0x0000,0xbdf4
CRC-16/M17,16,0x5935,0xffff,false,false,0x0000,0x772b
CRC-16/MAXIM-DOW,16,0x8005,0x0000,true,true,0xffff,0x44c2
CRC-16/MCRF4XX,16,0x1021,0xffff,true,true,0x0000,0x6f91
CRC-16/MODBUS,16,0x8005,0xffff,true,true,0x0000,0x4b37
CRC-16/NRSC-5,16,0x080b,0xffff,true,true,0x0000,0xa066
CRC-16/OPENSAFETY-A,16,0x5935,0x0000,false,false,0x0000,0x5d38
CRC-16/OPENSAFETY-B,16,0x755b,0x0000,false,false,0x0000,0x20fe
CRC-16/PROFIBUS,16,0x1dcf,0xffff,false,false,0xffff,0xa819
CRC-16/RIELLO,16,0x1021,0xb2aa,true,true,0x0000,0x63d0
CRC-16/SPI-FUJITSU,16,0x1021,0x1d0f,false,false,0x0000,0xe5cc
CRC-16/T10-DIF,16,0x8bb7,0x0000,false,false,0x0000,0xd0db
CRC-16/TELEDISK,16,0xa097,0x0000,false,false,0x0000,0x0fb3
CRC-16/TMS37157,16,0x1021,0x89ec,true,true,0x0000,0x26b1
CRC-16/UMTS,16,0x8005,0x0000,false,false,0x0000,0xfee8
CRC-16/USB,16,0x8005,0xffff,true,true,0xffff,0xb4c8
CRC-16/XMODEM,16,0x1021,0x0000,false,false,0x0000,0x31c3
CRC-17/CAN-FD,17,0x1685b,0x00000,false,false,0x00000,0x04f03
CRC-21/CAN-FD,21,0x102899,0x000000,false,false,0x000000,0x0ed841
CRC-24/BLE,24,0x00065b,0x555555,true,true,0x000000,0xc25a56
CRC-24/FLEXRAY-A,24,0x5d6dcb,0xfedcba,false,false,0x000000,0x7979bd
CRC-24/FLEXRAY-B,24,0x5d6dcb,0xabcdef,false,false,0x000000,0x1f23b8
CRC-24/INTERLAKEN,24,0x328b63,0xffffff,false,false,0xffffff,0xb4f3e6
CRC-24/LTE-A,24,0x864cfb,0x000000,false,false,0x000000,0xcde703
CRC-24/LTE-B,24,0x800063,0x000000,false,false,0x000000,0x23ef52
CRC-24/OPENPGP,24,0x864cfb,0xb704ce,false,false,0x000000,0x21cf02
CRC-24/OS-9,24,0x800063,0xffffff,false,false,0xffffff,0x200fa5
CRC-30/CDMA,30,0x2030b9c7,0x3fffffff,false,false,0x3fffffff,0x04c34abf
CRC-31/PHILIPS,31,0x04c11db7,0x7fffffff,false,false,0x7fffffff,0x0ce9e46c
CRC-32/AIXM,32,0x814141ab,0x00000000,false,false,0x00000000,0x3010bf7f
CRC-32/AUTOSAR,32,0xf4acfb13,0xffffffff,true,true,0xffffffff,0x1697d06a
CRC-32/BASE91-D,32,0xa833982b,0xffffffff,true,true,0xffffffff,0x87315576
CRC-32/BZIP2,32,0x04c11db7,0xffffffff,false,false,0xffffffff,0xfc891918
CRC-32/CD-ROM-EDC,32,0x8001801b,0x00000000,true,true,0x00000000,0x6ec2edc4
CRC-32/CKSUM,32,0x04c11db7,0x00000000,false,false,0xffffffff,0x765e7680
CRC-32/ISCSI,32,0x1edc6f41,0xffffffff,true,true,0xffffffff,0xe3069283
CRC-32/ISO-HDLC,32,0x04c11db7,0xffffffff,true,true,0xffffffff,0xcbf43926
CRC-32/JAMCRC,32,0x04c11db7,0xffffffff,true,true,0x00000000,0x340bc6d9
CRC-32/MEF,32,0x741b8cd7,0xffffffff,true,true,0x00000000,0xd2c22f51
CRC-32/MPEG-2,32,0x04c11db7,0xffffffff,false,false,0x00000000,0x0376e6e7
CRC-32/XFER,32,0x000000af,0x00000000,false,false,0x00000000,0xbd0be338
CRC-40/GSM,40,0x0004820009,0x0000000000,false,false,0xffffffffff,0xd4164fc646
CRC-64/ECMA-182,64,0x42f0e1eba9ea3693,0x0000000000000000,false,false,0x0000000000000000,0x6c40df5f0b497347
CRC-64/GO-ISO,64,0x000000000000001b,0xffffffffffffffff,true,true,0xffffffffffffffff,0xb90956c775a41001
CRC-64/MS,64,0x259c84cba6426349,0xffffffffffffffff,true,true,0x0000000000000000,0x75d4b74f024eceea
CRC-64/NVME,64,0xad93d23594c93659,0xffffffffffffffff,true,true,0xffffffffffffffff,0xae8b14860a799888
CRC-64/REDIS,64,0xad93d23594c935a9,0x0000000000000000,true,true,0x0000000000000000,0xe9c6d914c4b8d9ca
CRC-64/WE,64,0x42f0e1eba9ea3693,0xffffffffffffffff,false,false,0xffffffffffffffff,0x62ec59e3f1a4f00a
CRC-64/XZ,64,0x42f0e1eba9ea3693,0xffffffffffffffff,true,true,0xffffffffffffffff,0x995dc9bbdf1939fa
CRC-82/DARC,82,0x0308c0111011401440411,0x000000000000000000000,true,true,0x000000000000000000000,0x09ea83f625023801fd612
"""

_ALIASES: Final = """\
CRC-4/G-704: CRC-4/ITU
CRC-5/EPC-C1G2: CRC-5/EPC
CRC-5/G-704: CRC-5/ITU
CRC-6/G-704: CRC-6/ITU
CRC-7/MMC: CRC-7
CRC-8/I-432-1: CRC-8/ITU
CRC-8/MAXIM-DOW: CRC-8/MAXIM DOW-CRC
CRC-8/SMBUS: CRC-8
CRC-8/TECH-3250: CRC-8/AES CRC-8/EBU
CRC-10/ATM: CRC-10 CRC-10/I-610
CRC-11/FLEXRAY: CRC-11
CRC-12/DECT: X-CRC-12 CRC-12-X
CRC-12/UMTS: CRC-12/3GPP
CRC-15/CAN: CRC-15
CRC-16/ARC: ARC CRC-16 CRC-16/LHA CRC-IBM
CRC-16/DECT-R: R-CRC-16
CRC-16/DECT-X: X-CRC-16
CRC-16/GENIBUS: CRC-16/DARC CRC-16/EPC CRC-16/EPC-C1G2 CRC-16/I-CODE
CRC-16/IBM-3740: CRC-16/AUTOSAR CRC-16/CCITT-FALSE
CRC-16/IBM-SDLC: CRC-16/ISO-HDLC CRC-16/ISO-IEC-14443-3-B CRC-16/X-25 CRC-B X-25
CRC-16/ISO-IEC-14443-3-A: CRC-A
CRC-16/KERMIT: CRC-16/BLUETOOTH CRC-16/CCITT CRC-16/CCITT-TRUE CRC-16/V-41-LSB CRC-CCITT KERMIT
CRC-16/MAXIM-DOW: CRC-16/MAXIM
CRC-16/MODBUS: MODBUS
CRC-16/PROFIBUS: CRC-16/IEC-61158-2
CRC-16/SPI-FUJITSU: CRC-16/AUG-CCITT
CRC-16/UMTS: CRC-16/BUYPASS CRC-16/VERIFONE
CRC-16/XMODEM: CRC-16/ACORN CRC-16/LTE CRC-16/V-41-MSB XMODEM ZMODEM
CRC-24/OPENPGP: CRC-24
CRC-32/AIXM: CRC-32Q
CRC-32/BASE91-D: CRC-32D
CRC-32/BZIP2: B-CRC-32 CRC-32/AAL5 CRC-32/DECT-B
CRC-32/CKSUM: CKSUM CRC-32/POSIX
CRC-32/ISCSI: CRC-32/BASE91-C CRC-32/CASTAGNOLI CRC-32/INTERLAKEN CRC-32/NVME CRC-32C
CRC-32/ISO-HDLC: CRC-32 CRC-32/ADCCP CRC-32/V-42 CRC-32/XZ PKZIP
CRC-32/JAMCRC: JAMCRC
CRC-32/XFER: XFER
CRC-64/ECMA-182: CRC-64
CRC-64/XZ: CRC-64/GO-ECMA
"""


def plain_name(name: str) -> str:
    """A name without what its spellings differ in: ``CRC-16/IBM-3740`` and ``crc_16_ibm_3740`` are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


@cache
def catalogue() -> dict[str, tuple[Crc, int]]:
    """The catalogue's name -> a CRC, and its check value."""
    rows = {}
    for line in _TABLE.splitlines()[1:]:
        name, width, poly, init, refin, refout, xorout, check = line.split(",")
        numbers = [int(number, 16) for number in (poly, init, xorout)]
        crc = Crc(int(width), numbers[0], numbers[1], refin == "true", refout == "true", numbers[2])
        rows[name] = crc, int(check, 16)
    return rows


@cache
def catalogue_names() -> dict[str, str]:
    """`plain_name` of each name and alias -> the catalogue's name."""
    return {plain_name(name): name for name in catalogue()} | {
        plain_name(alias): name for alias, name in aliases().items()
    }


@cache
def aliases() -> dict[str, str]:
    """Other name -> the catalogue's name."""
    lines = [line.split(": ") for line in _ALIASES.splitlines()]
    return {alias: name for name, others in lines for alias in others.split()}


__all__ = ["aliases", "catalogue", "catalogue_names", "plain_name"]
