"""What the bytes of a source file say of a name, without its being parsed.

An answer of no is certain, but for names that are not ASCII, which are never asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain

WORD = re.compile(rb"[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*")
# What is searched for begins with letters: such a pattern is searched for fast.
_CLASS = re.compile(rb"class(?<!\wclass)[\s\\]+(\w+)")
_DECORATOR = re.compile(
    rb"^[ \t\f]*@[^\n#(]*?([A-Za-z0-9_\x80-\xff]+)[ \t]*(?:$|[(#\r\n])", re.MULTILINE
)
_DECORATOR_CALL = re.compile(rb"^[ \t\f]*@[^\n#(]*?([A-Za-z0-9_\x80-\xff]+)[ \t]*\(", re.MULTILINE)
_DEFINED = re.compile(rb"\b(?:(?:def|class|as)\s+(\w+)|(\w+)\b\s*(?::[^=\n]{0,80})?=(?!=))")
# `x.name =`, `x.name: T =`, `x.name += `, `x.name, y =`, `for x.name in`, `as x.name:`
_STORE = rb"(?=\s*(?:[-+*/|&^@%]?=(?!=)|:[^=\n]*=(?!=)|[,)\]](?:[^=\n]*=(?!=)|\s*\\?$)|in\b))"
_SET = re.compile(rb"\.(\w+)%b" % _STORE, re.MULTILINE)
_SET_BY_AS = re.compile(rb"as(?<!\was)\s+[\w.]+\.(\w+)")
_NAMED = re.compile(rb"[\"'](\w+)[\"']")
_BY_NAME = (b"setattr", b"__dict__")
_STAR = re.compile(rb"import(?<!\wimport)\s*\(?\s*\*")
_FROM = re.compile(rb"\bfrom[ \t]+([\w.]+)[ \t]+\Z")
QUOTED = re.compile(rb"""["'](\w+)["']""")
LISTED = re.compile(rb"^__all__\s*=\s*[\[(](?=[^\])]*[\])]\s*$)", re.MULTILINE)


@lru_cache(maxsize=4_096)
def _called(word: bytes) -> re.Pattern[bytes]:
    """Return what a call of a name looks like, or an import that gives it another."""
    return re.compile(
        rb"%b(?<![A-Za-z0-9_]%b)(?<!def %b)(?<!class %b)(?:\s*\(|\s+as\b)"
        % ((re.escape(word),) * 4)
    )


def calls(data: bytes, word: bytes) -> bool:
    """Return whether a text may call a name, or gives it another."""
    return _called(word).search(data) is not None or b"set_defaults" in data


def starred(data: bytes) -> tuple[str, ...]:
    """Return the modules that a text star-imports, as it names them; "" for one that cannot be read."""
    return tuple(_named_before(data, found.start()) for found in _STAR.finditer(data))


def _named_before(data: bytes, at: int) -> str:
    found = _FROM.search(data, max(0, at - _BEFORE), at)
    return "" if found is None else found[1].decode("ascii", "replace")


def is_in_code(data: bytes, word: bytes) -> bool:
    """Return whether a text may use a word in code."""
    return _in_code(word).search(data) is not None


def sets_attribute(data: bytes, name: bytes) -> bool:
    """Return whether a text may set an attribute by an assignment."""
    return _assigned(name).search(data) is not None


@lru_cache(maxsize=4_096)
def _assigned(name: bytes) -> re.Pattern[bytes]:
    # In a tuple, too: `cls.low, cls.high = ...`.
    return re.compile(rb"\.%b\s*(?:[,)\]][^=\n]*)?=(?!=)" % re.escape(name))


def sets_on_others(data: bytes, attribute: bytes) -> bool:
    """Return whether a text may set an attribute on something else than a method's own object."""
    if any(word in data for word in _BY_NAME):
        return True
    return any(
        _owner(data, at) != b"self" and _is_target(data, at, end)
        for at, end in _attributes(data, attribute)
    )


def _set_in(data: bytes) -> Iterator[bytes]:
    """Yield the attributes that code may set; by a text only where it says so."""
    yield from _SET.findall(data)
    yield from _SET_BY_AS.findall(data)
    if any(word in data for word in _BY_NAME):
        yield from _NAMED.findall(data)


# The kinds of names that texts are searched for.
NAMING: dict[str, Callable[[bytes], Iterable[bytes]]] = {
    "defined": lambda data: chain.from_iterable(_DEFINED.findall(data)),
    "set": _set_in,
    "decorating": _DECORATOR.findall,
    "decorating by a call": _DECORATOR_CALL.findall,
    "class": _CLASS.findall,
}


def has_word(data: bytes, word: bytes) -> bool:
    """Return whether bytes hold a word that is no part of a longer one."""
    return word in data and _pattern(word).search(data) is not None


@lru_cache(maxsize=1024)
def _pattern(word: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"%b(?<![A-Za-z0-9_]%b)(?![A-Za-z0-9_])" % ((re.escape(word),) * 2))


@lru_cache(maxsize=1024)
def _in_code(word: bytes) -> re.Pattern[bytes]:
    """Return what finds a word that is not followed by another word, but for an operator's, as code is."""
    return re.compile(
        rb"%b(?<![A-Za-z0-9_/]%b)(?![A-Za-z0-9_])"
        rb"(?![ \t]+(?!(?:if|else|for|in|is|and|or|not|as|import)\b)[A-Za-z])"
        % ((re.escape(word),) * 2)
    )


# What the tree of a text may have by a name. An answer of no is certain.

_IN_WORD = frozenset(
    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_" + bytes(range(128, 256))
)
_OPENED = re.compile(rb"(?:[\s\\)]|#[^\n]*\n)*\(")
_RENAMED = re.compile(rb"[\s\\]+as\b")
_DEFINES = re.compile(rb"(?:\bdef|\bclass)[ \t]+\Z")
_DOTTED = re.compile(rb"\.(?:[\s\\]|#[^\n]*\n)*\Z")
_OWNER = re.compile(rb"(?:(?<![\w.\x80-\xff])([A-Za-z_][\w.]*))?\.[\s\\]*\Z")
_OPENING = re.compile(
    rb"^([ \t]*)(?:async[ \t]+)?(?:class\b|(def)[ \t]+\w+\s*\(\s*(self\b)?)", re.MULTILINE
)
_GIVEN = re.compile(rb"[(=](?:[\s\\]|#[^\n]*\n)*\Z")
_ENDED = re.compile(rb"(?:[\s\\]|#[^\n]*\n)*[,)]")
_SHORT_TEXT = re.compile(rb"\"[^\"\n]*\"|'[^'\n]*'")
_ANY_BRACKET = re.compile(rb"[\[\](){}]")
_BEFORE_BRACKET = re.compile(rb"([A-Za-z0-9_\x80-\xff]+|[)\]])\Z")
_KEYWORDS = frozenset({b"for", b"in", b"as", b"del", b"with"})
_DELETES = re.compile(rb"\bdel\b")
# What comes after an attribute that is set: a sign, `in`, or more of an unpacking.
_SIGN = re.compile(
    rb"(?:[\s\\)\]]|#[^\n]*\n)*(?:(?:[-+*/%@&|^<>]{0,3}=(?!=)|:)|(?P<each>in\b))"
    rb"|(?P<more>[^\n]*,(?:[^\n]*(?:=|\bin\b|:)|[ \t\r]*\\?[ \t\r]*(?:#[^\n]*)?$))",
    re.MULTILINE,
)
# What stands before what is no target: `return x.f, y`, `name: x.f = 1`, `f(y=x.f, ...`.
_NO_TARGET = re.compile(
    rb"\s*(?:(?:if|elif|while|return|assert|raise|yield)\b[^:]*|(?!else\b|try\b|finally\b)\*{0,2}[A-Za-z_]\w*: .*)\Z"
)
_OTHER_THAN_NAME = re.compile(rb"[^\s\w.]|\w\s+\w")
_KEYWORD = re.compile(rb"[\w]=[\w.\[\]()]*\Z")
_HEAD = re.compile(rb"\bclass[\s\\]+[A-Za-z0-9_\x80-\xff]+[\s\\]*[\[(]")
_BRACKET = re.compile(rb"#[^\n]*|\"[^\"\n]*\"|'[^'\n]*'|[\[\](){}]|:")
_BEFORE = 400  # bytes that are looked back at


def _places(data: bytes, word: bytes) -> Iterator[tuple[int, int]]:
    """Yield where a word stands that is no part of a longer one."""
    end = len(word)
    at = data.find(word) if word else -1
    while at >= 0:
        after = at + end
        if not (
            (at and data[at - 1] in _IN_WORD) or (after < len(data) and data[after] in _IN_WORD)
        ):
            yield at, after
        at = data.find(word, after)


def _comes_after(pattern: re.Pattern[bytes], data: bytes, at: int) -> bool:
    """Return whether what a pattern finds ends at a place."""
    return pattern.search(data, max(0, at - _BEFORE), at) is not None


def _attributes(data: bytes, word: bytes) -> Iterator[tuple[int, int]]:
    """Yield where a word may be an attribute."""
    for at, end in _places(data, word):
        before = data[at - 1 : at]
        if before == b"." or (before.isspace() and _comes_after(_DOTTED, data, at)):
            yield at, end


def may_call(data: bytes, word: bytes) -> bool:
    """Return whether a text may call a name: `f(x)`, `a.f (x)`, `(f)(x)`."""
    return any(
        _OPENED.match(data, end) and not _comes_after(_DEFINES, data, at)
        for at, end in _places(data, word)
    )


def may_call_as(data: bytes, dotted: bytes) -> bool:
    """Return whether a text may call what is written just so: `copy`, `copy.copy`."""
    owner, _, word = dotted.rpartition(b".")
    return any(
        _OPENED.match(data, end) and not _comes_after(_DEFINES, data, at)
        for at, end in _places(data, word)
        if _owner(data, at) == owner
    )


def may_call_on(data: bytes, word: bytes) -> bool:
    """Return whether a text may call a method, on something else than `self` or `cls`."""
    return any(
        _OPENED.match(data, end)
        for at, end in _attributes(data, word)
        if _owner(data, at) not in (b"self", b"cls")
    )


def _owner(data: bytes, at: int) -> bytes:
    """Return the dotted name before an attribute; empty where there is none, "." for anything else."""
    found = _OWNER.search(data, max(0, at - _BEFORE), at)
    return b"" if found is None else found[1] or b"."


def has_loose_methods(data: bytes) -> bool:
    """Return whether a text may have a function with a `self` that stands in no class: one that is put there later."""
    around: list[tuple[int, bool]] = []  # indentation, and whether it is a class's
    for found in _OPENING.finditer(data):
        width = len(found[1].expandtabs())
        while around and around[-1][0] >= width:
            around.pop()
        if found[3] and not (around and around[-1][1]):
            return True
        around.append((width, not found[2]))
    return False


def may_name(data: bytes, word: bytes) -> bool:
    """Return whether a text may have a name in an expression, and not only define it."""
    return any(not _comes_after(_DEFINES, data, at) for at, _ in _places(data, word))


def may_read(data: bytes, word: bytes) -> bool:
    """Return whether a text may name an attribute."""
    return next(_attributes(data, word), None) is not None


def may_store(data: bytes, word: bytes) -> bool:
    """Return whether a text may set or delete an attribute."""
    places = [*_attributes(data, word)]
    return bool(places) and (
        _DELETES.search(data) is not None or any(_is_target(data, at, end) for at, end in places)
    )


def may_give(data: bytes, word: bytes) -> bool:
    """Return whether a text may pass a name on as an argument, as it is: `f(x)`, `f(y=a.x)`."""
    return any(
        _ENDED.match(data, end) and (_comes_after(_GIVEN, data, at) or _owner(data, at))
        for at, end in _places(data, word)
    )


def _is_target(data: bytes, at: int, end: int) -> bool:
    """Return whether an attribute may be set where it stands."""
    sign = _SIGN.match(data, end)
    if sign is None:
        return False
    line = _SHORT_TEXT.sub(b"", data[data.rfind(b"\n", 0, at) + 1 : at])
    if _NO_TARGET.match(line) and b"for" not in line:
        return False
    if sign.lastgroup == "each" and _OTHER_THAN_NAME.search(line) and b"for" not in line:
        return False
    if sign.lastgroup == "more" and _KEYWORD.search(line):
        return False
    return not _is_argument(line)


def _is_argument(line: bytes) -> bool:
    """Return whether a line opens a call, subscript or dict that its end is in: no target is."""
    closed = 0
    for found in reversed([*_ANY_BRACKET.finditer(line)]):
        sign = found.group()
        if sign in b")]}":
            closed += 1
        elif closed:
            closed -= 1
        elif sign == b"{":
            return True
        else:
            before = _BEFORE_BRACKET.search(line, 0, found.start())
            if before is not None and before[1] not in _KEYWORDS:
                return True
    return False


def renames(data: bytes, word: bytes) -> bool:
    """Return whether an import of a text may give another name to something."""
    return any(_RENAMED.match(data, end) for _, end in _places(data, word))


def derives(data: bytes, word: bytes) -> bool:
    """Return whether a class statement of a text may name a class as a base."""
    return word in data and any(
        next(_places(data[head.end() : _end_of_head(data, head.end())], word), None)
        for head in _HEAD.finditer(data)
    )


def has_bases(data: bytes, keyword: bytes) -> bool:
    """Return whether any class statement of a text, found by its keyword, may have bases."""
    return keyword in data and _HEAD.search(data) is not None


def _end_of_head(data: bytes, start: int) -> int:
    """Return where the brackets after a class's name end."""
    depth = 1
    for found in _BRACKET.finditer(data, start):
        sign = found.group()
        depth += (sign in b"([{") - (sign in b")]}")
        if depth <= 0 and sign == b":":
            return found.start()
    return len(data)


def says(data: bytes, text: bytes) -> bool:
    """Return whether a text has some bytes."""
    return text in data
