"""Random small programs that write down what they do, and what was seen when they ran.

Every value is a `V` with the number of the binding that made it, and every step is a call with a
number of its own, so that what happened can be joined with the nodes of the program.
"""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

NAMES = ("a", "b")
LONGEST = 60  # steps in one run


class Stop(BaseException):
    """The run has taken enough steps."""


class Failure(Exception):
    def __init__(self, number: int = 0) -> None:
        self.number = number


class V:
    def __init__(self, number: int) -> None:
        self.number = number

    def __add__(self, other: V) -> V:
        return other


class Thing:
    x: V


@dataclass
class Run:
    """What one run did: `(what, number, detail)`; what is p, r, c, x or log."""

    events: list[tuple[str, int, Any]] = field(default_factory=list)
    returned: bool = False
    turns: int = 0


class _Writer:
    def __init__(self, seed: int, depth: int) -> None:
        self.top = depth
        self.chance = random.Random(seed)
        self.count = 0
        self.functions = 0
        self.inner = False

    def number(self) -> int:
        self.count += 1
        return self.count

    def pick(self, *options: Any) -> Any:
        return self.chance.choice(options)

    def name(self) -> str:
        return self.pick(*NAMES)

    def target(self) -> str:
        """Return something to set: an attribute only in the outermost code."""
        return self.pick(*NAMES, *([] if self.inner else ["o.x", "q.x"]))

    def read(self) -> str:
        k = self.number()
        name = self.pick(*NAMES, *([] if self.inner else ["o.x"]))
        return f"r({k}, p({k}), {name})"

    def expression(self, depth: int = 2) -> str:
        if depth == 0:
            return self.pick(self.read(), f"x({self.number()})", f"log({self.number()})")
        kind = self.pick("leaf", "leaf", "leaf", "and", "or", "if", "walrus", "list", "gen", "args")
        if kind == "leaf":
            return self.expression(0)
        if kind in ("and", "or"):
            return f"({self.test(depth - 1)} {kind} {self.expression(depth - 1)})"
        if kind == "if":
            first, second = self.expression(depth - 1), self.expression(depth - 1)
            return f"({first} if {self.test(depth - 1)} else {second})"
        if kind == "walrus":
            return f"({self.name()} := V({self.number()}))"
        if kind == "list":
            k = self.number()
            test = f" if {self.test(0)}" if self.pick(True, False) else ""
            return f"[{self.expression(depth - 1)} for i in it({k}){test}]"
        if kind == "gen":
            outer, self.inner = self.inner, True
            item, self.inner = self.expression(0), outer
            return f"list({item} for i in it({self.number()}))"
        return f"log({self.number()}, {self.expression(depth - 1)}, {self.expression(depth - 1)})"

    def test(self, depth: int = 1) -> str:
        kind = self.pick("leaf", "leaf", "not", "and", "or") if depth else "leaf"
        if kind == "leaf":
            return f"c({self.number()})"
        if kind == "not":
            return f"(not {self.test(depth - 1)})"
        return f"({self.test(depth - 1)} {kind} {self.test(depth - 1)})"

    def block(self, depth: int, loop: bool, function: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(self.chance.randint(1, 3)):
            lines += self.statement(depth, loop, function)
        return ["    " + line for line in lines]

    def statement(self, depth: int, loop: bool, function: bool) -> list[str]:
        simple = ["expr", "read", "assign", "two"] * 4 + ["augment", "del", "assert"]
        jumps = [
            "raise",
            *(["break", "continue"] if loop else []),
            *(["return"] if function else []),
        ]
        nested = ["if", "while", "for", "try", "try", "finally", "with", "match", "def", "class"]
        is_top = depth == self.top  # a jump there would be the end of most programs
        kind = self.pick(*simple, *([] if is_top else jumps), *(nested * 2 if depth else []))
        return getattr(self, f"on_{kind}")(depth - 1, loop, function)

    def on_expr(self, *_: Any) -> list[str]:
        return [self.expression()]

    def on_read(self, *_: Any) -> list[str]:
        return [self.read()]

    def on_assign(self, *_: Any) -> list[str]:
        before = f"log({self.number()}), " if self.pick(True, False, False) else ""
        if before:
            return [f"_, {self.target()} = {before}V({self.number()})"]
        if self.pick(True, False, False):
            return [f"{self.target()} = {self.expression()} and V({self.number()})"]
        return [f"{self.target()} = V({self.number()})"]

    def on_two(self, *_: Any) -> list[str]:
        return [f"{self.target()} = V({self.number()}); {self.expression(1)}"]

    def on_augment(self, *_: Any) -> list[str]:
        return [f"{self.target()} += V({self.number()})"]

    def on_del(self, *_: Any) -> list[str]:
        return [f"del {self.target()}"]

    def on_assert(self, *_: Any) -> list[str]:
        return [f"assert {self.test()}, {self.expression(0)}"]

    def on_break(self, *_: Any) -> list[str]:
        return ["break"]

    def on_continue(self, *_: Any) -> list[str]:
        return ["continue"]

    def on_return(self, *_: Any) -> list[str]:
        return [f"return {self.expression(1)}"]

    def on_raise(self, *_: Any) -> list[str]:
        return [f"raise Failure({self.number()})"]

    def on_if(self, *where: Any) -> list[str]:
        lines = [f"if {self.test()}:", *self.block(*where)]
        if self.pick(True, False):
            lines += [f"elif {self.test()}:", *self.block(*where)]
        return lines + (["else:", *self.block(*where)] if self.pick(True, False) else [])

    def on_while(self, depth: int, loop: bool, function: bool) -> list[str]:
        test = self.pick(self.test(), self.test(), "True")
        lines = [f"while {test}:", "    tick()", *self.block(depth, True, function)]
        return lines + self.orelse(depth, loop, function)

    def on_for(self, depth: int, loop: bool, function: bool) -> list[str]:
        head = f"for {self.target()} in it({self.number()}):"
        return [head, *self.block(depth, True, function), *self.orelse(depth, loop, function)]

    def orelse(self, *where: Any) -> list[str]:
        return ["else:", *self.block(*where)] if self.pick(True, False) else []

    def on_try(self, *where: Any) -> list[str]:
        lines = ["try:", *self.block(*where)]
        for _ in range(self.pick(1, 1, 2)):
            kind = self.pick("except Failure as {}:", "except NameError:", "except Exception:")
            lines += [kind.format(self.name()), *self.block(*where)]
        if self.pick(True, False, False):
            lines += ["except:", *self.block(*where)]
        lines += self.orelse(*where)
        return lines + (["finally:", *self.block(*where)] if self.pick(True, False) else [])

    def on_finally(self, *where: Any) -> list[str]:
        return ["try:", *self.block(*where), "finally:", *self.block(*where)]

    def on_with(self, *where: Any) -> list[str]:
        if self.pick(True, False):
            return ["with suppress(Failure):", *self.block(*where)]
        second = f", cm({self.number()})" if self.pick(True, False) else ""
        return [f"with cm({self.number()}) as {self.target()}{second}:", *self.block(*where)]

    def on_match(self, *where: Any) -> list[str]:
        k, name = self.number(), self.name()
        guard = f" if {self.test()}" if self.pick(True, False) else ""
        lines = [f"match subject({k}):", f"    case [{name}] | (_, {name}){guard}:"]
        lines += ["    " + line for line in self.block(*where)]
        if self.pick(True, False):
            lines += [f"    case {self.pick(self.name(), '_')}:"]
            lines += ["    " + line for line in self.block(*where)]
        return lines

    def on_def(self, depth: int, loop: bool, function: bool) -> list[str]:
        self.functions += 1
        name = f"f{self.functions}"
        declared = self.pick("", "", "outer {}")
        lines = [f"def {name}():"]
        if declared:
            lines.append("    " + declared.format(self.name()))
        outer, self.inner = self.inner, True
        body = self.block(0, False, True)
        self.inner = outer
        calls = [f"{name}()"] if self.pick(True, True, False) else []
        return [*lines, *body, f"keep({name})", *calls]

    def on_class(self, depth: int, loop: bool, function: bool) -> list[str]:
        return ["class C:", *self.block(0, False, False)]


def program(seed: int, depth: int) -> str:
    """Return the text of a program; `main()` runs it, or it is all module code."""
    writer = _Writer(seed, depth)
    in_function = writer.pick(True, False)
    begin = [*NAMES, "o.x"][: writer.pick(0, 3, 3, 3)]  # most reads find something
    lines = [f"    {name} = V({writer.number()})" for name in begin]
    lines += writer.block(depth, False, in_function) + writer.block(depth, False, in_function)
    lines += [f"    {writer.read()}" for _ in range(2)]
    parameter = writer.pick("", "a")
    if in_function:
        text = "\n".join([f"def main({parameter}):", *lines])
        return text.replace("outer ", "nonlocal ")
    return "\n".join(line[4:] for line in lines).replace("outer ", "global ")


# The numbers come from hypothesis, the program from the numbers: drawing each part is slow.
programs = st.builds(program, st.integers(0, 2**32), st.integers(0, 2))


def run(text: str, seed: int) -> Run | None:
    """Run a program, with its choices made by a seed; None if Python does not take it."""
    try:
        code = compile(text, "<program>", "exec")
    except SyntaxError:  # `nonlocal a` where the function has none
        return None
    chance = random.Random(seed)
    done = Run()
    kept: list[Any] = []

    def note(what: str, number: int, detail: Any = None) -> None:
        done.events.append((what, number, detail))
        if len(done.events) > LONGEST:
            raise Stop

    def tick() -> None:
        """Begin a turn of a loop; nothing in the loop can keep it from ending."""
        done.turns += 1
        if done.turns > LONGEST or len(done.events) > LONGEST:
            raise Stop

    def c(number: int) -> bool:
        outcome = chance.random() < 0.6
        note("c", number, outcome)
        return outcome

    def x(number: int) -> None:
        if chance.random() < 0.1:
            raise Failure(number)
        note("x", number)

    def log(number: int, *_: Any) -> bool:
        note("log", number)
        return True

    def p(number: int) -> None:
        note("p", number)

    def r(number: int, _: Any, value: Any) -> Any:
        note("r", number, value)
        return value

    def it(number: int) -> Any:
        for _ in range(chance.randrange(3)):
            yield V(number)
        if chance.random() < 0.1:
            raise Failure(number)

    class cm:
        def __init__(self, number: int) -> None:
            self.number = number

        def __enter__(self) -> V:
            if chance.random() < 0.1:
                raise Failure(self.number)
            return V(self.number)

        def __exit__(self, *_: Any) -> bool:
            return False

    def subject(number: int) -> Any:
        value = V(number)
        return chance.choice([[value], (None, value), value])

    def keep(function: Any) -> None:
        kept.append(function)
        if chance.random() < 0.3:
            chance.choice(kept)()

    space: dict[str, Any] = {
        "c": c,
        "x": x,
        "log": log,
        "p": p,
        "r": r,
        "it": it,
        "cm": cm,
        "subject": subject,
        "keep": keep,
        "suppress": suppress,
        "V": V,
        "Failure": Failure,
    }
    space["o"] = space["q"] = Thing()
    try:
        exec(code, space)
        if "main" in space and text.startswith("def main("):
            space["main"](*([V(0)] if "main(a)" in text else []))
        done.returned = True
    except (Exception, Stop):
        pass
    return done
