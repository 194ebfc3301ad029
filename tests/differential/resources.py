"""Programs whose dataset keeps something that is open."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.differential import tweaks
from tests.differential.grammar import Family, Spec, but, conflict, indented
from tests.differential.kinds import KINDS, Kind

FEATURES = {
    "kind": {
        "sqlite": 6, "h5": 6, "binary": 4, "text": 3, "zip": 4, "tar": 3, "gzip": 3, "mmap": 3,
        "lmdb": 3, "npz": 2, "memmap": 1, "array": 1, "shelve": 1, "lock": 2, "queue": 1,
        "executor": 1, "npy_memmap": 2, "memmap_cow": 2, "memmap_view": 2, "mmap_cow": 2, "member": 2,
        "descriptor": 2, "bz2": 1, "buffered": 2, "keys_view": 1, "table_view": 1, "generator": 1,
        "proxy": 1, "module": 1, "weakset": 1, "thread": 1, "event": 2, "local": 1,
    },
    "open": {
        "straight": 14, "helper": 4, "filling_helper": 4, "function": 4, "stack": 2,
        "try_none": 2, "try_other": 3, "branch": 2, "list": 4, "append": 3, "dict": 3, "unpack": 3,
        "added": 2, "added_by_name": 2, "loaded": 2,
        "chained": 2, "walrus": 2, "setattr": 1, "passed": 2, "classmethod": 2, "base": 4,
        "factory": 2, "lazy_none": 4, "lazy_hasattr": 2, "lazy_try": 2, "lazy_dict": 2,
        "lazy_flag": 2, "enter": 2, "connect": 2, "partial": 1, "nested": 2, "annotated": 2,
    },
    "path": {
        "kept": 8, "param": 6, "join": 4, "config": 4, "config_param": 3, "options": 3, "pop": 2,
        "next": 2, "environ": 2, "class_attribute": 2, "module": 2, "item": 2, "pathlib": 2,
        "local": 3, "rebound": 2, "setter": 1,
    },
    "init": {
        "none": 8, "length": 6, "keys": 3, "header": 3, "stats": 3, "first": 3, "method": 2,
        "closed": 2, "all": 2,
    },
    "derived": {"no": 3, "yes": 1},
    "len": {"plain": 2, "handle": 1},
    "touch": {"none": 6, "len": 3, "item": 3, "property": 2, "helper": 2, "attribute": 2, "iterate": 1},
    "family": {
        "alone": 10, "sub": 2, "sub_path": 2, "sub_property": 1, "sub_without_super": 2,
        "sub_opens_other": 2, "mixin": 1, "sub_close": 1,
    },
    "state": {
        "none": 14, "copy": 2, "cache": 2, "assigned": 1, "decorator": 1, "base": 2, "setstate": 2,
        "reduce": 1, "slots": 1, "dataclass": 2, "getattr": 1, "super": 1, "pair": 1,
    },
    "closing": {"none": 8, "close": 3, "close_none": 2, "del": 2, "exit": 2, "del_hasattr": 1},
    "between": {
        "nothing": 8, "source_changed": 4, "attribute_set": 2, "chdir": 1, "unlink": 1, "copy": 2,
        "second": 2, "replaced": 1,
    },
    "look": {"nothing": 10, "vars": 1, "repr": 1},
    "after": {"nothing": 3, "item": 1, "length": 1},
    "epochs": {"1": 2, "2": 1},
    "modules": {"one": 1, "two": 1},
    **tweaks.FEATURES,
}  # fmt: skip

LAZY = tuple(option for option in FEATURES["open"] if option.startswith("lazy"))
BY_NAME = ("dict", "added_by_name")
ADDING = ("added", "added_by_name", "loaded")  # by a method, which also notes what it has added
MANY = ("list", "append", *BY_NAME, "added", "loaded")
OUTSIDE = ("passed", "classmethod", "factory")


def _kinds(test: Callable[[Kind], object]) -> str:
    return " ".join(kind.name for kind in KINDS.values() if test(kind))


def _open_but(names: str) -> str:
    return but(FEATURES["open"], names)


def _path_but(names: str) -> str:
    return but(FEATURES["path"], names)


_lazy, _many, _outside = (" ".join(names) for names in (LAZY, MANY, OUTSIDE))
_late = (
    f"{_lazy} enter connect"  # opened late in the original: what it reads by then is what counts
)
_placeless = _kinds(lambda kind: not kind.files)
_no_close = _kinds(lambda kind: not kind.close)
_simple = "straight helper function chained filling_helper walrus"

CONFLICTS = (
    # What a kind of resource cannot do.
    conflict("derived", "yes", "no", kind=_kinds(lambda kind: kind.derived is None)),
    conflict("open", "try_none try_other branch passed", "straight", kind=_placeless),
    conflict("between", "chdir unlink replaced source_changed second", "nothing", kind=_placeless),
    conflict("init", "keys header closed", "length", kind=_placeless),
    conflict("path", _path_but("kept"), "kept", kind=_placeless),
    conflict("path", "pathlib", "kept", kind="shelve"),
    conflict("between", "unlink replaced chdir", "nothing", kind="shelve"),
    conflict("open", "branch", "straight", kind="shelve"),
    conflict("between", "unlink replaced", "nothing",
             kind=_kinds(lambda kind: kind.folder)),
    conflict("family", "sub_opens_other", "alone", kind="lmdb"),  # once in a process
    conflict("init", "header", "length", kind=_kinds(lambda kind: not kind.header)),
    conflict("init", "closed", "all", kind=_no_close),
    conflict("modules", "two", "one", kind="mmap", open="passed factory"),  # needs its function
    # Several handles.
    conflict("path", _path_but("kept"), "kept", open=_many),
    conflict("family", "sub_opens_other sub_path", "sub", open=_many),
    conflict("init", "closed header", "length", open=_many),
    conflict("state", "getattr", "none", open=_many),
    conflict("between", "unlink chdir replaced", "nothing", open=_many),
    # A handle that comes late, or from outside.
    conflict("derived", "yes", "no", open=f"{_many} {_late} {_outside} base"),
    conflict("init", "closed", "all", open=f"{_late} stack setattr try_none"),
    conflict("init", but(FEATURES["init"], "none"), "none", open="enter connect factory"),
    conflict("touch", "attribute", "none", open="enter connect"),
    conflict("closing", but(FEATURES["closing"], "none"), "none", open="enter connect factory"),
    conflict("family", "sub_opens_other sub_path sub_property sub_close", "sub", open=_late),
    conflict("touch", "attribute helper", "item", open=_lazy),
    conflict("closing", but(FEATURES["closing"], "none close_none"), "none", open=_lazy),
    conflict("closing", "close_none", "none", open=but(dict.fromkeys(LAZY, 1), "lazy_none")),
    conflict("path", "param config_param pop next local rebound", "kept", open=_late),
    conflict("state", "slots getattr", "none", open=f"{_late} base"),
    conflict("between", "source_changed second attribute_set chdir unlink replaced", "nothing",
             open=_late),
    conflict("family", "sub_path sub_property sub_opens_other mixin", "alone", open=_outside),
    conflict("between", "second", "nothing", open=_outside),
    conflict("path", _path_but("kept"), "kept", open=_outside),
    conflict("init", "closed", "length", open=_outside),
    conflict("family", but(FEATURES["family"], "alone"), "alone", open="base"),
    # A handle that is closed again.
    conflict("len", "handle", "plain", init="closed"),
    conflict("derived", "yes", "no", init="closed"),
    conflict("closing", but(FEATURES["closing"], "none"), "none", init="closed"),
    conflict("touch", "helper attribute property", "len", init="closed"),
    conflict("state", "getattr", "none", init="closed"),
    conflict("family", "sub_opens_other sub_close", "sub", init="closed"),
    # State methods.
    conflict("state", "dataclass reduce pair", "none", open=_open_but(_simple)),
    conflict("state", "reduce pair", "none", open="walrus"),
    conflict("state", "dataclass reduce pair slots", "none",
             family=but(FEATURES["family"], "alone sub")),
    conflict("path", _path_but("kept"), "kept", state="dataclass reduce pair"),
    conflict("between", "copy attribute_set second", "nothing", state="reduce pair"),
    conflict("between", "second", "nothing", state="dataclass"),
    conflict("state", "slots", "none",
             open=_open_but("straight helper function walrus annotated unpack")),
    conflict("state", "slots", "none", look="vars repr"),
    conflict("between", "copy", "nothing", state="getattr"),
    # Where the path comes from, and what changes it.
    conflict("path", "setter", "kept", state="slots"),
    conflict("path", _path_but("kept"), "kept", family="sub_path sub_property"),
    conflict("between", "attribute_set", "source_changed", path=_path_but("kept join config setter")),
    conflict("between", "attribute_set", "nothing", family="sub_property"),
    conflict("between", "source_changed", "nothing", open=_open_but(_many),
             path="kept param join pathlib local rebound setter pop"),
    conflict("between", "second", "nothing", open=f"{_many} base"),
    conflict("family", "sub_path sub_property", "alone", between="second"),
    conflict("path", "kept param join pathlib local rebound setter pop", "config", between="second"),
    # What is added to a program.
    conflict("opener", but(FEATURES["opener"], "as_chosen"), "as_chosen", open=_open_but("straight")),
    conflict("opener", but(FEATURES["opener"], "as_chosen"), "as_chosen", path=_path_but("kept param config join")),
    conflict("opener", "fallback_next two_of_one suppressed dispatched_changed", "as_chosen", kind=_placeless),
    conflict("gone", but(FEATURES["gone"], "stays"), "stays", kind=f"{_placeless} lmdb shelve"),
    conflict("gone", but(FEATURES["gone"], "stays"), "stays", open=f"{_many} {_late}"),
    conflict("gone", but(FEATURES["gone"], "stays"), "stays", between=but(FEATURES["between"], "nothing copy")),
    conflict("setup", but(FEATURES["setup"], "as_it_is"), "as_it_is", kind=_kinds(lambda kind: kind.name not in tweaks.SET_UP.split())),
    conflict("setup", but(FEATURES["setup"], "as_it_is"), "as_it_is", open=f"{_many} enter connect base {_outside}"),
    conflict("setup", but(FEATURES["setup"], "as_it_is"), "as_it_is", init="closed"),
    conflict("init", "first all", "length", setup=tweaks.BY_CALLER),
    conflict("between", "second", "nothing", setup=tweaks.BY_CALLER),
    conflict("later", but(FEATURES["later"], "nothing"), "nothing", open=f"{_many} {_late} base nested {_outside}"),
    conflict("later", but(FEATURES["later"], "nothing"), "nothing", init="closed"),
    conflict("later", tweaks.having("later", tweaks.opens_again), "nothing",
             setup=but(FEATURES["setup"], "as_it_is")),
    conflict("later", tweaks.having("later", tweaks.opens_again), "nothing", kind=f"{_placeless} lmdb shelve"),
    conflict("class", but(FEATURES["class"], "plain"), "plain", open=f"{_many} {_late} base nested {_outside}"),
    conflict("class", but(FEATURES["class"], "plain"), "plain", state=but(FEATURES["state"], "none")),
    conflict("class", but(FEATURES["class"], "plain"), "plain", init="closed"),
    # A subclass that never set what `__setstate__` reads: no worker gets it, before or after.
    conflict("class", "state_marks", "plain", family="sub_without_super"),
    conflict("class", "count_item", "plain", setup=but(FEATURES["setup"], "as_it_is")),
    conflict("later", "method_kept", "nothing", setup=but(FEATURES["setup"], "as_it_is")),
    conflict("later", tweaks.having("later", tweaks.opens_again), "nothing", between="replaced"),
    conflict("setup", but(FEATURES["setup"], "as_it_is"), "as_it_is", kind="shelve", closing="close_none"),
    conflict("open", "classmethod", "straight", kind="lock executor weakset"),
    conflict("open", "chained annotated", "straight", kind="queue"),
    conflict("open", "stack", "straight", kind="descriptor"),
    conflict("modules", "two", "one", kind="mmap_cow", open="passed"),
    *(
        conflict(table, tweaks.having(table, lambda row, name=kind: row.kinds and name not in row.kinds.split()),
                 next(iter(rows)), kind=kind)
        for table, rows in tweaks.TABLES.items() if table != "setup" for kind in FEATURES["kind"]
    ),
    *(
        conflict(table, tweaks.having(table, lambda row: row.plain_path), next(iter(rows)), **{feature: options})
        for table, rows in tweaks.TABLES.items()
        for feature, options in (("path", _path_but("kept param local rebound pathlib")),
                                 ("family", "sub_opens_other sub_property sub_path"), ("state", "dataclass"))
    ),
    conflict("gone", tweaks.having("gone", lambda row: row.around or row.init), "stays",
             later=tweaks.having("later", tweaks.opens_again)),
    conflict("gone", but(FEATURES["gone"], "stays"), "stays", family="sub_opens_other"),
    conflict("state", "slots getattr", "none", later=but(FEATURES["later"], "nothing")),
    conflict("closing", "del del_hasattr exit", "none", later=but(FEATURES["later"], "nothing")),
    # Closing.
    conflict("closing", "del del_hasattr exit", "none", between="copy"),
    conflict("closing", "del del_hasattr", "none", **{"class": "eq"}),
    conflict("closing", "exit", "close", between="second"),
    conflict("closing", but(FEATURES["closing"], "none"), "none", kind=_no_close),
    conflict("closing", but(FEATURES["closing"], "none"), "none", kind="mmap", derived="yes"),
)  # fmt: skip


@dataclass
class Path_:
    """Where the path comes from: parameters, what `__init__` keeps, the expression."""

    params: str
    keeps: list[str]
    expression: str
    before: list[str]  # in main, before the construction
    arguments: str
    change: list[str] = field(default_factory=list)  # in main, so that it names the other file
    members: list[str] = field(default_factory=list)
    module: list[str] = field(default_factory=list)


def _path(spec: Spec, where: str) -> Path_:
    chosen = spec["path"]
    if spec["open"] in MANY:
        return Path_(
            "paths",
            ["self.paths = paths"],
            "path",
            ["paths = [path, other]"],
            "paths",
            ["paths.insert(0, other)"],
        )
    plain = Path_("path", ["self.path = path"], "self.path", [], "path")
    config = [
        "class Config:",
        "    def __init__(self, path):",
        "        self.path = path",
        "        self.scale = 2",
        "",
        "",
    ]
    match chosen:
        case "param":
            return Path_("path", [], "path", [], "path")
        case "pathlib":
            return Path_("path", ["self.path = pathlib.Path(path)"], "str(self.path)", [], "path")
        case "local":
            return Path_("path", [], "place", [], "path", members=[], module=[])
        case "rebound":
            return Path_(
                "path",
                ["self.path = path", "source = self.path", 'self.path = "kept for logs"'],
                "source",
                [],
                "path",
            )
        case "join":
            return Path_(
                "root, name",
                ["self.root = root", "self.name = name"],
                "os.path.join(self.root, self.name)",
                ["root, name = os.path.split(path)"],
                "root, name",
            )
        case "config":
            return Path_(
                "config",
                ["self.config = config"],
                "self.config.path",
                [f"config = {where}Config(path)"],
                "config",
                ["config.path = other"],
                module=config,
            )
        case "config_param":
            return Path_(
                "config",
                [],
                "config.path",
                [f"config = {where}Config(path)"],
                "config",
                ["config.path = other"],
                module=config,
            )
        case "options":
            return Path_(
                "options",
                ["self.options = options"],
                'self.options["path"]',
                ['options = {"path": path, "mode": "r"}'],
                "options",
                ['options["path"] = other'],
            )
        case "pop":
            return Path_(
                "options",
                ["self.options = options"],
                'options.pop("path")',
                ['options = {"path": path, "mode": "r"}'],
                "options",
            )
        case "next":
            return Path_("paths", [], "next(paths)", ["paths = iter([path, other])"], "paths")
        case "environ":
            return Path_(
                "",
                [],
                'os.environ["STORE"]',
                ['os.environ["STORE"] = path'],
                "",
                ['os.environ["STORE"] = other'],
            )
        case "class_attribute":
            return Path_(
                "",
                [],
                "self.PATH",
                [f"{where}Rows.PATH = path"],
                "",
                [f"{where}Rows.PATH = other"],
                members=["PATH = None", ""],
            )
        case "module":
            return Path_(
                "", [], "settings.store", ["settings.use(path)"], "", ["settings.use(other)"]
            )
        case "item":
            return Path_(
                "paths",
                ["self.paths = paths"],
                "self.paths[0]",
                ["paths = [path, other]"],
                "paths",
                ["paths.insert(0, other)"],
            )
        case "setter":
            return Path_(
                "path",
                ["self.path = path"],
                "self.path",
                [],
                "path",
                members=[
                    "@property",
                    "def path(self):",
                    "    return self._path",
                    "",
                    "@path.setter",
                    "def path(self, value):",
                    "    self._path = str(value)",
                    "",
                ],
            )
    return plain


class Program:
    """Writes one program."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.kind: Kind = KINDS[spec["kind"]]
        self.two = spec["modules"] == "two"
        self.where = ""
        self.path = _path(spec, "")
        self.attribute = self.kind.attribute
        self.lazy = spec["open"] in LAZY
        self.many = spec["open"] in MANY
        self.module: list[str] = []  # functions of the dataset's module
        self.store: list[str] = []  # a module with the function that opens
        self.methods: list[str] = []
        self.bases = ["Dataset"]
        self.decorators: list[str] = []
        self.gone = tweaks.tweak("gone", spec["gone"], spec["kind"])
        self.tweaks = [tweaks.tweak(table, spec[table], spec["kind"]) for table in tweaks.TABLES]

    def added(self, place: str) -> list[str]:
        """Return the lines that all tweaks add in one place."""
        return [line for one in self.tweaks for line in one.lines(place, self._said)]

    def _said(self, text: str) -> str:
        text = re.sub(
            r"OPEN\(((?:'[^']*'|[\w.]+|\((?:[^()])*\)|[^()']+?)+?)\)",
            lambda m: self.opening(m[1]),
            text,
        )
        handle = self.handle
        names = {"H": handle, "R": handle.replace("self.", "rows."), "P": "path",
                 "K": handle.split(".")[-1], "C": self.constructed, "TARGET": f"self.{self.attribute}", "PATH": self.path.expression}  # fmt: skip
        text = re.sub(r"\bK_spare\b", f"{names['K']}_spare", text)
        return re.sub(r"\b(H|R|P|K|C|TARGET|PATH)\b", lambda m: names[m[1]], text)

    # Expressions

    def say(self, template: str, handle: str, index: str = "index", derived: str = "") -> str:
        return self.kind.say(template, H=handle, I=index, D=derived)

    def opening(self, path: str) -> str:
        return self.kind.say(self.kind.open, P=path)

    @property
    def handle(self) -> str:
        """The handle as methods name it."""
        if self.lazy:
            return "self.opened()"
        if self.many:
            key = '"first"' if self.spec["open"] in BY_NAME else "0"
            return f"self.{self.attribute}s[{key}]"
        if self.spec["open"] == "nested":
            return f"self.parts.{self.attribute}"
        return f"self.{self.attribute}"

    # The constructor

    def constructor(self) -> list[str]:
        spec = self.spec
        body = list(self.path.keeps)
        if spec["path"] == "local" and not self.many:
            body += ["place = os.path.abspath(path)"]
        if spec["state"] in ("cache", "assigned", "decorator", "base", "setstate", "super", "copy"):
            body.append("self.cache = {}")
        body.append("self.scale = 2")
        body += self.added("first")
        body += self.added("opening") or self._opens()
        body += self._derives()
        body += self.added("init")
        body += self._reads()
        return body

    def _opens(self) -> list[str]:
        target, path = f"self.{self.attribute}", self.path.expression
        opened = self.opening(path)
        handle = self.attribute
        match self.spec["open"]:
            case "helper":
                return self._by_helper(target, path)
            case "filling_helper":
                return self._by_filling_helper(target, path)
            case "function":
                self.store += ["def open_store(path):", f"    return {self.opening('path')}"]
                name = "store.open_store" if self.two else "open_store"
                return [f"{target} = {name}({path if self.kind.files else 'None'})"]
            case "stack":
                if not self.kind.close or self.kind.name == "lock":
                    return [f"{target} = {opened}"]
                if self.kind.name in ("sqlite", "queue", "npz") and self.kind.name != "npz":
                    return [f"{target} = {opened}"]
                return [
                    "self.stack = contextlib.ExitStack()",
                    f"{target} = self.stack.enter_context({opened})",
                ]
            case "try_none":
                return [
                    "try:",
                    f"    {target} = {opened}",
                    "except OSError:",
                    f"    {target} = None",
                ]
            case "try_other":
                return self._with_fallback(target, path)
            case "branch":
                return [
                    f"source = {path}",
                    "if os.path.exists(source):",
                    f"    {target} = {self.opening('source')}",
                    "else:",
                    "    raise FileNotFoundError(source)",
                ]
            case "list":
                return [f"{target}s = [{self.opening('path')} for path in paths]"]
            case "append":
                return [
                    f"{target}s = []",
                    "for path in paths:",
                    f"    {target}s.append({self.opening('path')})",
                ]
            case "dict":
                return [
                    f"{target}s = {{}}",
                    'for name, path in zip(("first", "second"), paths):',
                    f"    {target}s[name] = {self.opening('path')}",
                ]
            case "added":
                self.methods += [
                    "def _add(self, place):",
                    "    self.ends.append(len(self.ends) + 1)",
                    f"    {target}s.append({self.opening('place')})",
                    "",
                ]
                return [
                    f"{target}s = []",
                    "self.ends = []",
                    "for path in paths:",
                    "    self._add(path)",
                ]
            case "added_by_name":
                self.methods += [
                    "def _add(self, name, path, step=2):",
                    f"    {target}s[name] = {self.opening('path')}",
                    "    self.ends += [step] if name else []",
                    "    return self.ends",
                    "",
                ]
                return [
                    "self.ends = []",
                    f"{target}s = {{}}",
                    'for name, path in zip(("first", "second"), paths):',
                    "    self._add(name, path=path)",
                ]
            case "loaded":
                self.methods += [
                    "def _load(self, paths, last=None):",
                    "    names = [str(path) for path in paths][:last]",
                    "    for name in names:",
                    f"        {handle} = {self.opening('name')}",
                    f"        {target}s.append({handle})",
                    "        self.ends.append(len(self.ends) + 3)",
                    "",
                ]
                return [f"{target}s, self.ends = [], []", "self._load(paths)"]
            case "unpack":
                return [f"{target}, self.unit = {opened}, 1"]
            case "chained":
                return [f"{target} = {handle} = {opened}"]
            case "walrus":
                return [f"if ({handle} := {opened}) is not None:", f"    {target} = {handle}"]
            case "setattr":
                return [f'setattr(self, "{handle}", {opened})']
            case "annotated":
                return [f"{handle} = {opened}", f"{target}: object = {handle}"]
            case "partial":
                return (
                    [
                        f"opener = functools.partial({self._callee()}, {path})",
                        f"{target} = opener()",
                    ]
                    if self.kind.files and "," not in self.kind.open
                    else [f"{target} = {opened}"]
                )
            case "nested":
                self.module += [
                    "class Parts:",
                    "    def __init__(self, path):",
                    f"        self.{handle} = {self.opening('path')}",
                    "",
                    "",
                ]
                return [f"self.parts = Parts({path if self.kind.files else 'None'})"]
            case "passed" | "classmethod":
                return [f"{target} = {handle}"]
            case "factory":
                return []
            case "lazy_none":
                return [f"{target} = None"]
            case "lazy_flag":
                return ["self.ready = False"]
            case "lazy_hasattr" | "lazy_try" | "lazy_dict":
                return []
            case "enter" | "connect":
                return [f"{target} = None"]
            case "base":
                return []
        return [f"{target} = {opened}"]

    def _callee(self) -> str:
        return self.kind.open.partition("(")[0]

    def _by_helper(self, target: str, path: str) -> list[str]:
        if path.startswith("self.") or not self.kind.files:
            self.methods += ["def _open(self):", f"    return {self.opening(path)}", ""]
            return [f"{target} = self._open()"]
        self.methods += ["def _open(self, path):", f"    return {self.opening('path')}", ""]
        return [f"{target} = self._open({path})"]

    def _by_filling_helper(self, target: str, path: str) -> list[str]:
        if path.startswith("self.") or not self.kind.files:
            self.methods += ["def _connect(self):", f"    {target} = {self.opening(path)}", ""]
            return ["self._connect()"]
        self.methods += ["def _connect(self, path):", f"    {target} = {self.opening('path')}", ""]
        return [f"self._connect({path})"]

    def _with_fallback(self, target: str, path: str) -> list[str]:
        """Open what is not there, and fall back."""
        lines = [f"source = {path}"]
        missing = self.opening('"missing/" + source').replace("open_mapped", "open_mapped")
        return [
            *lines,
            "try:",
            f"    {target} = {missing}",
            "    self.found = True",
            "except Exception:",
            f"    {target} = {self.opening('source')}",
            "    self.found = False",
        ]

    def _derives(self) -> list[str]:
        if self.spec["derived"] == "no" or self.kind.derived is None:
            return []
        name, expression, _, _ = self.kind.derived
        return [f"self.{name} = {self.say(expression, self.handle)}"]

    def _reads(self) -> list[str]:
        handle = self.handle
        if self.spec["open"] in ("enter", "connect", "factory", "base"):
            return []
        match self.spec["init"]:
            case "length":
                return [f"self.length = {self.say(self.kind.length, handle)}"]
            case "keys":
                return [f"self.keys = {self.say(self.kind.keys, handle)}"]
            case "header":
                return [f"self.header = {self.say(self.kind.header, handle)}"]
            case "stats":
                name = "stats.total" if self.two else "total"
                return [f"self.total = {name}({handle})"]
            case "first":
                return ["self.first = self[0]"]
            case "method":
                self.methods += [
                    "def _summary(self):",
                    *indented(self._value_lines("1"), 1),
                    "    return value + 1",
                    "",
                ]
                return ["self.summary = self._summary()"]
            case "all":
                return ["self.values_seen = [self[index] for index in range(3)]"]
            case "closed":
                seek = self.say(self.kind.seek, handle)
                loop = ["self.loaded = []", "for index in range(6):"]
                loop += [f"    {seek}"] if seek else []
                loop += [f"    self.loaded.append({self.say(self.kind.read, handle)})"]
                return [*loop, self.say(self.kind.close, handle)]
        return []

    # Methods

    def _value_lines(self, index: str) -> list[str]:
        spec, kind = self.spec, self.kind
        handle = self.handle
        if spec["init"] == "closed":
            return [f"value = self.loaded[{index}]"]
        if self.many:
            key = f'("first", "second")[{index} % 2]' if spec["open"] in BY_NAME else f"{index} % 2"
            lines = [f"handle = self.{self.attribute}s[{key}]"]
            handle = "handle"
        elif self.lazy:
            lines = ["handle = self.opened()"]
            handle = "handle"
        else:
            lines = []
        if spec["derived"] == "yes" and kind.derived is not None:
            name, _, seek, read = kind.derived
            seek, value = (self.say(text, handle, index, f"self.{name}") for text in (seek, read))
        else:
            seek, value = (self.say(text, handle, index) for text in (kind.seek, kind.read))
        noted = ["value += len(self.ends)"] if spec["open"] in ADDING else []
        return [*lines, *([seek] if seek else []), f"value = {value}", *noted]

    def _lazily(self) -> list[str]:
        target, opened = f"self.{self.attribute}", self.opening(self.path.expression)
        match self.spec["open"]:
            case "lazy_none":
                test = f"if {target} is None:"
            case "lazy_hasattr":
                test = f'if not hasattr(self, "{self.attribute}"):'
            case "lazy_dict":
                test = f'if "{self.attribute}" not in self.__dict__:'
            case "lazy_flag":
                return [
                    "def opened(self):",
                    "    if not self.ready:",
                    f"        {target} = {opened}",
                    "        self.ready = True",
                    f"    return {target}",
                    "",
                ]
            case "lazy_try":
                return [
                    "def opened(self):",
                    "    try:",
                    f"        return {target}",
                    "    except AttributeError:",
                    f"        {target} = {opened}",
                    f"        return {target}",
                    "",
                ]
            case _:
                return []
        return [
            "def opened(self):",
            f"    {test}",
            f"        {target} = {opened}",
            f"    return {target}",
            "",
        ]

    def _length(self) -> list[str]:
        spec = self.spec
        if spec["len"] == "handle" and spec["open"] not in ("enter", "connect"):
            body = f"return {self.say(self.kind.length, self.handle)}"
        elif spec["init"] == "length" and spec["open"] not in (
            "base",
            "factory",
            "enter",
            "connect",
        ):
            body = "return self.length"
        else:
            body = "return 6"
        return ["def __len__(self):", f"    {body}", ""]

    def _closing(self) -> list[str]:
        spec = self.spec
        if spec["closing"] == "none" or not self.kind.close:
            return []
        handle = self.handle if not self.lazy else f"self.{self.attribute}"
        close = self.say(self.kind.close, handle)
        if self.many:
            values = f"self.{self.attribute}s" + (".values()" if spec["open"] in BY_NAME else "")
            body = [f"for one in {values}:", f"    {self.say(self.kind.close, 'one')}"]
        elif spec["closing"] == "close_none":
            body = [f"if {handle} is not None:", f"    {close}", f"    {handle} = None"]
        else:
            body = [close]
        lines = ["def close(self):", *indented(body, 1), ""]
        if spec["closing"] == "del":
            lines += ["def __del__(self):", "    self.close()", ""]
        if spec["closing"] == "del_hasattr":
            lines += [
                "def __del__(self):",
                f'    if hasattr(self, "{self.attribute}"):',
                "        self.close()",
                "",
            ]
        if spec["closing"] == "exit":
            lines += [
                "def __enter__(self):",
                "    return self",
                "",
                "def __exit__(self, *error):",
                "    self.close()",
                "",
            ]
        return lines

    def _state(self) -> list[str]:
        copied = ["state = self.__dict__.copy()", "return state"]
        cached = ["state = self.__dict__.copy()", 'state["cache"] = {}', "return state"]
        match self.spec["state"]:
            case "copy":
                return ["def __getstate__(self):", *indented(copied, 1), ""]
            case "cache":
                return ["def __getstate__(self):", *indented(cached, 1), ""]
            case "assigned":
                return [
                    "def _without_cache(self):",
                    *indented(cached, 1),
                    "",
                    "__getstate__ = _without_cache",
                    "",
                ]
            case "decorator":
                self.module += [
                    "def without_cache(cls):",
                    "    def state(self):",
                    *indented(cached, 2),
                    "",
                    "    cls.__getstate__ = state",
                    "    return cls",
                    "",
                    "",
                ]
                self.decorators.append("@without_cache")
            case "base":
                self.module += [
                    "class Stateful:",
                    "    def __getstate__(self):",
                    *indented(cached, 2),
                    "",
                    "",
                ]
                self.bases.insert(0, "Stateful")
            case "super":
                self.module += [
                    "class Stateful:",
                    "    def __getstate__(self):",
                    *indented(cached, 2),
                    "",
                    "",
                ]
                self.bases.insert(0, "Stateful")
                return [
                    "def __getstate__(self):",
                    "    state = super().__getstate__()",
                    '    state["sent"] = True',
                    "    return state",
                    "",
                ]
            case "setstate":
                return [
                    "def __setstate__(self, state):",
                    "    self.__dict__.update(state)",
                    "    self.cache = {}",
                    "",
                ]
            case "reduce":
                return ["def __reduce__(self):", "    return type(self), (self.path,)", ""]
            case "pair":
                return [
                    "def __getstate__(self):",
                    '    return {"path": self.path}',
                    "",
                    "def __setstate__(self, state):",
                    '    self.__init__(state["path"])',
                    "",
                ]
            case "getattr":
                return [
                    "def __getattr__(self, name):",
                    f"    return getattr({self.handle}, name)",
                    "",
                ]
        return []

    def _members(self) -> list[str]:
        spec = self.spec
        lines = []
        if spec["state"] == "slots":
            names = {
                "path",
                "root",
                "name",
                "config",
                "options",
                "paths",
                "scale",
                "length",
                "_path",
                "keys",
                "header",
                "total",
                "first",
                "summary",
                "unit",
                "values_seen",
                "loaded",
                self.attribute,
            }
            if self.kind.derived:
                names.add(self.kind.derived[0])
            names.discard("path") if spec["path"] == "setter" else None
            lines += [f"__slots__ = ({', '.join(repr(name) for name in sorted(names))})", ""]
        if spec["open"] == "classmethod":
            lines += [
                "@classmethod",
                "def from_path(cls, path):",
                f"    return cls({self.opening('path')}, path)"
                if self.kind.files
                else f"    return cls({self.opening('path')})",
                "",
            ]
        if spec["open"] == "enter":
            lines += [
                "def __enter__(self):",
                f"    self.{self.attribute} = {self.opening(self.path.expression)}",
                "    return self",
                "",
                "def __exit__(self, *error):",
                f"    {self.say(self.kind.close, 'self.' + self.attribute) or 'pass'}",
                f"    self.{self.attribute} = None",
                "",
            ]
        if spec["open"] == "connect":
            lines += [
                "def connect(self):",
                f"    self.{self.attribute} = {self.opening(self.path.expression)}",
                "",
            ]
        if spec["touch"] == "property":
            lines += [
                "@property",
                "def size(self):",
                f"    return {self.say(self.kind.length, self.handle)}",
                "",
            ]
        if spec["look"] == "repr":
            lines += [
                "def __repr__(self):",
                "    names = sorted(name for name, value in vars(self).items() if isinstance(value, (int, str)))",
                '    return f"Rows({names})"',
                "",
            ]
        return lines

    def dataset(self) -> list[str]:
        spec = self.spec
        constructor = self.constructor()
        state = self._state()
        if spec["open"] == "base":
            return self._with_base(constructor, state)
        if spec["family"] == "mixin":
            self.module += [
                "class Scaled:",
                "    def __init__(self, *arguments):",
                "        super().__init__()",
                "        self.factor = 3",
                "",
                "",
            ]
            self.bases.insert(0, "Scaled")
            constructor.insert(0, "super().__init__()")
        params = self.path.params
        if not self.kind.files and spec["open"] in ("classmethod",):
            params = self.attribute
        elif spec["open"] in ("passed", "classmethod"):
            params = f"{self.attribute}, path"
        if spec["state"] == "dataclass":
            head = [
                "@dataclasses.dataclass",
                "class Rows(Dataset):",
                "    path: str",
                "    cache: dict = dataclasses.field(default_factory=dict)",
                "",
                "    def __post_init__(self):",
            ]
            constructor = [line for line in constructor if line != "self.path = path"]
        else:
            head = [
                *self.decorators,
                f"class Rows({', '.join(self.bases)}):",
                *indented(self.path.members, 1),
                f"    def __init__(self{', ' if params else ''}{params}):",
            ]
        return [*head, *indented(constructor, 2), "", *indented(self._rest(state), 1)]

    def _rest(self, state: list[str]) -> list[str]:
        members = self._members()
        slots = members[:2] if members and members[0].startswith("__slots__") else []
        return [
            *slots,
            *members[len(slots) :],
            *self.added("members"),
            *self.methods,
            *self._lazily(),
            *state,
            *self._closing(),
            *self._length(),
            "def __getitem__(self, index):",
            *indented([*self._value_lines("index"), *self.added("value")], 1),
            "    return value * self.scale",
            "",
        ]

    def _with_base(self, constructor: list[str], state: list[str]) -> list[str]:
        path = self.path
        target = f"self.{self.attribute}"
        reads = []
        saved, self.spec["open"] = self.spec["open"], "straight"
        reads = self._reads()
        self.spec["open"] = saved
        body = [line for line in constructor if line not in path.keeps]
        base = [
            "class Store(Dataset):",
            *indented(path.members, 1),
            f"    def __init__(self{', ' if path.params else ''}{path.params}):",
            *indented(path.keeps, 2),
            *(["        place = os.path.abspath(path)"] if self.spec["path"] == "local" else []),
            f"        {target} = {self.opening(path.expression)}",
            "",
            *indented(self._closing(), 1),
            "",
        ]
        body = [line for line in body if not line.startswith("place =")]
        rest = self._members() + self.methods + state + self._length()
        bases = ", ".join([*self.bases[:-1], "Store"])
        return [
            *base,
            "",
            *self.decorators,
            f"class Rows({bases}):",
            f"    def __init__(self{', ' if path.params else ''}{path.params}):",
            f"        super().__init__({path.params})",
            *indented(body, 2),
            *indented(reads, 2),
            "",
            *indented(rest, 1),
            "    def __getitem__(self, index):",
            *indented(self._value_lines("index"), 2),
            "        return value * self.scale",
            "",
        ]

    def subclass(self) -> list[str]:
        spec = self.spec
        params = self.path.params
        if spec["open"] in ("passed", "classmethod"):
            params = f"{self.attribute}, path" if self.kind.files else self.attribute
        if spec["state"] == "dataclass":
            params = "path"
        head = [
            f"    def __init__(self{', ' if params else ''}{params}):",
            f"        super().__init__({params})",
        ]
        match spec["family"]:
            case "sub":
                return [
                    "class Doubled(Rows):",
                    "    def __getitem__(self, index):",
                    "        return super().__getitem__(index) * 2",
                    "",
                ]
            case "sub_path":
                return [
                    "class Doubled(Rows):",
                    *head,
                    '        self.path = "described elsewhere"',
                    "",
                ]
            case "sub_property":
                return [
                    "class Doubled(Rows):",
                    "    @property",
                    "    def path(self):",
                    '        return getattr(self, "_place", None)',
                    "",
                    "    @path.setter",
                    "    def path(self, place):",
                    "        self._place = place",
                    "",
                    "    def __getitem__(self, index):",
                    "        return super().__getitem__(index) + 1",
                    "",
                ]
            case "sub_without_super":
                return [
                    "class Doubled(Rows):",
                    "    def __init__(self, values):",
                    "        self.made = values",
                    "",
                    "    def __len__(self):",
                    "        return len(self.made)",
                    "",
                    "    def __getitem__(self, index):",
                    "        return self.made[index]",
                    "",
                    *(
                        ["    def close(self):", "        self.made = []", ""]
                        if spec["closing"] != "none"
                        else []
                    ),
                ]
            case "sub_opens_other":
                other = self.opening("self.second") if self.kind.files else self.opening("None")
                return [
                    "class Doubled(Rows):",
                    f"    def __init__(self, second{', ' if params else ''}{params}):",
                    "        self.second = second",
                    f"        self.extra = {other}",
                    f"        super().__init__({params})",
                    "",
                    *self._extra_item(),
                ]
            case "sub_close":
                return [
                    "class Doubled(Rows):",
                    "    def __getitem__(self, index):",
                    "        return super().__getitem__(index) + 1",
                    "",
                    *(
                        [
                            "    def close(self):",
                            "        super().close()",
                            "        self.closed_once = True",
                            "",
                        ]
                        if spec["closing"] != "none" and self.kind.close
                        else []
                    ),
                ]
        return []

    def _extra_item(self) -> list[str]:
        seek = self.say(self.kind.seek, "self.extra")
        lines = ["    def __getitem__(self, index):"]
        lines += [f"        {seek}"] if seek else []
        lines += [
            f"        extra = {self.say(self.kind.read, 'self.extra')}",
            "        return super().__getitem__(index) + extra",
            "",
        ]
        return lines

    # The program

    def functions(self) -> tuple[list[str], list[str]]:
        """Return the modules `store` and `stats`."""
        store = list(self.kind.helpers)
        if self.store:
            store += ["", "", *self.store] if store else self.store
        stats: list[str] = []
        if self.spec["init"] == "stats":
            seek = self.say(self.kind.seek, "handle", "at")
            stats += ["def total(handle):", "    found = 0", "    for at in range(6):"]
            stats += [f"        {seek}"] if seek else []
            stats += [
                f"        found += {self.say(self.kind.read, 'handle', 'at')}",
                "    return found",
            ]
        if self.spec["touch"] == "helper":
            stats += ["", "", "def first_of(rows):"] if stats else ["def first_of(rows):"]
            stats += ["    return rows[0] + rows[1]"]
        return store, stats

    def files(self) -> dict[str, str]:
        dataset = self.dataset()
        sub = self.subclass()
        store, stats = self.functions()
        body = [*self.path.module, *self.module, *self.added("module")]
        classes = [*dataset, "", *sub] if sub else dataset
        files = {}
        settings = self.spec["path"] == "module" and not self.many
        if settings:
            files["settings.py"] = (
                "store = None\n\n\ndef use(path):\n    global store\n    store = path\n"
            )
        if self.two:
            if self.spec["open"] == "function":
                files["store.py"] = _module(store, self)
                if self.kind.helpers:
                    body = [*self.kind.helpers, "", "", *body]
            elif store:
                body = [*store, "", "", *body]
            if stats:
                files["stats.py"] = _module(stats, self)
            rows = [*body, *classes]
            files["rows.py"] = _module(rows, self, settings)
            imports = ["import rows as rows_module"] if self._qualified() else []
            names = [
                name
                for name in ("Rows", "Doubled", "Config")
                if any(line.startswith(f"class {name}") for line in rows)
            ]
            imports += [f"from rows import {', '.join(names)}"]
            main = _module(self.main(), self, settings, imports)
        else:
            top = [
                *([*store, "", ""] if store else []),
                *([*stats, "", ""] if stats else []),
                *body,
                *classes,
                "",
                *self.main(),
            ]
            main = _module(top, self, settings)
        files["main.py"] = main
        return files

    def _qualified(self) -> bool:
        return False

    def main(self) -> list[str]:
        spec, kind = self.spec, self.kind
        lines = [line for name, text in tweaks.HELPERS.items() if any(f"{name}(" in line for line in
                 [*self.added("around"), *self.added("between")]) for line in text.split("\n")]  # fmt: skip
        if kind.files:
            lines += [
                "def fill(P, values):".replace("P", "path"),
                *indented([kind.say(line, P="path") for line in kind.fill], 1),
                "",
                "",
            ]
        lines += ["def main():", *indented(ARGUMENTS, 1)]
        body = []
        if kind.files:
            body += ['os.makedirs("data")', 'path, other = "data/first", "data/second"']
            if kind.name == "npz":
                body[-1] = 'path, other = "data/first.npz", "data/second.npz"'
            body += [
                "fill(path, [at * at + 1 for at in range(6)])",
                "fill(other, [at + 40 for at in range(6)])",
            ]
        else:
            body += ['path, other = "first", "second"']
        body += self.added("before")
        body += self.path.before if spec["open"] not in OUTSIDE else []
        body += ["seen = []"]
        around = self.added("around")
        body += (
            [*around, *indented(self._construct(), 1), *self.added("rescue")]
            if around
            else self._construct()
        )
        body += self._between()
        for one in self.tweaks[::-1]:  # a file goes when all is done with it
            body += one.lines("between", self._said) if one is not self.gone else []
        body += self.gone.lines("between", self._said)
        body += self._touches()
        running = self._run()
        if spec["open"] == "enter" or spec["closing"] == "exit":
            body += ["with rows:", *indented(running, 1)]
        else:
            body += running
        if spec["closing"] in ("close", "close_none"):
            body += ["rows.close()"]
        body += ['print("RESULT", out, seen)', "gc.collect()"]
        body += ['print("FDS", len(os.listdir("/proc/self/fd")))']
        return [*lines, *indented(body, 1), "", "", 'if __name__ == "__main__":', "    main()"]

    @property
    def constructed(self) -> str:
        """The class that `main` makes an object of."""
        family = self.spec["family"]
        is_heir = family.startswith("sub") and family != "sub_without_super"
        return "Doubled" if is_heir else "Rows"

    def _construct(self) -> list[str]:
        spec, name = self.spec, self.constructed
        arguments = self.path.arguments
        if spec["family"] == "sub_opens_other":
            arguments = f"other, {arguments}".rstrip(", ") if arguments else "other"
        match spec["open"]:
            case "passed":
                return [f"rows = {name}({self.opening('path')}, path)"]
            case "classmethod":
                return [f"rows = {name}.from_path(path)"]
            case "factory":
                return [f"rows = {name}(path)", f"rows.{self.attribute} = {self.opening('path')}"]
            case "connect":
                return [f"rows = {name}({arguments})", "rows.connect()"]
        return [f"rows = {name}({arguments})"]

    def _between(self) -> list[str]:
        match self.spec["between"]:
            case "source_changed":
                return list(self.path.change)
            case "attribute_set":
                attribute = {"join": "name", "config": "config"}.get(self.spec["path"], "path")
                value = {"join": '"second"', "config": "Config(other)"}.get(
                    self.spec["path"], "other"
                )
                return [f"rows.{attribute} = {value}"]
            case "chdir":
                return ['os.chdir("data")']
            case "unlink":
                return ["os.unlink(path)"]
            case "replaced":
                return ["os.replace(other, path)"]
            case "copy":
                return ["rows = copy.copy(rows)"]
            case "second":
                return [
                    *self.path.change,
                    *[line.replace("rows =", "second =") for line in self._construct()],
                    "seen.append(second[1])",
                ]
        return []

    def _touches(self) -> list[str]:
        spec = self.spec
        lines = []
        match spec["touch"]:
            case "len":
                lines = ["seen.append(len(rows))"]
            case "item":
                lines = ["seen.append(rows[0])"]
            case "property":
                lines = ["seen.append(rows.size)"]
            case "helper":
                name = "stats.first_of" if self.two else "first_of"
                lines = [f"seen.append({name}(rows))"]
            case "attribute":
                handle = self.handle.replace("self.", "rows.")
                lines = [f"seen.append({self.say(self.kind.length, handle)})"]
            case "iterate":
                lines = ["seen.append(sum(rows[at] for at in range(len(rows))))"]
        if spec["open"] == "enter":
            lines = []
        if spec["look"] == "vars":
            lines += [
                "seen.append(sorted(name for name, value in vars(rows).items() if isinstance(value, (int, str))))"
            ]
        if spec["look"] == "repr":
            lines += ["seen.append(repr(rows))"]
        return lines

    def _run(self) -> list[str]:
        spec = self.spec
        lines = [
            "loader = DataLoader(rows, batch_size=2, num_workers=args.workers,",
            "                    multiprocessing_context=args.start_method if args.workers else None)",
            "out = []",
            f"for _ in range({spec['epochs']}):",
            "    out.append([batch.tolist() for batch in loader])",
        ]
        if spec["family"] == "sub_without_super":
            lines += [
                "made = DataLoader(Doubled([3, 5, 7]), batch_size=2, num_workers=args.workers,",
                "                  multiprocessing_context=args.start_method if args.workers else None)",
                "out.append([batch.tolist() for batch in made])",
            ]
        kept = {
            "length": "length",
            "keys": "keys",
            "header": "header",
            "stats": "total",
            "first": "first",
            "method": "summary",
            "all": "values_seen",
        }.get(spec["init"])
        if kept and spec["open"] not in ("enter", "connect", "factory"):
            lines += [f"seen.append(rows.{kept})"]
        if spec["open"] == "try_other":
            lines += ["seen.append(rows.found)"]
        lines += self.added("end")
        if spec["after"] == "item":
            lines += ["seen.append(rows[2])"]
        if spec["after"] == "length":
            lines += ["seen.append(len(rows))"]
        return lines


