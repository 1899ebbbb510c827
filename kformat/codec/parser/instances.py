"""Instances: computed, or read from somewhere else, when they are first asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kformat.codec.expressions import attribute, remembered, said_word, source
from kformat.codec.instance_costs import is_shallow, may_grow
from kformat.codec.parser.function import GeneratedParser, ParserFunction
from kformat.codec.parser.sequence import emit_check, emit_steps
from kformat.codec.values import CONTENT, PLACE, enum_values
from kformat.language.expression import Expression
from kformat.language.following import asked_of_stream, depends_on_asking
from kformat.language.node import replaced
from kformat.language.program import MAX_NESTING, Instance
from kformat.language.steps import leaves_bits, nodes_of
from kformat.language.types import ListOf


def instance(out: ParserFunction, instance: Instance) -> GeneratedParser:
    """The ``__get__`` of a descriptor, which reads an instance that is not set yet, and sets it::

        def read(n, v, o=None):
            if v is None:
                return n
            r = stream_(v, io_, None)
            ...
            try:
                if not v.has_index:
                    return None
                ...
            except error_ as e:
                raise failed_(e, r, v, p, k1) from None

    One that is computed is kept, too, until something is edited (`State.forget`); what streams and growing lists
    answered stays said. One that follows from the value's own fields alone is always the same (`is_shallow`), and is
    computed again instead.
    """
    name = instance.field.name
    out.is_instance = True
    out.text.append("def read(n, v, o=None):")
    with out.block("if v is None:"):
        out.put("return n")
    out.at = (name, None)
    out.words = {"_": attribute("v", name, out.space), **out.written_out(name)}
    out.root, out.order = "v._root", "v._order"
    is_parsed, is_counted = instance.value is None, not is_shallow(out.program, instance)
    if is_parsed or is_counted:
        out.put("r = stream_(v, io_, None)")
    if is_parsed and not out.traced:
        with out.block("if r is not None and r.observer is not None:"):
            out.put(f"return traced_(v, {out.const(name)})")
    if is_counted:
        out.put("s0 = alone_ if r is None else r.state; s0.depth += 1")
        with out.block(f"if s0.depth > {MAX_NESTING}:"):
            out.put(f"raise too_deep_(v, {out.const(name)}, s0)")
    remembers, asks_absent = False, not is_parsed and is_counted and name in out.program.asks_absent
    if not is_parsed:
        changed = remembering(out, instance)
        remembers, instance = changed is not instance or asks_absent, changed
    if is_parsed:
        out.put("p = 0 if r is None else r.position; r0 = o4 = None")
    if asks_absent:
        out.put("o5 = s0.asking; s0.asking = A; o6 = hidden_(A) if A else None")
    with out.block("try:"):
        asks_where = is_parsed and any(map(asked_of_stream, nodes_of((instance.condition, instance.position))))
        if asks_where:
            out.put(f"A = said_of_(v, {out.const(name)}).get({out.const(PLACE)})")
        if instance.condition is not None:
            text = source(instance.condition, out.space, out.words)
            with out.block(f"if {'A is None and ' * asks_where}not {text}:"):
                if is_counted:
                    out.put(f"absent_(v, {out.const(name)}, s0)")
                if asks_absent:  # null is not kept, but what follows from it is: with what streams answered then
                    with out.block("if o5 is not None:"):
                        out.put(f"o5[id_(v), {out.const(name)}] = v, A")
                out.put("return None")
        if instance.value is not None:
            compute(out, instance, is_counted, remembers)
        else:
            read(out, instance, asks_where)
    where = "r, v, p" if is_parsed else "None, v, 0"
    with out.block("except error_ as e:"):
        out.put(f"raise failed_(e, {where}, {out.const(name)}) from None")
    if is_parsed or is_counted:
        with out.block("finally:"):
            if is_parsed:
                with out.block("if r0 is not None:"):
                    out.put("r0.position = o1; r0.bits = r0.bits_left = 0")
            if is_parsed and out.traced:
                with out.block("if o4 is not None:"):
                    out.put("o4.returned()")
            if asks_absent:
                out.put("s0.asking = o5")
                with out.block("if o6:"):
                    out.put("shown_(o6)")
            if is_counted:
                out.put("s0.depth -= 1")
                with out.block("if s0.is_untidy and not s0.depth:"):
                    out.put("s0.tidy()")
    return out.finished()


def remembering(out: ParserFunction, instance: Instance) -> Instance:
    """A value instance that asks no stream twice: the answers are in ``A``, and how many elements lists had.

    ::

        A = None if s0.is_calm else said_of_(v, k1)
        x = (A[0] if 0 in A else A.setdefault(0, v._io.pos)) + 4
    """
    name, asked = instance.field.name, list[Expression]()

    def moved(node: Expression) -> Expression:
        return remembered(node, asked, lambda inner: may_grow(inner, out.program))

    changed = replaced(
        instance,
        condition=None if instance.condition is None else moved(instance.condition),
        value=None if instance.value is None else moved(instance.value),
        checks=tuple(
            check if check.rule is None else replaced(check, rule=moved(check.rule)) for check in instance.checks
        ),
    )
    asks_absent = name in out.program.asks_absent
    if not asked and not asks_absent:
        return instance
    is_calm = "" if asks_absent or any(map(asked_of_stream, asked)) else "None if s0.is_calm else "
    then = f"(s0.asking or {{}}).get((id_(v), {out.const(name)}), none_)[1] or " if asks_absent else ""
    out.put(f"A = {is_calm}{then}said_of_(v, {out.const(name)})")
    if not asked:
        return instance
    for number, node in enumerate(asked):
        text = source(node, out.space, out.words)
        if isinstance(node.type, ListOf):
            text = f"({text} if s0.is_calm else as_said_(A, {number}, s0, {text}))"
        else:
            text = f"(A[{number}] if {number} in A else A.setdefault({number}, {text}))"
        out.words[said_word(number)] = text
    out.asks = not_taken(out, asked, (instance.condition, instance.value))
    return changed


def not_taken(out: ParserFunction, asked: Sequence[Expression], nodes: Any) -> str:
    """The line that asks also for what is in branches not taken when an instance was computed: an edited value may take
    them. As far as no instance is read for that::

        if A is not None and len_(A) < 2: ask_(A, s0, ((0, lambda: v._io.pos), (1, lambda: v._io.size),))
    """
    if len(asked) < 2 or not any(node.op in ("if", "and", "or") for node in nodes_of(nodes)):
        return ""
    asks = []
    for number, node in enumerate(asked):
        inner = node.arguments[0] if node.op == "method" else node
        words = inner.value if inner.op == "name" else ("",)
        around = words[:-2] if words[-2:-1] == ("_io",) else words[:-1]
        if words[0] in out.instances or not {"_parent", "_root"}.issuperset(around[1:]) or not words[0]:
            continue
        text = source(node, out.space, out.words)
        asks.append(f"({number}, lambda: {text})")
    return f"if A is not None and len_(A) < {len(asked)}: ask_(A, s0, ({', '.join(asks)},))" if asks else ""


def compute(out: ParserFunction, instance: Instance, is_counted: bool, remembers: bool) -> None:
    """A value instance.

    ::

        x = v.length + 4
        d = v.__dict__; d[k1] = x; c = s0.computed; c += d, k1
        return x
    """
    name = instance.field.name
    assert instance.value is not None
    out.put(f"x = {source(instance.value, out.space, out.words)}")
    value = f"{out.const(enum_values(instance.enum))}.get(x, x)" if instance.enum is not None else "x"
    if value != "x":
        out.put(f"x = {value}")
    if remembers and out.asks:
        out.put(out.asks)
    if is_counted:
        key = out.const(name)
        out.put(f"d = v.__dict__; d[{key}] = x; c = s0.computed; c += d, {key}")
        if remembers:
            with out.block("if A and r is not None:"):
                out.put(f"keep_said_(v, {key}, A)")
    if instance.checks:
        out.put("r = stream_(v, io_, None); p = s = 0 if r is None else r.position")
    for check in instance.checks:
        emit_check(out, check, "s")
    out.put("return x")


def read(out: ParserFunction, instance: Instance, asks_where: bool) -> None:
    """An instance that is read from bytes, at a position if it has one.

    ::

        o1 = p = r.position
        o2 = v.index_offset
        r0 = r; r.bits = r.bits_left = 0
        r.position = r.base + o2
        ...
        return v.index
    """
    if instance.stream is not None:
        out.put(f"r = {source(instance.stream, out.space, out.words)}")
    out.put("o1 = p = r.position")
    if instance.position is not None:
        out.put(f"o2 = {'A if A is not None else ' * asks_where}{source(instance.position, out.space, out.words)}")
        out.put("r0 = r; r.bits = r.bits_left = 0")
        with out.block("if o2 < 0:"):
            out.put("raise negative_(r, o2, p, position_)")
        out.put("r.position = r.base + o2")
    if out.traced:
        out.put(f"r.observer.instance(v, {out.const(instance.field.name)}, r); o4 = r.observer")
    out.reload()
    out.put("o3 = p; r3 = r")
    emit_steps(out, instance.steps)
    if instance.position is not None and leaves_bits(instance.steps):
        out.keep_bits(f"({out.const(instance.field.name)}, {out.const('after')})")
    out.put("r.position = p; st = r3.state")
    out.put("st.reread += p - o3 if p > o3 + 16 else 16")  # each takes time, however few its bytes
    with out.block("if st.recording or st.reread > st.most_reread:"):
        out.put("r3.has_reread(o3, p)")
    if instance.position is not None:
        name, said = instance.field.name, f"{out.const(PLACE)}: o2" if asks_where else ""
        if depends_on_asking(instance):
            said += f", {out.const(CONTENT)}: plain_({attribute('v', name, out.space)})"
        if said:
            out.put(f"keep_said_(v, {out.const(name)}, {{{said.removeprefix(', ')}}})")
    out.put("return " + attribute("v", instance.field.name, out.space))
