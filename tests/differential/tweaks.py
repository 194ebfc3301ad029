"""What may be added to a program that keeps a handle: a table for each feature, a row for each option.

`H` stands for the handle within the class, `R` for it in `main`, `K` for the attribute's name, `C` for the class, `P` for the path in `main`,
`OPEN(x)` for the expression that opens `x`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Tweak:
    """Lines for places of a program; the plainest adds none."""

    weight: int = 1
    module: str = ""  # before the class
    members: str = ""
    first: str = ""  # in the constructor, before it opens
    opening: str = ""  # instead of the statement that opens; PATH is what it opens
    init: str = ""  # at the end of the constructor
    before: str = ""  # in main, before the construction
    around: str = ""  # a compound statement around the construction
    rescue: str = ""  # what follows that statement
    between: str = ""  # after the construction
    value: str = ""  # in __getitem__, with `value`
    end: str = ""  # after the workers
    kinds: str = ""  # only with these; all that have files where empty
    plain_path: bool = False  # the constructor takes a path

    def lines(self, place: str, say: Callable[[str], str]) -> list[str]:
        """Return the lines for one place."""
        text = getattr(self, place)
        return say(text).split("\n") if text else []


def _many(*statements: str, **more: str) -> dict[str, Tweak]:
    return {f"way_{at}": Tweak(between=text, **more) for at, text in enumerate(statements)}


NONE = Tweak(weight=12)

# How the file goes away, or becomes another, once it is open.
GONE = {
    "stays": Tweak(weight=24),
    **_many(
        "os.remove(P)",
        "pathlib.Path(P).unlink()",
        "os.rename(P, 'data/used')",
        "os.renames(P, 'used/first')",
        "pathlib.Path(P).rename('data/used')",
        "pathlib.Path(other).replace(P)",
        "shutil.move(P, 'data/moved')",
        "shutil.rmtree('data')",
        "shutil.rmtree(os.path.dirname(P), ignore_errors=True)",
        "tidy(P)",
        "for name in os.listdir('data'):\n    os.remove(os.path.join('data', name))",
        "for name in glob.glob('data/*'):\n    os.remove(name)",
        "for name in pathlib.Path('data').iterdir():\n    name.unlink()",
        "for name in (P, other):\n    os.unlink(name)",
        "subprocess.run(['rm', P], check=True)",
        "subprocess.check_call(f'mv {P} data/used', shell=True)",
        "os.system(f'rm {P}')",
        "os.remove(P)\nfill(P, [7] * 6)",
        "spare = P + '.old'\nos.rename(P, spare)\nos.rename(other, P)",
        "list(map(os.remove, [P, other]))",
        "remove = os.remove\nremove(P)",
        "with contextlib.suppress(OSError):\n    os.remove(P)",
        "os.rename('data', 'archive')",
        "pathlib.Path('data').rename('archive')",
        "os.rename('data', 'archive')\nos.makedirs('data')\nshutil.copy('archive/' + os.path.basename(other), P)",
        "os.chdir('data')",
        "os.chdir(os.path.join(os.getcwd(), 'data'))",
        "Janitor(P).clean()",
    ),
    "beside_log": Tweak(between="with open('data/run.log', 'w') as log:\n    log.write('begun')"),
    "beside_checkpoint": Tweak(between="spare = os.path.join(os.path.dirname(P), 'step_1.ckpt.tmp')\n"
                               "pathlib.Path(spare).write_text('1')\nos.replace(spare, 'data/step_1.ckpt')"),
    "beside_removed": Tweak(between="notes = pathlib.Path(os.path.dirname(P)) / 'notes.txt'\n"
                            "notes.write_text('1')\nnotes.unlink()"),
    "beside_folder": Tweak(before="os.rename('data', 'data.v1')\nP = P.replace('data', 'data.v1')",
                           between="os.rename('data.v1', 'data.v2')"),
    "beside_named": Tweak(between="ending = 'done'\nos.rename(P, f'{P}.{ending}')"),
    "temporary": Tweak(before="scratch = tempfile.TemporaryDirectory()\nP = shutil.copy(P, scratch.name)",
                       between="scratch.cleanup()"),
    "with_temporary": Tweak(around="with tempfile.TemporaryDirectory() as scratch:\n    P = shutil.copy(P, scratch)"),
    "mkdtemp": Tweak(before="scratch = tempfile.mkdtemp()\nP = shutil.copy(P, scratch)",
                     between="shutil.rmtree(scratch)"),
    "named_temporary": Tweak(before="scratch = tempfile.NamedTemporaryFile()\nshutil.copyfile(P, scratch.name)\nP = scratch.name",
                             between="scratch.close()"),
    "link": Tweak(before="os.symlink(os.path.abspath(P), 'data/link')\nP = 'data/link'",
                  between="os.remove('data/link')\nos.symlink(os.path.abspath(other), 'data/link')"),
    "finally": Tweak(around="try:", rescue="finally:\n    os.remove(P)"),
    "with_copy": Tweak(around="with local_copy(P) as P:"),
    "with_chdir": Tweak(before="P = os.path.basename(P)", around="with contextlib.chdir('data'):"),
    "in_init": Tweak(init="os.remove(path)", plain_path=True),
    "in_init_method": Tweak(init="self._clean(path)", plain_path=True,
                            members="def _clean(self, path):\n    os.unlink(path)\n"),
}  # fmt: skip

# What the caller, or the class, sets the handle up with.
_SETUPS = {
    "sqlite": (
        ("H.row_factory = sqlite3.Row", "value += H.execute('SELECT 3 AS more').fetchone()['more']"),
        ("H.create_function('weigh', 1, abs)", "value += H.execute('SELECT weigh(-4)').fetchone()[0]"),
        ("H.execute('CREATE TEMP TABLE spare AS SELECT 5 AS five')",
         "value += H.execute('SELECT five FROM spare').fetchone()[0]"),
        ("H.text_factory = bytes", "value += len(H.execute(\"SELECT 'ab'\").fetchone()[0].hex())"),
        ("H.execute('PRAGMA case_sensitive_like = 1')",
         "value += H.execute(\"SELECT 'a' LIKE 'A'\").fetchone()[0]"),
        ("H.execute(\"ATTACH ':memory:' AS extra\")",
         "value += len(H.execute('PRAGMA database_list').fetchall())"),
        ("H.isolation_level = None", "value += H.isolation_level is None"),
        ("H.create_collation('back', max)", "value += H.execute(\"SELECT 'a' = 'b' COLLATE back\").fetchone()[0]"),
    ),
    "zip": (("H.setpassword(b'abc')", "value += len(H.pwd)"), ("H.pwd = b'abcd'", "value += len(H.pwd)"),
            ("H.label = 3", "value += H.label")),
    "tar": (("H.errorlevel = 2", "value += H.errorlevel"), ("H.dereference = True", "value += H.dereference")),
    "h5": (("H.scale = 3", "value += H.scale"),),
    "gzip": (("H.scale = 3", "value += H.scale"),),
    "shelve": (("H.writeback = True", "value += H.writeback"), ("H.keyencoding = 'ascii'", "value += len(H.keyencoding)")),
    "npz": (("H.allow_pickle = True", "value += H.allow_pickle"), ("H.max_header_size = 20000", "value += H.max_header_size")),
    "mmap": (("H.seek(2)", "value += H.tell()"),),
    "memmap_cow": (("H[0] = 77", "value += int(H[0])"), ("H[:] += 1", "value += int(H[1])"), ("H.flags.writeable = False", "value += not H.flags.writeable")),
    "mmap_cow": (("H[0] = 77", "value += H[0]"),),
    "queue": (("H.put(3)", "value += H.qsize()"), ("H.maxsize = 4", "value += H.maxsize")),
    "text": (("H.reconfigure(errors='ignore')", "value += len(H.errors)"),),
    "deque_thread": (("H.daemon = True", "value += H.daemon"), ("H.name = 'abcd'", "value += len(H.name)")),
}  # fmt: skip


def _main(statement: str) -> str:
    return re.sub(r"\bH\b", "R", statement)


def _bare(statement: str) -> str:
    return re.sub(r"\bH\b", "handle", statement)


def _set_attribute(statement: str) -> str:
    """Say an assignment to an attribute as a call of setattr."""
    found = re.fullmatch(r"(H)\.(\w+) = (.*)", statement)
    return f"setattr({_main(found[1])}, {found[2]!r}, {found[3]})" if found else _main(statement)


def _ways(how: str, seen: str) -> dict[str, Tweak]:
    """Return the places from which a handle may be set up."""
    tune = f"def tune(handle):\n    {_bare(how)}"
    method = f"def _tune(self):\n    {how}\n"
    return {
        "caller": Tweak(between=_main(how), value=seen),
        "setattr": Tweak(between=_set_attribute(how), value=seen),
        "helper": Tweak(before=tune, between="tune(R)", value=seen),
        "alias": Tweak(between="handle = R\n" + _bare(how), value=seen),
        "method": Tweak(members=method, between="rows._tune()", value=seen),
        "init": Tweak(init=how, value=seen),
        "own_helper": Tweak(members=method, init="self._tune()", value=seen),
        "module_helper": Tweak(module=tune + "\n\n", init="tune(H)", value=seen),
        "lambda": Tweak(before="tune = lambda handle: handle", between=_bare(how).replace("handle", "tune(R)", 1), value=seen),
        "loop": Tweak(between="for handle in (R,):\n    " + _bare(how), value=seen),
        "branch": Tweak(init="if self.scale:\n    " + how, value=seen),
    }  # fmt: skip


MOST = max(map(len, _SETUPS.values()))
SETUP = {
    "as_it_is": Tweak(weight=100),
    **{f"{at}_{way}": Tweak() for at in range(MOST) for way in _ways("H", "")},
}


def tweak(table: str, option: str, kind: str) -> Tweak:
    """Return one row; how a handle is set up depends on its kind."""
    if table == "setup" and option != "as_it_is":
        at, _, way = option.partition("_")
        rows = _SETUPS[kind]
        return _ways(*rows[int(at) % len(rows)])[way]
    return TABLES[table][option]


# How the constructor comes by the handle, and what that leaves behind.
OPENERS = {
    "as_chosen": Tweak(weight=24),
    "noted": Tweak(module="OPENED = []\n\n\ndef open_noted(path):\n    OPENED.append(path)\n    return OPEN(path)\n\n",
                   opening="TARGET = open_noted(PATH)", members="def noted(self):\n    return len(OPENED)\n",
                   end="seen.append(rows.noted())"),
    "counted": Tweak(module="COUNT = 0\n\n\ndef open_counted(path):\n    global COUNT\n    COUNT += 1\n    return OPEN(path)\n\n",
                     opening="TARGET = open_counted(PATH)", members="def noted(self):\n    return COUNT\n",
                     end="seen.append(rows.noted())"),
    "logged": Tweak(module="def open_logged(path):\n    with open('opened.txt', 'a') as log:\n        log.write(path)\n    return OPEN(path)\n\n",
                    opening="TARGET = open_logged(PATH)"),
    "counted_on_self": Tweak(first="self.opens = 0", opening="TARGET = self._counted(PATH)",
                             members="def _counted(self, path):\n    self.opens += 1\n    return OPEN(path)\n",
                             end="seen.append(rows.opens)"),
    "counted_on_class": Tweak(opening="TARGET = self._counted(PATH)",
                              members="opens = 0\n\ndef _counted(self, path):\n    type(self).opens += 1\n    return OPEN(path)\n",
                              end="seen.append(C.opens)"),
    "numbered": Tweak(module="NUMBERS = itertools.count()\n\n\ndef open_numbered(path):\n    return OPEN(path), next(NUMBERS)\n\n",
                      opening="TARGET, self.number = open_numbered(PATH)",
                      between="second = type(rows).__new__(type(rows))\nseen.append(rows.number)"),
    "cached": Tweak(module="@functools.lru_cache\ndef open_cached(path):\n    return OPEN(path)\n\n",
                    opening="TARGET = open_cached(PATH)"),
    "cached_info": Tweak(module="@functools.lru_cache(maxsize=None)\ndef open_cached(path):\n    return OPEN(path)\n\n",
                         opening="TARGET = open_cached(PATH)", members="def noted(self):\n    return open_cached.cache_info().misses\n",
                         end="seen.append(rows.noted())"),
    "table": Tweak(module="HANDLES = {}\n\n\ndef open_once(path):\n    if path not in HANDLES:\n        HANDLES[path] = OPEN(path)\n    return HANDLES[path]\n\n",
                   opening="TARGET = open_once(PATH)", members="def noted(self):\n    return len(HANDLES)\n",
                   end="seen.append(rows.noted())"),
    "class_table": Tweak(members="HANDLES = {}\n", opening="TARGET = self.HANDLES.setdefault('one', OPEN(PATH))",
                         end="seen.append(len(C.HANDLES))"),
    "on_class": Tweak(members="K = None\n", opening="type(self).K = OPEN(PATH)"),
    "on_class_once": Tweak(members="K = None\n", opening="if type(self).K is None:\n    type(self).K = OPEN(PATH)"),
    "by_dict": Tweak(opening="self.__dict__['K'] = OPEN(PATH)"),
    "by_update": Tweak(opening="self.__dict__.update(K=OPEN(PATH))"),
    "by_vars": Tweak(opening="vars(self).update({'K': OPEN(PATH)})"),
    "by_object": Tweak(opening="object.__setattr__(self, 'K', OPEN(PATH))"),
    "dispatched": Tweak(module="def open_plain(path):\n    return OPEN(path)\n\n\nOPENERS = {'plain': open_plain}\n\n",
                        opening="TARGET = OPENERS['plain'](PATH)"),
    "dispatched_changed": Tweak(module="def open_plain(path):\n    return OPEN(path)\n\n\ndef open_other(path):\n    return OPEN(path.replace('first', 'second'))\n\n\nOPENERS = {'plain': open_plain}\n\n",
                                opening="TARGET = OPENERS['plain'](PATH)", members="def reset(self):\n    OPENERS['plain'] = open_other\n",
                                between="rows.reset()"),
    "by_attribute_opener": Tweak(members="def _plain(self, path):\n    return OPEN(path)\n",
                                 first="self.opener = self._plain", opening="TARGET = self.opener(PATH)"),
    "by_class_opener": Tweak(members="@staticmethod\ndef opener(path):\n    return OPEN(path)\n", opening="TARGET = self.opener(PATH)"),
    "opener_replaced": Tweak(members="@staticmethod\ndef opener(path):\n    return OPEN(path)\n", opening="TARGET = self.opener(PATH)",
                             between="C.opener = staticmethod(lambda path: None)"),
    "retry": Tweak(opening="for attempt in range(3):\n    try:\n        TARGET = OPEN(PATH)\n        break\n    except OSError:\n        time.sleep(0.01)"),
    "while": Tweak(opening="tries = 0\nwhile tries < 1:\n    TARGET = OPEN(PATH)\n    tries += 1"),
    "tries_kept": Tweak(first="self.tries = 0", opening="while self.tries < 2:\n    self.tries += 1\n    TARGET = OPEN(PATH)", end="seen.append(rows.tries)"),
    "by_generator": Tweak(module="def opening(path):\n    yield OPEN(path)\n\n", opening="self.source = opening(PATH)\nTARGET = next(self.source)"),
    "by_manager": Tweak(module="@contextlib.contextmanager\ndef managed(path):\n    yield OPEN(path)\n\n",
                        opening="self.manager = managed(PATH)\nTARGET = self.manager.__enter__()"),
    "finalized": Tweak(opening="TARGET = OPEN(PATH)\nweakref.finalize(self, print, 'finalized')"),
    "fallback_next": Tweak(opening="for place in ('missing/' + PATH, PATH):\n    try:\n        TARGET = OPEN(place)\n    except Exception:\n        continue\n    self.place = place\n    break",
                           end="seen.append(rows.place)"),
    "suppressed": Tweak(opening="TARGET = OPEN(PATH)\nwith contextlib.suppress(Exception):\n    TARGET = OPEN('missing/' + PATH)"),
    "flagged": Tweak(first="self.is_open = False", opening="TARGET = OPEN(PATH)\nself.is_open = True", value="value += self.is_open"),
    "else_clause": Tweak(opening="try:\n    found = OPEN(PATH)\nexcept OSError:\n    raise\nelse:\n    TARGET = found"),
    "two_of_one": Tweak(opening="TARGET = self.second = OPEN(PATH)", value="value += self.second is H"),
    "two_pair": Tweak(opening="TARGET = OPEN(PATH)\nself.pair = (TARGET, 1)", value="value += self.pair[0] is H"),
    "in_table_too": Tweak(opening="TARGET = OPEN(PATH)\nself.table = {'main': TARGET}", value="value += self.table['main'] is H"),
    "lambda_too": Tweak(opening="TARGET = OPEN(PATH)\nself.again = lambda: TARGET", value="value += self.again() is H"),
}  # fmt: skip

# What becomes of the object, or of its attribute, in the parent.
LATER = {
    "nothing": Tweak(weight=24),
    "replaced": Tweak(between="R = OPEN(other)"),
    "replaced_by_setattr": Tweak(between="setattr(rows, 'K', OPEN(other))"),
    "replaced_by_vars": Tweak(between="vars(rows)['K'] = OPEN(other)"),
    "replaced_by_dict": Tweak(between="rows.__dict__.update(K=OPEN(other))"),
    "replaced_by_object": Tweak(between="object.__setattr__(rows, 'K', OPEN(other))"),
    "replaced_by_helper": Tweak(before="def swap(thing, handle):\n    thing.K = handle", between="swap(rows, OPEN(other))"),
    "replaced_by_loop": Tweak(between="for name in ('K',):\n    setattr(rows, name, OPEN(other))"),
    "reopened": Tweak(members="def reopen(self, place):\n    H = OPEN(place)\n", between="rows.reopen(other)"),
    "reopened_path": Tweak(members="def reopen(self, place):\n    self.path = place\n    H = OPEN(self.path)\n", between="rows.reopen(other)"),
    "constructed_again": Tweak(between="rows.__init__(other)", plain_path=True),
    "constructed_by_class": Tweak(between="C.__init__(rows, other)", plain_path=True),
    "path_changed": Tweak(between="rows.path = other", plain_path=True),
    "path_by_vars": Tweak(between="vars(rows).update(path=other)", plain_path=True),
    "path_by_loop": Tweak(between="for name in ('path', 'scale'):\n    setattr(rows, name, {'path': other}.get(name, 2))", plain_path=True),
    "scale_changed": Tweak(between="rows.scale = 5"),
    "twin": Tweak(between="twin = copy.copy(rows)\nseen.append(twin[1])\ntwin.scale = 3\nrows = twin"),
    "twin_identity": Tweak(between="twin = copy.copy(rows)\nseen.append(twin.K is rows.K)"),
    "twin_path": Tweak(between="twin = copy.copy(rows)\ntwin.path = other\nseen.append(twin[2])\ntwin = None", plain_path=True),
    "twin_by_type": Tweak(between="second = type(rows)(other)\nseen.append(second[2])", plain_path=True),
    "missing_by_type": Tweak(between="try:\n    type(rows)('nowhere/none')\nexcept Exception:\n    seen.append('none')", plain_path=True),
    "twin_by_hand": Tweak(between="twin = type(rows).__new__(type(rows))\ntwin.__dict__.update(rows.__dict__)\nseen.append(twin[1])\nrows = twin"),
    "twin_by_vars": Tweak(between="twin = object.__new__(type(rows))\nfor name, part in vars(rows).items():\n    setattr(twin, name, part)\nrows = twin"),
    "twin_by_method": Tweak(members="def clone(self):\n    new = copy.copy(self)\n    new.scale = 7\n    return new\n", between="rows = rows.clone()"),
    "twin_by_reduce": Tweak(members="def __copy__(self):\n    new = type(self).__new__(type(self))\n    new.__dict__.update(self.__dict__, scale=4)\n    return new\n",
                            between="rows = copy.copy(rows)"),
    "class_changed": Tweak(before="class Other:\n    pass", between="seen.append(type(rows).__name__)"),
    "handle_kept": Tweak(between="handle = R", end="seen.append(handle is R)"),
    "handle_used_after": Tweak(between="handle = R", end="seen.append(rows[0] == rows[0] and handle is not None)"),
    "asked_hasattr": Tweak(between="seen.append(hasattr(rows, 'K'))"),
    "asked_vars": Tweak(between="seen.append('K' in vars(rows))"),
    "asked_names": Tweak(between="seen.append(sorted(vars(rows)))"),
    "asked_count": Tweak(between="seen.append(len(vars(rows)))"),
    "asked_in_init": Tweak(init="self.names_seen = sorted(self.__dict__)", end="seen.append(rows.names_seen)"),
    "asked_in_item": Tweak(value="value += 'K' in self.__dict__"),
    "asked_count_in_item": Tweak(value="value += len(self.__dict__)"),
    "asked_getattr": Tweak(between="seen.append(getattr(rows, 'K', None) is None)"),
    "asked_types": Tweak(between="seen.append(sorted(type(part).__name__ for part in vars(rows).values()))"),
    "deleted": Tweak(between="del rows.scale\nrows.scale = 3"),
    "deleted_handle": Tweak(between="handle = R\ndel R\nR = handle"),
    "moved_attribute": Tweak(between="rows.K_spare = rows.__dict__.pop('K')\nrows.K = rows.K_spare"),
    "closed_by_caller": Tweak(end="R.close()", kinds="sqlite h5 binary text zip tar gzip lmdb npz shelve mmap"),
    "closed_by_with": Tweak(end="with contextlib.closing(R):\n    seen.append(rows[1])", kinds="sqlite h5 binary text zip tar gzip lmdb npz shelve mmap"),
    "closed_is_seen": Tweak(end="R.close()\nseen.append(R.closed)", kinds="binary text gzip mmap"),
    "closed_then_error": Tweak(end="R.close()\ntry:\n    rows[0]\nexcept Exception as error:\n    seen.append(type(error).__name__)",
                               kinds="sqlite h5 binary text zip tar gzip shelve mmap"),
    "closed_first": Tweak(before="spare = OPEN(P)\nspare.close()", kinds="sqlite h5 binary text zip tar gzip npz shelve mmap"),
    "missing_caught": Tweak(between="try:\n    spare = C('nowhere/none')\nexcept Exception:\n    spare = None\nseen.append(spare is None)", plain_path=True),
    "missing_suppressed": Tweak(between="failed = True\nwith contextlib.suppress(Exception):\n    C('nowhere/none')\n    failed = False\nseen.append(failed)", plain_path=True),
    "missing_by_helper": Tweak(before="def works(make, place):\n    try:\n        make(place)\n    except Exception:\n        return False\n    return True",
                               between="seen.append(works(C, 'nowhere/none'))", plain_path=True),
    "second_alive": Tweak(between="second = C(other)\nseen.append(second[1])\nseen.append(rows[1])", plain_path=True),
    "several": Tweak(between="parts = [C(place) for place in (other, P)]\nseen.append([part[2] for part in parts])\nrows = parts[1]", plain_path=True),
    "several_loop": Tweak(between="parts = {}\nfor place in (P, other):\n    parts[place] = C(place)\nrows = parts[P]\nseen.append(parts[other][0])", plain_path=True),
    "weak": Tweak(between="reference = weakref.ref(rows)\nseen.append(reference() is rows)"),
    "held_by_caller": Tweak(between="bag = [rows, R]\nseen.append(bag[1] is rows.K)"),
    "method_kept": Tweak(between="reader = rows.__getitem__\nseen.append(reader(2))"),
    "swapped": Tweak(between="spare = C(other)\nrows.K, spare.K = spare.K, rows.K\nseen.append(spare[1])", plain_path=True),
    "context": Tweak(members="def __enter__(self):\n    return self\n\ndef __exit__(self, *error):\n    H.close()\n", kinds="sqlite h5 binary text zip tar gzip lmdb npz shelve mmap"),
    "exit_stack": Tweak(before="stack = contextlib.ExitStack()", between="stack.callback(R.close)", end="stack.close()", kinds="sqlite h5 binary text zip tar gzip lmdb npz shelve mmap"),
    "atexit": Tweak(init="atexit.register(H.close)", kinds="sqlite h5 binary text zip tar gzip lmdb npz shelve"),
    "finalizer": Tweak(init="self.finalizer = weakref.finalize(self, H.close)", kinds="sqlite h5 binary text zip tar gzip npz shelve"),
}  # fmt: skip

# Members of the class that see attributes.
CLASS = {
    "plain": Tweak(weight=24),
    "getattr_error": Tweak(members="def __getattr__(self, name):\n    raise AttributeError(name)\n"),
    "getattr_default": Tweak(members="def __getattr__(self, name):\n    if name.startswith('_'):\n        raise AttributeError(name)\n    return 5\n", value="value += self.unknown", between="seen.append(rows.other_thing)"),
    "getattribute": Tweak(members="def __getattribute__(self, name):\n    return object.__getattribute__(self, name)\n"),
    "setattr_logs": Tweak(members="def __setattr__(self, name, value):\n    object.__setattr__(self, name, value)\n    self.__dict__['names'] = sorted(self.__dict__)\n", end="seen.append(rows.names)"),
    "setattr_once": Tweak(members="def __setattr__(self, name, value):\n    if name in self.__dict__:\n        raise AttributeError(name)\n    super().__setattr__(name, value)\n"),
    "delattr": Tweak(members="def __delattr__(self, name):\n    raise AttributeError(name)\n"),
    "eq": Tweak(members="def __eq__(self, other):\n    return vars(self) == vars(other)\n\n__hash__ = None\n", between="seen.append(rows == copy.copy(rows))"),
    "len_vars": Tweak(members="def describe(self):\n    return {name: part for name, part in vars(self).items() if isinstance(part, (int, str))}\n", end="seen.append(rows.describe())"),
    "state_marks": Tweak(members="def __setstate__(self, state):\n    self.__dict__ = state\n    self.scale += 0\n"),
    "state_replaces": Tweak(members="def __setstate__(self, state):\n    vars(self).update(state, sent=True)\n"),
    "init_subclass": Tweak(members="def __init_subclass__(cls, **more):\n    super().__init_subclass__(**more)\n    cls.names = sorted(name for name in vars(cls) if not name.startswith('__'))\n", end="seen.append(getattr(C, 'names', None))"),
    "property_over": Tweak(members="@property\ndef source(self):\n    return H\n", value="value += self.source is H", between="seen.append(rows.source is not None)"),
    "class_default": Tweak(members="K: object = None\n"),
    "class_iter": Tweak(members="def __iter__(self):\n    return (self[at] for at in range(len(self)))\n", between="seen.append(sum(rows))"),
    "static_user": Tweak(members="@staticmethod\ndef peek(rows):\n    return rows[1]\n", between="seen.append(rows.peek(rows))"),
    "thread_user": Tweak(between="thread = threading.Thread(target=seen.append, args=(type(R).__name__,))\nthread.start()\nthread.join()"),
    "recursion": Tweak(init="self.me = self", value="value += self.me is self"),
    "parent_link": Tweak(module="class Part:\n    def __init__(self, owner):\n        self.owner = owner\n\n    def handle(self):\n        return self.owner.K\n\n", init="self.part = Part(self)", value="value += self.part.handle() is H"),
    "closure_user": Tweak(module="class Reader:\n    def __init__(self, handle):\n        self.handle = handle\n\n", init="self.reader = Reader(H)", value="value += self.reader.handle is H"),
    "bound_user": Tweak(init="self.take = self.__getitem__", between="seen.append(rows.take(1))"),
    "count_item": Tweak(first="self.asked = 0", value="self.asked += 1", between="seen.append(rows[0])\nseen.append(rows.asked)"),
}  # fmt: skip

TABLES: Mapping[str, Mapping[str, Tweak]] = {
    "opener": OPENERS,
    "gone": GONE,
    "setup": SETUP,
    "later": LATER,
    "class": CLASS,
}
FEATURES = {
    table: {name: tweak.weight for name, tweak in rows.items()} for table, rows in TABLES.items()
}


def having(table: str, test: Callable[[Tweak], object]) -> str:
    """Return the options of a table with some property, with spaces between them."""
    return " ".join(name for name, row in TABLES[table].items() if test(row))


def opens_again(row: Tweak) -> bool:
    """Return whether the caller opens another handle."""
    return any(word in row.between for word in ("OPEN(", "C(", "__init__("))


SET_UP = " ".join(_SETUPS)
BY_CALLER = " ".join(
    name
    for name in SETUP
    if name.split("_")[-1] in ("caller", "setattr", "helper", "alias", "method", "lambda", "loop")
    and "own" not in name
    and "module" not in name
)
HELPERS = {
    "tidy": "def tidy(place):\n    os.remove(place)\n\n",
    "Janitor": "class Janitor:\n    def __init__(self, place):\n        self.place = place\n\n"
               "    def clean(self):\n        os.unlink(self.place)\n\n",
    "local_copy": "@contextlib.contextmanager\ndef local_copy(place):\n    spare = shutil.copy(place, 'data/local')\n"
                  "    try:\n        yield spare\n    finally:\n        os.remove(spare)\n\n",
}  # fmt: skip
