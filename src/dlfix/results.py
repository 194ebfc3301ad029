"""What a command printed, kept for as long as it would print the same again.

An entry is named by all that a command is asked (`name_of`), dlfix's own code included, and holds what was looked at on
disk (`dlfix.source.seen`), the texts that were printed, and the exit status. It counts only while all
that was looked at is unchanged. It is JSON with a checksum: nothing in it can run code, and what
is damaged or foreign counts as missing. Writing goes to a temporary file that is renamed; a store that
cannot be written works as an empty one.

The folder of entries may lie in a checkout (`cache-dir`): no link in it is followed, and the checksum is
keyed with a secret of this user, so that an entry that came with the checkout is none.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import secrets
import sys
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from dlfix import __version__
from dlfix.caches import default_directory
from dlfix.source import seen
from dlfix.source.folders import Folder, below

if TYPE_CHECKING:
    from dlfix.config import Settings

FOLDER = "results-1"  # raised with every change of what an entry looks like
LIMIT = 256 << 20  # bytes of all entries
_MAGIC = b"dlfixres"
_MOST = 256 << 20  # bytes of an entry, unpacked
_APART = 3  # mappings in mappings that are written item by item
_KEY, _KEY_SIZE = "key", 32
# What decides how a console prints.
_VARIABLES = (
    "COLORFGBG", "COLORTERM", "COLUMNS", "FORCE_COLOR", "HOME", "LINES", "NO_COLOR", "TERM",
    "TTY_COMPATIBLE", "TTY_INTERACTIVE",
)  # fmt: skip
_PACKAGES = ("dlfix", "dlfix_codemods", "libcst", "pathspec", "rich", "yaml")
_OWN = re.compile(r"[0-9a-f]{32}|\.[0-9a-f]{32}\.\d+\.\d+")
Printed = list[tuple[str, str]]  # "out", "err" or "bytes", and what went there


@dataclass
class Kept:
    """The place of one command's result; without a path nothing is kept."""

    path: Path | None = None
    seen: seen.Seen = field(default_factory=seen.Seen)

    def tell(self) -> int | None:
        """Print what was printed, and return the status; None where it may be another today."""
        entry = load(self.path) if self.path is not None else None
        found = None if entry is None else _printed(entry)
        if found is None:
            return None
        printed, status = found
        if entry is not None and (watched := seen.watched()) is not None:
            watched.take(entry["seen"])
        for stream, text in printed:
            _put(stream, text)
        return status

    @contextlib.contextmanager
    def recording(self) -> Iterator[Printed]:
        """Note what is printed meanwhile."""
        printed: Printed = []
        out, err = sys.stdout, sys.stderr
        if self.path is not None:
            sys.stdout, sys.stderr = _Tee(out, "out", printed), _Tee(err, "err", printed)
        try:
            yield printed
        finally:
            sys.stdout, sys.stderr = out, err

    def keep(self, printed: Printed, status: int) -> None:
        """Keep a result, if that can be done and nothing changed while it was worked out."""
        if self.path is not None and self.seen.steady:
            save(self.path, {"seen": self.seen.as_data(), "printed": printed, "status": status})


def kept(settings: Settings, *asked: object) -> Kept:
    """Return the place of the result of a command; `asked` is all that its result depends on."""
    watched, path = seen.watched(), place(settings, *asked)
    return Kept() if watched is None or path is None else Kept(path, watched)


def place(settings: Settings, *asked: object) -> Path | None:
    """Return where the answer to a question is kept; None where none is."""
    folder = directory(settings)
    if folder is None or settings.no_cache or _asks_others(settings):
        return None
    return folder / FOLDER / _name(settings, asked)


def _asks_others(settings: Settings) -> bool:
    """Return whether rules of other packages may be selected: their code is not watched."""
    codes = (*settings.select, *settings.extend_select)
    return not all(code.upper().startswith("DLF") for code in codes)


def directory(settings: Settings) -> Path | None:
    """Return the folder of all that is kept; one that a configuration names needs the user's secret."""
    if not settings.cache_dir:
        return default_directory()
    if settings.origin("cache_dir") != "command line" and not _secret():
        return None
    return settings.root / settings.cache_dir


def clear(settings: Settings) -> None:
    """Remove all that is kept."""
    from dlfix.facts.store import Store

    folder = directory(settings)
    if folder is not None:
        with suppress(OSError), below(folder, (FOLDER,)) as place:
            for name in _entries(place):
                place.remove(name)
        Store(folder).clear()


# Names


def _name(settings: Settings, asked: tuple[object, ...]) -> str:
    parts = [
        __version__, sys.version, os.getcwd(), repr(settings), settings.nearest is None, asked,
        [os.environ.get(name) for name in _VARIABLES], _streams(), code(),
    ]  # fmt: skip
    return name(parts)


def _streams() -> list[object]:
    found: list[object] = []
    for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        terminal = stream is not None and stream.isatty()
        size = None
        with suppress(OSError):
            size = tuple(os.get_terminal_size(number))
        found += [terminal, size, getattr(stream, "encoding", None)]
    return found


def code() -> list[object]:
    """Return what tells this dlfix's own code, and the libraries that it reads, rewrites and prints with."""
    found: list[object] = []
    for name in _PACKAGES:
        spec = find_spec(name)
        origin = spec.origin if spec is not None else None
        if origin is None:
            continue
        top = os.path.dirname(origin)
        folders = os.walk(top) if name in ("dlfix", "dlfix_codemods") else [(top, [], [])]
        for folder, inner, names in folders:
            inner[:] = sorted(each for each in inner if each != "__pycache__")
            for path in [origin, *(os.path.join(folder, each) for each in sorted(names))]:
                about = os.stat(path)
                found.append((path, about.st_size, about.st_mtime_ns, about.st_ino))
    return found


