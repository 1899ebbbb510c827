"""Expression -> Python, for numba: nothing overflows, and what may fail leaves the kernel before it does."""

from __future__ import annotations

import keyword

from kformat.integers import MAX_INT64, MIN_INT64
from kformat.kernels.source import Emitter, KernelError, KernelScope
from kformat.language.expression import Boolean, Expression
from kformat.language.inlined import for_kernels
from kformat.language.node import replaced
from kformat.language.program import Check
from kformat.language.types import Bytes, Text


def value_of(out: Emitter, node: Expression, scope: KernelScope, name: str) -> str:
    """``(v1_length + 4)``, of a field's expression; puts the lines that it needs first."""
    expressions = _Expressions(out, scope, name)
    if scope.program is not None:
        kernel_node = for_kernels(node, scope.program)
        if kernel_node is None:
            raise expressions.refuse(node)
        node = kernel_node
    return expressions.text(node)


def emit_check(out: Emitter, step: Check, scope: KernelScope, data: str = "data") -> None:
    """A rule.

    ::

        if not (v1_length > 0):
            return leave_decode_record(...)
    """
    if step.rule is not None:
        wrong = f"not {value_of(out, step.rule, scope, step.name)}"
    elif all(isinstance(number, int) for number in step.allowed):
        variable = scope.variables.get((step.name,))
        if variable is None:
            raise out.refuse(scope, step, "a rule on numbers that may be something else")
        same = [f"{variable} == {_literal(number)}" for number in step.allowed]
        wrong = f"not ({' or '.join(same) or False})"
    elif step.name not in scope.bytes:
        raise out.refuse(scope, step, "a rule on bytes that may be something else")
    else:
        if scope.prefix + step.name in out.texts:
            raise out.refuse(scope, step, "a rule on text that has several forms")
        same = [out.is_text(scope.bytes[step.name], value, data) for value in step.allowed]
        wrong = f"not ({' or '.join(test for test in same if test) or False})"
    with out.block(f"if {wrong}:"):
        out.put(out.fail(scope, step.name, f"a value that is not allowed; expected {step.expected}"))


def _is_large(node: Expression) -> bool:
    """Whether a node may exceed an int64, so that its variable holds the bits of an unsigned number."""
    return node.high > MAX_INT64


