"""The statements of a constructor that open its handles, as a method that another process calls.

A backward slice over the statements of the constructor: what sets the handles, what makes the live local
values that those read, what configures a handle or moves its position on the way. All that the slice
reads besides is evaluated where it was, and kept. The constructor goes on as before.
"""

from __future__ import annotations

import ast
import builtins
import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from dlfix.fixing.classes.facts import Method, is_self_attribute, self_name
from dlfix.fixing.classes.handles import Refusal
from dlfix.fixing.classes.inputs import COPIES, argument_of, is_mutated
from dlfix.fixing.classes.kept_locals import is_new_list
from dlfix.fixing.classes.parent_close import REGISTERS
from dlfix.fixing.classes.plans import Exchange, Insert
from dlfix.fixing.classes.selection import Selection, is_stored
from dlfix.fixing.classes.statements import is_plain, is_value
from dlfix.fixing.classes.text import (
    bound_within,
    comments_of,
    indented,
    names_in,
    negated,
    stored_in,
)
from dlfix.project.order import begins_before, comes_before, lies_in
from dlfix.project.syntax import LOG_METHODS, defaults, last_name, parameters

INDENT = "    "
LOOPS = (ast.For, ast.While, ast.comprehension)


class Slice(Selection):
    """Writes the slice of one method that opens some handles."""

    calling: tuple[Method, ...] = ()  # the methods of which this is a part, called by each other

    def body(self) -> str:
        """Return the statements that open the handles; raise Refusal where there is no such slice."""
        self._refuse_returning()
        for each in ast.walk(self.method):
            if isinstance(each, ast.stmt) and self._binds_needed(each):
                self.moved.gone.add(each)
        lines: list[str] = []
        for statement in self.method.body:
            kept = len(self.inserts)
            written = self._written(statement)
            if written:
                self.statements.append(statement)
            if kept != len(self.inserts) or not _sets_again(lines, written):
                lines += written
        self._refuse_binding_again()
        lines = [*self._as_passed(lines), *lines]
        self._refuse_modified("\n".join(lines))
        imports = self.saves.get(f"import {self.first}", [])
        return "\n".join([*imports, *lines, *map(self._sought, sorted(self.asked))])

    def _as_passed(self, lines: Sequence[str]) -> list[str]:
        """Return what gives the parameters that the slice asks and then sets what they were passed, which is kept."""
        written = ast.parse("\n".join(lines)).body
        asked = [
            name
            for name in parameters(self.method)[1:]
            if name in self.needed and not self.calling and _is_asked_first(name, written)
        ]
        first = self.module.span(self._first_statement())
        given: list[str] = []
        for name in asked:
            kept = self._free_attribute(f"_{name.strip('_')}")
            self.moved.kept[kept] = kept
            self.inserts.insert(0, Insert(first, f"{self.me}.{kept} = {name}", before=True))
            given.append(f"{name} = {self.me}.{kept}")
        return given

    def is_all_of(self, method: Method) -> bool:
        """Return whether the slice is a method whole, which needs no arguments and keeps no values."""
        first = 1 if ast.get_docstring(method) is not None else 0
        needs = [*method.args.posonlyargs, *method.args.args, *method.args.kwonlyargs][1:]
        return (
            self.whole and not needs and not self.inserts
            and self.statements == method.body[first:]
        )  # fmt: skip

    # -- positions

    @cached_property
    def asked(self) -> frozenset[str]:
        """The streams whose position is kept."""
        return frozenset(self._asked_where_they_stand())

    def _asked_where_they_stand(self) -> Iterator[str]:
        """Yield the streams that the constructor reads in loops, and that say where they stand then."""
        for name, handle in self.handles.items():
            moves = [each for each in self._moves_of(name) if self._counts(each)]
            looped = any(isinstance(e, LOOPS) for each in moves for e in self._around(each))
            tells = {"tell", "seek"} <= {*handle.position} and all(map(_is_method, moves))
            if looped and tells and not self._is_gone_through(name):
                yield name

    def _moves_of(self, name: str) -> Iterator[ast.Call]:
        for call in ast.walk(self.method):
            if isinstance(call, ast.Call) and self._moves(call):
                receiver = call.func.value if isinstance(call.func, ast.Attribute) else call.args[0]
                if self._handle_of(receiver) is self.handles[name]:
                    yield call

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        return itertools.takewhile(lambda e: e is not self.method, self.module.ancestors(node))

    def _is_kept(self, call: ast.Call) -> bool:
        """Return whether a call only moves a stream whose position is kept."""
        return any(call in self._moves_of(name) for name in self.asked)

    def _is_gone_through(self, name: str) -> bool:
        """Return whether other code than its methods reads a stream: it cannot tell its position then."""
        return any(
            self._is_handle(node, self.needed)
            and self._handle_of(node) is self.handles[name]
            and isinstance(getattr(node, "ctx", None), ast.Load)
            and not isinstance(self.module.parent(node), ast.Attribute)
            for node in ast.walk(self.method)
        )

    def _sought(self, name: str) -> str:
        """Return the statement that seeks where the constructor left a stream, and keep where that was."""
        kept = self._free_attribute(f"_{name.strip('_')}_position")
        self.moved.kept[kept] = kept
        moves = list(self._moves_of(name))
        last = next(e for e in reversed(self.method.body) if any(lies_in(m, e) for m in moves))
        text = f"{self.me}.{kept} = {self.me}.{name}.tell()"
        self.inserts.append(Insert(self.module.span(last), text))
        self.whole = False
        return f"{self.me}.{name}.seek({self.me}.{kept})"

    def read_instead(self) -> Iterator[Exchange]:
        """Yield what the constructor, where it stays, evaluates to keep it: it reads the kept values."""
        inner = {each for part in self.instead for each in ast.walk(part) if each is not part}
        for part, key in self.instead.items():
            if part not in inner:
                kept = f"{self.me}.{self.moved.kept[key]}"
                yield Exchange(self.module.span(part), kept, "expression")

    def _binds_needed(self, statement: ast.stmt) -> bool:
        if isinstance(statement, ast.For):
            return bool(names_in([statement.target]) & self.needed)
        return self._binds(statement, self.needed)

    # -- which statements the slice takes

    def _written(self, statement: ast.stmt) -> list[str]:
        """Return what the slice takes of a statement."""
        match statement:
            case ast.If():
                return self._written_if(statement)
            case ast.For():
                return self._written_for(statement)
            case ast.Continue() | ast.Break():
                return [self.module.segment(statement)] if self.depth else []
            case ast.Try():
                return self._written_try(statement)
            case ast.With() | ast.AsyncWith() | ast.While() | ast.AsyncFor() | ast.Match():
                if self._takes_inside(statement):
                    where = self.facts.line(statement)
                    raise Refusal(f"the resource is opened inside a compound statement ({where})")
                return []
        return self._written_simple(statement)

    def _written_simple(self, statement: ast.stmt) -> list[str]:
        if self._sets(statement) or self._binds(statement, self.needed):
            self._refuse_other_targets(statement)
            return self._rendered(statement)
        if self._sets_up(statement, self.needed):
            return self._rendered(statement)
        filler = self._filler(statement)
        if filler is not None:
            return self._written_filler(statement, filler)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            if self._is_done_to_handle(statement.value) and not self._is_kept(statement.value):
                return self._rendered(statement)
            if self._helps(statement.value) or self._is_given_to_library(statement.value):
                return self._rendered(statement)
        self._refuse_registered(statement)
        return [
            line for call in self._moving(statement) for line in self._replayed(statement, call)
        ]

    def _refuse_registered(self, statement: ast.stmt) -> None:
        """Refuse to leave out what hands a handle to an object that goes on using it."""
        for call in (each for each in ast.walk(statement) if isinstance(each, ast.Call)):
            if self._is_registered(call):
                where = self.facts.line(call)
                raise Refusal(
                    f"`{ast.unparse(call.func)}` keeps a reference to the resource ({where})"
                )

    def _is_registered(self, call: ast.Call) -> bool:
        given = [*call.args, *(each.value for each in call.keywords)]
        handed = any(self._is_handle(each, self.needed) for each in given)
        named = isinstance(call.func, ast.Attribute) and REGISTERS.match(call.func.attr)
        return handed and bool(named)

    def _is_given_to_library(self, call: ast.Call) -> bool:
        """Return whether a call tells a library of a handle: each process tells it of its own."""
        inputs = self.surroundings.inputs
        of_library = inputs is not None and inputs.is_of_library(self.module, call.func)
        return of_library and self._is_registered(call)

    def _other_targets(self, statement: ast.stmt) -> Iterator[ast.expr]:
        """Yield what else a value is unpacked to: values that are there already."""
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        unpacked = [each for each in targets if isinstance(each, (ast.Tuple, ast.List))]
        for target in (each for one in unpacked for each in one.elts):
            own = is_self_attribute(target, self.me) and target.attr not in self.handles
            named = isinstance(target, ast.Name) and target.id not in self.needed
            if own or named:
                yield target

    def _refuse_other_targets(self, statement: ast.stmt) -> None:
        """Refuse a statement that sets further attributes, which may be others by then."""
        left_out = set(self._other_targets(statement))
        for each in ast.walk(statement):
            if not is_self_attribute(each, self.me) or each.attr in self.handles:
                continue
            if isinstance(each.ctx, ast.Store) and each not in left_out:
                where = self.facts.line(statement)
                raise Refusal(f"the statement also sets other attributes ({where})")

    def _moving(self, statement: ast.stmt) -> list[ast.Call]:
        """Return the calls that move the position of a handle which reading goes on from."""
        calls = [each for each in ast.walk(statement) if isinstance(each, ast.Call)]
        moving = (each for each in calls if self._moves(each) and self._counts(each))
        return [each for each in moving if not self._is_kept(each)]

    def _replayed(self, statement: ast.stmt, call: ast.Call) -> list[str]:
        self.whole = False
        if any(isinstance(each, (ast.comprehension, ast.Lambda)) for each in ast.walk(statement)):
            raise Refusal(f"the read position is moved in a loop ({self.facts.line(call)})")
        self.remade = call
        text = self._text(self.first, call)
        self._keep_above(statement)
        return [text]

    # -- methods that the constructor calls

    def _written_filler(self, statement: ast.stmt, method: Method) -> list[str]:
        """Return the call of a method that only opens handles, or of one that does more the slice of it."""
        call = statement.value  # type: ignore[attr-defined]
        if self._does_no_more(method):
            return self._rendered(statement)
        self.whole = False
        used = names_in(ast.parse(self._slice_of(method).body()).body)
        given = {
            each: self._given(method, call, each) for each in parameters(method)[1:] if each in used
        }
        texts = {name: self._text(self.first, value) for name, value in given.items()}
        self._keep_above(statement)
        inner = self._slice_of(method)
        inner.moved = self.moved
        inner.given = {
            name: text
            for name, text in texts.items()
            if _is_short(given[name]) and not _is_bound_or_in_text(method, name)
        }
        body = inner.body()
        lines = [f"{n} = {text}" for n, text in texts.items() if n not in inner.given]
        stored = stored_in(ast.parse("\n".join([*lines, body])).body)
        if stored & (self.bound_around | self.needed):
            raise Refusal(f"`{method.name}` opens the resource ({self.facts.line(call)})")
        if inner.inserts and len(self.facts.reads.get(method.name, ())) != 1:
            raise Refusal(
                f"the value that opens the resource is created in a method called twice ({self.facts.line(call)})"
            )
        self.inserts += inner.inserts
        self.instead |= inner.instead
        return [*lines, *body.split("\n")]

    def _does_no_more(self, method: Method) -> bool:
        """Return whether a method changes nothing of its object but what holds handles."""
        me = self_name(method)
        return not any(
            is_self_attribute(node, me)
            and node.attr not in self.handles
            and (not isinstance(node.ctx, ast.Load) or is_mutated(self.module, node))
            for name in self.facts.reached([method.name])
            for node in ast.walk(self.facts.methods[name])
        )

    def _slice_of(self, method: Method) -> Slice:
        """Return the slice of a method that the constructor calls: it reads its parameters as they are."""
        if self_name(method) != self.me or method in self.calling:
            raise Refusal(f"`{method.name}` opens the resource ({self.facts.line(method)})")
        inner = Slice(
            self.facts, method, self.handles, self.surroundings, moves_count=self.moves_count
        )
        inner.calling = (*self.calling, method)
        inner.bound_around = {*parameters(method)[1:]}
        return inner

    def _given(self, method: Method, call: ast.Call, name: str) -> ast.expr:
        """Return what a call gives a parameter: a value that is passed, or a constant by default."""
        passed = argument_of(method, call, name)
        default = defaults(method.args).get(name)
        value = passed if passed is not None else default
        if value is None or (passed is None and not isinstance(default, ast.Constant)):
            raise Refusal(f"`{method.name}` opens the resource ({self.facts.line(call)})")
        return value

    # -- compound statements

    def _written_if(self, statement: ast.If) -> list[str]:
        left_out = self._is_not_sent(statement.body)
        if left_out or self._is_not_sent(statement.orelse):
            self.whole = False
            return self._block(statement.orelse if left_out else statement.body)
        before = len(self.inserts)
        body = self._block(statement.body)
        rest = self._block(statement.orelse)
        if not body and not rest:
            return []
        test = self._text(self.first, statement.test)
        self._keep_above(statement)
        self._keep_before_test(statement, before)
        is_chain = len(rest) == 1 and rest[0].startswith("if ")
        if not body and not is_chain:
            return [f"if {negated(test)}:\n" + indented("\n".join(rest), INDENT)]
        text = f"if {test}:\n" + indented("\n".join(body or ["pass"]), INDENT)
        if is_chain:
            return [f"{text}\nel{rest[0]}"]
        return [f"{text}\nelse:\n" + indented("\n".join(rest), INDENT) if rest else text]

    def _is_not_sent(self, block: Sequence[ast.stmt]) -> bool:
        """Return whether what is sent has not run a block."""
        return _fails(block) or (bool(block) and block[0] in self.unsent)

    def _keep_before_test(self, statement: ast.If, since: int) -> None:
        """Keep above a branch what its test reads as well as its blocks."""
        names = names_in([statement.test])
        for index, each in enumerate(self.inserts[since:], since):
            if each.text.rpartition(" = ")[2] in names:
                place = self.module.span(statement)
                self.inserts[index] = replace(each, span=place, before=True)

    def _block(self, block: Sequence[ast.stmt]) -> list[str]:
        lines: list[str] = []
        taken = 0
        for each in block:
            written = self._written(each)
            taken += bool(written)
            lines += written
        if lines and taken < len(block):
            self.whole = False
        return lines

    def _written_for(self, statement: ast.For) -> list[str]:
        moving = any(map(self._moving, statement.body))
        if not self._takes_inside(statement) and (
            self._is_handle(statement.iter, self.needed) or not moving
        ):
            if self._is_handle(statement.iter, self.needed):
                self._refuse_moving(statement)
            return []
        before = self.bound_around
        self.bound_around = before | bound_within(statement)
        inserts, saves = len(self.inserts), len(self.saves.get(self.first, []))
        self.depth += 1
        body = self._block(statement.body)
        self.depth -= 1
        kept = self.inserts[inserts:]
        # What decides in a loop would be asked again: only straight ones keep what they read above them.
        decides = any(isinstance(each, (ast.If, ast.Try)) for each in statement.body)
        within = any(self.module.span(statement).start < each.span.start for each in kept)
        if (kept and (decides or within)) or len(self.saves.get(self.first, [])) != saves:
            raise Refusal(
                f"the value that opens the resource is created in a loop ({self.facts.line(statement)})"
            )
        rest = self._verbatim(statement.orelse) if statement.orelse else []
        if rest and not _fails(statement.orelse):
            raise Refusal(f"the resource is opened in a loop ({self.facts.line(statement)})")
        self.bound_around = before
        target = self.module.segment(statement.target)
        self.bound_around = before | names_in([statement.target])
        over = self._text(self.first, statement.iter)
        self.bound_around = before
        self._keep_above(statement)
        lines = [f"for {target} in {over}:", indented("\n".join(body), INDENT)]
        lines += ["else:", indented("\n".join(rest), INDENT)] if rest else []
        return ["\n".join(lines)]

    def _refuse_moving(self, statement: ast.For) -> None:
        handle = self._handle_of(statement.iter)
        if self.moves_count and (handle.iterates or handle.position):
            raise Refusal(f"the read position is moved in a loop ({self.facts.line(statement)})")

    def _written_try(self, statement: ast.Try) -> list[str]:
        body = self._block([*statement.body, *statement.orelse])
        handlers = [each for each in statement.handlers if not _fails(each.body)]
        handled = [(each, self._block(each.body)) for each in handlers]
        if self._block(statement.finalbody):
            raise Refusal(
                f"the resource is opened in a `finally` clause ({self.facts.line(statement)})"
            )
        if not body and not any(lines for _, lines in handled):
            return []
        self.whole = False
        if self.depth and handled and not any(lines for _, lines in handled):
            return [self._tried_again(statement, body)]
        return [self._as_it_went(statement, body, handled)] if handled else body

    def _tried_again(self, statement: ast.Try, body: Sequence[str]) -> str:
        """Return an attempt that a loop makes once more after an error; only waiting and messages go between."""
        lines = ["try:", indented("\n".join(body), INDENT)]
        for handler in statement.handlers:
            if not all(map(_only_waits, handler.body)):
                raise Refusal(f"the resource is opened in a loop ({self.facts.line(statement)})")
            caught = "" if handler.type is None else f" {self.module.segment(handler.type)}"
            named = f" as {handler.name}" if handler.name else ""
            lines.append(f"except{caught}{named}:")
            known = {handler.name} if handler.name else set()
            lines += (indented(each, INDENT) for each in self._verbatim(handler.body, known))
        return "\n".join(lines)

    def _verbatim(self, block: Sequence[ast.stmt], known: Collection[str] = ()) -> list[str]:
        """Return statements as they are written; raise Refusal where they read a local name of the constructor."""
        local = {*self.scope.bindings} - self.bound_around - {*known}
        if names_in(block) & local:
            raise Refusal(f"the resource is opened in a loop ({self.facts.line(block[0])})")
        return [self.module.segment(each) for each in block]

    def _as_it_went(
        self,
        statement: ast.Try,
        body: Sequence[str],
        handled: Sequence[tuple[ast.ExceptHandler, Sequence[str]]],
    ) -> str:
        """Return what opens as the constructor did: which error there was is kept."""
        if len(handled) > 1:
            raise Refusal(
                f"different errors open different resources ({self.facts.line(statement)})"
            )
        handler, instead = handled[0]
        flag = self._free_attribute(f"_{self.first.strip('_')}_fell_back")
        self.moved.kept[flag] = flag
        self.inserts.append(
            Insert(self.module.span(statement), f"{self.me}.{flag} = False", before=True)
        )
        self.inserts.append(
            Insert(self.module.span(handler.body[0]), f"{self.me}.{flag} = True", before=True)
        )
        lines = [f"if {self.me}.{flag}:", indented("\n".join(instead or ["pass"]), INDENT)]
        lines += ["else:", indented("\n".join(body or ["pass"]), INDENT)]
        return "\n".join(lines)

    # -- text

    def _compounds(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return the compound statements around a statement, innermost first: loops among them."""
        around = list(self.module.ancestors(statement))
        return [each for each in around[: around.index(self.method)] if isinstance(each, ast.stmt)]

    def _copied(self, name: str, how: str) -> str:
        """Return a collection's value, copied: what the caller passed may be an iterator."""
        if self._is_passed(name):
            self.instead.update(dict.fromkeys(self._reads_of(name), name))
            return COPIES[how].format(name)
        bindings = [each.value for each in self.scope.bindings[name] if each.kind != "parameter"]
        if not all(each is not None and _can_be_read_again(each) for each in bindings):
            raise Refusal(
                f"`{name}` may be an iterator ({self.facts.line(self.statement_of(name))})"
            )
        return name

    def statement_of(self, name: str) -> ast.AST:
        """Return the last statement that binds a local name."""
        return self.scope.bindings[name][-1].node

    def _reads_of(self, name: str) -> Iterator[ast.Name]:
        for node in ast.walk(self.method):
            if isinstance(node, ast.Name) and node.id == name and not is_stored(node):
                yield node

    def _keep_value(self, attribute: str, part: ast.expr, form: str = "{}") -> str:
        key = form.format(ast.unparse(part))
        if key in self.moved.kept and any(isinstance(n, ast.Call) for n in ast.walk(part)):
            raise Refusal(f"`{ast.unparse(part)}` is called twice ({self.facts.line(part)})")
        read = super()._keep_value(attribute, part, form)
        self.instead[part] = key
        return read

    def _moving_with(self, attribute: str, node: ast.AST) -> ast.stmt:
        return self.module.statement(node)

    def _rendered(self, statement: ast.stmt) -> list[str]:
        above, beside = comments_of(self.module, statement)
        self.remade = getattr(statement, "value", None)
        others: dict[ast.AST, str] = dict.fromkeys(self._other_targets(statement), "_")
        self.whole = self.whole and not others
        if isinstance(statement, ast.AnnAssign):
            others[statement.annotation] = self.module.segment(statement.annotation)
        text = self._text(self.first, statement, more=others)
        self._keep_above(statement)
        return [*above, f"{text}  {beside}" if beside else text]

    def _keep_above(self, statement: ast.stmt) -> None:
        """Keep, right above a statement, the values that what is opened from it reads."""
        for line in self.saves.pop(self.first, []):
            name = line.rpartition(" = ")[2]
            if self._is_passed(name):
                place: ast.stmt = self._first_statement()
            elif all(map(self._is_passed, names_in([ast.parse(name)]) - {*dir(builtins)})):
                place = self._around_all(statement, name)  # a copy or a part of an argument
            else:
                place = self._above_tries(statement, name)
            self.inserts.append(Insert(self.module.span(place), line, before=True))

    def _around_all(self, statement: ast.stmt, value: str) -> ast.stmt:
        """Return the statement above which a part of an argument is kept: in the block where the slice reads it.

        There it is evaluated under the conditions under which it was.
        """
        places = [statement, *self._compounds(statement)]
        if not isinstance(ast.parse(value, mode="eval").body, (ast.Subscript, ast.Attribute)):
            return places[-1]
        reads = [
            each
            for each in ast.walk(places[-1])
            if isinstance(each, ast.expr) and ast.unparse(each) == value
            if self._takes_inside(self.module.statement(each))
        ]
        blocks = ((each, {*self.module.block_of(each)}) for each in places)
        around = (at for at, block in blocks if all(self._within(each, block) for each in reads))
        return self._above_tries(next(around, places[-1]), value)

    def _above_tries(self, statement: ast.stmt, name: str) -> ast.stmt:
        """Return the `try` around a statement that a local name was bound above, or the statement."""
        bound = [each.node for each in self.scope.bindings.get(name, ())]
        above = self.module.parent(statement)
        while isinstance(above, ast.Try) and statement in above.body and bound:
            if any(self._within(node, {above}) for node in bound):
                break
            statement, above = above, self.module.parent(above)
        return statement

    def _is_passed(self, name: str) -> bool:
        """Return whether a name is a parameter that is never bound again."""
        return self._is_parameter(name) and len(self.scope.bindings[name]) == 1

    def _first_statement(self) -> ast.stmt:
        """Return the first statement of the constructor that the slice may take a part of."""
        return next(each for each in self.method.body if self._takes_inside(each))

    # -- what is refused

    def _refuse_returning(self) -> None:
        for each in ast.walk(self.method):
            if each is self.method.body[-1]:
                continue  # what a helper returns at its end is no part of the slice
            if isinstance(each, (ast.Return, ast.Yield, ast.YieldFrom, ast.Await)):
                raise Refusal(f"the constructor may return early ({self.facts.line(each)})")

    def _refuse_modified(self, text: str) -> None:
        """Refuse what the constructor goes on filling once the slice has read it."""
        kept = {new: name for name, new in self.moved.kept.items()}
        read = set(attributes_read(text, self.me)) - self.handles.keys()
        names = {kept.get(each, f"{self.me}.{each}") for each in read}
        for node in ast.walk(self.method):
            if not isinstance(node, (ast.Name, ast.Attribute)) or ast.unparse(node) not in names:
                continue
            if not is_mutated(self.module, node):
                continue
            if not begins_before(node, self.statements[0]):
                where = self.facts.line(node)
                raise Refusal(
                    f"the constructor modifies `{ast.unparse(node)}` after the code that opens the resource ({where})"
                )

    def _refuse_binding_again(self) -> None:
        """Refuse a local name that is kept, and bound again between two statements of the slice."""
        if not self.statements:
            raise Refusal(f"no statement opens the resource ({self.facts.line(self.method)})")
        first, last = self.statements[0], self.statements[-1]
        for name in self.moved.kept:
            bindings = self.scope.bindings.get(name, [])
            for each in bindings if len(bindings) > 1 else ():
                outside = begins_before(each.node, first) or comes_before(last, each.node)
                if each.kind != "parameter" and not outside:
                    raise Refusal(f"`{name}` is reassigned ({self.facts.line(each.node)})")


def _is_asked_first(name: str, statements: Sequence[ast.stmt]) -> bool:
    """Return whether statements bind a name, and may read it before they do."""
    if name not in stored_in(statements):
        return False
    for statement in statements:
        for node in ast.walk(statement):
            is_added_to = isinstance(node, ast.AugAssign) and name in stored_in([node.target])
            is_read = isinstance(node, ast.Name) and node.id == name and not is_stored(node)
            if is_added_to or is_read:
                return True
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and name in stored_in([statement]):
            return False
    return False


def _is_short(value: ast.expr) -> bool:
    """Return whether a value may stand wherever a parameter that is given it is read."""
    return isinstance(value, (ast.Name, ast.Constant)) or (
        isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name)
    )