# Entries


def name(*asked: object) -> str:
    """Return the name of the entry for a question."""
    return _digest(repr(asked).encode(errors="surrogatepass")).hex()


def load(path: Path) -> dict[str, Any] | None:
    """Return an entry while all that was seen for it is unchanged."""
    found = load_edited(path)
    return found[0] if found is not None and not found[1] else None


def load_edited(path: Path) -> tuple[dict[str, Any], list[str]] | None:
    """Return an entry and the files that have changed since, if nothing else has that was seen for it."""
    try:
        with _beside(path) as folder:
            entry = json.loads(_unpacked(folder.read(path.name)))
            changed = seen.changed(entry["seen"])
            if changed is None:
                return None
            folder.touch(path.name)  # the entries that are not used for longest go first
    except (
        OSError,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        RecursionError,
        zlib.error,
    ):
        return None
    return cast("dict[str, Any]", entry), changed


def _printed(entry: dict[str, Any]) -> tuple[Printed, int] | None:
    try:
        printed = [(str(stream), str(said)) for stream, said in entry["printed"]]
        status = int(entry["status"])
    except (ValueError, TypeError, LookupError):
        return None
    known = all(stream in ("out", "err", "bytes") for stream, _ in printed)
    return (printed, status) if known else None


def _unpacked(data: bytes) -> bytes:
    start = len(_MAGIC)
    if data[:start] != _MAGIC or data[start : start + 16] != _digest(data[start + 16 :]):
        raise ValueError("damaged")
    unpacker = zlib.decompressobj()
    text = unpacker.decompress(data[start + 16 :], _MOST)
    if not unpacker.eof:
        raise ValueError("too long")
    return text


def save(path: Path, entry: dict[str, Any], limit: int | None = LIMIT) -> None:
    """Keep an entry, if that can be done, and of the others what the limit leaves room for."""
    packed = _packed(entry)
    temporary = f".{path.name}.{os.getpid()}.{threading.get_ident()}"
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with _beside(path) as folder:
            try:
                with open(folder.create(temporary), "wb") as file:
                    file.write(_MAGIC + _digest(packed) + packed)
                folder.replace(temporary, path.name)
            except OSError:
                folder.remove(temporary)
                return
            if limit is not None:
                _trim(folder, limit)


def _packed(entry: Mapping[str, Any]) -> bytes:
    """Return an entry as compressed JSON, which is never in memory as a whole."""
    packer = zlib.compressobj(1)
    return b"".join([*(packer.compress(part.encode()) for part in _parts(entry)), packer.flush()])


def _parts(value: object, depth: int = _APART) -> Iterator[str]:
    """Yield what a value is in JSON; of the outer mappings one item after another."""
    if not depth or not isinstance(value, Mapping):
        yield json.dumps(value, separators=(",", ":"))
        return
    before = "{"
    for key, each in value.items():
        yield f"{before}{json.dumps(str(key))}:"
        yield from _parts(each, depth - 1)
        before = ","
    yield "}" if value else "{}"


def _beside(path: Path) -> contextlib.AbstractContextManager[Folder]:
    """Open the folder of an entry, which is no link."""
    return below(path.parent.parent, (path.parent.name,))


def _trim(folder: Folder, limit: int) -> None:
    """Remove the entries that were not used for longest, beyond the limit."""
    found = []
    for name in _entries(folder):
        with suppress(OSError):
            about = folder.about(name)
            found.append((about.st_mtime, about.st_size, name))
    size = 0
    for _, length, name in sorted(found, reverse=True):
        size += length
        if size > limit:
            with suppress(OSError):
                folder.remove(name)


def _entries(folder: Folder) -> list[str]:
    """Return the entries in a folder, and what killed writers left; nothing of anybody else's."""
    return [name for name in folder.names() if _OWN.fullmatch(name)]


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16, key=_secret()).digest()


def _secret() -> bytes:
    """Return what only this user's dlfix knows; b"" where nothing can be kept."""
    place = default_directory()
    return b"" if place is None else _secret_in(place)


@functools.cache
def _secret_in(place: Path) -> bytes:
    """Return the secret in a folder, made at the first use."""
    with suppress(OSError):
        place.mkdir(parents=True, exist_ok=True)
        with below(place) as folder:
            with suppress(FileExistsError), open(folder.create(_KEY), "wb") as file:
                file.write(secrets.token_bytes(_KEY_SIZE))
            found = folder.read(_KEY)
            return found if len(found) == _KEY_SIZE else b""
    return b""


# Streams


def _put(stream: str, text: str) -> None:
    if stream == "err":
        sys.stderr.write(text)
    elif stream == "out":
        sys.stdout.write(text)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("latin-1"))
        sys.stdout.buffer.flush()


class _Tee:
    """A stream that notes what is written to it."""

    def __init__(self, stream: TextIO, name: str, printed: Printed) -> None:
        self._stream = stream
        self._name = name
        self._printed = printed

    def write(self, text: str) -> int:
        self._printed.append((self._name, text))
        return self._stream.write(text)

    @property
    def buffer(self) -> _TeeBuffer:
        return _TeeBuffer(self._stream, self._printed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _TeeBuffer:
    def __init__(self, stream: TextIO, printed: Printed) -> None:
        self._stream = stream
        self._printed = printed

    def write(self, data: bytes) -> int:
        self._printed.append(("bytes", data.decode("latin-1")))
        return self._stream.buffer.write(data)

    def flush(self) -> None:
        self._stream.buffer.flush()