ARGUMENTS = [
    "parser = argparse.ArgumentParser()",
    'parser.add_argument("--workers", type=int, default=0)',
    'parser.add_argument("--start-method", default="spawn")',
    "args = parser.parse_args()",
]

IMPORTS = {
    "argparse": "import argparse", "contextlib": "import contextlib", "copy": "import copy",
    "dataclasses": "import dataclasses", "functools": "import functools", "gc": "import gc", "os": "import os",
    "pathlib": "import pathlib",
    **{name: f"import {name}" for name in ("atexit", "glob", "inspect", "itertools", "shutil", "subprocess", "tempfile",
                                           "threading", "time", "weakref")},
}  # fmt: skip


def _module(lines: list[str], program: Program, settings: bool = False,
            more: list[str] | None = None) -> str:  # fmt: skip
    text = "\n".join(lines)
    imports = [line for name, line in IMPORTS.items() if f"{name}." in text]
    for line in program.kind.imports:
        used = line.split()[-1]
        if f"{used}." in text or (line.startswith("from") and used in text):
            imports.append(line)
    torch = [
        name
        for name in ("DataLoader", "Dataset")
        if f"{name}(" in text or f"({name})" in text or f", {name})" in text
    ]
    local = list(more or [])
    if settings and "settings." in text:
        local.append("import settings")
    local += [
        f"import {name}"
        for name in ("stats", "store")
        if f" {name}." in text or f"({name}." in text
    ]
    blocks = [imports, [f"from torch.utils.data import {', '.join(torch)}"] if torch else [], local]
    head = "\n\n".join(
        "\n".join(sorted(block, key=lambda x: x.startswith("from"))) for block in blocks if block
    )
    return (head + "\n\n\n" if head else "") + text.strip("\n") + "\n"


def render(spec: Spec) -> dict[str, str]:
    """Write a program down."""
    return Program(dict(spec)).files()


FAMILY = Family("resources", FEATURES, CONFLICTS, render)