def _is_bound_or_in_text(method: Method, name: str) -> bool:
    """Return whether a method binds a name, or reads it in an f-string, where quotes cannot be nested."""
    texts = (each for each in ast.walk(method) if isinstance(each, ast.JoinedStr))
    return name in stored_in([method]) or any(name in names_in([each]) for each in texts)


def _can_be_read_again(value: ast.expr) -> bool:
    """Return whether going through a value uses nothing up: it is data, a new list, or a slice."""
    if is_value(value) or is_plain(value) or is_new_list(value):
        return True
    match value:
        case ast.IfExp(body=one, orelse=other):
            return _can_be_read_again(one) and _can_be_read_again(other)
    return isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice)


def _is_method(call: ast.Call) -> bool:
    """Return whether a call is one of a method, none that goes through a stream."""
    return isinstance(call.func, ast.Attribute) and "next" not in call.func.attr


def _only_waits(statement: ast.stmt) -> bool:
    """Return whether what follows an error changes nothing: it waits, says so, or raises the error at last."""
    match statement:
        case ast.Pass() | ast.Continue() | ast.Raise(exc=None):
            return True
        case ast.If(test=ast.Compare(), body=[ast.Raise()], orelse=[]):
            return True
        case ast.Expr(value=ast.Call(func=func)):
            return last_name(func) in {"sleep", "print", *LOG_METHODS}
    return False