class _Expressions:
    """The expressions of one field."""

    def __init__(self, out: Emitter, scope: KernelScope, name: str) -> None:
        self.out, self.scope, self.name = out, scope, name

    def fails(self, condition: str, problem: str) -> None:
        with self.out.block(f"if {condition}:"):
            self.out.put(self.out.fail(self.scope, self.name, problem))

    def named(self, text: str) -> str:
        """A variable for an expression that is used more than once."""
        if text.isidentifier() and not keyword.iskeyword(text):
            return text
        variable = self.out.variable("")
        self.out.put(f"{variable} = {text}")
        return variable

    def text(self, node: Expression) -> str:
        match node.op:
            case "constant":
                return _literal(node.value)
            case "name":
                tests = self.absences(node)
                own = (self.absence(node) if isinstance(node.type, Boolean) else None) or ""
                for test in tests:
                    if test != own:
                        self.fails(f"not {test}", "a field that is absent")
                variable = self.variable_of(node)
                return f"({own} and {variable})" if own else variable
            case "method":  # .to_i of an enum's integer
                return self.text(node.arguments[0])
            case "not":
                return f"(not {self.text(node.arguments[0])})"
            case "and" | "or":
                return self.both(node)
            case "if":
                return self.choice(node)
            case "<" | "<=" | ">" | ">=" | "==" | "!=":
                return self.comparison(node)
        return self.arithmetic(node)

    def resolved(self, node: Expression) -> tuple[KernelScope | None, tuple[str, ...]]:
        """The scope that has a name, and its path there; None: it is around the rows."""
        scope, path = self.scope, node.value
        if path[0] == "_root":
            around: KernelScope | None = scope
            while around is not None and not around.is_foreign:
                around = around.parent
            return (None, path) if around is None else (scope, path)
        while path[0] == "_parent" and not scope.is_foreign:
            if scope.parent is None:
                return None, path
            scope, path = scope.parent, path[1:]
        return scope, path

    def refuse(self, node: Expression) -> KernelError:
        return KernelError(f"{self.scope.path}.{self.name}: the expression {node}")

    def variable_of(self, node: Expression) -> str:
        scope, path = self.resolved(node)
        if scope is None:
            return self.out.around(path)
        variable = scope.variables.get(path)
        if variable is None:
            raise self.refuse(node)
        return f"({variable} != 0)" if isinstance(node.type, Boolean) else variable

    def absences(self, node: Expression) -> list[str]:
        """The variables that say whether a name's fields are present; without those that always are."""
        scope, path = self.resolved(node)
        if scope is None:
            return []
        tests = (scope.absent.get(path[:length]) for length in range(1, len(path) + 1))
        return [test for test in tests if test is not None]

    def absence(self, node: Expression) -> str | None:
        """The variable that says whether a name itself is present."""
        scope, path = self.resolved(node) if node.op == "name" else (None, ())
        return None if scope is None else scope.absent.get(path)

    def may_fail(self, node: Expression) -> bool:
        if node.overflow == "error" or node.op == "if" or (node.op == "name" and self.absences(node)):
            return True
        return any(map(self.may_fail, node.arguments))

    def both(self, node: Expression) -> str:
        left, right = node.arguments
        if not self.may_fail(right):
            return f"({self.text(left)} {node.op} {self.text(right)})"
        result = self.out.variable("")
        self.out.put(f"{result} = {self.text(left)}")
        with self.out.block(f"if {result}:" if node.op == "and" else f"if not {result}:"):
            self.out.put(f"{result} = {self.text(right)}")
        return result

    def choice(self, node: Expression) -> str:
        condition, yes, no = node.arguments
        result = self.out.variable("")
        with self.out.block(f"if {self.text(condition)}:"):
            self.out.put(f"{result} = {self.text(yes)}")
            if node.overflow == "error" and _is_large(yes):
                self.fails(f"{result} < 0", "a result outside of 64 bits")
        with self.out.block("else:"):
            self.out.put(f"{result} = {self.text(no)}")
            if node.overflow == "error" and _is_large(no):
                self.fails(f"{result} < 0", "a result outside of 64 bits")
        return result

    def bytes_comparison(self, node: Expression) -> str:
        """Bytes or text, of a field, and a constant."""
        named, known = node.arguments if node.arguments[1].is_constant else reversed(node.arguments)
        place = self.scope.bytes.get(named.value[0])
        if place is None or self.scope.prefix + named.value[0] in self.out.texts:
            raise self.refuse(node)
        tests = [self.scope.absent.get(named.value, ""), self.out.is_text(place, known.value) or "False"]
        same = " and ".join(test for test in tests if test)
        return f"({same})" if node.op == "==" else f"(not ({same}))"

    def comparison(self, node: Expression) -> str:
        if isinstance(node.arguments[0].type, Text | Bytes):
            return self.bytes_comparison(node)
        tests = [self.absence(part) for part in node.arguments]
        if node.op not in ("==", "!=") or tests == [None, None]:
            return self.compared(node, self.text(node.arguments[0]), self.text(node.arguments[1]))
        texts = []
        for part, test in zip(node.arguments, tests, strict=True):  # null equals null alone
            for owner in self.absences(part) if test is not None else ():
                if owner != test:
                    self.fails(f"not {owner}", "a field that is absent")
            texts.append(self.text(part) if test is None else self.variable_of(part))
        same = self.compared(replaced(node, op="=="), *texts)
        if None in tests:
            same = f"({tests[0] or tests[1]} and {same})"
        else:
            same = f"({tests[0]} == {tests[1]} and (not {tests[0]} or {same}))"
        return same if node.op == "==" else f"(not {same})"

    def compared(self, node: Expression, left_text: str, right_text: str) -> str:
        left, right = node.arguments
        if not (_is_large(left) or _is_large(right)):
            return f"({left_text} {node.op} {right_text})"
        signs, turned = f"{_is_large(left)}, {_is_large(right)}", f"{_is_large(right)}, {_is_large(left)}"
        match node.op:
            case "<":
                return f"below({left_text}, {right_text}, {signs})"
            case ">=":
                return f"(not below({left_text}, {right_text}, {signs}))"
            case ">":
                return f"below({right_text}, {left_text}, {turned})"
            case "<=":
                return f"(not below({right_text}, {left_text}, {turned}))"
        left_text, right_text = self.named(left_text), self.named(right_text)
        same = (
            f"({left_text} == {right_text})"
            if _is_large(left) == _is_large(right)
            else f"({left_text} == {right_text} and {left_text} >= 0)"
        )
        return same if node.op == "==" else f"(not {same})"

    def arithmetic(self, node: Expression) -> str:
        operands, op = [self.named(self.text(argument)) for argument in node.arguments], node.op
        large = [_is_large(argument) for argument in node.arguments]
        if any(large) and not (op == "&" and min(argument.high for argument in node.arguments) <= MAX_INT64):
            raise KernelError(
                f"{self.scope.path}.{self.name}: {node}: arithmetic on numbers that may be above 2^63 - 1"
            )
        if op == "&" and any(large) and any(argument.low < 0 for argument in node.arguments):
            raise KernelError(
                f"{self.scope.path}.{self.name}: {node}: a negative number together with one above 2^63 - 1"
            )
        if op in ("neg", "inv"):
            if op == "neg" and node.overflow == "error":
                self.fails(f"{operands[0]} == MIN_INT64", "a result outside of 64 bits")
            return f"({'-' if op == 'neg' else '~'}{operands[0]})"
        left, right = operands
        if node.overflow == "never":
            if op == "%" and node.arguments[1].low <= -1 <= node.arguments[1].high:
                return _remainder(left, right)
            return f"({left} {'//' if op == '/' else op} {right})"
        match op:
            case "/":
                self.fails(f"{right} == 0 or ({left} == MIN_INT64 and {right} == -1)", "a result outside of 64 bits")
                return f"({left} // {right})"
            case "%":
                self.fails(f"{right} == 0", "division by zero")
                return _remainder(left, right)
            case "<<" | ">>":
                self.fails(f"{right} < 0 or {right} > 63", "a shift by less than 0 or more than 63")
                if op == ">>":
                    return f"({left} >> {right})"
                result = self.named(f"{left} << {right}")
                self.fails(f"{result} >> {right} != {left}", "a result outside of 64 bits")
                return result
            case "+" | "-" | "*":
                test = {"+": "sum_overflows", "-": "difference_overflows", "*": "product_overflows"}[op]
                self.fails(f"{test}({left}, {right})", "a result outside of 64 bits")
                return f"({left} {op} {right})"
        raise AssertionError(node)


def _remainder(left: str, right: str) -> str:
    """Handle -1 separately: the CPU's division of the lowest number by -1 overflows and kills the process."""
    return f"(np.int64(0) if {right} == -1 else {left} % {right})"


def _literal(value: int | bool) -> str:
    if isinstance(value, bool):
        return str(value)
    bits = value - 2**64 if value > MAX_INT64 else value
    return "MIN_INT64" if bits == MIN_INT64 else str(bits)
