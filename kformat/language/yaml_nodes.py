"""YAML text -> nodes that know their places.

Accepts what the parser of Kaitai's compiler accepts: tabs inside plain text, the tag ``!`` and the tags of YAML's own
types, anchors, aliases and merge keys (``<<``). Refuses duplicate keys. libyaml's parser is used where PyYAML has it.
PyYAML's own is used elsewhere, and for what libyaml refuses: its messages say more.
"""

from __future__ import annotations

from typing import Any, Final

import yaml

from kformat.language.limits import MAX_DECLARATION, bound
from kformat.language.mark import Mark
from kformat.language.types import MAX_EXACT_BITS

MAX_DEPTH: Final = 50
"""Deepest nesting of lists and mappings in a declaration."""

MAX_READ_TWICE: Final = 1 << 17
"""Errors within so many characters are reported by PyYAML's own parser, which is twenty times as slow."""

_MAX_BASE_60: Final = 40
"""Longest number in base 60: PyYAML's time is quadratic in its length."""

_CORE: Final = "tag:yaml.org,2002:"
_PLAIN_TAGS: Final = frozenset(_CORE + kind for kind in ("str", "int", "float", "bool", "null"))
_NUMBERS: Final = (f"{_CORE}int", f"{_CORE}float")
_TEXT: Final = f"{_CORE}str"
_BOOL: Final = f"{_CORE}bool"
_MERGE: Final = f"{_CORE}merge"


class YamlNode:
    """A YAML node: Python value (``dict[str, YamlNode]``, ``list[YamlNode]`` or a scalar) with its mark.

    ``text`` is a scalar as written, "" for others; ``count`` the number of nodes in it, itself included.
    """

    __slots__ = ("count", "mark", "text", "value")

    def __init__(self, value: Any, mark: Mark, text: str = "", count: int = 1) -> None:
        self.value, self.mark, self.text, self.count = value, mark, text, count

    @property
    def word(self) -> object:
        """The value; a boolean as the word that was written: ``off`` where a name is expected is a name."""
        return self.text.lower() if isinstance(self.value, bool) else self.value


class _YamlLoader(yaml.SafeLoader):
    """PyYAML's own parser, extended to accept tabs inside and after plain text."""

    def scan_plain_spaces(self, indent: Any, start_mark: Any) -> list[str]:
        length = 0
        while self.peek(length) in (" ", "\t"):
            length += 1
        blanks: str = self.prefix(length)
        if "\t" in blanks:
            self.forward(length)
        chunks: list[str] = super().scan_plain_spaces(indent, start_mark) or []
        return chunks or [blanks] * ("\t" in blanks)


_PARSERS: tuple[Any, ...] = (yaml.CSafeLoader, _YamlLoader) if yaml.__with_libyaml__ else (_YamlLoader,)


def shown(value: object) -> str:
    """A YAML value, shortened, for an error message."""
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return "nothing" if value is None else str(value).lower()
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