def _is_spelled_out(value: ast.expr) -> bool:
    """Return whether an expression is a constant, or an empty container."""
    match value:
        case ast.Constant() | ast.Dict(keys=[]) | ast.List(elts=[]) | ast.Tuple(elts=[]):
            return True
    return False


def _sets_again(lines: Sequence[str], written: Sequence[str]) -> bool:
    """Return whether branches do no more than the line above them, which sets something to the same."""
    above = ast.parse("\n".join(lines)).body[-1:]
    branches = ast.parse("\n".join(written)).body
    if not isinstance(next(iter(above), None), ast.Assign) or not branches:
        return False
    own = [
        each
        for branch in branches
        for each in ast.walk(branch)
        if isinstance(each, ast.stmt) and not isinstance(each, (ast.If, ast.Pass))
    ]
    return all(isinstance(each, ast.If) for each in branches) and all(
        isinstance(each, ast.Assign)
        and _is_spelled_out(each.value)
        and ast.dump(each) == ast.dump(above[0])
        for each in own
    )


def _fails(block: Sequence[ast.stmt]) -> bool:
    """Return whether a block ends in an error."""
    return bool(block) and isinstance(block[-1], ast.Raise)


def contiguous(block: Sequence[ast.stmt], taken: Sequence[ast.stmt]) -> bool:
    """Return whether some statements of a block follow one another."""
    places = [index for index, each in enumerate(block) if each in taken]
    return bool(places) and places[-1] - places[0] + 1 == len(places)


def attributes_read(text: str, me: str) -> Iterator[str]:
    """Yield the attributes of `self` that some statements read."""
    for node in ast.walk(ast.parse(text)):
        if is_self_attribute(node, me) and isinstance(node.ctx, ast.Load):
            yield node.attr
