"""A project: its files, how imports lead from one to another, and who mentions what."""

from __future__ import annotations

import ast
import copy
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeVar, cast

from dlfix.project import roots, scan
from dlfix.project.lazily import Lazily
from dlfix.project.module import Module
from dlfix.project.unseen import unseen
from dlfix.project.words import Words
from dlfix.source import seen
from dlfix.source.text import SourceError, SourceText, read

T = TypeVar("T")

_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
_MANY = 60  # files that hold a name: beyond, it is a common word
_MOST_LEVELS = 12  # how far up the tree imports are looked for


@dataclass
class Asked:
    """What somebody wanted to know of the texts of a project, whichever file it is in."""

    words: set[bytes] = field(default_factory=set)
    names: dict[str, set[bytes]] = field(
        default_factory=lambda: {kind: set() for kind in scan.NAMING}
    )
    whole: set[Path] = field(default_factory=set)  # files of which all was looked at


# What brings names to a module that are not written there.
_OFFERING_MORE = (b"import *", b"__getattr__", b"globals()", b"exec(", b"setattr(")


class Project:
    """The files under check; modules are read and parsed when something leads to them.

    `texts` stand in for what is on disk. A file outside `files` is read too, when an import of a
    file in it leads there. Without `noting`, no other project can be compared with this one (`still`).
    """

    def __init__(
        self,
        files: Iterable[Path],
        texts: Mapping[Path, str] | None = None,
        *,
        noting: bool = True,
    ) -> None:
        self._is_noting = noting
        self.files: tuple[Path, ...] = tuple(dict.fromkeys(Path(f).absolute() for f in files))
        self.texts = {path.absolute(): text for path, text in (texts or {}).items()}
        self._unread: list[SourceError] = []
        self._listed = frozenset(map(str, (*self.files, *self.texts)))
        self._sources: dict[Path, SourceText | None] = {}
        self._modules: dict[Path, Module | None] = {}
        self._packaged: dict[Path, tuple[str, ...]] = {}
        self._exists: dict[str, bool] = {}
        self._bases: dict[Path, tuple[Path, ...]] = {}
        self._starts: dict[tuple[Path, bool, bool], tuple[str, ...]] = {}
        self._folders: dict[tuple[Path, str], bool] = {}
        self._is_there: dict[str, bool] = {}  # whether there is a folder
        self._found: dict[tuple[Path, str], Module | None] = {}
        self._mentions: dict[bytes, list[Path]] = {}
        self._mentioned: dict[str, list[Module]] = {}
        self._users: dict[tuple[Module, str], list[Module]] = {}
        self._near: dict[tuple[Module, str], list[Path]] = {}  # of a common word
        self._seen_from: dict[tuple[Module | None, str], Module | None] = {}
        self._decorating: dict[tuple[str, bool], list[Path]] = {}
        self._words: dict[Path, Words] = {}
        self._offers: dict[Path, tuple[frozenset[bytes] | None, tuple[str, ...]]] = {}
        self._starring: dict[Path, tuple[Path | None, ...]] = {}
        self._brought: dict[Path, AbstractSet[bytes] | None] = {}
        self._bringing: dict[tuple[Path, tuple[str, ...]], list[AbstractSet[bytes] | None]] = {}
        self._changed: tuple[Path, ...] = ()  # the files that the index has other words of
        self._names: dict[str, dict[Path, Words]] = {kind: {} for kind in scan.NAMING}
        self._interned: dict[bytes, bytes] = {}
        self._answers: dict[Path, dict[tuple[Any, ...], Any]] = {}  # about one text, by question
        self.asked = Asked()
        self._among: frozenset[Path] | None = None  # the files that mentions are looked for in
        self.imported: set[Path] = set()  # what an import was followed to
        self.imports_by_module: dict[Module, tuple[Module, ...]] = {}
        self.imported_with: dict[Module, Lazily[Module]] = {}  # with each script

    def with_texts(self, texts: Mapping[Path, str]) -> Project:
        """Return the same project with these texts instead of what it holds."""
        changed = [path.absolute() for path in texts]
        created = [path for path in changed if not self.knows(path)]
        return self.renewed((*self.files, *created), {**self.texts, **texts}, changed)

    def among(self, paths: Collection[Path]) -> Project:
        """Return the same project, in which only these files mention anything."""
        project = copy.copy(self)
        project._among = frozenset(paths)
        project._mentioned, project._users = {}, {}
        return project

    def short_name(self, path: Path) -> str:
        """Return a file's name, with as many of its folders as tell it from the others of that name."""
        others = [each for each in self.files if each.name == path.name and each != path]
        count = 1
        while any(each.parts[-count:] == path.parts[-count:] for each in others):
            count += 1
        return "/".join(path.parts[-count:])

    def renewed(
        self, files: Iterable[Path], texts: Mapping[Path, str], changed: Collection[Path]
    ) -> Project:
        """Return a project of these files and texts; of what is read already, all but `changed` is kept."""
        project = Project(files, texts, noting=self._is_noting)
        gone = frozenset(changed)
        project._sources = {p: s for p, s in self._sources.items() if p not in gone}
        project._modules = {p: m for p, m in self._modules.items() if p not in gone}
        project._words = {p: w for p, w in self._words.items() if p not in gone}
        project._names = {
            kind: {p: names for p, names in by_path.items() if p not in gone}
            for kind, by_path in self._names.items()
        }
        project._answers = {p: known for p, known in self._answers.items() if p not in gone}
        project._interned = self._interned
        project.asked = self.asked
        if project.files == self.files:
            project._bases, project._exists = self._bases, self._exists
            if "_holders" in self.__dict__:
                project.__dict__["_holders"] = self._holders
                project._changed = (*dict.fromkeys((*self._changed, *changed)),)
        project.imported = self.imported
        return project

    def still(
        self, files: Iterable[Path], texts: Mapping[Path, str], changed: Collection[Path]
    ) -> Project | None:
        """Return a project as `renewed` does, if whatever was asked of this one has the same answer there.

        Rows apart: what stands below a change has moved.
        """
        if not self._is_noting:
            return None
        project = self.renewed(files, texts, changed)
        same = project.files == self.files and all(self._is_unseen(p, project) for p in changed)
        return project if same else None

    def _is_unseen(self, path: Path, after: Project) -> bool:
        """Return whether nobody would notice how a file differs in another project."""
        if path not in self._sources:
            return True
        before, now = self._sources[path], after.unnoted(path)
        if before is None or now is None:
            return False
        if before == now:
            after.keep(path, self)
            return True
        if path in self.asked.whole or before.encoding != now.encoding:
            return False
        return self._is_alike(path, after) and self._is_alike_as_module(path, after)

    def keep(self, path: Path, other: Project) -> None:
        """Take a file over from another project, which has the same text of it."""
        self._sources[path] = other._sources[path]
        if path in other._modules:
            self._modules[path] = other._modules[path]

    def _is_alike(self, path: Path, after: Project) -> bool:
        """Return whether what was asked of a text has the same answer."""
        asked = self.asked
        if not asked.words.isdisjoint(self._words_of(path) ^ after._words_of(path)):
            return False
        for kind, known in self._names.items():
            if path in known and not asked.names[kind].isdisjoint(
                known[path] ^ after._names_in(path, kind)
            ):
                return False
        if path in self._offers and self._offers[path] != after._offered(path):
            return False
        return all(
            after._ask(path, *question) == answer
            for question, answer in self._answers.get(path, {}).items()
        )

    def _is_alike_as_module(self, path: Path, after: Project) -> bool:
        before = self._modules.get(path)
        if path not in self._modules or (before is not None and not before.is_parsed):
            return True
        now = after.get(path)
        return before is not None and now is not None and unseen(before, now) is not None

    # What was asked of a file

    @property
    def read(self) -> list[Path]:
        """The files that have been read."""
        return [path for path, source in self._sources.items() if source is not None]

    def read_module(self, path: Path) -> Module | None:
        """Return a module that somebody has opened."""
        return self._modules.get(path)

    def asked_of(self, path: Path) -> tuple[list[str], bool, dict[tuple[Any, ...], Any]]:
        """Return of a file which kinds of names are known, whether what it offers is, and the answers about its text."""
        kinds = [kind for kind, known in self._names.items() if path in known]
        return kinds, path in self._offers, self._answers.get(path, {})

    def ask_again(
        self, path: Path, kinds: Iterable[str], offers: bool, questions: Iterable[tuple[Any, ...]]
    ) -> None:
        """Ask of a file what was asked of it in another project."""
        for kind in kinds:
            self._names_in(path, kind)
        if offers:
            self._offered(path)
        for question in questions:
            self._ask(path, *question)

    def with_files(self, files: Iterable[Path]) -> Project:
        """Return the same project with these files; what is read already is not read again."""
        project = Project(files, self.texts, noting=self._is_noting)
        project._unread, project.imported = self._unread, self.imported
        project._sources, project._modules = self._sources, self._modules
        return project

    # Reading

    def source(self, path: Path) -> SourceText | None:
        """Return a file's text; None, with the error noted once, where it cannot be had.

        Who asks for it has seen all of it.
        """
        self.asked.whole.add(path)
        return self.unnoted(path)

    def unnoted(self, path: Path) -> SourceText | None:
        """Return a file's text, without its being noted that somebody looked at all of it."""
        if path not in self._sources:
            self._sources[path] = self._noting(lambda: self._read(path))
        return self._sources[path]

    def _read(self, path: Path) -> SourceText:
        if path in self.texts:
            text = self.texts[path]
            return SourceText(path, text.encode(errors="surrogatepass"), text, "utf-8")
        return read(path)

    def knows(self, path: Path) -> bool:
        """Return whether there is such a file; a fix may create one."""
        return self._is_file(str(path))

    def text(self, path: Path) -> str:
        """Return a file's text; "" where there is no such file, or it cannot be read."""
        source = self.unnoted(path) if self.knows(path) else None
        return source.text if source is not None else ""

    def module(self, path: Path) -> Module:
        """Return a parsed module; raise SourceError where that fails."""
        module = self.get(path)
        if module is None:
            raise next(
                (e for e in self.errors if e.path == path), SourceError(path, None, "unreadable")
            )
        return module

    def get(self, path: Path) -> Module | None:
        """Return a parsed module, or None with the error noted."""
        module = self.opened(path)
        parses = module is not None and module.tree is not None and module.failure is None
        return module if parses else None

    def opened(self, path: Path) -> Module | None:
        """Return a module, parsed or not; None where it cannot be read."""
        if path not in self._modules:
            source = self.unnoted(path)
            said = self._answers.setdefault(path, {})
            known = (
                None
                if source is None
                else Module(source, self.name_of(path), said, noting=self._is_noting)
            )
            self._modules[path] = known
        return self._modules[path]

    @property
    def errors(self) -> list[SourceError]:
        """What cannot be read or parsed, as far as that was tried."""
        return [*self._unread, *self.unparsed.values()]

    @property
    def unparsed(self) -> dict[Path, SourceError]:
        """What does not parse, or not as a whole, as far as it was tried."""
        opened = (module for module in self._modules.values() if module is not None)
        return {module.path: module.trouble for module in opened if module.trouble is not None}

    def _noting(self, work: Callable[[], T]) -> T | None:
        try:
            return work()
        except SourceError as error:
            self._unread.append(error)
            return None

    @property
    def parsed(self) -> int:
        """How many modules have been parsed."""
        return sum(self._has_parsed(path) for path in self._modules)

    def _has_parsed(self, path: Path) -> bool:
        module = self._modules.get(path)
        return module is not None and module.is_parsed and module.failure is None

    def holding(self, words: Iterable[bytes]) -> Iterator[Path]:
        """Yield the project's files that hold one of these words."""
        wanted = frozenset(words)
        if any(scan.WORD.fullmatch(word) is None for word in wanted):
            return (path for path in self.files if self.holds(path, wanted))
        found = {path for word in wanted for path in self._with_word(word)}
        return iter(sorted(found, key=self._rank.__getitem__))

    def holds(self, path: Path, words: frozenset[bytes]) -> bool:
        """Return whether a file holds any of these words."""
        self.asked.words |= words
        odd = {word for word in words if scan.WORD.fullmatch(word) is None}
        if len(odd) < len(words) and not self._words_of(path).isdisjoint(words):
            return True
        return any(self._ask(path, scan.has_word, word) for word in odd)

    def using(self, words: Iterable[bytes]) -> Iterator[Path]:
        """Yield the project's files whose code may use one of these words: prose and addresses do not."""
        wanted = frozenset(words)
        self.asked.words |= wanted
        for path in self.files:
            held = wanted & self._words_of(path)
            if any(self._ask(path, scan.is_in_code, word) for word in held):
                yield path

    def mentions(self, identifier: str) -> list[Module]:
        """Return the modules of the project that hold an identifier, by a search of their bytes."""
        if identifier not in self._mentioned:
            self._mentioned[identifier] = self._opened(self._mentioning(identifier))
        return self._mentioned[identifier]

    def users(self, module: Module, identifier: str) -> list[Module]:
        """Return the modules that may use a name of a module: of many, those that name that too."""
        key = (module, identifier)
        if key not in self._users:
            self._users[key] = self._opened(self._using(module, identifier))
        return self._users[key]

    def callers(self, module: Module, identifier: str) -> list[Module]:
        """Return those of them that may call it, under this name or another that they give it."""
        paths = self._using(module, identifier)
        return self._opened(path for path in paths if self._may_call(path, identifier))

    def is_called(self, module: Module, identifier: str) -> bool:
        """Return whether one of them calls it under this name; they are parsed until one does."""
        for path in dict.fromkeys((module.path, *self._using(module, identifier))):
            if self._ask(path, scan.calls, _encoded(identifier)):
                caller = self.get(path)
                if caller is not None and identifier in caller.calls_by_name:
                    return True
        return False

    def callers_read(self, module: Module, identifier: str) -> list[Module] | None:
        """Return what `callers` does; None where one of them has not been parsed yet."""
        found = []
        for path in self._using(module, identifier):
            known = self._modules.get(path)
            if known is not None and known.is_parsed:
                found.append(known)
            elif self._may_call(path, identifier):
                return None
        return found

    def _using(self, module: Module, identifier: str) -> Sequence[Path]:
        paths = self._mentioning(identifier)
        if len(paths) <= _MANY:
            return paths
        key = (module, identifier)
        if key not in self._near:
            near = set(self._mentioning(module.name.rpartition(".")[2])) - {module.path}
            self._near[key] = [module.path, *(path for path in paths if path in near)][:_MANY]
        return self._near[key]

    def _may_call(self, path: Path, identifier: str) -> bool:
        """Return whether a file's text may call a name; that of a parsed one is not asked."""
        if self._has_parsed(path):
            return True
        return self.unnoted(path) is not None and self._ask(path, scan.calls, _encoded(identifier))

    def _ask(self, path: Path, question: Callable[..., T], *asked: Any) -> T:
        """Return what a function says of a file's bytes; remembered."""
        known = self._answers.setdefault(path, {})
        key = (question, *asked)
        if key not in known:
            source = self.unnoted(path)
            known[key] = question(source.data if source is not None else b"", *asked)
        return cast("T", known[key])

    def spread(self, identifier: str) -> int:
        """Return how many files hold an identifier."""
        return len(self._mentioning(identifier))

    def defines(self, name: str) -> bool:
        """Return whether any file may define a function or class by a name, or bind one to it."""
        return self._of_name("defined", name) is not None or not name.isascii()

    def defining(self, name: str, most: int) -> list[Module]:
        """Return the modules that may define a function or class by a name, or bind one to it; none where they are many."""
        found = self._of_name("defined", name) or ()
        return self._opened(found) if len(found) <= most else []

    def sets(self, attribute: str) -> bool:
        """Return whether any file may set an attribute of this name on anything."""
        return self._of_name("set", attribute) is not None or not attribute.isascii()

    def _of_name(self, kind: str, name: str) -> list[Path] | None:
        """Return the files in which a name is of a kind."""
        self.asked.names[kind].add(_encoded(name))
        return (self._defined if kind == "defined" else self._set).get(_encoded(name))

    def setters(
        self, attribute: str, classes: Collection[str] | None = None, *, all_named: bool = False
    ) -> Iterator[Module]:
        """Yield the modules that may set an attribute of this name on anything, each when it is asked for.

        With `classes`, on objects of classes of these names, or of what derives from them. `all_named` says
        that all that derive from them are among these.
        """
        if not attribute.isascii():
            yield from self.mentions(attribute)
            return
        names = [_encoded(name) for name in classes or ()]
        self.asked.words.update(names)
        for path in self._of_name("set", attribute) or ():
            if (
                classes is None
                or self._has_parsed(path)
                or (
                    not self._words_of(path).isdisjoint(names)
                    and (not all_named or self._has_methods_of(path, names))
                )
                or self._sets_on_others(path, _encoded(attribute))
            ):
                module = self.opened(path)
                if module is not None:
                    yield module

    def _has_methods_of(self, path: Path, classes: Collection[bytes]) -> bool:
        """Return whether a file may have methods of classes of some names, or of what derives from them."""
        self.asked.names["class"].update(classes)
        return (
            not self._names_in(path, "class").isdisjoint(classes)
            or any(self._ask(path, scan.derives, name) for name in classes)
            or self._ask(path, scan.has_loose_methods)
        )

    def _sets_on_others(self, path: Path, attribute: bytes) -> bool:
        """Return whether a file may set an attribute on something else than a method's own object."""
        return self.unnoted(path) is None or self._ask(path, scan.sets_on_others, attribute)

    @cached_property
    def _defined(self) -> dict[bytes, list[Path]]:
        return self._named_by("defined")

    @cached_property
    def _set(self) -> dict[bytes, list[Path]]:
        return self._named_by("set")

    def _named_by(self, kind: str) -> dict[bytes, list[Path]]:
        """Return the names of a kind that are found in the project's files, with the files."""
        found: dict[bytes, list[Path]] = {}
        for path in self.files:
            for name in self._names_in(path, kind):
                found.setdefault(name, []).append(path)
        return found

    def _names_in(self, path: Path, kind: str) -> Words:
        """Return the names of a kind that are found in a file."""
        known = self._names[kind]
        if path not in known:
            source = self.unnoted(path)
            names = scan.NAMING[kind](source.data) if source is not None else ()
            known[path] = self._shared(names)
        return known[path]

    def setting(self, attribute: str, owner: Module) -> list[Module]:
        """Return the other modules that name a module and may set an attribute of it: `m.x = ...`."""
        name, word = _encoded(attribute), _encoded(owner.name.rpartition(".")[2])
        self.asked.words.add(word)
        paths: Sequence[Path] | None = (
            self._of_name("set", attribute) if attribute.isascii() else None
        )
        if not attribute.isascii():
            paths = self._mentioning(attribute)
        return self._opened(
            path
            for path in paths or ()
            if word in self._words_of(path)
            and path != owner.path
            and self._ask(path, scan.sets_attribute, name)
        )

    def decorating(self, name: str, *, called: bool = False) -> list[Module]:
        """Return the modules that may decorate something with a name: `@name`, `@a.name(...)`.

        If it is `called`, only by the latter.
        """
        key = (name, called)
        if key not in self._decorating:
            found = [p for p in self._mentioning(name) if self.decorates(p, name, called=called)]
            self._decorating[key] = found
        return self._opened(self._decorating[key])

    def decorates(self, path: Path, name: str, *, called: bool = False) -> bool:
        """Return whether a file may decorate something with a name, or with a call of it."""
        kind = "decorating by a call" if called else "decorating"
        self.asked.names[kind].add(_encoded(name))
        return _encoded(name) in self._names_in(path, kind)

    def _mentioning(self, identifier: str) -> Sequence[Path]:
        return self._with_word(_encoded(identifier))

    def _with_word(self, word: bytes) -> Sequence[Path]:
        """Return the files that hold a word."""
        self.asked.words.add(word)
        found = self._holders.get(word, ())
        if not self._changed:
            return found
        if word not in self._mentions:
            self._mentions[word] = self._with_changed(word, found)
        return self._mentions[word]

    def _with_changed(self, word: bytes, found: Iterable[Path]) -> list[Path]:
        """Return the files that hold a word, of which some have changed since the index was made."""
        kept = {*found}.difference(self._changed)
        kept.update(p for p in self._changed if p in self._rank and word in self._words_of(p))
        return sorted(kept, key=self._rank.__getitem__)

    @cached_property
    def _rank(self) -> dict[Path, int]:
        """Where each file stands among all."""
        return {path: index for index, path in enumerate(self.files)}

    @cached_property
    def _holders(self) -> dict[bytes, list[Path]]:
        """The files that hold each word; of a project that was renewed, as they were when it was made."""
        found: dict[bytes, list[Path]] = {}
        for path in self.files:
            for word in self._words_of(path):
                found.setdefault(word, []).append(path)
        return found

    def _words_of(self, path: Path) -> Words:
        """Return all words of a file, each object shared between files."""
        if path not in self._words:
            source = self.unnoted(path)
            words = scan.WORD.findall(source.data) if source is not None else ()
            self._words[path] = self._shared(words)
        return self._words[path]

    def _shared(self, words: Iterable[bytes]) -> Words:
        once = set(words)
        return Words(map(self._interned.setdefault, once, once))

    def _opened(self, paths: Iterable[Path]) -> list[Module]:
        modules = (self.opened(p) for p in paths if self._among is None or p in self._among)
        return [module for module in modules if module is not None]

    # Names and imports

    def called(self, name: str) -> Sequence[Path]:
        """Return the files and packages that go by a name, wherever they are."""
        return self._called.get(name, ())

    @cached_property
    def _called(self) -> dict[str, list[Path]]:
        found: dict[str, list[Path]] = {}
        for path in self.files:
            name = path.parent.name if path.name == "__init__.py" else path.stem
            found.setdefault(name, []).append(path)
        return found

    def name_of(self, path: Path) -> str:
        """Return the dotted name a module is imported by: from the first folder that is no package."""
        own = () if path.name == "__init__.py" else (path.stem,)
        return ".".join((*self._packages(path.parent), *own)) or path.parent.name

    def _packages(self, folder: Path) -> tuple[str, ...]:
        """Return the names of the packages that a folder is, outermost first."""
        if folder not in self._packaged:
            found: tuple[str, ...] = ()
            is_package = folder != folder.parent and self._is_file(
                os.path.join(folder, "__init__.py")
            )
            if is_package and not self._is_project(folder):
                found = (*self._packages(folder.parent), folder.name)
            self._packaged[folder] = found
        return self._packaged[folder]

    def find(self, dotted: str, importer: Module | None = None) -> Module | None:
        """Return the module of the tree that a dotted name stands for, seen from `importer`."""
        seen_from = (importer, dotted)
        if seen_from not in self._seen_from:
            self._seen_from[seen_from] = self._found_from(dotted, importer)
        return self._seen_from[seen_from]

    def contains(self, dotted: str, importer: Module) -> bool:
        """Return whether a dotted name stands for a file of the tree, which is not parsed for it."""
        return self._locate(dotted, importer.folder) is not None

    def _found_from(self, dotted: str, importer: Module | None) -> Module | None:
        origin = importer.folder if importer else (self.files[0].parent if self.files else Path())
        key = (origin, dotted)
        if key not in self._found:
            self._found[key] = self._find(dotted, origin)
        found = self._found[key]
        if importer is not None and found is not None:
            found = self._with_names(found, _taken_from(importer, dotted), dotted, origin)
        # `import logging` in a `logging.py` means Python's own
        return None if found is importer and dotted in roots.STANDARD else found

    def _find(self, dotted: str, origin: Path) -> Module | None:
        path = self._locate(dotted, origin)
        if path is None:
            return None
        self.imported.add(path)
        return self.get(path)

    def _with_names(
        self, found: Module, names: frozenset[str], dotted: str, origin: Path
    ) -> Module:
        """Return a module, or one of its name in another folder that alone has the names which are imported from it."""
        if not names or self._may_have(found.path, names, dotted, origin):
            return found
        for path in self._located(dotted, origin):
            if self.lists(path) and self._may_have(path, names, dotted, origin):
                self.imported.add(path)
                return self.get(path) or found
        return found

    def _may_have(self, path: Path, names: frozenset[str], dotted: str, origin: Path) -> bool:
        """Return whether some names may be in a file, by its words, or are modules of its package."""
        if not self.lists(path):
            return True
        source, words = self.unnoted(path), self._words_of(path)
        offers_more = source is None or any(each in source.data for each in _OFFERING_MORE)
        return offers_more or all(
            _encoded(name) in words or self._locate(f"{dotted}.{name}", origin) is not None
            for name in names
        )

    def listed(self, dotted: str, origin: Path) -> Path | None:
        """Return the file of the project that a dotted name stands for, seen from a folder; the disk is not asked."""
        return self._locate(dotted, origin, self._listed.__contains__)

    def lists(self, path: Path) -> bool:
        """Return whether a file is one of the project's."""
        return str(path) in self._listed

    def _locate(
        self, dotted: str, origin: Path, is_file: Callable[[str], bool] | None = None
    ) -> Path | None:
        """Return the file that a dotted name stands for, seen from a folder."""
        return next(self._located(dotted, origin, is_file), None)

    def _located(
        self, dotted: str, origin: Path, is_file: Callable[[str], bool] | None = None
    ) -> Iterator[Path]:
        """Yield the files that a dotted name may stand for, seen from a folder, the most likely first."""
        is_file = is_file or self._is_file
        parts = dotted.removeprefix(".").split(".")  # what lies beside a file of the top folder
        if not all(part.isidentifier() for part in parts):
            return
        relative = os.sep.join(parts)
        for base in self._started_from(origin, parts[0]):
            folder = f"{base}{relative}"
            for candidate in (f"{folder}{os.sep}__init__.py", f"{folder}.py"):
                if is_file(candidate):
                    yield Path(candidate)

    def _started_from(self, origin: Path, top: str) -> tuple[str, ...]:
        """Return the folders in which a top-level name is looked for, in order, each with a separator."""
        key = (origin, top in roots.STANDARD, top in roots.LIBRARIES)
        if key not in self._starts:
            found = (os.path.join(folder, "") for folder in self._starting(origin, top))
            self._starts[key] = tuple(dict.fromkeys(found))
        return self._starts[key]

    def _starting(self, origin: Path, top: str) -> Iterator[Path]:
        if top in roots.STANDARD:
            yield from filter(self._is_started_from, self.bases(origin))
            return
        yield from self.bases(origin)
        yield from self._added
        if top not in roots.LIBRARIES:
            # a script's own folder, and the one a program is started in, may be packages, too
            yield from self._folders_above(origin)

    def _is_started_from(self, folder: Path) -> bool:
        """Return whether a program may start in a folder, so that its files hide those of Python itself."""
        return folder == self._top or folder in self._with_scripts

    @cached_property
    def _with_scripts(self) -> frozenset[Path]:
        """The folders of the project's files that run when they are the program."""
        return frozenset(path.parent for path in self.holding([b"__main__"]))

    @cached_property
    def _added(self) -> tuple[Path, ...]:
        """The folders that the project's files add to `sys.path`."""
        found: list[Path] = []
        for path in self.holding([b"sys.path"]):
            module = self.get(path)
            if module is not None:
                found.extend(roots.added(module))
        return tuple(dict.fromkeys(folder for folder in found if seen.is_dir(folder)))

    def _folders_above(self, folder: Path) -> Iterator[Path]:
        """Yield a folder of the project and those that it lies in, up to the topmost."""
        for each in (folder, *folder.parents):
            if not each.is_relative_to(self._top):
                return
            yield each

    @cached_property
    def root(self) -> Path:
        """The folder with the packaging files or the repository, around all files; else the topmost of theirs."""
        home = Path(os.path.expanduser("~"))
        for folder in (self._top, *self._top.parents):
            if folder in (home, Path(folder.anchor)):
                break
            if self._is_project(folder):
                return folder
        return self._top

    @cached_property
    def _top(self) -> Path:
        """The folder in which all files of the project lie."""
        folders = [str(path.parent) for path in self.files]
        return Path(os.path.commonpath(folders)) if folders else Path()

    def bringing(self, importer: Module, starred: Iterable[str], name: str) -> Iterator[str]:
        """Yield which of the modules that a module imports with a star may bring a name, in order."""
        word = _encoded(name)
        self.asked.words.add(word)
        names = tuple(starred)
        key = (importer.folder, names)
        if key not in self._bringing:
            paths = [self._locate(dotted, importer.folder) for dotted in names]
            self._bringing[key] = [*map(self._words_brought, paths)]
        brought = zip(names, self._bringing[key], strict=True)
        return (dotted for dotted, known in brought if known is None or word in known)

    def _words_brought(self, path: Path | None) -> AbstractSet[bytes] | None:
        """Return the words that a star import of a file may bring; None where some are out of view.

        Of it and of what it star-imports, these are the words of `__all__`, or without one all words of the text.
        """
        if path is None:
            return frozenset()
        if path not in self._brought:
            sources = self._star_sources(path)
            self._brought[path] = None if None in sources else self._offered_by(sources)
        return self._brought[path]

    def _offered_by(self, sources: Iterable[Path | None]) -> AbstractSet[bytes]:
        offered = [
            self._offered(source)[0] or self._words_of(source)
            for source in sources
            if source is not None
        ]
        return offered[0] if len(offered) == 1 else frozenset().union(*offered)

    def _star_sources(self, path: Path) -> tuple[Path | None, ...]:
        """Return a file and all that it star-imports; None stands for what is out of view."""
        if path not in self._starring:
            found: dict[Path | None, None] = {path: None}
            pending = [path]
            while pending:
                at = pending.pop()
                listed, starred = self._offered(at)
                for dotted in starred if listed is None else ():
                    source = self._locate(self._absolute(dotted, at), at.parent) if dotted else None
                    if source is not None and source not in found:
                        pending.append(source)
                    found[source] = None
            self._starring[path] = tuple(found)
        return self._starring[path]

    def _absolute(self, dotted: str, path: Path) -> str:
        """Return the whole name of a module that a file names: of `.x` with its package."""
        name = dotted.lstrip(".")
        level = len(dotted) - len(name)
        if not level:
            return name
        own = self.name_of(path).split(".")
        level -= path.name == "__init__.py"
        return ".".join([*own[: len(own) - level], *([name] if name else [])])

    def _offered(self, path: Path) -> tuple[frozenset[bytes] | None, tuple[str, ...]]:
        """Return the quoted words of a file with `__all__`, and the modules that it star-imports."""
        if path not in self._offers:
            source = self.unnoted(path)
            data = source.data if source is not None else b""
            listed = frozenset(scan.QUOTED.findall(data)) if scan.LISTED.search(data) else None
            self._offers[path] = listed, scan.starred(data)
        return self._offers[path]

    def bases(self, folder: Path) -> tuple[Path, ...]:
        """Return the folders that imports of a file in `folder` may start from, nearest first."""
        if folder not in self._bases:
            self._bases[folder] = tuple(self._candidates(folder))
        return self._bases[folder]

    def _candidates(self, folder: Path) -> Iterator[Path]:
        top = _MOST_LEVELS
        for level, base in enumerate([folder, *folder.parents]):
            if level > top or base == base.parent:
                return
            if not self._is_file(os.path.join(base, "__init__.py")):
                yield base
                if seen.is_dir(base / "src"):
                    yield base / "src"
            yield from roots.declared(base)
            if self._is_project(base):
                return

    def _is_project(self, folder: Path) -> bool:
        """Return whether a folder is the root of a project: it is no package, whatever lies in it."""
        return any(seen.exists(folder / marker) for marker in _MARKERS)

    def is_folder(self, dotted: str, importer: Module) -> bool:
        """Return whether a dotted name is a folder of the tree (a namespace package)."""
        key = (importer.folder, dotted)
        if key not in self._folders:
            relative = dotted.replace(".", os.sep)
            folders = (os.path.join(base, relative) for base in self.bases(key[0]))
            self._folders[key] = any(map(self._is_dir, folders))
        return self._folders[key]

    def relative(self, importer: Module, level: int, name: str | None) -> str:
        """Return the absolute dotted name of a relative import."""
        package = importer.package.split(".") if importer.package else []
        if len(package) < level:
            package = self._namespace(importer.folder)
        kept = package[: len(package) - (level - 1)]
        return ".".join([*kept, *([name] if name else [])])

    def _namespace(self, folder: Path) -> list[str]:
        """Return the names of the folders that make a namespace package: none of them has an `__init__.py`."""
        inside = folder.parts[len(self._top.parts) :] if folder.is_relative_to(self._top) else ()
        names = takewhile(str.isidentifier, reversed(inside))
        return [*names][::-1]

    def _is_dir(self, path: str) -> bool:
        if path not in self._is_there:
            self._is_there[path] = seen.is_dir(path)
        return self._is_there[path]

    def _is_file(self, path: str) -> bool:
        if path not in self._exists:
            self._exists[path] = path in self._listed or seen.is_file(path)
        return self._exists[path]


def _taken_from(importer: Module, dotted: str) -> frozenset[str]:
    """Return the names that a module imports from another by its dotted name; none where it takes all."""
    names = frozenset(
        alias.name
        for node in importer.nodes(ast.ImportFrom)
        if node.module == dotted and not node.level
        for alias in node.names
    )
    return frozenset() if "*" in names else names


def _encoded(name: str) -> bytes:
    """Return a name's bytes; that of a file whose name is not UTF-8 is no word of any text."""
    return name.encode(errors="surrogatepass")