class _Nodes:
    """Makes nodes from the parser events of one text. Recursion is at most `MAX_DEPTH` levels deep."""

    def __init__(self, parser: Any, file: str, is_replaced: bool) -> None:
        self.parser, self.file, self.is_replaced = parser, file, is_replaced
        self.anchors: dict[str, YamlNode | None] = {}
        self.count, self.most = 0, bound(MAX_DECLARATION)
        self.depth = 0

    def whole(self) -> YamlNode | None:
        """The only document; None if there is none."""
        take = self.parser.get_event
        take()  # the stream's start
        if isinstance(take(), yaml.StreamEndEvent):
            return None
        root = self.node(take(), "")
        take()  # the document's end
        event = take()
        if not isinstance(event, yaml.StreamEndEvent):
            self.mark(event, "").refuse("not YAML: a second document begins here; a declaration is one")
        return root

    def mark(self, event: Any, key: str) -> Mark:
        return Mark(self.file, event.start_mark.line + 1, key or "/")

    def node(self, event: Any, key: str) -> YamlNode:
        """The node that begins with an event."""
        mark = self.mark(event, key)
        self.count += 1
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event, mark)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        if isinstance(event, yaml.ScalarEvent):
            yaml_node = self.scalar(event, key, mark)
        else:
            is_list = isinstance(event, yaml.SequenceStartEvent)
            if event.tag not in (None, "!", _CORE + ("seq" if is_list else "map")):
                self.refuse_tag(event.tag, mark)
            self.depth += 1
            if self.depth > MAX_DEPTH:
                self.mark(event, "").refuse(f"nested more than {MAX_DEPTH} deep")
            yaml_node = self.items(key, mark) if is_list else self.entries(key, mark)
            self.depth -= 1
        if event.anchor is not None:
            self.anchors[event.anchor] = yaml_node
        return yaml_node

    def alias(self, event: yaml.AliasEvent, mark: Mark) -> YamlNode:
        if event.anchor not in self.anchors:
            mark.refuse(f"no anchor &{event.anchor} comes before this alias")
        target = self.anchors[event.anchor]
        if target is None:
            mark.refuse(f"&{event.anchor} contains itself")
        self.count += target.count
        if self.count > self.most:
            mark.refuse(f"aliases make more than {self.most} nodes of this text; {MAX_DECLARATION} raises the bound")
        return YamlNode(target.value, mark, target.text, target.count)

    def refuse_tag(self, tag: str, mark: Mark) -> None:
        mark.refuse(f"the YAML tag {shown(tag.replace(_CORE, '!!'))} means nothing in a declaration")

    def items(self, key: str, mark: Mark) -> YamlNode:
        take, before = self.parser.get_event, self.count
        children: list[YamlNode] = []
        while not isinstance(event := take(), yaml.SequenceEndEvent):
            children.append(self.node(event, f"{key}/{len(children)}"))
        return YamlNode(children, mark, count=self.count - before + 1)

    def entries(self, key: str, mark: Mark) -> YamlNode:
        take, before = self.parser.get_event, self.count
        children: dict[str, YamlNode] = {}
        merged: list[YamlNode] = []
        while not isinstance(event := take(), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                mark.refuse("a key that is not a plain word")
            name = event.value
            tag = self.tag_of(event)
            if tag == _BOOL:
                name = name.lower()
            path = f"{key}/{name if name.isprintable() and len(name) <= 60 else shown(name)}"
            place = self.mark(event, path)
            if event.anchor is not None:
                self.anchors[event.anchor] = YamlNode(name, place, event.value)
            child = self.node(take(), path)
            child.mark = place
            if tag == _MERGE:
                merged.append(child)
                continue
            if name in children:
                place.refuse("duplicate key")
            children[name] = child
        for child in merged:
            for other in child.value if isinstance(child.value, list) else [child]:
                if not isinstance(other.value, dict):
                    child.mark.refuse(f"a mapping, or a list of them, is expected here, found {shown(other.value)}")
                children = {**other.value, **children}
        return YamlNode(children, mark, count=self.count - before + 1)

    def tag_of(self, event: yaml.ScalarEvent) -> str:
        if event.tag not in (None, "!"):
            return str(event.tag)
        tag: str = self.parser.resolve(yaml.ScalarNode, event.value, event.implicit)
        return tag

    def scalar(self, event: yaml.ScalarEvent, key: str, mark: Mark) -> YamlNode:
        text, tag = event.value, self.tag_of(event)
        value: Any = text
        if self.is_replaced and "\ufffd" in text and key.rpartition("/")[2] not in _PROSE:
            mark.refuse("text that is not UTF-8; only comments, doc and titles may have such bytes")
        if tag == _TEXT or tag == _MERGE or (tag not in _PLAIN_TAGS and event.implicit[0]):
            if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
                mark.refuse("text with a half of a character (a lone surrogate)")
            return YamlNode(value, mark, text)
        if tag not in _PLAIN_TAGS:
            self.refuse_tag(tag, mark)
        if ":" in text and len(text) > _MAX_BASE_60 and tag in _NUMBERS:
            mark.refuse(f"a number in base 60 (YAML 1.1) of more than {_MAX_BASE_60} characters: {shown(text)}")
        try:
            value = self.parser.construct_object(yaml.ScalarNode(tag, text))
        except (yaml.YAMLError, ValueError, LookupError) as error:
            mark.refuse(f"not a YAML value: {getattr(error, 'problem', None) or error}")
        if isinstance(value, int) and value.bit_length() > MAX_EXACT_BITS:
            mark.refuse(f"an integer that does not fit in {MAX_EXACT_BITS} bits")
        return YamlNode(value, mark, text)


_PROSE: Final = frozenset(("doc", "doc-ref", "title", "application", "license", "-orig-id"))
"""The keys whose text only people read."""


def _hint(error: yaml.MarkedYAMLError) -> str:
    """The usual cause of a YAML parser's error, as the end of a message; "" if there is none."""
    problem, begun = error.problem or "", error.context_mark.line + 1 if error.context_mark else 1
    if "'\\t'" in problem:
        return "; YAML is indented by spaces, not tabs"
    if problem == "mapping values are not allowed here":
        return "; a text with a colon is quoted, and what is below a key is indented by spaces"
    if "<block end>" in problem:
        return "; the line is indented unlike those above it"
    if "',' or" in problem and (problem.endswith(("']'", "'}'")) or "<stream end>" in problem):
        return f"; the bracket of line {begun} is not closed"
    if "',' or" in problem:
        return "; between braces and brackets, a text with one of , : { } [ ] is quoted"
    return ""


def decoded(data: bytes) -> tuple[str, bool]:
    """Decode a file: its text, and whether it has bytes that are not UTF-8, each of which becomes U+FFFD."""
    try:
        return data.decode("utf-8"), False
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace"), True


def read_yaml(text: str, file: str, is_replaced: bool = False) -> YamlNode:
    """Parse a text into nodes. ``is_replaced``: it has U+FFFD for bytes that were not UTF-8, allowed only in prose.

    Raises DeclarationError for text that is not YAML, and for YAML that a declaration may not use.
    """
    most = bound(MAX_DECLARATION)
    if len(text) > most:
        Mark(file, 1, "/").refuse(
            f"a declaration of {len(text)} characters; {most} are allowed, and the environment variable"
            f" {MAX_DECLARATION} raises the bound"
        )
    for kind in _PARSERS:
        try:
            return _read(kind, text, file, is_replaced)
        except UnicodeEncodeError:  # half of a character, which libyaml cannot take at all
            continue
        except yaml.MarkedYAMLError as error:
            if kind is not _PARSERS[-1] and (error.problem_mark is None or error.problem_mark.index < MAX_READ_TWICE):
                continue
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            Mark(file, line, "/").refuse(f"not YAML: {error.problem or error.context}{_hint(error)}")
        except yaml.reader.ReaderError as error:
            if kind is not _PARSERS[-1]:
                continue
            line, sign = text.count("\n", 0, error.position) + 1, ord(text[error.position])
            Mark(file, line, "/").refuse(f"not YAML: the character U+{sign:04X} may not stand here")
    raise AssertionError(file)


def _read(kind: Any, text: str, file: str, is_replaced: bool) -> YamlNode:
    parser = kind(text)
    try:
        root = _Nodes(parser, file, is_replaced).whole()
    finally:
        parser.dispose()
    if root is None:
        Mark(file, 1, "/").refuse("the file is empty")
    return root
