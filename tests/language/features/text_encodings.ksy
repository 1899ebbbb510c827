# in: e4f6fc610062000061006282a0808e
meta:
  id: text_encodings
  endian: be
  license: Apache-2.0
seq:
  - {id: latin, type: str, size: 3, encoding: ISO-8859-1}
  - {id: wide, type: str, size: 4, encoding: UTF-16LE}
  - {id: big, type: str, size: 4, encoding: UTF-16BE}
  - {id: sjis, type: str, size: 2, encoding: SJIS}
  - {id: dos, type: str, size: 2, encoding: IBM437}
